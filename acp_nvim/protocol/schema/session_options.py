"""Models of what can be chosen in a session: modes, models, configuration options, commands."""

from typing import Any, Literal

from pydantic import AliasChoices, Field

from acp_nvim.protocol.schema.lenient import Items, Lenient, lifted, named


class Mode(Lenient):
    """A mode, or a model of agents that list models as an older standard did."""

    id: str = Field(validation_alias=AliasChoices("id", "modelId", "modeId"))
    name: str
    description: str | None = None

    @classmethod
    def _adapted(cls, raw: dict[str, Any]) -> dict[str, Any]:
        return named(raw, "id", "modelId", "modeId")


class ModeState(Lenient):
    current: str | None = Field(None, validation_alias=AliasChoices("currentModeId", "currentModelId"))
    available: Items[Mode] = Field((), validation_alias=AliasChoices("availableModes", "availableModels"))


class Choice(Lenient):
    value: str
    name: str
    description: str | None = None
    group: str | None = None

    @classmethod
    def _adapted(cls, raw: dict[str, Any]) -> dict[str, Any]:
        return named(raw, "value")


class ConfigOption(Lenient):
    """Grouped choices are flattened in the agent's order, each with its group's name."""

    id: str
    name: str
    type: Literal["select", "boolean"]
    category: str | None = None
    description: str | None = None
    current_value: bool | str | None = None
    choices: Items[Choice] = ()

    @classmethod
    def _adapted(cls, raw: dict[str, Any]) -> dict[str, Any]:
        raw = named(raw, "id")
        options = raw.get("options")
        if not isinstance(options, list):
            return raw
        return {"type": "select", **raw, "choices": [choice for item in options for choice in _row(item)]}


def _row(item: Any) -> list[Any]:
    inner = item.get("options") if isinstance(item, dict) else None
    if not isinstance(inner, list):
        return [item]
    group = item.get("name") or item.get("group")
    return [{**choice, "group": group} for choice in inner if isinstance(choice, dict)]


class Command(Lenient):
    name: str
    description: str = ""
    hint: str | None = None

    @classmethod
    def _adapted(cls, raw: dict[str, Any]) -> dict[str, Any]:
        return lifted(raw, "input", hint="hint")
