"""All bounds stand on one page for each half, `acp_nvim/limits.py` and `lua/acp_nvim/limits.lua`, and each is used."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from acp_nvim import limits

ROOT = Path(__file__).parents[2]
PYTHON = [
    path
    for path in sorted((ROOT / "acp_nvim").rglob("*.py"))
    if path != ROOT / "acp_nvim/limits.py"
    and "demo" not in path.parts
    and path
    != ROOT / "acp_nvim/editor_tools/server.py"  # agents start it by itself: it imports nothing of ours
]
LUA = [
    path
    for path in sorted((ROOT / "lua").rglob("*.lua"))
    if path.name not in ("limits.lua", "shared_constants.lua")
]
LARGE = 200  # smaller numbers are a matter of layout: widths, rows, options
TIME = ("_MS", "_NS")
SLICE = re.compile(r":\s*([\d_][\d_\s*<()]*)[]:,]")  # `[:4096]`; to walk the trees for them takes a second


def test_large_numbers_of_the_backend_are_limits() -> None:
    assert list(python_bounds(PYTHON)) == []


def test_large_numbers_of_the_editors_side_are_limits() -> None:
    assert list(lua_bounds(LUA)) == []


def test_bounds_elsewhere_are_found(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text(
        "_MOST = 1 << 20\n_SHORT = 9\n_WAIT_MS = 500\ndef f(text): return text[:4096]\n"
    )
    (tmp_path / "one.lua").write_text(
        "local MOST = 64 * 1024 -- bytes\nlocal ROWS = 3\nlocal WAIT_MS = 500\n"
    )
    assert [found.split(": ")[1] for found in python_bounds([tmp_path / "one.py"])] == ["_MOST", "[:4096]"]
    assert [found.split(": ")[1] for found in lua_bounds([tmp_path / "one.lua"])] == ["MOST"]


def test_every_limit_is_used() -> None:
    assert (
        unused([name for name in vars(limits) if name.isupper() and name not in ("KIB", "MIB")], PYTHON) == []
    )
    page = (ROOT / "lua/acp_nvim/limits.lua").read_text()
    assert unused(re.findall(r"^  ([A-Z_]+) = ", page, re.MULTILINE), LUA) == []


def unused(names: list[str], files: list[Path]) -> list[str]:
    assert len(names) > 40
    used = set(re.findall(r"\blimits\.([A-Z_]+)", "\n".join(path.read_text() for path in files)))
    return [name for name in names if name not in used]


def python_bounds(paths: list[Path]) -> Iterator[str]:
    for path in paths:
        source = path.read_text()
        for node in ast.parse(source).body:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                name = node.targets[0].id
                if number(ast.unparse(node.value)) >= LARGE and not name.endswith(TIME):
                    yield f"{path.name}:{node.lineno}: {name}"
        for part in SLICE.finditer(source):
            if number(part[1]) >= LARGE:
                yield f"{path.name}:{source.count(chr(10), 0, part.start()) + 1}: [:{part[1]}]"


def lua_bounds(paths: list[Path]) -> Iterator[str]:
    for path in paths:
        for name, value in re.findall(r"^local ([A-Z][A-Z_]*) = ([^\n-]+)", path.read_text(), re.MULTILINE):
            if number(value.strip().replace("^", "**")) >= LARGE and not name.endswith(TIME):
                yield f"{path.name}: {name}"


def number(source: str) -> int:
    """Return the value of a whole number, or of numbers that are multiplied, shifted or raised; else 0."""
    try:
        tree = ast.parse(source, mode="eval")
    except SyntaxError:
        return 0
    if not all(
        isinstance(node, ast.Expression | ast.BinOp | ast.operator | ast.Constant) for node in ast.walk(tree)
    ):
        return 0
    value = eval(compile(tree, "a bound", "eval"), {"__builtins__": {}})
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
