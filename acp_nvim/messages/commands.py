"""What Lua asks of the backend: `backend.notify("set_mode", { session = 1, id = "code" })` arrives as a `SetMode`.

A class is named after its command. Types are strict and unknown fields are refused: both halves are of one version, and
a message that does not fit was sent by a plugin that has been updated while the backend ran.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict


def _table(value: Any) -> Any:
    """An empty table of Lua arrives as a list."""
    return {} if value == [] else value


Table = Annotated[dict[str, Any], BeforeValidator(_table)]
Texts = Annotated[dict[str, str], BeforeValidator(_table)]
# What goes along with a prompt comes from the user's own configuration, too; it is read leniently where it is used.
Context = list[dict[str, Any]]


class Part(BaseModel):
    """A part of a message."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, defer_build=True)


class Command(Part):
    pass


class OfSession(Command):
    session: int


class OfQuestion(Command):
    question: int


# --- the backend


class Setup(Command):
    """The first message, and again when setup() is called later."""

    config: Any  # agent.settings.Settings
    leaders: str | None = None  # the file that names the processes to be ended should the backend die
    log: str | None = None  # the folder for log files
    state: str | None = None  # the folder for what is kept; none: nothing is
    next_question: int = 1  # the first number that no earlier backend has given to a question


class Doctor(Command):
    """Look at one agent, without a session."""

    agent: str
    ticket: int
    seconds: float | None = None


class Log(Command):
    """Show the log of the backend."""


# --- sessions


class Waiting(Part):
    """A prompt that has waited while there was no backend."""

    seq: int = 0
    text: str
    context: Context = []


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
    """Begin a session that remembers what was said in another."""


class Replay(Begin):
    """Show a conversation that is over; without a file the latest of the folder."""

    file: str | None = None


class Prompt(OfSession):
    """Send a prompt, or queue it."""

    text: str
    context: Context = []
    seq: int = 0  # the editor's number of it
    first: bool | None = None  # cancel the turn for it
    next: bool | None = None  # ahead of the queue
    loaded: list[str] = []  # the files in the editor's buffers


class Cancel(OfSession):
    """End the turn; `clear` empties the queue."""

    clear: bool = False


class Stop(OfSession):
    """End the agent's process."""


class Restart(OfSession):
    """End the agent's process, if it runs, and begin it anew with its sessions."""


class Close(OfSession):
    """The session leaves the list."""


class Rename(OfSession):
    """Give the session a title of the user's."""

    title: str


class Follow(OfSession):
    """A window follows the agent, or none any more."""

    on: bool


class FollowPaused(OfSession):
    """The user has moved away in the window that follows."""


# --- the sessions that agents have saved


class List(Command):
    """The list of saved sessions is open: ask the agents that run, or start the one named if none runs."""

    agent: str | None = None
    cwd: str
    refresh: bool = False
    more: bool = False


class ListEnd(Command):
    """The list is closed."""


class Delete(Command):
    """Have the agent delete a session."""

    id: str
    agent: str | None = None


class Earlier(Command):
    """Which conversation of a folder could go on?"""

    cwd: str


# --- the queue of prompts


class QueueOpen(OfSession):
    """Show the queue as a buffer."""


class QueueSet(OfSession):
    """The user has edited the queue: what it was, and what it shall be."""

    items: list[str]
    was: list[str] | None = None


class QueueRelease(OfSession):
    """Send what was held."""


class Recall(OfSession):
    """Put a sent prompt back into the prompt's buffer."""

    key: int


# --- the chat


class Toggle(OfSession):
    """Fold or unfold an entry; without `open` whichever it is not."""

    key: int
    open: bool | None = None


class Fit(OfSession):
    """The size of a chat's window."""

    rows: int
    columns: int


class Details(OfSession):
    """Show all of an entry in a float."""

    key: int


class Render(OfSession):
    """The chat's lines are not what they should be: send them again."""


class Trace(OfSession):
    """Show the wire of the session's agent, record it or not, or save it to a file."""

    mode: Literal["on", "off", "save"] | None = None
    file: str | None = None  # to save it to
    force: bool = False  # over a file that is there


class Export(OfSession):
    """Write the conversation to a file, as Markdown."""

    file: str
    force: bool = False


# --- mode, model, options


class SetMode(OfSession):
    id: str


class SetModel(OfSession):
    id: str


class SetOption(OfSession):
    id: str
    value: str | bool


# --- logins


class Login(OfSession):
    """Log in; without a method by the configured one, or the one that the user chooses."""

    method: str | None = None


class LoginDone(OfSession):
    """The login's program in the terminal has ended well."""


class Logout(OfSession):
    pass


# --- questions


class Answer(OfQuestion):
    """Answer a question by one of its options; without one it is cancelled."""

    option: str | None = None
    version: int | None = None  # of the question, as it was shown
    content: Any = None  # words, or what a form holds, which checks it


class Allow(OfQuestion):
    """Show the rule that would allow the call, or `set` it for the session and answer the question by it."""

    version: int | None = None
    set: bool = False


class FormField(Part):
    """A field of a form, as it was typed."""

    text: str = ""
    chosen: list[int] = []  # the numbers of its choices, from 1


class FormSend(OfQuestion):
    """A form's buffer was written."""

    fields: Annotated[dict[str, FormField], BeforeValidator(_table)]


class Forget(OfSession):
    """Take back what was allowed or rejected for good: the items that are named, or all."""

    items: list[int] | None = None


class Why(OfSession):
    """Tell what decided a tool call: the one under that key, else the last that was decided."""

    key: int | None = None


# --- proposals


class DiffEntry(OfSession):
    """Show the diff of a tool call in the chat."""

    key: int
    focus: bool = False


class Diff(OfQuestion):
    """Show the diff of a question."""

    focus: bool = False
    auto: bool = False  # nobody has asked for it: say nothing if there is none


class FileAnswer(Part):
    """What the user has made of the right side of one file; no text: there is no file, or shall be none."""

    left: str | None = None  # the live text that the decision is about
    right: str | None = None  # that with all of the proposal
    decided: str | None = None  # what the user wants instead
    saved: str | None = None  # `decided` without unsaved lines; none: the two overlap
    takes_unsaved: bool = False  # what the agent writes to the disk would overlap unsaved lines


class Decide(OfQuestion):
    """The right sides of a proposal are what the user wants. Of a file that is not named all is taken."""

    version: int | None = None
    option: str | None = None  # which one the user took to allow it
    files: Annotated[dict[str, FileAnswer], BeforeValidator(_table)] = {}  # by path


class Merged(OfQuestion):
    """The user's own merge of a conflict."""

    version: int | None = None
    text: str


# --- the review


class TurnNote(Part):
    """The line below a turn that has changed files."""

    session: int
    turn: int
    text: str


class LostLines(Part):
    """What the user has made of an agent's lines in one file."""

    path: str  # as it was named
    undone: int
    changed: int
    lines: list[str]  # a unified diff, or the beginning of one
    more: int  # lines that it has beyond those
    removed: bool = False  # the file, which the agent has created
    restored: bool = False  # the file, which the agent has deleted


class ReviewReport(Part):
    """What an agent's next prompt has to begin with; it replaces the last one."""

    session: int
    files: list[LostLines]


class Reviewed(Command):
    """The user has decided on changes of agents, or has edited them."""

    notes: list[TurnNote] = []
    reports: list[ReviewReport] = []
    undone: list[str] = []  # files that an undo has written, resolved
    unsaved: Texts | None = None  # with a prompt: the files in review that differ from the disk, resolved


# --- files, terminals


class Modified(Command):
    """A loaded buffer has unsaved changes now, or none any more."""

    path: str
    modified: bool


class Unlocked(Command):
    """The user has finished what kept a loaded file from being changed."""

    path: str


class TerminalWatch(OfSession):
    """A buffer shows a terminal: send its output there."""

    id: str
    buffer: int


class TerminalKill(OfSession):
    id: str
