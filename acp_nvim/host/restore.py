"""Goes back to before a turn: asks the user, and then writes the files as they were, as a turn of its own.

The editor knows what they were. The question is a proposal over all of them, so that each hunk can be left as it is.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from functools import partial
from itertools import count

from acp_nvim.files import disk, file_snapshot
from acp_nvim.files.file_snapshot import on_disk
from acp_nvim.host.agent_services import AgentServices
from acp_nvim.messages.review import Restore, RestoredFile
from acp_nvim.permissions import ask_user
from acp_nvim.permissions.apply_rules import RuleApplier
from acp_nvim.protocol import schema
from acp_nvim.protocol.errors import RpcError
from acp_nvim.session.own_tool import OwnDiff
from acp_nvim.session.question import Option, Question
from acp_nvim.session.session import Session
from acp_nvim.text.printable import one_line, visible

_YES, _NO = Option("restore", "Restore", "allow_once"), Option("no", "No", "reject_once")
_NAMED = 20  # files that the agent is told of by name
_TITLE = 60  # characters of a prompt in the question
_numbers = count(1)


class Restorer:
    """`sessions`: by number, all that there are."""

    def __init__(
        self,
        services: AgentServices,
        rules: RuleApplier,
        sessions: Mapping[int, Session],
        say: Callable[[str, str], None],
        touch: Callable[[Session], None],
    ) -> None:
        self._services, self._rules, self._sessions = services, rules, sessions
        self._say, self._touch = say, touch
        self._asking: dict[Session, Question] = {}

    async def restore(self, session: Session, command: Restore) -> None:
        """Ask, and go back if the user wants that. A question that was asked before gives way."""
        earlier = self._asking.get(session)
        if earlier and earlier.is_open:
            session.questions.end(earlier, None, "agent")
        call = schema.ToolCallUpdate(
            f"restore-{next(_numbers)}",
            title=_title(command),
            kind="edit",
            status="pending",
            content=tuple(OwnDiff.of(each.path, each.before, each.after) for each in command.files),
        )
        question = Question(session.number, "restore", _title(command), (_YES, _NO), call.id)
        question.is_agents, question.stays, question.note = False, True, command.note
        self._asking[session] = question
        chosen = await ask_user.answer(session, question, lambda each: self._show(each, question), call)
        self._rules.record(session, question)
        status = "failed"
        if chosen is _YES and (turn := self._running(command)):
            self._say("warn", f"not restored: turn {turn} has begun meanwhile")
        elif chosen is _YES:
            status = "completed"
            await self._carry_out(session, question, command)
        session.apply(schema.ToolCallUpdate(call.id, status=status), time.monotonic())
        self._touch(session)
        if self._asking.get(session) is question:
            del self._asking[session]

    def _show(self, session: Session, question: Question) -> None:
        self._touch(session)
        if question.is_open:
            self._services.proposals.show(session, question, focus=True)

    def _running(self, command: Restore) -> int | None:
        """Return the number of a turn of the project that runs."""
        sessions = (self._sessions.get(number) for number in command.project)
        return next((each.turn for each in sessions if each and each.in_turn), None)

    async def _carry_out(self, session: Session, question: Question, command: Restore) -> None:
        services, problems = self._services, []
        phase = session.phase
        session.begin_own_turn()
        services.review.begin_turn(session, command.turn)
        services.enforcement.begin_restore(session)
        call = session.questions.call_of(question)
        if call and not question.is_decided_in_diff:
            services.enforcement.asked(session, call, _YES)
        for file in command.files:
            try:
                await self._write(session, file)
            except (RpcError, OSError) as error:
                why = error.message if isinstance(error, RpcError) else error.strerror or str(error)
                problems.append(f"{os.path.basename(file.path)} ({why})")
        await services.tell_written()
        services.enforcement.end(session)
        session.reports.drop(question.reports)
        session.end_turn(time.monotonic(), "restored")
        services.review.turn_over(session, session.turn, [])
        session.phase = phase
        session.on_idle()
        self._tell_agents(command)
        done = (
            f"back to before turn {command.turn}: {question.partly or _counted(len(command.files), 'file')}"
        )
        left = f" · left: {visible(', '.join(problems))}" if problems else ""
        self._say("warn" if problems else "info", f"{done}{left} · :Acp undo turn takes it back")

    async def _write(self, session: Session, file: RestoredFile) -> None:
        """Write what was decided about a file, or remove it: nobody looks for changes on the disk in this turn."""
        path = disk.resolve(file.path)
        data, mode = on_disk(path), file_snapshot.mode(file_snapshot.stamp(path))
        await self._services.files.write_decided(session, file.path, file.before, file.after)
        if data is not None and not disk.exists(path):
            self._services.on_removed(session, file.path, file_snapshot.decoded(data), mode)

    def _tell_agents(self, command: Restore) -> None:
        """Have the next prompts begin with what is no more."""
        for number in {command.session, *command.others}:
            if (session := self._sessions.get(number)) and not session.is_agentless:
                session.reports.add(partial(_told, command, session.cwd))


def _title(command: Restore) -> str:
    prompt = one_line(command.prompt)[:_TITLE]
    named = f' "{prompt}"' if prompt else ""
    return f"Go back to before turn {command.turn}{named}"


def _told(command: Restore, cwd: str) -> str:
    names = [
        os.path.relpath(each.path, cwd) + ("" if each.after is not None else " (does not exist any more)")
        for each in command.files[:_NAMED]
    ]
    more = len(command.files) - len(names)
    names += [f"and {more} more"] * (more > 0)
    asked = one_line(command.prompt)[:_TITLE]
    since = f' that began with "{asked}"' if asked else ""
    return (
        f"The user has gone back to before the turn{since}. What it and all later turns changed in these files is no "
        f"more, as far as the user wanted that; read them again before you change them: {', '.join(names)}"
    )


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"
