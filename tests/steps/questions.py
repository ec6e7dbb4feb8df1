"""Steps with questions of the agent."""

from typing import Any

from tests.fakes.script import ScriptedAgent


def get_outcomes_by_id(agent: ScriptedAgent) -> dict[Any, Any]:
    """Return the outcome of each request of the agent."""
    return {message["id"]: message["result"]["outcome"] for message in agent.got() if "method" not in message}
