"""Keeps the proposals: the files of a question that the user sees as a diff, and the answer that the right sides give.

The editor gets what the agent wants once for each version of a question. It builds both sides from the live text,
follows that text, and sends back what the user has decided, with the live text that the decision is about.

All of a proposal is the agent's allow option, nothing of it its reject option. Anything between is allowed once, and
`enforce_decision` sees to it that the decided text is what comes to be; the next prompt tells the agent.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import anyio

from acp_nvim import limits
from acp_nvim.chat.tool_lines import relative
from acp_nvim.editor.interface import Editor
from acp_nvim.files.service import Files
from acp_nvim.messages.proposals import FileAnswer, LineComment, Proposal, ProposalDone
from acp_nvim.proposals import plan_message
from acp_nvim.proposals.decision import Decision
from acp_nvim.proposals.enforce_decision import Enforcement
from acp_nvim.proposals.proposed_file import ProposedFile, files_of, read
from acp_nvim.session.pending_reports import PendingReport
from acp_nvim.session.proposed_diffs import FileDiff, diffs
from acp_nvim.session.proposed_plan import plan_of
from acp_nvim.session.question import Option, Question
from acp_nvim.session.session import Session
from acp_nvim.session.tool_call import ToolCall
from acp_nvim.text.compare_decision import taken_in_words, total
from acp_nvim.text.decision_report import report
from acp_nvim.text.diff_cost import is_too_much
from acp_nvim.text.printable import visible

_PLAN = "plan.md"  # which makes it Markdown in the editor
_AGAIN = "not sent: the proposal has changed, look at it again"


@dataclass(slots=True, eq=False)
class _Proposal:
    session: Session
    question: Question
    files: list[ProposedFile]
    version: int  # of the question, when the files were read
    plan: str = ""  # what the user is to agree to, if it is that and no files


class Proposals:
    """`writes_through` tells whether the session's agent writes through us, `text_of` returns the text of a file as far
    as it is known without asking the editor."""

    def __init__(
        self,
        editor: Editor,
        files: Files,
        enforcement: Enforcement,
        spawn: Callable[..., None],
        say: Callable[[str, str], None],
        touch: Callable[[Session], None],
        writes_through: Callable[[Session], bool],
        text_of: Callable[[str], str | None],
    ) -> None:
        self._editor, self._files, self._enforcement = editor, files, enforcement
        self._spawn, self._say, self._touch = spawn, say, touch
        self._writes_through, self._text_of = writes_through, text_of
        self._shown: dict[int, _Proposal] = {}  # by question
        self._reading = anyio.Lock()

    # --- showing

    def show(
        self,
        session: Session,
        question: Question,
        *,
        focus: bool = False,
        auto: bool = False,
        refuse: bool = False,
    ) -> None:
        self._spawn(self._show, session, question, focus, auto, refuse)

    def compare(self, session: Session, call: ToolCall) -> bool:
        """Show what a call has done, or would have: its own texts, only to look at. False: it has none."""
        found = diffs(call, session.cwd)
        if found:
            path = found[0].path
            first = [each for each in found if each.path == path]
            old, new = _joined(each.old for each in first), _joined(each.new for each in first)
            self._editor.notify(Proposal(_view(session, path, FileDiff(path, old, new))))
        return bool(found)

    def tool_call_changed(self, session: Session, call: ToolCall) -> None:
        """Send the editor the questions of a changed call again, if it has them."""
        self._shown = {key: each for key, each in self._shown.items() if each.question.is_open}
        for question in call.questions:
            known = self._shown.get(question.id)
            if known and known.version != question.version:
                self._spawn(self._renew, session, question)

    async def _show(
        self, session: Session, question: Question, focus: bool, auto: bool, refuse: bool
    ) -> None:
        async with self._reading:
            await self._send(session, question, focus=focus, auto=auto, refuse=refuse)

    async def _renew(self, session: Session, question: Question) -> None:
        async with self._reading:
            known = self._shown.get(question.id)
            if known and known.version != question.version:
                await self._send(session, question, renews=True)

    async def _send(self, session: Session, question: Question, **how: bool) -> None:
        """Read the files and send them, again if the agent changes its question meanwhile."""
        while question.is_open and (call := session.questions.call_of(question)):
            known, version = self._shown.get(question.id), question.version
            if (
                known
                and known.files
                and known.version == version
                and not any(each.is_stale for each in known.files)
            ):
                return self._editor.notify(Proposal(self._payload(session, question, known.files, how)))
            if (plan := plan_of(call)) is not None:
                self._shown[question.id] = _Proposal(session, question, [], version, plan)
                return self._editor.notify(Proposal(_plan_view(session, question, plan, how)))
            wanted = files_of(call, session.cwd)
            if not wanted or len(wanted) > limits.PROPOSED_FILES:
                self._shown.pop(question.id, None)
                return self._say_none(len(wanted))
            files = [await read(self._files, session, path, each) for path, each in wanted.items()]
            if question.is_open and question.version == version:
                self._shown[question.id] = _Proposal(session, question, files, version)
                return self._editor.notify(Proposal(self._payload(session, question, files, how)))

    def _say_none(self, count: int) -> None:
        if count:
            said = f"{count} files are too many for a diff: answer in the chat, where K shows them"
            return self._say("warn", said)
        self._say("info", "this question has no diff: see it with :Acp answer")

    def _payload(
        self, session: Session, question: Question, files: list[ProposedFile], how: Mapping[str, bool]
    ) -> dict[str, Any]:
        return {
            "kind": "proposal",
            "question": question.id,
            "session": session.number,
            "version": question.version,
            "through": self._writes_through(session) or not question.is_agents,
            "files": [each.payload(session.cwd) for each in files],
            "focus": False,
            "auto": False,
            "renews": False,
            "refuse": False,
            **how,
        }

    def edited(self, session: Session, question: Question, files: Mapping[str, str]) -> None:
        """Show in the question which files the user has edited or refused."""
        if call := session.questions.call_of(question):
            question.edited = files
            session.transcript.touch(call)
            self._touch(session)

    # --- deciding

    def decide(
        self, question: Question, version: int | None, said: Mapping[str, FileAnswer], option_id: str | None
    ) -> None:
        """Answer a question by what the user has decided about its files.

        `said` holds by path what the editor says of the right sides; of a file that is missing there, all is taken.
        `option_id` is the option by which the user allows it, if one was chosen.
        """
        known = self._shown.get(question.id)
        if known is None or known.version != question.version or version != question.version:
            return self._say("warn", _AGAIN)
        decisions = [Decision.of(each, said.get(each.path)) for each in known.files]
        chosen = None if option_id is None else question.option(option_id)
        kinds = {each.kind for each in decisions}
        if not any(each.is_enforced for each in decisions):
            self._note_asked(known, decisions, chosen)
            self._answer(known, "allow_once", chosen)
        elif kinds == {"nothing"}:
            self._answer(known, "reject_once", chosen)
        elif _first(question, "allow_once"):
            self._allow_some(known, decisions, chosen)
        else:
            self._say(
                "warn",
                "not sent: no option allows this once, so take all or nothing (:Acp answer {n})",
            )

    def decide_plan(
        self, question: Question, version: int | None, text: str | None, comments: list[LineComment]
    ) -> str | None:
        """Answer a question about a plan. Return the message that takes the place of a plan that is not as the user
        wants it; None: nothing is to be sent."""
        known = self._shown.get(question.id)
        if known is None or known.version != question.version or version != question.version:
            self._say("warn", _AGAIN)
        elif text is None and not comments:
            self._answer(known, "allow_once", None)
        elif self._answer(known, "reject_once", None) and (text != "" or comments):
            return plan_message.make(known.plan, known.plan if text is None else text, comments)
        return None

    def _allow_some(self, known: _Proposal, decisions: list[Decision], chosen: Option | None) -> None:
        session, question = known.session, known.question
        self._note_asked(known, decisions, chosen)
        mixed = [each for each in decisions if each.kind != "all"]
        reports = [session.reports.add(partial(self._report, session, each)) for each in mixed]
        question.reports = list(reports)
        if mixed and question.comments:
            reports.append(session.reports.add_comments(question.comments, session.cwd))
            question.comments = []
        if mixed:
            allowed = total(each.taken for each in decisions)
            question.partly = taken_in_words(allowed)
            question.allowed_lines = allowed.added, allowed.removed
        enforced = [each for each in decisions if each.is_enforced]
        done = self._enforcement.expect(session, question.tool_call_id or "", enforced)
        self._answer(known, "allow_once", chosen, is_done=False)
        self._spawn(self._say_done, session, question, reports, done)

    def _note_asked(self, known: _Proposal, decisions: list[Decision], chosen: Option | None) -> None:
        """Note what the diff has shown and the user allows, before the agent has its answer."""
        known.question.is_decided_in_diff = True
        call = known.session.questions.call_of(known.question)
        option = _option(known.question, "allow_once", chosen)
        if call and option:
            for each in decisions:
                self._enforcement.decided(known.session, each, call, option)

    def _report(self, session: Session, decision: Decision) -> str:
        now = self._text_of(decision.path)
        about = decision.about
        path = os.path.relpath(about.file.path, session.cwd)
        told = report(path, about.right, decision.decided, about.left, now)
        if now is not None:
            self._files.baselines.of(session).learn_report(decision.path, told.splitlines(), now)
        return told

    def _answer(self, known: _Proposal, kind: str, chosen: Option | None, *, is_done: bool = True) -> bool:
        """Give the answer; return False if there is no option for it."""
        option = _option(known.question, kind, chosen)
        if option is None:
            said = "allow" if kind.startswith("allow") else "refuse"
            self._say("warn", f"not sent: no option would {said} this once (:Acp answer {{n}})")
            return False
        known.session.questions.end(known.question, option, "user")
        self._shown.pop(known.question.id, None)
        self._touch(known.session)
        self._editor.notify(ProposalDone(known.question.id, is_done))
        return True

    async def _say_done(
        self, session: Session, question: Question, reports: list[PendingReport], done: anyio.Event
    ) -> None:
        """Tell the agent, where its turn can be steered, and the editor that the files are as decided: it waits for
        that before it ends."""
        await done.wait()
        for each in reports:
            each.is_ready = True
        session.on_steerable()
        self._editor.notify(ProposalDone(question.id, True))


def _plan_view(session: Session, question: Question, plan: str, how: Mapping[str, bool]) -> dict[str, Any]:
    """Return a plan as a file that is not there yet."""
    file = {"path": _PLAN, "name": _PLAN, "shown": _PLAN, "left": None, "right": plan, "plain": False}
    return {
        "kind": "plan",
        "question": question.id,
        "session": session.number,
        "version": question.version,
        "files": [file],
        "focus": False,
        "auto": False,
        "renews": False,
        "refuse": False,
        **how,
    }


def _view(session: Session, path: str, diff: FileDiff) -> dict[str, Any]:
    """Return the texts of a call as they came, only to be looked at."""
    file = {
        "path": path,
        "name": visible(os.path.basename(path)),
        "shown": visible(relative(path, session.cwd)),
        "left": diff.old,
        "right": diff.new,
        "plain": is_too_much(diff.old, diff.new),
    }
    return {"kind": "view", "session": session.number, "files": [file], "focus": True}


def _joined(texts: Iterable[str | None]) -> str | None:
    found = [text for text in texts if text is not None]
    return "\n".join(found) if found else None


def _option(question: Question, kind: str, chosen: Option | None) -> Option | None:
    """Return the option by which the user answers: the chosen one, if it is of that kind."""
    return chosen if chosen and chosen.kind == kind else _first(question, kind)


def _first(question: Question, kind: str) -> Option | None:
    return next((option for option in question.options if option.kind == kind), None)
