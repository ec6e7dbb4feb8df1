"""Words of the user for a running turn, as the adapters of Claude Code and Codex take them. Any agent may offer it:

    initialize              -> _meta: {steering: {supported: true}}
    _session/steering       {sessionId, prompt: [blocks], _meta: {steering: {idleBehavior: "promptRequired"}}}
                            -> {outcome: "injected" | "startedNewTurn" | "promptRequired"}

`promptRequired`: an agent whose turn is over leaves the words to us. Agents that ask for such words by themselves do so
by a request of their dialect (`Dialect.pulls`).
"""

from typing import Any

from acp_nvim.protocol.decode.json_fields import as_object, text
from acp_nvim.protocol.schema import Initialized

METHOD = "_session/steering"
DELIVERED = ("injected", "startedNewTurn")  # the agent has the words


def is_offered(agent: Initialized) -> bool:
    """Whether words may be sent into a running turn. Agents that do not say so may answer `{}` all the same."""
    return as_object(agent.meta.get("steering")).get("supported") is True


def params(session_id: str, blocks: list[dict[str, Any]]) -> dict[str, Any]:
    meta = {"steering": {"idleBehavior": "promptRequired"}}
    return {"sessionId": session_id, "prompt": blocks, "_meta": meta}


def outcome(result: Any) -> str:
    """Return what has become of the words; empty if the agent does not say."""
    return text(as_object(result), "outcome") or ""
