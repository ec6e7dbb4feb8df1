"""Defines what the files room needs to know of decisions on proposals; the room of the proposals provides it."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from acp_nvim.files.documents import DecidedBase
from acp_nvim.files.file_snapshot import Asked, Typed
from acp_nvim.session.session import Session


class Decision(Protocol):
    """What the user has decided about one file of a proposal."""

    @property
    def decided(self) -> str | None:
        """The text that the user wants; None: no such file."""

    @property
    def typed(self) -> Typed | None: ...
    @property
    def base(self) -> DecidedBase: ...


class DecidedTexts(NamedTuple):
    """The live text that a decision is about, and what the user has made of it."""

    left: str
    decided: str
    typed: Typed | None


class Decisions(Protocol):
    """The decisions on proposals in the turns that run."""

    def take(self, session: Session, path: str, content: str | None) -> Decision | None:
        """Return the decision in whose place the agent writes `content`, or deletes the file; None: it does what nobody
        decided on."""

    def typed(self, session: Session, path: str, on_disk: str | None = None) -> Typed | None:
        """Return what the user has typed into a file whose disk holds what was decided. `on_disk` is that text; None:
        it is read."""

    def asked(self, session: Session, path: str, turn: int) -> tuple[Asked, ...]:
        """Return what the user has allowed in that turn, of what questions have shown of the file."""

    def last(self, session: Session, path: str, on_disk: str) -> DecidedTexts | None:
        """Return the last decision on a file, if the disk holds what came of it."""
