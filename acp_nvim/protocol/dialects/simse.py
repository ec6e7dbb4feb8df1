"""Handles what simse does differently, by its reference and in its engine:

- a prompt is a text, and has a `timeoutMs` without which a minute is all it gets
- a permission is `{permissionId, toolName, args, description}` without options; the answer names the decision
- what counts always the client remembers, for the session
- the engine takes prompts as the standard has them, but of several texts the first is its system prompt
- the engine sets what it lists as models and modes by config options, as `configOptionId` and `groupId`

Read by everybody's normaliser: updates without `update`, `toolName`, `args`, `result`, `error`, content as the
message of a turn without chunks, blocks of the type "data", content in lists.
"""

from typing import Any, ClassVar

from acp_nvim.protocol.dialects.standard import Dialect, kind
from acp_nvim.protocol.schema import PermissionRequest

_DAY_MS = 24 * 60 * 60 * 1000
_DECISIONS = ("allow_once", "allow_always", "reject_once", "reject_always")


class Simse(Dialect):
    name: ClassVar[str] = "simse"
    agents: ClassVar[frozenset[str]] = frozenset({"simse"})
    remembers: ClassVar[bool] = True

    def prompt(self, blocks: list[dict[str, Any]]) -> Any:
        return as_text(blocks)

    def prompt_instead(self, blocks: list[dict[str, Any]]) -> Any:
        return _as_one(blocks)

    def beside_prompt(self, limit_ms: float | None) -> dict[str, Any]:
        return {"timeoutMs": int(limit_ms or _DAY_MS)}

    def change(self, what: str, id: str, value: str | bool) -> tuple[str, dict[str, Any]] | None:
        if not isinstance(value, str):
            return None
        named = {"configId": id or what, "value": value}
        return "session/set_config_option", {**named, "configOptionId": id or what, "groupId": value}

    def permission_answer(self, option_id: str | None, request: PermissionRequest) -> dict[str, Any]:
        answer = super().permission_answer(option_id, request)
        if not is_permission(request.raw):
            return answer
        meant = kind(option_id, request)
        decision = meant if meant in _DECISIONS else "reject_once"
        return {"permissionId": request.raw["permissionId"], "decision": decision, **answer}


class SimseEngine(Simse):
    name: ClassVar[str] = "simse-engine"
    agents: ClassVar[frozenset[str]] = frozenset({"simse-engine"})

    def prompt(self, blocks: list[dict[str, Any]]) -> Any:
        return _as_one(blocks)

    def prompt_instead(self, blocks: list[dict[str, Any]]) -> Any:
        return as_text(blocks)


def is_permission(params: Any) -> bool:
    """Whether it has the shape of simse's permissions, whichever agent sends it."""
    return (
        isinstance(params, dict)
        and isinstance(params.get("permissionId"), str | int)
        and isinstance(params.get("toolName"), str)
        and not isinstance(params.get("options"), list)
    )


def as_text(blocks: list[dict[str, Any]]) -> str:
    """Join the blocks of a prompt to one text. Other blocks are replaced by their name."""
    return "\n\n".join(filter(None, map(_words, blocks)))


def _as_one(blocks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"type": "text", "text": as_text(blocks)}]


def _words(block: dict[str, Any]) -> str:
    match block["type"]:
        case "text":
            return str(block["text"])
        case "resource":
            return f"{block['resource']['uri']}\n{block['resource'].get('text', '')}"
        case "resource_link":
            return str(block["uri"])
    return f"[{block['type']}]"
