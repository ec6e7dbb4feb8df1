"""What the start of a backend imports. Nobody waits for it, but everybody's first prompt does."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest

LOADED = "import json, sys; print(json.dumps(sorted(sys.modules)))"
# what is needed by few, and dear: a whole pydantic is as much as all of ours together
LATER = (
    "pydantic",
    "pydantic_core",
    "annotated_types",
    "email",
    "zipfile",
    "importlib.metadata",
    "http",
)


def loaded_by(code: str) -> set[str]:
    run = subprocess.run(
        [sys.executable, "-I", "-c", f"{code}\n{LOADED}"], capture_output=True, text=True, check=True
    )
    modules: list[str] = json.loads(run.stdout)
    return set(modules)


def test_the_backend_starts_without_what_few_need():
    assert loaded_by("import acp_nvim.backend") & set(LATER) == set()


def test_the_agent_starts_before_what_is_dear_to_import():
    """It takes its time, too: what comes after that comes beside it."""
    dear = {"asyncio", "anyio", "pynvim", "inspect", "logging", "acp_nvim.client"}
    assert loaded_by("import acp_nvim.early") & dear == set()


SETTINGS: dict[str, Any] = {
    "agents": {
        "mine": {"command": "agent", "args": [], "env": {"KEY": 1}, "timeout_ms": 5000, "defaults": []}
    },
    "log": {"level": "info", "wire": False},
    "transcripts": {"keep": 5},
    "permissions": [],
    "fs": {"read": True},
    "terminal": True,
}
ANSWERS = {
    "initialize": {
        "protocolVersion": 1,
        "agentInfo": {"name": "x"},
        "agentCapabilities": {"loadSession": True},
    },
    "session/new": {
        "sessionId": "s",
        "modes": {"currentModeId": "a", "availableModes": [{"id": "a", "name": "A"}]},
    },
    "session/prompt": {"stopReason": "end_turn", "usage": {"inputTokens": 1}},
}
UPDATES = [
    {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Hi"}},
    {"sessionUpdate": "plan", "entries": [{"content": "x", "priority": "high", "status": "pending"}]},
    {
        "sessionUpdate": "tool_call",
        "toolCallId": "t",
        "content": [{"type": "diff", "path": "a", "oldText": "a", "newText": "b"}],
        "locations": [{"path": "a", "line": 1}],
    },
]
TURN = f"""
import json
from acp_nvim.agent import settings
from acp_nvim.protocol import decode, dialects
from acp_nvim.protocol.jsonrpc import Peer

found, complaints = settings.read({SETTINGS!r})
assert complaints == [] and settings.agent(found, "mine").env == {{"KEY": "1"}}
peer, standard = Peer(), dialects.choose("standard", None)
for method, answer in {ANSWERS!r}.items():
    id, _ = peer.request(method, {{}})
    [event] = peer.receive(json.dumps({{"id": id, "result": answer}}).encode() + b"\\n")
    read = dict(zip({list(ANSWERS)!r}, (decode.initialized, decode.new_session, decode.prompt_answer)))
    read[method](event.result)
for update in {UPDATES!r}:
    _, [told] = decode.update({{"sessionId": "s", "update": update}}, standard)
    assert type(told).__name__ != "UnknownUpdate", told
"""


def test_an_ordinary_turn_goes_without_pydantic_too():
    assert loaded_by(TURN) & set(LATER) == set()


WRONG = """
from acp_nvim.agent import settings
_, complaints = settings.read({"agents": {"mine": {"command": "agent", "timeout_ms": -1}}})
assert complaints == ["configuration: agents.mine.timeout_ms: input should be greater than 0"], complaints
"""


def test_what_is_wrong_in_the_configuration_is_for_pydantic_to_say():
    assert "pydantic" in loaded_by(WRONG)


def cpu(code: str) -> float:
    """The least of some runs, in seconds: the machine may be busy, the import must not be."""
    return min(_once(code) for _ in range(5))


def _once(code: str) -> float:
    process = subprocess.Popen([sys.executable, "-I", "-c", code])
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    return usage.ru_utime + usage.ru_stime


@pytest.mark.alone
def test_ours_costs_no_more_than_what_speaks_to_neovim():
    """pynvim and anyio, with asyncio, are the floor: in CPU time, by turns, so that it holds on any machine."""
    floor = cpu("import pynvim, anyio._backends._asyncio")
    whole = cpu("import gc; gc.disable(); import anyio._backends._asyncio, acp_nvim.backend")
    assert whole <= 2 * floor
