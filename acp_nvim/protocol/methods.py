"""Lists the methods of agents that we serve, with the capability that offers each, and old names of our own methods."""

from collections.abc import Mapping
from typing import Any

from acp_nvim.protocol.errors import INVALID_PARAMS, METHOD_NOT_FOUND, RpcError

VERSION = 1

# Where each is offered in our capabilities, as a dotted path; None: always. What we may ask of the agent is up to its
# capabilities: `Initialized` in schema/answers.py.
SERVED: Mapping[str, str | None] = {
    "session/request_permission": None,
    "fs/read_text_file": "fs.readTextFile",
    "fs/write_text_file": "fs.writeTextFile",
    "terminal/create": "terminal",
    "terminal/output": "terminal",
    "terminal/wait_for_exit": "terminal",
    "terminal/kill": "terminal",
    "terminal/release": "terminal",
    "elicitation/create": "elicitation",
}


def older(name: str, params: dict[str, Any], cwd: str) -> tuple[str, dict[str, Any]] | None:
    """Return the name in some agents' documents, to be tried when the standard's name is unknown."""
    match name:
        case "session/list":
            return "sessions/list", {"cwd": cwd, **params}
        case "session/set_config_option":
            return "config/set", params
        case "session/set_mode":
            return "config/set", _option(params, "mode", params.get("modeId"))
        case "session/set_model":
            return "config/set", _option(params, "model", params.get("modelId"))
    return None


def _option(params: dict[str, Any], id: str, value: Any) -> dict[str, Any]:
    return {"sessionId": params.get("sessionId"), "configId": id, "value": value}


CANCEL_REQUEST = "$/cancel_request"  # a notification that either side may send


def offers(capabilities: Mapping[str, Any], path: str) -> bool:
    """Whether the capability at the dotted path is offered: `{}` and true mean yes; absent, null and false mean no."""
    found: Any = capabilities
    for key in path.split("."):
        found = found.get(key) if isinstance(found, Mapping) else None
    return found is True or isinstance(found, Mapping)


def refusal(name: str, params: object, ours: Mapping[str, Any]) -> RpcError | None:
    """Return why an agent's request is refused, given the capabilities we sent; None if it is served."""
    if name not in SERVED:
        return RpcError(METHOD_NOT_FOUND, f"Method not found: {name}")
    if name == "elicitation/create":
        return _elicitation_refusal(params, ours) or _unusable(name, params)
    offer = SERVED[name]
    if offer is not None and not offers(ours, offer):
        return RpcError(METHOD_NOT_FOUND, f"Method not offered: {name}")
    return _unusable(name, params)


def _unusable(name: str, params: object) -> RpcError | None:
    """Refuse params without a usable session id. Some agents leave the id out or send a number, which is accepted."""
    if not isinstance(params, dict):
        return RpcError(INVALID_PARAMS, f"{name}: params must be an object")
    given = [params[key] for key in ("sessionId", "session_id") if key in params]
    if any(isinstance(value, dict | list | bool) for value in given):
        return RpcError(INVALID_PARAMS, f"{name}: sessionId must be a string")
    return None


def _elicitation_refusal(params: object, ours: Mapping[str, Any]) -> RpcError | None:
    """Refuse a mode that was not advertised, with -32602 as the standard asks."""
    mode = params.get("mode") if isinstance(params, dict) else None
    if isinstance(mode, str) and offers(ours, f"elicitation.{mode}"):
        return None
    return RpcError(INVALID_PARAMS, f"elicitation/create: mode not offered: {mode}")


def client_capabilities(*, read: bool = False, write: bool = False, terminal: bool = False) -> dict[str, Any]:
    """Return the capabilities that we send: what the user may switch off, and what always works."""
    return {
        "fs": {"readTextFile": read, "writeTextFile": write},
        "terminal": terminal,
        "auth": {"terminal": True},
        "subagents": {},
        "plan": {},
        "promptSuggestions": {},
        "session": {"configOptions": {"boolean": {}}, "notices": {}, "compaction": {}},
        "elicitation": {"form": {}, "url": {}},
        "_meta": {"terminal_output": True, "terminal-auth": True},
    }
