"""The methods of the protocol: who serves them, and which capability allows the call."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from acp_nvim.protocol.errors import INVALID_PARAMS, METHOD_NOT_FOUND, RpcError

VERSION = 1


class Method(NamedTuple):
    """`gate` is a dotted path in the capabilities of the side that serves the method; None: always allowed."""

    name: str
    served_by: Literal["agent", "client"]
    kind: Literal["request", "notification"] = "request"
    gate: str | None = None


# Not capabilities, and so no gates here: `authenticate` needs an entry of authMethods; set_mode, set_model
# and set_config_option need that the session has modes, models, configOptions.
_TABLE = (
    Method("initialize", "agent"),
    Method("authenticate", "agent"),
    Method("logout", "agent", gate="auth.logout"),
    Method("session/new", "agent"),
    Method("session/load", "agent", gate="loadSession"),
    Method("session/resume", "agent", gate="sessionCapabilities.resume"),
    Method("session/list", "agent", gate="sessionCapabilities.list"),
    Method("session/close", "agent", gate="sessionCapabilities.close"),
    Method("session/delete", "agent", gate="sessionCapabilities.delete"),
    Method("session/fork", "agent", gate="sessionCapabilities.fork"),
    Method("session/prompt", "agent"),
    Method("session/cancel", "agent", kind="notification"),
    Method("session/set_mode", "agent"),
    Method("session/set_config_option", "agent"),
    Method("session/set_model", "agent"),
    Method("session/update", "client", kind="notification"),
    Method("session/request_permission", "client"),
    Method("fs/read_text_file", "client", gate="fs.readTextFile"),
    Method("fs/write_text_file", "client", gate="fs.writeTextFile"),
    Method("terminal/create", "client", gate="terminal"),
    Method("terminal/output", "client", gate="terminal"),
    Method("terminal/wait_for_exit", "client", gate="terminal"),
    Method("terminal/kill", "client", gate="terminal"),
    Method("terminal/release", "client", gate="terminal"),
    Method("elicitation/create", "client", gate="elicitation"),
    Method("elicitation/complete", "client", kind="notification", gate="elicitation"),
)
METHODS: Mapping[str, Method] = {method.name: method for method in _TABLE}


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


def offered(name: str, capabilities: Mapping[str, Any]) -> bool:
    """Whether the capabilities of the serving side allow the method."""
    gate = METHODS[name].gate
    return gate is None or offers(capabilities, gate)


def refusal(name: str, params: object, ours: Mapping[str, Any]) -> RpcError | None:
    """Return why an agent's request is refused, given the capabilities we sent; None if it is served."""
    method = METHODS.get(name)
    if method is None or method.served_by != "client" or method.kind != "request":
        return RpcError(METHOD_NOT_FOUND, f"Method not found: {name}")
    if name == "elicitation/create":
        return _elicitation_refusal(params, ours) or _unusable(name, params)
    if not offered(name, ours):
        return RpcError(METHOD_NOT_FOUND, f"Method not offered: {name}")
    return _unusable(name, params)


def _unusable(name: str, params: object) -> RpcError | None:
    """Refuse params without a usable session id. Some agents leave the id out or send a number, which is accepted."""
    if not isinstance(params, dict):
        return RpcError(INVALID_PARAMS, f"{name}: params must be an object")
    given = [params[key] for key in ("sessionId", "session_id") if key in params]
    if any(isinstance(value, dict | list | bool) for value in given):
        return RpcError(INVALID_PARAMS, f"{name}: sessionId must be a text")
    return None


def _elicitation_refusal(params: object, ours: Mapping[str, Any]) -> RpcError | None:
    """Refuse a mode that was not advertised, with -32602 as the standard asks."""
    mode = params.get("mode") if isinstance(params, dict) else None
    if isinstance(mode, str) and offers(ours, f"elicitation.{mode}"):
        return None
    return RpcError(INVALID_PARAMS, f"elicitation/create: mode not offered: {mode}")


def client_capabilities(
    *,
    read: bool = False,
    write: bool = False,
    terminal: bool = False,
    terminal_login: bool = False,
    terminal_output: bool = False,
    boolean_options: bool = False,
    notices: bool = False,
    compaction: bool = False,
    forms: bool = False,
    urls: bool = False,
) -> dict[str, Any]:
    """Return the capabilities that we send: exactly what works and is switched on."""
    session = _only(configOptions=_only(boolean=boolean_options), notices=notices, compaction=compaction)
    told: dict[str, Any] = {
        "fs": {"readTextFile": read, "writeTextFile": write},
        "terminal": terminal,
        "auth": {"terminal": terminal_login},
        "session": session,
        "elicitation": _only(form=forms, url=urls),
        "_meta": {name: True for name, on in _extensions(terminal_output, terminal_login) if on},
    }
    return {name: value for name, value in told.items() if value != {}}


def _extensions(terminal_output: bool, terminal_login: bool) -> tuple[tuple[str, bool], ...]:
    return ("terminal_output", terminal_output), ("terminal-auth", terminal_login)


def _only(**switches: bool | dict[str, Any]) -> dict[str, Any]:
    """Return an empty object for each switch that is on, which is the standard's yes."""
    return {name: {} if on is True else on for name, on in switches.items() if on}
