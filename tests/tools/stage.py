"""A real Neovim with the plugin and a scripted agent, typed into and looked at: what all pictures are taken of.

Its clock stands still and goes on by `advance`, so that no picture tells the time or the speed of a machine.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.fakes.script import Rule, script
from tests.functional.contrast import put_on
from tests.functional.editor import Editor
from tests.tools.cells import Look, look_at

ROOT = Path(__file__).resolve().parents[2]
QUIET = 0.15  # seconds without a change: what is drawn in several steps is drawn
# Prompts are always sent at two minutes past two, spinners turn with the clock, and no turn is said to take long.
CLOCK = """
local headings, spinner = require("acp_nvim.chat.headings"), require("acp_nvim.ui.spinner")
local now, date, paint, turn = 1e6, os.date, headings.paint, spinner.turn
vim.uv.now = function() return now end
os.date = function(format) return date("!" .. format, 14 * 3600 + 2 * 60) end
spinner.turn = function() end
headings.paint = function(chat, row, line, mark, columns)
  paint(chat, row, line, vim.tbl_extend("force", mark, { took = false }), columns)
end
function _G.advance(ms)
  for _ = math.floor(now / 100) + 1, math.floor((now + ms) / 100) do turn() end
  now = now + ms
end
"""
OPTIONS = """
vim.o.number, vim.o.termguicolors = true, true
vim.opt.fillchars:append({ eob = " " })
vim.opt.diffopt:append("context:99")
"""
START = """
local project, file, command = ...
vim.cmd.cd(project)
vim.cmd.edit(file)
require("acp_nvim").setup({
  agents = { claude = { command = command[1], args = vim.list_slice(command, 2) } },
  default_agent = "claude",
  review = { auto_open = false },
})
"""


class Stage:
    def __init__(self, editor: Editor, folder: Path) -> None:
        self._editor, self._screen, self.folder = editor, editor.screen, folder

    def start(self, files: dict[str, str], rules: list[Rule]) -> None:
        """Open the first file in ~/orders; the agent that is started by `:Acp` follows the rules."""
        project = self._editor.home / "orders"
        for name, text in files.items():
            (project / name).parent.mkdir(parents=True, exist_ok=True)
            (project / name).write_text(text)
        agent = script(self.folder, *rules)
        self._editor.lua(START, str(project), next(iter(files)), agent.argv)

    def press(self, keys: str) -> None:
        """Type keys in the notation of mappings."""
        self._editor.type(keys)
        self.settle()

    def play(self, scene: list[str]) -> None:
        """Each is keys, or `wait:TEXT`: go on once the text is on the screen."""
        for keys in scene:
            if keys.startswith("wait:"):
                self._screen.expect(keys.removeprefix("wait:"))
                self.settle()
                self.advance(1)  # a question that is answered has been there for a while
            else:
                self.press(keys)

    def advance(self, seconds: float) -> None:
        self._editor.lua("_G.advance(...)", round(seconds * 1000))

    def put_on(self, scheme: str) -> Look:
        put_on(self._editor, scheme)
        return self.settle()

    def is_running(self) -> bool:
        return bool(self._editor.lua("return require('acp_nvim').status().state == 'running'"))

    def look(self) -> Look:
        return look_at(self._screen)

    def until(self, condition: Callable[[], bool]) -> None:
        self._screen.expect(lambda _: condition(), what="what is awaited")

    def settle(self) -> Look:
        """Wait until nothing changes any more; what is on the screen then."""
        seen = self.look()
        while self._screen.wait_for(lambda: self.look() != seen, QUIET):  # noqa: B023
            seen = self.look()
        return seen


@contextmanager
def stage(nvim: Path, scheme: str, size: tuple[int, int]) -> Iterator[Stage]:
    folder = Path(tempfile.mkdtemp(prefix="stage"))
    editor = Editor(nvim.absolute(), folder / "editor", init=CLOCK + OPTIONS, size=size, asked="keep")
    try:
        shown = Stage(editor, folder)
        shown.put_on(scheme)
        yield shown
    finally:
        editor.close()
        shutil.rmtree(folder)
