"""Which dialect an agent speaks: as configured, else by the name it gives itself."""

from typing import TYPE_CHECKING

from acp_nvim.protocol.dialects.standard import Dialect

if TYPE_CHECKING:
    from acp_nvim.protocol.schema import AgentInfo

STANDARD = Dialect()
DIALECTS: dict[str, Dialect] = {dialect.name: dialect for dialect in (STANDARD,)}


def choose(setting: str, agent_info: "AgentInfo | None") -> Dialect:
    if setting in DIALECTS:
        return DIALECTS[setting]
    name = agent_info.name.lower() if agent_info else ""
    return next((dialect for dialect in DIALECTS.values() if name in dialect.agents), STANDARD)


__all__ = ["DIALECTS", "STANDARD", "Dialect", "choose"]
