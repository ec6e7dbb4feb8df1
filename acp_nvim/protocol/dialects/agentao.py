"""Handles what Agentao does differently, by its appendix and by its releases:

- capabilities of the client are called `readFile` and `writeFile`
- the content of a tool call's update comes behind what is there; releases tell all of it again instead
- `_agentao.cn/ask_user {question}` asks in words; the appendix wants `{answer}`, releases `{outcome, text}`:
  both are in the answer
- `_agentao.cn/set_model` sets a model where config options have none
- the presets of its permissions are modes, also where it lists no modes
- the title of a call is the name of its tool

What needs no dialect: ids like `srv_0`, errors as thoughts, `user_message_chunk` in a replay, no key too many in
session/set_config_option, the same MCP servers again in session/load, error data, `-32002` for "not initialized".
"""

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from acp_nvim.protocol.decode.elicitation import ask
from acp_nvim.protocol.dialects.standard import Dialect, with_call
from acp_nvim.protocol.schema.elicitation import Ask, AskAnswer, Vendor

_NAME = re.compile(r"[\w.-]+")
_UNAVAILABLE = "(user unavailable)"


def _asked(params: Any) -> Ask | None:
    return ask(params) if isinstance(params, dict) else None


def _answer(answer: AskAnswer) -> dict[str, Any]:
    if answer.action == "accept" and answer.text:
        return {"outcome": "answered", "text": answer.text, "answer": answer.text}
    return {"outcome": "cancelled", "answer": _UNAVAILABLE}


def _call(call: dict[str, Any]) -> dict[str, Any]:
    title = call.get("title")
    return {**call, "name": title} if isinstance(title, str) and _NAME.fullmatch(title) else call


class Agentao(Dialect):
    name: ClassVar[str] = "agentao"
    agents: ClassVar[frozenset[str]] = frozenset({"agentao"})
    requests: ClassVar[Mapping[str, Vendor]] = {"_agentao.cn/ask_user": Vendor(_asked, _answer)}
    set_model: ClassVar[str | None] = "_agentao.cn/set_model"
    modes: ClassVar[tuple[str, ...]] = ("read-only", "workspace-write", "full-access", "plan")
    appends: ClassVar[bool] = True

    def update(self, params: Any) -> Any:
        return with_call(params, "update", _call)

    def permission(self, params: Any) -> Any:
        return with_call(params, "toolCall", _call)

    def initialize(self, params: dict[str, Any]) -> dict[str, Any]:
        told = params["clientCapabilities"]
        fs = told.get("fs", {})
        named = {"readFile": fs.get("readTextFile", False), "writeFile": fs.get("writeTextFile", False)}
        return {**params, "clientCapabilities": {**told, "fs": {**fs, **named}}}
