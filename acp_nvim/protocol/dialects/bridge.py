"""Handles what the quick reference for builders of clients does differently:

- initialize has `capabilities`; they are sent beside the standard's `clientCapabilities`

Read by everybody's normaliser, and never sent: tool calls with `id`, `name` and the kinds "file" and "command",
the block "embedded_resource", `capabilities` in the answer to initialize. What the reference calls wrong with its
own bridge is not done by us: `sessionUpdate` is the tag, and every permission request is put to the user and answered.
"""

from typing import Any, ClassVar

from acp_nvim.protocol.dialects.standard import Dialect


class Bridge(Dialect):
    name: ClassVar[str] = "bridge"

    def initialize(self, params: dict[str, Any]) -> dict[str, Any]:
        return {**params, "capabilities": params["clientCapabilities"]}
