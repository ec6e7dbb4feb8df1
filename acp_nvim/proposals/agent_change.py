"""Converts the change of one file that an agent describes to two whole texts: the one it builds on, and the result.

Agents name whole texts, or fragments that they replace. Which text they have in mind is found by looking: the disk's,
or what the agent believes of the file because it has read or written it through us.

    disk `a b c`, change `b` to `B`                base `a b c`, new `a B c`
    disk `a b`, change `c` to `C`, belief `a c`    base `a c`, new `a C`
    disk `a b a`, change `a` to `A`                no place: it is there twice, both texts stay as they came
    disk `a b a`, change `a` to `A` everywhere     base `a b a`, new `A b A`

Lua carries the change over to the live text, which may hold unsaved lines (`lua/acp_nvim/proposal/build.lua`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from acp_nvim import limits
from acp_nvim.text.text_file import split

_GONE = "The file no longer exists: the change is shown as sent"
_MISSED = "The text to replace is not in the file: the change is shown as sent"
_TWICE = "The text to replace occurs more than once: the change is shown as sent"
_TOO_MUCH = "The text to replace occurs too often to show: the change is shown as sent"
_BOM = "\ufeff"


class Change(NamedTuple):
    old: str | None  # None or empty: a new file, or all of one
    new: str | None  # None: the file is to go
    everywhere: bool = False  # each place of a fragment is meant, else it has to have exactly one
    is_live: bool = False  # `old` is all of the text that the user saw, unsaved lines included


class AgentChange(NamedTuple):
    base: str | None  # None: the file is new
    new: str | None  # None: the file is to be deleted
    problem: str = ""  # why the change has no place in the file; then both are as they came
    written: frozenset[str | None] = frozenset()  # what the disk may hold once the agent has made it


def find_place(disk: str | None, belief: str | None, changes: Iterable[Change]) -> AgentChange:
    """Find the text that the changes build on.

    `disk` is None if there is no file. `belief` is what the agent has seen of it, as far as anybody knows.
    """
    changes = list(changes)
    if len(changes) == 1 and changes[0].is_live:
        return AgentChange(changes[0].old, changes[0].new, written=frozenset([changes[0].new]))
    if changes and changes[-1].new is None:
        return AgentChange(disk, None, written=frozenset([None]))
    overwrites = not changes[0].old
    if disk is None and not overwrites:
        return as_it_came(changes, _GONE)
    texts = dict.fromkeys([belief, disk] if overwrites else [disk, belief])
    made = [AgentChange(text, new) for text in texts if (new := _apply(text, changes)) is not None]
    written = {change.new for change in made}
    if any(each.old and not each.new for each in changes):
        written |= {new for text in texts if (new := _apply(text, changes, takes_ends=True)) is not None}
    if len(changes) == 1 and (overwrites or (made and _is_all_of(made[0].base, changes[0].old))):
        written.add(changes[0].new)
    if not made:
        return as_it_came(changes, _reason(disk or "", changes))
    known = next((each for each in made if each.base is not None), made[0])
    return known._replace(written=frozenset(written))


def as_it_came(changes: Sequence[Change], problem: str) -> AgentChange:
    """Return the agent's own texts, where the changes have no place in the file."""
    old = [each.old for each in changes if each.old is not None]
    new = [each.new for each in changes if each.new is not None]
    return AgentChange("\n".join(old) if old else None, "\n".join(new) if new else None, problem)


def _apply(text: str | None, changes: Sequence[Change], takes_ends: bool = False) -> str | None:
    """Return the text with all changes; None: one of them has no place.

    `takes_ends`: as Claude deletes a fragment. It takes the line end behind it, too, and where any line ends with the
    fragment only those: `x` of `x y x\n` leaves `x y ` everywhere.
    """
    made = text
    for old, new, everywhere, _ in changes:
        if not old or (made is not None and _is_all_of(made, old)):
            made = _in_the_shape_of(made, old, new or "")
        elif made is not None:
            deletes = takes_ends and not new and not old.endswith("\n")
            rest = _replaced(made, f"{old}\n", "", everywhere) if deletes else None
            made = _replaced(made, old, new or "", everywhere) if rest is None else rest
        if made is None:
            return None
    return made


def _in_the_shape_of(text: str | None, old: str | None, new: str) -> str:
    """Return a new whole text with the line ends and mark of the file.

    An agent that takes the last line for one with an end, or without, means no change of that end.
    """
    if text is None:
        return new
    end = split(text.removeprefix(_BOM)).end
    body = new.removeprefix(_BOM)
    body = body.replace("\r\n", "\n").replace("\n", end) if end != "\n" or "\r\n" in (old or "") else body
    if old and old.endswith("\n") == new.endswith("\n") != text.endswith("\n"):
        body = f"{body}{end}" if text.endswith("\n") else body.removesuffix(end)
    return (_BOM if text.startswith(_BOM) else "") + body


def _is_all_of(text: str | None, old: str | None) -> bool:
    return text is not None and old is not None and (text == old or _plain(text) == _plain(old))


def _plain(text: str) -> str:
    return text.removeprefix(_BOM).replace("\r\n", "\n").removesuffix("\n")


def _replaced(text: str, old: str, new: str, everywhere: bool) -> str | None:
    """Return the text with the fragment replaced; None unless it is there exactly once.

    Everywhere: it may be there several times. Agents replace from left to right, and go on behind what they replaced:

        text `aaa b aa`, change `aa` to `x`     `xa b x`
    """
    for place, what, by in _spellings(text, old, new):
        count = _count(place, what)
        if count > 1 and not (everywhere and _is_bounded(place, what, by)):
            return None
        if count:
            whole = place.replace(what, by)
            return whole if place == text else whole.removesuffix(split(place).end)
    return None


def _is_bounded(text: str, what: str, by: str) -> bool:
    """Whether all places can be replaced: a short message could make a text of any size."""
    places = text.count(what)
    size = len(text) + places * (len(by) - len(what))
    return places <= limits.REPLACED_PLACES and size <= max(len(text), limits.REPLACED_CHARS)


def _count(text: str, what: str) -> int:
    """Count occurrences up to two, overlapping ones too."""
    first = text.find(what)
    return 0 if first < 0 else 1 + (text.find(what, first + 1) >= 0)


def _spellings(text: str, old: str, new: str) -> Iterable[tuple[str, str, str]]:
    """Yield the fragment as it came, with the file's line ends, and with a final newline that the file lacks."""
    yield text, old, new
    end = split(text).end
    ours = [each.replace("\r\n", "\n").replace("\n", end) for each in (old, new)]
    if ours != [old, new]:
        yield text, ours[0], ours[1]
    if ours[0].endswith(end) and not text.endswith(end):
        yield text + end, ours[0], ours[1]


def _reason(disk: str, changes: Sequence[Change]) -> str:
    for old, new, everywhere, _ in changes:
        for place, what, by in _spellings(disk, old, new or "") if old else ():
            if everywhere and not _is_bounded(place, what, by):
                return _TOO_MUCH
            if not everywhere and _count(place, what) > 1:
                return _TWICE
    return _MISSED
