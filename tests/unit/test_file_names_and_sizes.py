"""The sizes and names that keep the house easy to walk through."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PLACES = ("acp_nvim", "lua", "plugin", "ftplugin", "syntax", "rplugin", "tests")
FILES = [path for place in PLACES for path in (ROOT / place).rglob("*") if path.suffix in (".py", ".lua")]
SAYS_NOTHING = {"utils", "util", "manager", "core", "helpers", "base", "common", "misc"}


def lines(path: Path) -> int:
    return len(path.read_text().splitlines())


@pytest.mark.parametrize(
    ("place", "most"), [("plugin/acp_nvim.lua", 59), ("rplugin/python3/acp_nvim_rplugin.py", 30)]
)
def test_what_runs_before_the_plugin_is_wanted_is_small(place: str, most: int):
    assert lines(ROOT / place) <= most


def test_files_are_named_after_what_they_are_for():
    assert [path for path in FILES if path.stem in SAYS_NOTHING] == []
