"""The tools that read: what the editor knows, as far as the session may see it."""

from __future__ import annotations

from typing import Any

from acp_nvim.editor_tools import language_servers, symbols
from acp_nvim.editor_tools.ask import EditorQueries
from acp_nvim.editor_tools.call import Call
from acp_nvim.editor_tools.failure import Failed
from acp_nvim.editor_tools.page import Page, left_out
from acp_nvim.editor_tools.view import View
from acp_nvim.files import disk

_SEVERITIES = {"error": 1, "warning": 2, "information": 3, "hint": 4}
_WORDS = {number: word for word, number in _SEVERITIES.items()}
_NARROW = "more than one answer holds: name a file or ask for less"
_BY_TEXT = "search the files by text instead"
# of the protocol of language servers
_KINDS = {
    2: "module",
    5: "class",
    6: "method",
    7: "property",
    8: "field",
    9: "constructor",
    10: "enum",
    11: "interface",
    12: "function",
    13: "variable",
    14: "constant",
    23: "struct",
}


class ReadingTools:
    def __init__(self, editor: EditorQueries) -> None:
        self._editor = editor

    async def open_files(self, call: Call) -> str:
        view = call.view
        said = await self._editor.ask("open_files")
        page, hidden = Page(), 0
        for file in said.get("files") or ():
            if not view.is_inside(file["path"]):
                hidden += 1
                continue
            where = f", cursor in line {file['line']}" if file.get("line") else ""
            shown = "current" if file.get("current") else "shown" if file.get("shown") else "open"
            page.add(f"{view.name(file['path'])}: {shown}{where}")
        return page.text(_NARROW, left_out(hidden, "file")) or "no file is open"

    async def read_buffer(self, call: Call) -> str:
        view, wanted = call.view, call.wanted
        view.expect_reads()
        path, first = view.path(wanted["path"]), wanted.get("first", 1)
        lines = await view.lines(path)
        last = min(wanted.get("last", len(lines)), len(lines))
        if first > max(len(lines), 1):
            raise Failed(f"{view.name(path)} has {len(lines)} lines: first = {first} is past its end")
        page, number = Page(), first - 1
        page.add(view.name(path))
        while number < last and page.add(f"{number + 1}: {lines[number]}"):
            number += 1
        if not lines:
            page.add("the file is empty")
        await view.learn(path, first, number)
        return page.text(f"ask for first = {number + 1}; the file has {len(lines)} lines")

    async def selection(self, call: Call) -> str:
        view = call.view
        said = await self._editor.ask("selection")
        path = said.get("path")
        if not path:
            return "nothing is selected, and no file is open"
        if not view.is_inside(path):
            return left_out(1, "file that the user looks at")
        if not said.get("lines"):
            return f"nothing is selected; the cursor is in {view.name(path)}, line {said['line']}"
        page = Page()
        page.add(view.name(path))
        first = int(said["first"])
        if not view.reads:
            page.add(f"lines {first} to {said['last']} are selected")
            return page.text(_NARROW)
        number = first
        while number - first < len(said["lines"]) and page.add(f"{number}: {said['lines'][number - first]}"):
            number += 1
        return page.text(f"read the file from line {number}")

    async def get_file_problems(self, call: Call) -> str:
        view, wanted = call.view, call.wanted
        severity = _SEVERITIES[wanted.get("severity", "hint")]
        path = view.path(wanted["path"]) if "path" in wanted else None
        said = await self._editor.ask("problems", severity=severity, **({"path": path} if path else {}))
        if said.get("missing"):
            raise Failed(f"there is no file {wanted['path']}")
        page, hidden = Page(), 0
        found = sorted(
            said.get("problems") or (), key=lambda each: (each["path"], each["line"], each["column"])
        )
        for each in found:
            if not path and not view.is_inside(each["path"]):
                hidden += 1
                continue
            source = f" ({each['source']})" if each.get("source") else ""
            told = f"{_WORDS.get(each['severity'], 'problem')}: {each['text']}{source}"
            text = await view.line(each["path"], each["line"])
            if page.add_place(view.name(each["path"]), each["line"], text):
                for line in told.split("\n"):
                    page.add(f"    {line}")
        note = left_out(hidden, "problem")
        if found:
            return page.text("name a file, or a severity", note)
        if said.get("silent") and said.get("unattended"):
            return f"no problems are known: no language server looks at {view.name(path or '')}"
        if said.get("silent"):
            return (
                f"no answer yet for {view.name(path or '')}: its language server is still at work, call again"
            )
        return page.text(_NARROW, note) or "no problems"

    async def get_symbol_info(self, call: Call) -> str:
        view, wanted = call.view, call.wanted
        path, place = await view.symbol(wanted)
        hovers = await self._request(view, "textDocument/hover", path, place, _BY_TEXT)
        page = Page()
        told = [language_servers.words(each.get("contents")) for each in hovers if isinstance(each, dict)]
        if view.reads and any(told):
            for line in "\n\n".join(filter(None, told)).split("\n"):
                page.add(line)
        try:
            results = await self._request(view, "textDocument/definition", path, place, _BY_TEXT)
        except Failed:
            results = []  # a server without definitions knows types all the same
        if found := _places(results):
            page.add("defined in:")
            await self._add(page, view, found)
        if page.is_empty:
            page.add(f"the language server knows nothing about '{wanted['symbol']}'")
        return page.text(_NARROW, place.note)

    async def find_usages(self, call: Call) -> str:
        view, wanted = call.view, call.wanted
        path, place = await view.symbol(wanted)
        results = await self._request(
            view,
            "textDocument/references",
            path,
            place,
            _BY_TEXT,
            {"context": {"includeDeclaration": True}},
        )
        found, page = _places(results), Page()
        await self._add(page, view, found)
        if not found:
            page.add(f"no usage of '{wanted['symbol']}' is known")
        return page.text(f"{len(found)} places in all: search the other files by text", place.note)

    async def search_symbol(self, call: Call) -> str:
        view, wanted = call.view, call.wanted
        method, query = "workspace/symbol", wanted["query"]
        said = await self._editor.ask("request", method=method, params={"query": query})
        results = language_servers.expect_answer(said, method, "the open files", _BY_TEXT)
        found = [each for result in results for each in language_servers.places(result.get("result"))]
        page = Page()
        for each in sorted(dict.fromkeys(found), key=lambda each: (each.path, each.line)):
            text = await view.line(each.path, each.line)
            kind = f" ({_KINDS[each.kind]})" if each.kind in _KINDS else ""
            shown = f"{each.name}{kind}" if text is None else f"{text.strip()}  # {each.name}{kind}"
            if not page.add_place(view.name(each.path), each.line, shown):
                break
        return page.text("ask for a longer part of the name") or f"no symbol is called {query!r}"

    async def search_buffers(self, call: Call) -> str:
        view, wanted = call.view, call.wanted
        said = await self._editor.ask("open_files")
        page, hidden = Page(), 0
        for path in sorted({file["path"] for file in said.get("files") or ()}):
            lines = await view.lines_or_none(path) or ()
            rows = [row for row, line in enumerate(lines) if wanted["query"] in line]
            if rows and not view.is_inside(path):
                hidden += 1
                continue
            for row in rows:
                if not page.add_place(view.name(path), row + 1, lines[row] if view.reads else None):
                    break
        told = page.text("ask for a longer text", left_out(hidden, "file"))
        return told or f"no open file has the text {wanted['query']!r}"

    async def show(self, call: Call) -> str:
        view, session = call.view, call.session
        path, line = view.path(call.wanted["path"]), call.wanted.get("line", 1)
        if not disk.exists(path):
            raise Failed(f"there is no file {view.name(path)}")
        session.follow.touch(path, line)
        said = await self._editor.ask("follows", session=session.number)
        if not said.get("following"):
            return "follow-along is off: the place stands in the chat, and the user can go there"
        if said.get("paused"):
            return "the user looks at something else: the place stands in the chat"
        return f"shown: {view.name(path)}, line {line}"

    # --- what several of them do

    async def _request(
        self,
        view: View,
        method: str,
        path: str,
        place: symbols.Place,
        instead: str,
        params: dict[str, Any] | None = None,
    ) -> list[Any]:
        said = await self._editor.ask(
            "request",
            method=method,
            path=disk.resolve(path),
            row=place.row,
            column=place.column,
            params=params or {},
        )
        results = language_servers.expect_answer(said, method, view.name(path), instead)
        return [each.get("result") for each in results if each.get("result")]

    async def _add(self, page: Page, view: View, places: list[tuple[str, int]]) -> None:
        for path, line in places:
            if not page.add_place(view.name(path), line, await view.line(path, line)):
                return


def _places(results: list[Any]) -> list[tuple[str, int]]:
    """Return path and line of each place, once: two servers, or two places in a line, name it twice."""
    return sorted({(each.path, each.line) for result in results for each in language_servers.places(result)})
