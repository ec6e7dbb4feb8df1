"""What can be chosen in a session: modes, models, configuration options, commands."""

from typing import Any, Literal

from pydantic import AliasChoices, Field, model_validator

from acp_nvim.protocol.schema.lenient import Items, Lenient, lifted, named


class Mode(Lenient):
    """A mode, or one of the models that agents still list the way the standard once did."""

    id: str = Field(validation_alias=AliasChoices("id", "modelId", "modeId"))
    name: str
    description: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _name(cls, value: Any) -> Any:
        return named(value, "id", "modelId", "modeId")


class ModeState(Lenient):
    current: str | None = Field(
        default=None, validation_alias=AliasChoices("currentModeId", "currentModelId", "current")
    )
    available: Items[Mode] = Field(
        default=(), validation_alias=AliasChoices("availableModes", "availableModels", "available")
    )


class Choice(Lenient):
    value: str
    name: str
    description: str | None = None
    group: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _name(cls, value: Any) -> Any:
        return named(value, "value")


class ConfigOption(Lenient):
    """Choices in groups stand in one row, in the agent's order, each with its group's name."""

    id: str
    name: str
    type: Literal["select", "boolean"]
    category: str | None = None
    description: str | None = None
    current_value: bool | str | None = None
    choices: Items[Choice] = ()

    @model_validator(mode="before")
    @classmethod
    def _flat(cls, value: Any) -> Any:
        value = named(value, "id")
        options = value.get("options") if isinstance(value, dict) else None
        if not isinstance(options, list):
            return value
        return {"type": "select", **value, "choices": [choice for item in options for choice in _row(item)]}


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

    @model_validator(mode="before")
    @classmethod
    def _hint(cls, value: Any) -> Any:
        return lifted(value, "input", hint="hint")
