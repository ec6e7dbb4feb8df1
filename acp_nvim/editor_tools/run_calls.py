"""Runs the tools that are called: whose they are, what rules say, the line in the chat, the answer."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import anyio

from acp_nvim.agent.settings import Settings
from acp_nvim.editor_tools import arguments, catalogue
from acp_nvim.editor_tools.call import Call
from acp_nvim.editor_tools.chat_lines import ChatLines, Line
from acp_nvim.editor_tools.endpoint import Endpoint
from acp_nvim.editor_tools.failure import Failed
from acp_nvim.editor_tools.own_question import ALLOW, REJECT, own_question
from acp_nvim.editor_tools.view import View
from acp_nvim.files.service import Files
from acp_nvim.permissions import ask_user
from acp_nvim.permissions.apply_rules import RuleApplier
from acp_nvim.protocol import schema
from acp_nvim.session.permission_rules import Ruling
from acp_nvim.session.session import Session
from acp_nvim.session.tool_call import ToolCall

log = logging.getLogger(__name__)
_SEVERAL = (
    "several sessions of this process are working, and nobody can tell which one has called: call again later"
)


Tool = Callable[[Call], Awaitable[str]]


class CallRunner:
    def __init__(
        self,
        tools: Mapping[str, Tool],
        files: Files,
        rules: RuleApplier,
        lines: ChatLines,
        touch: Callable[[Session], None],
    ) -> None:
        self._tools, self._files, self._rules, self._lines, self._touch = tools, files, rules, lines, touch
        self._reads = self._writes = False
        self._wait = 0.0

    def configure(self, settings: Settings) -> None:
        self._reads, self._writes = settings.fs.read, settings.fs.write
        self._wait = settings.editor_tools_wait_ms / 1000

    async def run(self, endpoint: Endpoint, name: str, given: Any) -> dict[str, Any]:
        """Return the result of tools/call. What goes wrong is told to the model."""
        try:
            wanted = arguments.read(catalogue.TOOLS[name], given)
            session = _caller(endpoint.callers(), catalogue.TOOLS[name].reads)
        except (Failed, arguments.Mistaken) as error:
            return _result(str(error), is_error=True)
        session.tools.count_call()
        endpoint.tell_call(session)
        line = self._lines.begin(session, name, wanted)
        has_failed = True
        try:
            text = await self._answer(session, name, wanted, line)
            has_failed = False
        except Failed as error:
            text = str(error)
        except Exception as error:
            log.exception("the tool %s failed", name)
            text = f"{name} failed: {error}"
        finally:
            line.end(has_failed)
        return _result(text, has_failed)

    async def _answer(self, session: Session, name: str, wanted: dict[str, Any], line: Line) -> str:
        in_turn = session.in_turn
        view = View(session, self._files, self._reads, self._wait)
        ruling = self._rules.ruling_of(session, line.call)
        if ruling and ruling.action == "reject":
            self._rules.note(session, line.show(), REJECT, "rule", ruling)
            raise Failed(f"{ruling.name} of the user rejects this: {ruling.rule}")
        if ruling and ruling.action == "ask" and catalogue.TOOLS[name].reads:
            await self._ask(session, line.show(), ruling)
        if not (self._writes or catalogue.TOOLS[name].reads):
            raise Failed("the user's settings let no agent write through the editor (fs.write)")
        if "path" in wanted and name != "show":
            path = view.path(wanted["path"])
            if not view.is_inside(path):
                await view.admit("read", path)
        return await self._tools[name](Call(view, wanted, line, in_turn))

    async def _ask(self, session: Session, entry: ToolCall, ruling: Ruling) -> None:
        """Ask the user, because a rule says so, unless the agent has asked already."""
        if any(each.answer and not each.answer.kind.startswith("reject") for each in entry.questions):
            return
        question = own_question(session, entry)
        question.rule, question.because = ruling.name, str(ruling.rule)
        chosen = None
        with anyio.move_on_after(self._wait):
            chosen = await ask_user.answer(session, question, self._touch, schema.ToolCallUpdate(entry.id))
        self._rules.record(session, question)
        if chosen is None:
            raise Failed("the user has not answered: call again later")
        if chosen is not ALLOW:
            raise Failed("the user rejected this")


def _caller(sessions: list[Session], reads: bool) -> Session:
    """Return the session that has called: of several in a process the one whose turn runs."""
    working = [session for session in sessions if session.in_turn]
    if len(working) > 1 and not reads:
        raise Failed(_SEVERAL)
    if not sessions:
        raise Failed("no session of this process is left")
    return (working or sessions)[-1]


def _result(text: str, is_error: bool = False) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}], "isError": is_error}
