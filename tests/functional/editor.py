"""A real Neovim for one test: its own home, the plugin, a user before it, and the processes it started."""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from types import TracebackType
from typing import Any
from uuid import uuid4

from tests.agent import processes
from tests.functional.connection import GONE, Connection
from tests.functional.screen import PATIENCE, Screen, within
from tests.message_check import misfits

ROOT = Path(__file__).resolve().parents[2]
MARK = "ACP_TEST_EDITOR"

INIT = """
vim.opt.runtimepath:prepend(vim.env.ACP_TEST_ROOT)
vim.g.python3_host_prog = vim.env.ACP_TEST_PYTHON
"""
SETUP = "require('acp_nvim').setup(vim.json.decode([==[%s]==]))\n"
LAZY = "vim.g.acp_nvim = vim.json.decode([==[%s]==])\n"
RECORD = """
local channel = ...
vim.api.nvim_create_autocmd("User", {
  pattern = "Acp*",
  callback = function(args)
    vim.rpcnotify(channel, "test_event", args.match, args.data or vim.empty_dict())
  end,
})
"""


class Editor:
    """Neovim, driven through its input queue as a user would and through its API as a script would.

    `setup` goes through `require("acp_nvim").setup()`; without one the plugin is only on the runtimepath, as
    for somebody who never calls it. `init` is Lua at the end of the init file. `python` runs the backend. `bytecode`
    is a folder of compiled modules for `vim.loader`; without one each Neovim compiles them anew. `jit` is LuaJIT's
    compiler: a Neovim that lives for a second spends more time in it than it saves.
    """

    def __init__(
        self,
        program: Path,
        home: Path,
        *,
        python: str = sys.executable,
        backend: str = "job",
        manifest: Path | None = None,
        bytecode: Path | None = None,
        jit: bool = True,
        setup: dict[str, Any] | None = None,
        init: str = "",
        size: tuple[int, int] = (100, 30),
        env: dict[str, str] | None = None,
        asked: str = "pending",
    ) -> None:
        self.home, self.project = home / "home", home / "project"
        self.home.mkdir(parents=True)
        self.project.mkdir()
        self._init = home / "init.lua"
        # Most stories of review are about what waits: by default what was asked does not (`test_asked.py`).
        waits = {"asked": asked, **(setup or {}).get("review", {})}
        # its entry would be in the params of session/new, which many tests are about: `test_editor_tools.py` has it on
        own = {"editor_tools": False, **(setup or {})}
        config = {"python": python, "backend": backend, **own, "review": waits}
        self._init.write_text(INIT + (LAZY if setup is None else SETUP) % json.dumps(config) + init)
        loader = self._use_bytecode(bytecode) if bytecode else []
        loader += [] if jit else ["--cmd", "lua jit.off()"]
        self._errors = home / "stderr"
        self._messages = home / "messages"  # between the halves, as the backend has recorded them
        self._mark = uuid4().hex
        # a socket's path may have 107 bytes: too few for the folder of a test with a long name
        self._run = Path(tempfile.mkdtemp(prefix="acp"))
        self.address = str(self._run / "nvim")
        self._awaited: dict[str, int] = {}
        self.process = self._start(program, loader, {**self._environment(manifest), **(env or {})})
        self.pid = self.process.pid
        self.nvim = Connection(self.address, patience=3 * PATIENCE)
        self.screen = Screen(self.address, *size)
        self.lua(RECORD, self.screen.channel)

    def _use_bytecode(self, folder: Path) -> list[str]:
        """Put the folder where `vim.loader` looks; return the arguments that enable it."""
        cache = self.home / "cache/nvim"
        cache.mkdir(parents=True)
        (cache / "luac").symlink_to(folder)
        return ["--cmd", "lua vim.loader.enable()"]

    def _environment(self, manifest: Path | None) -> dict[str, str]:
        xdg = {
            f"XDG_{kind}_HOME": str(self.home / kind.lower()) for kind in ("CONFIG", "DATA", "STATE", "CACHE")
        }
        return {
            **{name: os.environ[name] for name in ("PATH", "TMPDIR") if name in os.environ},
            **xdg,
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "XDG_RUNTIME_DIR": str(self._run),
            "NVIM_RPLUGIN_MANIFEST": str(manifest or self.home / "no-manifest.vim"),
            "ACP_NVIM_MESSAGES": str(self._messages),
            "ACP_TEST_ROOT": str(ROOT),
            "ACP_TEST_PYTHON": sys.executable,
            MARK: self._mark,
        }

    def _start(
        self, program: Path, loader: list[str], environment: dict[str, str]
    ) -> subprocess.Popen[bytes]:
        said = 'lua io.stdout:write("listening\\n") io.stdout:flush()'
        arguments = [
            "--headless",
            "--listen",
            self.address,
            "-u",
            str(self._init),
            "-i",
            "NONE",
            "-n",
            *loader,
            "--cmd",
            said,
        ]
        with self._errors.open("wb") as errors:
            process = subprocess.Popen(
                [program, *arguments],
                cwd=self.project,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
            )
        assert process.stdout
        select.select([process.stdout], [], [], PATIENCE)
        if process.stdout.readline() != b"listening\n":
            raise AssertionError(f"Neovim does not start\n{self.stderr()}")
        return process

    # What a user and a script do

    def type(self, keys: str) -> None:
        """Keys through the input queue, in the notation of mappings: `:Acp<CR>`."""
        assert self.ask("nvim_input", keys) == len(keys.encode())

    def mode(self) -> dict[str, Any]:
        """`mode`, and whether it is `blocking`: Neovim waits for a key and answers nothing else."""
        return dict(self.ask("nvim_get_mode"))

    def lua(self, code: str, *arguments: Any) -> Any:
        return self.ask("nvim_exec_lua", code, arguments)

    def acp(self, function: str, *arguments: Any) -> Any:
        """Call a function of `require("acp_nvim")`; its first result."""
        return self.lua("return (require('acp_nvim')[(...)](select(2, ...)))", function, *arguments)

    def settle(self) -> None:
        """Wait until Neovim has taken all typed keys and the screen shows what they have done."""
        self.expect_lua("return vim.fn.getchar(1)", 0)
        self.lua(
            "vim.cmd.redraw() vim.rpcnotify(..., 'test_event', 'Settled', vim.empty_dict())",
            self.screen.channel,
        )
        self.wait_event("Settled")

    def expect_lua(self, code: str, wanted: Any = True, *arguments: Any, timeout: float = PATIENCE) -> Any:
        """Wait until the code returns the value, or one that the callable takes; that value."""
        left = within(timeout)
        while True:
            got = self.lua(code, *arguments)
            if wanted(got) if callable(wanted) else got == wanted:
                return got
            if left() <= 0:
                message = f"{code}\nreturns {got!r}, not {wanted!r}, after {timeout} s"
                raise AssertionError(f"{message}\n{self.screen.picture()}")
            self.screen.wait_for_anything(0.005)

    def ask(self, method: str, *arguments: Any) -> Any:
        """Neovim answers nothing while it waits for a key: such a test ends here instead of never."""
        try:
            return self.nvim.request(method, *arguments)
        except GONE as error:
            why = f"is gone: {error}"
            if isinstance(error, TimeoutError):
                self.process.kill()
                why = "did not answer and was killed"
            raise AssertionError(f"Neovim {why}\n{self.screen.picture()}\n{self.stderr()}") from error

    # What the plugin told

    def events(self, *names: str) -> list[tuple[str, dict[str, Any]]]:
        """The `User Acp…` events so far with their data, of these names or all."""
        return [event for event in list(self.screen.events) if not names or event[0] in names]

    def wait_event(self, name: str, timeout: float = PATIENCE, **fields: Any) -> dict[str, Any]:
        """The data of the next event of this name with these fields; each call goes on behind the last."""

        def found() -> int | None:
            for index in range(self._awaited.get(name, 0), len(self.screen.events)):
                happened, data = self.screen.events[index]
                if happened == name and fields.items() <= data.items():
                    return index + 1
            return None

        if not self.screen.wait_for(found, timeout):
            told = "\n".join(f"  {event} {data}" for event, data in self.screen.events)
            wanted = f"{name} {fields or ''}".rstrip()
            raise AssertionError(f"no {wanted} within {timeout} s, but\n{told}\n{self.screen.picture()}")
        self._awaited[name] = found() or 0
        return self.screen.events[self._awaited[name] - 1][1]

    def stderr(self) -> str:
        return self._errors.read_text(errors="replace")

    # Other clients

    def second_client(self, period: float = 0.005) -> Probe:
        """Another RPC client that asks all the time: what it waits, a typing user feels."""
        return Probe(self.address, self.pid, period)

    # The end

    def kill(self, how: signal.Signals = signal.SIGKILL) -> int:
        """Send a signal; the status with which Neovim ended."""
        self.process.send_signal(how)
        return self.wait_exit()

    def wait_exit(self, timeout: float = PATIENCE) -> int:
        try:
            return self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"Neovim has not ended after {timeout} s\n{self.screen.picture()}") from None

    def pids(self) -> list[int]:
        """Everything that Neovim started and what that started in turn, wherever it has moved since."""
        return [pid for pid in marked(self._mark) if pid != self.pid]

    def assert_no_orphans(self, timeout: float = 3.0) -> None:
        left = within(timeout)
        while alive := self.pids():
            if left() <= 0:
                raise AssertionError("\n".join(["still running:", *map(command_line, alive)]))
            wait_for_end(alive[0], left())

    def quit(self) -> int:
        """`:qa!`, also out of a prompt that waits for a key."""
        with suppress(*GONE):
            self.nvim.notify("nvim_command", "qa!")
            if self.nvim.request("nvim_get_mode")["blocking"]:
                self.nvim.request("nvim_input", "<C-c>")
        return self.wait_exit()

    def take_misfits(self) -> list[str]:
        """Return the messages between the halves that have not fitted their classes; from then on there are none."""
        if not self._messages.exists():
            return []
        found = misfits(self._messages)
        self._messages.unlink()
        return found

    def close(self) -> None:
        """End Neovim if the test has not; nothing of it may be left."""
        try:
            if self.process.poll() is None:
                self.quit()
            self.assert_no_orphans()
            assert self.take_misfits() == [], "messages between the halves that do not fit their classes"
        except BaseException:
            for pid in marked(self._mark):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            raise
        finally:
            self.process.wait()
            self.screen.close()
            self.nvim.close()
            assert self.process.stdout
            self.process.stdout.close()
            shutil.rmtree(self._run, ignore_errors=True)


class Probe:
    """`with editor.second_client() as probe`: asks every few milliseconds and notes how long it waited for Neovim. The
    time in which other processes had the processors does not count: it says nothing about the plugin."""

    def __init__(self, address: str, pid: int, period: float) -> None:
        self._address, self._pid, self._period = address, pid, period
        self._over, self._asking = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._ask, daemon=True)
        self.waits: list[float] = []

    def __enter__(self) -> Probe:
        self._thread.start()
        assert self._asking.wait(PATIENCE), "the second client gets no answer"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _error: object, _trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join(3 * PATIENCE)
        assert kind or not self._thread.is_alive(), "the second client still waits for an answer"

    def _ask(self) -> None:
        with closing(Connection(self._address)) as nvim, suppress(*GONE):
            while not self._over.wait(self._period):
                start = time.perf_counter() - self._queued()
                nvim.request("nvim_eval", "1")
                self.waits.append(max(time.perf_counter() - self._queued() - start, 0.0))
                self._asking.set()

    def _queued(self) -> float:
        """Return the seconds that Neovim and this thread, one after the other, have waited for a processor."""
        with suppress(OSError):  # only Linux tells
            told = [Path(f"/proc/{who}/schedstat").read_text() for who in (self._pid, "thread-self")]
            return sum(int(text.split()[1]) for text in told) / 1e9
        return 0.0

    def percentile(self, percent: float) -> float:
        """In milliseconds. A long wait also counts for the questions that were due meanwhile."""
        waits = sorted(wait - late for wait in self.waits for late in self._meanwhile(wait))
        return 1000 * waits[min(len(waits) - 1, int(len(waits) * percent / 100))]

    def _meanwhile(self, wait: float) -> Iterator[float]:
        return (self._period * n for n in range(max(1, int(wait / self._period) + 1)))


def marked(mark: str) -> list[int]:
    """The processes whose environment carries the mark."""
    return processes.with_environment(f"{MARK}={mark}")


def command_line(pid: int) -> str:
    return f"{pid} {processes.command_line(pid) or '(has just ended)'}"


def wait_for_end(pid: int, timeout: float) -> bool:
    with suppress(ProcessLookupError), closing(processes.exit_handle(pid)) as handle:
        return bool(select.select([handle], [], [], max(0.0, timeout))[0])
    return True
