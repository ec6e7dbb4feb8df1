"""Which tests are the contract: those that use nothing of the product but what a user, an agent or a script meets.

A test is of the contract if it stands in one of FOLDERS, and neither it nor what it uses of its module and of
tests/steps names a part of the product: no Lua module behind `acp_nvim`, no Python object but constants.

    def test_a(editor):                      contract
        editor.type(":Acp<CR>")

    STATE = "return require('acp_nvim.backend.session_store').count()"

    def test_b(editor):                      not: it reads STATE, and STATE reads a module
        assert editor.lua(STATE) == 1
"""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

TESTS = Path(__file__).parent
FOLDERS = ("agent", "chaos", "client", "functional")
# The sources of completion plugins and the health check are named in the configuration of users.
PRIVATE = re.compile(
    r"""(?:require\(?|package\.loaded\[)\s*\\?["']acp_nvim\.(?!sources\.(?:blink|cmp)\b|health\b)"""
)


def is_contract(path: Path, test: str) -> bool:
    folder = path.relative_to(TESTS).parts[0]
    return folder in FOLDERS and test not in internal_names(path)


@cache
def internal_names(path: Path) -> frozenset[str]:
    """Return the names at the top of a module that use a part of the product, directly or through each other."""
    uses: dict[str, set[str]] = {}
    internal: set[str] = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.ImportFrom):
            internal |= imported(node)
        elif isinstance(node, ast.Import):
            internal |= {alias.asname or "acp_nvim" for alias in node.names if is_product(alias.name)}
        else:
            for name in defined(node):
                uses[name] = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
                uses[name] |= {each.arg for each in ast.walk(node) if isinstance(each, ast.arg)}
                if any(PRIVATE.search(text) for text in strings(node)):
                    internal.add(name)
    while more := {name for name, used in uses.items() if used & internal} - internal:
        internal |= more
    return frozenset(internal)


def imported(node: ast.ImportFrom) -> set[str]:
    """Return the internal ones among the names that an import brings."""
    module = node.module or ""
    if is_product(module):
        return {alias.asname or alias.name for alias in node.names if not alias.name.isupper()}
    if module.startswith("tests.steps."):
        theirs = internal_names(TESTS.parent / (module.replace(".", "/") + ".py"))
        return {alias.asname or alias.name for alias in node.names if alias.name in theirs}
    return set()


def is_product(module: str) -> bool:
    return module.split(".")[0] == "acp_nvim"


def defined(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {node.name}
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", node)]
    return {each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)}


def strings(node: ast.AST) -> list[str]:
    return [
        each.value
        for each in ast.walk(node)
        if isinstance(each, ast.Constant) and isinstance(each.value, str)
    ]
