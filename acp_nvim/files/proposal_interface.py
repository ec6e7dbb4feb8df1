"""Defines what the files room needs to know of decisions on proposals; the room of the proposals provides it."""

from __future__ import annotations

from typing import Any, Protocol

from acp_nvim.files.documents import DecidedBase, Overlap
from acp_nvim.files.file_snapshot import Own
from acp_nvim.session.session import Session


class Decision(Protocol):
    """What the user has decided about one file of a proposal."""

    settled: bool
    through: bool

    @property
    def decided(self) -> str | None:
        """The text that the user wants; None: no such file."""

    @property
    def own(self) -> Own | None: ...
    @property
    def base(self) -> DecidedBase: ...
    def is_proposal(self, content: str) -> bool: ...


class Decided(Protocol):
    """The decisions on proposals that the agent has not written yet."""

    def find(self, session: Session, path: str) -> Decision | None: ...
    def unlike(self, session: Session, decision: Any) -> None:
        """Note that the agent writes something else than it proposed: the decision does not apply. It is one that
        `find` returned, of the class of the other room."""

    async def wanted(self, session: Session, path: str, apart: Overlap) -> str | None:
        """Return the user's decision on an overlap that a proposal has shown; None: there is none."""


class Undecided:
    """No proposal was decided on."""

    def find(self, session: Session, path: str) -> Decision | None:
        return None

    def unlike(self, session: Session, decision: Any) -> None:
        raise AssertionError("nothing was decided")

    async def wanted(self, session: Session, path: str, apart: Overlap) -> str | None:
        return None
