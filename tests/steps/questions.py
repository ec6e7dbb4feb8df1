"""Steps with questions of the agent."""

from typing import Any

from tests.fakes.script import ScriptedAgent

CAN_ANSWER = "return require('acp_nvim.question.answerable').can_answer(require('acp_nvim').questions()[1])"


def get_outcomes_by_id(agent: ScriptedAgent) -> dict[Any, Any]:
    """Return the outcome of each request of the agent."""
    return {message["id"]: message["result"]["outcome"] for message in agent.got() if "method" not in message}
