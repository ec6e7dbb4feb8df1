"""What must be true of a file under review, whatever users, agents and programs do to it.

Every line that somebody writes is unlike any other and says whose it is.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.model.reviewed_file import File, Proposal
from tests.model.stack import Author, Edit, State, Text, Turn, apply, by_line, carry, diff, hunks

many = settings(
    deadline=None,
    suppress_health_check=list(HealthCheck),
    database=None,
)
_row, _size = st.integers(0, 9), st.integers(0, 3)
_where = st.tuples(_row, _row, _size)
_who = st.sampled_from([(1, 1), (1, 2), (2, 1), (2, 2)])
_some = st.sets(st.integers(0, 3), min_size=1)
_typing = st.tuples(st.just("user"), _where)
_writing = st.tuples(st.just("agent"), _where, _who)
_others = [
    st.tuples(st.just("program"), _where),
    st.just(("save",)),
    st.just(("reload",)),
    st.just(("restart",)),
]
_allowing = st.tuples(st.just("allowed"), _where, _who)
_keeping, _undoing = st.tuples(st.just("keep"), _some), st.tuples(st.just("undo"), _some)
_going, _undoing_turn = st.tuples(st.just("go"), st.integers(0, 30)), st.tuples(st.just("undo turn"), _who)


def _stories(*kinds: Any, most: int = 12) -> Any:
    return st.lists(st.one_of(_typing, _writing, *kinds), max_size=most)


_any = _stories(_writing, _allowing, _keeping, _undoing, _going, _undoing_turn, *_others)


def is_in_order(some: list[str], text: Text) -> bool:
    rest = iter(text)
    return all(line in rest for line in some)


class Story:
    def __init__(self, lines: int = 6) -> None:
        self.file = File(tuple(f"first {n}" for n in range(lines)))
        self.count = 0
        self.written = set(self.file.state.live)  # by anybody
        self.kept: set[str] = set()
        self.allowed: set[str] = set()
        self.unsure: set[str] = set()  # allowed, but pending in the buffer or on the disk

    def lines(self, whose: str, count: int) -> Text:
        self.count += 1
        lines = tuple(f"{whose} {self.count}.{n}" for n in range(count))
        self.written |= {*lines}
        return lines

    def edit(self, whose: str, where: tuple[int, int, int], text: Text | None = None) -> list[Edit]:
        size = len(self.file.state.live if text is None else text)
        first, last = sorted(min(row, size) for row in where[:2])
        return [Edit(first, last, self.lines(whose, where[2]))]

    def waiting(self, edits: list[Edit], state: State) -> set[str]:
        """What is allowed in a place that is pending waits with it. The buffer and the disk may differ in that."""
        spans, lines = [(j1, j2) for _, _, j1, j2 in state.hunks], set[str]()
        for a, b, new in (part for edit in edits for part in by_line(edit)):
            if any(i <= b and j >= a for i, j in spans):
                lines |= {*new}
        return lines

    def chosen(self, which: set[int]) -> list[Any]:
        found = self.file.state.hunks
        return [found[n] for n in sorted({one % len(found) for one in which})] if found else []

    def step(self, kind: str, *arguments: Any) -> None:
        file = self.file
        if kind == "user":
            file.user(self.edit("user", *arguments))
        elif kind in ("agent", "allowed"):
            where, by = arguments
            edits = self.edit(f"agent {by}", where)
            if kind == "allowed":
                on_disk = carry(edits, file.state.live, file.saved.live)
                waits = [self.waiting(edits, file.state), self.waiting(on_disk, file.saved)]
                self.allowed |= {*edits[0].lines} - waits[0] - waits[1]
                self.unsure |= waits[0] ^ waits[1]
            file.agent(edits, by, kind == "allowed")
        elif kind == "program":
            file.program(apply(file.saved.live, self.edit("program", *arguments, file.saved.live)))
        elif kind == "restart":
            self.file = File.load(json_round_trip(file.dump()), file.saved.live)
        elif kind == "go":
            file.go_to(-1 - arguments[0] % len(file.moments))
        elif kind == "undo turn":
            file.undo_turn(*arguments)
        elif kind in ("keep", "undo"):
            chosen = self.chosen(*arguments)
            if kind == "keep":
                self.kept |= {line for hunk in chosen for line in file.state.live[hunk.j1 : hunk.j2]}
            getattr(file, kind)(*chosen)
        else:
            getattr(file, kind)()

    def is_agents(self, line: str) -> bool:
        """Nobody has said yes to it."""
        return line.startswith("agent") and line not in self.kept | self.allowed | self.unsure


def json_round_trip(data: dict[str, Any]) -> dict[str, Any]:
    """What has been written to a file and read again."""

    def texts(value: Any) -> Any:
        return tuple(map(texts, value)) if isinstance(value, list) else value

    read = json.loads(json.dumps({**data, "told": list(data["told"].items())}))
    turns = tuple(Turn(*texts(turn)) for turn in read["turns"])
    return {"live": texts(read["live"]), "turns": turns, "told": dict(texts(read["told"]))}


def contents(state: State) -> list[tuple[Text, Text]]:
    return [(state.reviewed[i1:i2], state.live[j1:j2]) for i1, i2, j1, j2 in state.hunks]


def user_lines(text: Text) -> list[str]:
    return [line for line in text if not line.startswith("agent")]


# --- always


@many
@given(_any)
def test_the_texts_are_sound(steps: list[Any]) -> None:
    """No line is in a text twice or invented; a line of the user is reviewed, a line of an agent only after a yes."""
    story = Story()
    for step in steps:
        story.step(*step)
        for state in (story.file.state, story.file.saved):
            for text in state.texts:
                assert len({*text}) == len(text)
                assert {*text} <= story.written
            assert is_in_order(user_lines(state.live), state.reviewed)
            assert not [line for line in state.reviewed if story.is_agents(line)]
            assert {*state.live} & (story.kept | story.allowed) <= {*state.reviewed}


@many
@given(_any, _stories(_undoing, _undoing_turn, *_others[:2], most=6))
def test_nobody_but_the_user_takes_a_line_of_the_user(steps: list[Any], more: list[Any]) -> None:
    """What an agent has removed is reviewed, and comes back. Decisions and programs do not touch the others."""
    story = Story()
    for step in steps:
        story.step(*step)
    for step in more:
        before = story.file.state.live
        story.step(*step)
        now = story.file.state
        mine = [line for line in user_lines(before) if not line.startswith("program")]
        if step[0] in ("undo", "undo turn", "save"):
            assert is_in_order(mine, now.live)
        elif step[0] == "agent":
            assert {*mine} <= {*now.live, *now.reviewed}


@many
@given(_any, _stories(_undoing, _undoing_turn, most=6))
def test_unsaved_lines_are_saved_by_the_user_alone(steps: list[Any], more: list[Any]) -> None:
    story = Story()
    for step in steps:
        story.step(*step)
    for step in more:
        on_disk = {line for text in story.file.saved.texts for line in text}
        story.step(*step)
        assert {line for line in story.file.saved.live if line.startswith("user")} <= on_disk


# --- undo, keep


@many
@given(_stories(_allowing, _keeping, _undoing, _undoing_turn, *_others[:3]))
def test_undoing_everything_leaves_no_line_of_an_agent_and_all_of_the_user(steps: list[Any]) -> None:
    story = Story()
    for step in steps:
        story.step(*step)
    story.file.save()
    before = story.file.state
    assert story.file.undo(*before.hunks)
    now = story.file.state
    assert now.live == now.reviewed == before.reviewed
    stays = [line for line in now.live if line in before.live and line not in story.unsure]
    assert stays == [line for line in before.live if not story.is_agents(line) and line not in story.unsure]


@many
@given(_stories(_allowing, _keeping, _undoing), st.integers(0, 5), st.booleans())
def test_a_decision_on_one_hunk_leaves_the_others(steps: list[Any], which: int, keeps: bool) -> None:
    """What is on the screen is what happens: these lines go, or stay, and nothing else."""
    story = Story()
    for step in steps:
        story.step(*step)
    before = story.file.state
    if not before.hunks:
        return
    which %= len(before.hunks)
    old, new = contents(before)[which]
    story.file.save()
    (story.file.keep if keeps else story.file.undo)(before.hunks[which])
    now = story.file.state
    assert contents(now) == [each for n, each in enumerate(contents(before)) if n != which]
    row = before.hunks[which].j1
    assert now.live == (before.live if keeps else before.live[:row] + old + before.live[row + len(new) :])


@many
@given(
    _stories(_allowing, _keeping, _undoing, _undoing_turn), st.integers(0, 5), st.lists(_where, max_size=3)
)
def test_what_is_kept_stays_kept(steps: list[Any], which: int, typed: list[tuple[int, int, int]]) -> None:
    """By undo of all, of its turn, and over `u` and `<C-r>` to any state."""
    story = Story()
    for step in steps:
        story.step(*step)
    story.step("keep", {which})
    for where in typed:
        story.step("user", where)
    file = story.file
    for moment in range(len(file.moments)):
        file.go_to(moment)
        assert not {line for _, new in contents(file.state) for line in new} & story.kept
        kept = {*file.state.live} & story.kept
        for turn in file.state.turns:
            assert kept <= {*file.state.undo_turn(turn.by).live}
        assert kept <= {*file.state.undo([hunk[2:] for hunk in file.state.hunks]).live}


@many
@given(_any, st.integers(0, 30))
def test_u_brings_back_exactly_what_was(steps: list[Any], back: int) -> None:
    """Text, hunks and turns, as far as nothing was kept since."""
    story = Story()
    for step in [step for step in steps if step[0] not in ("keep", "restart", "go")]:
        story.step(*step)
    seen = list(story.file.moments)
    moment = back % len(seen)
    story.file.go_to(moment)
    assert story.file.state == seen[moment]
    story.file.go_to(len(seen) - 1)
    assert story.file.state == seen[-1]


@many
@given(_stories(_allowing, _undoing_turn), _some)
def test_undo_of_undo_is_nothing(steps: list[Any], which: set[int]) -> None:
    story = Story()
    for step in steps:
        story.step(*step)
    before, seen = story.file.state, len(story.file.moments)
    story.step("undo", which)
    story.file.go_to(seen - 1)
    assert story.file.state == before


# --- turns


@many
@given(
    _stories(_allowing, _keeping, _undoing),
    st.lists(st.tuples(_where, st.booleans()), min_size=1, max_size=4),
    st.lists(_row, max_size=4),
)
def test_undoing_the_newest_turn_leaves_what_was_before_it(
    steps: list[Any], edits: list[Any], typed: list[int]
) -> None:
    """Text and hunks, and what the user has written since; whether its changes were allowed or are pending."""
    story = Story()
    for step in steps:
        story.step(*step)
    before, newest = story.file.state, (1, 9)
    is_allowed = all(allowed for _, allowed in edits)
    for where, allowed in edits:
        story.step("allowed" if allowed else "agent", where, newest)
    for row in typed:
        story.step("user", (row, row, 1))
    story.step("undo turn", newest)
    now = story.file.state
    mine = {f"user {n}.0" for n in range(story.count - len(typed) + 1, story.count + 1)}
    assert tuple(line for line in now.live if line not in mine) == before.live
    if not any(allowed for _, allowed in edits):
        assert tuple(line for line in now.reviewed if line not in mine) == before.reviewed
    elif is_allowed and not before.hunks:
        assert not now.hunks


@many
@given(_stories(_allowing, _undoing), _who)
def test_undoing_any_turn_takes_its_lines_and_no_others(steps: list[Any], by: Author) -> None:
    """Two sessions may have written the same lines by turns."""
    story = Story()
    for step in steps:
        story.step(*step)
    before = story.file.state.live
    story.step("undo turn", by)
    now = story.file.state.live
    assert not [line for line in now if line.startswith(f"agent {by}")]
    assert is_in_order([line for line in before if not line.startswith(f"agent {by}")], now)


@many
@given(_stories(_allowing, _undoing), st.permutations([(1, 1), (1, 2), (2, 1), (2, 2)]))
def test_undoing_all_turns_leaves_the_same_in_any_order(steps: list[Any], order: list[Author]) -> None:
    story = Story()
    for step in steps:
        story.step(*step)
    settled = story.file.state.texts[0]
    for by in order:
        story.step("undo turn", by)
    assert story.file.state == State(settled)


@many
@given(_stories(most=8), st.lists(_where, min_size=1, max_size=3))
def test_what_was_allowed_is_not_pending_and_goes_with_its_turn(steps: list[Any], edits: list[Any]) -> None:
    story = Story()
    for step in steps:
        story.step(*step)
    for where in edits:
        story.step("allowed", where, (3, 1))
    assert not {line for _, new in contents(story.file.state) for line in new} & story.allowed
    story.step("undo turn", (3, 1))
    assert not [line for line in story.file.state.live if line.startswith("agent (3, 1)")]


@many
@given(_stories())
def test_every_hunk_has_an_author_and_every_line_its_own(steps: list[Any]) -> None:
    story = Story()
    for step in steps:
        story.step(*step)
    for hunk in story.file.state.hunks:
        whose = {f"agent {by}" for by in story.file.state.authors(hunk)}
        lines = story.file.state.live[hunk.j1 : hunk.j2]
        assert whose
        assert all(line.startswith(tuple(whose)) for line in lines if line.startswith("agent"))


# --- the disk, a restart


@many
@given(_any, st.lists(_where, max_size=3))
def test_a_restart_finds_what_was_saved(steps: list[Any], edits: list[tuple[int, int, int]]) -> None:
    """Where the file has changed meanwhile: its text, no line that nobody wrote, no line of an agent reviewed."""
    story = Story()
    for step in steps:
        story.step(*step)
    saved, now = story.file.saved, story.file.saved.live
    for where in edits:
        now = apply(now, story.edit("program", where, now))
    file = File.load(json_round_trip(story.file.dump()), now)
    assert file.state == file.saved
    assert file.state.live == now
    if not edits:
        assert file.state == saved
    for text in file.state.texts:
        assert {*text} <= {*now, *(line for old in saved.texts for line in old)}
    assert not [line for line in file.state.reviewed if story.is_agents(line)]
    assert is_in_order(user_lines(now), file.state.reviewed)
    assert file.undo(*file.state.hunks)
    assert is_in_order(user_lines(now), file.state.live)


@many
@given(_any, st.lists(_where, min_size=1, max_size=3))
def test_after_a_crash_in_a_turn_nothing_new_is_reviewed(steps: list[Any], edits: list[Any]) -> None:
    story = Story()
    for step in steps:
        story.step(*step)
    saved, now = story.file.saved, story.file.saved.live
    for where in edits:
        now = apply(now, story.edit("somebody", where, now))
    file = File.load(json_round_trip(story.file.dump()), now, in_turn=True)
    assert file.state.live == now
    assert file.state.reviewed == saved.reviewed
    file.undo_turn((0, 0))
    assert file.state == saved


@many
@given(_stories(_keeping, _undoing, *_others[:2]))
def test_reading_the_file_again_brings_the_saved_hunks_back(steps: list[Any]) -> None:
    story = Story()
    for step in steps:
        story.step(*step)
    saved = story.file.saved
    story.step("reload")
    assert story.file.state == saved


# --- reports


@many
@given(_stories(_keeping, _undoing, _going, *_others[:1]), st.lists(st.integers(0, 12), max_size=3))
def test_a_report_says_only_what_is_true_and_says_it_once(steps: list[Any], prompts: list[int]) -> None:
    """Of the agent's own lines that are gone, and of what stands there; not of lines of other agents or programs."""
    story = Story()
    for number, step in enumerate([*steps, None]):
        if number in prompts or step is None:
            for session in story.file.told:
                live = story.file.state.live
                without, _ = story.file.told[session]
                for gone, lines in story.file.report(session):
                    assert all(line.startswith(f"agent ({session}, ") and line not in live for line in gone)
                    assert is_in_order(list(lines), live)
                    assert gone or {*lines} <= {*without}
                assert story.file.report(session) == []
        if step is not None:
            story.step(*step)


@many
@given(_stories(most=6), _some)
def test_an_undone_hunk_is_reported_unless_it_is_back(steps: list[Any], which: set[int]) -> None:
    story = Story()
    for step in [step for step in steps if step[0] == "agent"]:
        story.step(*step[:2], (1, 1))
    seen, chosen = len(story.file.moments), story.chosen(which)
    if not chosen:
        return
    lost = {line for hunk in chosen for line in story.file.state.live[hunk.j1 : hunk.j2]}
    story.step("undo", which)
    told = dict(story.file.told)
    assert {line for gone, _ in story.file.report(1) for line in gone} == lost
    story.file.told = told
    story.file.go_to(seen - 1)
    assert story.file.report(1) == []


# --- the time line, other worktrees


@many
@given(
    st.lists(st.tuples(_stories(_keeping, most=4), _where), min_size=1, max_size=4),
    _row,
    st.lists(_row, max_size=3),
)
def test_a_file_goes_back_to_before_any_turn_and_comes_again(
    turns: list[Any], which: int, typed: list[int]
) -> None:
    """Also where changes were kept. The user's lines of the meantime stay, on the way back and on the way again."""
    story, starts = Story(), []
    for number, (steps, where) in enumerate(turns, 1):
        for step in steps:
            if step[0] in ("user", "keep"):
                story.step(*step)
        starts.append(story.file.state.live)
        story.step("agent", where, (1, number))
    for row in typed:
        story.step("user", (row, row, 1))
    turn = which % len(turns) + 1
    before, live = story.file.state, story.file.state.live
    moments = story.file.restore(turn)
    now = story.file.state.live
    later = [f"agent (1, {n})" for n in range(turn, len(turns) + 1)]
    assert not [line for line in now if line.startswith(tuple(later))]
    assert is_in_order(user_lines(live), now)
    if turn == len(turns):
        mine = {f"user {n}.0" for n in range(story.count - len(typed) + 1, story.count + 1)}
        assert tuple(line for line in now if line not in mine) == starts[-1]
    story.step("user", (which, which, 1))
    story.file.undo_restore(*moments)
    new = [line for line in story.file.state.live if line not in live]
    assert (tuple(line for line in story.file.state.live if line not in new), len(new)) == (before.live, 1)


@many
@given(_stories(_allowing, most=6), st.lists(_where, min_size=1, max_size=3))
def test_changes_of_another_worktree_are_pending_and_go_again(steps: list[Any], edits: list[Any]) -> None:
    story = Story()
    fork = theirs = story.file.state.live
    for step in steps:
        story.step(*step)
    for where in edits:
        theirs = apply(theirs, story.edit("agent (7, 1)", where, theirs))
    before = story.file.state
    story.file.take(fork, theirs, (7, 1))
    assert is_in_order([line for line in user_lines(before.live) if line not in fork], story.file.state.live)
    story.step("undo turn", (7, 1))
    assert story.file.state.live == before.live


# --- proposals


def proposed(story: Story, edits: list[Any]) -> Proposal:
    right = story.file.state.live
    for where in edits:
        right = apply(right, story.edit("agent (5, 1)", where, right))
    return Proposal(story.file.state.live, right)


_on_the_right = st.lists(
    st.one_of(
        st.tuples(st.just("type"), _where),
        st.tuples(st.just("refuse"), _some),
        st.tuples(st.just("live"), _where),
    ),
    max_size=6,
)


@many
@given(
    _stories(_allowing, _keeping, most=6),
    st.lists(_where, min_size=1, max_size=4),
    _on_the_right,
    st.booleans(),
)
def test_the_right_side_decides(steps: list[Any], edits: list[Any], work: list[Any], saves: bool) -> None:
    """Refused lines are written nowhere, also if the agent writes the disk itself; typed lines are the user's."""
    story = Story()
    for step in steps:
        story.step(*step)
    if saves:
        story.step("save")
    before, disk = story.file.state, story.file.saved.live
    side, refused, live = proposed(story, edits), set[str](), before.live
    removed = {line for hunk in side.hunks for line in side.mine[hunk.i1 : hunk.i2]}
    for kind, argument in work:
        if kind == "type":
            side.type(story.edit("user", argument, side.right))
        elif kind == "live":
            story.step("user", argument)
            live = story.file.state.live
            side.follow(live)
        elif side.hunks:
            chosen = [side.hunks[n] for n in sorted({one % len(side.hunks) for one in argument})]
            refused |= {line for h in chosen for line in side.right[h.j1 : h.j2]}
            side.refuse(*chosen)
        for text in (side.left, side.mine, side.right):
            assert len({*text}) == len(text)
        assert is_in_order([line for line in side.right if not line.startswith("agent (5")], side.mine)
        assert not [line for line in side.mine if line.startswith("agent (5")]
    assert not {*side.right} & refused
    enforced = side.enforced(disk)
    if enforced is not None:
        assert not {*enforced} & refused
        assert {line for line in side.right if line.startswith("agent (5")} <= {*enforced}
        assert not {*enforced} & ({*live} - {*disk}), "unsaved lines are not written"
    right = side.right
    side.decide(story.file, (5, 1))
    assert story.file.state.live == right
    if not before.hunks:
        assert not story.file.state.hunks
    story.step("undo turn", (5, 1))
    now = story.file.state.live
    assert not [line for line in now if line.startswith("agent (5")]
    assert is_in_order([line for line in right if not line.startswith("agent (5")], now)
    assert removed & {*live} <= {*now, *removed - {*side.mine}}


@many
@given(
    _stories(most=4), st.lists(_where, min_size=1, max_size=4), _on_the_right, st.lists(_where, max_size=3)
)
def test_the_users_edits_outlive_a_change_of_the_question(
    steps: list[Any], edits: list[Any], work: list[Any], again: list[Any]
) -> None:
    story = Story()
    for step in steps:
        story.step(*step)
    side, refused = proposed(story, edits), set[str]()
    for kind, argument in work:
        if kind == "type":
            side.type(story.edit("user", argument, side.right))
        elif kind == "refuse" and side.hunks:
            hunk = side.hunks[min(argument) % len(side.hunks)]
            refused |= {*side.right[hunk.j1 : hunk.j2]}
            side.refuse(hunk)
    typed = [line for line in side.right if line.startswith("user") and line not in side.left]
    new = side.left
    for where in again:
        new = apply(new, story.edit("agent (5, 1)", where, new))
    side.ask_again(new)
    assert is_in_order(typed, side.right)
    assert not {*side.right} & refused
    assert len({*side.right}) == len(side.right)


# --- facts, as examples


NEWLINE, NO_NEWLINE, DOS = "\0unix newline", "\0unix no newline", "\0dos newline"


@pytest.mark.parametrize("facts", [NO_NEWLINE, DOS])
def test_line_ends_are_a_line(facts: str) -> None:
    file = File(("a", "b", NEWLINE))
    file.agent([Edit(2, 3, (facts,))], (1, 1))
    assert contents(file.state) == [((NEWLINE,), (facts,))]
    file.user([Edit(2, 2, ("c",))])
    file.undo(*file.state.hunks)
    assert file.state.live == ("a", "b", "c", NEWLINE)


def test_a_created_file_and_a_deleted_one_are_one_hunk() -> None:
    file = File(())
    file.agent([Edit(0, 0, ("a", "b", NEWLINE))], (1, 1))
    file.undo(*file.state.hunks)
    assert file.state.live == ()  # there is no file
    file = File(("a", NEWLINE))
    file.agent([Edit(0, 2, ())], (1, 1))
    assert len(file.state.hunks) == 1
    file.undo(*file.state.hunks)
    assert file.state.live == ("a", NEWLINE)


def test_the_right_side_may_get_lines_back_by_do() -> None:
    """Neovim's own `do` and `:diffget` are edits like any other: what is there again as it was is no change."""
    side = Proposal(("a", "b", "c"), ("a", "c"))
    side.type([Edit(1, 1, ("b",))])
    assert (side.mine, side.hunks) == (("a", "b", "c"), ())
    file = File(("a", "b", "c"))
    file.agent([Edit(1, 2, ())], (1, 1))
    file.user([Edit(1, 1, ("b",))])
    assert file.state == State(("a", "b", "c"))


def test_a_later_turn_that_takes_an_earlier_one_back_is_undone() -> None:
    file = File(("a", "b", "c"))
    file.agent([Edit(1, 2, ("X",))], (1, 1))
    file.agent([Edit(1, 2, ("b",))], (1, 2))
    assert contents(file.state) == []
    file.undo_turn((1, 2))
    assert contents(file.state) == [(("b",), ("X",))]
    assert file.state.authors(file.state.hunks[0]) == [(1, 1)]


def test_a_hunk_of_a_place_that_a_later_turn_has_taken_back_in_part() -> None:
    """Turn 1 makes one line of three, turn 2 makes three of it, the second as it was: two hunks, each for itself."""
    file = File(("1", "a", "b", "c", "2"))
    file.agent([Edit(1, 4, ("X",))], (1, 1))
    file.agent([Edit(1, 2, ("Y", "b", "Z"))], (1, 2))
    assert contents(file.state) == [(("a",), ("Y",)), (("c",), ("Z",))]
    file.keep(file.state.hunks[0])
    assert contents(file.state) == [(("c",), ("Z",))]
    file.undo(*file.state.hunks)
    assert file.state.live == ("1", "Y", "b", "c", "2")


def test_two_agents_that_write_over_each_other() -> None:
    file = File(("a", "b"))
    for line, by in (("X", (1, 1)), ("Y", (2, 1)), ("Z", (1, 1))):
        file.agent([Edit(0, 1, (line,))], by)
    assert [turn.by for turn in file.state.turns] == [(1, 1), (2, 1), (1, 1)]
    file.undo_turn((2, 1))
    assert file.state.live == ("Z", "b")
    file.undo_turn((1, 1))
    assert file.state == State(("a", "b"))


def test_a_write_over_lines_that_the_user_has_changed_is_asked_about() -> None:
    file = File(("a", "b", "c"))
    file.user([Edit(1, 2, ("mine",))])
    assert not file.write(("a", "b", "c"), ("a", "B", "c"), (1, 1))
    assert file.write(("a", "b", "c"), ("a", "b", "C"), (1, 1))
    assert file.state.live == ("a", "mine", "C")
    assert file.saved.live == ("a", "b", "C")


def test_a_base_is_no_more_than_texts() -> None:
    file = File(("a", "b"))
    file.agent([Edit(0, 1, ("X",))], (1, 1))
    assert hunks(file.state.reviewed, file.state.live) == file.state.hunks
    assert diff(file.state.live, file.state.reviewed) == [Edit(0, 1, ("a",))]
