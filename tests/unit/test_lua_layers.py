"""The rooms of the Lua half: who may require whom, no cycle, and where a require may be late."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
LUA = ROOT / "lua" / "acp_nvim"
# A room sees those before it and itself; rooms in one line do not see each other. A module in no folder is a room.
ORDER = """
shared_constants
limits
system
ui
config
backend
project
documents
review
follow
editor_tools
terminal
form
chat
prompt
windows
question
proposal
comments
first_file
api
sessions
agents
wiring health install
init
commands
backend_calls sources
"""
RANK = {room: rank for rank, line in enumerate(ORDER.split("\n")[1:-1]) for room in line.split()}
# A module in no folder that is no room of its own.
ROOM = {"complete": "sources"}
# These run when Neovim starts, where loading a module is felt: there, and nowhere else, a function may hold a require.
# All modules at the first :Acp take 2.5 ms longer than those that it needs: elsewhere it does not pay.
STARTS = ("init", "first_file", "config.global_keys", "config.schema", "config.settings")
REQUIRE = re.compile(r"""(?:require|loaded)\W{1,3}acp_nvim\.?([\w.]*)["']""")


class Edge(NamedTuple):
    """One module names another."""

    to: str
    is_late: bool


def name_of(path: Path) -> str:
    parts = path.relative_to(LUA).with_suffix("").parts
    return ".".join(parts).removesuffix(".init")


def room_of(name: str) -> str:
    first = name.split(".")[0] or "init"
    return ROOM.get(first, first)


def edges(text: str, name: str) -> Iterator[Edge]:
    for line in text.splitlines():
        code = "" if line.lstrip().startswith("--") else line
        for to in REQUIRE.findall(code):
            if (to or "init") != name:
                yield Edge(to or "init", line.startswith((" ", "\t")))


SOURCES = {name_of(path): path.read_text() for path in sorted(LUA.rglob("*.lua"))}
GRAPH = {name: list(edges(text, name)) for name, text in SOURCES.items()}


def cycles(graph: dict[str, set[str]]) -> list[set[str]]:
    """The strongly connected components of more than one module, by Tarjan's algorithm."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[set[str]] = []

    def visit(name: str) -> None:
        index[name] = low[name] = len(index)
        stack.append(name)
        for other in sorted(graph[name]):
            if other not in index:
                visit(other)
                low[name] = min(low[name], low[other])
            elif other in stack:
                low[name] = min(low[name], index[other])
        if low[name] == index[name]:
            part = set(stack[stack.index(name) :])
            del stack[stack.index(name) :]
            if len(part) > 1:
                found.append(part)

    for name in graph:
        if name not in index:
            visit(name)
    return found


def test_every_module_stands_in_a_room():
    assert {room_of(name) for name in SOURCES} - set(RANK) == set()


def test_what_is_required_is_there():
    assert [(name, edge.to) for name, out in GRAPH.items() for edge in out if edge.to not in SOURCES] == []


@pytest.mark.parametrize("name", SOURCES)
def test_a_module_requires_only_what_its_room_sees(name: str):
    here = room_of(name)
    seen = {room for room, rank in RANK.items() if rank < RANK[here]} | {here}
    assert [edge.to for edge in GRAPH[name] if room_of(edge.to) not in seen] == []


def test_no_modules_require_each_other_in_a_circle():
    assert cycles({name: {edge.to for edge in out} for name, out in GRAPH.items()}) == []


@pytest.mark.parametrize("name", [name for name in SOURCES if name not in STARTS])
def test_requires_stand_at_the_top_of_the_file(name: str):
    assert [edge.to for edge in GRAPH[name] if edge.is_late] == []


def test_a_cycle_is_found():
    assert cycles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}) == [{"b", "c"}]


def test_a_late_require_is_found():
    text = 'local a = require("acp_nvim.a")\nfunction M.f()\n  require("acp_nvim.b").g()\nend\n'
    assert list(edges(text, "here")) == [Edge("a", False), Edge("b", True)]
