"""From a line to JSON: by a quick parser, which takes some milliseconds to load, or until then by a plain one.

Both read the same: what they could see differently, and what the plain one refuses, is the quick one's.
"""

import json
import re
import sys
from collections.abc import Callable
from functools import cache
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import Any

_WORTH_IT = 200  # messages: an agent that sends as many may send thousands
_PACKAGE, _CORE = "pydantic_core", "pydantic_core._pydantic_core"
_SHORT = 16 * 1024
_DEEPEST = 100  # what walks the result later relies on a bound, which the plain parser does not have
_plain = json.JSONDecoder().decode
_SURROGATE = re.compile("[\ud800-\udfff]")


class Parser:
    def __init__(self, worth_it: int = _WORTH_IT) -> None:
        self._left = worth_it

    def read(self, line: bytes) -> Any:
        """None for what is hopeless."""
        if self._left > 0 and _is_simple(line):
            self._left -= 1
            try:
                return _plain(line.decode())
            except ValueError:
                pass  # the patient reading below takes whatever it is
        try:
            return _quick()(line, cache_strings="keys")
        except ValueError:
            return _repaired(line)


@cache
def _quick() -> Callable[..., Any]:
    found: Callable[..., Any] = (sys.modules.get(_CORE) or _core()).from_json
    return found


def _core() -> ModuleType:
    """The compiled part of pydantic-core alone: what the package puts around it takes ten times as long to import."""
    package = find_spec(_PACKAGE)
    spec = PathFinder.find_spec(_CORE, package.submodule_search_locations) if package else None
    if spec is None or spec.loader is None:
        import pydantic_core

        return pydantic_core
    core = sys.modules[_CORE] = module_from_spec(spec)  # under its name: pydantic, imported later, shares it
    spec.loader.exec_module(core)
    return core


def _is_simple(line: bytes) -> bool:
    """It is not deep, and has no halves of surrogate pairs, which the plain parser would let pass."""
    return (
        len(line) < _SHORT
        and b"\\ud" not in line
        and b"\\uD" not in line
        and line.count(b"{") + line.count(b"[") < _DEEPEST
    )


def _repaired(line: bytes) -> Any:
    """Without invalid UTF-8, raw control characters in texts, and half surrogate pairs; None if hopeless.

    The quick parser judges what comes out, since it bounds the depth, for all who walk the result later.
    """
    try:
        value = json.loads(line.decode("utf-8-sig", errors="replace"), strict=False)
        return _quick()(whole(json.dumps(value, ensure_ascii=False)))
    except (ValueError, RecursionError):
        return None


def whole(text: str) -> str:
    """Without halves of surrogate pairs, which are no Unicode."""
    return _SURROGATE.sub("\ufffd", text)
