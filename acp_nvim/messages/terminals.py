"""Messages about the terminals of agents."""

from dataclasses import dataclass

from acp_nvim.messages.base_classes import Call, OfSession, Question

# --- From Lua


class TerminalWatch(OfSession):
    """A buffer shows a terminal: send its output there."""

    id: str
    buffer: int


class TerminalKill(OfSession):
    id: str


# --- To Lua


@dataclass(slots=True)
class TerminalOpen(Call):
    session: int
    id: str
    command: str


@dataclass(slots=True)
class TerminalExit(Call):
    session: int
    id: str
    status: str


@dataclass(slots=True)
class TerminalFeed(Question[bool]):
    """Write output to a terminal's buffer; false: it is gone."""

    session: int
    id: str
    piece: str
    buffer: int
