"""Words how a tool call was decided: beside its line, for `:Acp why`, and when the agent did it although it was
refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from acp_nvim.session.own_tool import CHANGING, PREFIX
from acp_nvim.session.question import Option, Question
from acp_nvim.session.tool_call import ToolCall
from acp_nvim.text.printable import one_line

OF_SESSION = " of the session"
_DOES = {
    "allow_once": "allows once",
    "allow_always": "allows always",
    "reject_once": "rejects once",
    "reject_always": "rejects always",
}
_AGAIN = "prompt again to be asked again"
_UNANSWERED = {
    "cancel": f"cancelled before you answered, so it was not allowed; {_AGAIN}",
    "agent": f"the agent took the question back before you answered; {_AGAIN}",
    "user": "you answered without an option",
    "exit": f"the agent ended before you answered; {_AGAIN}",
}
_READS, _PROPOSES = "reading what you have open", "decided at the proposal"
_TITLE = 20  # in a message of one line the decision is to be read as well


def beside(question: Question, call: ToolCall) -> str:
    """Return the label beside the call's line; empty in the common case that the user allowed it once."""
    answer, by = question.answer, question.ended_by
    if answer is None:
        return _unanswered(by, call)
    rule = f" by {question.rule or 'a rule'}" if by == "rule" else ""
    if answer.kind.startswith("reject"):
        return f"rejected{rule}"
    if question.partly:
        return question.partly
    if question.rule and question.rule.endswith(OF_SESSION):
        return question.rule  # in a narrow chat there is no room for more
    if rule:
        return f"allowed{rule}"
    return question.said or {"allow_once": "", "allow_always": "allowed always"}.get(answer.kind, answer.name)


def _unanswered(by: str | None, call: ToolCall) -> str:
    if by == "agent":
        return "withdrawn" if call.is_open else ""
    return "cancelled" if by in ("cancel", "user") else "not answered"


class Facts(NamedTuple):
    """What `why` needs to know of the session."""

    agent: str
    mode: str  # its name; empty: the agent has none to choose from
    remembered: Mapping[int, str]  # what `:Acp forget` lists: by id, who remembers it, "session" or "agent"


def why(call: ToolCall, facts: Facts) -> str:
    """Return who or what decided it, and how that is taken back."""
    question = call.questions[-1] if call.questions else None
    own = own_tool_is_allowed(call)
    if question is None and own:
        return f"{_title(call)}: allowed: {own}"
    return f"{_title(call)}: {_reason(question, facts) if question else _unasked(facts)}"


def own_tool_is_allowed(call: ToolCall) -> str:
    """Return why a call of the editor's own tools is not asked about by itself; empty for any other call."""
    if not call.name.startswith(PREFIX):
        return ""
    return _PROPOSES if call.name.removeprefix(PREFIX) in CHANGING else _READS


def breach(call: ToolCall) -> str:
    """Return a message if the agent reports that it did what was refused; else empty."""
    decided = [question for question in call.questions if question.ended_by in ("user", "rule", "cancel")]
    last = decided[-1] if decided else None
    if call.status != "completed" or last is None or last.kind != "permission":
        return ""
    if last.answer and not last.answer.kind.startswith("reject"):
        return ""
    told = "yet the agent reports it as done: :Acp review shows the changes, :Acp undo turn undoes them"
    return f"{_title(call)} was {'rejected' if last.answer else 'cancelled'}, {told}"


def _unasked(facts: Facts) -> str:
    """Agents do not ask for what their mode allows, nor for what they were told to allow always."""
    mode = f"; its mode is now {one_line(facts.mode)}, :Acp mode changes it" if facts.mode else ""
    told = "; what you told it to remember: :Acp forget" if "agent" in facts.remembered.values() else ""
    return f"the agent did not ask{mode}{told}"


def _reason(question: Question, facts: Facts) -> str:
    answer, rule = question.answer, f"{question.rule}: {question.because}"
    if question.is_open:
        asks = f"; {rule}" if question.rule else ", no rule matches"
        return f"question {question.id} waits for you{asks}"
    if answer is None:
        return _UNANSWERED.get(question.ended_by or "", _UNANSWERED["exit"])
    if question.ended_by == "tool":
        return f"allowed: {question.because}"
    if question.ended_by == "rule":
        done = "rejected" if answer.kind.startswith("reject") else "allowed"
        return f"{done} by {question.rule} ({_way_back(question, facts)}): {question.because}"
    if question.has_made_rule:
        return f"you allowed it with {question.rule} ({_way_back(question, facts)}): {question.because}"
    asked = f"; {rule}" if question.rule else ""
    return f"{_chosen(question, answer, facts)}{asked}"


def _chosen(question: Question, answer: Option, facts: Facts) -> str:
    """Return what the user chose, how long it holds, and how it is taken back."""
    if question.said:
        return f"you answered: {one_line(question.said)}"
    name, does = one_line(answer.name or answer.id), _DOES.get(answer.kind, "")
    if not does:
        return f"you chose '{name}'"
    if not answer.kind.endswith("_always"):
        version = f"sent your version, {question.partly}, with" if question.partly else "chose"
        return f"you {version} '{name}' ({does}: the next call asks again)"
    return f"you chose '{name}' ({does}); {_way_back(question, facts)}"


def _way_back(question: Question, facts: Facts) -> str:
    """Return how a rule, or an answer that counts always, is taken back."""
    if question.ended_by == "rule" and not question.remembered:
        return "permissions in setup()"
    by = facts.remembered.get(question.remembered)
    if by == "session":
        return f":Acp forget {question.remembered} takes it back"
    if by is None and question.remembered:
        return "taken back since"
    return f"{one_line(facts.agent)} remembers it, :Acp forget tells how to take it back"


def _title(call: ToolCall) -> str:
    title = one_line(call.title or call.kind)
    return title if len(title) <= _TITLE else f"{title[: _TITLE - 1]}…"
