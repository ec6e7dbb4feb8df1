"""The layers of ARCHITECTURE.md: who may import whom, and who may touch Neovim and an event loop."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tools.imports import find_imports

PACKAGE = Path(__file__).parents[2] / "acp_nvim"
MODULES = sorted(PACKAGE.rglob("*.py"))
# A layer sees itself and these; the modules beside the layers are the composition root, which sees all.
SEES = {
    "text": (),
    "processes": (),
    "editor": ("messages",),
    "messages": (),
    "demo": (),
    "protocol": (),
    "agent": ("protocol", "processes"),
    "session": ("protocol.schema", "text"),
    "chat": ("session", "protocol.schema", "text"),
    "permissions": ("agent", "files.disk", "processes", "protocol", "session", "text"),
    "terminals": (
        "agent.incoming_requests",
        "editor.interface",
        "messages",
        "processes",
        "protocol",
        "session",
        "text",
    ),
    "files": (
        "agent.incoming_requests",
        "editor.interface",
        "messages",
        "permissions",
        "protocol",
        "session",
        "text",
    ),
    "proposals": (
        "chat",
        "editor.interface",
        "files",
        "messages",
        "session",
        "text",
    ),
    "editor_tools": (
        "agent",
        "editor.interface",
        "files",
        "messages",
        "permissions",
        "proposals",
        "protocol",
        "session",
        "text",
    ),
    "host": (
        "agent",
        "chat",
        "editor.interface",
        "editor_tools",
        "files",
        "messages",
        "permissions",
        "proposals",
        "protocol",
        "session",
        "terminals",
        "text",
    ),
    "history": ("agent", "chat", "host.turn_end", "permissions", "processes", "protocol", "session", "text"),
    "commands": (
        "agent",
        "chat",
        "editor.interface",
        "history",
        "host",
        "backend_log",
        "messages",
        "permissions",
        "protocol",
        "files.conflict_diff",
        "session",
        "shown_sessions",
        "takes",
        "text",
    ),
    "takes": ("files", "protocol", "session", "text"),
}
BELOW_ALL = ("__version__", "limits")  # constants
SPEAKS_TO_NEOVIM = ("entrance.py", "editor/neovim.py")
EDGE = re.compile(r"^\| `(\w+)` \| (.*?) \|", re.MULTILINE)
# What callbacks need of asyncio's loop, which pynvim owns; tasks, timeouts and locks are anyio's everywhere else.
OF_ASYNCIO = ("get_running_loop", "TimerHandle")
PURE = ("protocol", "session", "chat", "text")


def imported(path: Path) -> Iterator[str]:
    """The absolute names of what a module imports: `acp_nvim.session.plan.Plan` for a from-import."""
    here = ("acp_nvim", *path.relative_to(PACKAGE).parts)
    for node, _ in find_imports(path):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        else:
            base = [*here[: len(here) - node.level]] if node.level else []
            base += [node.module] if node.module else []
            yield from (".".join([*base, alias.name]) for alias in node.names)


def within(name: str, place: str) -> bool:
    return f"{name}.".startswith(f"{place}.")


def test_every_package_is_a_layer():
    assert {path.parent.name for path in PACKAGE.glob("*/__init__.py")} == set(SEES)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_module_imports_only_what_its_layer_sees(path: Path):
    name = str(path.relative_to(PACKAGE))
    layer = path.relative_to(PACKAGE).parts[0]
    names = list(imported(path))
    ours = [one.removeprefix("acp_nvim.") for one in names if one.startswith("acp_nvim.")]
    ours = [one for one in ours if one not in BELOW_ALL]
    if layer in SEES:
        seen = (layer, *SEES[layer])
        assert [one for one in ours if not any(within(one, place) for place in seen)] == []
    if name not in SPEAKS_TO_NEOVIM:
        assert [one for one in names if within(one, "pynvim")] == []
    if layer in PURE:
        assert [one for one in names if within(one, "asyncio") or within(one, "anyio")] == []


@pytest.mark.parametrize(
    "path",
    [path for path in MODULES if "asyncio" in path.read_text()],
    ids=lambda path: str(path.relative_to(PACKAGE)),
)
def test_only_who_speaks_to_neovim_uses_asyncio_for_more_than_callbacks(path: Path):
    if str(path.relative_to(PACKAGE)) in SPEAKS_TO_NEOVIM:
        return
    used = [
        node.attr
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "asyncio"
    ]
    assert set(used) <= set(OF_ASYNCIO)
    assert not any(name.startswith("asyncio.") for name in imported(path))


def test_the_doors_are_those_that_are_enforced():
    page = (PACKAGE.parent / "ARCHITECTURE.md").read_text()
    written = {layer: tuple(re.findall(r"`([\w.]+)`", seen)) for layer, seen in EDGE.findall(page)}
    assert written == SEES


# Keys and methods of the wire that have an agent's name in them: whoever sends them is understood.
ON_THE_WIRE = {"qwen.branchPoint", "qwen/notify/session/prompt-suggestion"}
PRESETS = (PACKAGE / "agent/presets").glob("*.json")
WORDS = {"cursor", "nova", "pi"}  # names that are words of the language or of the protocol, too
AGENTS = "|".join(sorted({path.stem for path in PRESETS} - WORDS))
AGENT = re.compile(rf"(?<![a-z])({AGENTS})(?![a-z])", re.IGNORECASE)


def named_agents(text: str) -> list[str]:
    """What names an agent in the code of a module: names and texts, not comments and docstrings."""
    tree = ast.parse(text)
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    said = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            said.append(node.value)
        said += [getattr(node, name) for name in ("id", "attr", "name", "arg") if hasattr(node, name)]
    return [one for one in said if isinstance(one, str) and AGENT.search(one.replace("_", " "))]


@pytest.mark.parametrize(
    "path",
    [path for path in MODULES if path.relative_to(PACKAGE).parts[:2] != ("protocol", "dialects")],
    ids=lambda path: str(path.relative_to(PACKAGE)),
)
def test_only_dialects_and_presets_know_an_agents_name(path: Path):
    assert set(named_agents(path.read_text())) - ON_THE_WIRE == set()


def test_a_name_in_code_is_found_and_one_in_a_comment_is_not():
    code = '"""claude"""\nclaude_code = is_("qwen-code")  # gemini'
    assert set(named_agents(code)) == {"claude_code", "qwen-code"}
