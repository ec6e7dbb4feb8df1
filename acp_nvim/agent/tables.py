"""From a table of Lua to a dataclass.

What is of its type is taken as it is. Mostly that is all of it, since Lua has checked it; anything else is for
pydantic, dear to import, to convert or to complain of.
"""

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

S = TypeVar("S")


class Wrong(ValueError):
    """`key` is the first that is, its text is for the user."""

    def __init__(self, key: str, text: str) -> None:
        super().__init__(text)
        self.key = key


class Least:
    """Of a number; `inclusive`: it may be that itself."""

    def __init__(self, limit: float, inclusive: bool) -> None:
        self._limit, self._inclusive = limit, inclusive

    def allows(self, value: float) -> bool:
        return value >= self._limit if self._inclusive else value > self._limit

    def __get_pydantic_core_schema__(self, source: Any, handler: Callable[[Any], Any]) -> Any:
        return handler(source) | {"ge" if self._inclusive else "gt": self._limit}


def made(kind: type[S], given: dict[str, Any]) -> S:
    found: S | None = _quickly(kind, given)
    return found or _judged(kind, _of_lua(kind, given))


def _quickly(kind: Any, given: dict[str, Any]) -> Any:
    """None where pydantic is needed."""
    known = _of_lua(kind, given)
    if not all(_fits(each.type, known[each.name]) for each in fields(kind) if each.name in known):
        return None
    try:
        return kind(**known)
    except TypeError:  # something is missing
        return None


def _judged(kind: type[S], given: dict[str, Any]) -> S:
    from pydantic import TypeAdapter, ValidationError

    try:
        return TypeAdapter(kind).validate_python(given)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        raise Wrong(str(first["loc"][0]), f"{where}: {first['msg'].lower()}") from error


def _of_lua(kind: Any, given: dict[str, Any]) -> dict[str, Any]:
    return {each.name: _value(each.type, given[each.name]) for each in fields(kind) if each.name in given}


def _value(kind: Any, value: Any) -> Any:
    """An empty Lua table arrives as a list, and values for the environment may be numbers."""
    whole = get_origin(kind) or kind
    if whole in (dict, list) and value in (None, [], {}):
        return whole()
    if kind == dict[str, str] and isinstance(value, dict):
        return {key: str(item) for key, item in value.items()}
    return _quickly(kind, value) or value if is_dataclass(kind) and isinstance(value, dict) else value


def _fits(kind: Any, value: Any) -> bool:
    whole, parts = get_origin(kind) or kind, get_args(kind)
    if whole is Annotated:
        return _fits(parts[0], value) and parts[1].allows(value)
    if whole in (Union, UnionType):
        return any(_fits(part, value) for part in parts)
    if whole is list:
        return isinstance(value, list) and all(_fits(parts[0], item) for item in value)
    if whole is dict:
        return isinstance(value, dict) and all(
            isinstance(key, str) and _fits(parts[1], item) for key, item in value.items()
        )
    return kind is Any or value.__class__ in ((int, float) if kind is float else (kind,))
