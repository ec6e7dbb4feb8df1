"""The editor's tools: the server of each session, from its entry in session/new to the end of its process."""

import json
import os
import signal
import socket
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.client.conftest import Desk
from tests.client.editor_tools_steps import begin, do, entries, run_folder, setup, sockets_in
from tests.fakes.mcp_client import McpServer
from tests.fakes.script import eventually, on_initialize

Json = dict[str, Any]
ALL = [
    "open_files",
    "read_buffer",
    "selection",
    "get_file_problems",
    "get_symbol_info",
    "find_usages",
    "search_symbol",
    "search_buffers",
    "rename_symbol",
    "code_action",
    "format_file",
    "show",
]


@pytest.fixture
def run() -> str:
    return run_folder()


async def test_a_session_gets_one_server_that_lists_the_tools(desk: Desk, run: str) -> None:
    talk, _, entry = await begin(desk, run)
    assert entry["name"] == "acp_nvim"
    assert os.path.isabs(entry["command"])
    assert sorted(entry) == ["args", "command", "env", "name"]
    assert isinstance(entry["env"], list)
    assert talk.status["tools"] == {"state": "sent", "tools": 12, "calls": 0}
    with McpServer(entry) as server:
        said = await do(server.initialize, "2025-06-18")
        assert said["protocolVersion"] == "2025-06-18"
        assert all(name in said["instructions"] for name in ALL)
        await eventually(lambda: talk.status["tools"]["state"] == "started")
        tools = (await do(server.request, "tools/list"))["result"]["tools"]
        assert [tool["name"] for tool in tools] == ALL
        assert all(tool["_meta"] == {"anthropic/alwaysLoad": True} for tool in tools)
        reads = {tool["name"]: tool["annotations"]["readOnlyHint"] for tool in tools}
        assert [name for name in ALL if not reads[name]] == ["rename_symbol", "code_action", "format_file"]
        await eventually(lambda: talk.status["tools"]["state"] == "connected")
        assert await do(server.end) < 1
    await eventually(lambda: talk.status["tools"] == {"state": "ended", "tools": 12, "calls": 0})
    assert [data["state"] for data in talk.data("AcpTools")] == [
        "sent",
        "started",
        "listed",
        "connected",
        "ended",
    ]


async def test_methods_before_and_beside_the_protocol(desk: Desk, run: str) -> None:
    _, _, entry = await begin(desk, run)
    with McpServer(entry) as server:
        assert (await do(server.request, "server/discover"))["error"]["code"] == -32601
        assert (await do(server.request, "ping"))["result"] == {}
        assert "error" in await do(server.request, "tools/list")
        assert (await do(server.initialize, "2024-11-05"))["protocolVersion"] == "2025-11-25"
        assert (await do(server.request, "prompts/list"))["error"]["code"] == -32601
        wrong = (await do(server.request, "tools/call", {"name": "rm"}))["error"]
        assert wrong["code"] == -32602
        assert all(name in wrong["message"] for name in ALL)
        server.send(method="notifications/cancelled", params={"requestId": 1})
        assert (await do(server.request, "ping"))["result"] == {}


async def test_wrong_arguments_are_named(desk: Desk, run: str) -> None:
    _, _, entry = await begin(desk, run)
    with McpServer(entry) as server:
        await do(server.begin)
        call = lambda tool, **given: do(lambda: server.fail(tool, **given))  # noqa: E731
        assert "'path' is missing" in await call("read_buffer")
        assert "'first' must be a number" in await call("read_buffer", path="a", first="x")
        assert "no argument 'offset'" in await call("read_buffer", path="a", offset=1)
        assert "'severity' must be one of error, warning" in await call("get_file_problems", severity="bad")


async def test_only_the_named_tools(desk: Desk, run: str) -> None:
    _, _, entry = await begin(desk, run, editor_tools=["selection", "read_bufer"])
    assert [text for text in desk.messages("warn") if "'read_bufer'" in text]
    with McpServer(entry) as server:
        assert await do(server.begin) == ["selection"]
        assert "error" in await do(server.request, "tools/call", {"name": "show"})


@pytest.mark.parametrize(
    ("names", "lines"),
    [
        (["selection"], ["These tools ask", "Tools: selection."]),
        (["read_buffer"], ["These tools ask", "Read a file", "Tools: read_buffer."]),
        (["format_file"], ["These tools ask", "Changes by format_file are", "Tools: format_file."]),
    ],
)
async def test_no_word_of_tools_that_are_left_out(
    desk: Desk, run: str, names: list[str], lines: list[str]
) -> None:
    _, _, entry = await begin(desk, run, editor_tools=names)
    with McpServer(entry) as server:
        said = (await do(server.initialize))["instructions"].split("\n")
        assert len(said) == len(lines)
        assert all(map(str.startswith, said, lines))
        assert not [name for name in ALL if name not in names and name in "\n".join(said)]


@pytest.mark.parametrize("wanted", [False, []])
async def test_no_tools(desk: Desk, run: str, wanted: Any) -> None:
    agent = desk.agent()
    setup(desk, run, editor_tools=wanted)
    talk = await desk.ready()
    assert entries(agent) == [[]]
    assert talk.status["tools"]["state"] == "off"
    assert sockets_in(run) == []


async def test_the_users_own_server_keeps_its_name(desk: Desk, run: str) -> None:
    own = {"name": "acp_nvim", "command": "/bin/true", "args": [], "env": []}
    agent = desk.agent(spec={"mcp_servers": [own]})
    setup(desk, run)
    talk = await desk.ready()
    assert entries(agent) == [[own]]
    assert talk.status["tools"]["state"] == "own"
    assert len([text for text in desk.messages("warn") if "'acp_nvim'" in text]) == 1


async def test_an_agent_that_takes_none(desk: Desk, run: str) -> None:
    agent = desk.agent(spec={"mcp": "none"})
    setup(desk, run)
    talk = await desk.ready()
    assert entries(agent) == [[]]
    assert talk.status["tools"]["state"] == "none"
    await desk.ready()
    [told] = desk.messages("warn")
    assert told == "mine gets no editor tools: it takes no MCP servers (:help acp_nvim-tools)"


async def test_no_warning_where_no_tools_are_wanted(desk: Desk, run: str) -> None:
    desk.agent(spec={"mcp": "none"})
    setup(desk, run, editor_tools=False)
    await desk.ready()
    assert desk.messages("warn") == []


async def test_no_warning_about_the_demo_agent(desk: Desk, run: str) -> None:
    setup(desk, run)
    talk = await desk.ready("demo")
    assert talk.status["tools"]["state"] == "none"
    assert desk.messages("warn") == []


async def test_the_server_as_an_argument(desk: Desk, run: str) -> None:
    agent = desk.agent(spec={"mcp": "argument"})
    setup(desk, run)
    talk = await desk.ready()
    assert entries(agent) == [[]]
    [start] = agent.logged("start")
    flag, _, file = start["argv"][-1].partition("=@")
    assert flag == "--additional-mcp-config"
    assert stat.S_IMODE(os.stat(file).st_mode) == 0o600
    told = json.loads(Path(file).read_text())["mcpServers"]["acp_nvim"]
    assert told["type"] == "local"
    assert told["tools"] == ["*"]
    env = [{"name": name, "value": value} for name, value in told["env"].items()]
    assert talk.status["tools"] == {"state": "sent", "tools": 12, "calls": 0, "argument": True}
    with McpServer({**told, "env": env}) as server:
        assert await do(server.begin) == ALL
        await eventually(lambda: talk.status["tools"]["state"] == "connected")
        talk.send("close")
        await do(server.wait)
    await eventually(lambda: sockets_in(run) == [])


async def test_load_sends_the_very_list_that_new_has_sent(desk: Desk, run: str) -> None:
    talk, agent, entry = await begin(desk, run, on_initialize(loadSession=True))
    record = next((desk.folder / "state/tools").iterdir())
    assert stat.S_IMODE(record.stat().st_mode) == 0o600
    await talk.turn("hello")
    talk.send("restart")
    await eventually(lambda: entries(agent, "session/load"))
    await talk.until("idle")
    assert entries(agent, "session/load") == [[entry]]
    talk.send("close")
    await eventually(lambda: sockets_in(run) == [])
    later = desk.new(verb="load", id="s1")  # as a later Neovim does
    await later.until("idle")
    assert entries(agent, "session/load")[-1] == [entry]
    with McpServer(entry) as server:
        assert await do(server.begin) == ALL
    other = await desk.ready()
    [mine] = entries(agent)[-1]
    assert mine["args"] != entry["args"]
    assert mine["env"] != entry["env"]
    assert other.number != later.number


async def test_a_session_that_another_neovim_serves(desk: Desk, run: str) -> None:
    talk, agent, entry = await begin(desk, run, on_initialize(loadSession=True))
    talk.send("close")
    await eventually(lambda: sockets_in(run) == [])
    with socket.socket(socket.AF_UNIX) as living:
        living.bind(entry["args"][-1])
        living.listen()
        again = desk.new(verb="load", id="s1")
        await again.until("idle")
        assert entries(agent, "session/load") == [[entry]]
        assert again.status["tools"]["state"] == "elsewhere"
        assert await desk.message("another Neovim")
        again.send("close")
        await eventually(lambda: not again.is_listed)
        assert os.path.exists(entry["args"][-1])
    os.unlink(entry["args"][-1])


async def test_the_token_is_in_no_trace_and_in_no_log(desk: Desk, run: str, tmp_path: Path) -> None:
    talk, _, entry = await begin(desk, run)
    token = entry["env"][0]["value"]
    assert len(token) >= 16
    assert token not in " ".join(entry["args"])
    trace = tmp_path / "trace.jsonl"
    talk.send("trace", mode="save", file=str(trace))
    await eventually(trace.exists)
    assert "session/new" in trace.read_text()
    assert token not in trace.read_text()
    assert token not in "\n".join(desk.log())


async def test_the_folder_of_the_sockets_is_the_users_alone(desk: Desk, run: str) -> None:
    (Path(run) / "acp_nvim").symlink_to("/tmp")
    _, _, entry = await begin(desk, run)
    folder = os.path.dirname(entry["args"][-1])
    assert folder != f"{run}/acp_nvim"
    assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700
    assert len(entry["args"][-1].encode()) < 104


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a folder another user's")
async def test_a_folder_of_another_user_is_not_used(desk: Desk, run: str) -> None:
    (Path(run) / "acp_nvim").mkdir(mode=0o700)
    os.chown(Path(run) / "acp_nvim", 12345, 12345)
    _, _, entry = await begin(desk, run)
    assert os.path.dirname(entry["args"][-1]) != f"{run}/acp_nvim"
    assert os.stat(os.path.dirname(entry["args"][-1])).st_uid == 0


async def test_what_a_killed_neovim_has_left_is_removed(desk: Desk, run: str) -> None:
    folder = Path(run) / "acp_nvim"
    folder.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(folder / ("a" * 16)))
    await begin(desk, run)
    assert len(sockets_in(run)) == 1
    assert "a" * 16 not in sockets_in(run)


async def test_sixteen_servers_side_by_side_and_no_more(desk: Desk, run: str) -> None:
    talk, _, entry = await begin(desk, run)
    silent = [McpServer(entry) for _ in range(2)]  # one that never sends initialize holds nothing
    servers = [McpServer(entry) for _ in range(17)]
    try:
        for server in servers[:16]:
            assert await do(server.begin) == ALL
        said = await do(servers[16].request, "initialize", {"protocolVersion": "2025-11-25"})
        assert said["error"]["code"] == -32000
        assert "16" in said["error"]["message"]
        assert (await do(servers[0].request, "ping"))["result"] == {}
        assert await do(servers[0].end) < 1
        assert "result" in await do(servers[16].request, "initialize", {"protocolVersion": "2025-11-25"})
        assert talk.status["tools"]["state"] == "connected"
    finally:
        for server in (*servers, *silent):
            server.__exit__()


async def test_a_wrong_token(desk: Desk, run: str) -> None:
    talk, _, entry = await begin(desk, run)
    with McpServer({**entry, "env": [{"name": "ACP_NVIM_TOKEN", "value": "wrong"}]}) as server:
        said = await do(server.request, "initialize", {})
        assert said["error"]["code"] == -32000
        assert "token" in said["error"]["message"]
        assert await do(server.wait) < 1
    assert talk.status["tools"]["state"] == "sent"


async def test_a_server_that_finds_nobody(desk: Desk, run: str) -> None:
    _, _, entry = await begin(desk, run)
    with McpServer({**entry, "args": [*entry["args"][:-1], f"{run}/nobody"]}) as server:
        said = await do(server.request, "initialize", {})
        assert said["error"]["code"] == -32000
        assert "Neovim" in said["error"]["message"]
        assert await do(server.wait) < 1


@pytest.mark.parametrize("how", ["end of input", "signal", "session"])
async def test_open_calls_get_an_error_when_one_side_ends(desk: Desk, run: str, how: str) -> None:
    talk, _, entry = await begin(desk, run)
    desk.editor.answers["ask_editor"] = None  # it answers later, which is never
    with McpServer(entry) as server:
        await do(server.begin)
        number = server.begin_call("selection")
        await eventually(lambda: talk.status["tools"]["calls"] == 1)
        if how == "end of input":
            server.process.stdin.close()
        elif how == "signal":
            server.process.send_signal(signal.SIGTERM)
        else:
            talk.send("close")
        error = (await do(server.answer, number))["error"]
        assert error["code"] == -32000
        assert error["message"]
        assert await do(server.wait) < 1


@pytest.mark.parametrize("own", ["", "Be brief."])
async def test_a_system_prompt_names_the_tool_for_unsaved_text(desk: Desk, run: str, own: str) -> None:
    offers = on_initialize(sessionCapabilities={"systemPrompt": {}})
    agent = desk.agent(offers, spec={"system_prompt": own or None})
    setup(desk, run)
    await desk.ready()
    [message] = agent.got("session/new")
    [content] = message["params"]["systemPrompt"]["content"]
    assert content["text"].startswith(own)
    assert "read_buffer" in content["text"]


async def test_a_folder_that_is_too_deep_for_an_address(desk: Desk) -> None:
    deep = desk.folder / ("d" * 60) / ("e" * 60)
    deep.mkdir(parents=True)
    _, _, entry = await begin(desk, str(deep))
    assert len(entry["args"][-1].encode()) < 104
    with McpServer(entry) as server:
        assert await do(server.begin) == ALL


WHERE = {"path": "a.py", "symbol": "total", "line_content": "total"}
TWICE = "the text stands in lines 1, 2: line 1 was taken, name another one with 'line'"


def answer_with(desk: Desk, *results: Any) -> None:
    """Let each language server of the editor answer so."""
    found = [{"server": f"toy {number}", "result": result} for number, result in enumerate(results)]
    desk.editor.answers["ask_editor"] = {"servers": ["toy"], "results": found}


@pytest.mark.parametrize(
    ("tool", "told"),
    [
        ("find_usages", "no usage of 'total' is known"),
        ("get_symbol_info", "the language server knows nothing about 'total'"),
    ],
)
async def test_a_symbol_that_nobody_knows(desk: Desk, run: str, tool: str, told: str) -> None:
    _, _, entry = await begin(desk, run)
    (desk.folder / "a.py").write_text("total = 1\nprint(total)\n")
    answer_with(desk, None)
    with McpServer(entry) as server:
        await do(server.begin)
        assert (await do(lambda: server.call(tool, **WHERE))).split("\n") == [told, TWICE]
        assert await do(lambda: server.call(tool, **WHERE, line=2)) == told


async def test_an_answer_names_no_tool_that_is_left_out(desk: Desk, run: str) -> None:
    _, _, entry = await begin(desk, run, editor_tools=["find_usages", "selection"])
    path = desk.folder / "a.py"
    path.write_text("total = 1\n")
    selected = {"path": str(path), "first": 1, "last": 2000, "lines": ["x"] * 2000}
    desk.editor.answers["ask_editor"] = selected
    with McpServer(entry) as server:
        await do(server.begin)
        nowhere = {**WHERE, "line_content": "nowhere"}
        told = await do(lambda: server.fail("find_usages", **nowhere))
        assert told == "no line of a.py has the text 'nowhere': read the file again"
        assert (await do(server.call, "selection")).endswith("more: true (read the file from line 1001)")


async def test_places_that_two_servers_name_count_once(desk: Desk, run: str) -> None:
    _, _, entry = await begin(desk, run)
    (desk.folder / "a.py").write_text("total = 1\n" * 120)
    uri = (desk.folder / "a.py").as_uri()
    places = [{"uri": uri, "range": {"start": {"line": row, "character": 0}}} for row in range(120)]
    answer_with(desk, places, places)
    with McpServer(entry) as server:
        await do(server.begin)
        told = await do(lambda: server.call("find_usages", **WHERE, line=1))
    assert told.endswith("more: true (120 places in all: search the other files by text)")


async def test_an_agent_that_closes_its_end_leaves_no_server(desk: Desk, run: str) -> None:
    _, _, entry = await begin(desk, run)
    reads, writes = os.pipe()
    env = {pair["name"]: pair["value"] for pair in entry["env"]}
    command = [entry["command"], *entry["args"]]
    with subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=writes) as server:
        os.close(reads)
        os.close(writes)
        assert server.stdin
        server.stdin.write(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
        server.stdin.flush()
        assert await do(lambda: server.wait(5)) == 0
