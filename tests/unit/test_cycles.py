"""No Python modules import each other in a circle: each can be read, and tested, before those that use it."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.tools.imports import find_imports

ROOT = Path(__file__).parents[2]
Graph = dict[str, set[str]]
IN_CIRCLES_OF_TYPES = 8


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path: Path, modules: set[str], with_types: bool) -> set[str]:
    """Return the modules that a module imports anywhere, in its functions, too; for its types only if asked.

    `from acp_nvim.view import chat` imports acp_nvim.view.chat if there is such a module, else acp_nvim.view.
    """
    package = module_name(path).split(".")
    package = package if path.stem == "__init__" else package[:-1]
    found: set[str] = set()
    for node, is_for_types in find_imports(path):
        if is_for_types and not with_types:
            continue
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        else:
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            names = {f"{base}.{alias.name}" for alias in node.names}
            found |= names & modules or {base}
            found |= {base} if names - modules else set()
    return found & modules - {module_name(path)}


def cycles(graph: Graph) -> list[list[str]]:
    """Return the strongly connected components of more than one module.

    a -> b, b -> c, c -> b, d -> a      [[b, c]]
    """

    def reached(start: str) -> Iterator[str]:
        waiting, seen = [start], set[str]()
        while waiting:
            for name in graph[waiting.pop()] - seen:
                seen.add(name)
                waiting.append(name)
                yield name

    behind = {name: set(reached(name)) for name in graph}
    components = {
        tuple(sorted(other for other in behind[name] if name in behind[other]))
        for name in graph
        if name in behind[name]
    }
    return sorted(map(list, components))


def test_a_cycle_is_found():
    graph: Graph = {"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}
    assert cycles(graph) == [["b", "c"]]


def graph_of(with_types: bool) -> Graph:
    paths = {module_name(path): path for path in (ROOT / "acp_nvim").rglob("*.py")}
    graph = {name: imports(path, set(paths), with_types) for name, path in paths.items()}
    assert sum(map(len, graph.values())) > len(graph), "the imports are found"
    return graph


def test_no_modules_import_each_other():
    assert cycles(graph_of(with_types=False)) == []


def test_no_more_modules_than_today_name_types_of_each_other():
    """An import under TYPE_CHECKING hides a circle of objects. The number may only go down, to 0."""
    found = cycles(graph_of(with_types=True))
    assert sum(map(len, found)) <= IN_CIRCLES_OF_TYPES, found
