"""gemini reads a file before it makes it: a missing one is empty for it, and an error for all others."""

import pytest

from tests.client.conftest import Desk
from tests.client.dialect_steps import answers
from tests.fakes.script import on, on_prompt, request, result


@pytest.mark.statement(99)
@pytest.mark.parametrize(("name", "found"), [("gemini-cli", {"content": ""}), ("qwen-code", None)])
async def test_a_missing_file(desk: Desk, name: str, found: object) -> None:
    hello = {"protocolVersion": 1, "agentInfo": {"name": name}, "agentCapabilities": {}}
    reads = request("fs/read_text_file", {"sessionId": "{session}", "path": str(desk.folder / "new.txt")})
    agent = desk.agent(on("initialize", result(hello)), on_prompt("", reads))
    talk = await desk.ready()
    await talk.turn("make it")
    if found:
        assert answers(agent) == [found]
    else:
        (message,) = [each for each in agent.got() if "method" not in each]
        assert message["error"]["code"] == -32002
    assert not (desk.folder / "new.txt").exists()
