"""Words how a tool call was decided: beside its line, for `:Acp why`, and when the agent did it although it was
refused."""

from __future__ import annotations

from acp_nvim.session.question import Question
from acp_nvim.session.tool_call import ToolCall
from acp_nvim.text.printable import one_line

OF_SESSION = " of the session"
_DOES = {
    "allow_once": "allows once",
    "allow_always": "allows always",
    "reject_once": "rejects once",
    "reject_always": "rejects always",
}
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


def why(call: ToolCall) -> str:
    """Return which rule or answer decided it."""
    question = call.questions[-1] if call.questions else None
    return f"{_title(call)}: {_reason(question) if question else 'the agent did not ask'}"


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


def _reason(question: Question) -> str:
    answer, rule = question.answer, f"{question.rule}: {question.because}"
    if question.is_open:
        asks = f"; {rule}" if question.rule else ", no rule matches"
        return f"question {question.id} waits for you{asks}"
    if answer is None:
        return {
            "cancel": "it was cancelled before it was answered",
            "agent": "the agent withdrew it before it was answered",
            "user": "it was answered without an option",
        }.get(question.ended_by or "", "the agent ended before it was answered")
    done = "rejected" if answer.kind.startswith("reject") else "allowed"
    if question.ended_by == "rule":
        return f"{done} by {rule}"
    does = _DOES.get(answer.kind, answer.kind)
    return f"you chose '{answer.name or answer.id}'" + (f" ({does})" if does else "")


def _title(call: ToolCall) -> str:
    title = one_line(call.title or call.kind)
    return title if len(title) <= _TITLE else f"{title[: _TITLE - 1]}…"
