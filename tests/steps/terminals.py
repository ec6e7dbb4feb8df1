"""Steps with terminals of the agent."""

from typing import Any

from tests.fakes.script import request

OPEN_TERMINALS = """
    local terminal = require("acp_nvim.terminal.buffer")
    terminal.opened(1, "t1", "make \\27[2J%d")
    terminal.opened(1, "t2", "pytest -q")
    terminal.opened(2, "t1", "ls")
"""


def create_terminal(command: str, **params: Any) -> list[Any]:
    """The agent starts a command."""
    return request("terminal/create", {"sessionId": "{session}", "command": command, **params})
