"""The agent is started before the backend has imported itself: the same one, once, and never left behind."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgpack
import pytest

from acp_nvim import early
from acp_nvim.agent import launch
from acp_nvim.agent.launch import Launch
from tests.agent.processes import living_members, state
from tests.fakes.script import ScriptedAgent, on_prompt, say, script, wait_until

SLEEPER = ["sleep", "600"]


@pytest.fixture(autouse=True)
def nothing_waits() -> Iterator[None]:
    yield
    launch.recall()


def sleeper(folder: Path, **env: str) -> Launch:
    return Launch(SLEEPER, str(folder), launch.environment(env))


def test_what_runs_already_is_handed_out_once(tmp_path: Path):
    wanted = sleeper(tmp_path)
    pid = launch.ahead(wanted)
    first = launch.spawn("agent", *wanted)
    second = launch.spawn("agent", *wanted)
    assert first.pid == pid != second.pid
    for process in (first, second):
        with process:
            process.kill()


@pytest.mark.parametrize("other", [{"env": {"KEY": "1"}}, {"cwd": "/"}, {"argv": ["sleep", "601"]}])
def test_another_command_folder_or_environment_is_another_process(tmp_path: Path, other: dict[str, Any]):
    """What was started for nothing does not live on."""
    wanted = sleeper(tmp_path)
    pid = launch.ahead(wanted)
    assert pid
    with launch.spawn("agent", *wanted._replace(**other)) as process:
        assert process.pid != pid
        assert state(pid) is None
        process.kill()


def test_what_cannot_start_is_complained_of_when_it_is_asked_for(tmp_path: Path):
    wanted = sleeper(tmp_path)._replace(argv=["no-such-agent"])
    assert launch.ahead(wanted) is None
    with pytest.raises(launch.StartError, match="command not found"):
        launch.spawn("agent", *wanted)


# --- the whole backend


def word(verb: str, payload: dict[str, Any]) -> bytes:
    packed: bytes = msgpack.packb([2, "acp_nvim", [verb, payload]])
    return packed


def words(agent: ScriptedAgent, folder: Path) -> bytes:
    spec = {"command": agent.argv[0], "args": agent.argv[1:], "env": []}
    setup = {"config": {"agents": {"mine": spec}}, "leaders": str(folder / "leaders")}
    return word("setup", setup) + word("new", {"session": 1, "agent": "mine", "cwd": str(folder)})


def backend() -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, "-I", "-m", "acp_nvim"], stdin=pipe, stdout=pipe, stderr=pipe)


def leader(folder: Path) -> int:
    (written,) = wait_until(lambda: [int(line) for line in (folder / "leaders").read_text().split()])
    return int(written)


def test_what_neovim_would_have_to_kill_is_written_down(tmp_path: Path):
    agent = script(tmp_path, on_prompt("hello", say("Hi")))
    with backend() as process:
        assert process.stdin
        process.stdin.write(words(agent, tmp_path))
        process.stdin.flush()
        wait_until((tmp_path / "leaders").exists)
        group = leader(tmp_path)
        assert living_members(group)
        wait_until(lambda: agent.got("initialize"))  # the words have been heard by all that is to hear them
        assert len(agent.logged("start")) == 1
        process.stdin.close()  # Neovim is gone
        process.wait(10)
        assert living_members(group) == []


def test_a_backend_that_cannot_be_imported_leaves_no_agent(tmp_path: Path):
    agent = script(tmp_path, on_prompt("hello", say("Hi")))
    code = "import runpy, sys; sys.modules['anyio'] = None; runpy.run_module('acp_nvim', run_name='__main__')"
    run = subprocess.run(
        [sys.executable, "-I", "-c", code], input=words(agent, tmp_path), capture_output=True, check=False
    )
    assert b"anyio" in run.stderr
    assert living_members(leader(tmp_path)) == []


@pytest.mark.parametrize("there", [0, -50])
def test_a_word_under_way_is_waited_for(monkeypatch: pytest.MonkeyPatch, there: int):
    """Also the first one: Neovim draws its windows before it says anything."""
    monkeypatch.setattr(early, "_PATIENCE", 30)
    said = word("setup", {"config": {}}) + word("new", {"session": 1, "about": "x" * 100})
    reading, writing = os.pipe()
    monkeypatch.setattr(early, "_FROM_NEOVIM", reading)
    os.write(writing, said[:there])
    rest = subprocess.Popen(
        [sys.executable, "-c", "import os, sys; os.write(1, sys.stdin.buffer.read())"],
        stdin=subprocess.PIPE,
        stdout=writing,
    )
    with rest:
        assert rest.stdin
        rest.stdin.write(said[there:])
        rest.stdin.close()
        assert [arguments[0] for _, arguments in early.listen()] == ["setup", "new"]
    os.close(writing)
    assert early.listen() == []  # nothing more, and it does not wait for any
    os.close(reading)


def test_words_that_do_not_come_are_not_waited_for_long(monkeypatch: pytest.MonkeyPatch):
    reading, writing = os.pipe()
    monkeypatch.setattr(early, "_FROM_NEOVIM", reading)
    assert early.listen() == []
    os.close(writing)
    os.close(reading)
