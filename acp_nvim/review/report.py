"""What the user made of a proposal, or of what was written, and how the agent is told: what is still so when it is."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Literal, NamedTuple

from acp_nvim.review.edits import Edit, apply, edits

_LINES = 200  # of hunks in one report
_WIDTH = 400
_CONTEXT = 2
_LEGEND = 'Lines with "-" are what you proposed, lines with "+" are what the user decided on instead.'
_WRITTEN = 'Lines with "-" are what you wrote, lines with "+" are what stands there now.'
_SINCE = "the text there has changed since"


class Decision(NamedTuple):
    kind: Literal["all", "nothing", "mixed"]
    text: str | None


def decide(left: str | None, right: str | None, decided: str | None) -> Decision:
    """What an editor does to the end of a text is no decision; no file and an empty one look the same in it."""
    for same in (_exactly, _nearly):
        if same(decided, right):
            return Decision("all", right)
        if same(decided, left):
            return Decision("nothing", left)
    return Decision("mixed", decided)


def _exactly(one: str | None, other: str | None) -> bool:
    return one == other


def _nearly(one: str | None, other: str | None) -> bool:
    return _lines(one) == _lines(other)


def _lines(text: str | None) -> list[str]:
    return (text or "").removeprefix("\ufeff").replace("\r\n", "\n").removesuffix("\n").split("\n")


class Hidden:
    """Nobody knows what stands there now."""


def report(
    path: str,
    right: str | None,
    decided: str | None,
    left: str | None = None,
    now: str | type[Hidden] | None = Hidden,
) -> str:
    """For the agent's next prompt; empty if the user took it all. `left` tells refused hunks from changed ones.

    Of hunks that are not in the text any more as it was decided, only their number is told.
    """
    if decide(left, right, decided).kind == "all":
        return ""
    name = _printable(path)
    if right is None:
        return f"{name}: the user refused to delete it." + (
            "" if _nearly(left, decided) else " It was changed."
        )
    if decided is None:
        return f"{name}: the user wants no such file."
    proposed, have = _rows(right), _rows(decided)
    changes = edits(proposed, have)
    if not changes:
        return f"{name}: the user decided on another end of the last line."
    counts = _counted(changes, None if left is None else _rows(left), have, "refused")
    still = changes if isinstance(now, type) else _unchanged(changes, have, _rows(now or ""))
    if not still:
        return f"{name}: {counts}; {_SINCE}."
    since = "" if len(still) == len(changes) else f" Where {_SINCE}, no lines are shown."
    return "\n".join([f"{name}: {counts}. {_LEGEND}{since}", *_bounded(_unified(proposed, still))])


def report_of_review(path: str, left: Sequence[str], right: Sequence[str], now: Sequence[str] | None) -> str:
    """What has become of the agent's lines, which have made `right` of `left`; None: there is no such file now.

    What the user has written beside them is not told: it is no answer to the agent.
    """
    name, was, have = _printable(path), list(right), list(now or ())
    if now is None:
        return f"{name}: the user has removed this file of yours." if right else ""
    if left and not right:
        return f"{name}: the user has brought the file back that you deleted." if now else ""
    agents = edits(list(left), was)
    places = [
        (span, set(left[each.first : each.last])) for span, each in zip(_spans(agents), agents, strict=True)
    ]
    told = [each for each in edits(was, have) if any(_answers(each, *place) for place in places)]
    if not told:
        return ""
    counts = _counted(told, list(left), apply(was, told), "undone")
    return "\n".join([f"{name}: {counts}. {_WRITTEN}", *_bounded(_unified(was, told))])


def _answers(change: Edit, span: tuple[int, int], old: Collection[str]) -> bool:
    """The change is made to lines of the agent, and not beside them; where it has deleted some, they are back."""
    if span[0] == span[1]:
        return change.first <= span[0] <= change.last and any(line in old for line in change.lines)
    if change.first == change.last:
        return span[0] < change.first < span[1]
    return change.first < span[1] and span[0] < change.last


def _unchanged(changes: Sequence[Edit], decided: list[str], now: list[str]) -> list[Edit]:
    """Those whose lines nobody has touched after the decision."""
    touched = [(each.first, each.last) for each in edits(decided, now)]
    spans = zip(changes, _spans(changes), strict=True)
    return [change for change, span in spans if not any(_meet(span, other) for other in touched)]


def _rows(text: str) -> list[str]:
    return _lines(text) if text else []


def _counted(changes: Sequence[Edit], left: list[str] | None, have: list[str], refused_is: str) -> str:
    """A hunk is refused where the decided text is still what it was before the proposal."""
    if left is None:
        return f"{_hunks(len(changes))} refused or changed by the user"
    touched = _spans(edits(left, have))
    refused = sum(not any(_meet(span, other) for other in touched) for span in _spans(changes))
    parts = [(refused, refused_is), (len(changes) - refused, "changed")]
    return f"{' and '.join(f'{_hunks(count)} {verb}' for count, verb in parts if count)} by the user"


def _hunks(count: int) -> str:
    return f"{count} hunk{'s' * (count > 1)}"


def _spans(changes: Sequence[Edit]) -> list[tuple[int, int]]:
    """Where the edits are in the text that they make."""
    spans = []
    shift = 0
    for first, last, lines in changes:
        spans.append((first + shift, first + shift + len(lines)))
        shift += len(lines) - (last - first)
    return spans


def _meet(one: tuple[int, int], other: tuple[int, int]) -> bool:
    if one[0] == one[1] or other[0] == other[1]:
        return one[0] <= other[1] and other[0] <= one[1]
    return one[0] < other[1] and other[0] < one[1]


class _Group(NamedTuple):
    first: int  # with context, rows of the proposed text
    last: int
    shift: int  # to rows of the decided text
    changes: list[Edit]


def _groups(size: int, changes: Sequence[Edit]) -> Iterator[_Group]:
    """Edits whose context meets are one hunk."""
    shift = 0
    group: list[Edit] = []
    before = 0

    def ended() -> _Group:
        return _Group(max(group[0].first - _CONTEXT, 0), min(group[-1].last + _CONTEXT, size), before, group)

    for edit in changes:
        if group and edit.first - group[-1].last > 2 * _CONTEXT:
            yield ended()
            group, before = [], shift
        group.append(edit)
        shift += len(edit.lines) - (edit.last - edit.first)
    yield ended()


def _unified(old: list[str], changes: Sequence[Edit]) -> Iterator[str]:
    for first, last, shift, group in _groups(len(old), changes):
        inside = [Edit(edit.first - first, edit.last - first, edit.lines) for edit in group]
        news = len(apply(old[first:last], inside))
        yield f"@@ -{_range(first, last - first)} +{_range(first + shift, news)} @@"
        at = first
        for edit in group:
            yield from (f" {line}" for line in old[at : edit.first])
            yield from (f"-{line}" for line in old[edit.first : edit.last])
            yield from (f"+{line}" for line in edit.lines)
            at = edit.last
        yield from (f" {line}" for line in old[at:last])


def _range(first: int, count: int) -> str:
    return f"{first + (count > 0)},{count}"


def _bounded(lines: Iterator[str]) -> Iterator[str]:
    more = 0
    for number, line in enumerate(lines):
        if number >= _LINES:
            more += 1
        elif len(line) > _WIDTH:
            yield f"{line[:_WIDTH]}… ({len(line) - _WIDTH} more characters)"
        else:
            yield line
    if more:
        yield f"… ({more} more lines)"


def _printable(path: str) -> str:
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in path)
