"""The boundary of a session: its folder and the further ones. What lies outside needs the user's leave."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Literal
from weakref import WeakKeyDictionary

from acp_nvim.protocol.errors import INTERNAL_ERROR, NOT_FOUND, RpcError
from acp_nvim.serves import asking, disk
from acp_nvim.session.questions import Option, Question
from acp_nvim.session.session import Session
from acp_nvim.session.visible import one_line, visible

Access = Literal["read", "write"]

_OPTIONS = (
    Option("once", "Once", "allow_once"),
    Option("folder", "This folder, for the session", "allow_always"),
    Option("no", "No", "reject_once"),
)


class Boundary:
    """`outside` is the setting: what becomes of paths outside the roots."""

    def __init__(self, touch: Callable[[Session], object]) -> None:
        self.outside = "ask"
        self._touch = touch
        self._folders: WeakKeyDictionary[Session, set[tuple[Access, str]]] = WeakKeyDictionary()

    async def admit(self, session: Session, access: Access, path: str) -> None:
        """Returns if the session may have the resolved path; else raises what the agent is told."""
        if self.outside == "allow" or self._is_open_to(session, access, path):
            return
        if access == "read" and not os.path.exists(path):
            raise RpcError(NOT_FOUND, f"Resource not found: {path}")
        if self.outside != "ask":
            raise _refusal(access, path, "is outside the session's folders")
        await self._ask(session, access, path)

    def forget(self, session: Session) -> None:
        self._folders.pop(session, None)

    def _is_open_to(self, session: Session, access: Access, path: str) -> bool:
        granted = self._folders.get(session, ())
        folders = {folder for given, folder in granted if given in (access, "write")}
        return any(within(path, folder) for folder in (*roots(session), *folders))

    async def _ask(self, session: Session, access: Access, path: str) -> None:
        question = Question(
            session=session.number,
            kind="outside",
            title=one_line(f"{access} outside the session's folders: {path}"),
            options=_OPTIONS,
            path=path,
            detail=(visible(path),),
        )
        chosen = await asking.answer(session, question, self._touch)
        if chosen is None or chosen.kind.startswith("reject"):
            raise _refusal(access, path, "is outside the session's folders, and the user did not allow it")
        if chosen.id == "folder":
            self._folders.setdefault(session, set()).add((access, os.path.dirname(path)))


def roots(session: Session) -> list[str]:
    return [disk.resolve(root) for root in (session.cwd, *session.roots)]


def within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _refusal(access: Access, path: str, why: str) -> RpcError:
    return RpcError(NOT_FOUND if access == "read" else INTERNAL_ERROR, f"{path} {why}")
