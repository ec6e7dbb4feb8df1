"""Whatever happens to a file, its agent is told nothing false: every line here is unlike any other, and tells whose it
is."""

from copy import deepcopy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from acp_nvim.review.agents_view import NOBODYS
from acp_nvim.review.codec import Text
from acp_nvim.review.patchwork import Author
from acp_nvim.serves.reviewed import Asked, Reviewed

_place = st.integers(0, 12)
_few = st.integers(0, 2)
_session = st.integers(1, 2)
_steps = st.lists(
    st.one_of(
        st.tuples(st.just("agent"), _place, _few, _few, _session),
        st.tuples(st.just("agent"), _place, _few, _few, _session),
        st.tuples(st.just("user"), _place, _few, _few),
        st.tuples(st.just("merge"), _place, _few, _few, _session),
        st.tuples(st.just("anew"), _place, _few, _few),
        st.tuples(st.just("undo"), _place),
        st.tuples(st.just("undo and u"), _place),
        st.tuples(st.just("back"), st.integers(1, 6)),
        st.tuples(st.just("keep"), _place),
        st.tuples(st.just("prompt"), _session),
    ),
    max_size=25,
)


class Story:
    def __init__(self) -> None:
        self.texts = [[f"before {n}" for n in range(8)]]
        self.file = Reviewed("/r", "/g", self.texts[0], Text())
        self.file.adopt(1, self.texts[0], 1)
        self.count = 0

    def step(self, kind: str, *args: int) -> None:
        lines = self.file.lines
        if kind in ("agent", "merge"):
            *where, session = args
            new = self.changed(lines, f"agent {session}" if kind == "agent" else "merged", *where)
            by = Author(session, 1, "agent")
            self.file.asks(Asked(new, by, own=NOBODYS if kind == "merge" else None))
            self.hear(asked=True, ours=True)
        elif kind == "user":
            self.types(self.changed(lines, "user", *args))
        elif kind == "anew":
            self.file.became(self.changed(lines, "disk", *args))
        elif kind == "back":
            self.types(self.texts[-min(args[0], len(self.texts))])
        elif kind == "prompt":
            self.check(self.file.report(args[0], "r", True), args[0])
        elif self.file.hunks:
            self.decide(kind, self.file.hunks[args[0] % len(self.file.hunks)].id)
        self.texts.append(self.file.lines)

    def decide(self, kind: str, id: int) -> None:
        if kind == "keep":
            self.file.keep([id])
            return
        lines, before = self.file.lines, [self.report(session) for session in (1, 2)]
        self.file.take_back([id])
        if kind == "undo and u":
            self.types(lines)
            assert [self.report(session) for session in (1, 2)] == before

    def changed(self, lines: list[str], whose: str, row: int, olds: int, news: int) -> list[str]:
        self.count += 1
        row = min(row, len(lines))
        new = [f"{whose}: {self.count}.{n}" for n in range(news)]
        return [*lines[:row], *new, *lines[row + olds :]]

    def types(self, new: list[str]) -> None:
        self.hear([0, max(len(self.file.lines), 1), new])

    def hear(self, *edits: Any, **more: Any) -> None:
        tick = self.file.tick + 1
        self.file.hear({"path": "/r", "buf": 1, "seq": tick, "tick": tick, "edits": list(edits), **more})

    def report(self, session: int) -> str:
        """Without its being told."""
        return deepcopy(self.file).report(session, "r", True)

    def check(self, report: str, session: int) -> None:
        lines = report.split("\n")[1:]
        now = self.file.lines
        for line in lines:
            if line.startswith("-"):
                assert line.startswith(f"-agent {session}:")
                assert line[1:] not in now
            elif line.startswith(("+", " ")):
                assert line[1:] in now
        assert not report or lines or "brought the file back" in report
        assert not self.report(session)


@given(_steps)
def test_nothing_false_is_told(steps: list[tuple[Any, ...]]) -> None:
    story = Story()
    for step in [*steps, ("prompt", 1), ("prompt", 2)]:
        story.step(*step)


def test_the_user_s_lines_are_no_lines_that_an_agent_took_out():
    """They came after its write, and before its next one."""
    file = Reviewed("/r", "/g", ["a", "b", "c"], Text())
    file.adopt(1, ["a", "b", "c"], 1)
    agent = Author(1, 1, "agent")
    file.agent(["a", "B", "c"], agent)
    file.hear({"path": "/r", "buf": 1, "seq": 2, "tick": 2, "edits": [[0, 0, ["mine"]]]})
    file.agent(["mine", "a", "B", "C"], agent)
    assert file.report(1, "r", True) == ""
