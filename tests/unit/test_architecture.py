"""ARCHITECTURE.md names every room."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "ARCHITECTURE.md").read_text()
TREE = PAGE.split("```")[1]
ENTRY = re.compile(r"^( *)([\w.]+/?)", re.MULTILINE)


def named() -> list[Path]:
    """The entries of the tree, each below the one that is indented less."""
    paths: list[Path] = []
    above: list[tuple[int, Path]] = [(-1, ROOT)]
    for indent, name in ENTRY.findall(TREE):
        while above[-1][0] >= len(indent):
            above.pop()
        paths.append(above[-1][1] / name)
        above.append((len(indent), paths[-1]))
    return paths


def rooms() -> set[Path]:
    """Every folder with code in it."""
    places = ("acp_nvim", "lua", "plugin", "ftplugin", "syntax", "rplugin", "types", "tests")
    return {
        path.parent
        for place in places
        for path in (ROOT / place).rglob("*")
        if path.suffix in (".py", ".lua", ".sh")
    }


def test_what_the_tree_names_exists():
    assert [path for path in named() if not path.exists()] == []


def test_every_room_is_in_the_tree():
    assert rooms() - set(named()) == set()


def test_every_module_beside_the_layers_is_in_the_tree():
    beside = {path for path in (ROOT / "acp_nvim").glob("*.py") if path.stem != "__init__"}
    assert beside - set(named()) == set()
