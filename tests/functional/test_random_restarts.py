"""Stories at random over several lives of Neovim: an agent writes, the user edits and decides, Neovim quits or is
killed. What waits in the next life is what the model has."""

import os
import random
import signal
from pathlib import Path

import pytest

from tests.fakes.script import Step, obey, on, on_prompt, result, wait_until, write_file
from tests.functional.editor import Editor
from tests.model.reviewed_file import File
from tests.model.stack import Edit, apply, in_place_of
from tests.steps.files import LINES, NOTES, join_lines, read, read_and_edit, write
from tests.steps.restarts import Open, begin, records
from tests.steps.trees import git

SEEDS = range(int(os.environ.get("ACP_STORIES", "50")) // 12)
LIVES, STEPS = 4, 4
PENDING = """local found = {}
for _, file in ipairs(require('acp_nvim').changes({ all = true })) do
  for _, hunk in ipairs(file.hunks) do
    if hunk.state == 'pending' then found[#found + 1] = { hunk.first, hunk.old, hunk.new, hunk.id } end
  end
end
table.sort(found, function(one, other) return one[1] < other[1] end)
return vim.tbl_map(function(each) return { each[2], each[3], each[4] } end, found)"""


class Lives:
    def __init__(self, open_editor: Open, tmp_path: Path, seed: int) -> None:
        self.open, self.folder, self.random, self.count = open_editor, tmp_path, random.Random(seed), 0
        self.orders, self.work, self.told = tmp_path / "orders", tmp_path / "work", list[str]()
        self.work.mkdir()
        git(self.work, "init", "-q")
        self.life = 0
        self.path = self.work / "notes.txt"
        self.file = File(tuple(f"first{n}" for n in range(8)))
        self.path.write_text(join_lines(list(self.file.state.live)))
        self.editor: Editor

    def tell(self) -> None:
        try:
            for life in range(1, LIVES + 1):
                self.begin()
                for _ in range(STEPS):
                    self.random.choice([self.agent, self.agent, self.user, self.undo, self.keep])(life)
                    self.check()
                self.end()
            self.begin()
            self.editor.type(":Acp undo all<CR>")
            self.file.undo(*self.file.state.hunks)
            self.check()
        except AssertionError as error:
            raise AssertionError("\n".join([str(error), *self.told])) from error

    def begin(self) -> None:
        self.turn, self.life = 0, self.life + 1
        name = on("session/new", result({"sessionId": f"life {self.life}"}))
        rules = name, on_prompt("", obey(str(self.orders)))
        self.editor = begin(self.open, self.folder, self.work, *rules)
        self.editor.expect_lua(LINES, list(self.file.state.live))
        self.check()
        self.editor.acp("new_session")
        self.editor.wait_event("AcpSessionStarted")

    def end(self) -> None:
        how = self.random.choice(["quit", "kill", "kill"])
        self.told.append(how)
        self.editor.lua("require('acp_nvim.project.records').flush()")
        if how == "quit":
            self.editor.quit()
        else:
            self.editor.kill(signal.SIGKILL)
        self.file = File.load(self.file.dump(), self.file.saved.live)

    def check(self) -> None:
        """Hunks of two turns that touch are one, where the model has two: so the lines are compared."""
        state = self.file.state
        old = [line for hunk in state.hunks for line in state.reviewed[hunk.i1 : hunk.i2]]
        new = [line for hunk in state.hunks for line in state.live[hunk.j1 : hunk.j2]]
        self.told.append(f"  waits: {old} {new}")
        self.editor.expect_lua(LINES, list(state.live))
        self.editor.expect_lua(
            PENDING,
            lambda found: [[line for hunk in found for line in hunk[n]] for n in (0, 1)] == [old, new],
        )
        assert self.path.read_text() == join_lines(list(state.live))

    def edit(self, whose: str) -> Edit:
        self.count += 1
        lines = self.file.state.live
        row, kind = self.random.randrange(len(lines)), self.random.choice(["change", "add", "take out"])
        if kind == "take out" and len(lines) > 3:
            return Edit(row, row + 1, ())
        if kind == "change":
            return Edit(row, row + 1, (in_place_of(whose, self.count, lines[row]),))
        return Edit(row + 1, row + 1, (f"{whose}_{self.count}",))

    def agent(self, life: int) -> None:
        self.turn += 1
        edit = self.edit("agent")
        lines = list(apply(self.file.state.live, [edit]))
        through_us = self.random.random() < 0.5
        self.told.append(f"agent {life}.{self.turn}, {through_us=}: {lines}")
        text = join_lines(lines)
        steps: list[Step] = (
            [read(NOTES), write(NOTES, text)] if through_us else read_and_edit(NOTES, write_file(NOTES, text))
        )
        self.editor.acp("prompt", "go")
        with self.orders.open("w") as file:
            import json

            file.writelines(json.dumps(step) + "\n" for step in [*steps, ["end"]])
        self.editor.wait_event("AcpTurnEnded")
        wait_until(lambda: not records(self.folder, "running"))
        self.orders.write_text("")
        self.file.agent([edit], (life, self.turn))
        self.file.save()

    def user(self, _life: int) -> None:
        edit = self.edit("user")
        self.told.append(f"user: {edit}")
        keys = {(1, 0): f"{edit.first + 1}Gdd", (1, 1): f"{edit.first + 1}Gcc", (0, 1): f"{edit.first}Go"}
        typed = keys[edit.last - edit.first, len(edit.lines)]
        self.editor.type(f"{typed}{edit.lines[0]}<Esc>" if edit.lines else typed)
        self.editor.type(":write<CR>")
        self.file.user([edit])
        self.file.save()

    def decide(self, verb: str) -> None:
        state = self.file.state
        if not state.hunks:
            return
        old, new, id = self.random.choice(self.editor.lua(PENDING))
        self.told.append(f"{verb} {old} {new}")
        assert self.editor.acp(verb, id) is True
        chosen = [
            hunk
            for hunk in state.hunks
            if {*state.reviewed[hunk.i1 : hunk.i2], *state.live[hunk.j1 : hunk.j2]} <= {*old, *new}
        ]
        (self.file.keep if verb == "keep" else self.file.undo)(*chosen)
        self.file.save()

    def undo(self, _life: int) -> None:
        self.decide("undo")

    def keep(self, _life: int) -> None:
        self.decide("keep")


@pytest.mark.parametrize("seed", SEEDS)
def test_any_lives(open_editor: Open, tmp_path: Path, seed: int) -> None:
    Lives(open_editor, tmp_path, seed).tell()
