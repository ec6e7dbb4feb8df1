"""MCP servers from the configuration: shaped as the standard has them, gated, the same list for one session."""

import sys
from pathlib import Path
from typing import Any

import pytest

from tests.client.conftest import Desk
from tests.fakes.script import eventually, on, on_initialize, result

Json = dict[str, Any]
HTTP: Json = {
    "name": "web",
    "type": "http",
    "url": "https://x.org/mcp",
    "headers": [{"name": "K", "value": "v"}],
}
SSE: Json = {"name": "old", "type": "sse", "url": "https://x.org/sse"}
FILES: Json = {
    "name": "files",
    "command": sys.executable,
    "args": ["-m", "files"],
    "env": [{"name": "A", "value": "1"}],
}


def told(agent: Any, method: str = "session/new") -> list[Any]:
    return [message["params"]["mcpServers"] for message in agent.got(method)]


@pytest.mark.statement(36, 37)
async def test_the_canonical_shape_goes_as_it_is_and_in_its_order(desk: Desk) -> None:
    capabilities = on_initialize(mcpCapabilities={"http": True, "sse": True})
    agent = desk.agent(capabilities, spec={"mcp_servers": [HTTP, FILES, SSE]})
    await desk.ready()
    assert told(agent) == [[HTTP, FILES, {**SSE, "headers": []}]]
    assert desk.messages() == []


@pytest.mark.statement(37)
@pytest.mark.parametrize(("kind", "taken"), [("http", HTTP), ("sse", {**SSE, "headers": []})])
async def test_each_transport_needs_its_own_capability(desk: Desk, kind: str, taken: Json) -> None:
    agent = desk.agent(on_initialize(mcpCapabilities={kind: True}), spec={"mcp_servers": [HTTP, SSE]})
    await desk.ready()
    assert told(agent) == [[taken]]


@pytest.mark.statement(37)
async def test_a_table_by_name(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=":")
    servers = {
        "zed": {"url": "https://x.org", "headers": {"B": "2", "A": True}},
        "bare": {"command": Path(sys.executable).name},
        "lost": {"command": "no-such-server", "args": [1], "env": {"TOKEN": "t", "PORT": 8080}},
    }
    agent = desk.agent(on_initialize(mcpCapabilities={"http": True}), spec={"mcp_servers": servers})
    await desk.ready()
    pairs = [{"name": "PORT", "value": "8080"}, {"name": "TOKEN", "value": "t"}]
    headers = [{"name": "A", "value": "true"}, {"name": "B", "value": "2"}]
    (found,) = told(agent)
    assert Path(found[0]["command"]).is_absolute()
    assert found == [
        {"name": "bare", "command": found[0]["command"], "args": [], "env": []},
        {"name": "lost", "command": "no-such-server", "args": ["1"], "env": pairs},
        {"name": "zed", "type": "http", "url": "https://x.org", "headers": headers},
    ]


@pytest.mark.statement(37)
@pytest.mark.parametrize("said", [{}, {"mcpCapabilities": None}, {"mcpCapabilities": {"http": False}}])
async def test_what_the_agent_cannot_take_is_left_out_and_told_once(desk: Desk, said: Json) -> None:
    agent = desk.agent(on_initialize(**said), spec={"mcp_servers": [HTTP, FILES, SSE]})
    await desk.ready()
    await desk.ready()
    assert told(agent) == [[FILES], [FILES]]
    assert len(desk.messages("warn")) == 2
    for words in ("web", "old"):
        await desk.message("MCP server", words, "left out")


@pytest.mark.parametrize(
    ("servers", "words"),
    [
        ({"x": {}}, "'command' is missing"),
        ({"x": "run it"}, "not a table"),
        ({"x": {"type": "carrier-pigeon"}}, "carrier-pigeon"),
        ({"x": {"type": "http"}}, "'url' is missing"),
        ([{"name": "x", "command": "x", "args": "-v"}], "'args' must be a list"),
        ("x", "not a table"),
    ],
)
async def test_one_that_is_wrong_is_told_and_the_rest_works(desk: Desk, servers: Any, words: str) -> None:
    agent = desk.agent(spec={"mcp_servers": servers})
    await desk.ready()
    assert told(agent) == [[]]
    await desk.message("MCP server", words)


@pytest.mark.statement(36)
async def test_load_and_resume_are_told_of_them_too(desk: Desk) -> None:
    can = on_initialize(loadSession=True, sessionCapabilities={"resume": {}, "fork": {}})
    forked = on("session/fork", result({"sessionId": "forked"}))
    agent = desk.agent(can, forked, spec={"mcp_servers": [FILES]})
    for verb in ("load", "resume", "fork"):
        await desk.new(verb=verb, id=f"old-{verb}").until("idle")
        assert told(agent, f"session/{verb}") == [[FILES]]


async def test_a_session_that_comes_back_gets_the_same_list(desk: Desk) -> None:
    agent = desk.agent(on_initialize(loadSession=True), spec={"mcp_servers": [FILES]})
    talk = await desk.ready()
    await talk.turn("hello")
    spec = {"command": agent.argv[0], "args": agent.argv[1:], "mcp_servers": [{**FILES, "name": "other"}]}
    desk.configure("mine", spec)
    talk.send("restart")
    await eventually(lambda: agent.got("session/load"))
    assert told(agent, "session/load") == told(agent) == [[FILES]]


async def test_their_secrets_are_in_no_saved_trace(desk: Desk) -> None:
    servers = [{**FILES, "env": {"TOKEN": "top-secret-1"}}, {**HTTP, "headers": {"Key": "top-secret-2"}}]
    desk.agent(on_initialize(mcpCapabilities={"http": True}), spec={"mcp_servers": servers})
    talk = await desk.ready()
    talk.send("trace", mode="save", file=str(desk.folder / "saved"))
    await desk.message("messages in")
    saved = (desk.folder / "saved").read_text()
    assert "session/new" in saved
    assert "top-secret" not in saved
