"""Draws a question inside its tool call: everything that must be seen before an answer, and the options."""

from __future__ import annotations

from collections.abc import Iterator

from acp_nvim import limits
from acp_nvim.chat.change_lines import Room, changes, left, names
from acp_nvim.chat.diff_line import HIGHLIGHTS
from acp_nvim.chat.folded_body import Body
from acp_nvim.chat.phrases import cells
from acp_nvim.chat.splice import Mark, Row
from acp_nvim.chat.tool_lines import relative, subject_and_title
from acp_nvim.protocol import schema
from acp_nvim.session.proposed_diffs import diffs, patch
from acp_nvim.session.question import Question
from acp_nvim.session.tool_call import ToolCall
from acp_nvim.text.agent_patches import lines_of
from acp_nvim.text.diff_view import too_large, unified
from acp_nvim.text.printable import one_line, visible

_INDENT = "    "
_WIDTH = 46  # cells: of a chat beside a file in 120 columns, until the size of the window is known
_MOST_DIFF = 30  # lines
_GAP = 3
_COLUMN = 20  # cells of an option's number and name, at most, so that descriptions begin in one column
_SIGNS = {  # of an option's kind
    "allow_once": ("✓", "AcpDone"),
    "allow_always": ("✓✓", "AcpWarning"),
    "reject_once": ("✗", "AcpFailed"),
    "reject_always": ("✗✗", "AcpFailed"),
}
_ALL_REFUSED = "you refused it all: allowing once rejects it"
_UNSEEN = "too long to be shown in full: reject it, or set a rule"


def rows(call: ToolCall, cwd: str, top: Row, room: Room) -> Iterator[Row]:
    """Return the rows below `top`, the line of the call. The diff takes the room that the others leave; options come
    last."""
    for question in call.questions:
        if question.is_open:
            detail = _detail(question, call, cwd)
            options = list(_options(question, room[1] if room else _WIDTH))
            previews = call.offered
            if previews and all(each.is_refused for each in previews):
                detail.append(_note(question.id, _ALL_REFUSED))
            yield from detail
            if previews:
                others = [top, *detail, *names(question.id, previews, cwd), *options]
                yield from changes(question.id, previews, cwd, left(room, others), room)
            yield from options


def _detail(question: Question, call: ToolCall, cwd: str) -> list[Row]:
    body = Body(
        question.id, "question", _INDENT, limits.CUT_QUESTION_CHARS if question.is_cut else limits.SHOWN_CHARS
    )
    if question.asked_by:
        body.line(f"asked by {question.asked_by}", "AcpNote")
    told = subject_and_title(call, cwd)
    files = {visible(each.path) for each in call.previews} if len(call.previews) > 1 else ()
    for part in question.detail or (question.title,):
        for line in part.split("\n"):
            if not _same(_without_kind(line, call.kind), told, cwd) and line not in files:
                body.line(line, "AcpCode")
    for name, text, note in question.outline:
        named = [part for part in ((name, "AcpHeading"), (text, None), (note, "AcpNote")) if part[0]]
        body.line("  ".join(part for part, _ in named), "AcpCode", parts=named)
    for note in question.note.split("\n") if question.note else ():
        body.line(one_line(note), "AcpWarning")
    if question.kind == "conflict":
        _both(body, call)
    elif question.has_diff and not call.previews:
        _changes(body, call, cwd)
    if not question.is_cut:
        return body.rows()
    return [*body.rows(), _note(question.id, _UNSEEN)]


def _note(key: int, text: str) -> Row:
    return f"{_INDENT}{text}", {"kind": "question", "key": key, "line_hl": "AcpWarning"}


def _both(body: Body, call: ToolCall) -> None:
    """Draw both versions of a conflict: the user's lines as removed, the agent's as added."""
    for diff in call.content:
        if not isinstance(diff, schema.Diff):
            continue
        old = diff.old_text or ""
        if too_large(old, diff.new_text):
            body.line("too many lines to compare here: d shows both", "AcpNote")
            continue
        _beginning(body, list(unified(old, diff.new_text)), "both")


def _changes(body: Body, call: ToolCall, cwd: str) -> None:
    """Draw a change that stands only in the raw input, where no other line shows it."""
    if any(isinstance(item, schema.Diff) for item in call.content):
        return
    found = [(diff.old or "", diff.new or "") for diff in diffs(call, cwd)]
    if any(too_large(old, new) for old, new in found):
        body.line("too many lines to compare here: d shows them", "AcpNote")
        return
    rows = [row for old, new in found for row in unified(old, new)]
    if not found and (text := patch(call)):
        rows = [(line[:1], line[1:]) for line in lines_of(text)]
    _beginning(body, rows, "all")


def _beginning(body: Body, rows: list[tuple[str, str]], what: str) -> None:
    for sign, text in rows[:_MOST_DIFF]:
        body.line(sign + text, HIGHLIGHTS.get(sign))
    more = len(rows) - _MOST_DIFF
    if more > 0:
        body.line(f"… {more:,} more {'line' if more == 1 else 'lines'}: d shows {what}", "AcpNote")


def _without_kind(line: str, kind: str) -> str:
    """Return `https://example.org` for `Fetch https://example.org` of a fetch: the line of the call has the kind."""
    verb, _, rest = line.partition(" ")
    return rest if rest and verb.lower() == kind else line


def _same(line: str, told: tuple[str, str], cwd: str) -> bool:
    """Whether the line of the call already shows exactly this."""
    bare = relative(line.removeprefix("$ "), cwd)
    what, title = told
    head, _, number = what.rpartition(":")
    said = head if number.isdigit() else what
    if line.startswith("$ "):  # a title could make it look like another one
        return not title and bare in (what, said)
    verb_and_path = said.partition(" ")[2] == bare
    return bare in (what, said, title) or verb_and_path or said.endswith(f"  {bare}")


def _options(question: Question, columns: int) -> Iterator[Row]:
    """Draw the options in one row if they fit in so many columns, else each in a line. So do those behind choices that
    are described."""
    mark: Mark = {"kind": "option", "key": question.id}
    if not question.options:
        text = f"{_INDENT}the agent offers no answers: cancel the turn"
        yield text, {**mark, "line_hl": "AcpNote"}
        return
    names = [one_line(option.name or option.id) for option in question.options]
    labels = [f"{number} {name}" for number, name in enumerate(names, 1)]
    diff = [f"gd {'plan' if question.is_plan else 'diff'}"] if question.has_diff else []
    signs = [_SIGNS.get(option.kind) for option in question.options]
    covered = any(option.covers for option in question.options)
    choices = max((number for number, each in enumerate(question.options, 1) if each.description), default=0)
    column = min(_COLUMN, max(map(cells, labels[:choices]), default=0))  # in which descriptions begin

    def width(indexes: list[int], also: list[str]) -> int:
        beside = [labels[index] for index in indexes] + also
        inline = sum(cells(sign[0]) + 1 for index in indexes if (sign := signs[index]))
        return len(_INDENT) + sum(cells(label) + _GAP for label in beside) - _GAP + inline

    behind = list(range(choices, len(labels)))
    lines = [[index] for index in range(choices)]
    is_row = behind and not covered and width(behind, diff) <= columns
    lines += [behind] if is_row else [[index] for index in behind]
    fits = width(lines[-1], diff) <= columns
    for indexes in lines:
        also = diff if fits and indexes is lines[-1] else []
        row = _line(mark, [(index, labels[index], signs[index]) for index in indexes], also)
        described = question.options[indexes[0]].description
        yield _described(row, " " * (column - cells(labels[indexes[0]])), described) if described else row
        for text in question.options[indexes[0]].covers if covered else ():
            note: Mark = {"kind": "question", "key": question.id, "line_hl": "AcpWarning"}
            yield f"{_INDENT}  covers {one_line(text)}", note
    if diff and not fits:
        yield _line(mark, [], diff)


def _described(row: Row, gap: str, description: str) -> Row:
    text, mark = row
    text += f"{gap}  "
    start = len(text.encode())
    text += description
    assert mark is not None
    return text, {**mark, "spans": [*mark["spans"], [start, len(text.encode()), "AcpNote"]]}


def _line(mark: Mark, options: list[tuple[int, str, tuple[str, str] | None]], also: list[str]) -> Row:
    """Draw options side by side, with highlighted keys and the signs of their kinds as virtual text."""
    text = _INDENT + (" " * _GAP).join([*(label for _, label, _ in options), *also])
    spans: list[list[int | str]] = []
    places, inline = [], []
    at = len(_INDENT)
    for index, label, sign in options:
        start = len(text[:at].encode())
        key = len(label.partition(" ")[0])
        spans.append([start, start + key, "AcpOption"])
        places.append([start, start + len(label.encode()), index + 1])
        if sign:
            inline.append([start + key + 1, f"{sign[0]} ", sign[1]])
        at += len(label) + _GAP
    if also:
        start = len(text[:at].encode())
        spans.append([start, start + len(also[0].partition(" ")[0]), "AcpOption"])
    return text, {**mark, "spans": spans, "options": places, "inline": inline}
