"""Says how far an agent has come with the editor's tools: as we are the server, we know what no other client knows."""

from __future__ import annotations

from typing import Any, Literal

# "" until anything is sent; "off": not wanted; "none": the agent takes no servers; "own": the user's server has the
# name; "elsewhere": another Neovim serves them
State = Literal["", "off", "none", "own", "elsewhere", "sent", "started", "listed", "connected", "ended"]


class ToolsState:
    def __init__(self) -> None:
        self.state: State = ""
        self.is_argument = False  # the agent got the server as an argument of its process
        self._tools = self._calls = 0

    @property
    def is_reached(self) -> bool:
        """Whether a server of the session is connected."""
        return self.state in ("started", "listed", "connected")

    def become(self, state: State, tools: int) -> bool:
        """Take the state; False: it was so already."""
        before = self.state, self._tools
        self.state, self._tools = state, tools
        return before != (state, tools)

    def count_call(self) -> None:
        self._calls += 1

    def shape(self) -> dict[str, Any]:
        way = {"argument": True} if self.is_argument else {}
        return {"state": self.state, "tools": self._tools, "calls": self._calls, **way}
