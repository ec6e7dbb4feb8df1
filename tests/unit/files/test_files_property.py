"""Any interleaving of user, agent and disk: no line is lost or doubled, and only overlap asks.

Every new line is one of a kind, so what a merge must hold is a matter of sets, and the reference needs no diff.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable
from dataclasses import dataclass, field
from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st

from acp_nvim.protocol.errors import INTERNAL_ERROR, RpcError
from tests.unit.files.conftest import Agent

Lines = list[str]
BASE = [f"line {n}" for n in range(7)]

_places = st.integers(0, 7)
_edits = st.tuples(st.sampled_from(["change", "insert", "delete"]), _places)
_steps = st.one_of(
    st.tuples(st.just("type"), _edits),
    st.tuples(st.just("type"), _edits),
    st.tuples(st.just("write"), st.lists(_edits, min_size=1, max_size=3)),
    st.tuples(st.just("write"), st.lists(_edits, min_size=1, max_size=3)),
    st.tuples(st.just("outside"), _edits),
    st.tuples(st.just("outside"), _edits),
    st.tuples(st.sampled_from(["read", "undo", "redo", "save"]), st.none()),
)
_answers = st.sampled_from(["agent", "mine", "merge", None])


def stretches(base: Lines, side: Lines) -> list[tuple[range, int]]:
    """What a side changed: the base lines between two that it kept, and how many new ones it has there."""
    kept = [line for line in side if line in set(base)]
    found = []
    at_base = at_side = 0
    for line in [*kept, None]:
        to_base = base.index(line) if line else len(base)
        to_side = side.index(line) if line else len(side)
        if to_base > at_base or to_side > at_side:
            found.append((range(at_base, to_base), to_side - at_side))
        at_base, at_side = to_base + 1, to_side + 1
    return found


def must_ask(base: Lines, ours: Lines, theirs: Lines) -> bool:
    """Both replaced one line."""
    return any(
        set(one) & set(other) and new and newer
        for one, new in stretches(base, ours)
        for other, newer in stretches(base, theirs)
    )


def may_ask(base: Lines, ours: Lines, theirs: Lines) -> bool:
    """Not with a line between them that neither touched."""
    return any(
        one.start <= other.stop and other.start <= one.stop
        for one, _ in stretches(base, ours)
        for other, _ in stretches(base, theirs)
    )


def together(base: Lines, ours: Lines, theirs: Lines) -> set[str]:
    """The lines of a merge that nobody had to be asked about."""
    both, old = {*ours} & {*theirs}, {*base}
    return (both & old) | ({*ours} - old) | ({*theirs} - old)


async def answered(request: Awaitable[None]) -> int | None:
    """The code of its error, if it is one."""
    try:
        await request
    except RpcError as error:
        return error.code
    return None


@dataclass
class World:
    """The model beside the real thing: who has which lines now."""

    agent: Agent
    path: Path
    answers: list[str | None]
    believed: Lines = field(default_factory=lambda: list(BASE))
    origin: Lines = field(default_factory=lambda: list(BASE))  # of the user's unsaved lines
    made: int = 0

    @property
    def buffer(self) -> Lines:
        lines = self.agent.editor.buffers[str(self.path)].lines
        return [] if lines == [""] else list(lines)

    @property
    def disk(self) -> Lines:
        return self.path.read_text().split("\n")[:-1]

    def edited(self, lines: Lines, by: str, edit: tuple[str, int]) -> Lines:
        what, place = edit
        self.made += 1
        at = min(place, len(lines) if what == "insert" else max(len(lines) - 1, 0))
        new = [] if what == "delete" else [f"{by} {self.made}"]
        return [*lines[:at], *new, *lines[at if what == "insert" else at + 1 :]]

    async def step(self, name: str, what: object) -> None:
        loaded = self.agent.editor.buffers[str(self.path)]
        if not loaded.modified and loaded.data() != self.path.read_bytes() and name != "write":
            loaded.load()  # an editor notices, sooner or later
        if not loaded.modified:
            self.origin = self.disk
        if name == "type":
            loaded.edit(self.edited(self.buffer, "user", what))  # type: ignore[arg-type]
        elif name == "outside":
            lines = self.edited(self.disk, "disk", what)  # type: ignore[arg-type]
            self.path.write_text("".join(f"{line}\n" for line in lines))
        elif name == "read":
            self.believed = (await self.agent.read(self.path)).split("\n")[:-1]
            assert self.believed == (self.buffer if loaded.modified else self.disk)
        elif name == "write":
            await self.write(what)  # type: ignore[arg-type]
        elif name != "save" or self.disk == self.origin:
            getattr(loaded, name)()  # over a changed disk, the editor would ask before it saves

    async def write(self, changes: list[tuple[str, int]]) -> None:
        content = self.believed
        for edit in changes:
            content = self.edited(content, "agent", edit)
        loaded = self.agent.editor.buffers[str(self.path)]
        before = (self.buffer, self.disk, loaded.modified)
        apart_must = apart_may = False
        ours: Lines | None = self.buffer
        if not loaded.modified:
            ours = self.disk
        elif self.disk != self.origin:
            apart_must = must_ask(self.origin, self.buffer, self.disk)
            apart_may = may_ask(self.origin, self.buffer, self.disk)
            ours = None if apart_may else self._ordered(together(self.origin, self.buffer, self.disk))
        asked = len(self.agent.asked)
        self.agent.answers = [self.answers.pop(0) if self.answers else "agent", "mine"]
        offered = self.offer()
        code = await answered(self.agent.write(self.path, "".join(f"{line}\n" for line in content)))
        if code:
            assert code == INTERNAL_ERROR
            assert (self.buffer, self.disk, loaded.modified) == before
            assert len(self.agent.asked) > asked
            return
        assert self.buffer == self.disk
        assert not loaded.modified
        assert len(set(self.disk)) == len(self.disk)
        if len(self.agent.asked) == asked:
            assert not apart_must
            if ours is not None:
                assert not must_ask(self.believed, ours, content)
                assert {*self.disk} == together(self.believed, ours, content)
                self.expect_order(ours, content)
        else:
            assert apart_may or ours is None or may_ask(self.believed, ours, content)
            if not offered:
                assert {*content} - {*self.believed} <= {*self.disk}
        if ours is not None and not may_ask(self.believed, ours, content):
            assert len(self.agent.asked) == asked
        self.believed = content

    def _ordered(self, lines: set[str]) -> Lines:
        """Of two disjoint sides, each in its order; where lines of both are in one gap, they would not be."""
        result = [line for line in self.buffer if line in lines]
        for at, line in enumerate(self.disk):
            if line in lines and line not in result:
                ahead = [result.index(other) for other in self.disk[:at] if other in result]
                result.insert(max(ahead, default=-1) + 1, line)
        return result

    def offer(self) -> bool:
        """What the user would make of a conflict by hand: their own text and one line more."""
        self.made += 1
        self.agent.merged = "".join(f"{line}\n" for line in [*self.buffer, f"merged {self.made}"])
        return self.agent.answers[0] == "merge"

    def expect_order(self, *sides: Lines) -> None:
        for side in sides:
            assert [line for line in self.disk if line in side] == [
                line for line in side if line in self.disk
            ]


async def _live(root: Path, steps: list[tuple[str, object]], answers: list[str | None]) -> None:
    path = root / "f"
    path.write_text("".join(f"{line}\n" for line in BASE))
    agent = Agent(root)
    agent.editor.open(path)
    world = World(agent, path, answers)
    agent.begin_turn(path)
    for name, what in steps:
        await world.step(name, what)


@given(st.lists(_steps, min_size=6, max_size=25), st.lists(_answers, max_size=6))
@example(
    [
        *[("write", [("delete", 0)])] * 2,
        ("write", [("delete", 0)] * 2),
        ("write", [("delete", 0)] * 3),
        ("type", ("change", 0)),
        ("write", [("change", 0)]),
    ],
    [],
)
def test_no_interleaving_loses_or_doubles_a_line(
    steps: list[tuple[str, object]], answers: list[str | None]
) -> None:
    with tempfile.TemporaryDirectory() as root:
        asyncio.run(_live(Path(root).resolve(), steps, list(answers)))


@given(st.binary(max_size=40))
def test_any_bytes_are_kept_or_refused(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as root:
        asyncio.run(_round(Path(root).resolve() / "f", data))


async def _round(path: Path, data: bytes) -> None:
    path.write_bytes(data)
    agent = Agent(path.parent)
    is_text = data == data.decode(errors="replace").encode()
    text = await agent.read(path) if is_text else ""
    for content in (f"{text}\nmore", text):
        assert await answered(agent.write(path, content)) == (None if is_text else INTERNAL_ERROR)
    assert path.read_bytes() == data
