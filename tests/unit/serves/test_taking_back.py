"""Hunks that are taken back, come back by the user's own undo, and are taken back once more."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from acp_nvim.editor.interface import wire
from acp_nvim.messages.calls import Call
from acp_nvim.serves.review import Review
from acp_nvim.serves.sight import Doer
from tests.fakes.files import FakeBuffer, FileEditor
from tests.unit.serves.conftest import Agent

OLD = [f"line {n}" for n in range(1, 10)]
NEW = [*OLD[:1], "TWO", *OLD[2:4], "new", *OLD[4:]]


class _Followed(FileEditor):
    """Tells of its buffers' rows."""

    def __init__(self) -> None:
        super().__init__()
        self.heard: Callable[[dict[str, Any]], None] = lambda message: None
        self._seq = 0

    def wake(self, at_once: bool = False) -> None:
        pass

    async def call(self, call: Call | str, *arguments: Any) -> Any:
        said = await super().call(call, *arguments)
        name, *arguments = wire(call, *arguments)
        if name in ("file_apply", "file_reload", "file_remove") and "ok" in said:
            buffer = self._numbered(arguments[0])
            self.say(buffer, asked=True, ours=True, void=buffer.is_void)
        return said

    def say(self, buffer: FakeBuffer, *edits: Any, **more: Any) -> None:
        self._seq += 1
        said = {"path": buffer.path, "buf": buffer.number, "seq": self._seq, "tick": buffer.tick}
        self.heard({**said, "edits": list(edits), **more})


class User:
    """Has a file open that the agent has changed in two places."""

    def __init__(self, root: Path) -> None:
        self.path = root / "a.txt"
        self.path.write_text(_text(OLD))
        self._editor = _Followed()
        self._agent = Agent(root, self._editor)
        self.buffer = self._editor.open(self.path)
        self.review = Review(self._editor, self._agent.files, lambda *_: None, lambda path: None)
        self._editor.heard = self.review.edited
        self._states: dict[int, str] = {}

    async def get(self, lines: list[str]) -> list[int]:
        """The agent has written them; what is pending then."""
        await self._agent.write(self.path, _text(lines))
        return self.pending

    @property
    def pending(self) -> list[int]:
        """As the editor has been told in all."""
        for _, _, news in (each.wire() for each in self.review.news()):
            self._states.update(dict.fromkeys(news["gone"], "gone"))
            self._states.update({hunk["id"]: hunk["state"] for hunk in news["set"]})
        return [key for key, state in self._states.items() if state == "pending"]

    async def delete(self) -> None:
        """By the agent, which looks at what the user has then."""
        self.path.unlink()
        self.review.on_changed(Doer(self._agent.session, "agent", 1), str(self.path), _text(OLD), None)
        await self._agent.read(self.path)

    def undo(self) -> None:
        self._does(self.buffer.undo)

    def type(self, lines: list[str]) -> None:
        self._does(lambda: self.buffer.edit(lines))

    def _does(self, change: Callable[[], None]) -> None:
        count = len(self.buffer.lines)
        change()
        self._editor.say(self.buffer, [0, count, self.buffer.lines])

    @property
    def disk(self) -> list[str]:
        return self.path.read_text().splitlines()


def _text(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


@pytest.fixture
def user(tmp_path: Path) -> User:
    return User(tmp_path)


@pytest.mark.parametrize("first", [1, 2])
async def test_what_comes_back_by_undo_is_taken_back_again(user: User, first: int) -> None:
    ids = await user.get(NEW)
    assert await user.review.undo(ids[:first]) == (first, [])
    user.undo()
    assert (user.pending, user.buffer.lines, user.buffer.modified) == (ids, NEW, True)
    assert await user.review.undo(ids) == (2, [])
    assert (user.pending, user.buffer.lines, user.buffer.modified) == ([], OLD, False)
    assert user.disk == OLD
    user.undo()
    assert (user.pending, user.buffer.lines) == (ids, NEW)


@pytest.mark.parametrize("first", [1, 2])
async def test_unsaved_lines_stay_when_it_is_taken_back_again(user: User, first: int) -> None:
    ids = await user.get(NEW)
    await user.review.undo(ids[:first])
    user.undo()
    user.type(["above", *NEW[:-1], "mine"])
    assert await user.review.undo(ids) == (2, [])
    assert (user.pending, user.buffer.lines) == ([], ["above", *OLD[:-1], "mine"])
    assert user.buffer.modified
    assert user.disk == OLD


async def test_what_the_disk_has_got_meanwhile_comes_along(user: User) -> None:
    ids = await user.get(NEW)
    await user.review.undo(ids)
    user.undo()
    user.type([*NEW, "mine"])
    user.path.write_text(_text(["theirs", *OLD[1:]]))
    assert await user.review.undo(ids[1:]) == (1, [])
    assert user.buffer.lines == ["theirs", "TWO", *OLD[2:], "mine"]
    assert user.disk == ["theirs", *OLD[1:]]


@pytest.mark.parametrize("is_back", [True, False])
async def test_an_unsaved_line_beside_it_stays(user: User, is_back: bool) -> None:
    ids = await user.get(NEW)
    if is_back:
        await user.review.undo(ids)
        user.undo()
    user.type([*NEW[:2], "mine", *NEW[2:]])
    assert await user.review.undo(ids[:1]) == (1, [])
    assert user.buffer.lines == [*OLD[:2], "mine", *NEW[2:]]
    assert (user.buffer.modified, user.disk) == (True, OLD if is_back else [*OLD[:2], *NEW[2:]])


async def test_where_it_cannot_be_told_from_unsaved_lines_nothing_is_guessed(user: User) -> None:
    ids = await user.get([*OLD[:2], *OLD[3:]])
    lines = [OLD[0], *OLD[4:]]
    user.type(lines)
    done, [why] = await user.review.undo(ids)
    assert (done, why) == (0, "a.txt: unsaved lines touch it: :w first")
    assert (user.buffer.lines, user.disk) == (lines, [*OLD[:2], *OLD[3:]])


async def test_a_deleted_file_that_the_agent_writes_again_is_not_there_twice(user: User) -> None:
    user.type([*OLD, "mine"])
    await user.delete()
    assert len(user.pending) == 1
    ids = await user.get([*NEW, "mine"])
    assert await user.review.undo(ids) == (2, [])
    assert (user.pending, user.buffer.lines, user.disk) == ([], [*OLD, "mine"], [*OLD, "mine"])


async def test_unsaved_lines_of_a_created_file_are_not_saved(user: User) -> None:
    """In the file, and once it is gone and its text back by `u`."""
    user.path.unlink()
    user.buffer.load()
    ids = await user.get(NEW)
    user.type([*NEW, "mine"])
    why = "a.txt: the rest is unsaved, its file is gone: :w makes it"
    assert await user.review.undo(ids) == (1, [why])
    for lines in (["mine"], ["mine", "more"]):
        assert (user.buffer.lines, user.buffer.modified, user.path.exists()) == (lines, True, False)
        user.undo()
        assert user.pending == ids
        user.type([*NEW, "mine", "more"])
        assert await user.review.undo(ids) == (1, [why])
    user.buffer.save()
    assert user.disk == ["mine", "more"]
