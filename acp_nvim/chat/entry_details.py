"""Writes everything that is known of an entry, uncut, for the K key: what people read first, what was on the wire last.

Texts stand as texts, not as JSON strings. A region says of what kind of file some lines are:

    edit src/price.py
                                lines                                   regions
    kind    edit                input · new_string:
                                  return sum(orders)                    {first: 4, last: 4, name: "src/price.py"}
                                raw input:
                                  {"new_string": "return sum(orders)"}  {first: 6, last: 6, name: "wire.json"}
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypedDict

from acp_nvim import limits
from acp_nvim.chat.phrases import duration, placeholder
from acp_nvim.chat.tool_body import Terminal, pretty, terminal_text, unreferenced, words
from acp_nvim.protocol import schema
from acp_nvim.session.compaction import Compaction
from acp_nvim.session.entries import Changes, Entry, Message, Note, Placeholder, Report, Thought
from acp_nvim.session.plan import Plan
from acp_nvim.session.tool_call import ToolCall
from acp_nvim.text.ansi import plain, shown
from acp_nvim.text.diff_view import unified

FILETYPE = "acp_details"

_LONG = 60  # characters of a string that is easier to read as a text
_DEPTH = 4  # of dicts and lists in which strings are looked for
_OF_THE_FILE = {
    "content",
    "text",
    "oldstring",
    "newstring",
    "oldtext",
    "newtext",
    "filetext",
    "oldstr",
    "newstr",
}
_KINDS = {"command": "it.sh", "cmd": "it.sh", "script": "it.sh", "patch": "it.diff", "diff": "it.diff"}
_PATHS = ("file_path", "path", "filePath", "abs_path", "filepath", "file", "filename")


class Region(TypedDict):
    """Lines that are a part of a file of this kind."""

    first: int
    last: int
    name: str


class Page:
    """Lines, and of what kind some of them are."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.regions: list[Region] = []
        self.pictures: list[tuple[int, schema.Image | str]] = []  # below which line; the user's by its file

    def section(self, heading: str, content: Iterable[str], name: str = "") -> None:
        """Add a heading and its lines, unless there are none. `name`: a file of the kind that they are."""
        first = len(self.lines) + 2
        for number, line in enumerate(content):
            if number == 0:
                self.lines += ["", f"{heading}:".replace("\n", " ")]
            self.lines.append(f"  {line}".rstrip(" "))
        if name and len(self.lines) > first:
            self.regions.append({"first": first, "last": len(self.lines) - 1, "name": name})


def page(entry: Entry | None, terminal: Terminal) -> Page:
    made = Page()
    if isinstance(entry, ToolCall):
        _call(made, entry, terminal)
    else:
        made.lines += _words(entry)
    match entry:
        case Placeholder(block=schema.Image() as image):
            made.pictures.append((0, image))
        case Note(picture=str(path)):
            made.pictures.append((0, path))
    return made


def _words(entry: Entry | None) -> list[str]:
    match entry:
        case Thought() | Message() | Report():
            return _lines("".join(entry.parts))
        case Plan():
            steps = ((f"{step.status:<12} {step.priority:<7} ", step.content) for step in entry.entries)
            return [head + line for head, content in steps for line in _lines(content)]
        case Compaction():
            return _lines("\n\n".join(filter(None, (entry.error, entry.summary))))
        case Note():
            return _lines(entry.details or entry.text)
        case Changes():
            return _lines(entry.text)
        case Placeholder():
            return [placeholder(entry.block)]
    return ["nothing here"]


def _call(made: Page, call: ToolCall, terminal: Terminal) -> None:
    made.lines += [*_lines(call.title or call.kind), "", f"kind    {shown(call.kind)}"]
    status = "cancelled" if call.left else call.status
    made.lines.append(
        f"status  {', '.join(filter(None, dict.fromkeys([status, call.left, shown(call.verdict)])))}"
    )
    if call.ended is not None:
        made.lines.append(f"took    {duration(call.took or 0.0) or 'less than a second'}")
    made.section("locations", (_place(location) for location in call.locations))
    made.section("command", _lines(call.command or ""), "it.sh")
    path = _path(call)
    for key, text in _strings(call.raw_input):
        if text != call.command:
            made.section(f"input · {shown(key)}", _lines(text), _kind(key, path))
    for item in call.content:
        _content(made, item, call, terminal)
    for name in unreferenced(call):
        made.section(f"terminal {shown(name)}", _lines("".join(call.terminals[name])))
    for key, text in _strings(call.raw_output):
        made.section(f"output · {shown(key)}", _lines(text), _kind(key, path))
    made.section("raw input", _raw(call.raw_input), _wire(call.raw_input))
    made.section("raw output", _raw(call.raw_output), _wire(call.raw_output))


def _content(made: Page, item: schema.ToolContent, call: ToolCall, terminal: Terminal) -> None:
    match item:
        case schema.Diff():
            changed = unified(item.old_text or "", item.new_text)
            lines = (sign + shown(text) for sign, text in changed)
            made.section(f"diff of {shown(item.path)}", lines, "it.diff")
        case schema.TerminalRef():
            output = terminal_text(call, item.terminal_id, terminal)
            made.section(f"terminal {shown(item.terminal_id)}", _lines(output))
        case schema.ContentItem():
            made.section("output", _lines(words(item.content)))
            if isinstance(item.content, schema.Image):
                made.pictures.append((len(made.lines) - 1, item.content))


def _strings(value: object, name: str = "", depth: int = 0) -> Iterator[tuple[str, str]]:
    """Yield the strings of a JSON value that are texts: of several lines, or long. Their names say where they stand."""
    if isinstance(value, str):
        if name and ("\n" in value.strip() or len(value) > _LONG):
            yield name, value
        return
    if depth == _DEPTH:
        return
    items: Iterable[tuple[object, object]] = ()
    if isinstance(value, Mapping):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value, 1)
    for number, (key, each) in enumerate(items):
        if number == limits.DETAIL_TEXTS:
            return
        yield from _strings(each, f"{name}.{key}" if name else str(key), depth + 1)


def _kind(key: str, path: str) -> str:
    """Return a file name of the kind that the text under this key is: a part of the call's file, or a command."""
    last = key.rsplit(".", 1)[-1].lower().replace("_", "")
    return path if last in _OF_THE_FILE else _KINDS.get(last, "")


def _path(call: ToolCall) -> str:
    """Return the file that a call is about, as far as its kind can be told from the name."""
    given = call.raw_input if isinstance(call.raw_input, dict) else {}
    named = next((path for key in _PATHS if isinstance(path := given.get(key), str)), None)
    path = named or (call.locations[0].path if call.locations else "")
    return shown(path)[-limits.NAME_CHARS :].replace("\n", " ")


def _place(location: schema.Location) -> str:
    path = shown(location.path)
    return path if location.line is None else f"{path}:{location.line}"


def _raw(value: object) -> list[str]:
    if value is None or value is schema.UNSET:
        return []
    return _lines(value if isinstance(value, str) else "".join(pretty(value)))


def _wire(value: object) -> str:
    return "" if isinstance(value, str) else "wire.json"


def _lines(text: str) -> list[str]:
    return [shown(line) for line in plain(text).rstrip("\n").split("\n")] if text else []
