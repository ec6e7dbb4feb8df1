"""The files of facts under agent/presets: complete, of one shape, and all in the help."""

import json
import re
from datetime import date
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / "acp_nvim" / "agent" / "presets").glob("*"))
TEXTS = ("title", "command", "install", "login", "url", "read")
LISTS = ("args", "needs", "quirks")
OPTIONAL = {"env": dict, "registry": str, "dialect": str, "writes_through": bool, "node": int, "mcp": str}
PROMISED = """claude codex gemini opencode copilot qwen kimi goose vibe auggie cline fast-agent openhands agentao
iac-code simse"""


def read(path: Path) -> dict[str, Any]:
    found = json.loads(path.read_text())
    assert isinstance(found, dict)
    return found


PRESETS = {path.stem: read(path) for path in FILES}


def test_the_promised_agents_are_there() -> None:
    assert set(PROMISED.split()) - set(PRESETS) == set()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_preset_has_its_shape(path: Path) -> None:
    preset = read(path)
    assert re.fullmatch(r"[a-z][a-z0-9-]*\.json", path.name)
    assert set(preset) - {*TEXTS, *LISTS, *OPTIONAL} == set()
    for key in TEXTS:
        assert isinstance(preset[key], str), key
        assert preset[key].strip() == preset[key] != "", key
    for key in LISTS:
        assert isinstance(preset[key], list), key
        assert all(isinstance(item, str) for item in preset[key]), key
    for key, kind in OPTIONAL.items():
        assert isinstance(preset.get(key, kind()), kind), key
    assert " " not in preset["command"]
    assert preset["url"].startswith("https://")
    assert date.fromisoformat(preset["read"]) <= date.today()
    assert re.match(r"(npm|uv|brew|curl|see) ", preset["install"])
    assert "node" not in preset or preset["install"].startswith("npm ")
    env = preset.get("env", {})
    assert all(re.fullmatch(r"[A-Z][A-Z0-9_]*", name) for name in [*preset["needs"], *env])
    assert all(isinstance(value, str) for value in env.values())
    assert set(env) & set(preset["needs"]) == set()


@pytest.mark.parametrize("key", ["title", "command", "registry"])
def test_no_two_presets_are_the_same(key: str) -> None:
    values = [preset[key] for preset in PRESETS.values() if key in preset]
    assert len(values) == len(set(values))


def test_the_readme_counts_the_presets() -> None:
    assert re.findall(r"lists (\d+) agents by name", (ROOT / "README.md").read_text()) == [str(len(PRESETS))]


def test_every_preset_is_in_the_help() -> None:
    text = (ROOT / "doc" / "acp_nvim.txt").read_text()
    table = text[text.index("*acp_nvim-preset-list*") :]
    missing = [
        name
        for name, preset in PRESETS.items()
        if not re.search(rf"^{name} .*{preset['title']}", table, re.M)
    ]
    assert missing == []
