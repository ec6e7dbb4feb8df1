"""gemini reads a file before it makes it, and replays as the user's words what it has told the model by itself."""

import pytest

from tests.client.conftest import Desk
from tests.client.dialect_steps import answers
from tests.fakes.script import on, on_prompt, request, result, say, update


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


async def test_a_replay_shows_the_users_words_alone(desk: Desk) -> None:
    hello = {
        "protocolVersion": 1,
        "agentInfo": {"name": "gemini-cli"},
        "agentCapabilities": {"loadSession": True},
    }
    told = [
        "<session_context>\nThis is the Gemini CLI.\n</session_context>",
        "read it",
        "[Function Response: read_file][Function Response: glob]",
        "what is [Function Response: read_file]?",
    ]
    words = [
        update({"sessionUpdate": "user_message_chunk", "content": {"type": "text", "text": text}})
        for text in told
    ]
    desk.agent(on("initialize", result(hello)), on("session/load", *words[:3], say("Read."), words[3]))
    talk = desk.new(verb="load", id="old")
    await talk.until("idle")
    assert [line for line in talk.lines if line] == [
        "## You",
        told[1],
        "## gemini-cli",
        "Read.",
        "## You",
        told[3],
    ]
