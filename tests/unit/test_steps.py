"""Tests share steps through tests/steps; no test module is imported by another."""

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
# Parsing all tests takes as long as a tenth of the unit tests.
IMPORT = re.compile(r"^[ \t]*(?:from\s+\S+\s+import\s+(?:\([^)]*\)|[^\n]+)|import\s+[^\n]+)", re.MULTILINE)


def imported(path: Path) -> set[str]:
    """Return every word of the import statements of a module: the parts of modules, and the names taken from them."""
    return {word for statement in IMPORT.findall(path.read_text()) for word in re.findall(r"\w+", statement)}


def test_no_test_module_is_imported():
    tests = {path.stem for path in TESTS.rglob("test_*.py")}
    wrong = {str(path.relative_to(TESTS)): sorted(imported(path) & tests) for path in TESTS.rglob("*.py")}
    assert {path: names for path, names in wrong.items() if names} == {}
