"""Any story of a file in review in Neovim, against the model: the same texts, hunks, authors and reports."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.functional.editor import Editor
from tests.functional.review_driver import DRIVER, Lua, author
from tests.model.reviewed_file import File
from tests.model.stack import Author, Edit, State, Text

STORIES = int(os.environ.get("ACP_STORIES", "200"))
# Of 20,000 stories four differ: what was kept waits once more in a state of before, after the undo of a turn.
KINDS = ("user", "user", "write", "write", "write", "allowed", "keep", "undo", "turn", "go", "go", "report")


@pytest.fixture(scope="module")
def neovim(program: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    """One for all stories."""
    with closing(Editor(program, tmp_path_factory.mktemp("model"))) as editor:
        editor.lua(DRIVER)
        yield editor


class Story:
    """Every line is unlike any other, and tells whose it is."""

    def __init__(self, neovim: Editor, seed: int) -> None:
        self.random, self.count, self.told = random.Random(seed), 0, list[str]()
        self.redoes, self.restarts, self.first_moment = random.Random(seed), random.Random(seed), 0
        start = tuple(f"first {n}" for n in range(self.random.randint(0, 9)))
        self.file, self.real = File(start), Lua(neovim, list(start))
        # the states before and after a turn was undone, while nothing else was decided and nobody else wrote
        self.undone: tuple[State, State] | None = None

    def edits(self, whose: str) -> list[Edit]:
        """One, or two that do not touch."""
        self.count += 1
        size, r = len(self.file.state.live), self.random
        first, last = sorted(r.randint(0, size) for _ in "12")
        last = min(last, first + r.randint(0, 3))
        news = tuple(f"{whose} {self.count}.{n}" for n in range(r.randint(first == last, 3)))
        edits = [Edit(first, last, news)]
        if r.random() < 0.3 and last + 2 < size:
            edits.append(Edit(last + 2, last + 3, (f"{whose} {self.count}.x",)))
        return edits

    def step(self) -> None:
        if self.undone and self.redoes.random() < 0.4:
            self.redo(*self.undone)
        waiting = [turn.by for turn in self.file.state.turns if not turn.allowed]
        if waiting and self.redoes.random() < 0.1:
            self.keep_turn(self.redoes.choice(waiting))
        if self.restarts.random() < 0.08:
            self.restart()
        kind, r, file = self.random.choice(KINDS), self.random, self.file
        by = (r.randint(1, 2), r.randint(1, 2))
        hunks = file.state.hunks
        chosen = sorted(r.sample(range(len(hunks)), r.randint(1, len(hunks)))) if hunks else []
        ids = [self.real.pending[n].id for n in chosen]
        file.save()
        if kind in ("write", "allowed", "keep", "undo"):
            self.undone = None
        if kind == "user":
            edits = self.edits("user")
            file.user(edits)
            self.run(kind, edits)
        elif kind in ("write", "allowed"):
            edits = self.edits(f"agent {by}")
            file.agent(edits, by, kind == "allowed")
            self.run("write", edits, author(*by), kind == "allowed")
        elif kind == "turn":
            if any(turn.by == by for turn in file.state.turns):
                before = file.state
                file.undo_turn(by)
                self.undone = before, file.state
                self.run("undo_turn", *by)
        elif kind == "go":
            moment = r.randrange(len(file.moments))
            if moment >= self.first_moment:
                file.go_to(moment)
                self.run(kind, None, moment, at=moment)
        elif kind == "report":
            if by[0] in file.told:
                self.check_report(by[0])
        elif chosen and kind == "keep":
            file.keep(*(hunks[n] for n in chosen))
            self.run(kind, ids)
        elif chosen:
            file.undo(*(hunks[n] for n in chosen))
            self.run(kind, ids)

    def keep_turn(self, by: Author) -> None:
        """No state of before is gone back to then: as after any keep, lines that have gone since pair by guess."""
        self.undone, self.first_moment = None, len(self.file.moments) - 1
        self.file.save()
        self.file.keep_turn(by)
        self.run("keep_turn", *by)

    def redo(self, before: State, after: State) -> None:
        """Unless `u` has led to a state that has the turn, or other turns than were left."""
        if not {turn.by for turn in self.file.state.turns} <= {turn.by for turn in after.turns}:
            return
        self.undone = None
        self.file.save()
        self.file.undo_restore(before, after)
        self.run("redo")

    def restart(self) -> None:
        """What the next Neovim reads is what was saved; of `u` and of what agents know it has nothing."""
        self.file.save()
        self.file = File.load(self.file.dump(), self.file.saved.live)
        self.file.told = {}
        self.undone, self.first_moment = None, 0
        self.run("restart", at=0)

    def check_report(self, session: int) -> None:
        """All of the agent's lines that are gone, and nothing false."""
        without, known = self.file.told[session]
        live = self.file.state.live
        minus, plus = self.run("report", session)
        assert {*minus} == {*known} - {*without} - {*live}
        assert {*plus} <= {*live}
        self.file.report(session)

    def check_restore(self) -> None:
        """No line of the user's goes, and nothing of what is pending stays."""
        live, state = self.file.state.live, self.file.state
        restored = self.real.restored(1)
        assert {line for line in live if line.startswith("user")} <= {*restored}
        pending = {line for hunk in state.hunks for line in live[hunk.j1 : hunk.j2]} - {*state.reviewed}
        assert not pending & {line for line in restored if not line.startswith("user")}

    def run(self, kind: str, *arguments: Any, at: int | None = None) -> Any:
        self.told.append(f"{kind} {arguments}")
        state = self.file.state
        if at is None:
            at = self.real.at if kind in ("keep", "keep_turn", "report") else len(self.file.moments) - 1
        answer = self.real.drive(kind, *arguments, at=at)
        assert tuple(self.real.lines) == state.live
        found = [
            (hunk.row, tuple(hunk.old), tuple(hunk.new), [(s, t) for s, t, _ in hunk.authors])
            for hunk in self.real.pending
        ]
        assert found == wanted_hunks(state)
        assert tuple(self.real.reviewed) == state.reviewed
        return answer


def wanted_hunks(state: State) -> list[tuple[int, Text, Text, list[Author]]]:
    return [
        (hunk.j1, state.reviewed[hunk.i1 : hunk.i2], state.live[hunk.j1 : hunk.j2], state.authors(hunk))
        for hunk in state.hunks
    ]


@pytest.mark.parametrize("part", range(4))
def test_any_story_is_as_the_model_has_it(neovim: Editor, part: int) -> None:
    for seed in range(part, STORIES, 4):
        story = Story(neovim, seed)
        try:
            for _ in range(story.random.randint(1, 16)):
                story.step()
            story.check_restore()
        except AssertionError as error:
            raise AssertionError(f"seed {seed}:\n" + "\n".join(story.told)) from error
