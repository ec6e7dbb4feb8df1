"""A story at random: tells steps (random_steps.py), and looks after each whether all is as it must be.

The whole text of each buffer is compared with the model, and the refused lines are looked for on disk.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from typing import Any

from tests.functional.screen import within
from tests.real.expected_text import WHOLE, ExpectedText
from tests.real.story import Story
from tests.steps.trees import commit

NAMES = ("notes.txt", "bill.txt", "sub/cart.txt")
SETTLED = 15.0  # seconds in which the buffer has become what it must be
FILE = "local buf = vim.fn.bufnr('^' .. vim.fn.getcwd() .. '/' .. ... .. '$')\n"
LINES = FILE + "return vim.api.nvim_buf_get_lines(buf, 0, -1, false)"
IS_MODIFIED = FILE + "return vim.bo[buf].modified"
MESSAGES = "return vim.api.nvim_exec2('messages', { output = true }).output"
WRONG = re.compile(r"E5108|[Tt]raceback|Error (executing|detected|in)|E\d+: .*(acp_nvim|[Vv]im\()")
GO_TO = """
  local wanted = ...
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    local shown = vim.api.nvim_win_get_buf(win)
    local is_right = vim.wo[win].diff and vim.bo[shown].buftype == "acwrite"
    local is_file = vim.bo[shown].buftype == "" and vim.fn.bufname(shown):find("%.txt$")
    if wanted == "right" and is_right or wanted == "file" and is_file then
      vim.api.nvim_set_current_win(win)
      return true
    end
  end
  return false
"""
Step = Callable[[Any], bool | None]  # False: it makes no sense now


class RandomStory:
    def __init__(self, story: Story, seed: int) -> None:
        self.story, self.editor = story, story.editor
        self.chance, numbers = random.Random(seed), count(1)
        self.texts = {name: ExpectedText(self.chance, numbers) for name in NAMES}
        self.name = NAMES[0]  # of the file that the next step is about
        self.session = 1
        (story.project / "sub").mkdir()
        for name in NAMES:
            self.path(name).write_text(WHOLE)
        self.is_repository = seed % 2 == 0
        if self.is_repository:
            commit(story.project)
        self.editor.type("<C-\\><C-n><C-w>t:enew<CR>:bwipeout notes.txt<CR>")  # with its undo tree
        self.editor.type("".join(f":edit {name}<CR>" for name in NAMES))
        self.check()

    def tell(self, steps: Sequence[Step], many: int) -> None:
        for _ in range(many):
            self.name = self.chance.choice(NAMES)
            while self.chance.choice(steps)(self) is False:
                self.name = self.chance.choice(NAMES)
            self.check()
        self.end()

    @property
    def text(self) -> ExpectedText:
        return self.texts[self.name]

    # --- what is looked at

    def path(self, name: str = "") -> Path:
        return self.story.project / (name or self.name)

    def lines(self, name: str = "") -> list[str]:
        return list(self.editor.lua(LINES, name or self.name))

    def on_disk(self, name: str = "") -> list[str]:
        return self.path(name).read_text().splitlines()

    def is_modified(self, name: str = "") -> bool:
        return bool(self.editor.lua(IS_MODIFIED, name or self.name))

    def check(self) -> None:
        left = within(SETTLED)
        while wrong := self.wrong():
            assert left() > 0, f"{wrong}\n{self.story.picture()}"
            self.editor.screen.wait_for_anything(0.02)
        messages = str(self.editor.lua(MESSAGES))
        assert not WRONG.search(messages), f"{messages}\n{self.story.picture()}"

    def wrong(self) -> str:
        """Return what is not as it must be."""
        if self.editor.mode()["blocking"]:
            return "Neovim waits for a key"
        return next(filter(None, map(self.wrong_in_file, NAMES)), "")

    def wrong_in_file(self, name: str) -> str:
        lines, disk, text = self.lines(name), self.on_disk(name), self.texts[name]
        if back := text.refused & {*lines, *disk}:
            return f"{name}: refused, and there all the same: {back}"
        if lines != text.lines:
            missing = [line for line in text.lines if line not in lines]
            more = [line for line in lines if line not in text.lines]
            return f"{name}: missing {missing}, too many {more}"
        if not self.is_modified(name) and disk != lines:
            return f"{name}: not modified, but the disk differs: {set(disk) ^ set(lines)}"
        return ""

    # --- what several steps do

    def say(self, step: str) -> None:
        """Tell a step, for who reads why a story failed."""
        print(f"  {step}")

    def in_file(self, keys: str) -> None:
        """Type keys in the window of files."""
        self.editor.type("<C-\\><C-n>")
        self.editor.expect_lua(GO_TO, True, "file")
        self.editor.type(f":buffer {self.name}<CR>{keys}")

    def type_line(self) -> str:
        row, line = self.text.users_row(), self.text.mark("mine")
        self.in_file(f"/^{row}$<CR>o{line}<Esc>")
        self.text.insert(row, line)
        return f"{line} below {row} of {self.name}"

    def prompt(self, *steps: str) -> None:
        self.story.prompt(*steps, session=self.session)

    def asks_edit(self, rows: list[str], lines: list[str]) -> dict[str, Any]:
        """Let the agent ask for one edit of these rows, with all that stands between them on disk."""
        disk = self.on_disk()
        old = disk[disk.index(rows[0]) : disk.index(rows[-1]) + 1]
        new = [dict(zip(rows, lines, strict=True)).get(line, line) for line in old]
        edit = f"edit {{}}/{self.name}::{chr(10).join(old)}\n::{chr(10).join(new)}\n"
        self.prompt(f"read {{}}/{self.name}", edit, "say It is edited.")
        question = self.story.asked()
        assert question["kind"] == "permission", f"{question}\n{self.story.picture()}"
        return question

    def turn_ends(self, *reasons: str) -> None:
        event, data = self.story.next()
        assert event == "AcpTurnEnded", f"{event} {data}\n{self.story.picture()}"
        reason = data.get("stop_reason")
        assert not reasons or reason in reasons, f"{data}\n{self.story.picture()}"

    def accepts(self) -> None:
        """What does not fit into the chat's window is shown by and by, and the command is repeated."""
        count = len(self.editor.acp("questions"))
        while len(self.editor.acp("questions")) >= count > 0:
            self.editor.type("<C-\\><C-n>:Acp accept<CR>")
            self.editor.screen.wait_for_anything(0.2)

    def begins_to_talk(self) -> None:
        before = self.story.chat(self.session).count("word5 ")
        self.prompt("slow 800::0.05")
        self.story.until(lambda: self.story.chat(self.session).count("word5 ") > before)

    def forget_turns(self) -> None:
        for text in self.texts.values():
            text.turn = []

    def agent_writes(self, changes: dict[str, dict[str, str]]) -> None:
        """Put the lines in the place of the rows, in each file, by one turn."""
        self.forget_turns()
        for name, lines in changes.items():
            self.texts[name].agent_writes(lines)

    def agent_lines(self, many: int) -> tuple[list[str], list[str]]:
        return self.text.take_rows("agent", many), [self.text.mark("agent") for _ in range(many)]

    def new_session(self, how: str) -> None:
        before = len(self.editor.events("AcpSessionStarted"))
        self.editor.type(f"<C-\\><C-n>:Acp {how}<CR>")
        self.story.until(lambda: len(self.editor.events("AcpSessionStarted")) > before)
        self.session = self.editor.events("AcpSessionStarted")[-1][1]["session"]
        self.forget_turns()  # `:Acp undo turn` is about the session
        self.editor.type("<C-\\><C-n>")

    # --- the end

    def end(self) -> None:
        """All is saved without a question, and nothing is left behind when Neovim quits."""
        self.say("the user saves and quits")
        self.in_file(":wall<CR>")
        self.story.until(lambda: all(self.on_disk(name) == text.lines for name, text in self.texts.items()))
        self.check()
        self.editor.quit()
        self.editor.assert_no_orphans(10)
        for name, text in self.texts.items():
            assert self.on_disk(name) == text.lines
