"""Lists the saved sessions of one agent page by page, the next page when the user wants more."""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import islice
from typing import Any, Literal

from acp_nvim import limits
from acp_nvim.agent.connection import Gone, Result
from acp_nvim.host.interface import AgentHost
from acp_nvim.protocol import decode, schema
from acp_nvim.protocol.jsonrpc import Failure
from acp_nvim.session.session_title import telling
from acp_nvim.text.printable import one_line


class SavedSessionPages:
    def __init__(self, host: AgentHost, changed: Callable[[], None]) -> None:
        self.state: Literal["none", "asking", "more", "done", "cut", "failed"] = "none"
        self.error: str | None = None
        self._host = host
        self._changed = changed
        self._items: dict[str, dict[str, Any]] = {}
        self._roots: dict[str, tuple[str, ...]] = {}  # by session, of those that have further folders
        self._cursors: list[str] = []
        self._round = 0

    def begin(self) -> None:
        """Load again from the first page. The known ones stay until it has come."""
        self.end()
        self._cursors = []
        if self._host.agent and self._host.agent.session("list"):
            self._ask({})

    def more(self) -> None:
        if self.state == "more":
            self._ask({"cursor": self._cursors[-1]})

    def end(self) -> None:
        """Ignore the page that is still to come."""
        self._round += 1
        self._host.connection.give_up(self)

    def remove(self, session_id: str) -> None:
        self._items.pop(session_id, None)

    def title(self, session_id: str) -> str | None:
        return self._items.get(session_id, {}).get("title")

    def roots(self, session_id: str) -> tuple[str, ...]:
        """Return the further folders that the agent has saved with a session."""
        return self._roots.get(session_id, ())

    def shape(self) -> dict[str, Any]:
        return {"state": self.state, "error": self.error, "sessions": list(self._items.values())}

    def _ask(self, params: dict[str, Any]) -> None:
        self.state, self.error = "asking", None
        number = self._round
        self._host.call(
            "session/list", params, lambda result: self._page(number, bool(params), result), owner=self
        )

    def _page(self, number: int, further: bool, result: Result) -> None:
        if number != self._round:
            return
        if isinstance(result, Gone):
            self.state = "none"
        elif isinstance(result, Failure):
            self.state, self.error = "failed", one_line(str(result.error))
        else:
            self._take(decode.saved_sessions(result.result), further)
        self._changed()

    def _take(self, page: schema.SavedSessions, further: bool) -> None:
        if not further:
            self._items.clear()
            self._roots.clear()
        for saved in page.sessions:
            if len(self._items) < limits.SAVED_SESSIONS:
                self._items.setdefault(saved.session_id, _shape(saved))
                if roots := _folders(saved):
                    self._roots.setdefault(saved.session_id, roots)
        cursor = page.next_cursor
        is_new = bool(cursor) and cursor not in self._cursors
        is_full = len(self._items) >= limits.SAVED_SESSIONS
        is_cut = is_full and (is_new or any(each.session_id not in self._items for each in page.sessions))
        ends = is_full or not is_new
        self.state = "cut" if is_cut else "done" if ends else "more"
        if cursor and not ends:
            self._cursors.append(cursor)


def _shape(saved: schema.SavedSession) -> dict[str, Any]:
    shape: dict[str, Any] = {"id": saved.session_id}
    title = one_line((saved.title or "")[: 2 * limits.NAME_CHARS])[: limits.NAME_CHARS]
    if telling(title, saved.session_id, saved.cwd):
        shape["title"] = title
    if saved.cwd:
        shape["cwd"] = saved.cwd
    if (updated := decode.seconds(saved.updated_at)) is not None:
        shape["updated"] = int(updated)
    return shape


def _folders(saved: schema.SavedSession) -> tuple[str, ...]:
    found = (root for root in saved.roots if os.path.isabs(root) and len(root) <= limits.PATH_CHARS)
    return tuple(dict.fromkeys(islice(found, limits.SAVED_ROOTS)))
