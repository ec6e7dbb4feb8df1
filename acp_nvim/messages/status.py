"""Messages that keep the status of each session current in Lua."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal, NotRequired

from typing_extensions import TypedDict  # which pydantic wants before Python 3.12

from acp_nvim.messages.base_classes import Call, OnWire
from acp_nvim.messages.logins import LoginMethod
from acp_nvim.messages.session_options import Named, SessionOption

# --- Parts


class Cost(TypedDict):
    amount: float | None
    currency: str | None


class Usage(TypedDict):
    used: int | float | None
    size: int | float | None
    cost: Cost | None


class Tokens(TypedDict, total=False):
    """A count of tokens: what the agent has told of."""

    input: int
    output: int
    thought: int
    cached_read: int
    cached_write: int
    total: int


class TokenCounts(TypedDict):
    turn: Tokens
    session: Tokens


class PlanProgress(TypedDict):
    done: int
    total: int
    current: str | None


class Account(TypedDict, total=False):
    """With whose account an agent works, as far as it says so."""

    label: str
    state: str
    detail: str
    name: str
    email: str
    organization: str
    plan: str


class PlanStep(TypedDict):
    text: str
    status: str


class PlanShape(PlanProgress):
    id: str


class SubagentShape(TypedDict):
    id: str
    title: str
    state: str | None


class Remembered(TypedDict):
    """What the user has allowed or rejected for good."""

    id: int
    action: Literal["allow", "reject"]
    what: str
    by: str


class EditorTools(TypedDict):
    """How far the agent has come with the editor's tools."""

    state: Literal["off", "none", "own", "elsewhere", "sent", "started", "listed", "connected", "ended"]
    tools: int
    calls: int
    argument: NotRequired[bool]  # it got the server as an argument of its process


class StatusPatch(TypedDict, total=False):
    """What of a session's status has changed; null: it is gone."""

    account: Account | None
    ack: int  # the last prompt that has arrived
    waiting: list[int]  # the queue: the numbers of the prompts
    about: str | None
    agent: str
    agent_title: str | None
    agent_version: str | None
    cancelling: bool
    capabilities: dict[str, Any] | None
    changing: bool
    closing: bool
    cwd: str
    error: str | None
    full: bool  # at least 80 % of the context window is used
    held: bool
    limit: str | None  # of the account, and when it resets
    logins: list[LoginMethod] | None
    mode: str | None
    model: str | None
    models: list[Named] | None
    modes: list[Named] | None
    options: list[SessionOption] | None
    pid: int | None
    plan: PlanProgress | None
    plan_steps: list[PlanStep]
    plans: list[PlanShape]
    questions: int
    queue: int
    retrying: str | None  # why the agent asks its model again
    silent_since: int | None  # the agent has not said anything in this turn since then, in seconds since 1970
    remembered: list[Remembered]
    session_id: str | None
    state: Literal["starting", "idle", "running", "asking", "auth", "stopped", "failed"]
    steering: bool  # the agent takes words into a running turn
    stop_reason: str | None
    subagents: list[SubagentShape]
    suggestion: str | None  # what the user may want to ask next
    title: str | None
    tokens: TokenCounts | None
    tools: EditorTools | None
    transcript: str | None
    trust: str | None  # whether the agent trusts the folder
    turn: int
    usage: Usage | None


# --- To Lua


@dataclass(slots=True)
class Status(Call):
    session: int
    patch: Annotated[dict[str, Any], OnWire(StatusPatch)]
