"""The story that `make demo` plays where there is no terminal: a real Neovim, real keys, printed as text.

python tests/tools/story.py NVIM
"""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import tempfile
from pathlib import Path

import pynvim

ROOT = Path(__file__).resolve().parents[2]
_PATIENCE = 20_000  # milliseconds for any one step
_FILE = "demo.py"
_NOTES = "notes.md"
_BEFORE = """\
def greet(name):
    return "Hello, " + name


print("Whom do we greet?")
for name in ("Ada", "Grace"):
    print(greet(name))
"""
_UNSAVED = "# A line that is not saved yet"
_SCREEN = """
local buf = require("acp_nvim.chat.buffer").buffer(1)
local icons = {}
for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(buf, -1, 0, -1, { details = true })) do
  local before, text = mark[4].virt_text_pos == "inline", ""
  for _, chunk in ipairs(mark[4].virt_text or {}) do text = text .. chunk[1] end
  local row = icons[mark[2]] or { "", "" }
  row[before and 1 or 2] = row[before and 1 or 2] .. text
  icons[mark[2]] = row
end
local lines = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
for i, line in ipairs(lines) do
  local row = icons[i - 1] or { "", "" }
  lines[i] = row[1] .. line .. (row[2] ~= "" and "  " .. row[2] or "")
end
return lines
"""

# The question is before the user, in the chat or as a diff.
_SEEN = """function()
  local question = require("acp_nvim").questions()[1]
  return require("acp_nvim.question.answer_gate").is_lit(question)
end"""
# The lines of the window on that side of the diff.
_SIDE = """
local wins = vim.tbl_filter(function(win) return vim.wo[win].diff end, vim.api.nvim_tabpage_list_wins(0))
table.sort(wins, function(a, b) return vim.api.nvim_win_get_position(a)[2] < vim.api.nvim_win_get_position(b)[2] end)
return vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(wins[... == "left" and 1 or 2]), 0, -1, false)
"""


class Story:
    def __init__(self, nvim: pynvim.Nvim) -> None:
        self._nvim = nvim

    def play(self) -> None:
        self._keys(":Acp<CR>", "the chat opens, the demo agent starts", "state", "idle")
        self._say("/plan", "a plan, thoughts and tool calls", "idle")
        self._edit_a_file()
        self._decide_on_a_diff()
        self._review()
        self._run_a_command()
        self._say("/slow", "a long answer begins …", "running", until="1, ")
        self._keys(":Acp cancel<CR>", "… and we cancel it", "state", "idle")

    def _edit_a_file(self) -> None:
        self._nvim.command(f"wincmd t | edit {_FILE}")
        self._nvim.api.buf_set_lines(0, 0, 0, True, [_UNSAVED])
        self._caption(f"{_FILE} in its buffer, with an unsaved line")
        self._show_file()
        self._say(f"/edit {_FILE}", "the agent reads the buffer, and asks before it edits", "asking")
        self._keys(":Acp answer 1<CR>", "we allow it once", "state", "idle")
        self._caption(f"{_FILE} in its buffer now, the unsaved line included; saved as `:w` would")
        self._show_file()

    def _decide_on_a_diff(self) -> None:
        self._say(f"/rename greet welcome {_FILE}", "the agent proposes several changes", "asking")
        self._nvim.input(":Acp diff<CR>")
        self._until("vim.wo.diff and vim.bo.buftype == 'acwrite'")
        self._caption("its diff, in windows of its own: :Acp diff")
        self._show_diff()
        self._caption("the right side is the decision: the second hunk refused (]cdo), the third edited")
        self._nvim.input('gg]c]cdo/name))<CR>f)a + "!"<Esc>')
        self._until("vim.fn.search('+ .!', 'cnw') > 0")
        self._show_diff()
        self._caption("… and send it: :w")
        self._nvim.input(":w<CR>")
        self._until("require('acp_nvim').status().state == 'idle'")
        self._show_file()
        self._say("And what have you learned?", "the next prompt tells the agent what we made of it", "idle")

    def _review(self) -> None:
        self._say(
            f"/write {_NOTES}",
            "an agent that writes the disk and asks nobody",
            "idle",
            until=f"{_NOTES} +2",
        )
        self._caption(
            "its changes are pending, whatever way they came: :Acp review lists them over all files"
        )
        self._nvim.input(":Acp review<CR>")
        self._until(f"vim.fn.expand('%:t') == '{_NOTES}' and vim.fn.maparg(']h') ~= ''")
        for item in self._nvim.funcs.getqflist():
            print(f"    {_NOTES}:{item['lnum']}  {item['text']}", flush=True)
        self._caption(
            "one is kept (<localleader>k), one undone (<localleader>u); ]h goes from one to the next"
        )
        self._nvim.input("gg\\k")
        self._until("#require('acp_nvim.review').rows(0) == 1")
        self._nvim.input("]h\\u")
        self._until("#require('acp_nvim.review').rows(0) == 0")
        self._show_file(_NOTES)

    def _run_a_command(self) -> None:
        self._say("/run seq 3 | sed 's/^/line /'", "the agent asks before it runs a command", "asking")
        self._keys(":Acp answer 1<CR>", "it runs in a terminal of the editor", "state", "idle")
        self._caption("what it has said, to be read there afterwards: :Acp terminals 1")
        self._nvim.input(":Acp terminals 1<CR>")
        self._until("vim.bo.filetype == 'acp_terminal' and vim.fn.search('line 3', 'cnw') > 0")
        print("\n".join(line for line in self._nvim.current.buffer[:] if line.strip()), flush=True)
        self._nvim.input("<Esc>q")
        self._until("vim.bo.filetype ~= 'acp_terminal'")

    def _show_file(self, name: str = _FILE) -> None:
        buf = int(self._nvim.funcs.bufnr(name))
        text = "\n".join(f"    {line}" for line in self._nvim.api.buf_get_lines(buf, 0, -1, True))
        state = "modified" if self._nvim.api.get_option_value("modified", {"buf": buf}) else "saved"
        print(f"{text}\n    [{state}]", flush=True)

    def _show_diff(self) -> None:
        """Both sides beside each other, what differs marked."""
        left, right = (self._nvim.exec_lua(_SIDE, side) for side in ("left", "right"))
        for old, new in zip(left, right, strict=True):
            print(f"    {old:<38} {'|' if old == new else '#'} {new}".rstrip(), flush=True)

    def _say(self, text: str, caption: str, state: str, until: str = "") -> None:
        """`until` is in the chat, too."""
        turn = self._status("turn")
        self._caption(f"{caption}: {text}")
        self._nvim.exec_lua("assert(require('acp_nvim').prompt(...))", text)
        self._until(
            f"(function(s) return s.turn > {turn} and s.state == '{state}' end)(require('acp_nvim').status())"
        )
        self._until_chat(until)
        if state == "asking":
            self._until(f"({_SEEN})()")
        self._show()

    def _keys(self, keys: str, caption: str, field: str, value: str) -> None:
        self._caption(f"{caption}: {keys}")
        self._nvim.input(keys)
        self._until(f"require('acp_nvim').status().{field} == '{value}'")
        self._show()

    def _until_chat(self, text: str) -> None:
        chat = f"table.concat((function() {_SCREEN} end)(), '\\n')"
        self._until(f"{chat}:find('{text}', 1, true)")

    def _status(self, field: str) -> int:
        return int(self._nvim.exec_lua(f"return require('acp_nvim').status().{field}"))

    def _until(self, condition: str) -> None:
        wait = f"return (vim.wait({_PATIENCE}, function() return {condition} end, 10))"
        if not self._nvim.exec_lua(wait):
            raise SystemExit(f"the story stopped: {condition}\n" + "\n".join(self._nvim.exec_lua(_SCREEN)))

    def _caption(self, text: str) -> None:
        print(f"\n--- {text}\n", flush=True)

    def _show(self) -> None:
        """The turn under way, from its prompt on."""
        lines = self._nvim.exec_lua(_SCREEN)
        starts = [number for number, line in enumerate(lines) if line.startswith("## You")]
        print("\n".join(lines[starts[-1] :] if starts else lines), flush=True)


def main() -> None:
    logging.getLogger("asyncio").setLevel(logging.ERROR)  # it minds if Neovim ends after our loop
    nvim_path = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as home:
        environment = {"HOME": home, "XDG_CONFIG_HOME": f"{home}/config", "XDG_DATA_HOME": f"{home}/data"}
        os.environ.update(environment, XDG_STATE_HOME=f"{home}/state", ACP_DEMO_SPEED="0")
        os.chdir(home)
        Path(_FILE).write_text(_BEFORE)
        Path(_NOTES).write_text("Greet everybody.\n")
        command = [nvim_path, "--embed", "--headless", "--clean", "--cmd", f"set rtp^={_escaped(ROOT)}"]
        nvim = pynvim.attach("child", argv=command)
        nvim.ui_attach(100, 40, rgb=True, ext_linegrid=True)
        try:
            Story(nvim).play()
        finally:
            with contextlib.suppress(OSError, EOFError):  # the channel ends with Neovim
                nvim.command("qa!")
            nvim.close()
    print("\nThat was the plugin at work in a real Neovim. In a terminal, `make demo` opens it for you.")


def _escaped(path: Path) -> str:
    """For `:set`, where spaces, commas and backslashes mean something."""
    return "".join(f"\\{char}" if char in ' \\|"' else "\\\\," if char == "," else char for char in str(path))


if __name__ == "__main__":
    main()
