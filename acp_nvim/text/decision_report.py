"""Reports to the agent, in words and unified diffs, what the user decided on its changes.

    left a b c d, right a B C d, and the user has refused C: decided a B c d

    notes.txt: 1 hunk refused by the user. Lines with "-" are what you proposed, …
    @@ -1,4 +1,4 @@
     a
     B
    -C
    +c
     d

A report goes out with the next prompt. Of hunks whose text has changed again by then only the number is told.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Protocol

from acp_nvim import limits
from acp_nvim.text.compare_decision import are_alike, decide, lines_of, overlap, spans
from acp_nvim.text.line_diff import Edit, apply, edits

_CONTEXT = 2
_LEGEND = 'Lines with "-" are what you proposed, lines with "+" are what the user decided on instead.'
_WRITTEN = 'Lines with "-" are what you wrote, lines with "+" are what stands there now.'
_SINCE = "the text there has changed since"
_REFUSED_DELETION = "the user refused to delete it."
_WAS_CHANGED = " It was changed."
_NO_SUCH_FILE = "the user wants no such file."
_OTHER_END = "the user decided on another end of the last line."
_REMOVED = "the user has removed this file of yours."
_RESTORED = "the user has brought the file back that you deleted."
_GONE = "the file is not there any more"
_NO_LINES = f" Where {_SINCE}, no lines are shown."


# the first line of a report, and the lines of its diff
_COUNTS = r"\d+ hunks? (?:refused|changed|undone|refused or changed)"
_HEAD = re.compile(
    r"\S[^\n]*: (?:"
    + "|".join(
        map(re.escape, (_REFUSED_DELETION + _WAS_CHANGED, _REFUSED_DELETION, _NO_SUCH_FILE, _OTHER_END))
    )
    + f"|{re.escape(_REMOVED)}|{re.escape(_RESTORED)}"
    + rf"|{_COUNTS}(?: and {_COUNTS})? by the user(?:; (?:{_SINCE}|{_GONE})\."
    + rf"|\. (?:{re.escape(_LEGEND)}|{re.escape(_WRITTEN)})(?:{re.escape(_NO_LINES)})?))"
)
_BODY = re.compile(r"[ +\-\\]|@@ |… \(\d+ more lines\)$")


class LostLines(Protocol):
    """What has become of an agent's lines in one file under review. The editor provides it."""

    @property
    def path(self) -> str: ...
    @property
    def undone(self) -> int: ...
    @property
    def changed(self) -> int: ...
    @property
    def lines(self) -> list[str]:
        """A unified diff, or the beginning of one."""

    @property
    def more(self) -> int:
        """How many lines the diff has beyond these."""

    @property
    def removed(self) -> bool:
        """The user has removed the file, which the agent had created."""

    @property
    def restored(self) -> bool:
        """The user has brought the file back, which the agent had deleted."""

    @property
    def gone(self) -> bool:
        """The file is not there any more: nothing stands in the place of the agent's lines."""


class Hidden:
    """The present text of the file is not known."""


def report(
    path: str,
    right: str | None,
    decided: str | None,
    left: str | None = None,
    now: str | type[Hidden] | None = Hidden,
) -> str:
    """Return the lines for the agent's next prompt; empty if the user accepted everything.

    With `left`, the text before the proposal, refused hunks are told from changed ones. `now` is the present text: of
    hunks that have changed since the decision only the number is reported.
    """
    if decide(left, right, decided).kind == "all":
        return ""
    name = _printable(path)
    if right is None:
        return f"{name}: {_REFUSED_DELETION}" + ("" if are_alike(left, decided) else _WAS_CHANGED)
    if decided is None:
        return f"{name}: {_NO_SUCH_FILE}"
    proposed, have = _rows(right), _rows(decided)
    changes = edits(proposed, have)
    if not changes:
        return f"{name}: {_OTHER_END}"
    counts = _counted(changes, None if left is None else _rows(left), have)
    still = changes if isinstance(now, type) else _unchanged(changes, have, _rows(now or ""))
    if not still:
        return f"{name}: {counts}; {_SINCE}."
    since = "" if len(still) == len(changes) else _NO_LINES
    return "\n".join([f"{name}: {counts}. {_LEGEND}{since}", *_bounded(unified(proposed, still))])


def report_of_review(path: str, file: LostLines) -> str:
    """Return the lines for the agent's next prompt about one file under review.

    What the user has written beside the agent's lines is left out: it is no answer to the agent.
    """
    name = _printable(path)
    if file.removed:
        return f"{name}: {_REMOVED}"
    if file.restored:
        return f"{name}: {_RESTORED}"
    counts = _listed((file.undone, "undone"), (file.changed, "changed"))
    if file.gone:
        return f"{name}: {counts}; {_GONE}."
    lines = _bounded(iter(file.lines), file.more)
    return "\n".join([f"{name}: {counts}. {_WRITTEN}", *lines])


def split(text: str) -> tuple[str, str]:
    """Return the reports with which a text begins, and the rest: agents replay both as one message of the user's.

    notes.txt: 1 hunk refused by the user. Lines with …      a report: its first line, and its diff
    @@ -1,2 +1,2 @@
    -C
    +c
                                                             parts it from the next one, and from the words
    and now the tests                                        the rest
    """
    lines = text.split("\n")
    end = at = 0
    while at < len(lines) and _HEAD.fullmatch(lines[at]):
        at = _next(lines, at + 1, lambda line: bool(_BODY.match(line)))
        end = at
        at = _next(lines, at, lambda line: not line.strip())
    return "\n".join(lines[:end]), "\n".join(lines[at:]) if end else text


def _next(lines: Sequence[str], at: int, goes_on: Callable[[str], bool]) -> int:
    while at < len(lines) and goes_on(lines[at]):
        at += 1
    return at


def _unchanged(changes: Sequence[Edit], decided: list[str], now: list[str]) -> list[Edit]:
    """Return the changes whose lines are still as they were decided."""
    touched = [(each.first, each.last) for each in edits(decided, now)]
    placed = zip(changes, spans(changes), strict=True)
    return [change for change, span in placed if not any(overlap(span, other) for other in touched)]


def _rows(text: str) -> list[str]:
    return lines_of(text) if text else []


def _counted(changes: Sequence[Edit], left: list[str] | None, have: list[str]) -> str:
    """Count the hunks: one is refused where the decided text is what it was before the proposal, else changed."""
    if left is None:
        return f"{_hunks(len(changes))} refused or changed by the user"
    touched = spans(edits(left, have))
    refused = sum(not any(overlap(span, other) for other in touched) for span in spans(changes))
    return _listed((refused, "refused"), (len(changes) - refused, "changed"))


def _listed(*parts: tuple[int, str]) -> str:
    return f"{' and '.join(f'{_hunks(count)} {verb}' for count, verb in parts if count)} by the user"


def _hunks(count: int) -> str:
    return f"{count} hunk{'s' * (count > 1)}"


class _Group(NamedTuple):
    first: int  # with context, rows of the proposed text
    last: int
    shift: int  # to rows of the decided text
    changes: list[Edit]


def _groups(size: int, changes: Sequence[Edit]) -> Iterator[_Group]:
    """Group edits into hunks: those whose context lines touch share one."""
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


def unified(old: list[str], changes: Sequence[Edit]) -> Iterator[str]:
    """Yield the hunks of a unified diff, with little context."""
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


def _bounded(lines: Iterator[str], more: int = 0) -> Iterator[str]:
    for number, line in enumerate(lines):
        if number >= limits.REPORT_LINES:
            more += 1
        elif len(line) > limits.REPORT_LINE_CHARS:
            yield f"{line[: limits.REPORT_LINE_CHARS]}… ({len(line) - limits.REPORT_LINE_CHARS} more characters)"
        else:
            yield line
    if more:
        yield f"… ({more} more lines)"


def _printable(path: str) -> str:
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in path)
