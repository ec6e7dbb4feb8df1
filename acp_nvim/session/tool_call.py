"""Models a tool call: what the agent has sent of it so far, and the questions about it."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, ClassVar

from acp_nvim import limits
from acp_nvim.protocol import schema
from acp_nvim.session.change_preview import FilePreview
from acp_nvim.session.content_growth import ContentGrowth
from acp_nvim.session.identity_cache import IdentityCache
from acp_nvim.session.nested_calls import NestedCalls
from acp_nvim.session.question import Question
from acp_nvim.session.reported_output import ReportedOutput
from acp_nvim.session.tool_paths import named
from acp_nvim.text.printable import one_line, prose

_OPEN = ("pending", "in_progress")
COMMANDS = ("command", "cmd")
ARGUMENTS = ("args", "arguments")
NOTHING: tuple[Any, ...] = (None, "", [], {})
_SIGNAL = 40  # characters of its name
_EXIT_CODES = ("exit_code", "exitCode", "exit", "return_code")


@dataclass(slots=True, eq=False)
class ToolCall:
    speaker: ClassVar[str | None] = "agent"
    key: int
    id: str
    started: float
    turn: int = 0  # in which it has begun
    root: ToolCall | None = None  # the entry within which it is shown, because a subagent makes it
    depth: int = 0  # below that entry
    nested: NestedCalls | None = None  # the calls of the subagent that this one has begun
    is_announced: bool = False  # by a `tool_call`; else by an update or a permission alone
    title: str = ""
    name: str = ""  # of the tool
    kind: str = "other"
    status: str = "pending"
    content: tuple[schema.ToolContent, ...] = ()
    locations: tuple[schema.Location, ...] = ()
    raw_input: Any = None
    raw_output: Any = None
    # those of the agent's own, by their ids
    terminals: dict[str, ReportedOutput] = field(default_factory=dict)
    terminal_exit_code: int | None = None  # of its terminal, ours or the agent's own
    terminal_signal: str = ""  # that ended its command, such as SIGKILL
    questions: list[Question] = field(default_factory=list)
    verdict: str = ""  # "rejected", "allowed by rule 2"
    # "cancelled" or "left open", if the turn ended before the agent said how this call did; "cancelled" also if it
    # failed because of that: the protocol has no status for it
    left: str = ""
    is_cancelled: bool = False  # it was open when the user cancelled the turn
    ended: float | None = None
    waited: float = 0.0  # seconds in which the user was asked about it
    _waits_since: float | None = None
    grown: ContentGrowth = field(default_factory=ContentGrowth)
    waits_for_form: bool = False  # it changes files, and a form is open that may ask about it: it is unfolded
    is_breach: bool = False  # it was done although it was refused, and the user knows
    said: IdentityCache[Any] = field(default_factory=IdentityCache)  # its raw input, read
    enveloped: IdentityCache[Any] = field(default_factory=IdentityCache)  # the patch in its raw input, read
    scoped: IdentityCache[Any] = field(default_factory=IdentityCache)  # what rules decide by
    previews: tuple[FilePreview, ...] = ()  # the change of each file, as the files were then
    changes: IdentityCache[Any] = field(default_factory=IdentityCache)  # the changes of each file, read
    previewed_of: tuple[Any, Any] = (None, None)  # the `changes` of the previews, and the stamps of the files
    _named: IdentityCache[list[str]] = field(default_factory=IdentityCache)
    _typed: IdentityCache[str | None] = field(default_factory=IdentityCache)

    @property
    def edited(self) -> Mapping[str, str]:
        """Return which files of its open question the user has edited or refused in the diff so far."""
        return next((each.edited for each in self.questions if each.is_open and each.edited), {})

    @property
    def offered(self) -> tuple[FilePreview, ...]:
        """Return the previews without the changes of files that the user has refused so far."""
        edited = self.edited
        return tuple(each.refused() if edited.get(each.path) == "refused" else each for each in self.previews)

    @property
    def asked(self) -> str:
        """Return the title of a question in words that it asks; empty: it does something else."""
        return next((each.title for each in self.questions if not each.of_its_call), "")

    @property
    def allowed_lines(self) -> tuple[int, int] | None:
        """Count the lines added and removed by the part of its proposal that the user has allowed last; None: all."""
        return self.questions[-1].allowed_lines if self.questions else None

    @property
    def is_open(self) -> bool:
        return self.status in _OPEN

    @property
    def took(self) -> float | None:
        """Return the seconds that it took, without waiting for the user; None while it runs."""
        return None if self.ended is None else max(0.0, self.ended - self.started - self.waited)

    def nest(self, call: ToolCall) -> None:
        """Show a call that has just begun within this one."""
        call.root, call.depth = self.root or self, min(self.depth + 1, limits.NESTED_DEPTH)
        if call.root.nested is None:
            call.root.nested = NestedCalls()
        call.root.nested.add(call)

    def wait(self, now: float) -> None:
        """Count the time in which a question about it is open."""
        if self._waits_since is not None:
            self.waited += max(0.0, now - self._waits_since)
        self._waits_since = now if any(question.is_open for question in self.questions) else None

    @property
    def stays(self) -> bool:
        """Whether a question about it outlives the turn, and so does it."""
        return any(question.is_open and question.outlives_turn for question in self.questions)

    @property
    def said_command(self) -> Any:
        """Return the command as the raw input has it."""
        said = self.raw_input if isinstance(self.raw_input, dict) else {}
        given = (said.get(name) for name in COMMANDS)
        return next((each for each in given if each and isinstance(each, str | list)), None)

    @property
    def command(self) -> str | None:
        """Return the command that it runs, from its raw input. Lists and separate arguments are quoted as for a
        shell."""
        return self._typed.get((self.raw_input,), self._as_typed)

    def _as_typed(self) -> str | None:
        said = self.said_command
        if not isinstance(said, str | list):
            return None
        arguments = (self.raw_input.get(name) for name in ARGUMENTS)
        return " ".join(map(typed, (said, *(given for given in arguments if given not in NOTHING))))

    @property
    def exit_code(self) -> int | None:
        """Return the exit code of its command: that of its terminal, else the one in its raw output.

        opencode: {"output": "…", "metadata": {"exit": 1}}    codex: {"exit_code": 1, "formatted_output": "…"}
        """
        if self.terminal_exit_code is not None or not isinstance(self.raw_output, dict):
            return self.terminal_exit_code
        metadata = self.raw_output.get("metadata")
        told = [self.raw_output, metadata] if isinstance(metadata, dict) else [self.raw_output]
        codes = (each.get(name) for each in told for name in _EXIT_CODES)
        return next((code for code in codes if type(code) is int), None)

    @property
    def bad_end(self) -> str:
        """Return how its command ended, `exit 2` or `SIGKILL`; empty: well, or nobody knows."""
        return self.terminal_signal or (f"exit {self.exit_code}" if self.exit_code else "")

    def paths(self, cwd: str) -> list[str]:
        """Return the paths that it names, symlinks unresolved."""
        said = (self.locations, self.content, self.raw_input, cwd)
        return self._named.get(said, lambda: named(*said))

    def apply(self, update: schema.ToolCallUpdate, now: float) -> None:
        """Apply an update. Only given fields change; content and locations replace the old ones."""
        said = self.raw_input if update.raw_input is schema.UNSET else update.raw_input
        if update.title is not None and not is_input(update.title, said):
            self.title = update.title
        if update.name is not None:
            self.name = update.name
        if update.kind is not None:
            self.kind = update.kind
        if update.locations is not None:
            self.locations = update.locations
        if update.content is not None:
            grows = isinstance(update, schema.ToolCallGrowth)
            self.content = self.grown.add(self.content, update.content) if grows else update.content
        if update.raw_input is not schema.UNSET:
            self.raw_input = update.raw_input
        if update.raw_output is not schema.UNSET:
            self.raw_output = update.raw_output
        if update.status is not None:
            self._become(update.status, now)
        if update.meta:
            self._take_reported_output(update.meta)

    def leave(self, how: str, now: float) -> None:
        """Close it, because its turn is over."""
        self.status, self.left, self.ended = "cancelled", how, now

    def _become(self, status: str, now: float) -> None:
        has_failed = status == "failed" and not self.verdict.startswith("rejected")
        self.status, self.left = status, "cancelled" if has_failed and self.is_cancelled else ""
        self.ended = None if self.is_open else now

    def _take_reported_output(self, meta: dict[str, Any]) -> None:
        """Take output of the agent's own terminals, announced or not."""
        for name in ("terminal_output", "terminal_output_delta"):
            said = meta.get(name)
            if isinstance(said, dict) and isinstance(said.get("data"), str):
                id = str(said.get("terminal_id"))
                if id in self.terminals or len(self.terminals) < limits.CALL_TERMINALS:
                    self.terminals.setdefault(id, ReportedOutput()).add(said["data"])
        exit = meta.get("terminal_exit")
        if isinstance(exit, dict):
            if type(exit.get("exit_code")) is int:
                self.terminal_exit_code = exit["exit_code"]
            if isinstance(exit.get("signal"), str):
                self.terminal_signal = one_line(exit["signal"][:_SIGNAL])


def is_input(title: str, raw_input: Any) -> bool:
    """Whether a title is nothing but the raw input as JSON: it does not say what the call does with it."""
    if title[:1] not in ("{", "["):
        return False
    with suppress(ValueError, RecursionError):
        return bool(json.loads(title) == raw_input)
    return False


def only_asks(call: ToolCall, question: Question) -> bool:
    """Whether all that the call has said is in the question, as where a tool of the agent asks the user."""
    texts = [
        item.content.text
        for item in call.content
        if isinstance(item, schema.ContentItem) and isinstance(item.content, schema.Text)
    ]
    if call.kind != "other" or not texts or len(texts) < len(call.content):
        return False
    described = (line for field in question.fields for line in field["description"].splitlines())
    said = {*question.detail, *described}
    return all(prose(line) in said for text in texts for line in text.splitlines())


def is_another(
    call: ToolCall, update: schema.ToolCallUpdate, asks: bool, is_past: bool, is_live: bool
) -> bool:
    """Whether an id that comes again names another call than before.

    Many agents hand on the ids of their model. Some models count from the start in each answer, some agents always use
    one id. `asks`: the update comes with a permission. `is_past`: the call belongs to an earlier turn. `is_live`: it is
    no replay.

        turn 1: tool_call t, update t completed     turn 2: tool_call t             another
        tool_call t, update t completed             tool_call t                     another
        update t, update t                          tool_call t                     the same: it comes late
        tool_call t completed                       tool_call t (in a replay)       the same, if it says the same
        turn 1: tool_call t, left open              turn 2: update t                the same: late news
    """
    is_over = call.status in ("completed", "failed")
    has_other_input = _differ(update.raw_input, call.raw_input)
    says_other = has_other_input or _differ(update.title, call.title)
    if asks:
        return is_past or (is_over and says_other)
    if update.known:
        return is_over and update.status in _OPEN and (is_past or has_other_input)
    if is_past:
        return True
    return call.is_announced and is_over and (is_live or says_other)


def _differ(said: Any, known: Any) -> bool:
    return said not in (None, schema.UNSET) and known not in NOTHING and said != known


def typed(words: Any) -> str:
    """Join arguments as typed in a shell; other values as they came."""
    if isinstance(words, list):
        return shlex.join(map(str, words))
    return words if isinstance(words, str) else json.dumps(words, ensure_ascii=False)
