"""The sizes and names that keep the house easy to walk through."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PLACES = ("acp_nvim", "lua", "plugin", "ftplugin", "syntax", "rplugin", "tests")
FILES = [path for place in PLACES for path in (ROOT / place).rglob("*") if path.suffix in (".py", ".lua")]
SAYS_NOTHING = {"utils", "util", "manager", "core", "helpers", "base", "common", "misc"}


WIDEST = 120
UNWRAPPED = {"tests/bench/bars.py"}  # a table, a row a line


def lines(path: Path) -> int:
    return len(path.read_text().splitlines())


@pytest.mark.parametrize(
    ("place", "most"), [("plugin/acp_nvim.lua", 59), ("rplugin/python3/acp_nvim_rplugin.py", 30)]
)
def test_what_runs_before_the_plugin_is_wanted_is_small(place: str, most: int):
    assert lines(ROOT / place) <= most


def test_files_are_named_after_what_they_are_for():
    assert [path for path in FILES if path.stem in SAYS_NOTHING] == []


def test_no_line_is_wider_than_the_formatters_allow():
    """They leave comments, texts and annotations as they are."""
    wide = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in (*FILES, ROOT / "build.lua", ROOT / "lazy.lua")
        if str(path.relative_to(ROOT)) not in UNWRAPPED
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if len(line) > WIDEST
    ]
    assert wide == []
