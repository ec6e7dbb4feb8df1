"""How the standard wants to be read: odd optional fields become their default, bad items are dropped.

Fields beyond ours are kept (`model_extra`). Names are camelCase on the wire; snake_case is understood too.
"""

from contextlib import suppress
from typing import Annotated, Any, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    field_validator,
)
from pydantic.alias_generators import to_camel

T = TypeVar("T")


class Lenient(BaseModel):
    # built when first used: a start needs three of them
    model_config = ConfigDict(
        frozen=True, extra="allow", alias_generator=to_camel, populate_by_name=True, defer_build=True
    )

    @field_validator("*", mode="wrap")
    @classmethod
    def _default_on_error(cls, value: Any, check: ValidatorFunctionWrapHandler, info: ValidationInfo) -> Any:
        try:
            return check(value)
        except ValidationError:
            field = cls.model_fields[info.field_name or ""]
            if field.is_required():
                raise
            return field.get_default(call_default_factory=True)


def _skip_bad_items(value: Any, check: ValidatorFunctionWrapHandler) -> Any:
    if not isinstance(value, list):
        return check(value)
    good: list[Any] = []
    for item in value:
        with suppress(ValidationError):  # that is what the standard asks: the others count
            good.extend(check([item]))
    return tuple(good)


Items = Annotated[tuple[T, ...], WrapValidator(_skip_bad_items)]

# No more than fits everywhere these numbers go: msgpack has 64 bits.
Count = Annotated[int, Field(ge=0, lt=2**63)]


def named(value: Any, *others: str) -> Any:
    """The wire's object with a `name`, taken from another of its fields where there is none."""
    if not isinstance(value, dict) or isinstance(value.get("name"), str):
        return value
    name = next((value[key] for key in others if isinstance(value.get(key), str)), None)
    return value if name is None else {**value, "name": name}


def lifted(value: Any, outer: str, **names: str) -> Any:
    """The wire's object with fields of its inner object `outer` under names of their own."""
    inner = value.get(outer) if isinstance(value, dict) else None
    if not isinstance(inner, dict):
        return value
    return {**value, **{name: inner[key] for name, key in names.items() if key in inner}}
