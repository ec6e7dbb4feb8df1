"""The steps of random stories: each is one thing that a user, the agent or another program does.

A step changes the model of what must be there, and returns False if it makes no sense now.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable

from tests.agent.processes import parent
from tests.real.random_story import GO_TO, RandomStory
from tests.steps.conversation import expect_answerable
from tests.steps.processes import find_backend

SET_ASIDE = """
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    local lines = vim.api.nvim_buf_is_loaded(buf) and vim.api.nvim_buf_get_lines(buf, 0, -1, false) or {}
    if vim.list_contains(lines, ...) then return true end
  end
  return false
"""


class RandomSteps(RandomStory):
    # --- the user's steps

    def types_a_line(self) -> None:
        self.say(f"the user types {self.type_line()}")

    def saves(self) -> None:
        self.say("the user saves")
        self.in_file(":write<CR>")
        self.story.until(lambda: self.on_disk() == self.lines())

    def gives_up_unsaved_lines(self) -> bool | None:
        if not self.is_modified():
            return False
        self.say("the user types :e!")
        disk = self.on_disk()
        self.in_file(":edit!<CR>")
        self.text.lines = disk
        return None

    def goes_back_and_forth(self) -> None:
        """`u` takes one step back, and no two lines of the user's, each typed by itself; `<C-r>` brings it back."""
        self.say("the user types u and <C-r>")
        before = list(self.text.lines)
        self.in_file("u")
        self.editor.expect_lua("return vim.api.nvim_get_mode().blocking", False)
        self.in_file("<C-r>")
        self.text.lines = before

    def takes_back_a_step(self) -> None:
        before = self.text.users_lines()
        self.in_file("u")
        self.editor.expect_lua("return vim.fn.mode()", "n")
        self.text.lines = self.lines()
        after = self.text.users_lines()
        self.say(f"the user types u: {sorted(set(before) ^ set(after))}")

    def undoes_a_hunk(self) -> bool | None:
        if not (pending := self.text.pending()):
            return False
        line = self.chance.choice(pending)
        self.say(f"the user undoes {line}")
        self.in_file(f"/^{line}$<CR>:Acp undo<CR>")
        self.text.undo(line)
        return None

    def undoes_the_turn(self) -> bool | None:
        if not self.text.turn or not set(self.text.turn) <= set(self.text.pending()):
            return False
        self.say(f"the user undoes the turn of {self.text.turn}")
        self.in_file(":Acp undo turn<CR>")
        for line in self.text.turn:
            self.text.undo(line)
        return None

    def keeps_a_hunk(self) -> bool | None:
        if not (pending := self.text.pending()):
            return False
        line = self.chance.choice(pending)
        self.say(f"the user keeps {line}")
        self.in_file(f"/^{line}$<CR>:Acp keep<CR>")
        self.text.kept.add(line)
        return None

    # --- the agent's turns

    def has_an_edit_taken(self, types: bool = True) -> bool | None:
        if not self.text.has_rows("agent"):
            return False
        rows, lines = self.agent_lines(self.chance.choice([1, 2]))
        self.say(f"the agent edits {rows} to {lines}, the user takes it")
        self.asks_edit(rows, lines)
        if types and self.chance.random() < 0.5:
            self.say(f"  and types {self.type_line()} before the answer")
        self.editor.type(":Acp diff<CR>")
        self.editor.expect_lua(GO_TO, True, "right")
        self.accepts()
        self.turn_ends("end_turn")
        self.text.agent_writes(dict(zip(lines, rows, strict=True)))
        return None

    def has_an_edit_refused(self) -> bool | None:
        if not self.text.has_rows("agent"):
            return False
        rows, lines = self.agent_lines(1)
        self.say(f"the agent wants to edit {rows} to {lines}, the user refuses")
        self.asks_edit(rows, lines)
        expect_answerable(self.editor)
        self.editor.type("<C-\\><C-n>:Acp reject<CR>")
        self.turn_ends()
        self.text.refused |= set(lines)
        return None

    def decides_hunk_by_hunk(self) -> bool | None:
        """Of three hunks the first is taken, the second refused, the third edited."""
        if not self.text.has_rows("agent"):
            return False
        rows, lines = self.agent_lines(3)
        edited = self.text.mark("edited")
        self.say(f"the agent edits {rows} to {lines}, the user takes the first, and {edited} for the last")
        self.asks_edit(rows, lines)
        self.edits_the_right_side(lines[2], edited)
        expect_answerable(self.editor)
        self.editor.type(":write<CR>")
        self.turn_ends("end_turn")
        self.text.agent_writes({lines[0]: rows[0]})
        self.text.replace(rows[2], edited)  # which is the user's
        self.text.refused |= {*lines[1:]}
        return None

    def edits_the_right_side(self, last: str, edited: str) -> None:
        if not self.editor.lua(GO_TO, "right"):
            self.editor.type("<C-\\><C-n>:Acp diff<CR>")
            self.editor.expect_lua(GO_TO, True, "right")
        self.editor.type(f"<C-\\><C-n>gg]c]cdo/^{last}$<CR>cc{edited}<Esc>")
        self.editor.expect_lua("return vim.fn.getline('.')", edited)

    def runs_a_command(self) -> bool | None:
        """A command changes the file where no tool call names it."""
        if not self.text.has_rows("agent"):
            return False
        (row,), (line,) = self.agent_lines(1)
        self.say(f"a command of the agent makes {line} of {row}")
        self.prompt(f"shell sed -i 's/^{row}$/{line}/' {{}}/notes.txt", "say It has run.")
        self.story.asked()
        self.accepts()
        self.turn_ends("end_turn")
        self.text.agent_writes({line: row})
        self.text.turn = []
        return None

    def edits_beside_another_program(self) -> bool | None:
        """Another program changes the file on disk before the turn; Neovim has not looked."""
        if not self.text.has_rows("other"):
            return False
        (row,), line = self.text.take_rows("other"), self.text.mark("other")
        if row not in self.on_disk():
            return False
        self.say(f"another program makes {line} of {row}")
        self.notes.write_text(self.notes.read_text().replace(f"{row}\n", f"{line}\n"))
        self.text.replace(row, line)
        return self.has_an_edit_taken(
            types=False
        )  # the first unsaved line over a stale text would be a conflict

    # --- what goes wrong

    def cancels(self) -> None:
        self.begins_to_talk()
        self.say(f"the user cancels a turn, and types {self.type_line()}")
        self.editor.type(":Acp cancel<CR>")
        self.turn_ends("cancelled")

    def cancels_a_question(self) -> bool | None:
        if not self.text.has_rows("agent"):
            return False
        rows, lines = self.agent_lines(1)
        self.say(f"the user cancels a turn that asks for {lines}")
        self.asks_edit(rows, lines)
        self.editor.type("<C-\\><C-n>:Acp cancel<CR>")
        self.turn_ends("cancelled")
        self.text.refused |= set(lines)
        return None

    def kills(self, pids: list[int]) -> None:
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        if self.chance.random() < 0.5:
            self.say(f"  and the user types {self.type_line()}")
        self.turn_ends()
        if self.chance.random() < 0.5:
            self.undoes_a_hunk()
            self.check()
        self.new_session("new")

    def backend(self) -> list[int]:
        return [find_backend(self.editor)]

    def agents(self) -> list[int]:
        (backend,) = self.backend()
        return [pid for pid in self.editor.pids() if parent(pid) == backend]

    def loses_the_backend_in_a_turn(self) -> None:
        self.begins_to_talk()
        self.say(f"the backend is killed in a turn, while the user types {self.type_line()}")
        self.kills(self.backend())

    def loses_the_agent_in_a_turn(self) -> None:
        self.begins_to_talk()
        self.say("the agent is killed in a turn")
        self.kills(self.agents())

    def loses_the_backend_in_a_decision(self) -> bool | None:
        """What the user has written on the right side is somewhere afterwards."""
        return self._loses_in_a_decision("the backend", self.backend)

    def loses_the_agent_in_a_decision(self) -> bool | None:
        return self._loses_in_a_decision("the agent", self.agents)

    def _loses_in_a_decision(self, who: str, pids: Callable[[], list[int]]) -> bool | None:
        if not self.text.has_rows("agent"):
            return False
        rows, lines = self.agent_lines(3)
        edited = self.text.mark("edited")
        self.say(f"{who} is killed while the user decides on {lines} and has written {edited}")
        self.asks_edit(rows, lines)
        self.edits_the_right_side(lines[2], edited)
        for pid in pids():
            os.kill(pid, signal.SIGKILL)
        self.turn_ends()
        self.text.refused |= {*lines, edited}
        self.editor.expect_lua(SET_ASIDE, True, edited)
        if self.editor.lua(GO_TO, "right"):
            self.editor.type("<C-\\><C-n>:bwipeout!<CR>")
        self.check()
        self.new_session("new")
        return None

    def opens_a_second_session(self) -> None:
        self.say("the user opens another session")
        self.new_session("new")


STEPS: list[Callable[[RandomSteps], bool | None]] = [
    RandomSteps.types_a_line,
    RandomSteps.types_a_line,
    RandomSteps.saves,
    RandomSteps.gives_up_unsaved_lines,
    RandomSteps.goes_back_and_forth,
    RandomSteps.takes_back_a_step,
    RandomSteps.undoes_a_hunk,
    RandomSteps.undoes_the_turn,
    RandomSteps.keeps_a_hunk,
    RandomSteps.has_an_edit_taken,
    RandomSteps.has_an_edit_refused,
    RandomSteps.decides_hunk_by_hunk,
    RandomSteps.decides_hunk_by_hunk,
    RandomSteps.runs_a_command,
    RandomSteps.edits_beside_another_program,
    RandomSteps.cancels,
    RandomSteps.cancels_a_question,
    RandomSteps.loses_the_backend_in_a_turn,
    RandomSteps.loses_the_agent_in_a_turn,
    RandomSteps.loses_the_backend_in_a_decision,
    RandomSteps.loses_the_agent_in_a_decision,
    RandomSteps.opens_a_second_session,
]
