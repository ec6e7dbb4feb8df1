"""Lists how an answer to initialize deviates from the standard, for `:Acp doctor`. All of it is tolerated."""

from collections.abc import Iterator
from typing import Any

from acp_nvim.protocol.errors import RpcError
from acp_nvim.protocol.methods import VERSION
from acp_nvim.protocol.schema import Initialized


def of_initialize(result: Any, agent: Initialized) -> Iterator[str]:
    """`result` as it came, and its decoded form."""
    if not isinstance(result, dict):
        yield f"the answer to initialize is {_kind(result)}, not an object"
        return
    yield from _version(result)
    yield from _info(result.get("agentInfo"))
    yield from _capabilities(result)
    yield from _methods(result, agent)


def of_refusal(error: RpcError) -> Iterator[str]:
    yield f"initialize was answered by an error: {error}"


def _version(result: dict[str, Any]) -> Iterator[str]:
    version = result.get("protocolVersion")
    if version is None:
        yield f"no protocolVersion: taken for {VERSION}"
    elif isinstance(version, bool) or not isinstance(version, int):
        yield f"protocolVersion is {_kind(version)} ({version!r}), not an integer"
    elif version != VERSION:
        yield f"protocolVersion {version}: only {VERSION} is spoken here"


def _info(info: Any) -> Iterator[str]:
    if not isinstance(info, dict):
        yield "no agentInfo" if info is None else f"agentInfo is {_kind(info)}, not an object"
        return
    for key in ("name", "version"):
        if not isinstance(info.get(key), str) or not info[key]:
            yield f"agentInfo without a {key}"


def _capabilities(result: dict[str, Any]) -> Iterator[str]:
    capabilities = result.get("agentCapabilities")
    if capabilities is None:
        other = "capabilities" in result
        yield "capabilities instead of agentCapabilities" if other else "no agentCapabilities: taken for none"
    elif not isinstance(capabilities, dict):
        yield f"agentCapabilities is {_kind(capabilities)}, not an object"


def _methods(result: dict[str, Any], agent: Initialized) -> Iterator[str]:
    methods = result.get("authMethods")
    if methods is None:
        yield "no authMethods: taken for none"
    elif not isinstance(methods, list):
        yield f"authMethods is {_kind(methods)}, not a list"
    elif skipped := len(methods) - len(agent.auth_methods):
        yield f"{skipped} of {len(methods)} authMethods cannot be used: without an id"


def _kind(value: Any) -> str:
    kinds = {bool: "a boolean", int: "a number", float: "a number", str: "a string", list: "a list"}
    return "null" if value is None else kinds.get(type(value), "an object")
