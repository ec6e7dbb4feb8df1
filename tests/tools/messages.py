"""The Lua types of the messages between the halves, made from the classes of acp_nvim/messages; and
`shared_constants.py`.

python tests/tools/messages.py            writes types/messages.lua and shared_constants.lua
python tests/tools/messages.py --check    fails if these are not what would be written
"""

from __future__ import annotations

import inspect
import re
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints

from acp_nvim.messages import events
from acp_nvim.messages.base_classes import (
    Call,
    Command,
    OfQuestion,
    OfSession,
    OnWire,
    Part,
    Question,
    WindowCall,
)
from tests import message_check as check
from tests.tools import shared_constants

FILE = Path(__file__).resolve().parents[2] / "types/messages.lua"
HEAD = """\
-- The messages between the halves, as types. Made by tests/tools/messages.py from acp_nvim/messages: edit those.
---@meta
"""
PREFIX = "acp.message."
ROOTS = (Part, Command)  # they have no fields
PLAIN = {int: "integer", float: "number", str: "string", bool: "boolean", Any: "any", types.NoneType: "nil"}
FIELD = re.compile(r"^    (\w+): [^#]*?(?:#\s+(.*))?$", re.MULTILINE)


def lua_type(hint: Any) -> str:
    """Return the type as Lua's annotations spell it: `list[int] | None` is `integer[]|nil`."""
    if hint in PLAIN:
        return PLAIN[hint]
    origin, inner = get_origin(hint), get_args(hint)
    if origin is Annotated:
        exact = [each.type for each in inner[1:] if isinstance(each, OnWire)]
        return lua_type((exact or inner)[0])
    if origin is NotRequired:
        return lua_type(inner[0])
    if origin is Literal:
        return "|".join(f'"{each}"' for each in inner)
    if origin in (Union, types.UnionType):
        return "|".join(dict.fromkeys(map(lua_type, inner)))
    if origin is list:
        item = lua_type(inner[0])
        return f"({item})[]" if "|" in item else f"{item}[]"
    if origin is dict:
        return f"table<{lua_type(inner[0])}, {lua_type(inner[1])}>"
    if origin is tuple:
        return f"[{', '.join(map(lua_type, inner))}]"
    return PREFIX + str(hint.__name__)


def fields(kind: type) -> Iterator[tuple[str, str, bool, str]]:
    """Yield name, type, whether it may be missing, and comment of each field of its own."""
    comments = dict(FIELD.findall(inspect.getsource(kind)))
    model = getattr(kind, "model_fields", None)
    hints = get_type_hints(kind, include_extras=True)
    for name in kind.__annotations__:
        hint = hints[name]
        if model is not None:
            may_miss = not model[name].is_required()
        else:
            may_miss = get_origin(hint) is NotRequired or name in getattr(kind, "__optional_keys__", ())
        spelled = lua_type(hint)
        if spelled.endswith("|nil"):
            spelled, may_miss = spelled.removesuffix("|nil"), True
        yield name, spelled, may_miss, comments.get(name, "")


def lua_class(kind: type) -> str:
    doc = (kind.__dict__.get("__doc__") or "").strip()
    lines = [
        f"--- {line.strip()}" for line in doc.splitlines() if line.strip() and not doc.startswith("dict(")
    ]
    above = [base for base in kind.__bases__ if base.__module__.startswith("acp_nvim.") and base not in ROOTS]
    lines.append(
        f"---@class {PREFIX}{kind.__name__}{''.join(f': {PREFIX}{base.__name__}' for base in above)}"
    )
    for name, spelled, may_miss, comment in fields(kind):
        lines.append(f"---@field {name}{'?' * may_miss} {spelled}{f'  {comment}' * bool(comment)}")
    return "\n".join(lines) + "\n"


def lua_function(call: type[Call]) -> str:
    """`---@field recall fun(session: integer, text: string)`"""
    hints = get_type_hints(call, include_extras=True)
    arguments = []
    for name in call.arguments:
        spelled = lua_type(hints[name])
        may_miss = spelled.endswith("|nil")
        arguments.append(f"{name}{'?' * may_miss}: {spelled.removesuffix('|nil')}")
    answer = f": {lua_type(check.answer_of(call))}" if issubclass(call, Question) else ""
    said = (call.__doc__ or "").strip().split("\n")[0]
    comment = f"  {said}" if said and not said.startswith(f"{call.__name__}(") else ""
    return f"---@field {call.function} fun({', '.join(arguments)}){answer}{comment}"


def text() -> str:
    kinds = [each for each in check.classes() if not issubclass(each, Call)]
    sent = [OfSession, OfQuestion, *(each for each in kinds if issubclass(each, Part))]
    data = [each for each in kinds if each.__module__ == events.__name__]
    parts = [each for each in kinds if not issubclass(each, Part) and each not in data]
    functions = sorted(check.by_name().values(), key=lambda call: call.function)
    questions = [call for call in functions if issubclass(call, Question)]
    windows = [call for call in functions if issubclass(call, WindowCall)]
    others = (*questions, *windows)
    plain = [call for call in functions if call not in others or call is events.Event]  # it may be either
    blocks = [HEAD, "-- From Lua to Python: the payload of each command.\n", *map(lua_class, sent)]
    blocks += [
        "-- From Python to Lua: what functions of backend_calls.lua are given.\n",
        *map(lua_class, parts),
    ]
    blocks += ["-- The data of User autocommands.\n", *map(lua_class, data)]
    for name, doc, listed in (
        ("Calls", "What a frame may hold.", plain),
        ("WindowCalls", "What it may hold, too, and that opens a window.", windows),
        ("Questions", "What is answered.", questions),
    ):
        lines = [f"--- {doc}", f"---@class {PREFIX}{name}", *map(lua_function, listed)]
        blocks.append("\n".join(lines) + "\n")
    return "\n".join(blocks)


def main() -> int:
    stale = [(file, made) for file, made in made_files() if not file.exists() or file.read_text() != made]
    for file, made in stale:
        if "--check" in sys.argv:
            print(f"{file.name} is not what the backend says: python tests/tools/messages.py makes it anew")
        else:
            file.write_text(made)
    return 1 if stale and "--check" in sys.argv else 0


def made_files() -> list[tuple[Path, str]]:
    return [(FILE, text()), (shared_constants.FILE, shared_constants.text())]


if __name__ == "__main__":
    sys.exit(main())
