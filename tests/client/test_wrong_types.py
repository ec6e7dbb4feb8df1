"""Fields of a kind that they should not be: the agent is told so, in the code and the words of the protocol."""

from typing import Any

import pytest

from acp_nvim.protocol.errors import INVALID_PARAMS
from tests.client.conftest import Desk
from tests.fakes.script import on_initialize, on_prompt, request, wait

SESSION = {"sessionId": "{session}"}
SERVED: dict[str, dict[str, Any]] = {
    "fs/read_text_file": {"path": "{cwd}/a", "line": 1, "limit": 1},
    "fs/write_text_file": {"path": "{cwd}/a", "content": ""},
    "terminal/create": {"command": "true", "args": [], "env": [], "cwd": "{cwd}", "outputByteLimit": 1},
    "terminal/output": {"terminalId": "t"},
    "terminal/wait_for_exit": {"terminalId": "t"},
    "terminal/kill": {"terminalId": "t"},
    "terminal/release": {"terminalId": "t"},
}
WRONG: list[Any] = [{}, {"a": [1]}, [], [[]], ["x"], True, False, -1, 1.5, 2**70, 1e300, "", "\0", "x"]


@pytest.mark.parametrize("method", [*SERVED, "session/request_permission", "elicitation/create"])
@pytest.mark.parametrize("key", ["sessionId", "session_id"])
async def test_a_session_of_no_kind_is_an_invalid_parameter(desk: Desk, method: str, key: str) -> None:
    ids = [{}, [], [{}], {"a": 1}, True, 7, 2**70, "", "another"]
    asked = {"mode": "form", "requestedSchema": {"type": "object", "properties": {}}, "options": []}
    agent = desk.agent(
        on_prompt("stay", wait("go on")),
        on_prompt("", *(request(method, {**SERVED.get(method, asked), key: each}) for each in ids)),
    )
    talk, other = await desk.ready(), await desk.ready()
    other.prompt("stay")
    await other.until("running")  # of two sessions that run none is meant by itself
    await talk.turn("go")
    errors = [message["error"] for message in agent.got() if "error" in message]
    assert [error["code"] for error in errors] == [INVALID_PARAMS] * len(ids), errors
    assert all("session" in error["message"] for error in errors)
    assert desk.faults() == []


@pytest.mark.parametrize("method", SERVED)
async def test_no_field_of_a_wrong_kind_is_a_fault_of_ours(desk: Desk, method: str) -> None:
    asked = [
        request(method, {**SESSION, **SERVED[method], name: wrong})
        for name in SERVED[method]
        for wrong in WRONG
    ]
    agent = desk.agent(on_prompt("", *asked, request(method, []), request(method, None)))
    talk = await desk.ready()
    await talk.turn("go")
    answers = [message for message in agent.got() if "method" not in message]
    assert len(answers) >= len(asked) + 2
    told = [answer["error"]["message"] for answer in answers if "error" in answer]
    assert not [text for text in told if "failed:" in text or "Error" in text or "unhashable" in text]
    assert desk.faults() == []


@pytest.mark.parametrize(
    ("version", "said"),
    [(2**70, str(2**70)), (-3, "-3"), (1.5, "1.5"), ("two", '"two"'), ([1], "[1]"), ("x" * 10_000, '"xxx')],
)
async def test_an_odd_version_is_told_as_it_is(desk: Desk, version: Any, said: str) -> None:
    desk.agent(on_initialize(version=version))
    desk.new()
    message = await desk.message("protocol version")
    assert f"speaks protocol version {said}" in message
    assert len(message) < 200
