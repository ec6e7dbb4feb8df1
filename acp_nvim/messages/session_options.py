"""Messages about what an agent offers in a session: modes, models, options and slash commands."""

from dataclasses import dataclass
from typing import NotRequired

from typing_extensions import TypedDict  # which pydantic wants before Python 3.12

from acp_nvim.messages.base_classes import Call, OfSession

# --- Parts


class Named(TypedDict):
    id: str
    name: str


class OptionChoice(Named):
    group: NotRequired[str]
    description: NotRequired[str]


class SessionOption(TypedDict):
    id: str
    name: str
    type: str
    value: str | bool | None
    choices: list[OptionChoice]
    category: NotRequired[str]


# --- From Lua


class SetMode(OfSession):
    id: str


class SetModel(OfSession):
    id: str


class SetOption(OfSession):
    id: str
    value: str | bool


# --- To Lua


@dataclass(slots=True)
class Commands(Call):
    """The agent's slash commands."""

    session: int
    commands: list[dict[str, str]] | None
