"""A story at random: tells steps (random_steps.py), and looks after each whether all is as it must be.

The whole text of the buffer is compared with the model, and the refused lines are looked for on disk.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from typing import Any

from tests.functional.screen import within
from tests.real.expected_text import WHOLE, ExpectedText
from tests.real.story import Story

SETTLED = 15.0  # seconds in which the buffer has become what it must be
FILE = "local buf = vim.fn.bufnr('^' .. vim.fn.getcwd() .. '/notes.txt$')\n"
LINES = FILE + "return vim.api.nvim_buf_get_lines(buf, 0, -1, false)"
IS_MODIFIED = FILE + "return vim.bo[buf].modified"
MESSAGES = "return vim.api.nvim_exec2('messages', { output = true }).output"
WRONG = re.compile(r"E5108|[Tt]raceback|Error (executing|detected|in)|E\d+: .*(acp_nvim|[Vv]im\()")
GO_TO = f"""
  {FILE}
  local wanted = ...
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    local shown = vim.api.nvim_win_get_buf(win)
    local is_right = vim.wo[win].diff and vim.bo[shown].buftype == "acwrite"
    if wanted == "right" and is_right or wanted == "file" and shown == buf then
      vim.api.nvim_set_current_win(win)
      return true
    end
  end
  return false
"""
Step = Callable[[Any], bool | None]  # False: it makes no sense now


class RandomStory:
    def __init__(self, story: Story, seed: int) -> None:
        self.story, self.editor, self.notes = story, story.editor, story.notes
        self.chance = random.Random(seed)
        self.text = ExpectedText(self.chance)
        self.told: list[str] = []  # the steps so far
        self.session = 1
        self.notes.write_text(WHOLE)
        self.editor.type("<C-\\><C-n><C-w>t:edit!<CR>")
        self.check()

    def tell(self, steps: Sequence[Step], many: int) -> None:
        for _ in range(many):
            step = self.chance.choice(steps)
            while step(self) is False:
                step = self.chance.choice(steps)
            self.check()
        self.end()

    # --- what is looked at

    def lines(self) -> list[str]:
        return list(self.editor.lua(LINES))

    def on_disk(self) -> list[str]:
        return self.notes.read_text().splitlines()

    def is_modified(self) -> bool:
        return bool(self.editor.lua(IS_MODIFIED))

    def check(self) -> None:
        left = within(SETTLED)
        while wrong := self.wrong():
            assert left() > 0, f"{wrong}\n{self.account()}"
            self.editor.screen.wait_for_anything(0.02)
        messages = str(self.editor.lua(MESSAGES))
        assert not WRONG.search(messages), f"{messages}\n{self.account()}"

    def wrong(self) -> str:
        """Return what is not as it must be."""
        if self.editor.mode()["blocking"]:
            return "Neovim waits for a key"
        lines, disk = self.lines(), self.on_disk()
        if back := self.text.refused & {*lines, *disk}:
            return f"refused, and there all the same: {back}"
        if lines != self.text.lines:
            missing = [line for line in self.text.lines if line not in lines]
            return f"missing {missing}, too many {[line for line in lines if line not in self.text.lines]}"
        if not self.is_modified() and disk != lines:
            return f"not modified, but the disk differs: {set(disk) ^ set(lines)}"
        return ""

    def account(self) -> str:
        return "\n".join(["the story so far:", *self.told, self.story.picture()])

    # --- what several steps do

    def say(self, step: str) -> None:
        self.told.append(f"  {step}")

    def in_file(self, keys: str) -> None:
        """Type keys in the file's window."""
        self.editor.type("<C-\\><C-n>")
        self.editor.expect_lua(GO_TO, True, "file")
        self.editor.type(keys)

    def type_line(self) -> str:
        row, line = self.text.users_row(), self.text.mark("mine")
        self.in_file(f"/^{row}$<CR>o{line}<Esc>")
        self.text.insert(row, line)
        return f"{line} below {row}"

    def prompt(self, *steps: str) -> None:
        self.story.prompt(*steps, session=self.session)

    def asks_edit(self, rows: list[str], lines: list[str]) -> dict[str, Any]:
        """Let the agent ask for one edit of these rows, with all that stands between them on disk."""
        disk = self.on_disk()
        old = disk[disk.index(rows[0]) : disk.index(rows[-1]) + 1]
        new = [dict(zip(rows, lines, strict=True)).get(line, line) for line in old]
        edit = f"edit {{}}/notes.txt::{chr(10).join(old)}\n::{chr(10).join(new)}\n"
        self.prompt("read {}/notes.txt", edit, "say It is edited.")
        question = self.story.asked()
        assert question["kind"] == "permission", f"{question}\n{self.account()}"
        return question

    def turn_ends(self, *reasons: str) -> None:
        event, data = self.story.next()
        assert event == "AcpTurnEnded", f"{event} {data}\n{self.account()}"
        reason = data.get("stop_reason")
        assert not reasons or reason in reasons, f"{data}\n{self.account()}"

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

    def agent_lines(self, many: int) -> tuple[list[str], list[str]]:
        return self.text.take_rows("agent", many), [self.text.mark("agent") for _ in range(many)]

    def new_session(self, how: str) -> None:
        before = len(self.editor.events("AcpSessionStarted"))
        self.editor.type(f"<C-\\><C-n>:Acp {how}<CR>")
        self.story.until(lambda: len(self.editor.events("AcpSessionStarted")) > before)
        self.session = self.editor.events("AcpSessionStarted")[-1][1]["session"]
        self.text.turn = []  # `:Acp undo turn` is about the session
        self.editor.type("<C-\\><C-n>")

    # --- the end

    def end(self) -> None:
        """All is saved without a question, and nothing is left behind when Neovim quits."""
        self.say("the user saves and quits")
        self.in_file(":write<CR>")
        self.story.until(lambda: self.on_disk() == self.text.lines)
        self.check()
        self.editor.quit()
        self.editor.assert_no_orphans(10)
        assert self.on_disk() == self.text.lines
