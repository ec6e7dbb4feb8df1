"""What the editor is told of the two sides of a diff. Names in the bars are the agent's: they are no formats."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from acp_nvim.review.codec import Text, split
from acp_nvim.review.proposed import OVERLAP
from acp_nvim.serves.conflicts import Conflict
from acp_nvim.session.diffs import FileDiff, diffs
from acp_nvim.session.questions import Question
from acp_nvim.session.session import Session
from acp_nvim.session.tool_calls import ToolCall
from acp_nvim.session.visible import one_line
from acp_nvim.view.standstill import stands_still

if TYPE_CHECKING:
    from acp_nvim.serves.pages import Page

_KEYS = "do refuses a hunk · :w sends · :q decides nothing"
_FEW_KEYS = ":w sends · do refuses · :q later"
_WHOLE_KEYS = ":w sends · :Acp reject · :q decides nothing"
_FEW_WHOLE_KEYS = ":w sends · :Acp reject · :q later"
_LATER = "writes first; refused hunks are taken back after"
_PLAIN = "too much differs to be shown as a diff"
_SHORT = {
    _PLAIN: ("too much for a diff", "no diff"),
    _LATER: ("writes first, then taken back", "writes first"),
    OVERLAP: ("changes lines of yours, too", "both changed"),
}
_SAME_LINES = "only the end of the last line differs"


def of_page(
    question: Question, session: Session, pages: Sequence[Page], at: int, *, through: bool
) -> dict[str, Any]:
    page = pages[at]
    made = page.proposed
    left, right = _text(made.left), _text(made.right)
    count = f" ({at + 1} of {len(pages)})" if len(pages) > 1 else ""
    editable = made.fits and made.right is not None
    name = f"{'delete ' if made.right is None else ''}{page.name}"
    is_end = None not in (made.left, made.right) and made.left != made.right and left.lines == right.lines
    plain = is_plain(left, right)
    notes = [plain and _PLAIN, made.problem, page.is_outside and "outside the folders"]
    notes += [is_end and _SAME_LINES, not through and editable and not is_end and _LATER]
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
        "editable": editable,
        "note": said[0] if said else None,
        "left_bar": _left_bars(made.left is None and "no such file", said),
        "right_bar": _right_bars(
            [
                f"{name}{count}",
                ("delete" if made.right is None else page.name) + count.replace(" of ", "/"),
                "",
            ],
            [_KEYS, _FEW_KEYS] if editable and not plain else [_WHOLE_KEYS, _FEW_WHOLE_KEYS],
        ),
    }


def other(page: Page, text: str | None) -> dict[str, Any]:
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
        "left_bar": _left_bars(f"{name} before", [_PLAIN] if plain else []),
        "right_bar": [_bar(f"{name} after", ":q closes"), _bar("after")],
    }


def of_conflict(question: Question, conflict: Conflict) -> dict[str, Any]:
    """Both versions of a conflict: what is made of the right one is saved."""
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
        "left_bar": _left_bars("yours", [_PLAIN] if plain else []),
        "right_bar": _right_bars(
            ["what will be saved", "to be saved", ""],
            [_KEYS.replace("refuses a hunk", "takes yours"), _FEW_KEYS.replace("refuses", "takes yours")],
        ),
    }


def lines(text: Text) -> str:
    """As the editor has them: joined, without a last end."""
    return "\n".join(text.lines)


def is_plain(left: Text, right: Text) -> bool:
    """No diff: Neovim would stand still over it."""
    return stands_still(lines(left), lines(right))


def first(left: Text, right: Text) -> list[int]:
    """Where the first change begins on both sides, from 1."""
    pairs = zip(left.lines, right.lines, strict=False)
    same = min(len(left.lines), len(right.lines))
    row = next((row for row, (old, new) in enumerate(pairs) if old != new), same) + 1
    return [row, row]


def _text(text: str | None) -> Text:
    return split((text or "").removeprefix("\ufeff"))


def _joined(found: list[FileDiff], side: str) -> str:
    return "\n".join(text for diff in found if (text := getattr(diff, side)) is not None)


def _left_bars(first: str | bool, said: Sequence[str]) -> list[str]:
    """The longest first: a narrow window tells the part that matters."""
    if not said:
        return [_bar(first or "now")]
    short = [_SHORT.get(note, (note,)) for note in said]
    return [_bar(first, *said), _bar(first, *(each[0] for each in short)), _bar(short[0][-1])]


def _right_bars(names: Sequence[str], keys: Sequence[str]) -> list[str]:
    """The keys before the name: that is in the buffer's, too."""
    whole, short, none = names
    return [
        _bar(whole, keys[0]),
        _bar(whole, keys[-1]),
        _bar(keys[-1], whole),
        _bar(keys[-1], short),
        _bar(keys[-1], none),
    ]


def _bar(*parts: object) -> str:
    said = [str(part).replace("%", "%%") for part in parts if part]
    return f"{' · '.join(said)}%<"
