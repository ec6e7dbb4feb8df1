"""Serves commands that answer questions, show their changes, and set or forget rules."""

from __future__ import annotations

import os

from acp_nvim.commands import question_lookup
from acp_nvim.commands.chat import ChatCommands
from acp_nvim.commands.dispatch import Table, handle
from acp_nvim.commands.forms import FormCommands
from acp_nvim.commands.interface import Application
from acp_nvim.files import conflict_diff
from acp_nvim.messages.proposals import (
    Decide,
    DecidePlan,
    Diff,
    DiffEntry,
    Edited,
    Merged,
    Proposal,
    ProposalDone,
)
from acp_nvim.messages.questions import Allow, Answer, Forget, Why
from acp_nvim.permissions.apply_rules import RuleApplier, once
from acp_nvim.session.proposed_diffs import diffs
from acp_nvim.session.question import Option, Question
from acp_nvim.session.queue import Prompt
from acp_nvim.session.remembered_answers import Remembered
from acp_nvim.session.session import Session
from acp_nvim.session.tool_call import ToolCall
from acp_nvim.session.why_decided import OF_SESSION, Facts, own_tool_is_allowed, why
from acp_nvim.text.printable import visible

_CHANGED = "not sent: the question has changed, look at it first"


class QuestionCommands:
    def __init__(
        self, app: Application, chats: ChatCommands, forms: FormCommands, rules: RuleApplier
    ) -> None:
        self._app, self._chats, self._forms, self._rules = app, chats, forms, rules
        self.table: Table = {
            "answer": handle(Answer, self._answer),
            "diff": handle(Diff, self._diff),
            "diff_entry": handle(DiffEntry, self._diff_entry),
            "decide": handle(Decide, self._decide),
            "decide_plan": handle(DecidePlan, self._decide_plan),
            "edited": handle(Edited, self._edited),
            "merged": handle(Merged, self._merged),
            "allow": handle(Allow, self._allow),
            "forget": handle(Forget, self._forget),
            "why": handle(Why, self._why),
        }

    def _answer(self, command: Answer) -> None:
        session, question = question_lookup.get(self._app, command.question)
        option_id = command.option
        conflict = self._app.services.files.conflicts.open.get(question.id)
        if conflict and option_id == "merge" and conflict.merged is None:
            session.questions.touch(question)  # it stays open until both are merged
            self._app.touch(session)
            return self._app.editor.notify(Proposal(conflict_diff.payload(question, conflict)))
        option = question.option(str(option_id)) if option_id is not None else None
        if option_id is not None and option is None:
            return self._app.say("warn", f"not sent: question {question.id} has no option '{option_id}'")
        if option and _allows(option) and command.version not in (None, question.version):
            return self._show_again(session, question)
        if not self._forms.takes(session, question, option, command.content):
            return None
        session.questions.end(question, option, "user" if option else "cancel")
        self._app.touch(session)
        self._say_gone(session, question)

    def _say_gone(self, session: Session, question: Question) -> None:
        """Say which of the files that the user has allowed to change are gone: a write makes them again."""
        call = session.questions.call_of(question)
        if call is None or question.answer is None or not _allows(question.answer):
            return
        told = {each.path for each in call.previews if each.note}
        changed = {each.path: None for each in diffs(call, session.cwd) if each.old and each.new is not None}
        gone = [path for path in changed if path not in told and not os.path.exists(path)]
        if gone:
            names = visible(os.path.basename(gone[0])) + (f" and {len(gone) - 1} more" if gone[1:] else "")
            self._app.say("warn", f"allowed, but somebody deleted {names}: the agent may create it again")

    def _show_again(self, session: Session, question: Question) -> None:
        """Ask again, because the question has changed since it was answered; programs get the event again."""
        session.events.add("AcpQuestion", id=question.id)
        self._app.touch(session)
        self._app.say("warn", _CHANGED)

    def _diff_entry(self, command: DiffEntry) -> None:
        session = self._app.session(command.session)
        call = session.transcript.entry(command.key)
        if not isinstance(call, ToolCall):
            return self._app.say("info", "no diff here")
        asked = next((each for each in call.questions if each.is_open and each.has_diff), None)
        if asked:
            self._diff(Diff(question=asked.id, focus=command.focus))
        elif not self._app.services.proposals.compare(session, call):
            self._chats.toggle(session, call.key, True)
        return None

    def _diff(self, command: Diff) -> None:
        found = question_lookup.find(self._app, command.question)
        if found is None:
            if not command.auto:
                self._app.say("warn", f"question {command.question} is no longer open")
            return
        session, question = found
        if conflict := self._app.services.files.conflicts.open.get(question.id):
            self._app.editor.notify(Proposal(conflict_diff.payload(question, conflict)))
        else:
            self._app.services.proposals.show(
                session, question, focus=command.focus, auto=command.auto, refuse=command.refuse
            )

    def _decide(self, command: Decide) -> None:
        """Take the user's decision on all files of a proposal."""
        session, question = question_lookup.get(self._app, command.question)
        self._app.services.proposals.decide(question, command.version, command.files, command.option)
        self._say_gone(session, question)

    def _decide_plan(self, command: DecidePlan) -> None:
        """Take what the user has made of a plan. What refuses it is the next message, ahead of all that is queued, and
        goes out also if the agent ends the turn because of the refusal."""
        session, question = question_lookup.get(self._app, command.question)
        text = self._app.services.proposals.decide_plan(
            question, command.version, command.text, command.comments
        )
        host = self._app.host_of(session)
        if text is None or host is None:
            return
        prompt = Prompt(text, [{"comment": each.id} for each in command.comments], is_owed=True)
        if not host.steering.add(session, prompt):
            session.queue.add(prompt, first=True)
            host.advance(session)
        self._app.touch(session)

    def _edited(self, command: Edited) -> None:
        """Show in a question which of its files the user has edited or refused in the diff."""
        found = question_lookup.find(self._app, command.question)
        if found and command.version == found[1].version:  # else it was answered or has changed meanwhile
            self._app.services.proposals.edited(*found, command.files)

    def _merged(self, command: Merged) -> None:
        """Answer a conflict by the merge that the user has written."""
        conflict = self._app.services.files.conflicts.open.get(command.question)
        if conflict is None or conflict.question is None:
            return self._app.say("warn", "not written: that conflict is already decided")
        if command.version != conflict.question.version:
            return self._app.say("warn", "the file has changed on disk: look at it again, then :w")
        conflict.take(command.text, command.mine)
        self._answer(Answer(question=command.question, option="merge"))
        self._app.editor.notify(ProposalDone(command.question, True))

    # --- rules

    def _allow(self, command: Allow) -> None:
        """Show the rule that would allow just what is asked, or set it for the session."""
        session, question = question_lookup.get(self._app, command.question)
        rule, reason = self._rules.rule_for(session, question)
        option = once(question, "allow")
        if rule is None:
            self._app.say("warn", f"not sent, no rule set: {reason}")
        elif not command.set:
            self._app.say("info", f":Acp allow! sets {rule}")
        elif command.version != question.version:
            self._app.say("warn", _CHANGED)
        elif option is None:
            self._app.say("warn", "not sent, no rule set: no option allows this once")
        else:
            number = session.remembered.add_rule(rule, str(rule))
            question.rule = name = f"rule {number}{OF_SESSION}"
            question.because, question.has_made_rule, question.remembered = str(rule), True, number
            session.questions.end(question, option, "user")
            self._app.touch(session)
            self._app.say("info", f"{name}: {rule}")
            self._say_gone(session, question)

    def _forget(self, command: Forget) -> None:
        """Take back what was allowed or rejected for good: the items that are named, or all."""
        session = self._app.session(command.session)
        named = command.items
        ours, of_agent = session.remembered.forget(None if named is None else map(int, named))
        self._app.touch(session)
        self._app.say("info" if ours else "warn", _forgotten(session, ours, of_agent))

    def _why(self, command: Why) -> None:
        """Say how the tool call with that key was decided, or else the last one that was."""
        session = self._app.session(command.session)
        key = command.key
        entry = session.transcript.entry(int(key)) if key else None
        if not isinstance(entry, ToolCall):
            calls = [each for each in reversed(session.transcript.entries) if isinstance(each, ToolCall)]
            asked = [call for call in calls if call.questions or own_tool_is_allowed(call)]
            decided = (
                call
                for call in asked
                if not call.questions or any(not each.is_open for each in call.questions)
            )
            entry = next(decided, asked[0] if asked else None)
        self._app.say("info", why(entry, _facts(session)) if entry else "no questions in this session yet")


def _facts(session: Session) -> Facts:
    controls = session.controls.status()
    has_modes = len(controls["modes"] or ()) > 1
    name = next((each["name"] for each in controls["modes"] or () if each["id"] == controls["mode"]), "")
    agent = str(session.facts.get("agent_title") or session.agent)
    return Facts(agent, name if has_modes else "", session.remembered.by_id)


def _forgotten(session: Session, ours: list[Remembered], of_agent: list[Remembered]) -> str:
    said = []
    if len(ours) == 1:
        said.append(f"taken back, you will be asked again: {ours[0].what}")
    elif ours:
        said.append(f"{len(ours)} answers taken back, you will be asked again")
    if of_agent:
        which = "it" if len(of_agent) == 1 and not ours else f"{len(of_agent)} more"
        said.append(f"only {session.agent_title} can forget {which}: {_elsewhere(session)}")
    return "; ".join(said) or "nothing is remembered here: you are asked each time"


def _elsewhere(session: Session) -> str:
    """Some agents forget what they allowed for good when their mode is switched back."""
    has_modes = len(session.controls.status()["modes"] or ()) > 1
    if has_modes:
        return ":Acp mode may take it back, :Acp new starts without it"
    return "in its settings; :Acp new starts without it"


def _allows(option: Option) -> bool:
    """Whether the option allows something. A rejection counts for any version of its question."""
    return not option.kind.startswith("reject")
