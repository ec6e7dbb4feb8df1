"""What a permission is asked for: everything of its tool call that one must have seen before one answers."""

from __future__ import annotations

from collections.abc import Iterator

from acp_nvim.session.beside import circumstances
from acp_nvim.session.diffs import has_diff
from acp_nvim.session.questions import Question
from acp_nvim.session.tool_calls import ToolCall
from acp_nvim.session.visible import one_line, visible


def describe(question: Question, call: ToolCall, cwd: str) -> None:
    paths = call.paths(cwd)
    question.title = one_line(call.title or "permission")
    question.path = paths[0] if paths else None
    question.has_diff = has_diff(call, cwd)
    question.detail = tuple(_detail(call, paths, cwd))


def matters(call: ToolCall | None) -> object:
    """What of a call an answer depends on: to be compared before and after an update."""
    if call is None:
        return None
    return call.kind, call.name, call.title, call.content, call.locations, call.raw_input


def _detail(call: ToolCall, paths: list[str], cwd: str) -> Iterator[str]:
    """What will be done, whole: the command, what changes it, and every path; the title where there is neither."""
    command = call.command
    for number, line in enumerate(command.split("\n") if command else ()):
        yield f"{'  ' if number else '$ '}{visible(line)}"
    yield from (f"  {visible(line)}" for line in circumstances(call, cwd))
    yield from (visible(path) for path in paths)
    if not paths and not command:
        yield from (visible(line) for line in (call.title or "permission").split("\n"))
