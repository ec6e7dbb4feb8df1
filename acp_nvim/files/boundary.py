"""Decides whether a session may read or write a path.

Paths inside the session's folders are open. Paths outside need the user's permission, and so do git's own files inside:
they name programs that git runs.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from typing import Literal, NamedTuple
from weakref import WeakKeyDictionary

from acp_nvim.files import disk
from acp_nvim.permissions import ask_user
from acp_nvim.protocol.errors import INTERNAL_ERROR, NOT_FOUND, RpcError
from acp_nvim.session.question import Option, Question
from acp_nvim.session.session import Session
from acp_nvim.session.tool_paths import within
from acp_nvim.text.printable import visible

Access = Literal["read", "write"]

# Characters that some file systems do not see in a name.
_UNSEEN = dict.fromkeys([*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF])


class Root(NamedTuple):
    """A folder of a session, as it was when the session began. Another folder in its place later is not covered."""

    path: str  # resolved
    place: tuple[int, int] | None  # device and inode; None: there was no such folder
    is_repository: bool  # a bare one, or what git keeps in it: the user has chosen to work there

    @classmethod
    def of(cls, path: str) -> Root:
        resolved = disk.resolve(path)
        return cls(resolved, _place(resolved), _is_repository(resolved))

    def covers(self, path: str) -> bool:
        return within(path, self.path) and self.place is not None and _place(self.path) == self.place


class Boundary:
    """`outside` is the setting for paths outside the session's folders: "allow", "ask" or "deny"."""

    def __init__(self, touch: Callable[[Session], object]) -> None:
        self.outside = "ask"
        self._touch = touch
        self._folders: WeakKeyDictionary[Session, dict[tuple[Access, str], int]] = WeakKeyDictionary()
        self._roots: WeakKeyDictionary[Session, tuple[Root, ...]] = WeakKeyDictionary()

    def begin(self, session: Session) -> None:
        """Remember the session's folders as they are now."""
        self._roots[session] = tuple(Root.of(root) for root in (session.cwd, *session.roots))

    async def admit(
        self, session: Session, access: Access, path: str, given: str, is_linked: bool = False
    ) -> None:
        """Raise the agent's error unless the session may have the resolved path, to which `given` leads. `is_linked`:
        by a symlink, which is a reason to ask."""
        if self.outside == "allow" or (not is_linked and self._is_open_to(session, access, path, given)):
            return
        if access == "read" and not os.path.exists(path):
            raise RpcError(NOT_FOUND, f"Resource not found: {path}")
        where = "in a git folder" if self.is_rooted(session, path) else "outside the session's folders"
        where = "through a link" if is_linked and self._is_open_to(session, access, path, given) else where
        if self.outside != "ask":
            raise _refusal(access, path, f"is {where}")
        await self._ask(session, access, path, where)

    def is_inside(self, session: Session, path: str, given: str) -> bool:
        """Whether the session may have the resolved path without a question."""
        return any(
            root.covers(path) and not is_gits(path, given, root.path, not root.is_repository)
            for root in self._held(session)
        )

    def is_rooted(self, session: Session, path: str) -> bool:
        return any(root.covers(path) for root in self._held(session))

    def _held(self, session: Session) -> tuple[Root, ...]:
        if session not in self._roots:
            self.begin(session)
        return self._roots[session]

    def forget(self, session: Session) -> None:
        self._folders.pop(session, None)

    def _is_open_to(self, session: Session, access: Access, path: str, given: str) -> bool:
        granted = self._folders.get(session, ())
        folders = (folder for allowed, folder in granted if allowed in (access, "write"))
        return self.is_inside(session, path, given) or any(
            within(path, folder) and not is_gits(path, path, folder) for folder in folders
        )

    async def _ask(self, session: Session, access: Access, path: str, where: str) -> None:
        question = Question(
            session=session.number,
            kind="outside",
            title=f"{access} {where}: {visible(path)}",
            options=_options(os.path.dirname(path)),
            path=path,
            detail=(visible(path),),
        )
        chosen = await ask_user.answer(session, question, self._touch)
        if chosen is None or chosen.kind.startswith("reject"):
            raise _refusal(access, path, f"is {where}, and the user did not allow it")
        if chosen.id == "folder":
            question.remembered = self._open_folder(session, access, os.path.dirname(path))

    def _open_folder(self, session: Session, access: Access, folder: str) -> int:
        """Return what the user takes it back by."""
        folders = self._folders.setdefault(session, {})
        if (access, folder) not in folders:
            folders[access, folder] = session.remembered.add_grant(
                f"{access} below {visible(folder)}", partial(folders.__delitem__, (access, folder))
            )
        return folders[access, folder]


def _options(folder: str) -> tuple[Option, ...]:
    """Return the options. A folder that holds the user's home is named: "this folder" would say too little."""
    is_wide = within(disk.resolve(os.path.expanduser("~")), folder)
    what = f"All of {visible(folder)}" if is_wide else "This folder"
    return (
        Option("once", "Once", "allow_once"),
        Option("folder", f"{what}, for the session", "allow_always"),
        Option("no", "No", "reject_once"),
    )


def is_gits(path: str, given: str, folder: str, or_makes_it_one: bool = False) -> bool:
    """Whether the path is one of git's own files below the folder, as it is resolved or as it was given.

    These are `.git` and what lies below such a name, and folders that git would take for a repository. The folder
    itself is the user's choice, wherever it lies; with `or_makes_it_one` the path may not make it a repository.
    """
    if any(map(_is_dot_git, (*_below(path, folder), *_below(os.path.normpath(given), folder)))):
        return True
    steps = _steps(path, folder)
    return any(_is_repository(inner, name) for inner, name in steps if or_makes_it_one or inner != folder)


def _below(path: str, folder: str) -> list[str]:
    """Return the names of the path below the folder; all of them for a path outside of it."""
    start = len(folder.rstrip("/")) if within(path, folder) else 0
    return path[start:].split("/")


def _steps(path: str, folder: str) -> Iterator[tuple[str, str]]:
    """Yield the folders from that of the path up to the folder, each with the name in it that leads on."""
    while path != folder and within(path, folder):
        path, name = os.path.split(path)
        yield path, name


def _is_dot_git(name: str) -> bool:
    """Whether some file system takes the name for `.git`."""
    plain = name.translate(_UNSEEN).casefold().partition(":")[0].rstrip(". ")
    return plain in (".git", "git~1")


def _is_repository(folder: str, coming: str = "") -> bool:
    """Whether git takes the folder for a repository, or reads the configuration and the hooks of one from it, once
    `coming` is there, too. A write is judged by what it completes.

    HEAD objects refs            a bare repository
    HEAD commondir               a worktree's: configuration and objects lie in the folder that commondir names
    objects refs config          that folder
    """

    def has(*names: str) -> bool:
        return any(
            name.casefold() == coming.casefold() or os.path.lexists(f"{folder}/{name}") for name in names
        )

    return (has("objects") and has("refs") and has("HEAD", "config", "hooks")) or (
        has("commondir") and has("HEAD")
    )


def _place(path: str) -> tuple[int, int] | None:
    """Return device and inode of a resolved path, not following a link that has come there since."""
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _refusal(access: Access, path: str, why: str) -> RpcError:
    return RpcError(NOT_FOUND if access == "read" else INTERNAL_ERROR, f"{path} {why}")
