"""Lists the tools: names, descriptions and arguments. They stand in prompts and caches of models: a text is changed
with a new version of the plugin only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from acp_nvim.session.own_tool import CHANGING

_ABOUT = (
    "These tools ask the user's running Neovim: it knows unsaved lines, diagnostics, and what its language servers"
    " know."
)
_READING = (
    "Read a file that may be open in the editor with read_buffer:"
    " the file on disk lacks the user's unsaved lines."
)
_DECIDED = "Changes by {} are decided by the user, hunk by hunk, before anything is written."


class Argument(NamedTuple):
    name: str
    kind: str  # of JSON Schema
    doc: str
    needed: bool = False
    values: tuple[str, ...] = ()

    def schema(self) -> dict[str, Any]:
        values = {"enum": list(self.values)} if self.values else {}
        least = {"minimum": 1} if self.kind == "integer" else {}
        kind: Any = ["string", "integer"] if self.kind == "choice" else self.kind
        return {"type": kind, "description": self.doc, **values, **least}


class Tool(NamedTuple):
    name: str
    title: str
    doc: str
    arguments: tuple[Argument, ...] = ()

    @property
    def reads(self) -> bool:
        """Whether it changes nothing."""
        return self.name not in CHANGING

    def shape(self) -> dict[str, Any]:
        """Return it as tools/list has it."""
        needed = [argument.name for argument in self.arguments if argument.needed]
        schema: dict[str, Any] = {
            "type": "object",
            "properties": {argument.name: argument.schema() for argument in self.arguments},
            **({"required": needed} if needed else {}),
        }
        hints = {"readOnlyHint": True} if self.reads else {"readOnlyHint": False, "destructiveHint": False}
        return {
            "name": self.name,
            "title": self.title,
            "description": self.doc,
            "inputSchema": schema,
            "annotations": {**hints, "openWorldHint": False},
            "_meta": {
                "anthropic/alwaysLoad": True
            },  # claude would defer it, with its name alone in the prompt
        }


_PATH = Argument(
    "path", "string", "The file: relative to the session's folder, absolute, or a file:// URI.", True
)
_SYMBOL = Argument("symbol", "string", "The name of the symbol, as it stands in that line.", True)
_CONTENT = Argument(
    "line_content", "string", "The text of a line, or a part of it, that has the symbol.", True
)
_LINE = Argument("line", "integer", "The number of that line, from 1, where its text stands more than once.")
_WHERE = (_PATH, _SYMBOL, _CONTENT, _LINE)
_SEVERITIES = ("error", "warning", "information", "hint")

TOOLS = {
    tool.name: tool
    for tool in (
        Tool(
            "open_files",
            "Open files",
            "List the files that are open in the user's Neovim: which one is shown, where the cursor is, and which"
            " have unsaved lines.",
        ),
        Tool(
            "read_buffer",
            "Read a file as the user sees it",
            "Read a file as the user sees it in Neovim, unsaved lines included. A file that is not open is read from"
            " the disk. Lines are numbered from 1.",
            (
                _PATH,
                Argument("first", "integer", "The first line to read, from 1."),
                Argument("last", "integer", "The last line to read."),
            ),
        ),
        Tool(
            "selection",
            "What the user has selected",
            "Return what the user has selected in Neovim just now, else the file and line of the cursor.",
        ),
        Tool(
            "get_file_problems",
            "Errors and warnings",
            "Return the problems that Neovim's language servers and linters report, of one file or of all files that"
            " they have looked at.",
            (
                _PATH._replace(needed=False, doc=f"{_PATH.doc} Without it: all files."),
                Argument(
                    "severity", "string", "This severity and worse ones; default: all.", values=_SEVERITIES
                ),
            ),
        ),
        Tool(
            "get_symbol_info",
            "What a symbol is",
            "Return type, documentation and definition of a symbol, as the language server knows them. The symbol is"
            " named by its text and that of its line.",
            _WHERE,
        ),
        Tool(
            "find_usages",
            "Where a symbol is used",
            "Return all places where a symbol is used, as the language server knows them: by meaning, not by text.",
            _WHERE,
        ),
        Tool(
            "search_symbol",
            "Find symbols by name",
            "Find functions, classes and other symbols of the whole project by name, through the language server.",
            (Argument("query", "string", "The name of the symbol, or a part of it.", True),),
        ),
        Tool(
            "search_buffers",
            "Search the open files",
            "Search for a text in all files that are open in Neovim, unsaved lines included.",
            (Argument("query", "string", "The text to look for; not a regular expression.", True),),
        ),
        Tool(
            "rename_symbol",
            "Rename a symbol",
            "Rename a symbol everywhere, through the language server. The user decides about the change hunk by hunk;"
            " the answer says what was refused.",
            (*_WHERE, Argument("new_name", "string", "The new name.", True)),
        ),
        Tool(
            "code_action",
            "Quick fixes and refactorings",
            "List the code actions that the language server offers in a file or a line, or apply one of them. The user"
            " decides about the change hunk by hunk.",
            (
                _PATH,
                _CONTENT._replace(
                    needed=False, doc="The text of a line, or a part of it; default: the whole file."
                ),
                _SYMBOL._replace(needed=False, doc="A symbol in that line."),
                _LINE,
                Argument(
                    "apply",
                    "choice",
                    "The action to apply: its title, or its number in the list. Without it: list them.",
                ),
            ),
        ),
        Tool(
            "format_file",
            "Format a file",
            "Format a file by the language server. The user decides about the change hunk by hunk.",
            (_PATH,),
        ),
        Tool(
            "show",
            "Show the user a place",
            "Show the user a file, at a line, in Neovim. Nothing is changed.",
            (_PATH, Argument("line", "integer", "The line, from 1.")),
        ),
    )
}


def chosen(wanted: bool | list[Any]) -> tuple[list[str], list[str]]:
    """Return the names of the tools that the configuration wants, and those in it that are none."""
    if isinstance(wanted, bool):
        return (list(TOOLS) if wanted else []), []
    return [name for name in TOOLS if name in wanted], [str(name) for name in wanted if name not in TOOLS]


def instructions(names: Sequence[str]) -> str:
    """Return what initialize says of the tools, of those alone that the session has."""
    changing = [name for name in CHANGING if name in names]
    lines = [
        _ABOUT,
        *([_READING] if "read_buffer" in names else []),
        *([_DECIDED.format(_joined(changing))] if changing else []),
        f"Tools: {', '.join(names)}.",
    ]
    return "\n".join(lines)


def _joined(names: Sequence[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
