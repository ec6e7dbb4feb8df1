"""Tests share steps through tests/steps; no test module is imported by another."""

import ast
from pathlib import Path

TESTS = Path(__file__).parents[1]


def imported(path: Path) -> set[str]:
    """Return every dotted name that a module may import: the modules, and the names taken from them."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            names.update(f"{node.module or ''}.{alias.name}" for alias in node.names)
    return names


def test_no_test_module_is_imported():
    tests = {path.stem for path in TESTS.rglob("test_*.py")}
    wrong = {
        str(path.relative_to(TESTS)): sorted(name for name in imported(path) if tests & {*name.split(".")})
        for path in TESTS.rglob("*.py")
    }
    assert {path: names for path, names in wrong.items() if names} == {}
