"""Runs commands: in a terminal of the client, for the user to watch, or else as a child process."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time

from .turn import Cancelled, ToolCall, Turn, text_content
from .wire import field

LIMIT = 64 * 1024  # bytes of output that are kept: the last ones


def run(turn: Turn, call: ToolCall, command: str) -> str:
    """Runs the command inside of the tool call and closes that; returns how it ended, in words."""
    in_terminal = turn.capabilities.get("terminal") is True
    output, code, killed_by = (_in_terminal if in_terminal else _as_child)(turn, call, command)
    status = "completed" if code == 0 else "failed"
    call.update(status=status, rawOutput={"output": output, "exitCode": code, "signal": killed_by})
    # The terminal is gone by now: whoever loads this session later gets its text.
    call.remember(content=[text_content(fenced(output))])
    return f"was killed by {killed_by or 'a signal'}" if code is None else f"ended with exit code {code}"


def fenced(text: str) -> str:
    """A Markdown code block: its fence must be longer than any within."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}\n{text.rstrip()}\n{fence}"


def _in_terminal(turn: Turn, call: ToolCall, command: str) -> tuple[str, int | None, str | None]:
    place = {"cwd": turn.session.cwd, "outputByteLimit": LIMIT}
    # This one is waited for even if we are cancelled: we could not release a terminal whose id we never saw.
    created = turn.request("terminal/create", command="sh", args=["-c", command], **place).wait()
    terminal = {"terminalId": field(created, "terminalId", str)}
    try:
        call.update(status="in_progress", content=[{"type": "terminal", **terminal}])
        ended = turn.ask("terminal/wait_for_exit", **terminal)
        output = field(turn.ask("terminal/output", **terminal), "output", str)
    except Cancelled:
        turn.request("terminal/kill", **terminal)
        call.remember(content=[])
        raise
    finally:
        turn.request("terminal/release", **terminal)
    return output, ended.get("exitCode"), ended.get("signal")


def _as_child(turn: Turn, call: ToolCall, command: str) -> tuple[str, int | None, str | None]:
    call.update(status="in_progress")
    child = subprocess.Popen(
        ["sh", "-c", command],
        cwd=turn.session.cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,  # a process group of its own: what it starts can be killed along
    )

    def kill() -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)

    try:
        with turn.interrupted_by(kill):
            output = _follow(child, call)
            status = child.wait()
    finally:
        kill()  # also whatever it left behind in the background
        child.wait()
    turn.check()
    return output, status if status >= 0 else None, signal.Signals(-status).name if status < 0 else None


def _follow(child: subprocess.Popen[bytes], call: ToolCall) -> str:
    """Shows the output as it comes, ten times a second at most: each time all of it is sent."""
    assert child.stdout is not None
    output, shown_at = b"", 0.0
    with child.stdout as pipe:
        while chunk := os.read(pipe.fileno(), LIMIT):
            output = (output + chunk)[-LIMIT:]
            if time.monotonic() - shown_at > 0.1:
                call.update(content=[text_content(fenced(output.decode("utf-8", "replace")))])
                shown_at = time.monotonic()
    text = output.decode("utf-8", "replace")
    call.update(content=[text_content(fenced(text))])
    return text
