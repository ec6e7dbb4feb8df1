"""How agents end, by themselves and by us: everybody who waits is told, and nothing of them remains."""

import asyncio
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

from acp_nvim.agent import connection as connection_module
from acp_nvim.agent import process
from acp_nvim.agent.connection import Connection, Gone
from acp_nvim.agent.exit_report import ExitReport
from acp_nvim.agent.spawn import StartError
from tests.agent.conftest import Lab, Witness
from tests.agent.processes import group, living_members, state
from tests.fakes.script import (
    ScriptedAgent,
    close_stdout,
    die,
    eventually,
    grandchild,
    leave,
    mark,
    on,
    on_prompt,
    raw,
    say,
    script,
    silence,
    stderr,
    wait,
)

PROMPT = {"sessionId": "s1", "prompt": [{"type": "text", "text": "hello"}]}
STAYS = {"ignore": ["eof", "term"]}


async def _dies(lab: Lab, witness: Witness, agent: ScriptedAgent) -> tuple[ExitReport, float]:
    """Its report, and how long after the call all three pending ones were told."""
    connection = lab.connect(agent.argv, witness)
    for method in ("authenticate", "mute", "mute"):
        connection.call(method, {}, witness.answer)
    await eventually(lambda: agent.got("mute")[1:])
    began = time.monotonic()
    connection.call("session/prompt", PROMPT, witness.answer)
    report = (await eventually(lambda: witness.all("exit")))[0]
    assert witness.all("answer")[1:] == [Gone(report)] * 3
    assert witness.seen[-1] == ("exit", report)
    assert witness.all("exit") == [report]
    assert connection.pid is None
    return report, time.monotonic() - began


@pytest.mark.statement(17)
@pytest.mark.parametrize(
    ("steps", "sentence"),
    [
        (
            [stderr("first\nno key in the environment\n\n"), leave(3)],
            "exited with status 3: no key in the environment",
        ),
        ([leave(0)], "exited with status 0"),
        ([die("SIGKILL")], "was killed by SIGKILL"),
        (
            [stderr("\x1b[31mred \u202ealert\x07"), die("SIGABRT")],
            "was killed by SIGABRT: red \ufffdalert\ufffd",
        ),
        ([grandchild(), leave(4)], "exited with status 4"),
    ],
    ids=["status", "zero", "kill", "abort", "a grandchild holds the pipes"],
)
async def test_an_exit_is_told_within_a_second(
    lab: Lab, witness: Witness, tmp_path: Path, steps: list[Any], sentence: str
) -> None:
    agent = script(tmp_path, on("mute", silence()), on_prompt("hello", *steps))
    report, seconds = await _dies(lab, witness, agent)
    assert report.sentence("mine") == f"mine {sentence}"
    assert not report.asked
    assert seconds < 1
    await _nothing_remains(agent)


@pytest.mark.statement(17)
@pytest.mark.parametrize(("ignore", "by"), [(["eof"], "SIGTERM"), (["eof", "term"], "SIGKILL")])
async def test_closed_output_is_told_within_a_second(
    lab: Lab, witness: Witness, tmp_path: Path, ignore: list[str], by: str
) -> None:
    agent = script(
        tmp_path, on("mute", silence()), on_prompt("hello", close_stdout(), wait("never")), ignore=ignore
    )
    report, seconds = await _dies(lab, witness, agent)
    assert report.signal == by
    assert report.sentence("mine") == "mine closed its output and was stopped"
    assert seconds < 1
    await _nothing_remains(agent)


@pytest.mark.statement(17)
async def test_a_grandchild_outside_the_group_holds_nothing_up(
    lab: Lab, witness: Witness, tmp_path: Path
) -> None:
    steps = stderr("my last words"), grandchild(escapes=True), say("done"), leave(5)
    agent = script(tmp_path, on("mute", silence()), on_prompt("hello", *steps))
    try:
        report, seconds = await _dies(lab, witness, agent)
    finally:
        os.kill(agent.logged("grandchild")[0], signal.SIGKILL)
    assert seconds < 1
    assert witness.texts() == ["done"]
    assert report.sentence("mine") == "mine exited with status 5: my last words"


async def test_what_it_said_before_its_death_is_heard(lab: Lab, witness: Witness, tmp_path: Path) -> None:
    last = '{"jsonrpc":"2.0","method":"last/words","params":{}}'  # without a newline
    agent = script(
        tmp_path, on("mute", silence()), on_prompt("hello", *[say("x" * 999)] * 900, raw(last), leave(0))
    )
    await _dies(lab, witness, agent)
    assert len(witness.texts()) == 900
    assert witness.all("notification")[0].method == "last/words"


@pytest.mark.statement(18)
async def test_an_exit_before_initialize_is_told(lab: Lab, witness: Witness, tmp_path: Path) -> None:
    agent = script(tmp_path, start=[stderr("wrong version of node\n"), leave(1)])
    connection = lab.connect(agent.argv, witness)
    connection.call("initialize", {}, witness.answer)
    report = (await eventually(lambda: witness.all("exit")))[0]
    assert report.sentence("mine") == "mine exited with status 1: wrong version of node"
    assert witness.all("answer") == [Gone(report)]
    assert await lab.running[connection] == report


def _text_file(folder: Path, mode: int, content: str = "") -> str:
    path = folder / "program"
    path.write_text(content)
    path.chmod(mode)
    return str(path)


@pytest.mark.statement(19)
@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (lambda _: "no-such-agent", "command not found"),
        (lambda folder: _text_file(folder, 0o600), "it is not executable"),
        (
            lambda folder: _text_file(folder, 0o700, "#!/no/such/python\n"),
            "the interpreter it names does not exist",
        ),
        (lambda folder: _text_file(folder, 0o700), "Exec format error"),
        (str, "it is not executable"),
        (lambda _: "nul\0byte", "embedded null byte"),
    ],
    ids=["missing", "mode", "interpreter", "format", "folder", "nul"],
)
async def test_a_command_that_cannot_be_started(
    witness: Witness, tmp_path: Path, command: Callable[[Path], str], reason: str
) -> None:
    named = command(tmp_path)
    connection = Connection("mine", [named, "--acp"], cwd=str(tmp_path), handler=witness)
    connection.call("initialize", {}, witness.answer)
    with pytest.raises(StartError) as caught:
        await connection.run()
    assert str(caught.value) == f"cannot start mine: {reason}; check agents.mine.command: '{named}'"
    assert [answer.report.sentence("mine") for answer in witness.all("answer")] == [str(caught.value)]
    await connection.stop()  # nothing to stop, nothing to wait for


@pytest.mark.statement(19)
@pytest.mark.parametrize(
    ("cwd", "reason"), [("/no/such/place", "no such folder: {}"), (__file__, "not a folder: {}")]
)
async def test_a_folder_that_is_not_there(witness: Witness, tmp_path: Path, cwd: str, reason: str) -> None:
    connection = Connection("mine", script(tmp_path).argv, cwd=cwd, handler=witness)
    with pytest.raises(StartError, match=reason.format(cwd)):
        await connection.run()


async def _nothing_remains(agent: ScriptedAgent) -> None:
    pid = agent.logged("start")[0]["pid"]
    assert state(pid) is None  # not even a zombie
    await eventually(lambda: not living_members(pid))


async def _running(lab: Lab, witness: Witness, agent: ScriptedAgent) -> Connection:
    connection = lab.connect(agent.argv, witness)
    connection.call("session/prompt", PROMPT, witness.answer)
    await eventually(lambda: agent.logged("mark"))
    assert connection.pid == agent.logged("start")[0]["pid"]
    return connection


@pytest.mark.statement(20)
async def test_the_end_of_input_is_asked_for_first(lab: Lab, witness: Witness, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("hello", grandchild(), mark("ready"), wait("never")))
    connection = await _running(lab, witness, agent)
    child = agent.logged("grandchild")[0]
    assert group(child) == connection.pid != os.getpgrp()
    await connection.stop()
    (report,) = witness.all("exit")
    assert (report.status, report.asked, agent.logged("eof")) == (0, True, [True])
    assert report.sentence("mine") == "mine was stopped"
    assert witness.all("answer") == [Gone(report)]
    await _nothing_remains(agent)


@pytest.mark.statement(20)
@pytest.mark.parametrize(("ignore", "by"), [(["eof"], "SIGTERM"), (["eof", "term"], "SIGKILL")])
async def test_signals_follow_after_the_grace(
    lab: Lab, witness: Witness, tmp_path: Path, ignore: list[str], by: str
) -> None:
    agent = script(tmp_path, on_prompt("hello", grandchild(), mark("ready"), wait("never")), ignore=ignore)
    connection = await _running(lab, witness, agent)
    began = time.monotonic()
    await connection.stop(0.1)
    assert time.monotonic() - began < 1
    assert witness.all("exit")[0].signal == by
    await _nothing_remains(agent)


@pytest.mark.statement(20)
async def test_stop_from_many_sides(lab: Lab, witness: Witness, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("hello", mark("ready"), wait("never")), **STAYS)
    connection = await _running(lab, witness, agent)
    began = time.monotonic()
    await asyncio.gather(connection.stop(5), connection.stop(0.1), connection.stop(0.1))
    await connection.stop()
    assert time.monotonic() - began < 1
    assert len(witness.all("exit")) == len(witness.all("answer")) == 1
    await _nothing_remains(agent)


@pytest.mark.statement(20)
async def test_a_cancelled_run_ends_its_agent(
    witness: Witness, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_module, "_GRACE", 0.1)
    agent = script(tmp_path, on_prompt("hello", grandchild(), mark("ready"), wait("never")), **STAYS)
    connection = Connection("mine", agent.argv, cwd=str(tmp_path), handler=witness)
    connection.call("session/prompt", PROMPT, witness.answer)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(connection.run)
        await eventually(lambda: agent.logged("mark"))
        tasks.cancel_scope.cancel()
    (report,) = witness.all("exit")
    assert report.asked
    assert witness.all("answer") == [Gone(report)]
    await _nothing_remains(agent)


@pytest.mark.statement(20)
async def test_even_what_cannot_be_killed_holds_nobody_up(
    lab: Lab, witness: Witness, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent = script(tmp_path, on_prompt("hello", mark("ready"), wait("never")), **STAYS)
    connection = await _running(lab, witness, agent)
    pid = connection.pid
    assert pid
    for how in ("signal", "kill"):
        monkeypatch.setattr(process.Lineage, how, lambda *_, **_options: None)
    monkeypatch.setattr(process, "_KILL_WAIT", 0.1)
    try:
        await asyncio.wait_for(connection.stop(0.05), 2)
        assert state(pid) == "S"
        assert witness.all("exit")[0].asked
    finally:
        os.kill(pid, signal.SIGKILL)
    await eventually(lambda: state(pid) is None)


async def test_the_environment(
    lab: Lab, witness: Witness, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    withheld = {"NVIM", "NVIM_LISTEN_ADDRESS", "NVIM_LOG_FILE", "VIM", "VIMRUNTIME", "MYVIMRC"}
    for key in withheld | {"MY_OWN", "CHANGED"}:
        monkeypatch.setenv(key, "from Neovim")
    agent = script(tmp_path)
    place = tmp_path / "a place"
    place.mkdir()
    lab.connect(agent.argv, witness, cwd=str(place), env={"CHANGED": "configured", "NEW": "configured"})
    (start,) = await eventually(lambda: agent.logged("start"))
    assert withheld & set(start["env"]) == set()
    assert [start["env"][key] for key in ("MY_OWN", "CHANGED", "NEW")] == [
        "from Neovim",
        "configured",
        "configured",
    ]
    assert start["env"]["PATH"] == os.environ["PATH"]
    assert start["cwd"] == str(place)


def test_signals_without_a_name() -> None:
    report = ExitReport.of(-(signal.SIGRTMIN + 1), (), asked=False, closed_output=False)
    assert report.sentence("mine") == f"mine was killed by signal {signal.SIGRTMIN + 1}"
