"""Applies permission rules to questions: answers those that a rule decides, and records who has decided."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from typing import Any, Literal, NamedTuple
from weakref import WeakKeyDictionary

from acp_nvim import limits
from acp_nvim.files import disk
from acp_nvim.processes.regex_match import match
from acp_nvim.protocol import schema
from acp_nvim.protocol.dialects.standard import Dialect
from acp_nvim.session import permission_rules, suggested_rule, why_decided
from acp_nvim.session.identity_cache import IdentityCache
from acp_nvim.session.path_globs import PathGlobs, is_absolute
from acp_nvim.session.permission_rules import Rule, Ruling
from acp_nvim.session.permission_scope import Scope, scope
from acp_nvim.session.question import Option, Question
from acp_nvim.session.session import Session
from acp_nvim.session.tool_call import ToolCall
from acp_nvim.text.printable import one_line

_ALWAYS: dict[str, Literal["allow", "reject"]] = {"allow_always": "allow", "reject_always": "reject"}
Say = Callable[[str, str], None]
Record = Callable[[Session, Question, ToolCall, Scope], None]


class Places(NamedTuple):
    """What the rules hold a session's calls against, as it was when the session began."""

    folders: tuple[str, ...]  # of the session, resolved
    globs: PathGlobs


class RuleApplier:
    """Decides questions by rules: first those of the session, then those of the configuration."""

    def __init__(self, say: Say, touch: Callable[[Session], None], record: Record) -> None:
        self._say, self._touch, self._record = say, touch, record
        self._rules: list[Rule] = []
        self._globs = PathGlobs("/", disk.resolve)  # patterns that mean the same in every session
        self._places: WeakKeyDictionary[Session, Places] = WeakKeyDictionary()

    def configure(self, given: list[Any]) -> None:
        self._rules, complaints = permission_rules.read(given)
        for complaint in complaints:
            self._say("warn", complaint)
        self._globs.make(filter(is_absolute, self._patterns()))
        for places in self._places.values():
            places.globs.make(self._patterns())

    def begin(self, session: Session) -> None:
        """Remember the session's folders, and those of the rules, as they are now."""
        globs = PathGlobs(session.cwd, disk.resolve, self._globs)
        globs.make(self._patterns())
        self._places[session] = Places(tuple(map(disk.resolve, (session.cwd, *session.roots))), globs)

    def _patterns(self) -> Iterator[str]:
        return (path for rule in self._rules for path in rule.paths)

    def _held(self, session: Session) -> Places:
        if session not in self._places:
            self.begin(session)
        return self._places[session]

    def judge(self, session: Session) -> None:
        """Apply the rules to each question that is new or has changed since they were last applied."""
        found: dict[int, Ruling | None] = {}
        for question in session.questions:
            call = session.questions.call_of(question)
            is_known = question.judged == question.version
            if question.kind != "permission" or is_known or call is None or not question.is_agents:
                continue
            question.judged = question.version
            if call.key not in found:
                found[call.key] = self._decide(session, question, call)
            if ruling := found[call.key]:
                self._apply(ruling, session, question, call)
            elif reason := why_decided.own_tool_is_allowed(call):
                self._allow_own_tool(session, question, reason)

    def _decide(self, session: Session, question: Question, call: ToolCall) -> Ruling | None:
        if not (session.remembered.rules or self._rules):
            return None
        asked = self._scope(session, question, call)
        return permission_rules.decide(self._all(session), asked, self._held(session).globs, match)

    def ruling_of(self, session: Session, call: ToolCall) -> Ruling | None:
        """Return what the rules say of a call of one of the editor's tools, which is about to be carried out."""
        if not (session.remembered.rules or self._rules):
            return None
        held = self._held(session)
        asked = scope(call, session.agent, session.cwd, disk.resolve, held.folders)
        return permission_rules.decide(self._all(session), asked, held.globs, match)

    def ruling_of_change(
        self, session: Session, call: ToolCall, update: schema.ToolCallUpdate
    ) -> Ruling | None:
        """Return what the rules say of the call with the change that it is about to propose."""
        changing = copy(call)
        changing.content, changing.scoped = update.content or (), IdentityCache()
        return self.ruling_of(session, changing)

    def record(self, session: Session, question: Question) -> None:
        """Record the answer to a question of one of the editor's tools."""
        if call := session.questions.call_of(question):
            self._record(session, question, call, self._scope(session, question, call))

    def note(self, session: Session, call: ToolCall, answer: Option, by: str, ruling: Ruling) -> None:
        """Record what a rule has decided about a call that nobody was asked about."""
        question = Question(session.number, "permission", call.title, (answer,), call.id, key=call.key)
        question.rule, question.because = ruling.name, str(ruling.rule)
        question.answer, question.ended_by, question.judged = answer, by, question.version
        question.remembered = session.remembered.id_of(ruling.rule)
        call.questions.append(question)
        call.verdict = why_decided.beside(question, call)
        session.transcript.touch(call)
        self._record(session, question, call, self._scope(session, question, call))
        self._touch(session)

    def tool_call_changed(self, session: Session, call: ToolCall) -> None:
        """Apply the rules again, because the agent has updated the call."""
        if session.questions:
            self.judge(session)
        if not call.is_breach and (told := why_decided.breach(call)):
            call.is_breach = True
            session.transcript.note("error", told)
            self._say("error", told)

    def answered(self, session: Session, question: Question, dialect: Dialect) -> None:
        """Record the answer to an agent's question, and remember one that counts always."""
        call = session.questions.call_of(question)
        if call is None:
            return
        self._record(session, question, call, self._scope(session, question, call))
        answer = question.answer
        action = _ALWAYS.get(answer.kind) if answer and question.ended_by == "user" else None
        if answer and action and not dialect.remembers:
            name = one_line(answer.name or answer.id)
            question.remembered = session.remembered.add_of_agent(
                action, f"{one_line(question.title)[: limits.NAME_CHARS]}: {name}"
            )
        elif action and call.name:
            rule = Rule(action, tool=call.name, whole_tool=True)
            question.remembered = session.remembered.add_rule(rule, f"all that {one_line(call.name)} does")

    def form_answered(self, session: Session, question: Question) -> None:
        """Record the answer to a form: some agents ask for their edits in this way."""
        asks = session.transcript.entry(question.key) if question.key is not None else None
        if isinstance(asks, ToolCall):
            about = session.questions.change_before(question) or asks
            self._record(session, question, asks, self._scope(session, question, about))

    def rule_for(self, session: Session, question: Question) -> tuple[Rule | None, str]:
        """Return the rule that would allow exactly this from now on; None, and why there is none."""
        call = session.questions.call_of(question)
        if question.kind != "permission" or call is None:
            return None, "rules only apply to permissions that an agent asks for"
        asked = self._scope(session, question, call)
        return suggested_rule.rule_for(asked, self._held(session).globs, match)

    def _scope(self, session: Session, question: Question, call: ToolCall) -> Scope:
        about = scope(call, session.agent, session.cwd, disk.resolve, self._held(session).folders)
        if question.own_title:
            about = about._replace(title=f"{question.own_title}\n{about.title}")
        return about._replace(is_certain=not question.is_guess)

    def _all(self, session: Session) -> Iterator[tuple[str, Rule]]:
        yield from (
            (f"rule {number}{why_decided.OF_SESSION}", rule) for number, rule in session.remembered.rules
        )
        yield from ((f"rule {number}", rule) for number, rule in enumerate(self._rules, 1))

    def _apply(self, found: Ruling, session: Session, question: Question, call: ToolCall) -> None:
        """Answer by the ruling. After a rule that asks, only a ruling that rejects still counts."""
        if question.rule and found.action != "reject":
            return
        question.rule, question.because = found.name, str(found.rule)
        if found.trouble:
            self._say("warn", found.trouble)
        if found.action != "ask":
            if option := once(question, found.action):
                question.remembered = session.remembered.id_of(found.rule)
                session.questions.end(question, option, "rule")
            else:
                self._note(session, question, call, found)
        self._touch(session)

    def _allow_own_tool(self, session: Session, question: Question, reason: str) -> None:
        """Allow a call of one of the editor's tools: it reads what is open, or it asks by itself."""
        if option := once(question, "allow"):
            question.because = reason
            session.questions.end(question, option, "tool")
            self._touch(session)

    def _note(self, session: Session, question: Question, call: ToolCall, found: Ruling) -> None:
        note = f"{found.name} would {found.action} this, but no option does that once"
        if note not in question.note:
            question.note = "\n".join(filter(None, (question.note, note)))
            session.questions.touch(question)
            session.transcript.touch(call)
            question.judged = question.version


def once(question: Question, action: str) -> Option | None:
    return next((option for option in question.options if option.kind == f"{action}_once"), None)
