"""A symlink that comes between the look and the deed: nothing is read or written where it leads."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from acp_nvim.files import disk
from acp_nvim.protocol.errors import INTERNAL_ERROR
from tests.unit.files.conftest import Agent


@pytest.fixture
def agent(tmp_path: Path) -> Agent:
    for folder in ("root/in", "out/in"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "f").write_text(f"{folder}\n")
    agent = Agent(tmp_path / "root")
    agent.files.configure("deny", autocmds=True)
    return agent


def turn_file(agent: Agent) -> None:
    (agent.root / "in/f").unlink()
    (agent.root / "in/f").symlink_to(agent.root.parent / "out/in/f")


def turn_folder(agent: Agent) -> None:
    (agent.root / "in").rename(agent.root / "was")
    (agent.root / "in").symlink_to(agent.root.parent / "out/in")


def turn_root(agent: Agent) -> None:
    agent.root.rename(agent.root.parent / "was")
    agent.root.symlink_to(agent.root.parent / "out")


TURNS = [turn_file, turn_folder, turn_root]


@pytest.mark.parametrize("turn", TURNS)
async def test_a_write_does_not_follow_what_has_just_been_turned(
    agent: Agent, turn: Callable[[Agent], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    write = disk.write

    def turned(path: str, data: bytes) -> None:
        turn(agent)
        write(path, data)

    monkeypatch.setattr(disk, "write", turned)
    assert await agent.code(agent.write(agent.root / "in/f", "new\n")) == INTERNAL_ERROR
    out = agent.root.parent / "out"
    assert sorted(path.name for path in out.rglob("*")) == ["f", "in"]
    assert (out / "in/f").read_text() == "out/in\n"


@pytest.mark.parametrize("turn", [turn_folder, turn_root])
async def test_no_folder_is_made_behind_what_has_just_been_turned(
    agent: Agent, turn: Callable[[Agent], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    write = disk.write

    def turned(path: str, data: bytes) -> None:
        turn(agent)
        write(path, data)

    monkeypatch.setattr(disk, "write", turned)
    assert await agent.code(agent.write(agent.root / "in/new/f", "new\n")) == INTERNAL_ERROR
    assert sorted(path.name for path in (agent.root.parent / "out").rglob("*")) == ["f", "in"]


@pytest.mark.parametrize("turn", TURNS)
async def test_a_read_does_not_follow_what_has_just_been_turned(
    agent: Agent, turn: Callable[[Agent], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    read = disk.read

    def turned(path: str) -> bytes:
        turn(agent)
        return read(path)

    monkeypatch.setattr(disk, "read", turned)
    assert await agent.code(agent.read(agent.root / "in/f")) == INTERNAL_ERROR


@pytest.mark.parametrize("turn", [turn_folder, turn_root])
def test_nothing_is_removed_behind_what_has_just_been_turned(
    agent: Agent, turn: Callable[[Agent], None]
) -> None:
    turn(agent)
    with pytest.raises(OSError, match="a symlink has come into its path"):
        disk.remove(str(agent.root / "in/f"))
    assert (agent.root.parent / "out/in/f").exists()


def test_names_as_long_as_a_file_system_takes_are_written(tmp_path: Path) -> None:
    for name in ("x" * 255, "漢" * 85):
        disk.write(str(tmp_path / name), b"text")
        assert (tmp_path / name).read_bytes() == b"text"


def test_a_folder_that_may_be_entered_but_not_read_is_no_hindrance(tmp_path: Path) -> None:
    (tmp_path / "dim").mkdir()
    (tmp_path / "dim/f").write_text("seen")
    (tmp_path / "dim").chmod(0o300)
    try:
        assert disk.read(str(tmp_path / "dim/f")) == b"seen"
    finally:
        (tmp_path / "dim").chmod(0o700)
