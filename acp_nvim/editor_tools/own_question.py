"""The question about a call of the editor's tools: we ask it, not the agent."""

from __future__ import annotations

from acp_nvim.session.question import Option, Question
from acp_nvim.session.session import Session
from acp_nvim.session.tool_call import ToolCall

ALLOW, REJECT = Option("allow", "Allow", "allow_once"), Option("reject", "Reject", "reject_once")


def own_question(session: Session, call: ToolCall) -> Question:
    question = Question(session.number, "permission", call.title, (ALLOW, REJECT), call.id)
    question.is_agents = False
    return question
