"""The message that becomes a User autocommand, and the data of each, as `:help acp_nvim-events` describes them."""

from dataclasses import dataclass
from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict  # which pydantic wants before Python 3.12

from acp_nvim.messages.base_classes import Question


class SessionEvent(TypedDict):
    session: int


class AcpSessionStarted(SessionEvent):
    pass


class AcpSessionEnded(SessionEvent):
    reason: Literal["closed", "stopped", "exited", "failed"]


class AcpTurnStarted(SessionEvent):
    turn: int


class AcpTurnEnded(SessionEvent):
    turn: int
    stop_reason: str | None
    error: str | None
    tokens: NotRequired[dict[str, int]]  # what the turn took, as far as the agent says


class AcpSteered(SessionEvent):
    text: str
    outcome: Literal["injected", "queued"]


class AcpToolCall(SessionEvent):
    id: str
    kind: str
    status: str
    title: str
    paths: list[str]


class AcpQuestion(SessionEvent):
    id: int


class AcpAnswered(SessionEvent):
    id: int
    option_id: str | None
    by: str


class AcpTools(SessionEvent):
    state: str
    tools: int
    calls: int
    argument: NotRequired[bool]


class AcpFileRead(SessionEvent):
    path: str


class AcpFileWritten(SessionEvent):
    path: str


class AcpLocation(SessionEvent):
    path: str
    line: int  # from 1


EVENTS: dict[str, type[SessionEvent]] = {
    "AcpAnswered": AcpAnswered,
    "AcpFileRead": AcpFileRead,
    "AcpFileWritten": AcpFileWritten,
    "AcpLocation": AcpLocation,
    "AcpQuestion": AcpQuestion,
    "AcpSessionEnded": AcpSessionEnded,
    "AcpSessionStarted": AcpSessionStarted,
    "AcpSteered": AcpSteered,
    "AcpToolCall": AcpToolCall,
    "AcpTools": AcpTools,
    "AcpTurnEnded": AcpTurnEnded,
    "AcpTurnStarted": AcpTurnStarted,
}  # AcpChanges and AcpStatus are Lua's own


# --- To Lua


@dataclass(slots=True)
class Event(Question[bool]):
    """Fire the User autocommand of that name. True once it has been fired."""

    name: str
    data: dict[str, Any]
