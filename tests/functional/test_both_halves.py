"""Both halves show hidden characters in the same way, each in its own language."""

from acp_nvim.text.printable import visible
from tests.functional.editor import Editor

SURROGATES = range(0xD800, 0xE000)
SHOWN = """local shown = {}
for _, range in ipairs(...) do
  for code = range[1], range[2] do
    local char = vim.fn.nr2char(code, 1)
    local seen = require("acp_nvim.ui.printable").visible(char)
    if seen ~= char then
      shown[#shown + 1] = { code, seen }
    end
  end
end
return shown"""


def test_hidden_characters_are_shown_in_the_same_way(editor: Editor) -> None:
    """Neovim has no character 0 in a text of one line."""
    codes = [code for code in range(1, 0x110000) if code not in SURROGATES]
    wanted = {code: visible(chr(code)) for code in codes if visible(chr(code)) != chr(code)}
    shown = editor.lua(SHOWN, [[1, 0xD7FF], [0xE000, 0x1FFFF], [0xE0000, 0xE1FFF], [0x10FFF0, 0x10FFFF]])
    assert dict(shown) == wanted
