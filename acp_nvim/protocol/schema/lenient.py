"""Defines the base model of everything that is read from the wire: one odd field does not lose the message around it.

The standard asks clients to tolerate what they do not know, and agents differ in spelling and types:

- an optional field whose value does not fit becomes its default; an object that lacks a required field is rejected
- an item of a list that does not fit is dropped, its neighbours stay
- unknown fields are ignored
- a field is named in camelCase, in snake_case, or by one of its `AliasChoices`

Types are strict: a number is not taken for a text. `Count`, `Number` and `Key` accept what agents do mix up.
"""

from typing import Annotated, Any, Self, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    Strict,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    field_validator,
    model_validator,
)
from pydantic.alias_generators import to_camel
from pydantic.types import OnErrorOmit

T = TypeVar("T")
Items = Annotated[tuple[OnErrorOmit[T], ...], Strict(False)]  # not strict: JSON has lists only
Number = Annotated[float, Strict(False)]  # some agents write numbers as text
Count = Annotated[int, Strict(False), Field(ge=0, lt=2**63)]  # msgpack, which takes it to Neovim, has 64 bits


def _text_of_key(value: Any) -> Any:
    return str(value) if isinstance(value, int | float) else value


Key = Annotated[str, BeforeValidator(_text_of_key), Field(min_length=1)]  # some agents' ids are numbers


class Lenient(BaseModel):
    model_config = ConfigDict(
        frozen=True,
        strict=True,
        allow_inf_nan=False,
        alias_generator=to_camel,
        populate_by_name=True,
        defer_build=True,  # most sessions meet a few of the kinds
    )

    @classmethod
    def read(cls, raw: Any) -> Self | None:
        """Return None for a value that is no object or lacks a required field."""
        try:
            return cls.model_validate(raw)
        except ValidationError:
            return None

    @classmethod
    def _adapted(cls, raw: dict[str, Any]) -> dict[str, Any]:
        """Return the object with the fields that the model expects. Models that accept other forms override it."""
        return raw

    @model_validator(mode="before")
    @classmethod
    def _adapt(cls, raw: Any) -> Any:
        return cls._adapted(raw) if isinstance(raw, dict) else raw

    @field_validator("*", mode="wrap")
    @classmethod
    def _default_for_odd(
        cls, value: Any, validate: ValidatorFunctionWrapHandler, info: ValidationInfo
    ) -> Any:
        try:
            return validate(value)
        except ValidationError:
            field = cls.model_fields[str(info.field_name)]
            if field.is_required():
                raise
            return field.get_default(call_default_factory=True)


def named(value: dict[str, Any], *others: str) -> dict[str, Any]:
    """Return the object with a `name`, taken from another of its fields if it has none."""
    if isinstance(value.get("name"), str):
        return value
    name = next((value[key] for key in others if isinstance(value.get(key), str)), None)
    return value if name is None else {**value, "name": name}


def lifted(value: dict[str, Any], outer: str, **names: str) -> dict[str, Any]:
    """Return the object with fields of its inner object `outer` moved up under new names."""
    inner = value.get(outer)
    if not isinstance(inner, dict):
        return value
    return {**value, **{name: inner[key] for name, key in names.items() if key in inner}}
