"""What a file would be if a proposal were carried out: the live text with the proposal's hunks, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from acp_nvim.review.codec import Text, split
from acp_nvim.review.patch import parse_patch
from acp_nvim.review.report import Decision, decide, report
from acp_nvim.review.texts import as_text, join

__all__ = ["OVERLAP", "Decision", "Proposed", "decide", "parse_patch", "propose", "propose_all", "report"]

_GONE = "The file is not there any more: shown as it came"
_MISSED = "The text to be replaced is not in the file: shown as it came"
_TWICE = "The text to be replaced is in the file more than once: shown as it came"
OVERLAP = "It changes lines that you have changed too: what is on the right decides"
_BOM = "\ufeff"


class Proposed(NamedTuple):
    """Where a fragment does not fit, both sides are the fragment's own."""

    left: str | None  # the live text; None: no file
    right: str | None  # None: the file is to be deleted
    fits: bool = True
    problem: str = ""
    whole: bool = True


def propose(
    live: str | None, disk: str | None, belief: str | None, old: str | None, new: str | None
) -> Proposed:
    """`old` None or empty: a new file, or all of one. `disk` and `belief`: what the agent may have seen of it."""
    if new is None:
        return Proposed(live, None)
    seen = [text for text in (live, disk, belief) if text is not None]
    if live is None:
        return Proposed(None, new) if not old else Proposed(None, new, False, _GONE)
    if not old:
        return _merged(live, next((text for text in (belief, disk) if text is not None), ""), new, True)
    for text in seen:
        if _same(text, old):
            return _merged(live, old, new, True)
    return _fragment(live, seen, old, new)


def propose_all(
    live: str | None,
    disk: str | None,
    belief: str | None,
    changes: Iterable[tuple[str | None, str | None]],
) -> Proposed:
    """Several changes of one file, each made to what the one before has left."""
    changes = list(changes)
    result = Proposed(live, live)
    for old, new in changes:
        step = propose(result.right, disk, belief, old, new)
        if not step.fits:
            return _as_they_came(live, changes, step.problem) if len(changes) > 1 else step
        disk, belief = (_followed(text, old, new) for text in (disk, belief))
        whole = step.whole and result.whole
        result = Proposed(live, step.right, step.fits and result.fits, step.problem or result.problem, whole)
    return result


def _as_they_came(live: str | None, changes: list[tuple[str | None, str | None]], problem: str) -> Proposed:
    left, right = ("\n".join(text or "" for text in side) for side in zip(*changes, strict=True))
    return Proposed(left if live is not None else None, right, False, problem, False)


def _followed(seen: str | None, old: str | None, new: str | None) -> str | None:
    """What the agent takes for the text after its change."""
    step = propose(seen, seen, None, old, new)
    return step.right if step.fits else seen


def _fragment(live: str, seen: list[str], old: str, new: str) -> Proposed:
    for text in seen:
        placed = _placed(text, old, new)
        if placed is not None:
            return _merged(live, text, placed, False)
    twice = any(_times(place, what) > 1 for place, what, _ in _spellings(live, old, new))
    return Proposed(old, new, False, _TWICE if twice else _MISSED, False)


def _placed(text: str, old: str, new: str) -> str | None:
    """The text with the fragment replaced; None unless it is there exactly once."""
    for place, what, by in _spellings(text, old, new):
        times = _times(place, what)
        if times > 1:
            return None
        if times:
            before, after = place.split(what)
            whole = before + by + after
            return whole if place == text else whole.removesuffix(split(place).end)
    return None


def _times(text: str, what: str) -> int:
    """Up to two, overlapping ones too."""
    first = text.find(what)
    return 0 if first < 0 else 1 + (text.find(what, first + 1) >= 0)


def _spellings(text: str, old: str, new: str) -> Iterable[tuple[str, str, str]]:
    """As it came; with the file's line ends; with a final newline that the file does not have."""
    yield text, old, new
    end = split(text).end
    plain = [each.replace("\r\n", "\n") for each in (old, new)]
    ours = [each.replace("\n", end) for each in plain]
    if ours != [old, new]:
        yield text, ours[0], ours[1]
    if ours[0].endswith(end) and not text.endswith(end):
        yield text + end, ours[0], ours[1]


def _merged(live: str, base: str, new: str, whole: bool) -> Proposed:
    """The agent's change of `base` made to the live text; where both changed lines, the agent's are shown."""
    end = split(live).end
    if end == "\n" and "\r\n" in base and "\r\n" not in live:
        base, new = (text.replace("\r\n", "\n") for text in (base, new))
    joined = join(base, as_text(live, end), new)
    right = _whole(joined.theirs, live)
    problem = OVERLAP if joined.overlaps else ""
    return Proposed(live, right, True, problem, whole)


def _whole(text: Text, live: str) -> str:
    return (_BOM if live.startswith(_BOM) else "") + text.whole


def _same(one: str, other: str) -> bool:
    return one == other or _plain(one) == _plain(other)


def _plain(text: str) -> str:
    return text.removeprefix(_BOM).replace("\r\n", "\n").removesuffix("\n")
