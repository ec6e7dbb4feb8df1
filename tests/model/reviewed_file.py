"""The file and the proposal that users see, as states of the model: every operation is `carry` and copying.

`File` has an undo tree, a disk, agents that are told things, a time line and restarts. `Proposal` is the right side of
a diff, which the user edits before anything is written.
"""

from __future__ import annotations

from typing import Any

from tests.model.stack import Author, Edit, Hunk, State, Text, apply, by_line, carry, diff, hunks, stands_at


def merge(base: Text, mine: Text, theirs: Text) -> Text:
    """Both, and mine where both have changed the same lines."""
    return apply(mine, carry(diff(base, theirs), base, mine, yields=True))


def clash(edits: list[Edit], of: Text, to: Text) -> bool:
    """Both have changed the same lines, and not alike: the user decides."""
    taken, left = (apply(to, carry(edits, of, to, yields, closed=True)) for yields in (False, True))
    return taken != left and taken != to


class File:
    """A file with its undo tree. The buffer and the disk are two live texts; unsaved lines are their difference."""

    def __init__(self, text: Text) -> None:
        self.state = self.saved = State(text)
        self.moments = [self.state]  # by the states of the undo tree
        self.told: dict[int, tuple[Text, Text]] = {}  # session -> what it knows, without and with its lines
        self.history: list[tuple[Author, Text, Text]] = []  # each hunk that was kept: without it, and with it

    def _enter(self, state: State) -> None:
        self.state = state
        self.moments.append(state)

    # --- who edits

    def user(self, edits: list[Edit]) -> None:
        self._enter(self.state.edit(edits))

    def agent(self, edits: list[Edit], by: Author, allowed: bool = False) -> None:
        """An agent writes, and that is saved. What the user was asked about and allowed is reviewed."""
        self._tell(edits, by[0])
        self.saved = self.saved.agent(carry(edits, self.state.live, self.saved.live), by, allowed)
        self._enter(self.state.agent(edits, by, allowed))

    def write(self, known: Text, text: Text, by: Author) -> bool:
        """An agent that knows one text writes another. False: the user decides first."""
        edits = diff(known, text)
        if not clash(edits, known, self.state.live):
            self.agent(carry(edits, known, self.state.live), by)
            return True
        return False

    def take(self, fork: Text, theirs: Text, by: Author) -> None:
        """What another worktree has changed since it was forked becomes pending."""
        self.agent(carry(diff(fork, theirs), fork, self.state.live, yields=True), by)

    def program(self, text: Text) -> None:
        """Another program has written the file, or a formatter. Unsaved lines stay."""
        edits = diff(self.saved.live, text)
        above = carry(edits, self.saved.live, self.state.live, yields=True)
        self._tell(above)
        self.saved = self.saved.edit(edits)
        self._enter(self.state.edit(above))

    def save(self) -> None:
        self.saved = self.state

    def reload(self) -> None:
        self._enter(self.saved)

    # --- what the user decides

    def keep(self, *chosen: Hunk) -> None:
        """It holds for every state of the undo tree that has these lines pending."""
        live, old = self.state.live, self.state.reviewed

        def kept(state: State) -> State:
            for i1, i2, j1, j2 in chosen:
                state = state.keep(old[i1:i2], j1, j2, live)
            return state

        for hunk in chosen:
            by, (i1, i2, j1, j2) = self.state.authors(hunk)[0], hunk
            self.history.append((by, live[:j1] + old[i1:i2] + live[j2:], live))
            self.state = self.state.one_turns(hunk)
        self.state, self.saved = kept(self.state), kept(self.saved)
        self.moments = [kept(moment) for moment in self.moments]

    def keep_turn(self, by: Author) -> None:
        """Also where later turns have written over it."""
        written, now = self.state.written(by), self.state

        def kept(state: State) -> State:
            if state is now:
                return state.keep_turn(by)
            for below, above in written:
                for i1, i2, j1, j2 in hunks(below, above):
                    state = state.keep(below[i1:i2], j1, j2, above)
            return state

        self.state, self.saved = kept(self.state), kept(self.saved)
        self.moments = [kept(moment) for moment in self.moments]

    def undo(self, *chosen: Hunk) -> bool:
        """The same hunk goes from the disk, unless it is not there. False: unsaved lines touch it."""
        on_disk, live, disk = [], self.state.live, self.saved.live
        for i1, i2, j1, j2 in chosen:
            a, b = (stands_at(at, live, disk, above=(j1 == j2) == (n == 0)) for n, at in enumerate((j1, j2)))
            if disk[a:b] == live[j1:j2]:
                on_disk.append((a, b))
            elif disk[a:b] != self.state.reviewed[i1:i2]:
                return False
        self.saved = self.saved.undo(on_disk)
        for hunk in chosen:
            self.state = self.state.one_turns(hunk)
        self._enter(self.state.undo([(j1, j2) for _, _, j1, j2 in chosen]))
        return True

    def undo_turn(self, by: Author) -> None:
        self.saved = self.saved.undo_turn(by)
        self._enter(self.state.undo_turn(by))

    def go_to(self, moment: int) -> None:
        """By `u`, `<C-r>` or `:earlier`."""
        self.state = self.moments[moment]

    # --- what agents are told

    def _tell(self, edits: list[Edit], session: int | None = None) -> None:
        """Agents know at once what agents and programs write; what the user does they learn with the next prompt."""
        if session is not None:
            self.told.setdefault(session, (self.state.live, self.state.live))
        for each, (without, known) in self.told.items():
            taken = carry(edits, self.state.live, known)
            rest = without if each == session else apply(without, carry(taken, known, without))
            self.told[each] = (rest, apply(known, taken))

    def report(self, session: int) -> list[tuple[Text, Text]]:
        """What has become of the agent's lines: those that are gone, and what stands there now."""
        (without, known), found = self.told[session], []
        changes = diff(known, self.state.live)
        for first, last, lines in (part for edit in changes for part in by_line(edit)):
            own = [(j1, j2, without[i1:i2]) for i1, i2, j1, j2 in hunks(without, known)]
            gone = tuple(known[row] for row in range(first, last) if any(a <= row < b for a, b, _ in own))
            found += [(gone, lines)] if gone or (first, first, lines) in own else []
        self.told[session] = (apply(without, carry(changes, known, without)), self.state.live)
        return found

    # --- the time line, and a restart

    def restore(self, turn: int) -> tuple[State, State]:
        """Go back to before that turn and all later ones. What the user has written since stays."""
        before = state = self.state
        for by in [each.by for each in reversed(before.turns) if each.by[1] >= turn]:
            state = state.undo_turn(by)
        for old, new in [(old, new) for by, old, new in reversed(self.history) if by[1] >= turn]:
            state = state.edit(carry(diff(new, old), new, state.live, yields=True))
        self._enter(state)
        return before, state

    def undo_restore(self, before: State, after: State) -> None:
        """The state of then takes what the user has written since."""
        self._enter(before.edit(carry(diff(after.live, self.state.live), after.live, before.live)))

    def dump(self) -> dict[str, Any]:
        """What is written to disk; nothing of it is about unsaved lines."""
        return {"live": self.saved.live, "turns": self.saved.turns, "told": self.told}

    @classmethod
    def load(cls, data: dict[str, Any], now: Text, in_turn: bool = False) -> File:
        """After a restart. What differs by now is by somebody else; after a crash in a turn it may be an agent's."""
        file = cls(data["live"])
        file.state = file.saved = State(data["live"], data["turns"])
        file.told, file.moments = dict(data["told"]), []
        if in_turn:
            file.agent(diff(data["live"], now), (0, 0))
        else:
            file.program(now)
        return file


class Proposal:
    """The right side of a proposal: a review before the fact, in a buffer of its own."""

    def __init__(self, live: Text, proposed: Text) -> None:
        self.left, self.mine, self.right, self.proposed = live, live, proposed, proposed

    @property
    def hunks(self) -> tuple[Hunk, ...]:
        return hunks(self.mine, self.right)  # what is left of the agent's

    def type(self, edits: list[Edit]) -> None:
        """The user writes on the right: that is the user's own."""
        self.mine = apply(self.mine, carry(edits, self.right, self.mine))
        self.right = apply(self.right, edits)

    def refuse(self, *chosen: Hunk) -> None:
        """By `do`."""
        self.right = apply(self.right, [Edit(j1, j2, self.mine[i1:i2]) for i1, i2, j1, j2 in chosen])

    def follow(self, live: Text) -> None:
        """The file changes. Where the right side has lines of its own, these stay."""
        edits = diff(self.left, live)
        mine = carry(edits, self.left, self.mine, yields=True)
        right = carry(mine, self.mine, self.right, yields=True)
        self.proposed = apply(self.proposed, carry(edits, self.left, self.proposed, yields=True))
        self.left, self.mine, self.right = live, apply(self.mine, mine), apply(self.right, right)

    def ask_again(self, proposed: Text) -> None:
        """The agent changes its question. What the user has typed stays, and what was refused is refused."""
        refused = [edit for edit in diff(self.left, self.proposed) if self._is_refused(edit)]
        edits = [edit for edit in diff(self.left, proposed) if edit not in refused]
        self.right = apply(self.mine, carry(edits, self.left, self.mine, yields=True))
        self.proposed = proposed

    def _is_refused(self, edit: Edit) -> bool:
        a, b = (stands_at(at, self.left, self.right, above=n == 0) for n, at in enumerate(edit[:2]))
        return self.right[a:b] == self.left[edit.first : edit.last]

    def decide(self, file: File, by: Author) -> None:
        """The user's lines are the user's, the agent's are allowed. What is written is the right side."""
        self.follow(file.state.live)
        typed = diff(self.left, self.mine)
        file.saved = file.saved.edit(carry(typed, self.left, file.saved.live))
        file.user(typed)
        file.agent(diff(self.mine, self.right), by, allowed=True)

    def enforced(self, disk: Text) -> Text | None:
        """What an agent that writes the disk itself is to find there, over this text. None: unsaved lines touch it."""
        edits = diff(self.left, self.right)
        return None if clash(edits, self.left, disk) else apply(disk, carry(edits, self.left, disk))
