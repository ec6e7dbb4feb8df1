"""One call of a tool, as the functions of tools get it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from acp_nvim.editor_tools.chat_lines import Line
from acp_nvim.editor_tools.view import View
from acp_nvim.session.session import Session


@dataclass(slots=True, eq=False)
class Call:
    view: View
    wanted: dict[str, Any]  # its arguments
    line: Line  # in the chat
    in_turn: bool  # a turn of the agent was running when it called

    @property
    def session(self) -> Session:
        return self.view.session
