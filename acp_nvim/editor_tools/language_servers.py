"""Reads what language servers answer: places, texts, symbols. They are other programs, and send what they like."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from acp_nvim.editor_tools.failure import Failed
from acp_nvim.session.tool_paths import from_uri

_NAMES = {
    "textDocument/hover": "tell what a symbol is",
    "textDocument/definition": "find definitions",
    "textDocument/references": "find usages",
    "workspace/symbol": "search symbols",
    "textDocument/rename": "rename",
    "textDocument/codeAction": "offer code actions",
    "textDocument/formatting": "format",
}


class Found(NamedTuple):
    path: str
    line: int  # from 1
    name: str = ""
    kind: int = 0


def expect_answer(said: dict[str, Any], method: str, name: str, instead: str) -> list[dict[str, Any]]:
    """Return the servers' results. Raise Failed where nobody could answer, with what to do instead."""
    servers = ", ".join(map(str, said.get("servers") or ()))
    match said.get("missing"):
        case "file":
            raise Failed(f"there is no file {name}")
        case "server":
            raise Failed(f"no language server is attached to {name}: {instead}")
        case "method":
            does = _NAMES.get(method, method)
            raise Failed(f"the language servers of {name} ({servers}) cannot {does}: {instead}")
    results = [each for each in said.get("results") or () if isinstance(each, dict)]
    errors = [f"{each.get('server')}: {each['error']}" for each in results if each.get("error")]
    if errors and len(errors) == len(results):
        raise Failed("; ".join(errors))
    return [each for each in results if not each.get("error")]


def places(result: Any) -> Iterator[Found]:
    """Yield the places of a definition, of references, or of symbols.

    {"uri": …, "range": …}     {"targetUri": …, "targetSelectionRange": …}     {"name": …, "location": …}
    """
    for item in result if isinstance(result, list) else [result]:
        if not isinstance(item, dict):
            continue
        inner = item.get("location")
        where = inner if isinstance(inner, dict) else item
        uri = where.get("uri") or where.get("targetUri")
        range = where.get("range") or where.get("targetSelectionRange") or where.get("targetRange")
        if isinstance(uri, str) and uri.startswith("file://"):
            kind = item.get("kind")
            yield Found(
                from_uri(uri),
                line_of(range) + 1,
                str(item.get("name") or ""),
                kind if isinstance(kind, int) else 0,
            )


def line_of(range: Any) -> int:
    """Return the line, from 0, at which a range begins."""
    start = range.get("start") if isinstance(range, dict) else None
    line = start.get("line") if isinstance(start, dict) else None
    return int(line) if isinstance(line, int | float) and line >= 0 else 0


def words(contents: Any) -> str:
    """Return the text of a hover: Markdown, a text, one with its language, or several of them."""
    if isinstance(contents, list):
        return "\n\n".join(filter(None, map(words, contents)))
    if isinstance(contents, dict):
        return str(contents.get("value") or "").strip()
    return contents.strip() if isinstance(contents, str) else ""
