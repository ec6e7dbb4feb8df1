"""Chooses the dialect of an agent: as configured, else by its name, else by the shape of its messages."""

import os
from typing import Any

from acp_nvim.protocol.dialects import iac_code, simse
from acp_nvim.protocol.dialects.agentao import Agentao
from acp_nvim.protocol.dialects.bridge import Bridge
from acp_nvim.protocol.dialects.claude import Claude
from acp_nvim.protocol.dialects.codex import Codex
from acp_nvim.protocol.dialects.gemini import Gemini
from acp_nvim.protocol.dialects.kimi import Kimi
from acp_nvim.protocol.dialects.qwen import Qwen
from acp_nvim.protocol.dialects.standard import Dialect
from acp_nvim.protocol.schema import AgentInfo, Initialized

STANDARD = Dialect()
SIMSE, FLAT = simse.Simse(), iac_code.Flat()
_ALL = (
    STANDARD,
    SIMSE,
    simse.SimseEngine(),
    iac_code.IacCode(),
    Agentao(),
    Bridge(),
    Claude(),
    Codex(),
    Gemini(),
    Kimi(),
    Qwen(),
)
PERMISSIONS = ("session/request_permission", iac_code.BARE)
DIALECTS: dict[str, Dialect] = {dialect.name: dialect for dialect in _ALL}


def choose(setting: str, agent_info: AgentInfo | None, command: str = "") -> Dialect:
    """Until the agent has introduced itself, its command is a hint."""
    if setting in DIALECTS:
        return DIALECTS[setting]
    name = agent_info.name if agent_info else os.path.basename(command)
    return next((dialect for dialect in DIALECTS.values() if name.lower() in dialect.agents), STANDARD)


def asks(method: str) -> bool:
    """Whether a request of this method asks for permission."""
    return method in PERMISSIONS


def of_permission(method: str, params: Any, spoken: Dialect) -> Dialect:
    """Return the dialect for reading and answering this permission request."""
    if simse.is_permission(params):
        return SIMSE
    return FLAT if method == iac_code.BARE else spoken


def prompts(
    blocks: list[dict[str, Any]], limit_ms: float | None, spoken: Dialect, setting: str, agent: Initialized
) -> list[dict[str, Any]]:
    """Return the params of session/prompt in the forms to try, the next one if the agent finds one invalid.

    An agent that says nothing of itself but its name may be one that takes a text.
    """
    told = spoken.beside_prompt(limit_ms)
    forms = [{"prompt": spoken.prompt(blocks), **told}]
    if (other := spoken.prompt_instead(blocks)) is not None:
        forms.append({"prompt": other, **told})
    elif spoken is STANDARD and setting == "auto" and not agent.capabilities:
        forms.append({"prompt": SIMSE.prompt(blocks), **SIMSE.beside_prompt(limit_ms)})
    return forms


__all__ = [
    "DIALECTS",
    "FLAT",
    "PERMISSIONS",
    "SIMSE",
    "STANDARD",
    "Dialect",
    "asks",
    "choose",
    "of_permission",
    "prompts",
]
