"""Messages about sessions: how they begin and end, their modes and models, and their status."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal, NotRequired

from typing_extensions import TypedDict  # which pydantic wants before Python 3.12

from acp_nvim.messages.base_classes import Call, OfSession, OnWire, Question
from acp_nvim.messages.logins import LoginMethod
from acp_nvim.messages.prompts import Waiting

# --- Parts


class Named(TypedDict):
    id: str
    name: str


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


class OptionChoice(Named):
    group: NotRequired[str]
    description: NotRequired[str]


class SessionOption(TypedDict):
    id: str
    name: str
    type: str
    value: str | bool | None
    choices: list[OptionChoice]
    category: NotRequired[str]


class StatusPatch(TypedDict, total=False):
    """What of a session's status has changed; null: it is gone."""

    account: Account | None
    ack: int  # the last prompt that has arrived
    waiting: list[int | list[int | str]]  # the queue: a prompt's number, or number and text of an edited one
    about: str | None
    agent: str
    agent_title: str | None
    agent_version: str | None
    cancelling: bool
    cannot: dict[str, str] | None  # with earlier sessions: by verb, in words behind the agent's name
    capabilities: dict[str, Any] | None
    changing: bool
    closing: bool
    cwd: str
    error: str | None
    following: bool
    full: bool  # at least 80 % of the context window is used
    held: bool
    limit: str | None  # of the account, and when it resets
    logins: list[LoginMethod] | None
    mode: str | None
    model: str | None
    models: list[Named] | None
    modes: list[Named] | None
    options: list[SessionOption] | None
    paused: bool
    pid: int | None
    plan: PlanProgress | None
    plan_steps: list[PlanStep]
    plans: list[PlanShape]
    questions: int
    queue: int
    retrying: str | None  # why the agent asks its model again
    remembered: list[Remembered]
    session_id: str | None
    state: Literal["starting", "idle", "running", "asking", "auth", "stopped", "failed"]
    steering: bool  # the agent takes words into a running turn
    stop_reason: str | None
    subagents: list[SubagentShape]
    suggestion: str | None  # what the user may want to ask next
    title: str | None
    tokens: TokenCounts | None
    transcript: str | None
    trust: str | None  # whether the agent trusts the folder
    turn: int
    usage: Usage | None


# --- From Lua


class Begin(OfSession):
    """What each way to begin a session has in common."""

    agent: str
    cwd: str
    roots: list[str] | None = None


class New(Begin):
    """Begin a session. With an id it is one of an earlier backend: loaded if its agent can, else begun anew."""

    id: str | None = None
    transcript: str | None = None
    title: str | None = None
    name: str | None = None
    about: str | None = None
    queue: list[Waiting] = []


class OpenSaved(Begin):
    """What each way to open a session that an agent has saved has in common."""

    id: str


class Load(OpenSaved):
    """Open a saved session, with what was said."""


class Resume(OpenSaved):
    """Open a saved session, without what was said."""


class Reopen(OpenSaved):
    """Load a saved session where its agent can, else resume it."""


class Fork(OpenSaved):
    """Begin a session that remembers what was said in another, all of it or up to an entry of the chat `of`."""

    of: int | None = None
    key: int | None = None


class Replay(Begin):
    """Show a conversation that is over; without a file the latest of the folder."""

    file: str | None = None


class Stop(OfSession):
    """End the agent's process."""


class Restart(OfSession):
    """End the agent's process, if it runs, and begin it anew with its sessions."""


class Close(OfSession):
    """The session leaves the list."""


class Rename(OfSession):
    """Give the session a title of the user's."""

    title: str


class OfSubagent(OfSession):
    """What commands on a subagent of a session have in common."""

    id: str


class OpenSubagent(OfSubagent):
    """Show what a subagent has been told, has done and said."""


class CancelSubagent(OfSubagent):
    """Cancel what a subagent does, if its agent lets the user."""


class Follow(OfSession):
    """A window follows the agent, or none any more."""

    on: bool


class FollowPaused(OfSession):
    """The user has moved away in the window that follows."""


class Trace(OfSession):
    """Show the wire of the session's agent, record it or not, or save it to a file."""

    mode: Literal["on", "off", "save"] | None = None
    file: str | None = None  # to save it to
    force: bool = False  # over a file that is there


class Export(OfSession):
    """Write the conversation to a file, as Markdown."""

    file: str
    force: bool = False


class SetMode(OfSession):
    id: str


class SetModel(OfSession):
    id: str


class SetOption(OfSession):
    id: str
    value: str | bool


# --- To Lua


@dataclass(slots=True)
class Status(Call):
    session: int
    patch: Annotated[dict[str, Any], OnWire(StatusPatch)]


@dataclass(slots=True)
class Commands(Call):
    """The agent's slash commands."""

    session: int
    commands: list[dict[str, str]] | None


@dataclass(slots=True)
class Ended(Call):
    """The session leaves the list."""

    session: int


@dataclass(slots=True)
class Event(Question[bool]):
    """Fire the User autocommand of that name; `messages.events` has the data of each. True once it has been fired."""

    name: str
    data: dict[str, Any]


@dataclass(slots=True)
class ShowPlace(Call):
    """The agent is at this place."""

    session: int
    path: str
    line: int
