"""Who says yes to a call of the editor's tools: rules, the user at a proposal, or nobody where it only reads."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.client.conftest import Desk, Talk
from tests.client.editor_tools_steps import begin, do, entries, run_folder, setup
from tests.fakes.mcp_client import McpServer
from tests.fakes.script import (
    ScriptedAgent,
    eventually,
    on,
    on_initialize,
    on_prompt,
    permission,
    result,
    say,
    tool,
    wait_file,
)

NAME = "mcp__acp_nvim__read_buffer"
CODEX = {"server": "acp_nvim", "tool": "read_buffer", "arguments": {"path": "a.py"}}


@pytest.fixture
def run() -> str:
    return run_folder()


def named(name: str) -> dict[str, Any]:
    return {"_meta": {"claudeCode": {"toolName": name}}}


async def connected(
    desk: Desk, run: str, *steps: Any, **config: Any
) -> tuple[Talk, McpServer, ScriptedAgent]:
    """A session whose agent has started our server, and does these steps when it is asked."""
    talk, agent, entry = await begin(desk, run, on_prompt("", *steps), **config)
    server = McpServer(entry)
    await do(server.begin)
    await eventually(lambda: talk.status["tools"]["state"] == "connected")
    return talk, server, agent


@pytest.mark.parametrize(
    "fields",
    [
        {"title": NAME, **named(NAME)},
        {"title": "mcp.acp_nvim.read_buffer", "kind": "execute", "rawInput": CODEX},
    ],
)
async def test_a_reading_tool_is_allowed_without_a_question(desk: Desk, run: str, fields: Any) -> None:
    talk, server, _ = await connected(
        desk, run, permission(fields.pop("title"), **fields), say("chosen {answer}")
    )
    with server:
        await talk.turn("read")
    assert '"optionId": "yes"' in talk.says.replace('\\"', '"')
    assert talk.data("AcpAnswered")[0]["by"] == "tool"
    talk.send("why")
    assert await desk.message("allowed: reading what you have open")


async def test_a_changing_tool_is_decided_at_its_proposal(desk: Desk, run: str) -> None:
    name = "mcp__acp_nvim__rename_symbol"
    talk, server, _ = await connected(desk, run, permission(name, **named(name)))
    with server:
        await talk.turn("rename")
    assert talk.data("AcpAnswered")[0]["by"] == "tool"
    talk.send("why")
    assert await desk.message("decided at the proposal")


@pytest.mark.parametrize(
    "fields",
    [
        {"title": NAME},  # a model may have a title in its hand
        {"title": "read_buffer"},
        {"title": "Run it", "rawInput": CODEX},
        {"title": "x", **named("mcp__other__read_buffer")},
        {"title": "x", **named("neovim.read_buffer")},
    ],
)
async def test_the_user_is_asked_where_the_wire_does_not_tell_for_sure(
    desk: Desk, run: str, fields: dict[str, Any]
) -> None:
    fields = dict(fields)
    talk, server, _ = await connected(desk, run, permission(fields.pop("title"), **fields))
    with server:
        talk.prompt("read")
        await talk.asked()
        talk.answer("no")
        await talk.ended(1)


async def test_no_server_of_ours_no_tool_of_ours(desk: Desk, run: str) -> None:
    talk, _, _ = await begin(desk, run, on_prompt("", permission(NAME, **named(NAME))))
    talk.prompt("read")
    await talk.asked()
    talk.answer("no")
    await talk.ended(1)


@pytest.mark.parametrize("action", ["reject", "ask"])
async def test_rules_hold_for_the_agents_question(desk: Desk, run: str, action: str) -> None:
    rules = [{"action": action, "tool": "neovim.read_buffer"}]
    talk, server, agent = await connected(desk, run, permission(NAME, **named(NAME)), permissions=rules)
    with server:
        talk.prompt("read")
        if action == "ask":
            await talk.asked()
            talk.answer("yes")
        await talk.ended(1)
    outcome = [message["result"]["outcome"]["optionId"] for message in agent.got() if "method" not in message]
    assert outcome == ["no" if action == "reject" else "yes"]


async def test_rules_hold_at_our_server_whatever_the_agent_asks(desk: Desk, run: str) -> None:
    rules = [
        {"action": "reject", "tool": "neovim.selection"},
        {"action": "ask", "tool": "neovim.open_files"},
    ]
    go = desk.folder / "go"
    talk, server, _ = await connected(desk, run, wait_file(str(go)), permissions=rules)
    desk.editor.answers["ask_editor"] = {"files": []}
    with server:
        talk.prompt("look")
        await talk.until("running")
        assert "rule 1 of the user rejects" in await do(server.fail, "selection")
        talk.send("why")
        assert await desk.message("rejected by rule 1")
        number = server.begin_call("open_files")
        [question] = await talk.asked()
        assert [option["id"] for option in question["options"]] == ["allow", "reject"]
        talk.answer("allow")
        assert await do(server.result, number) == ("no file is open", False)
        number = server.begin_call("open_files")
        await talk.asked()
        talk.answer("reject")
        assert await do(server.result, number) == ("the user rejected this", True)
        go.touch()
        await talk.ended(1)


async def test_a_user_who_was_asked_by_the_agent_is_not_asked_again(desk: Desk, run: str) -> None:
    go = desk.folder / "go"
    name = "mcp__acp_nvim__open_files"
    rules = [{"action": "ask", "tool": "neovim.open_files"}]
    talk, server, _ = await connected(
        desk, run, permission(name, **named(name)), wait_file(str(go)), permissions=rules
    )
    desk.editor.answers["ask_editor"] = {"files": []}
    with server:
        talk.prompt("look")
        await talk.asked()
        talk.answer("yes")
        await talk.asked(0)
        assert await do(server.call, "open_files") == "no file is open"
        go.touch()
        await talk.ended(1)


async def test_a_call_that_the_agent_tells_of_later_is_one_line(desk: Desk, run: str) -> None:
    go = desk.folder / "go"
    name = "acp_nvim_open_files"
    talk, server, _ = await connected(
        desk,
        run,
        wait_file(str(go)),
        tool("t1", title=name, status="pending"),
        tool("t1", status="completed"),
    )
    desk.editor.answers["ask_editor"] = {"files": []}
    with server:
        talk.prompt("look")
        await talk.until("running")
        assert await do(server.call, "open_files") == "no file is open"
        go.touch()
        await talk.ended(1)
    assert [line for line in talk.lines if "open_files" in line] == ["read    neovim.open_files"]
    assert talk.data("AcpToolCall")[-1]["id"] == "t1"


def rename(desk: Desk, path: Path) -> None:
    """What the editor has from the language server: the first letter of the file is another one."""
    start, end = {"line": 0, "character": 0}, {"line": 0, "character": 1}
    edit = {"range": {"start": start, "end": end}, "newText": "b"}
    result = {"changes": {f"file://{path}": [edit]}}
    answer = {"server": "toy", "id": 1, "encoding": "utf-16", "result": result}
    desk.editor.answers["ask_editor"] = {"servers": ["toy"], "results": [answer], "texts": {}, "changed": []}


RENAME = {"path": "a.py", "symbol": "a", "line_content": "a", "new_name": "b"}


async def proposed(desk: Desk, run: str, **config: Any) -> tuple[Talk, McpServer, int, Path]:
    go = desk.folder / "go"
    file = desk.folder / "a.py"
    file.write_text("a\n")
    talk, server, _ = await connected(desk, run, wait_file(str(go)), **config)
    rename(desk, file)
    talk.prompt("rename")
    await talk.until("running")
    number = server.ask("tools/call", {"name": "rename_symbol", "arguments": RENAME})
    return talk, server, number, file


async def test_a_proposal_is_allowed_and_written(desk: Desk, run: str) -> None:
    talk, server, number, file = await proposed(desk, run)
    with server:
        [question] = await talk.asked()
        assert question["has_diff"]
        talk.answer("allow")
        text, is_error = await do(server.result, number)
        assert (text, is_error) == ("the user allowed the change, and it is written: a.py", False)
        assert file.read_text() == "b\n"
        (desk.folder / "go").touch()
        await talk.ended(1)


@pytest.mark.parametrize("ends", ["allow", "cancel"])
async def test_without_a_turn_it_is_one_of_its_own(desk: Desk, run: str, ends: str) -> None:
    file = desk.folder / "a.py"
    file.write_text("a\n")
    talk, server, agent = await connected(desk, run, say("Yes."))
    rename(desk, file)
    with server:
        number = server.ask("tools/call", {"name": "rename_symbol", "arguments": RENAME})
        await talk.asked()
        assert talk.data("AcpTurnStarted") == [{"turn": 1}]
        talk.prompt("and now?")  # it waits for the decision
        if ends == "allow":
            talk.answer("allow")
        else:
            talk.send("cancel")
        text, _ = await do(server.result, number)
        assert ("it is written" if ends == "allow" else "withdrawn") in text
        told = await talk.ended(1)
        assert told["stop_reason"] == ("end_turn" if ends == "allow" else "cancelled")
        if ends == "cancel":
            talk.send("queue_release")
        await talk.ended(2)
    assert len(agent.got("session/prompt")) == 1
    assert file.read_text() == ("b\n" if ends == "allow" else "a\n")


async def test_a_cancel_withdraws_the_proposal(desk: Desk, run: str) -> None:
    talk, server, number, file = await proposed(desk, run)
    with server:
        await talk.asked()
        talk.send("cancel")
        text, _ = await do(server.result, number)
        assert "withdrawn" in text
        (desk.folder / "go").touch()
        await talk.ended(1)
    assert file.read_text() == "a\n"


async def test_the_end_of_the_turn_leaves_the_proposal_open(desk: Desk, run: str) -> None:
    talk, server, number, file = await proposed(desk, run, editor_tools_wait_ms=50)
    with server:
        assert await do(server.result, number) == ("waiting for the user: the result will be told", False)
        server.send(method="notifications/cancelled", params={"requestId": number})
        (desk.folder / "go").touch()
        await talk.ended(1)
        assert len(talk.questions) == 1
        talk.answer("allow")
        await eventually(lambda: file.read_text() == "b\n")
        await talk.turn("and now?")
    told = desk.scripted[0].got("session/prompt")[1]["params"]["prompt"][0]["text"]
    assert "neovim.rename_symbol a.py a: the user allowed the change, and it is written: a.py" in told


async def test_an_update_of_the_agent_leaves_the_proposal_as_it_is(desk: Desk, run: str) -> None:
    """The agent goes on when it is told to wait no more, and says that its call is done."""
    go = desk.folder / "go"
    (desk.folder / "a.py").write_text("a\n")
    name = "mcp__acp_nvim__rename_symbol"
    done = {"content": [{"type": "content", "content": {"type": "text", "text": "waiting"}}]}
    talk, server, _ = await connected(
        desk,
        run,
        tool("t1", title=name, **named(name)),
        wait_file(str(go)),
        tool("t1", known=True, status="completed", **done),
        editor_tools_wait_ms=50,
    )
    rename(desk, desk.folder / "a.py")
    with server:
        talk.prompt("rename")
        await eventually(lambda: talk.data("AcpToolCall"))
        await do(lambda: server.call("rename_symbol", **RENAME))
        go.touch()
        await talk.ended(1)
        [question] = talk.questions
        assert question["has_diff"]
        talk.answer("allow")
        await eventually(lambda: (desk.folder / "a.py").read_text() == "b\n")
        assert {data["id"] for data in talk.data("AcpToolCall")} == {"t1"}


@pytest.mark.parametrize("is_outside", [False, True])
async def test_a_rule_that_names_the_tool_allows_what_lies_inside(
    desk: Desk, run: str, other: Path, is_outside: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    rules = [{"action": "allow", "tool": "neovim.rename_symbol"}]
    go, file = desk.folder / "go", desk.folder / "a.py"
    file.write_text("a\n")
    talk, server, _ = await connected(desk, run, wait_file(str(go)), permissions=rules)
    further = tmp_path_factory.mktemp("outside") / "b.py"
    further.write_text("a\n")
    rename(desk, further if is_outside else file)
    with server:
        talk.prompt("rename")
        await talk.until("running")
        number = server.ask("tools/call", {"name": "rename_symbol", "arguments": RENAME})
        if is_outside:
            await talk.asked()
            talk.answer("reject")
        text, _ = await do(server.result, number)
        assert ("rejected" in text) is is_outside
        assert bool(talk.data("AcpQuestion")) is is_outside
        go.touch()
        await talk.ended(1)
    assert [path.read_text() for path in (file, further)] == ["a\n" if is_outside else "b\n", "a\n"]


async def test_no_write_through_the_editor(desk: Desk, run: str) -> None:
    fs = {"read": True, "write": False, "outside": "ask", "autocmds": True}
    talk, server, number, _ = await proposed(desk, run, fs=fs)
    with server:
        assert "fs.write" in (await do(server.result, number))[0]
        (desk.folder / "go").touch()
        await talk.ended(1)


async def test_calls_while_only_a_fork_works_are_the_forks(desk: Desk, run: str) -> None:
    go = desk.folder / "go"
    offers = on_initialize(sessionCapabilities={"fork": {}})
    forked = on("session/fork", result({"sessionId": "f"}))
    agent = desk.agent(offers, forked, on_prompt("", wait_file(str(go))))
    setup(desk, run)
    parent = await desk.ready()
    [[entry]] = entries(agent)
    fork = desk.new(verb="fork", id="s1")
    await fork.until("idle")
    [[own]] = entries(agent, "session/fork")
    assert own["args"] != entry["args"]
    desk.editor.answers["ask_editor"] = {"files": []}
    with McpServer(entry) as server:
        await do(server.begin)
        fork.prompt("work")
        await fork.until("running")
        await do(server.call, "open_files")
        assert [talk.status["tools"]["calls"] for talk in (parent, fork)] == [0, 1]
        parent.prompt("work")
        await parent.until("running")
        await do(server.call, "open_files")
        await eventually(lambda: parent.status["tools"]["calls"] == 1)
        go.touch()
        await fork.ended(1)
        await parent.ended(1)


async def test_a_process_with_several_working_sessions_changes_nothing(desk: Desk, run: str) -> None:
    go = desk.folder / "go"
    agent = desk.agent(on_prompt("", wait_file(str(go))), spec={"mcp": "argument"})
    setup(desk, run)
    first, second = await desk.ready(), await desk.ready()
    assert entries(agent) == [[], []]
    file = agent.logged("start")[0]["argv"][-1].partition("=@")[2]
    told = json.loads(Path(file).read_text())["mcpServers"]["acp_nvim"]
    env = [{"name": name, "value": value} for name, value in told["env"].items()]
    desk.editor.answers["ask_editor"] = {"files": []}
    with McpServer({**told, "env": env}) as server:
        await do(server.begin)
        for talk in (first, second):
            talk.prompt("work")
            await talk.until("running")
        assert "several sessions" in await do(lambda: server.fail("rename_symbol", **RENAME))
        assert await do(server.call, "open_files") == "no file is open"
        go.touch()
        await first.ended(1)
        await second.ended(1)


@pytest.mark.parametrize("option", ["allow", "reject"])
async def test_files_that_are_made_moved_and_deleted(desk: Desk, run: str, option: str) -> None:
    go = desk.folder / "go"
    for name in ("a.py", "gone.py", "moved.py"):
        (desk.folder / name).write_text(f"{name}\n")
    talk, server, _ = await connected(desk, run, wait_file(str(go)))
    rename(desk, desk.folder / "a.py")
    uri = f"file://{desk.folder}"
    steps = [
        {"kind": "create", "uri": f"{uri}/new.py"},
        {"kind": "delete", "uri": f"{uri}/gone.py"},
        {"kind": "rename", "oldUri": f"{uri}/moved.py", "newUri": f"{uri}/there.py"},
        {
            "textDocument": {"uri": f"{uri}/new.py"},
            "edits": [
                {
                    "range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}},
                    "newText": "made\n",
                }
            ],
        },
    ]
    desk.editor.answers["ask_editor"]["results"][0]["result"] = {"documentChanges": steps}
    before = {path.name: path.read_text() for path in desk.folder.glob("*.py")}
    with server:
        talk.prompt("rename")
        await talk.until("running")
        number = server.ask("tools/call", {"name": "rename_symbol", "arguments": RENAME})
        [question] = await talk.asked()
        assert {Path(path).name for path in question["files"]} == {
            "new.py",
            "gone.py",
            "moved.py",
            "there.py",
        }
        talk.answer(option)
        text, is_error = await do(server.result, number)
        assert not is_error, text
        go.touch()
        await talk.ended(1)
    after = {path.name: path.read_text() for path in desk.folder.glob("*.py")}
    made = {"a.py": "a.py\n", "new.py": "made\n", "there.py": "moved.py\n"}
    assert after == (made if option == "allow" else before), text


@pytest.mark.parametrize("name", ["c#.py", "a%20b.py", "a?b.py"])
async def test_a_file_is_formatted_whatever_its_name(desk: Desk, run: str, name: str) -> None:
    go = desk.folder / "go"
    file = desk.folder / name
    file.write_text("a\n")
    talk, server, _ = await connected(desk, run, wait_file(str(go)))
    rename(desk, file)
    [answer] = desk.editor.answers["ask_editor"]["results"]
    [answer["result"]] = answer["result"]["changes"].values()
    with server:
        talk.prompt("format")
        await talk.until("running")
        number = server.ask("tools/call", {"name": "format_file", "arguments": {"path": name}})
        [question] = await talk.asked()
        assert question["path"] == str(file)
        talk.answer("allow")
        await do(server.result, number)
        go.touch()
        await talk.ended(1)
    assert file.read_text() == "b\n"
