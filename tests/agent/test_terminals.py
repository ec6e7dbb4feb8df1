"""terminal/* with real processes: what agents are told, what the user is shown, and that nothing remains."""

import asyncio
import os
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
import pytest_asyncio

from acp_nvim import limits
from acp_nvim.agent.incoming_requests import IncomingRequest, IncomingRequests
from acp_nvim.agent.spawn import environment
from acp_nvim.editor.interface import Wire
from acp_nvim.messages.base_classes import Call
from acp_nvim.protocol.errors import INTERNAL_ERROR, INVALID_PARAMS, RpcError
from acp_nvim.protocol.jsonrpc import Request
from acp_nvim.protocol.schema import UNSET, ToolCallUpdate
from acp_nvim.session.session import Session
from acp_nvim.session.tool_call import ToolCall
from acp_nvim.terminals.service import Terminals, Watch
from tests.agent.processes import group, living_members, state
from tests.fakes.script import eventually

STUBBORN = "trap '' TERM; echo ready; while :; do sleep 1; done"
BACKGROUND = "sleep 1000 >/dev/null 2>&1 & echo $!"


class Editor:
    """Takes all that it is given; a buffer is there until it is wiped."""

    def __init__(self) -> None:
        self.told: list[Wire] = []
        self.buffers: dict[int, list[str]] = {}

    def wake(self, at_once: bool = False) -> None: ...

    def notify(self, call: Call) -> None:
        self.told.append(call.wire())

    async def call(self, call: Call) -> Any:
        name, *arguments = call.wire()
        assert name == "terminal_feed"
        _session, _id, text, buffer = arguments
        if buffer not in self.buffers:
            return False
        self.buffers[buffer].append(text)
        return True

    def shown(self, buffer: int) -> str:
        return "".join(self.buffers[buffer])


class Lab:
    def __init__(self, folder: Path, wire: IncomingRequests) -> None:
        self.session = Session(1, "agent", str(folder))
        self.other = Session(2, "agent", str(folder))
        self.editor = Editor()
        self.touched: list[str] = []
        self.groups: list[list[int]] = []
        self.tasks: set[asyncio.Task[Any]] = set()
        self._requests = wire
        self.terminals = Terminals(
            self.editor,
            environment,
            lambda function, *arguments: self.tasks.add(asyncio.create_task(function(*arguments))),
            Mock(spec=Watch),
            lambda session, name: self.touched.append(name),
            lambda: self.groups.append(self.terminals.pgids()),
        )

    async def ask(self, method: str, session: Session | None = None, **params: Any) -> dict[str, Any]:
        incoming = IncomingRequest(self._requests, Request(0, f"terminal/{method}", params))
        return await self.terminals.serve[f"terminal/{method}"](incoming, session or self.session)

    async def refusal(self, method: str, session: Session | None = None, **params: Any) -> RpcError:
        with pytest.raises(RpcError) as refused:
            await self.ask(method, session, **params)
        return refused.value

    async def create(self, command: str, **params: Any) -> str:
        return str((await self.ask("create", command=command, **params))["terminalId"])

    async def output(self, name: str) -> dict[str, Any]:
        return await self.ask("output", terminalId=name)

    async def run(self, command: str, **params: Any) -> dict[str, Any]:
        """To its end."""
        name = await self.create(command, **params)
        await self.ask("wait_for_exit", terminalId=name)
        return await self.output(name)

    async def until(self, name: str, text: str) -> None:
        await eventually(lambda: text in self.terminals.text(self.session, name))

    def waiter(self, name: str) -> asyncio.Task[dict[str, Any]]:
        return asyncio.create_task(self.ask("wait_for_exit", terminalId=name))


@pytest_asyncio.fixture
async def lab(tmp_path: Path) -> AsyncIterator[Lab]:
    lab = Lab(tmp_path, None)  # type: ignore[arg-type]  # no request is answered through it
    yield lab
    await lab.terminals.close_all()
    groups = {group for groups in lab.groups for group in groups}
    await eventually(lambda: not any(map(living_members, groups)))
    await asyncio.gather(*lab.tasks)


def ended(code: int | None, signal: str | None = None) -> dict[str, Any]:
    return {"exitCode": code, "signal": signal}


# --- what runs


@pytest.mark.statement(108)
async def test_arguments_folder_and_environment_arrive_exactly(lab: Lab, tmp_path: Path):
    (folder := tmp_path / "a b").mkdir()
    program = "import os, sys; print(sys.argv[1:], os.getcwd(), os.environ['A'], os.environ.get('NVIM'))"
    os.environ["NVIM"] = "socket"
    try:
        shown = await lab.run(
            sys.executable,
            args=["-c", program, "a b", "", "$HOME;*", "é"],
            env=[{"name": "A", "value": " x=y "}],
            cwd=str(folder),
        )
    finally:
        del os.environ["NVIM"]
    assert shown["output"] == f"['a b', '', '$HOME;*', 'é'] {folder}  x=y  None\n"
    assert shown["exitStatus"] == ended(0)


@pytest.mark.statement(108)
async def test_a_line_goes_through_the_shell_in_the_sessions_folder(lab: Lab, tmp_path: Path):
    shown = await lab.run("echo $((1 + 2)) >&2; pwd; exit 3")
    assert (shown["output"], shown["exitStatus"]) == (f"3\n{tmp_path}\n", ended(3))


@pytest.mark.statement(108)
async def test_the_id_comes_at_once_and_two_are_never_the_same(lab: Lab):
    names = [await lab.create("sleep 1000") for _ in range(2)]
    assert len(set(names)) == 2
    assert [await lab.output(name) for name in names] == [{"output": "", "truncated": False}] * 2
    leaders = lab.terminals.pgids()
    assert [group(leader) for leader in leaders] == leaders


@pytest.fixture
def typed() -> Iterator[None]:
    """There is something to read at our own input, which is the editor's channel."""
    ours, (reader, writer) = os.dup(0), os.pipe()
    os.write(writer, b"typed\n")
    os.close(writer)
    os.dup2(reader, 0)
    yield
    os.dup2(ours, 0)
    os.close(ours)
    os.close(reader)


@pytest.mark.statement(116)
@pytest.mark.usefixtures("typed")
async def test_nobody_is_at_the_keys(lab: Lab):
    shown = await lab.run("cat; echo $PAGER $GIT_PAGER; (: </dev/tty) 2>&1 || echo no tty")
    assert shown["output"].startswith("cat cat\n")
    assert shown["output"].endswith("no tty\n")


async def test_both_outputs_stay_in_order(lab: Lab):
    shown = await lab.run("for i in 1 2 3; do echo out $i; echo err $i >&2; done")
    assert shown["output"] == "".join(f"out {i}\nerr {i}\n" for i in (1, 2, 3))


async def test_a_command_that_cannot_start_is_a_clear_error(lab: Lab, tmp_path: Path):
    (tmp_path / "text").write_text("text")
    (tmp_path / "script").write_text("#!/no/such/interpreter\n")
    (tmp_path / "script").chmod(0o755)
    for command, why in [
        ("no-such-command", "cannot run 'no-such-command': command not found"),
        ("./text", "cannot run './text': it is not executable"),
        ("./script", "cannot run './script': the interpreter it names does not exist"),
        ("nul\0", "cannot run 'nul\\x00': embedded null byte"),
    ]:
        refused = await lab.refusal("create", command=command)
        assert (refused.code, refused.message) == (INTERNAL_ERROR, why)
    assert (await lab.run("no-such-command at all"))["exitStatus"] == ended(127)
    assert lab.terminals.pgids() == []


# --- output and end


@pytest.mark.statement(109)
@pytest.mark.parametrize("name", ["TERM", "KILL", "SEGV", "USR1"])
async def test_signals_have_names(lab: Lab, name: str):
    assert (await lab.run(f"kill -{name} $$"))["exitStatus"] == ended(None, f"SIG{name}")


@pytest.mark.statement(109)
async def test_what_cannot_be_watched_does_not_run(lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    started: list[int] = []
    spawn = subprocess.Popen

    def tell(*arguments: Any, **options: Any) -> Any:
        started.append((process := spawn(*arguments, **options)).pid)
        return process

    def fail(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(subprocess, "Popen", tell)
    monkeypatch.setattr(threading.Thread, "start", fail)
    open_files = len(os.listdir("/dev/fd"))
    refused = await lab.refusal("create", command="sleep", args=["1000"])
    assert refused.message == "cannot run 'sleep': can't start new thread"
    assert len(started) == 1
    assert not living_members(started[0])
    assert len(os.listdir("/dev/fd")) == open_files
    assert lab.terminals.pgids() == []


async def test_a_session_runs_no_more_commands_than_anybody_could_watch(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(limits, "RUNNING_COMMANDS", 3)
    names = [await lab.create("sleep", args=["1000"]) for _ in range(3)]
    refused = await lab.refusal("create", command="sleep", args=["1000"])
    assert refused.message == "3 commands of this session run already: end one of them first"
    await lab.ask("create", lab.other, command="true")
    await lab.ask("kill", terminalId=names[0])
    assert await lab.run("echo", args=["again"])


async def test_there_is_no_status_before_the_end(lab: Lab):
    os.mkfifo(fifo := Path(lab.session.cwd, "fifo"))
    name = await lab.create("echo a; read x < fifo; echo b; exit 5")
    await lab.until(name, "a")
    assert await lab.output(name) == {"output": "a\n", "truncated": False}
    waiter = lab.waiter(name)
    descriptor = await eventually(lambda: _open(fifo))
    assert not waiter.done()
    os.write(descriptor, b"\n")
    os.close(descriptor)
    assert await waiter == ended(5)
    assert await lab.output(name) == {"output": "a\nb\n", "truncated": False, "exitStatus": ended(5)}


def _open(fifo: Path) -> int | None:
    """Its writing end, once somebody reads."""
    try:
        return os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
    except OSError:
        return None


@pytest.mark.statement(110)
@pytest.mark.parametrize(
    ("limit", "text", "truncated"), [(0, "", True), (3, "", True), (8, "漢😀", True), (9, "é漢😀", False)]
)
async def test_the_limit_keeps_the_end(lab: Lab, limit: int, text: str, truncated: bool):
    shown = await lab.run("printf é漢😀", args=None, outputByteLimit=limit)
    assert (shown["output"], shown["truncated"]) == (text, truncated)


@pytest.mark.statement(111)
async def test_all_who_wait_are_told(lab: Lab):
    os.mkfifo(fifo := Path(lab.session.cwd, "fifo"))
    name = await lab.create("read x < fifo; exit 4")
    waiters = [lab.waiter(name) for _ in range(3)]
    os.close(await eventually(lambda: _open(fifo)))
    assert await asyncio.gather(*waiters, lab.waiter(name)) == [ended(4)] * 4


async def test_all_that_it_wrote_is_there_when_its_end_is(lab: Lab):
    program = "import os; [os.write(1, b'x' * 60000) for _ in range(10)]; os._exit(0)"
    shown = await lab.run(sys.executable, args=["-c", program])
    assert len(shown["output"]) == 600_000


async def test_what_runs_on_in_the_background_does_not_delay_the_end(lab: Lab):
    name = await lab.create("sleep 1000 & echo $!")
    assert await lab.waiter(name) == ended(0)
    child = int((await lab.output(name))["output"])
    assert state(child) not in (None, "Z")
    await lab.ask("release", terminalId=name)
    await eventually(lambda: state(child) in (None, "Z"))


# --- kill and release


@pytest.mark.statement(112, 114)
async def test_a_kill_ends_the_group_and_keeps_the_id(lab: Lab):
    name = await lab.create("sleep 1000 & echo ready; wait")
    leader = lab.terminals.pgids()[0]
    await lab.until(name, "ready")
    waiters = [lab.waiter(name), lab.waiter(name)]
    assert await lab.ask("kill", terminalId=name) == {}
    assert await asyncio.gather(*waiters) == [ended(None, "SIGTERM")] * 2
    assert await lab.output(name) == {
        "output": "ready\n",
        "truncated": False,
        "exitStatus": ended(None, "SIGTERM"),
    }
    await eventually(lambda: not living_members(leader))
    assert state(leader) is None
    assert await lab.ask("kill", terminalId=name) == {}


@pytest.mark.statement(112)
async def test_one_that_does_not_listen_is_killed(lab: Lab):
    name = await lab.create(STUBBORN)
    await lab.until(name, "ready")
    began = time.monotonic()
    await lab.ask("kill", terminalId=name)
    assert time.monotonic() - began < 1
    assert (await lab.output(name))["exitStatus"] == ended(None, "SIGKILL")


@pytest.mark.statement(113, 114)
async def test_a_release_ends_the_group_and_the_id_but_not_the_sight(lab: Lab):
    name = await lab.create(f"{BACKGROUND}; wait")
    leader = lab.terminals.pgids()[0]
    await lab.until(name, "\n")
    waiter = lab.waiter(name)
    await asyncio.sleep(0)
    assert await lab.ask("release", terminalId=name) == {}
    assert await waiter == ended(None, "SIGTERM")
    assert lab.groups[-1] == lab.terminals.pgids() == []
    await eventually(lambda: not living_members(leader))
    for method in ("output", "wait_for_exit", "kill", "release"):
        refused = await lab.refusal(method, terminalId=name)
        assert (refused.code, refused.message) == (INVALID_PARAMS, f"terminal '{name}' has been released")
    assert lab.terminals.text(lab.session, name).strip().isdecimal()


@pytest.mark.statement(113)
async def test_a_release_reaches_what_the_command_has_left_behind(lab: Lab):
    name = await lab.create(BACKGROUND)
    await lab.waiter(name)
    leader = lab.terminals.pgids()[0]
    assert living_members(leader)
    await lab.ask("release", terminalId=name)
    await eventually(lambda: not living_members(leader))


@pytest.mark.statement(115)
@pytest.mark.parametrize("method", ["output", "wait_for_exit", "kill", "release"])
async def test_an_unknown_terminal_is_an_error(lab: Lab, method: str):
    refused = await lab.refusal(method, terminalId="nobody")
    assert (refused.code, refused.message) == (
        INVALID_PARAMS,
        "terminal 'nobody' does not exist in this session",
    )
    assert "terminalId" in (await lab.refusal(method)).message


@pytest.mark.statement(48, 115)
async def test_a_terminal_belongs_to_its_session(lab: Lab):
    name = await lab.create("sleep 1000")
    assert "does not exist" in (await lab.refusal("kill", lab.other, terminalId=name)).message
    assert not lab.terminals.stop(lab.other, name)
    assert lab.terminals.text(lab.other, name) == ""
    assert lab.terminals.pgids()


@pytest.mark.statement(113, 114)
async def test_nothing_outlives_its_session(lab: Lab):
    names = [await lab.create(line) for line in ("sleep 1000", STUBBORN, BACKGROUND)]
    kept = str((await lab.ask("create", lab.other, command="sleep 1000"))["terminalId"])
    await lab.until(names[1], "ready")
    waiters = [lab.waiter(name) for name in names]
    await waiters[2]
    leaders = lab.terminals.pgids()
    lab.terminals.close_session(lab.session)
    await asyncio.gather(*waiters)
    await eventually(lambda: [bool(living_members(leader)) for leader in leaders] == [False] * 3 + [True])
    assert lab.terminals.pgids() == leaders[3:]
    assert "has been released" in (await lab.refusal("output", terminalId=names[0])).message
    assert (await lab.ask("output", lab.other, terminalId=kept))["output"] == ""
    assert lab.terminals.text(lab.session, names[1]) == "ready\n"
    lab.terminals.forget(lab.session)
    assert lab.terminals.text(lab.session, names[1]) == ""


@pytest.mark.statement(113)
async def test_nothing_outlives_the_backend(lab: Lab):
    names = [await lab.create(line) for line in (STUBBORN, BACKGROUND)]
    await lab.until(names[0], "ready")
    await lab.waiter(names[1])
    leaders = lab.terminals.pgids()
    began = time.monotonic()
    await lab.terminals.close_all()
    assert time.monotonic() - began < 1
    assert lab.terminals.pgids() == []
    await eventually(lambda: not any(map(living_members, leaders)))


# --- what the user sees


async def test_the_user_sees_it_live_and_can_stop_it(lab: Lab):
    name = await lab.create("printf '\\033[31mone\\033[0m\\n'; sleep 1000")
    assert lab.editor.told[0][:3] == ["terminal_open", 1, name]
    lab.editor.buffers[7] = []
    await lab.until(name, "one")
    lab.terminals.watch(lab.session, name, 7)
    await eventually(lambda: "one" in lab.editor.shown(7))
    assert lab.terminals.stop(lab.session, name)
    await eventually(lambda: ["terminal_exit", 1, name, "SIGTERM"] in lab.editor.told)
    await eventually(lambda: "[SIGTERM]" in lab.editor.shown(7))
    assert lab.editor.shown(7).startswith("\x1b[31mone\x1b[0m\r\n")
    assert not lab.terminals.stop(lab.session, name)
    await lab.ask("release", terminalId=name)
    lab.editor.buffers = {8: []}
    lab.terminals.watch(lab.session, name, 8)
    await eventually(lambda: "[SIGTERM]" in lab.editor.shown(8))


async def test_a_wiped_buffer_is_fed_no_more(lab: Lab):
    name = await lab.create("echo one; cat")
    lab.terminals.watch(lab.session, name, 7)
    lab.terminals.watch(lab.session, name, 8)
    lab.editor.buffers[8] = []
    await eventually(lambda: "one" in lab.editor.shown(8))
    await asyncio.gather(*lab.tasks)


@pytest.mark.alone
@pytest.mark.statement(110)
async def test_a_flood_is_bounded_and_leaves_the_loop_free(lab: Lab):
    lines = 2_000_000  # 20 MB
    name = await lab.create(f"seq -f %09.0f {lines}", outputByteLimit=1000)
    lab.editor.buffers[7] = []
    lab.terminals.watch(lab.session, name, 7)
    waiter, longest, began = lab.waiter(name), 0.0, time.monotonic()
    while not waiter.done():
        before = time.monotonic()
        await asyncio.sleep(0)
        longest = max(longest, time.monotonic() - before)
    took = time.monotonic() - began
    shown = await lab.output(name)
    assert shown["truncated"]
    assert shown["output"] == "".join(f"{number:09}\n" for number in range(lines - 99, lines + 1))
    assert longest < 0.2
    assert len(lab.touched) <= took / 0.2 + 1
    assert len(lab.editor.buffers[7]) <= took / 0.05 + 1
    await eventually(lambda: "[exit 0]" in lab.editor.shown(7))
    assert f"{lines:09}\r\n" in lab.editor.shown(7)
    assert len(lab.terminals.text(lab.session, name)) == limits.TERMINAL_SCREEN_BYTES


@pytest.mark.parametrize("released", [True, False])
async def test_what_ended_terminals_keep_has_a_bound(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, released: bool
) -> None:
    """The oldest give way, but for their end; whether the agent has released them or never does."""
    monkeypatch.setattr(limits, "ENDED_TERMINALS_BYTES", 650_000)
    names = []
    for _ in range(6):
        name = await lab.create("seq -f %09.0f 20000")  # 200 kB
        await lab.waiter(name)
        if released:
            await lab.ask("release", terminalId=name)
        names.append(name)
    sizes = [len(lab.terminals.text(lab.session, name)) for name in names]
    assert sizes == [4096, 4096] + [200_000] * 4
    assert lab.terminals.text(lab.session, names[0]).endswith("000020000\n")
    if not released:
        shown = [await lab.output(name) for name in names]
        assert [each["truncated"] for each in shown] == [True] * 2 + [False] * 4
        assert [len(each["output"]) for each in shown] == [4096] * 2 + [200_000] * 4


# --- an agent's own terminals


def call(name: str = "call") -> ToolCall:
    made = ToolCall(1, name, 0.0)
    made.apply(ToolCallUpdate(id=name, known=True, title="make it", raw_input=UNSET, raw_output=UNSET), 0.0)
    return made


@pytest.mark.statement(117)
async def test_an_agents_own_terminal_is_shown_too(lab: Lab):
    lab.terminals.take_reported_output(
        lab.session, call(), {"terminal_output": {"terminal_id": "t", "data": "é1\n"}}
    )
    lab.terminals.take_reported_output(
        lab.session, call(), {"terminal_info": {"terminal_id": "t", "cwd": "/"}}
    )
    lab.terminals.take_reported_output(
        lab.session, call(), {"terminal_output_delta": {"terminal_id": "t", "data": "2\n"}}
    )
    assert lab.terminals.text(lab.session, "t") == "é1\n2\n"
    lab.editor.buffers[7] = []
    lab.terminals.watch(lab.session, "t", 7)
    lab.terminals.take_reported_output(
        lab.session, call(), {"terminal_exit": {"terminal_id": "t", "exit_code": 2, "signal": None}}
    )
    await eventually(lambda: "[exit 2]" in lab.editor.shown(7))
    assert lab.editor.told == [["terminal_open", 1, "t", "make it"], ["terminal_exit", 1, "t", "exit 2"]]
    assert not lab.terminals.stop(lab.session, "t")
    assert (await lab.refusal("output", terminalId="t")).code == INVALID_PARAMS


@pytest.mark.statement(117)
async def test_odd_reports_do_no_harm(lab: Lab):
    name = await lab.create("echo ours; cat")
    await lab.until(name, "ours")
    odd: list[Any] = [None, [], "text", {"terminal_id": name, "data": "theirs"}]
    for said in odd:
        lab.terminals.take_reported_output(
            lab.session, call(), {"terminal_output": said, "terminal_exit": said}
        )
    assert lab.terminals.text(lab.session, name) == "ours\n"
    lab.terminals.take_reported_output(lab.session, call("c2"), {"terminal_output": {"data": "\ud800"}})
    lab.terminals.take_reported_output(
        lab.session, call("c2"), {"terminal_output": {"terminal_id": 5, "data": 5}}
    )
    assert lab.terminals.text(lab.session, "c2") == "?"
    lab.terminals.close_session(lab.session)
    assert ["terminal_exit", 1, "c2", "gone"] in lab.editor.told
