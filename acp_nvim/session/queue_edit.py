"""Merges the user's edit of the queue with what was sent meanwhile."""

from __future__ import annotations

from collections import Counter
from difflib import SequenceMatcher

from acp_nvim.text import line_diff


def still_to_send(
    was: list[str], present: list[str], wanted: list[str]
) -> tuple[list[str], list[str], list[str]]:
    """The user edited the queue `was` to `wanted`, and it is `present` by now. Return the prompts to queue (with those
    that were added meanwhile), prompts in `wanted` that have been sent, and edited versions of sent prompts."""
    sent = Counter(was) - Counter(present)
    kept: list[str] = []
    again: list[str] = []
    late: list[str] = []
    for text in wanted:
        (again if sent[text] > 0 else kept).append(text)
        sent[text] -= 1
    for original, edit in edits(was, wanted):
        if sent[original] > 0:
            sent[original] -= 1
            kept.remove(edit)
            late.append(edit)
    return kept + list((Counter(present) - Counter(was)).elements()), again, late


def edits(was: list[str], wanted: list[str]) -> list[tuple[str, str]]:
    """Pair edited texts: by place, or by likeness if their number has changed."""
    pairs = []
    for first, last, start, end in line_diff.stretches(was, wanted):
        new = [text for text in wanted[start:end] if text not in was]
        place = len(new) == last - first
        for original in was[first:last]:
            if not new:
                break
            likeness = [SequenceMatcher(None, original, text).quick_ratio() for text in new]
            edit = new[0] if place else new[likeness.index(max(likeness))]
            new.remove(edit)
            pairs.append((original, edit))
    return pairs
