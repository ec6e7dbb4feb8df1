"""Any sequence of edits and decisions, against the model that knows every line's owner."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from acp_nvim.review.edits import Edit, apply
from acp_nvim.review.patchwork import Author, Patchwork
from tests.unit.review.ownership_model import Model

AUTHORS = [Author(1, 1, "agent"), Author(1, 2, "agent"), Author(1, 2, "unknown")]
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
        st.tuples(st.just("keep"), _place),
        st.tuples(st.just("undo"), _place),
        st.tuples(st.just("keep_all"), st.sets(st.integers(0, 5))),
        st.tuples(st.just("undo_all"), st.sets(st.integers(0, 5))),
    ),
    max_size=20,
)


class Both:
    """The same done to both."""

    def __init__(self, lines: list[str]) -> None:
        self.real = Patchwork(lines)
        self.model = Model(lines)
        self.texts = [list(lines)]
        self.names: dict[int, int] = {}
        self.kept: set[int] = set()

    def step(self, kind: str, *args: Any) -> None:
        getattr(self, f"do_{kind}")(*args)
        self.texts.append(self.real.lines)
        self.compare()

    def do_agent(self, new: list[str], author: Author) -> None:
        self.real.agent(new, author)
        self.model.agent(new, author)

    def do_agent_edit(self, one: int, other: int, lines: list[str], author: Author) -> None:
        edit = self.edit(one, other, lines)
        self.real.agent_edit(edit, author)
        self.model.agent_edit(edit, author)

    def do_user(self, one: int, other: int, lines: list[str]) -> None:
        edit = self.edit(one, other, lines)
        self.real.user(edit)
        self.model.user(edit)

    def do_type(self, row: int, text: str) -> None:
        if self.texts[-1]:
            row %= len(self.texts[-1])
            self.do_user(row, row + 1, [text])

    def do_rewrite(self, row: int, olds: int, news: int, author: Author) -> None:
        """N lines for M that nobody has seen before."""
        row = min(row, len(self.texts[-1]))
        new = [f"agent {len(self.texts)} {n}" for n in range(news)]
        self.do_agent_edit(row, row + olds, new, author)

    def do_touch(self, which: int, row: int) -> None:
        """The user changes a line of a hunk."""
        hunks = [hunk for hunk in self.real.pending if hunk.new]
        if hunks:
            hunk = hunks[which % len(hunks)]
            row = hunk.first + row % len(hunk.new)
            self.do_user(row, row + 1, [f"user {len(self.texts)}"])

    def do_became(self, new: list[str]) -> None:
        self.real.became(new)
        self.model.became(new)

    def do_earlier(self, back: int) -> None:
        self.do_became(self.texts[-1 - back % len(self.texts)])

    def do_keep(self, which: int) -> None:
        self.do_keep_all({which})

    def do_keep_all(self, which: set[int]) -> None:
        chosen = self.chosen(which)
        if chosen:
            assert self.real.keep_all(set(chosen)) == chosen
            self.model.keep(*map(self.names.__getitem__, chosen))
            self.kept |= set(chosen)

    def do_undo(self, which: int) -> None:
        self.do_undo_all({which})

    def do_undo_all(self, which: set[int]) -> None:
        chosen = self.chosen(which)
        if chosen:
            before = self.real.lines
            assert apply(before, self.real.undo_all(chosen)) == self.real.lines
            self.model.undo(*map(self.names.__getitem__, chosen))

    def chosen(self, which: set[int]) -> list[int]:
        pending = self.real.pending
        places = {one % len(pending) for one in which} if pending else set()
        return [hunk.id for at, hunk in enumerate(pending) if at in places]

    def edit(self, one: int, other: int, lines: list[str]) -> Edit:
        size = len(self.texts[-1])
        return Edit(min(one, other, size), min(max(one, other), size), lines)

    def compare(self) -> None:
        real, model = self.real, self.model
        assert real.lines == model.lines
        assert real.base == model.base
        pending = real.pending
        assert [(each.author, each.first, [*each.old], [*each.new]) for each in pending] == [
            tuple(each[1:]) for each in model.pending
        ]
        for hunk, (name, *_) in zip(pending, model.pending, strict=True):
            assert self.names.setdefault(hunk.id, name) == name
        assert len(set(self.names.values())) == len(self.names)
        decided = {self.names[each.id]: each.state == "kept" for each in real.decided}
        assert decided == model.decided
        self.sound()

    def sound(self) -> None:
        """What must be true whatever the model says."""
        lines, pending, decided = self.real.lines, self.real.pending, self.real.decided
        ids = [each.id for each in [*pending, *decided]]
        assert len(ids) == len(set(ids))
        assert not self.kept & {each.id for each in pending}
        assert self.kept == {each.id for each in decided if each.state == "kept"}
        assert all(lines[each.first : each.first + len(each.new)] == [*each.new] for each in pending)
        assert all(each.old != each.new for each in pending)
        assert all(0 <= each.first <= len(lines) for each in decided)


@given(_texts, _steps)
def test_any_sequence_is_as_the_model_has_it(lines: list[str], steps: list[tuple[Any, ...]]) -> None:
    both = Both(lines)
    for step in steps:
        both.step(*step)
    base = both.real.base
    both.real.undo_all([hunk.id for hunk in both.real.pending])
    assert both.real.lines == base
    assert both.real.pending == []


@given(st.integers(0, 6), st.lists(st.tuples(st.booleans(), _place, _place, st.integers(0, 4)), max_size=15))
def test_undoing_everything_leaves_the_users_lines_alone(
    size: int, steps: list[tuple[bool, int, int, int]]
) -> None:
    """No line of an agent stays, every line of the user does, in order; nothing that was undone is guessed."""
    patchwork = Patchwork([f"first {n}" for n in range(size)])
    for number, (agent, one, other, count) in enumerate(steps):
        live = len(patchwork.lines)
        who = "agent" if agent else "user"
        lines = [f"{who} {number} {n}" for n in range(count)]
        edit = Edit(min(one, other, live), min(max(one, other), live), lines)
        if agent:
            patchwork.agent_edit(edit, AUTHORS[number % 3])
        else:
            patchwork.user(edit)
    live = patchwork.lines
    patchwork.undo_all([hunk.id for hunk in patchwork.pending])
    assert not [line for line in patchwork.lines if line.startswith("agent")]
    stays = [line for line in patchwork.lines if line in live]
    assert stays == [line for line in live if not line.startswith("agent")]


@given(_texts, _texts, _texts)
def test_u_brings_hunks_back_and_redo_takes_them_away(
    base: list[str], one: list[str], other: list[str]
) -> None:
    patchwork = Patchwork(base)
    patchwork.agent(one, AUTHORS[0])
    first = patchwork.pending
    patchwork.became(other)
    second = patchwork.pending
    patchwork.became(one)
    assert patchwork.pending == first
    patchwork.undo_all([hunk.id for hunk in first])
    undone = patchwork.decided
    patchwork.became(one)
    assert (patchwork.pending, patchwork.decided) == (first, [])
    patchwork.became(base)
    assert (patchwork.pending, patchwork.decided) == ([], undone)
    patchwork.became(one)
    patchwork.became(other)
    if other not in (base, one):
        assert patchwork.pending == second
