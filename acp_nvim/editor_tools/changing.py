"""The tools that change files: the language server says what, the user decides about each hunk."""

from __future__ import annotations

from typing import Any

from acp_nvim.editor_tools import language_servers, symbols, workspace_edit
from acp_nvim.editor_tools.ask import EditorQueries
from acp_nvim.editor_tools.call import Call
from acp_nvim.editor_tools.failure import Failed
from acp_nvim.editor_tools.page import Page
from acp_nvim.editor_tools.proposer import Proposer
from acp_nvim.files import disk
from acp_nvim.protocol.encode import file_uri

_BY_HAND = "edit the files yourself"
_CHANGED = "{} was changed while the language server worked: call again"


class ChangingTools:
    def __init__(self, editor: EditorQueries, proposer: Proposer) -> None:
        self._editor, self._proposer = editor, proposer

    async def rename_symbol(self, call: Call) -> str:
        method, wanted = "textDocument/rename", call.wanted
        path, place = await call.view.symbol(wanted)
        said = await self._request(call, method, path, place, {"newName": wanted["new_name"]})
        found = _first(said, method, call.view.name(path), _BY_HAND)
        if found is None:
            raise Failed(f"the language server cannot rename '{wanted['symbol']}' there: {_BY_HAND}")
        return await self._propose(call, said, [found["result"]], found["encoding"], place.note)

    async def format_file(self, call: Call) -> str:
        method, path = "textDocument/formatting", call.view.path(call.wanted["path"])
        said = await self._request(call, method, path)
        found = _first(said, method, call.view.name(path), "run the project's formatter")
        if found is None:
            return f"{call.view.name(path)} is formatted already"
        edit = {"changes": {file_uri(disk.resolve(path)): found["result"]}}
        return await self._propose(call, said, [edit], found["encoding"])

    async def code_action(self, call: Call) -> str:
        method, wanted = "textDocument/codeAction", call.wanted
        path = call.view.path(wanted["path"])
        place = None
        if any(name in wanted for name in ("line_content", "line", "symbol")):
            path, place = await call.view.symbol(wanted)
        said = await self._request(call, method, path, place)
        results = language_servers.expect_answer(said, method, call.view.name(path), _BY_HAND)
        offered = [(each, action) for each in results for action in _actions(each.get("result"))]
        if not offered:
            return f"no code action is offered there in {call.view.name(path)}"
        if "apply" not in wanted:
            return _listed(offered, place.note if place else "")
        server, action = _chosen(offered, wanted["apply"])
        edits = await self._edits(call, path, server, action, said)
        if not edits:
            raise Failed(f"'{action['title']}' changes nothing")
        return await self._propose(call, said, edits, server["encoding"], place.note if place else "")

    async def _edits(
        self, call: Call, path: str, server: dict[str, Any], action: dict[str, Any], said: dict[str, Any]
    ) -> list[Any]:
        """Return the edits of an action, and those that its command asks for."""
        if "edit" not in action and "command" not in action:
            told = await self._editor.ask("resolve", id=server["id"], path=disk.resolve(path), action=action)
            _expect_no_error(told)
            action = told.get("action") or action
        edits = [action["edit"]] if isinstance(action.get("edit"), dict) else []
        command = action.get("command")
        command = action if isinstance(command, str) else command
        if isinstance(command, dict):
            told = await self._editor.ask(
                "execute", id=server["id"], path=disk.resolve(path), command=command
            )
            if told.get("refused"):
                raise Failed(
                    f"'{action.get('title')}' runs a command of the editor, which is refused: {_BY_HAND}"
                )
            _expect_no_error(told)
            edits += told.get("edits") or []
            said["changed"] = [*(said.get("changed") or ()), *(told.get("changed") or ())]
            said["texts"] = {**(said.get("texts") or {}), **(told.get("texts") or {})}
        return edits

    async def _request(
        self,
        call: Call,
        method: str,
        path: str,
        place: symbols.Place | None = None,
        params: dict[str, Any] | None = None,
    ) -> dict[str, Any]:
        at = (
            {}
            if place is None
            else {"row": place.row, "column": place.column, "last_column": place.last_column}
        )
        return await self._editor.ask(
            "request", method=method, path=disk.resolve(path), params=params or {}, edits=True, **at
        )

    async def _propose(
        self, call: Call, said: dict[str, Any], edits: list[Any], encoding: str, note: str = ""
    ) -> str:
        open_texts = {disk.resolve(path): text for path, text in (said.get("texts") or {}).items()}

        async def text_of(path: str) -> str | None:
            if (text := open_texts.get(disk.resolve(path))) is not None:
                return str(text)
            found = await call.view.text(path)
            if found is None and disk.exists(path):
                raise Failed(f"{call.view.name(path)} is no text that can be changed")
            return None if found is None else found[0]

        files = await workspace_edit.read(edits, encoding, text_of)
        changed = {disk.resolve(path) for path in said.get("changed") or ()}
        if late := next((file.path for file in files if disk.resolve(file.path) in changed), None):
            raise Failed(_CHANGED.format(call.view.name(late)))
        if not files:
            return "nothing is to be changed"
        answer = await self._proposer.propose(call, files)
        return "\n".join(filter(None, (answer, note)))


def _first(said: dict[str, Any], method: str, name: str, instead: str) -> dict[str, Any] | None:
    """Return the first result that changes anything."""
    results = language_servers.expect_answer(said, method, name, instead)
    return next((each for each in results if each.get("result")), None)


def _expect_no_error(told: dict[str, Any]) -> None:
    if told.get("error"):
        raise Failed(f"the language server: {told['error']}")


def _actions(result: Any) -> list[dict[str, Any]]:
    found = result if isinstance(result, list) else []
    return [each for each in found if isinstance(each, dict) and isinstance(each.get("title"), str)]


def _listed(offered: list[tuple[dict[str, Any], dict[str, Any]]], note: str) -> str:
    page = Page()
    for number, (_, action) in enumerate(offered, 1):
        reason = action.get("disabled")
        why = f" (not now: {reason.get('reason')})" if isinstance(reason, dict) else ""
        page.add(f"{number}: {action['title']}{why}")
    return page.text("name a line", "apply one with 'apply': its number or title", note)


def _chosen(
    offered: list[tuple[dict[str, Any], dict[str, Any]]], wanted: str | int
) -> tuple[dict[str, Any], dict[str, Any]]:
    if isinstance(wanted, int) and wanted <= len(offered):
        return offered[wanted - 1]
    for each in offered:
        if each[1]["title"] == wanted:
            return each
    titles = "; ".join(f"{number}: {action['title']}" for number, (_, action) in enumerate(offered, 1))
    raise Failed(f"no code action is called {wanted!r}: there are {titles}")
