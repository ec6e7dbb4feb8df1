"""Makes the text of a permission: everything of its tool call that the user must have seen before answering.

The lines are made from the arguments that rules decide by (`permission_scope.py`): commands, paths, and everything
else of the raw input that neither these nor the diff of the call shows.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from acp_nvim import limits
from acp_nvim.protocol import schema
from acp_nvim.session import raw_input
from acp_nvim.session.proposed_diffs import Shown, has_diff
from acp_nvim.session.proposed_plan import plan_of
from acp_nvim.session.question import Question
from acp_nvim.session.raw_input import Argument
from acp_nvim.session.tool_call import ToolCall
from acp_nvim.session.tool_paths import absolute
from acp_nvim.text.printable import one_line, prose, visible

_TITLE = 80  # characters that the line of a tool call has room for beside a command or a path
_SHORT = 60  # of a note that shares its line with others


def describe(question: Question, call: ToolCall, cwd: str) -> None:
    shown = Shown(call, cwd)
    paths = _paths(call, shown, cwd)
    question.title = one_line(
        (question.own_title or call.title or "permission")[: limits.QUESTION_TITLE_CHARS]
    )
    question.path = paths[0] if paths and question.kind != "restore" else None
    plan = plan_of(call)
    question.is_plan = plan is not None
    question.has_diff = question.is_plan or has_diff(call, cwd)
    files = tuple(dict.fromkeys(diff.path for diff in shown.files))
    question.files = files if 1 < len(files) <= limits.PROPOSED_FILES else ()
    others = [
        argument
        for argument in raw_input.read(call).arguments
        if not (_is_shown(argument, shown, cwd) or argument.value == plan)
    ]
    question.detail = tuple(_bounded(_lines(question, call, paths, others, plan)))
    question.is_more_than_diff = _is_more_than_diff(call, shown, paths, others)


def matters(call: ToolCall | None) -> object:
    """Return what an answer depends on, for comparing a call before and after an update."""
    if call is None:
        return None
    return call.kind, call.name, call.title, call.content, call.locations, call.raw_input


def _paths(call: ToolCall, shown: Shown, cwd: str) -> list[str]:
    """Return the paths that need a line: not the folder of a command, and none that an argument shows."""
    said = raw_input.read(call)
    texts = set(said.texts)
    found = dict.fromkeys(call.paths(cwd))
    found |= dict.fromkeys(absolute(path, cwd) for path in said.paths if path not in texts)
    found |= dict.fromkeys(diff.path for diff in shown.files)
    if call.command is not None:
        found.pop(absolute(cwd, cwd), None)
    return list(found)


def _lines(
    question: Question, call: ToolCall, paths: list[str], others: list[Argument], plan: str | None
) -> Iterator[str]:
    """Yield the lines: commands, other arguments, paths, a plan, and the title if the line of the call cuts it."""
    command = call.command
    if question.own_title not in ("", call.title):
        yield from map(visible, question.own_title.strip().split("\n"))
    title = (call.title or "permission").strip()
    if len(title) > _TITLE or "\n" in title or not (paths or command):
        yield from map(visible, title.split("\n"))
    for number, line in enumerate(command.split("\n") if command else ()):
        yield f"{'  ' if number else '$ '}{visible(line)}"
    yield from (f"  {visible(line)}" for line in _arguments(others))
    yield from map(visible, paths)
    if plan is not None:
        yield from map(prose, plan.strip("\n").split("\n"))
    elif not (paths or command or others):
        yield from (prose(line) for text in _words(call) for line in text.split("\n"))


def _words(call: ToolCall) -> Iterator[str]:
    """Yield texts in the content: some agents say nothing else."""
    items = (item.content for item in call.content if isinstance(item, schema.ContentItem))
    return (item.text.strip() for item in items if isinstance(item, schema.Text))


def _arguments(others: list[Argument]) -> Iterator[str]:
    """Yield the arguments; short notes share a line."""
    notes = []
    for argument in others:
        lines = f"{argument.name}: {_text(argument.value)}" if argument.name else _text(argument.value)
        if argument.role == "note" and len(lines) <= _SHORT and "\n" not in lines:
            notes.append(lines)
        else:
            yield from lines.split("\n")
    if notes:
        yield "   ".join(notes)


def _text(value: Any) -> str:
    """Write a value as JSON, a text as it is. Of megabytes only the beginning is written."""
    if isinstance(value, str):
        return value
    made, size = [], 0
    try:
        for piece in json.JSONEncoder(ensure_ascii=False, default=str).iterencode(value):
            made.append(piece)
            size += len(piece)
            if size > limits.SHOWN_CHARS:
                break
    except RecursionError:
        # longer than what is shown, so that the question is cut and cannot be allowed
        made.append(" … nested too deeply to show" + " " * limits.SHOWN_CHARS)
    return "".join(made)


def _is_shown(argument: Argument, shown: Shown, cwd: str) -> bool:
    """Whether another line or the diff shows the argument."""
    match argument.role:
        case "command" | "path":
            return True
        case "folder":
            return bool(absolute(argument.value, cwd) == absolute(cwd, cwd))
        case "change":
            return shown.has(argument.name, argument.value)
        case "note":  # such as `replace_all: false` beside a diff, which shows what comes of it
            return bool(shown.files) and argument.value is False
    return False


def _is_more_than_diff(call: ToolCall, shown: Shown, paths: list[str], others: list[Argument]) -> bool:
    changed = {diff.path for diff in shown.files}
    if call.command is not None or (changed and not changed.issuperset(paths)):
        return True
    return any(argument.role != "note" for argument in others)


def _bounded(lines: Iterable[str]) -> Iterator[str]:
    """Cut the lines a little later than the chat does, so that the question knows that it is cut."""
    size = 0
    for count, line in enumerate(lines, 1):
        yield line
        size += len(line)
        if count > limits.SHOWN_LINES or size > limits.SHOWN_CHARS:
            return
