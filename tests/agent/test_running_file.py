"""The file that tells Neovim which processes it has to end if the backend dies."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import msgpack

from tests.agent.processes import living_members
from tests.fakes.configuration import complete
from tests.fakes.script import ScriptedAgent, on_prompt, say, script, wait_until


def word(verb: str, payload: dict[str, Any]) -> bytes:
    packed: bytes = msgpack.packb([2, "acp_nvim", [verb, payload]])
    return packed


def words(agent: ScriptedAgent, folder: Path) -> bytes:
    spec = {"command": agent.argv[0], "args": agent.argv[1:]}
    setup = {"config": complete({"agents": {"mine": spec}}), "leaders": str(folder / "leaders")}
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
