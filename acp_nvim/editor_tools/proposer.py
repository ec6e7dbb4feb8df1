"""Proposes changes of files to the user, and writes what was decided. It is the proposal that any agent's edit is.

The agent waits for the decision, but not for ever: after a while it is told to go on, and later what became of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext

import anyio

from acp_nvim.editor_tools.call import Call
from acp_nvim.editor_tools.failure import Failed
from acp_nvim.editor_tools.own_question import ALLOW, REJECT, own_question
from acp_nvim.editor_tools.workspace_edit import FileEdit
from acp_nvim.files.service import Files
from acp_nvim.permissions import ask_user
from acp_nvim.permissions.apply_rules import RuleApplier
from acp_nvim.proposals.enforce_decision import Enforcement
from acp_nvim.protocol import schema
from acp_nvim.protocol.errors import RpcError
from acp_nvim.session.own_tool import OwnDiff
from acp_nvim.session.pending_reports import texts_of
from acp_nvim.session.session import Session
from acp_nvim.session.tool_call import ToolCall

WAITING = "waiting for the user: the result will be told"
_REJECTED = "the user rejected the change: nothing was written"
_WITHDRAWN = (
    "the change was withdrawn before the user decided, because the turn was cancelled: nothing was written"
)


class _Outcome:
    def __init__(self) -> None:
        self.text = ""
        self.come = anyio.Event()
        self.is_late = False  # the agent has been told to go on


class Proposer:
    def __init__(
        self,
        files: Files,
        enforcement: Enforcement,
        rules: RuleApplier,
        spawn: Callable[..., None],
        call_changed: Callable[[Session, ToolCall], None],
        own_turn: Callable[[Session], AbstractContextManager[None]],
        touch: Callable[[Session], None],
    ) -> None:
        self._files, self._enforcement = files, enforcement
        self._rules = rules
        self._spawn, self._call_changed, self._own_turn, self._touch = spawn, call_changed, own_turn, touch

    async def propose(self, call: Call, files: Sequence[FileEdit]) -> str:
        """Return what became of the change, or that the user has not decided yet."""
        outcome = _Outcome()
        self._spawn(self._decide, call, files, outcome)
        with anyio.move_on_after(call.view.wait):
            await outcome.come.wait()
            return outcome.text
        outcome.is_late = True
        return WAITING

    async def _decide(self, call: Call, files: Sequence[FileEdit], outcome: _Outcome) -> None:
        has_no_turn = not call.in_turn and call.session.phase == "idle"
        try:
            with self._own_turn(call.session) if has_no_turn else nullcontext():
                try:
                    outcome.text = await self._decided(call, files)
                finally:
                    call.line.settle()
        except (Failed, RpcError) as error:
            outcome.text = str(error) if isinstance(error, Failed) else error.message
        finally:
            outcome.come.set()
        if outcome.is_late:
            title, text = call.line.call.title, outcome.text
            call.session.reports.add(lambda: f"{title}: {text}").is_ready = True
            call.session.on_steerable()

    async def _decided(self, call: Call, files: Sequence[FileEdit]) -> str:
        session, entry = call.session, call.line.show()
        question = own_question(session, entry)
        update = schema.ToolCallUpdate(entry.id, content=tuple(OwnDiff.of(*file) for file in files))
        ruling = self._rules.ruling_of_change(session, entry, update)
        if ruling and ruling.action == "reject":
            self._rules.note(session, entry, REJECT, "rule", ruling)
            return f"{ruling.name} of the user rejects this, nothing was written: {ruling.rule}"
        is_inside = all(map(call.view.is_inside, (file.path for file in files)))
        if ruling and ruling.action == "allow" and (is_inside or ruling.rule.paths):
            session.apply(update, session.clock())
            self._call_changed(session, entry)
            self._rules.note(session, entry, ALLOW, "rule", ruling)
            session.events.add("AcpAnswered", id=question.id, option_id=ALLOW.id, by="tool")
        else:
            chosen = await ask_user.answer(session, question, lambda each: self._show(each, entry), update)
            self._rules.record(session, question)
            if chosen is None:
                return _WITHDRAWN
            if chosen is not ALLOW:
                return _REJECTED
            if not question.is_decided_in_diff:
                self._enforcement.asked(session, entry, chosen)
        problems = [each for file in files if (each := await self._write(call, file))]
        reports = texts_of(question.reports) if call.view.reads else []
        session.reports.drop(question.reports)
        return _told(call, files, question.partly, reports, problems)

    def _show(self, session: Session, entry: ToolCall) -> None:
        if entry.is_open:
            self._call_changed(session, entry)
        self._touch(session)

    async def _write(self, call: Call, file: FileEdit) -> str:
        """Write what was decided about a file; return why that failed."""
        try:
            await self._files.write_decided(call.session, file.path, file.old, file.new)
        except RpcError as error:
            return error.message
        except OSError as error:
            return f"{call.view.name(file.path)} was not written: {error.strerror or error}"
        return ""


def _told(call: Call, files: Sequence[FileEdit], partly: str, reports: list[str], problems: list[str]) -> str:
    names = ", ".join(call.view.name(file.path) for file in files[:20])
    more = f" and {len(files) - 20} more" if len(files) > 20 else ""
    if problems and not partly:
        head = "the user allowed the change, and not all of it could be written:"
    elif partly:
        head = f"the user allowed {partly}, which are written; the rest was refused:"
    else:
        head = f"the user allowed the change, and it is written: {names}{more}"
    return "\n".join([head, *problems, *reports])
