"""Four times as much takes about four times as long: with the square, one message would stop the editor."""

import gc
import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from acp_nvim.chat.chat_view import ChatView
from acp_nvim.proposals import agent_change
from acp_nvim.protocol import decode
from acp_nvim.protocol.dialects import STANDARD
from acp_nvim.protocol.framing import LineSplitter
from acp_nvim.protocol.jsonrpc import Notification, Peer
from acp_nvim.session.session import Session
from acp_nvim.session.status import StatusChanges
from acp_nvim.terminals.colours import Colours
from acp_nvim.text import line_diff
from acp_nvim.text import unified_patch as patch
from acp_nvim.text.ansi import plain
from acp_nvim.text.diff_cost import stands_still
from acp_nvim.text.printable import one_line


def updates(*found: dict[str, Any]) -> bytes:
    return b"".join(
        json.dumps(
            {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update": update}}
        ).encode()
        + b"\n"
        for update in found
    )


def chat(data: bytes) -> None:
    session = Session(1, "a", "/w")
    session.ready("s")
    status = StatusChanges(session)
    view = ChatView(session.transcript, lambda: "A", "/w", lambda _: "")
    for event in Peer().receive(data):
        assert isinstance(event, Notification)
        for update in decode.update(event.params, STANDARD)[1]:
            session.apply(update, 0.0)
        status.take()
        view.flush()
    while view.flush(middle=True)[1]:
        pass


def said(text: str) -> dict[str, Any]:
    return {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}


def call(number: int, **fields: Any) -> dict[str, Any]:
    return {"sessionUpdate": "tool_call", "toolCallId": f"t{number}", "title": "x", **fields}


def options(count: int) -> dict[str, Any]:
    option = {"name": "n", "type": "select", "currentValue": "a", "options": [{"value": "a", "name": "A"}]}
    listed = [{**option, "id": f"c{number}"} for number in range(count)]
    return {"sessionUpdate": "config_option_update", "configOptions": listed}


def bytewise(count: int) -> None:
    lines = LineSplitter()
    for _ in range(count):
        lines.feed(b"xxxxxxxxxx")
    assert lines.finish()


def lines(count: int, step: int = 1) -> list[str]:
    return [f"line {number // step}" for number in range(count)]


# Each takes some 20 ms or more: what is shorter drowns in what else a machine does.
LOADS: dict[str, tuple[Callable[[int], object], int]] = {
    "one line in many reads": (bytewise, 60_000),
    "many lines in one read": (lambda n: LineSplitter().feed(b"{}\n" * n), 200_000),
    "many small chunks": (lambda n: chat(updates(*[said("word ")] * n)), 2400),
    "one large chunk": (lambda n: chat(updates(said("word word\n" * n))), 450_000),
    "one long line": (lambda n: chat(updates(said("word " * n))), 800_000),
    "many tool calls": (lambda n: chat(updates(*[call(i) for i in range(n)])), 400),
    "updates of one call": (
        lambda n: chat(
            updates(*[call(0, content=[{"type": "content", "content": {"type": "text", "text": "x"}}])] * n)
        ),
        300,
    ),
    # one large message and as many small ones: what is large is not looked at with each of them
    "updates of a call with as many places": (
        lambda n: chat(
            updates(call(0, locations=[{"path": f"/{i}"} for i in range(n)]), *[call(0, status="failed")] * n)
        ),
        600,
    ),
    "words below as long a title": (
        lambda n: chat(
            updates(
                {"sessionUpdate": "session_info_update", "title": "\u202e" * 100 * n}, *[said("word ")] * n
            )
        ),
        800,
    ),
    "words beside as many options": (lambda n: chat(updates(options(n), *[said("word ")] * n)), 800),
    "a call with many contents": (
        lambda n: chat(
            updates(call(0, content=[{"type": "content", "content": {"type": "text", "text": "x"}}] * n))
        ),
        3500,
    ),
    "a call with many places": (
        lambda n: chat(updates(call(0, locations=[{"path": f"/{i}"} for i in range(n)]))),
        5500,
    ),
    "a long plan": (
        lambda n: chat(
            updates({"sessionUpdate": "plan", "entries": [{"content": "x", "status": "pending"}] * n})
        ),
        8000,
    ),
    "edits of another text": (lambda n: line_diff.edits(lines(n), [f"other {i}" for i in range(n)]), 24_000),
    "edits of repeated lines": (lambda n: line_diff.edits(["a", "b"] * n, ["b", "a", "b"] * n), 30_000),
    # up to 2000 lines are aligned, above that they pair by position: both sizes on one side of that
    "edits of some lines": (lambda n: line_diff.edits(lines(n, 2), lines(n, 3)), 6000),
    "edits that are aligned": (lambda n: [line_diff.edits(lines(n, 2), lines(n, 3)) for _ in range(8)], 450),
    "a patch": (
        lambda n: patch.parse_patch(
            "--- a/x\n+++ b/x\n" + "".join(f"@@ -{i} +{i} @@\n-a\n+b\n" for i in range(1, n))
        ),
        6000,
    ),
    "a proposal of a fragment": (
        lambda n: agent_change.find_place(
            "a\n" * n, "a\n" * n, [agent_change.Change("a\n" * (n // 2), "b\n")]
        ),
        800_000,
    ),
    "a proposal to replace a text everywhere": (
        lambda n: agent_change.find_place("a" * n, "a" * n, [agent_change.Change("a", "b" * n, True)]),
        800_000,
    ),
    "what a diff would cost": (
        lambda n: stands_still("\n".join(lines(n)), "\n".join(reversed(lines(n)))),
        10_000,
    ),
    "sequences without an end": (lambda n: plain("\x1b]" * n + "\x1b[1;" * n), 200_000),
    "sequences for a terminal": (
        lambda n: [Colours().feed("\x1b]" * n), Colours().feed("\x1b[1;" * n)],
        25_000,
    ),
    "hidden characters": (lambda n: one_line("\u202e\r\n\t" * n), 27_000),
}


def cpu(load: Callable[[int], object], count: int) -> float:
    """Without the collector: what that looks through is all of this process, and nothing of the load's."""
    gc.collect()
    gc.disable()
    try:
        began = time.process_time()
        load(count)
        return time.process_time() - began
    finally:
        gc.enable()


@pytest.mark.parametrize("name", LOADS)
def test_four_times_as_much_takes_four_times_as_long(name: str) -> None:
    load, count = LOADS[name]
    load(count // 8)  # what happens only once has happened
    once = more = 1e9
    for _ in range(6):  # whatever disturbs makes slower: the least of several is the nearest
        once, more = min(once, cpu(load, count)), min(more, cpu(load, 4 * count))
        if more < 8 * once:  # with the square it would be sixteen
            return
    raise AssertionError(f"{count}: {once:.3f} s, {4 * count}: {more:.3f} s")
