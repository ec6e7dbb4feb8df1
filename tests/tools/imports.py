"""The import statements of a Python file, read once for all tests that judge who imports whom."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


class Found(NamedTuple):
    node: ast.Import | ast.ImportFrom
    is_for_types: bool  # it stands under `if TYPE_CHECKING:`


@cache
def find_imports(path: Path) -> tuple[Found, ...]:
    """Return all of a file, also those within functions. Expressions, most of every tree, are not walked."""
    return tuple(_within(ast.parse(path.read_text(encoding="utf-8")).body, False))


def _within(nodes: Sequence[ast.AST], is_for_types: bool) -> Iterator[Found]:
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield Found(node, is_for_types)
        is_if_types = isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")
        for block in BLOCKS:
            yield from _within(getattr(node, block, ()), is_for_types or (is_if_types and block == "body"))
