"""Any sequence of edits and decisions in Neovim, against the model that knows every line's owner."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.functional.editor import Editor
from tests.functional.ownership_driver import AUTHORS, DRIVER, NEXT, Lua, author
from tests.functional.ownership_model import Author, Edit, Model

_texts = st.lists(st.sampled_from("abcdef"), max_size=8)
_few = st.lists(st.sampled_from("abcdefxyz"), max_size=4)
_place = st.integers(0, 12)
_who = st.sampled_from(AUTHORS)
_steps = st.lists(
    st.one_of(
        st.tuples(st.just("agent"), _texts, _who),
        st.tuples(st.just("agent_edit"), _place, _place, _few, _who),
        st.tuples(st.just("user"), _place, _place, _few),
        st.tuples(st.just("user"), _place, _place, _few),
        st.tuples(st.just("type"), _place, st.sampled_from("abcdefxyz")),
        st.tuples(st.just("rewrite"), _place, st.integers(1, 3), st.integers(2, 5), _who),
        st.tuples(st.just("touch"), _place, _place),
        st.tuples(st.just("touch"), _place, _place),
        st.tuples(st.just("became"), _texts),
        st.tuples(st.just("earlier"), st.integers(0, 30)),
        st.tuples(st.just("earlier"), st.integers(0, 3)),
        st.tuples(st.just("keep"), st.sets(st.integers(0, 5))),
        st.tuples(st.just("keep"), st.sets(_place, min_size=1, max_size=1)),
        st.tuples(st.just("undo"), st.sets(st.integers(0, 5))),
        st.tuples(st.just("undo"), st.sets(_place, min_size=1, max_size=1)),
        st.tuples(st.just("undo_turn"), _who),
        st.tuples(st.just("undo_turn"), _who),
    ),
    max_size=20,
)
many = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module")
def neovim(program: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    """One for all examples."""
    with closing(Editor(program, tmp_path_factory.mktemp("model"))) as editor:
        editor.lua(DRIVER)
        yield editor


class Both:
    """The same done to both."""

    def __init__(self, neovim: Editor, lines: list[str]) -> None:
        self.real = Lua(neovim, lines)
        self.model = Model(lines, self.real.diff)
        self.count = 0  # of texts so far, less one
        self.names: dict[int, int] = {}
        self.kept: set[int] = set()
        self._steps = {
            "agent": self.agent,
            "agent_edit": self.agent_edit,
            "user": self.user,
            "type": self.type,
            "rewrite": self.rewrite,
            "touch": self.touch,
            "became": self.became,
            "earlier": self.earlier,
            "keep": self.keep,
            "undo": self.undo,
            "undo_turn": self.undo_turn,
        }

    def step(self, kind: str, *arguments: Any) -> None:
        before = self.count
        self._steps[kind](*arguments)
        assert len(self.model.past) == self.count + 1, (kind, before)
        self.compare()

    def drive(self, *arguments: Any) -> None:
        self.real.drive(*arguments)
        self.count += 1

    def agent(self, new: list[str], who: tuple[int, int, str]) -> None:
        self.drive("agent", new, author(who))
        self.model.agent(new, who)

    def agent_edit(self, one: int, other: int, lines: list[str], who: tuple[int, int, str]) -> None:
        edit = self.edit(one, other, lines)
        self.model.agent_edit(edit, who)
        self.drive("agent_edit", edit, author(who))

    def user(self, one: int, other: int, lines: list[str]) -> None:
        edit = self.edit(one, other, lines)
        self.model.user(edit)
        self.drive("user", edit)

    def type(self, row: int, text: str) -> None:
        if self.real.lines:
            row %= len(self.real.lines)
            self.user(row, row + 1, [text])

    def rewrite(self, row: int, olds: int, news: int, who: tuple[int, int, str]) -> None:
        """N lines for M that nobody has seen before."""
        row = min(row, len(self.real.lines))
        self.agent_edit(row, row + olds, [f"agent {self.count} {n}" for n in range(news)], who)

    def touch(self, which: int, row: int) -> None:
        """The user changes a line of a hunk."""
        hunks = [each for each in self.real.pending if each[4]]
        if hunks:
            _, _, first, _, new = hunks[which % len(hunks)]
            row = first + row % len(new)
            self.user(row, row + 1, [f"user {self.count}"])

    def became(self, new: list[str]) -> None:
        self.model.became(new)
        self.drive("became", new)

    def earlier(self, back: int) -> None:
        """`u` or `<C-r>`, as often as you like."""
        moment = self.count - back % (self.count + 1)
        self.model.go_to(moment)
        self.drive("go_to", moment)

    def keep(self, which: set[int]) -> None:
        if chosen := self.chosen(which):
            self.model.keep(*map(self.names.__getitem__, chosen))
            self.drive("keep", chosen)
            self.kept |= set(chosen)

    def undo(self, which: set[int]) -> None:
        if chosen := self.chosen(which):
            self.model.undo(*map(self.names.__getitem__, chosen))
            self.drive("undo", chosen)

    def undo_turn(self, who: Author) -> None:
        names = self.model.undo_turn(who.which)
        self.drive("undo_turn", *who.which)
        for one, name in zip(self.real.answer or [], names, strict=True):
            assert self.names.setdefault(one, name) == name

    def chosen(self, which: set[int]) -> list[int]:
        pending = self.real.pending
        places = {one % len(pending) for one in which} if pending else set()
        return [each[0] for at, each in enumerate(pending) if at in places]

    def edit(self, one: int, other: int, lines: list[str]) -> Edit:
        size = len(self.real.lines)
        return Edit(min(one, other, size), min(max(one, other), size), lines)

    def compare(self) -> None:
        real, model = self.real, self.model
        assert real.lines == model.lines
        assert real.base == model.base
        assert [each[1:] for each in real.pending] == [tuple(each[1:]) for each in model.pending]
        for hunk, (name, *_) in zip(real.pending, model.pending, strict=True):
            assert self.names.setdefault(hunk[0], name) == name
        assert len(set(self.names.values())) == len(self.names)
        assert {self.names[one]: is_kept for one, is_kept, _ in real.decided} == model.decided
        self.sound()

    def sound(self) -> None:
        """What must be true whatever the model says."""
        lines, pending, decided = self.real.lines, self.real.pending, self.real.decided
        ids = [each[0] for each in [*pending, *decided]]
        assert len(ids) == len(set(ids))
        assert not self.kept & {each[0] for each in pending}
        assert self.kept == {one for one, is_kept, _ in decided if is_kept}
        assert all(lines[row : row + len(new)] == new for _, _, row, _, new in pending)
        assert all(old != new for _, _, _, old, new in pending)
        assert all(0 <= row <= len(lines) for _, _, row in decided)


@many
@given(_texts, _steps)
def test_any_sequence_is_as_the_model_has_it(
    neovim: Editor, lines: list[str], steps: list[tuple[Any, ...]]
) -> None:
    both = Both(neovim, lines)
    for step in steps:
        both.step(*step)
    base = both.real.base
    both.real.drive("undo", [each[0] for each in both.real.pending])
    assert (both.real.lines, both.real.pending) == (base, [])


@many
@given(st.integers(0, 6), st.lists(st.tuples(st.booleans(), _place, _place, st.integers(0, 4)), max_size=15))
def test_undoing_everything_leaves_the_users_lines_alone(
    neovim: Editor, size: int, steps: list[tuple[bool, int, int, int]]
) -> None:
    """No line of an agent stays, every line of the user does, in order; nothing that was undone is guessed."""
    text = Lua(neovim, [f"first {n}" for n in range(size)])
    for number, (is_agent, one, other, count) in enumerate(steps):
        live = len(text.lines)
        lines = [f"{'agent' if is_agent else 'user'} {number} {n}" for n in range(count)]
        edit = Edit(min(one, other, live), min(max(one, other), live), lines)
        if is_agent:
            text.drive("agent_edit", edit, author(AUTHORS[number % 3]))
        else:
            text.drive("user", edit)
    live_lines = text.lines
    text.drive("undo", [each[0] for each in text.pending])
    assert not [line for line in text.lines if line.startswith("agent")]
    stays = [line for line in text.lines if line in live_lines]
    assert stays == [line for line in live_lines if not line.startswith("agent")]


_edits = st.lists(st.tuples(_place, _place, st.integers(0, 3)), min_size=1, max_size=6)
_before = st.lists(st.tuples(st.booleans(), _place, _place, st.integers(0, 3)), max_size=6)


@many
@given(_before, _edits, st.lists(_place, max_size=4))
def test_undoing_a_turn_leaves_what_was_there_before_it(
    neovim: Editor, before: list[tuple[bool, int, int, int]], edits: list[Any], typed: list[int]
) -> None:
    """Whatever earlier turns and the user have done, and whatever lines the user writes later on."""
    text = Lua(neovim, [f"first {n}" for n in range(6)])

    def write(whose: str, one: int, other: int, count: int) -> Edit:
        live = len(text.lines)
        lines = [f"{whose} {len(edits)}.{n}" for n in range(count)]
        return Edit(min(one, other, live), min(max(one, other), live), lines)

    for number, (is_agent, *where) in enumerate(before):
        edit = write(f"before {number}", *where)
        if is_agent:
            text.drive("agent_edit", edit, author(AUTHORS[3 * (number % 2)]))
        else:
            text.drive("user", edit)
    lines, base, pending = text.lines, text.base, text.pending
    for number, where in enumerate(edits):
        text.drive("agent_edit", write(f"turn {number}", *where), author(NEXT))
    for number, row in enumerate(typed):
        text.drive("user", write(f"typed {number}", row, row, 1))
    text.drive("undo_turn", *NEXT.which)
    assert [line for line in text.lines if not line.startswith("typed")] == lines
    assert [line for line in text.base if not line.startswith("typed")] == base
    assert NEXT not in {each[1] for each in text.pending}
    if not typed:
        counted = [sum(len(each[n]) for each in pending) for n in (3, 4)]
        assert [sum(len(each[n]) for each in text.pending) for n in (3, 4)] == counted


_one = st.integers(0, 2)
_session = st.integers(1, 2)
_story = st.lists(
    st.one_of(
        st.tuples(st.just("agent"), _place, _one, _one, _session),
        st.tuples(st.just("agent"), _place, _one, _one, _session),
        st.tuples(st.just("merge"), _place, _one, _one, _session),
        st.tuples(st.just("user"), _place, _one, _one),
        st.tuples(st.just("user"), _place, _one, _one),
        st.tuples(st.just("anew"), _place, _one, _one),
        st.tuples(st.just("undo"), _place),
        st.tuples(st.just("undo and u"), _place),
        st.tuples(st.just("back"), st.integers(1, 6)),
        st.tuples(st.just("keep"), _place),
        st.tuples(st.just("prompt"), _session),
    ),
    max_size=25,
)


class Story:
    """Every line here is unlike any other, and tells whose it is."""

    def __init__(self, neovim: Editor) -> None:
        self.text = Lua(neovim, [f"before {n}" for n in range(8)])
        self.seq = self.count = 0

    def drive(self, *arguments: Any) -> None:
        self.text.drive(*arguments)
        self.seq += 1

    def step(self, kind: str, *arguments: int) -> None:
        if kind in ("agent", "merge"):
            *where, session = arguments
            new = self.changed(f"agent {session}" if kind == "agent" else "merged", *where)
            self.drive(kind, new, author((session, 1, "agent")))
        elif kind in ("user", "anew"):
            new = self.changed(kind, *arguments)
            self.drive("became" if kind == "user" else "anew", new)
        elif kind == "back":
            self.drive("go_to", max(0, self.seq - arguments[0]))
        elif kind == "prompt":
            self.check(*arguments)
        elif self.text.pending:
            self.decide(kind, self.text.pending[arguments[0] % len(self.text.pending)][0])

    def decide(self, kind: str, hunk: int) -> None:
        before = [self.text.report(session) for session in (1, 2)]
        self.drive("keep" if kind == "keep" else "undo", [hunk])
        if kind == "undo and u":
            self.drive("go_to", self.seq - 1)
            assert [self.text.report(session) for session in (1, 2)] == before

    def changed(self, whose: str, row: int, olds: int, news: int) -> list[str]:
        self.count += 1
        lines, row = self.text.lines, min(row, len(self.text.lines))
        new = [f"{whose}: {self.count}.{n}" for n in range(news)]
        return [*lines[:row], *new, *lines[row + olds :]]

    def check(self, session: int) -> None:
        for line in self.text.report(session, True):
            if line.startswith("-"):
                assert line.startswith(f"-agent {session}:")
                assert line[1:] not in self.text.lines
            elif line.startswith(("+", " ")):
                assert line[1:] in self.text.lines
        assert not self.text.report(session)


@many
@given(_story)
def test_nothing_false_is_told_of_lost_lines(neovim: Editor, steps: list[tuple[Any, ...]]) -> None:
    story = Story(neovim)
    for step in [*steps, ("prompt", 1), ("prompt", 2)]:
        story.step(*step)
