"""How the standard wants to be read: odd optional fields become their default, bad items are dropped.

A class says by its annotations what it takes; in `Annotated` stand the names on the wire, in the order of
preference, or the function that reads the value. Elsewhere they are the camelCase of ours, and ours too. pydantic
could do all this, but to import it and to build its models was more than half of what a backend's start cost.
"""

import math
from collections.abc import Callable
from types import UnionType
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    NoReturn,
    Self,
    TypeVar,
    Union,
    dataclass_transform,
    get_args,
    get_origin,
)

T = TypeVar("T")
Items = tuple[T, ...]
NOTHING: dict[str, Any] = {}  # a default; frozen as what has it
_NOT: Any = object()  # there is none, or not of the kind it should be
_Reader = Callable[[Any], Any]  # from a value of the wire to ours, or _NOT
_Field = tuple[str, tuple[str, ...], Any, _Reader]  # our name, those of the wire, the default, how it is read


@dataclass_transform(kw_only_default=True, frozen_default=True)
class Lenient:
    _fields: ClassVar[tuple[_Field, ...]] = ()

    def __init_subclass__(cls) -> None:
        cls._fields = tuple(
            (name, _names(name, kind), cls.__dict__.get(name, _NOT), _reader(kind))
            for name, kind in cls.__annotations__.items()
        )

    def __init__(self, **given: Any) -> None:
        values = {name: given.get(name, default) for name, _, default, _ in self._fields}
        if any(value is _NOT for value in values.values()) or not values.keys() >= given.keys():
            raise TypeError(f"{type(self).__name__} is made of {', '.join(values)}")
        self.__dict__.update(values)

    @classmethod
    def read(cls, raw: Any) -> Self | None:
        """None for what is no object, or lacks a field that has no default."""
        if not isinstance(raw, dict):
            return None
        raw, values = cls._prepared(raw), {}
        for name, keys, default, read in cls._fields:
            sent = next((raw[key] for key in keys if key in raw), _NOT)
            value = _NOT if sent is _NOT else read(sent)
            values[name] = default if value is _NOT else value
            if values[name] is _NOT:
                return None
        found = cls.__new__(cls)
        found.__dict__.update(values)
        return found

    @classmethod
    def _prepared(cls, raw: dict[str, Any]) -> dict[str, Any]:
        """The wire's object as the fields expect it, for classes that know other forms."""
        return raw

    def but(self, **changes: Any) -> Self:
        return type(self)(**(self.__dict__ | changes))

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"{type(self).__name__} is frozen")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash((type(self), *self.__dict__.values()))

    def __repr__(self) -> str:
        told = ", ".join(f"{name}={value!r}" for name, value in self.__dict__.items())
        return f"{type(self).__name__}({told})"


def _names(name: str, kind: Any) -> tuple[str, ...]:
    given = tuple(each for each in getattr(kind, "__metadata__", ()) if isinstance(each, str))
    first, *rest = name.split("_")
    return (*(given or (first + "".join(map(str.capitalize, rest)),)), name)


def _reader(kind: Any) -> _Reader:
    origin, parts = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return next(filter(callable, parts[1:]), None) or _reader(parts[0])
    if origin in (Union, UnionType):
        return _either([_reader(part) for part in parts])
    if origin is Literal:
        return lambda value: value if isinstance(value, str) and value in parts else _NOT
    if origin is tuple:
        return _items(_reader(parts[0]))
    if origin is dict:
        return _table(_reader(parts[1]))
    if kind is Any:
        return lambda value: value
    if issubclass(kind, Lenient):
        return lambda value: kind.read(value) or _NOT
    return _number if kind is float else lambda value: value if value.__class__ is kind else _NOT


def _either(readers: list[_Reader]) -> _Reader:
    return lambda value: next((read for each in readers if (read := each(value)) is not _NOT), _NOT)


def _items(reader: _Reader) -> _Reader:
    """That is what the standard asks of bad items: the others count."""

    def read(value: Any) -> Any:
        if not isinstance(value, list):
            return _NOT
        return tuple(good for item in value if (good := reader(item)) is not _NOT)

    return read


def _table(reader: _Reader) -> _Reader:
    def read(value: Any) -> Any:
        if not isinstance(value, dict):
            return _NOT
        table = {key: reader(item) for key, item in value.items()}
        return _NOT if any(item is _NOT for item in table.values()) else table

    return read


def _number(value: Any) -> Any:
    """A finite one; some agents write theirs as texts."""
    try:
        number = float(value) if isinstance(value, int | float | str) else math.nan
    except (ValueError, OverflowError):
        return _NOT
    return number if math.isfinite(number) else _NOT


def _count(value: Any) -> Any:
    """No more than fits everywhere these numbers go: msgpack has 64 bits."""
    number = value if isinstance(value, int) else _number(value)
    whole = number is not _NOT and number == int(number) and 0 <= number < 2**63
    return int(number) if whole else _NOT


def _key(value: Any) -> Any:
    """Not an empty one; some agents' are numbers."""
    return str(value) if isinstance(value, str | int | float) and value != "" else _NOT


Count = Annotated[int, _count]
Key = Annotated[str, _key]


def named(value: dict[str, Any], *others: str) -> dict[str, Any]:
    """The wire's object with a `name`, taken from another of its fields where there is none."""
    if isinstance(value.get("name"), str):
        return value
    name = next((value[key] for key in others if isinstance(value.get(key), str)), None)
    return value if name is None else {**value, "name": name}


def lifted(value: dict[str, Any], outer: str, **names: str) -> dict[str, Any]:
    """The wire's object with fields of its inner object `outer` under names of their own."""
    inner = value.get(outer)
    if not isinstance(inner, dict):
        return value
    return {**value, **{name: inner[key] for name, key in names.items() if key in inner}}
