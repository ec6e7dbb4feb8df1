"""Tables that calls of the editor hold: what Lua finds in a status, a question, a proposal."""

from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict  # which pydantic wants before Python 3.12


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


class PlanProgress(TypedDict):
    done: int
    total: int
    current: str | None


class Remembered(TypedDict):
    """What the user has allowed or rejected for good."""

    id: int
    action: Literal["allow", "reject"]
    what: str
    by: str


class LoginMethod(TypedDict):
    id: str
    name: str
    text: str


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
    logins: list[LoginMethod] | None
    mode: str | None
    model: str | None
    models: list[Named] | None
    modes: list[Named] | None
    options: list[SessionOption] | None
    paused: bool
    pid: int | None
    plan: PlanProgress | None
    questions: int
    queue: int
    remembered: list[Remembered]
    session_id: str | None
    state: Literal["starting", "idle", "running", "asking", "auth", "stopped", "failed"]
    stop_reason: str | None
    title: str | None
    transcript: str | None
    turn: int
    usage: Usage | None


class SavedSession(TypedDict):
    id: str
    title: NotRequired[str]
    cwd: NotRequired[str]
    updated: NotRequired[int]


class SavedSessions(TypedDict):
    """What one agent has saved."""

    agent: str
    cwd: str
    state: str
    error: NotRequired[str | None]
    sessions: list[SavedSession]
    can: dict[str, bool]


class KeptConversation(TypedDict):
    """A conversation that is over, as its transcript tells."""

    file: str
    agent: str
    id: str | None  # the agent's
    title: str | None  # the first words of its user
    updated: int  # seconds since 1970


class Icon(TypedDict):
    text: str
    hl: str


class Mark(TypedDict):
    """What the lines are from this row to the next mark."""

    row: int
    kind: str
    key: NotRequired[int | str | None]  # the transcript's entry; of an option: its question
    turn: NotRequired[int]  # of "changes": what this turn has changed in files
    options: NotRequired[list[tuple[int, int, int]]]  # columns of each option in the line, and its number
    inline: NotRequired[list[tuple[int, str, str]]]  # signs within the line: column, text, group
    icon: NotRequired[Icon]  # stands before the line
    open: NotRequired[bool]  # a tool call or a compaction that has not ended, or a question that waits
    running: NotRequired[bool]  # a tool at work: its icon turns
    eol: NotRequired[list[tuple[str, str]] | None]
    beside: NotRequired[int]  # the column before which that stands where it does not fit behind the line
    spans: NotRequired[list[tuple[int, int, str]]]
    line_hl: NotRequired[str | None]


Append = tuple[Literal["append"], str, list[Mark]]
Splice = tuple[Literal["splice"], int, int, list[str], list[Mark]]  # rows from, to; their new lines
Marks = tuple[Literal["marks"], int, int, list[Mark]]
ChatOp = Append | Splice | Marks


class AnswerOption(TypedDict):
    id: str
    name: str
    kind: str


class FormChoice(TypedDict):
    value: str
    title: str
    description: str


class FormFieldShape(TypedDict):
    """A field of a form, as it is shown."""

    name: str
    title: str
    type: str
    required: bool
    default: NotRequired[Any]
    description: str
    choices: list[FormChoice]
    custom: bool
    format: NotRequired[str]
    pattern: NotRequired[str]
    least: NotRequired[float]  # of its value, its length, or of how many are chosen
    most: NotRequired[float]


class OpenQuestion(TypedDict):
    id: int
    session: int
    kind: str
    title: str
    fields: list[FormFieldShape]
    tool_call_id: str | None
    options: list[AnswerOption]
    path: str | None
    has_diff: bool
    more: bool  # the call does more than its diff shows
    cut: bool  # the chat cannot show it whole
    version: int
    key: int | None  # its entry in the chat


class LoginProgram(TypedDict):
    argv: list[str]
    env: dict[str, str]
    cwd: str
    label: str


class ProposedFile(TypedDict):
    """A file as the agent wants it; the editor builds both sides from the live text."""

    path: str
    name: str
    shown: str  # its path, as the session's folder sees it
    disk: str | None
    base: str | None  # what the agent has built on, where that is not what is on disk
    new: str | None
    changes: list[list[str]]  # old and new of each fragment, where the whole file is not known
    problem: str | None
    outside: bool
    plain: bool  # too much to be compared


class BegunMerge(TypedDict):
    right: str
    text: str


class FileSides(TypedDict):
    """Both sides of a file, as they are."""

    path: str
    name: str
    shown: str
    left: str | None
    right: str | None
    plain: bool
    begun: NotRequired[BegunMerge | None]  # what the user had made of an earlier right side


class BuiltSides(TypedDict):
    left: NotRequired[str]
    right: NotRequired[str]
    problem: NotRequired[str]  # why it is not the whole file, or not exact
    fits: bool


class ProposalView(TypedDict):
    kind: Literal["proposal"]
    question: int
    session: int
    version: int
    through: bool
    files: list[ProposedFile]
    focus: bool
    auto: bool
    renews: bool  # only if the editor has it already


class MergeView(TypedDict):
    kind: Literal["merge"]
    question: int
    session: int
    version: int
    stays: bool
    files: list[FileSides]
    focus: bool
    renews: bool


class CompareView(TypedDict):
    kind: Literal["view"]
    session: int
    files: list[FileSides]
    focus: bool


class DoctorReport(TypedDict, total=False):
    """What a look at an agent has found; `error`: why there is nothing more."""

    agent: str
    error: str
    ms: int  # from the start of its process to its answer
    version: str | None
    title: str | None
    protocol: int
    capabilities: list[str]
    logins: list[LoginMethod]
    deviations: list[str]
    stderr: list[str]
    slow_end: bool  # it had to be killed


class DiskChange(TypedDict):
    """What an agent has changed on the disk."""

    given: str  # the path as it was named
    session: int
    turn: int
    by: Literal["agent", "unknown"]
    known: bool  # somebody has seen what the file held before
    before: str | None  # None: there was no file, or its text is unknown
    after: str | None  # None: there is no file now
    deleted: bool
    mode: int | None  # of a deleted file


class DocumentBy(TypedDict):
    """For whom a buffer is changed."""

    kind: Literal["agent", "unknown"]
    session: int
    turn: int
    own: NotRequired[
        list[list[list[str]]]
    ]  # the lines that go and those that come, where not all is the agent's
    given: NotRequired[str]  # the path as it was named
    was_there: NotRequired[bool | None]
    was_final: NotRequired[bool]
    was_dos: NotRequired[bool]
    is_final: NotRequired[bool | None]


class KnownText(TypedDict):
    """What a file held when the backend last looked."""

    text: NotRequired[str]  # else the base of the write
    stamp: NotRequired[list[int]]


class WriteRequest(TypedDict):
    path: str  # resolved
    base: NotRequired[str]  # what the agent believes
    base_bytes: NotRequired[str]  # or the bytes that it builds on; neither: nobody knows
    text: str
    by: DocumentBy
    autocmds: bool
    known: NotRequired[KnownText]
    settled: NotRequired[list[int]]  # how the file looked that the user was asked about


class SettledText(TypedDict):
    """What the user wants to have in the place of the buffer and of the disk."""

    live: str
    text: str
    disk: list[int]


class SyncRequest(TypedDict):
    path: str  # resolved
    by: DocumentBy
    known: NotRequired[KnownText]
    settled: NotRequired[SettledText]
    echo: NotRequired[str]  # what the agent has written through us before
