"""The steps of random stories: each is one thing that a user, the agent or another program does.

A step changes the model of what must be there, and returns False if it makes no sense now.
"""

from __future__ import annotations

import json
import os
import re
import signal
from collections.abc import Callable, Iterable
from pathlib import Path

from tests.agent.processes import parent
from tests.real.model_script import patch, update
from tests.real.random_story import GO_TO, NAMES, RandomStory
from tests.steps.conversation import expect_answerable
from tests.steps.processes import find_backend

SET_ASIDE = """
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    local lines = vim.api.nvim_buf_is_loaded(buf) and vim.api.nvim_buf_get_lines(buf, 0, -1, false) or {}
    if vim.list_contains(lines, ...) then return true end
  end
  return false
"""
AGENTS_LINE = re.compile(r"agent \d+")
TIDY = r"""import pathlib, re, sys
for name in sys.argv[1:]:
    file = pathlib.Path(name)
    file.write_text(re.sub(r"^agent (?=\d+$)", "Agent ", file.read_text(), flags=re.M))
"""


class RandomSteps(RandomStory):
    # --- the user's steps

    def types_a_line(self) -> None:
        self.say(f"the user types {self.type_line()}")

    def saves(self) -> None:
        self.say(f"the user saves {self.name}")
        self.in_file(":write<CR>")
        self.story.until(lambda: self.on_disk() == self.lines())

    def gives_up_unsaved_lines(self) -> bool | None:
        if not self.is_modified():
            return False
        self.say(f"the user types :e! in {self.name}")
        disk = self.on_disk()
        self.in_file(":edit!<CR>")
        self.text.lines = disk
        return None

    def goes_back_and_forth(self) -> None:
        """`u` takes one step back, and no two lines of the user's, each typed by itself; `<C-r>` brings it back."""
        self.say(f"the user types u and <C-r> in {self.name}")
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
        self.say(f"the user types u in {self.name}: {sorted(set(before) ^ set(after))}")

    def undoes_a_hunk(self) -> bool | None:
        if not (pending := self.text.pending()):
            return False
        line = self.chance.choice(pending)
        self.say(f"the user undoes {line}")
        self.in_file(f"/^{line}$<CR>:Acp undo<CR>")
        self.text.undo(line)
        return None

    def undoes_the_turn(self) -> bool | None:
        texts = [text for text in self.texts.values() if text.turn]
        if not texts or any(not set(text.turn) <= set(text.pending()) for text in texts):
            return False
        self.say(f"the user undoes the turn of {[text.turn for text in texts]}")
        before = [list(text.lines) for text in texts]
        self.in_file(":Acp undo turn<CR>")
        for text in texts:
            text.undo_turn()
        if self.chance.random() < 0.5:
            self.check()
            self.say("  and brings it back")
            self.in_file(":Acp redo<CR>")
            for text, lines in zip(texts, before, strict=True):
                text.lines = lines
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
        self.say(f"the agent edits {rows} to {lines} in {self.name}, the user takes it")
        self.asks_edit(rows, lines)
        if types and self.chance.random() < 0.5:
            self.say(f"  and types {self.type_line()} before the answer")
        self.editor.type(":Acp diff<CR>")
        self.editor.expect_lua(GO_TO, True, "right")
        self.accepts()
        self.turn_ends("end_turn")
        self.agent_writes({self.name: dict(zip(lines, rows, strict=True))})
        return None

    def has_an_edit_refused(self) -> bool | None:
        if not self.text.has_rows("agent"):
            return False
        rows, lines = self.agent_lines(1)
        self.say(f"the agent wants to edit {rows} to {lines} in {self.name}, the user refuses")
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
        self.say(
            f"the agent edits {rows} to {lines} in {self.name}, the user takes the first, and {edited} for the last"
        )
        self.asks_edit(rows, lines)
        self.edits_the_right_side(lines[2], edited)
        expect_answerable(self.editor)
        self.editor.type(":write<CR>")
        self.turn_ends("end_turn")
        self.agent_writes({self.name: {lines[0]: rows[0]}})
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
        self.say(f"a command of the agent makes {line} of {row} in {self.name}")
        self.runs(f"sed -i 's/^{row}$/{line}/' {{}}/{self.name}")
        self.agent_writes({self.name: {line: row}})
        return None

    def formats_the_files(self) -> bool | None:
        """A formatter writes all files in place, and another look at the agent's lines."""
        changes = {name: self.formatted(name) for name in NAMES if self.can_be_formatted(name)}
        if not any(changes.values()):
            return False
        self.say(f"a formatter of the agent's makes {changes}")
        self.runs(self.formatter(changes))
        self.agent_writes(changes)
        return None

    def formatted(self, name: str) -> dict[str, str]:
        return {line.capitalize(): line for line in self.on_disk(name) if AGENTS_LINE.fullmatch(line)}

    def can_be_formatted(self, name: str) -> bool:
        """Not where the user has taken a line back, and not saved: that would be a conflict."""
        return set(self.formatted(name).values()) <= set(self.texts[name].lines)

    def formatter(self, names: Iterable[str]) -> str:
        self.path("tidy.py").write_text(TIDY)
        return f"cd {{}} && python3 tidy.py {' '.join(names)}"

    def moves_a_file(self) -> bool | None:
        """By git, where there is a repository, and changes a line of it. The next turn moves it back, or undo does."""
        if not self.text.has_rows("agent"):
            return False
        (row,), (line,) = self.agent_lines(1)
        new, mv = f"moved{line[-3:]}.txt", f"{'git ' * self.is_repository}mv"
        before = self.on_disk()
        self.say(f"the agent runs {mv} {self.name} {new}, and makes {line} of {row}")
        self.runs(f"cd {{}} && {mv} {self.name} {new} && sed -i 's/^{row}$/{line}/' {new}")
        assert not self.path().exists(), self.story.picture()
        assert self.path(new).read_text().splitlines() == [line if each == row else each for each in before]
        self.forget_turns()
        if self.chance.random() < 0.5:
            self.say("  the user undoes that turn")
            self.in_file(":Acp undo turn<CR>")
            self.story.until(self.path().exists)
            self.text.refused.add(line)
        else:
            self.say("  and moves it back")
            self.runs(f"cd {{}} && {mv} {new} {self.name}")
            self.agent_writes({self.name: {line: row}})
            self.forget_turns()
        self.story.until(lambda: not self.path(new).exists())
        return None

    def changes_what_has_no_lines(self) -> None:
        """A mode, a link and a picture go with the turn, come back with it, and go once more."""
        number = self.text.mark("")[1:]
        link, picture = self.path(f"link{number}.txt"), self.path(f"picture{number}.bin")
        self.say(f"the agent makes {self.name} executable, {link.name} and {picture.name}")
        made = f"ln -s {self.name} {link.name} && printf 'x\\000y' > {picture.name}"
        self.runs(f"cd {{}} && chmod 755 {self.name} && {made}")
        self.forget_turns()
        for command, is_there in (("undo turn", False), ("redo", True), ("undo turn", False)):
            self.say(f"  the user: {command}")
            self.in_file(f":Acp {command}<CR>")
            self.story.until(lambda wanted=[is_there] * 3: self.whats_there(link, picture) == wanted)
            self.check()

    def whats_there(self, *files: Path) -> list[bool]:
        """Return which of these files there are, and whether the file is executable."""
        return [*(os.path.lexists(file) for file in files), os.access(self.path(), os.X_OK)]

    def runs(self, command: str) -> None:
        """The agent runs a command, which it asks for, and which the user allows."""
        self.prompt(f"shell {command}", "say It has run.")
        self.story.asked()
        self.accepts()
        self.turn_ends("end_turn")

    def patches_several_files(self) -> bool | None:
        """One patch for two or three files. The user takes all of it, or looks at each file and refuses some."""
        if self.story.agent != "codex" or not all(text.has_rows("agent") for text in self.texts.values()):
            return False
        names = self.chance.sample(NAMES, self.chance.choice([2, 3]))
        refused = [name for name in names if self.chance.random() < 0.3]
        changes = {}
        for self.name in names:
            (row,), (line,) = self.agent_lines(1)
            changes[self.name] = {line: row}
        formats = not refused and all(map(self.can_be_formatted, names)) and self.chance.random() < 0.5
        self.say(f"the agent patches {changes}, the user refuses {refused}")
        sections = [
            update(f"{{}}/{name}", row, line)
            for name, change in changes.items()
            for line, row in change.items()
        ]
        steps = [f"tool exec_command::{json.dumps({'cmd': patch(*sections)})}"]
        if formats:
            self.say("  and formats the files in the same turn")
            changes = {
                name: {**self.formatted(name), **{line.capitalize(): row for line, row in change.items()}}
                for name, change in changes.items()
            }
            steps.append(f"shell {self.formatter(names)}")
        self.prompt(*steps, "say It is patched.")
        question = self.story.asked()
        assert question["kind"] == "permission", f"{question}\n{self.story.picture()}"
        if refused:
            self.decides_file_by_file(refused)
        else:
            self.accepts()
        if formats:
            self.story.asked()
            self.accepts()
        self.turn_ends()
        for name in refused:
            self.texts[name].refused |= set(changes.pop(name))
        if changes:
            self.agent_writes(changes)
        return None

    def decides_file_by_file(self, refused: list[str]) -> None:
        expect_answerable(self.editor)
        self.editor.type("<C-\\><C-n>:Acp diff<CR>")
        while self.editor.acp("questions"):
            self.editor.expect_lua(GO_TO, True, "right")
            name = str(self.editor.lua("return vim.api.nvim_buf_get_name(0)"))
            keys = "gg]cdo" if any(name.endswith(f"/{each}") for each in refused) else ""
            self.editor.type(f"{keys}:write<CR>")
            here = "return vim.api.nvim_buf_get_name(0) == ..."
            self.editor.expect_lua(here, False, name)

    def edits_beside_another_program(self) -> bool | None:
        """Another program changes the file on disk before the turn; Neovim has not looked."""
        if not self.text.has_rows("other"):
            return False
        (row,), line = self.text.take_rows("other"), self.text.mark("other")
        if row not in self.on_disk():
            return False
        self.say(f"another program makes {line} of {row} in {self.name}")
        self.path().write_text(self.path().read_text().replace(f"{row}\n", f"{line}\n"))
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
    RandomSteps.formats_the_files,
    RandomSteps.moves_a_file,
    RandomSteps.changes_what_has_no_lines,
    RandomSteps.patches_several_files,
    RandomSteps.patches_several_files,
    RandomSteps.edits_beside_another_program,
    RandomSteps.cancels,
    RandomSteps.cancels_a_question,
    RandomSteps.loses_the_backend_in_a_turn,
    RandomSteps.loses_the_agent_in_a_turn,
    RandomSteps.loses_the_backend_in_a_decision,
    RandomSteps.loses_the_agent_in_a_decision,
    RandomSteps.opens_a_second_session,
]
