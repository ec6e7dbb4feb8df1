"""The reference model of pending changes: one object a line, nothing clever, every rule where it can be read."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import NamedTuple

_numbers = count()


class Edit(NamedTuple):
    first: int
    last: int
    lines: list[str]


class Author(NamedTuple):
    session: int
    turn: int
    by: str

    @property
    def which(self) -> tuple[int, int]:
        return self[:2]


Diff = Callable[[list[str], list[str]], list[Edit]]


@dataclass(eq=False)
class Old:
    text: str
    token: int = field(default_factory=lambda: next(_numbers))


@dataclass(eq=False)
class Owner:
    """A hunk; `before` are the lines of hunks that the agent has written over."""

    author: Author
    id: int = field(default_factory=lambda: next(_numbers))
    before: set[int] = field(default_factory=set)
    earlier: list[Author] = field(default_factory=list)  # of other turns, that it has written over


@dataclass(eq=False)
class Line:
    text: str | None  # None: nothing is left of the lines that were here
    owner: Owner | None = None
    partner: list[Old] = field(default_factory=list)  # one list for all lines of the last pair
    token: int = field(default_factory=lambda: next(_numbers))


def _paired(old: list[str], new: list[str], owner: Owner) -> list[Line]:
    olds = [Old(text) for text in old]
    if not new:
        return [Line(None, owner, olds)]
    lines: list[Line] = []
    last = min(len(old), len(new)) - 1
    for at, text in enumerate(new):
        partner = olds[at:] if at == last else olds[at : at + 1]
        if old and at > last:
            partner = lines[last].partner
        lines.append(Line(text, owner, partner))
    return lines


def _text(items: list[Line]) -> list[str]:
    return [item.text for item in items if item.text is not None]


def _base(items: list[Line]) -> list[str]:
    result: list[str] = []
    given: list[list[Old]] = []
    for item in items:
        if item.owner is None:
            result.append(item.text or "")
        elif not any(item.partner is one for one in given):
            given.append(item.partner)
            result += [old.text for old in item.partner]
    return result


def _hunks(items: list[Line]) -> list[tuple[Owner, int, int]]:
    """Each owner with its first and last item."""
    found: dict[int, tuple[Owner, int, int]] = {}
    for at, item in enumerate(items):
        if item.owner:
            first = found[item.owner.id][1] if item.owner.id in found else at
            found[item.owner.id] = (item.owner, first, at + 1)
    return list(found.values())


def _tell_apart(before: list[Line], behind: list[Line]) -> None:
    """Lines behind a cut are a hunk of their own."""
    for item in behind:
        for other in before:
            if item.partner is other.partner and item.partner:
                item.partner = []
    owners = {item.owner.id for item in before if item.owner}
    renamed: dict[int, Owner] = {}
    for item in behind:
        if item.owner and item.owner.id in owners:
            new = renamed.setdefault(
                item.owner.id, Owner(item.owner.author, before=item.owner.before, earlier=item.owner.earlier)
            )
            item.owner = new


@dataclass
class _Layer:
    """What one turn has changed, as a text of its own: lines of earlier turns are the user's there."""

    author: Author
    text: Model
    before: list[Author]  # of hunks of other turns when it began


@dataclass
class _Moment:
    items: list[Line]
    decided: dict[int, bool]
    layers: list[_Layer]


class Model:
    """`diff` is that of the code under test: two right ones may align lines that are there twice in different ways."""

    def __init__(self, lines: list[str], diff: Diff) -> None:
        self._diff = diff
        self.items = [Line(text) for text in lines]
        self.decided: dict[int, bool] = {}
        self.kept: set[int] = set()
        self.kept_ids: set[int] = set()
        self.past: list[_Moment] = []
        self.layers: list[_Layer] = []
        self._enter()

    @property
    def lines(self) -> list[str]:
        return _text(self.items)

    @property
    def base(self) -> list[str]:
        return _base(self.items)

    @property
    def pending(self) -> list[tuple[int, Author, int, list[str], list[str]]]:
        return self._described(self.items)

    def _described(self, items: list[Line]) -> list[tuple[int, Author, int, list[str], list[str]]]:
        return [
            (owner.id, owner.author, len(_text(items[:i])), _base(items[i:j]), _text(items[i:j]))
            for owner, i, j in _hunks(items)
        ]

    def agent(self, new: list[str], author: Author) -> None:
        self._written(self._diff(self.lines, new), author)

    def user(self, edit: Edit) -> None:
        self._typed(self._refined(edit))

    def agent_edit(self, edit: Edit, author: Author) -> None:
        self._written(self._refined(edit), author)

    def became(self, new: list[str]) -> None:
        self._typed(self._diff(self.lines, new))

    def go_to(self, moment: int) -> None:
        """By `u` or `<C-r>`: what was known then is known again. The same text typed again is the user's."""
        for edit in reversed(self._diff(self.lines, _text(self.past[moment].items))):
            self._take(edit)
        self._recall(self.past[moment])
        self._enter()

    def keep(self, *ids: int) -> None:
        self._take_out_of_layers([each for each in _hunks(self.items) if each[0].id in ids])
        for item in self.items:
            if item.owner and item.owner.id in ids:
                self.decided[item.owner.id] = True
                self.kept_ids.add(item.owner.id)
                self.kept |= {item.token, *(old.token for old in item.partner), *item.owner.before}
        self.items = [
            Line(item.text) if item.owner and item.owner.id in ids else item
            for item in self.items
            if not (item.text is None and item.owner and item.owner.id in ids)
        ]
        self._enter()

    def undo(self, *ids: int) -> None:
        chosen = [each for each in _hunks(self.items) if each[0].id in ids]
        self._take_out_of_layers(chosen)
        for owner, i, j in reversed(chosen):
            first, last = len(_text(self.items[:i])), len(_text(self.items[:j]))
            for layer in self.layers:
                layer.text._take(Edit(first, last, _base(self.items[i:j])))
            self.decided[owner.id] = False
            self.items[i:j] = [Line(text) for text in _base(self.items[i:j])]
        self._enter()

    def undo_turn(self, which: tuple[int, int]) -> list[int]:
        """Take back what the turn has changed; return the ids of what was undone."""
        layer = next((each for each in self.layers if each.author.which == which), None)
        if layer is None:
            hunks = [owner for owner, _, _ in _hunks(self.items) if not owner.earlier]
            ids = [owner.id for owner in hunks if owner.author == (*which, "agent")]
            self.undo(*ids)
            return ids
        chosen = [each for each in _hunks(layer.text.items) if each[0].author.by == "agent"]
        edits = [
            Edit(
                len(_text(layer.text.items[:i])),
                len(_text(layer.text.items[:j])),
                _base(layer.text.items[i:j]),
            )
            for _, i, j in chosen
        ]
        whose = self._whose(layer, len(edits) == len(_hunks(layer.text.items)))
        for edit in reversed(edits):
            self._melt(edit, Author(*which, "agent"))
        self._hand_back(layer, whose)
        layer.text._without(edits)
        for each in self.layers:
            for edit in reversed(edits):
                each.text._take(edit)
        self.decided.update((owner.id, False) for owner, _, _ in chosen)
        self._enter()
        return [owner.id for owner, _, _ in chosen]

    def _hand_back(self, layer: _Layer, whose: dict[int, Owner]) -> None:
        """Hunks without a line of the turn are the newest earlier turn's."""
        for owner, _, _ in _hunks(self.items):
            authors = owner.earlier or layer.before
            if whose.get(owner.id) is not owner and authors:
                newest = authors[0]
                for author in authors:
                    newest = newest if newest.turn >= author.turn else author
                owner.author = newest
                owner.earlier = [author for author in owner.earlier if author.which != newest.which]

    def _written(self, changes: list[Edit], author: Author) -> None:
        if not self._layer_of(author, changes):
            self._take_in_layers(changes)
        else:
            for layer in self.layers:
                for edit in reversed(changes):
                    if layer.author.which == author.which:
                        layer.text._melt(edit, author)
                    else:
                        layer.text._take(edit)
        for edit in reversed(changes):
            self._melt(edit, author)
        self._enter()

    def _layer_of(self, author: Author, changes: list[Edit]) -> _Layer | None:
        """The layer of that turn. It begins once the turn changes lines of another one."""
        for layer in self.layers:
            if layer.author.which == author.which:
                return layer
        others = [each for each in _hunks(self.items) if each[0].author.which != author.which]
        if not any(self._overlaps(hunk, edit) for hunk in others for edit in changes):
            return None
        items = [item for item in _copied(self.items) if item.text is not None or _is_own(item, author)]
        text = self._other(items)
        for owner, _, _ in _hunks(text.items):
            owner.id = next(_numbers)
        for item in text.items:
            if not _is_own(item, author):
                item.owner, item.partner = None, []
        before = [owner.author for owner, _, _ in others]
        self.layers = [each for each in self.layers if each.author.session != author.session]
        self.layers.append(_Layer(author, text, before))
        return self.layers[-1]

    def _overlaps(self, hunk: tuple[Owner, int, int], edit: Edit) -> bool:
        _, i, j = hunk
        first, last = len(_text(self.items[:i])), len(_text(self.items[:j]))
        if first == last:
            return edit.first <= first <= edit.last
        return first < edit.last and last > edit.first

    def _take_in_layers(self, changes: list[Edit]) -> None:
        for layer in self.layers:
            for edit in reversed(changes):
                layer.text._take(edit)

    def _take_out_of_layers(self, hunks: list[tuple[Owner, int, int]]) -> None:
        places = [Edit(len(_text(self.items[:i])), len(_text(self.items[:j])), []) for _, i, j in hunks]
        for layer in self.layers:
            layer.text._without(places)

    def _without(self, places: list[Edit]) -> None:
        """Lines in these places, and what is hidden there, are nobody's to undo."""
        row, items = 0, []
        for item in self.items:
            if item.text is not None or not any(each.first <= row <= each.last for each in places):
                items.append(item)
            row += item.text is not None
        self.items = items
        for first, last, _ in reversed(places):
            if first < last:
                self._take(Edit(first, last, self.lines[first:last]))

    def _whose(self, layer: _Layer, is_whole: bool) -> dict[int, Owner]:
        """The hunks; not those of the turn with lines of others, if nothing of the turn is left."""
        return {
            owner.id: owner
            for owner, _, _ in _hunks(self.items)
            if not (is_whole and owner.author.which == layer.author.which and owner.earlier)
        }

    def _drop_layers(self) -> None:
        for layer in reversed(self.layers):
            if not _hunks(layer.text.items):
                self._hand_back(layer, self._whose(layer, True))
        self.layers = [layer for layer in self.layers if _hunks(layer.text.items)]

    def _refined(self, edit: Edit) -> list[Edit]:
        first, last, lines = edit
        finer = self._diff(self.lines[first:last], lines)
        return [Edit(first + each.first, first + each.last, each.lines) for each in finer]

    def _typed(self, changes: list[Edit]) -> None:
        self._take_in_layers(changes)
        for edit in reversed(changes):
            self._take(edit)
        self._enter()

    def _enter(self) -> None:
        self._drop_layers()
        self.past.append(_Moment(_copied(self.items), dict(self.decided), self._copied(self.layers)))

    def _copied(self, layers: list[_Layer]) -> list[_Layer]:
        return [_Layer(each.author, self._other(_copied(each.text.items)), each.before) for each in layers]

    def _other(self, items: list[Line]) -> Model:
        text = Model([], self._diff)
        text.items = items
        return text

    def _recall(self, known: _Moment) -> None:
        self.items = _copied(known.items)
        self.layers = self._copied(known.layers)
        hunks = _hunks(self.items)
        self._take_out_of_layers([each for each in hunks if self._is_kept(self.items[each[1] : each[2]])])
        kept = {one: True for one, state in self.decided.items() if state}
        undone = {
            one: False for one, state in known.decided.items() if not state and one not in self.kept_ids
        }
        self.decided = {**known.decided, **undone, **kept}
        for at, item in enumerate(self.items):
            if item.owner:
                item.partner[:] = [old for old in item.partner if old.token not in self.kept]
            if item.owner and item.token in self.kept and item.text is not None:
                self.items[at] = Line(item.text)
        self.items = [item for item in self.items if item.text is not None or item.partner]
        self._apart_where_kept()

    def _is_kept(self, items: list[Line]) -> bool:
        olds = [old for item in items for old in item.partner]
        return any(each.token in self.kept for each in [*items, *olds])

    def _apart_where_kept(self) -> None:
        for at in range(1, len(self.items)):
            if self.items[at - 1].owner is None and self.items[at].owner is not None:
                _tell_apart(self.items[:at], self.items[at:])
        owners = {item.owner.id: item.owner for item in self.items if item.owner}
        for one in owners.values():
            if one.id in self.kept_ids:
                one.id = next(_numbers)

    def _place(self, first: int, last: int) -> tuple[int, int]:
        """The items of these rows; new lines come behind what is hidden at the first."""
        live = [at for at, item in enumerate(self.items) if item.text is not None]
        begin = live[first] if first < len(live) else len(self.items)
        return begin, live[last - 1] + 1 if last > first else begin

    def _take(self, edit: Edit) -> None:
        begin, end = self._place(edit.first, edit.last)
        written: list[Line] = [Line(text) for text in edit.lines]
        row = 0
        hidden: list[tuple[int, Line]] = []
        for item in self.items[begin:end]:
            if item.text is None:
                hidden.append((min(row, len(edit.lines)), item))
            else:
                row += 1
                if item.owner:
                    item.partner.clear()
        for at, item in reversed(hidden):
            written.insert(at, item)
        before, behind = self.items[:begin], self.items[end:]
        _tell_apart(before, behind)
        self.items = [*before, *written, *behind]

    def _melt(self, edit: Edit, author: Author) -> None:
        begin, end = self._place(edit.first, edit.last)
        met = [each for each in _hunks(self.items) if self._meets(each, edit, author)]
        low = min([begin, *(i for _, i, _ in met)])
        high = max([end, *(j for _, _, j in met)])
        old = _base(self.items[low:high])
        new = [*_text(self.items[low:begin]), *edit.lines, *_text(self.items[end:high])]
        before: set[int] = set()
        earlier: list[Author] = []
        for owner, i, j in met:
            for other in (owner.author, *owner.earlier):
                if other.which not in [author.which, *(each.which for each in earlier)]:
                    earlier.append(other)
            before |= owner.before
            for item in self.items[i:j]:
                before |= {item.token, *(one.token for one in item.partner)}
        spans = [
            (len(_base(self.items[low:i])), len(_base(self.items[low:j])), owner.id) for owner, i, j in met
        ]
        changes = self._diff(old, new) if met else [Edit(0, len(old), new)]
        result: list[Line] = []
        done = 0
        for first, last, lines in changes:
            result += [Line(text) for text in old[done:first]]
            owner = Owner(author, before=before, earlier=earlier)
            for span in spans:
                if span[0] <= last and span[1] >= first:
                    owner.id = span[2]
                    del spans[: spans.index(span) + 1]
                    break
            result += _paired(old[first:last], lines, owner)
            done = last
        result += [Line(text) for text in old[done:]]
        self.items[low:high] = result

    def _meets(self, hunk: tuple[Owner, int, int], edit: Edit, author: Author) -> bool:
        owner, i, j = hunk
        first, last = len(_text(self.items[:i])), len(_text(self.items[:j]))
        if first < edit.last and last > edit.first:
            return True
        return first <= edit.last and last >= edit.first and (owner.author == author or first == last)


def _is_own(item: Line, author: Author) -> bool:
    owner = item.owner
    return owner is not None and owner.author.which == author.which and not owner.earlier


def _copied(items: list[Line]) -> list[Line]:
    """Tokens and ids are those of the original."""
    return copy.deepcopy(items)
