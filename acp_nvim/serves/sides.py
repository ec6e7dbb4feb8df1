"""What the editor is told of the two sides of a diff. Names in the bars are the agent's: they are no formats."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from acp_nvim.chat.tool_lines import relative
from acp_nvim.review.codec import Text, split
from acp_nvim.review.proposed import OVERLAP
from acp_nvim.serves.conflicts import Conflict
from acp_nvim.session.proposed_diffs import FileDiff, diffs
from acp_nvim.session.question import Question
from acp_nvim.session.session import Session
from acp_nvim.session.tool_call import ToolCall
from acp_nvim.text.diff_cost import stands_still
from acp_nvim.text.printable import one_line

_LATER = "this agent saves the file itself; refused hunks are reverted right after"
_PLAIN = "too much differs to be shown as a diff"
_WHOLE = ("send", "reject", "later")
_LONGEST_LINE = 256 * 1024  # characters
_SAME_LINES = "only the end of the last line differs"
_GOES = "the newline at the end goes, too"
_COMES = "a newline at the end is added, too"
_SHORT = {
    _PLAIN: "too much for a diff",
    _LATER: "agent saves first",
    OVERLAP: "both changed",
    _GOES: "last newline goes",
    _COMES: "last newline added",
}


def of_page(
    question: Question, session: Session, pages: Sequence[Any], at: int, *, through: bool
) -> dict[str, Any]:
    page = pages[at]
    made = page.proposed
    left, right = _text(made.left), _text(made.right)
    editable = made.fits and made.right is not None
    is_end = None not in (made.left, made.right) and made.left != made.right and left.lines == right.lines
    plain = is_plain(left, right)
    end = _SAME_LINES if is_end else _change_of_end(left, right)
    notes = [plain and _PLAIN, made.problem, page.is_outside and "outside the folders"]
    notes += [end, not through and editable and not is_end and _LATER]
    said = [str(note) for note in notes if note]
    return {
        "question": question.id,
        "session": session.number,
        "at": at + 1,
        "files": [{"path": each.path, "name": each.name, "decided": each.is_decided} for each in pages],
        "live": page.is_loaded,
        "follows": editable and made.left is not None and not plain,
        "plain": plain,
        "left": lines(left),
        "right": lines(right),
        "first": first(left, right),
        "unsaved": list(page.unsaved),
        "editable": editable,
        "note": said[0] if said else None,
        **_bars(
            "now" if made.left is not None else None,
            _name(page),
            {"path": _shown(page.path, session.cwd), "at": at + 1, "of": len(pages)},
            said,
            ["refuse", *_WHOLE] if editable and not plain and made.left is not None else _WHOLE,
        ),
    }


def other(page: Any, text: str | None) -> dict[str, Any]:
    """A file that is not shown now, whose right side there may be a buffer of; `text`: what the user made of it."""
    left, right = _text(page.proposed.left), _text(page.proposed.right)
    is_whole = page.proposed.fits and None not in (page.proposed.left, page.proposed.right)
    follows = is_whole and not is_plain(left, right)
    return {"path": page.path, "left": lines(left), "right": lines(right), "text": text, "follows": follows}


def of_call(session: Session, call: ToolCall) -> dict[str, Any] | None:
    """A call's own texts, as they came; None: it has none."""
    found = diffs(call, session.cwd)
    if not found:
        return None
    path = found[0].path
    mine = [diff for diff in found if diff.path == path]
    left, right = _text(_joined(mine, "old")), _text(_joined(mine, "new"))
    name = one_line(path.rpartition("/")[2])
    plain = is_plain(left, right)
    return {
        "session": session.number,
        "at": 1,
        "files": [{"path": path, "name": name}],
        "left": lines(left),
        "right": lines(right),
        "first": first(left, right),
        "editable": False,
        "focus": True,
        "plain": plain,
        "note": _PLAIN if plain else None,
        **_bars(
            "before" if any(diff.old is not None for diff in mine) else None,
            "after" if any(diff.old is not None for diff in mine) else "new file",
            {"path": _shown(path, session.cwd)},
            [_PLAIN] if plain else [],
            ["close"],
        ),
    }


def of_conflict(question: Question, conflict: Conflict) -> dict[str, Any]:
    """Both versions of a conflict: what is made of the right one is saved, as the agent's write would be. Where the
    agent has written the disk itself, it becomes the buffer's text, and the user saves it."""
    left, right = _text(conflict.mine), _text(conflict.agents)
    name = one_line(os.path.basename(conflict.path))
    plain = is_plain(left, right)
    return {
        "question": question.id,
        "session": question.session,
        "version": question.version,
        "verb": "merged",
        "final": conflict.agents.endswith("\n"),
        "at": 1,
        "files": [{"path": conflict.path, "name": name}],
        "left": lines(left),
        "right": lines(right),
        "first": first(left, right),
        "editable": True,
        "focus": True,
        "plain": plain,
        "note": _PLAIN if plain else None,
        **conflict.take_news(),
        **_bars(
            "yours",
            "your buffer, unsaved" if question.stays else "what will be saved",
            {"path": name},
            [_PLAIN] if plain else [],
            [*([] if plain else ["yours"]), "merge" if question.stays else "save", "later"],
        ),
    }


def lines(text: Text) -> str:
    """As the editor has them: joined, without a last end."""
    return "\n".join(text.lines)


def is_plain(left: Text, right: Text) -> bool:
    """No diff: Neovim would stand still over it, or over drawing one of its lines."""
    longest = max(map(len, (*left.lines, *right.lines)), default=0)
    return longest > _LONGEST_LINE or stands_still(lines(left), lines(right))


def first(left: Text, right: Text) -> list[int]:
    """Where the first change begins on both sides, from 1."""
    pairs = zip(left.lines, right.lines, strict=False)
    same = min(len(left.lines), len(right.lines))
    row = next((row for row, (old, new) in enumerate(pairs) if old != new), same) + 1
    return [row, row]


def _change_of_end(left: Text, right: Text) -> str:
    """A diff of lines shows no newline that comes or goes at the end of the file, beside its other hunks."""
    if not left.lines or not right.lines or left.final == right.final:
        return ""
    return _COMES if right.final else _GOES


def _text(text: str | None) -> Text:
    return split((text or "").removeprefix("\ufeff"))


def _joined(found: list[FileDiff], side: str) -> str:
    return "\n".join(text for diff in found if (text := getattr(diff, side)) is not None)


def _name(page: Any) -> str:
    """What stands on the right side. Where a proposal is shown as it came the file may be there."""
    if page.proposed.right is None:
        return "deletes the file"
    return "new file" if page.proposed.left is None and page.proposed.fits else "proposed"


def _shown(path: str, cwd: str) -> str:
    return one_line(relative(path, cwd))


def _bars(
    left: str | None, right: str, file: dict[str, Any], said: Sequence[str], keys: Sequence[str]
) -> dict[str, Any]:
    """What the editor writes into the bars, as far as there is room. Without a left side the right one tells all."""
    notes = {"notes": [[note, _SHORT.get(note, note)] for note in said]}
    if left is None:
        return {"right_bar": {"name": right, **file, **notes, "keys": list(keys)}}
    return {"left_bar": {"name": left, **file, **notes}, "right_bar": {"name": right, "keys": list(keys)}}
