"""Draws the line of a tool call: what it does, with what, and its state."""

from __future__ import annotations

import os
import re

from acp_nvim import limits
from acp_nvim.chat.phrases import cells, cut, long_duration, middle_cut
from acp_nvim.chat.splice import Mark, Row
from acp_nvim.session.nested_calls import NestedCalls
from acp_nvim.session.subagent import Subagent
from acp_nvim.session.tool_call import ToolCall
from acp_nvim.session.tool_paths import named
from acp_nvim.text.printable import one_line, visible

ICONS = {
    "pending": ("◌ ", "AcpPending"),
    "in_progress": ("⠋ ", "AcpRunning"),
    "completed": ("✓ ", "AcpDone"),
    "failed": ("✗ ", "AcpFailed"),
    "cancelled": ("⊘ ", "AcpCancelled"),
}
_STATES = {
    "running": ICONS["in_progress"],
    "requires_action": ("? ", "AcpQuestion"),
    "idle": ICONS["completed"],
}
_KINDS = {"other": "tool", "switch_mode": "mode"}
_CHANGES = {"edit", "delete", "move"}
_MORE = re.compile(r" and \d+ more$")  # behind the first of several paths
_WITH_SUBJECT = {*_CHANGES, "read", "execute"}  # a path or a command; of others the title says most
_TOOL = re.compile(r"^[a-z]+(?:_[a-z]+)+: (?=\S)")  # before the subject, where the kind says as much
_MCP = re.compile(r"mcp__(?P<server>\S+?)__(?P<name>\S+)")  # a tool's name, where it is all of the title
_GAP = 2
_LEAST_TITLE = 10  # cells of the agent's words about a call
_COLUMNS = 80  # of a window whose size is not known yet
_LEAST_REASON = 20  # characters that are shown even if two rows have no room
_SENTENCE = re.compile(r".{8,}?[.!?](?= +[^a-z ])")
_INDENT = 12  # cells: of the second row of a call, and what may stay empty in the first
_KIND = 8  # cells of the column of kinds
_NARROW = 49  # columns from which on it keeps its width whatever the subject
_TOLD_BY_KIND = {"delete", "move"}  # what the subject and the counts do not tell


def header(
    call: ToolCall, counts: tuple[int, int] | None, cwd: str, reason: str = "", columns: int | None = None
) -> Row:
    """Return the line of a call. `reason`: why it failed, cut to what the columns of the window leave in two rows. The
    agent's words about the call are cut to what they leave in one, once no question is open."""
    kind = "ask" if call.asked else call.kind
    label = "agent" if call.nested else cut(one_line(_KINDS.get(kind, kind)), 20)
    place = _place(call, cwd)
    what, title = subject_and_title(call, cwd)
    eol = _beside(call, counts)
    room = columns - cells(_icon(call)["text"]) if columns else _NARROW
    keeps = kind in _TOLD_BY_KIND or _is_asked(call) or not what or call.nested is not None
    label, text = (
        _with_kind(label, what, room, keeps) if columns and columns < _NARROW else _in_columns(label, what)
    )
    spans, end = _spans(text, label, place, _path(call, place)), len(text.encode())
    place_at = end - len(what.encode())
    if title and columns and not _is_asked(call):  # of a question all is shown
        beside = cells("".join(chunk for chunk, _ in eol))
        left = columns - cells(_icon(call)["text"] + text) - beside - 2 * _GAP
        title = cut(title, left) if left >= _LEAST_TITLE else ""
    if title:
        text += f"{' ' * _GAP}{title}"
        spans.append([end + _GAP, len(text.encode()), "AcpNote"])
    text += current_nested(call.nested, cwd)
    mark: Mark = {"kind": "tool", "key": call.key, "icon": _icon(call), "spans": spans}
    if call.is_open or _is_asked(call):
        mark["open"] = True
    if call.status == "in_progress":
        mark["running"] = True
    if eol:
        mark["eol"] = eol
        mark["beside"] = place_at if what else max(_KIND, len(label.encode()) + 1)
        if title:
            mark["after"] = end
    return (text, mark) if not reason else _failed(text, mark, one_line(reason), columns or _COLUMNS)


def _in_columns(label: str, what: str) -> tuple[str, str]:
    return label, f"{label:<{_KIND}}{'' if len(label) < _KIND else ' '}{what}".rstrip()


def _with_kind(label: str, what: str, room: int, keeps: bool) -> tuple[str, str]:
    """Return the kind and the line of a call in a narrow chat, where the column of kinds gives way to the subject.

    read    src/price.py            the room is 24: it fits
    read src/orders/price.py        24
    src/packages/orders/price.py    28, the kind alone would take a second row; `keeps` it
    """
    padded = _in_columns(label, what)
    narrow = label, f"{label} {what}".rstrip()
    if cells(padded[1]) <= room:
        return padded
    return narrow if keeps or cells(narrow[1]) <= room or cells(what) > room else ("", what)


def _failed(text: str, mark: Mark, reason: str, columns: int) -> Row:
    """Add the first sentence of the reason, cut to what two rows leave of it."""
    sentence = _SENTENCE.match(reason)
    beside = "".join(chunk for chunk, _ in mark.get("eol", ()))
    left = columns - cells(mark["icon"]["text"] + text + beside) - 2 * _GAP
    told = cut(sentence[0] if sentence else reason, max(_LEAST_REASON, left + columns - _INDENT))
    start = len(text.encode()) + _GAP
    mark["spans"].append([start, start + len(told.encode()), "AcpFailed"])
    return f"{text}{' ' * _GAP}{told}", mark


def subagent_header(child: Subagent, cwd: str) -> Row:
    text = f"{'agent':<8}{middle_cut(child.name, limits.NAME_CHARS)}{current_nested(child.nested, cwd)}"
    icon, highlight = _STATES.get(child.state or "", ICONS["pending"])
    if child.has_failed:
        icon, highlight = ICONS["failed"]
    mark: Mark = {
        "kind": "tool",
        "key": child.key,
        "icon": {"text": icon, "hl": highlight},
        "spans": [[0, len("agent"), "AcpToolKind"]],
        "beside": 8,
    }
    if child.is_running:
        mark["open"] = True
    if child.state == "running":
        mark["running"] = True
    if eol := nested_count(child.nested):
        mark["eol"] = eol
    return text, mark


def current_nested(nested: NestedCalls | None, cwd: str) -> str:
    """Return what a subagent does just now, for the end of its line; nothing once it is done."""
    if nested is None or nested.current is None:
        return ""
    kind = one_line(_KINDS.get(nested.current.kind, nested.current.kind))
    return f"  ▸ {middle_cut(f'{cut(kind, 20)} {subject(nested.current, cwd)}', limits.STEP_CHARS)}"


def subject(call: ToolCall, cwd: str) -> str:
    """Return the path or command, and the title if that says more. The middle of long ones is cut out."""
    return (" " * _GAP).join(filter(None, subject_and_title(call, cwd)))


def subject_and_title(call: ToolCall, cwd: str) -> tuple[str, str]:
    """Return what the call is about, and the agent's words about it if they say more.

    kind     title         path            command
    read     a.py          src/a.py:12                   src/a.py:12
    read     Look at a.py  a.py                          Look at a.py
    edit     Rename parse  src/a.py                      src/a.py, Rename parse
    execute  Run tests                     pytest        pytest, Run tests
    search   Find callers  src                           Find callers  src
    """
    if call.asked:
        return one_line(call.asked), ""
    title, place = _title(call, cwd), _place(call, cwd)
    path = _path(call, place)
    command = _first_line(call.command or "")
    what = command if command and call.kind == "execute" else place or command
    bare = title.strip("`'\"")
    is_name = what == place and path.endswith(f"/{bare}")
    if not title or is_name or bare in (path, place, command):
        return _short(what or title or one_line(call.name) or _argument(call) or one_line(call.id[:60])), ""
    if path and path in title:
        return _short(title + place[len(path) :] if title.endswith(path) else title), ""
    if not what or what in title:
        return _short(title), ""
    if call.kind not in _WITH_SUBJECT or call.nested:
        return _short(f"{title}{' ' * _GAP}{what}"), ""
    is_beginning = call.kind == "execute" and what.startswith(title)
    return _short(what), "" if is_beginning else cut(title, limits.TITLE_CHARS)


def _short(text: str) -> str:
    return middle_cut(text, limits.NAME_CHARS)


def _argument(call: ToolCall) -> str:
    """Return the first text of the input, if nothing else says what the call does."""
    values = call.raw_input.values() if isinstance(call.raw_input, dict) else ()
    return next((_first_line(value) for value in values if isinstance(value, str) and value.strip()), "")


def relative(path: str, cwd: str) -> str:
    """Return the path relative to the session's directory, if it lies below."""
    below = cwd.rstrip("/") + "/"
    return path[len(below) :] if path.startswith(below) and len(path) > len(below) else path


def _first_line(command: str) -> str:
    first, _, more = command[: limits.COMMAND_BYTES].strip().partition("\n")
    return middle_cut(one_line(first), limits.NAME_CHARS - 2) + (" …" if more else "")


def _title(call: ToolCall, cwd: str) -> str:
    title = one_line(call.title[: limits.COMMAND_BYTES])
    if title == call.id:  # in a replay some agents know no other
        return ""
    if cwd.strip("/"):
        title = title.replace(cwd.rstrip("/") + "/", "")
    verb, _, rest = title.partition(" ")
    if verb.lower() == call.kind:
        title = rest.lstrip()
    if call.kind != "other":
        title = _TOOL.sub("", title)
    if tool := _MCP.fullmatch(title):
        return f"{tool['name']} ({tool['server']})"
    return title


def _line(call: ToolCall) -> int | None:
    """Return the line that the call is about; none for a whole file, which some agents place at its first line."""
    line = call.locations[0].line if call.locations else None
    has_limit = isinstance(call.raw_input, dict) and call.raw_input.get("limit")
    return None if line == 1 and call.kind == "read" and not has_limit else line


def _first_changed(call: ToolCall, path: str, line: int) -> int:
    """Return the line of the change: agents name the line where the snippet around it begins."""
    preview = next((each for each in call.previews if each.path == path and each.changed), None)
    if preview is None:
        return line
    return preview.first + 1 if preview.whole else line + preview.first


def _place(call: ToolCall, cwd: str) -> str:
    """Return `src/parse.py:12`, and how many more files a change has."""
    paths = named(
        call.locations[: limits.NAMED_FILES], call.content[: limits.NAMED_FILES], call.raw_input, cwd
    )
    if call.title or call.command is not None:  # the session's folder says nothing then
        paths = [path for path in paths if path != os.path.normpath(cwd)]
    if not paths:
        return ""
    path = visible(relative(paths[0], cwd))
    if line := _line(call):
        return f"{path}:{_first_changed(call, paths[0], line)}"
    return f"{path} and {len(paths) - 1} more" if call.kind in _CHANGES and len(paths) > 1 else path


def _path(call: ToolCall, place: str) -> str:
    """Return the path of a place, without the line or the number of further files."""
    return place.rpartition(":")[0] if _line(call) else _MORE.sub("", place)


def _is_asked(call: ToolCall) -> bool:
    return any(question.is_open for question in call.questions)


def _icon(call: ToolCall) -> dict[str, str]:
    refused = (call.asked or call.kind == "ask") and call.verdict.startswith("rejected")
    status = "failed" if refused else "cancelled" if call.left else call.status
    known = ICONS.get(status, ICONS["pending"])
    text, highlight = ("? ", "AcpQuestion") if _is_asked(call) else known
    return {"text": text, "hl": highlight}


def _spans(text: str, label: str, *places: str) -> list[list[int | str]]:
    """Return the colours of the kind and of the first place that the line shows; columns are bytes."""
    spans: list[list[int | str]] = [[0, len(label.encode()), "AcpToolKind"]]
    for place in places:
        at = text.find(place, len(label)) if place else -1
        if at >= 0:
            start = len(text[:at].encode())
            return [*spans, [start, start + len(place.encode()), "AcpPath"]]
    return spans


def nested_count(nested: NestedCalls | None) -> list[list[str]]:
    """Return how many calls a subagent has made, and how many of them failed."""
    if not nested:
        return []
    told = f"  {len(nested):,} {'call' if len(nested) == 1 else 'calls'}"
    if not nested.failed:
        return [[told, "AcpNote"]]
    return [[f"{told},", "AcpNote"], [f" {nested.failed:,} failed", "AcpFailed"]]


def changed_lines(plus: int, minus: int) -> list[list[str]]:
    """Return the counts of a change, such as ` +2 −1`. A new file has no `−0`, an emptied one no `+0`."""
    added = [[f" +{plus}", "AcpAdded"]] if plus or not minus else []
    return added + ([[f" −{minus}", "AcpRemoved"]] if minus or not plus else [])


def _beside(call: ToolCall, counts: tuple[int, int] | None) -> list[list[str]]:
    """Return the virtual text at the end of the line: counts, exit code, decision, duration."""
    chunks: list[list[str]] = nested_count(call.nested)
    if counts and any(counts):
        chunks += changed_lines(*counts)
    if call.bad_end and not call.is_open:
        chunks.append([f"  {call.bad_end}", "AcpFailed"])
    if "edited" in call.edited.values():
        chunks.append(["  edited in the diff", "AcpWarning"])
    if how := call.verdict or call.left or ("cancelled" if call.status == "cancelled" else ""):
        is_rejected, is_stopped = how.startswith("rejected"), how in ("cancelled", "left open")
        highlight = "AcpRejected" if is_rejected else "AcpCancelled" if is_stopped else "AcpNote"
        chunks.append([f"  {one_line(how)}", highlight])
    if not call.left and (took := long_duration(call.took)):
        chunks.append([f"  {took}", "AcpTime"])
    return chunks
