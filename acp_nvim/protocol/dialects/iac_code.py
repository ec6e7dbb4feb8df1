"""Handles what iac-code does differently, by its reference and by its releases:

- a release takes any `selected` outcome for a yes: a rejection is `cancelled`, with the option's id in `_meta`
- its permissions are about `permission/<id>`, while the call was announced as `<turn>/<id>`
- what a tool is called with stands in the text of its permission alone, a line that ends in JSON: nothing else
  names the file, or shows the edit, before it is done
- output of a terminal that has been shown comes once more as content, marked `already_displayed`
- the reference's permission has the method `request_permission` alone, and a flat answer: `allowed` with the
  option's id, or `denied` without one, so that a rejection for always is the client's to remember

Read by everybody's normaliser: `type` for `sessionUpdate`, tags written like classes, `text` beside the tag,
`raw_input`, `raw_output`, blocks named like classes. `sessions/list` and `config/set` are asked for where the
standard's names are not known (`methods.older`).
"""

import json
from contextlib import suppress
from typing import Any, ClassVar

from acp_nvim.protocol.dialects.standard import Dialect, kind, sent
from acp_nvim.protocol.schema import PermissionRequest

BARE = "request_permission"


class IacCode(Dialect):
    name: ClassVar[str] = "iac-code"
    agents: ClassVar[frozenset[str]] = frozenset({"iac-code", "iac_code"})

    def update(self, params: Any) -> Any:
        update = params.get("update") if isinstance(params, dict) else None
        meta = update.get("_meta") if isinstance(update, dict) else None
        if (
            not isinstance(update, dict)
            or not isinstance(meta, dict)
            or meta.get("already_displayed") is not True
        ):
            return params
        return {**params, "update": {key: value for key, value in update.items() if key != "content"}}

    def permission(self, params: Any) -> Any:
        call = params.get("toolCall") if isinstance(params, dict) else None
        content = call.get("content") if isinstance(call, dict) else None
        if not isinstance(call, dict) or not isinstance(content, list) or call.get("rawInput") is not None:
            return params
        for place, item in enumerate(content):
            if (told := _input(item)) is not None:
                rest = [*content[:place], *content[place + 1 :]]
                return {**params, "toolCall": {**call, "content": rest, "rawInput": told}}
        return params

    def is_about(self, asked: str, call: str) -> bool:
        mark, _, use = asked.partition("permission/")
        return asked == call or (not mark and bool(use) and call.endswith(f"/{use}"))

    def permission_answer(self, option_id: str | None, request: PermissionRequest) -> dict[str, Any]:
        if option_id is None or kind(option_id, request).startswith("allow"):
            return super().permission_answer(option_id, request)
        return {"outcome": {"outcome": "cancelled"}, "_meta": {"option_id": sent(option_id, request)}}


def _input(item: Any) -> dict[str, Any] | None:
    """Return the object behind `Input: {…}`. The word before the colon is in the user's language."""
    block = item.get("content") if isinstance(item, dict) else None
    text = block.get("text") if isinstance(block, dict) else None
    for line in text.split("\n")[1:] if isinstance(text, str) else ():
        _, mark, told = line.partition(": {")
        with suppress(ValueError, RecursionError):
            if mark and isinstance(found := json.loads("{" + told), dict):
                return found
    return None


class Flat(IacCode):
    """Answers as iac-code's reference has them, for permissions of the bare method."""

    remembers: ClassVar[bool] = True

    def permission(self, params: Any) -> Any:
        """Add the tool's name to its tool calls, which have it only as title."""
        call = params.get("toolCall") if isinstance(params, dict) else None
        if not isinstance(call, dict) or call.get("name") or not call.get("title"):
            return params
        return {**params, "toolCall": {**call, "name": call["title"]}}

    def permission_answer(self, option_id: str | None, request: PermissionRequest) -> dict[str, Any]:
        if option_id is not None and kind(option_id, request).startswith("allow"):
            return {"outcome": "allowed", "option_id": sent(option_id, request)}
        return {"outcome": "denied"}
