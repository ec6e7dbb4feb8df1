"""Takes what an agent says beside the standard's updates: that it tries again, who pays, what to ask next."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from acp_nvim.host.interface import Application
from acp_nvim.protocol import decode
from acp_nvim.protocol.schema.notifications import Account, Retrying
from acp_nvim.session.session import Session
from acp_nvim.text.printable import name_of


class AgentNotices:
    """`find` returns the session of an id; `set_account` is told of the account of the whole process."""

    def __init__(
        self,
        app: Application,
        find: Callable[[str | None], Session | None],
        set_account: Callable[[dict[str, str]], None],
    ) -> None:
        self._app, self._find, self._set_account = app, find, set_account

    def take(self, method: str, params: Any) -> bool:
        """Take a notification; False if it is none of these."""
        found = decode.notice(method, params)
        if found is None:
            return False
        if isinstance(found, Account):
            self._set_account({key: name_of(value) for key, value in found._asdict().items() if value})
            return True
        session = self._find(found.session_id)
        if session is None:
            return False
        if isinstance(found, Retrying):
            session.hints.retry(found.why)
        else:
            session.hints.suggest(found.text)
        self._app.touch(session)
        return True
