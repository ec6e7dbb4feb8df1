"""From a table of Lua to a named tuple.

What is of its type is taken as it is. Mostly that is all of it, since Lua has checked it; anything else is for
pydantic, dear to import, to convert or to complain of.
"""

from collections.abc import Callable
from functools import cache
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
    known = _of_lua(kind, given)
    found: S | None = _quickly(kind, known)
    return _judged(kind, known) if found is None else found


def _quickly(kind: Any, known: dict[str, Any]) -> Any:
    """None where pydantic is needed."""
    checks = _columns(kind)
    if not all(checks[name][1](value) for name, value in known.items()):
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
    return {name: value(given[name]) for name, (value, _) in _columns(kind).items() if name in given}


@cache
def _columns(kind: Any) -> dict[str, tuple[Callable[[Any], Any], Callable[[Any], bool]]]:
    """By name: what makes a value of Lua's into one of Python's, and what tells whether it is of its type."""
    return {name: (_value(each), _check(each)) for name, each in kind.__annotations__.items()}


def _value(kind: Any) -> Callable[[Any], Any]:
    """An empty Lua table arrives as a list, and values for the environment may be numbers."""
    whole = get_origin(kind) or kind
    if kind == dict[str, str]:
        return _texts
    if whole in (dict, list):
        return lambda value: whole() if value in (None, [], {}) else value
    if hasattr(kind, "_fields"):
        return lambda value: (
            (_quickly(kind, _of_lua(kind, value)) or value) if isinstance(value, dict) else value
        )
    return lambda value: value


def _check(kind: Any) -> Callable[[Any], bool]:
    whole, parts = get_origin(kind) or kind, get_args(kind)
    if whole is Annotated:
        inner = _check(parts[0])
        return lambda value: inner(value) and parts[1].allows(value)
    if whole is Any:
        return lambda value: True
    checks = [_check(part) for part in parts]
    if whole in (Union, UnionType):
        return lambda value: any(check(value) for check in checks)
    if whole is list:
        return lambda value: isinstance(value, list) and all(map(checks[0], value))
    if whole is dict:
        return lambda value: (
            isinstance(value, dict) and all(map(checks[0], value)) and all(map(checks[1], value.values()))
        )
    classes = (int, float) if kind is float else (kind,)
    return lambda value: value.__class__ in classes


def _texts(value: Any) -> Any:
    return {key: str(item) for key, item in value.items()} if isinstance(value, dict) else value or {}
