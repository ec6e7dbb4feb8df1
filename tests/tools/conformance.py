"""Which tests hold what the protocol asks for: doc/CONFORMANCE.md, made from the marks of the tests.

    python tests/tools/conformance.py            writes the page
    python tests/tools/conformance.py --check    says what differs, and which statements nothing holds
    python tests/tools/conformance.py 71 72      names the very tests

The statements stand in conformance_statements.txt beside this; a test says `@pytest.mark.statement(71, 72)`.
"""

from __future__ import annotations

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "doc" / "CONFORMANCE.md"
STATEMENTS = Path(__file__).with_name("conformance_statements.txt")
HEAD = """# Conformance

What a client of the Agent Client Protocol has to do, statement by statement, and the tests that hold it. Tests
under `functional` run in a real Neovim, those under `client` and `agent` with real processes, those under `real`
with agents from the field, the others in memory. Made by `tests/tools/conformance.py`, which also names the
very tests of a statement.
"""


def statements() -> dict[str, dict[int, str]]:
    """By part and number."""
    parts: dict[str, dict[int, str]] = {}
    for line in STATEMENTS.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            parts[line[2:]] = {}
        else:
            number, text = line.split(" ", 1)
            parts[list(parts)[-1]][int(number)] = text
    return parts


def marks(root: Path = ROOT) -> dict[int, list[str]]:
    """The tests of each statement, as pytest calls them."""
    found: defaultdict[int, list[str]] = defaultdict(list)
    for path in sorted(root.glob("tests/**/test_*.py")):
        name = path.relative_to(root).as_posix()
        text = path.read_text(encoding="utf-8")
        if "mark.statement" not in text:
            continue
        tree = ast.parse(text)
        whole = [number for node in tree.body if _is_pytestmark(node) for number in _numbers(node)]
        for test in _tests(tree):
            own = [number for mark in test.decorator_list for number in _numbers(mark)]
            for number in dict.fromkeys([*whole, *own]):
                found[number].append(f"{name}::{test.name}")
    return found


def _tests(place: ast.Module | ast.ClassDef) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in place.body:
        if isinstance(node, ast.ClassDef):
            yield from _tests(node)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            yield node


def _is_pytestmark(node: ast.stmt) -> bool:
    return isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "pytestmark"


def _numbers(tree: ast.AST) -> Iterator[int]:
    """The arguments of all `pytest.mark.statement(…)` in it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.statement":
            yield from map(ast.literal_eval, node.args)


def page(parts: dict[str, dict[int, str]], found: dict[int, list[str]]) -> str:
    lines = [HEAD]
    for part, texts in parts.items():
        lines += [f"## {part}", "", "| | statement | tests | state |", "|---|---|---|---|"]
        for number, text in texts.items():
            files = dict.fromkeys(test.partition("::")[0] for test in found.get(number, ()))
            tests = "<br>".join(f"[{_short(file)}](../{file})" for file in files)
            lines.append(f"| {number} | {_cell(text)} | {tests} | {'held' if files else 'no test'} |")
        lines.append("")
    return "\n".join(lines)


def _short(file: str) -> str:
    return file.removeprefix("tests/").replace("test_", "").removesuffix(".py")


def _cell(text: str) -> str:
    return re.sub(r"([|\\])", r"\\\1", text)


def problems(parts: dict[str, dict[int, str]], found: dict[int, list[str]], written: str) -> Iterator[str]:
    known = {number: text for texts in parts.values() for number, text in texts.items()}
    for number in sorted(found.keys() - known.keys()):
        yield f"there is no statement {number}: {', '.join(found[number])}"
    yield from (
        f"no test holds statement {number}: {known[number]}" for number in known if number not in found
    )
    if written != page(parts, found):
        yield "doc/CONFORMANCE.md is not what the tests say: tests/tools/conformance.py writes it anew"


def main(arguments: list[str]) -> int:
    parts, found = statements(), marks()
    if arguments == ["--check"]:
        wrong = list(problems(parts, found, PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""))
        print("\n".join(wrong), end="\n" if wrong else "")
        return 1 if wrong else 0
    if arguments:
        print("\n".join(test for number in arguments for test in found.get(int(number), ())))
    else:
        PAGE.write_text(page(parts, found), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
