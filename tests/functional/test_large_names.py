"""An agent whose names, titles and capabilities are megabytes long keeps Neovim from no key."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import on, on_prompt, permission, result, say, script, tool, wait_file
from tests.functional.editor import Editor
from tests.steps.conversation import expect_answerable, open_chat, send

Open = Callable[..., Editor]
LONG = "a rather long name " * 200_000  # 4 MB
LONGEST_WAIT = 250  # milliseconds


def initialize() -> object:
    methods = [
        {"id": f"way-{n}", "name": LONG[:1_000_000], "description": LONG[:1_000_000]} for n in range(3)
    ]
    answer = {
        "protocolVersion": 1,
        "agentInfo": {"name": LONG, "title": LONG, "version": LONG},
        "agentCapabilities": {"loadSession": True, "words": LONG, "list": list(range(200_000)), LONG: {}},
        "authMethods": methods,
    }
    return on("initialize", result(answer))


@pytest.mark.alone
def test_an_agent_introduces_itself_with_megabytes(open_editor: Open, tmp_path: Path) -> None:
    editor = open_editor(
        setup={"agents": {"agent0": _spec(script(tmp_path, initialize(), on_prompt("", say("Hello."))))}}
    )
    with editor.second_client() as probe:
        editor.type(":Acp<CR>")
        editor.wait_event("AcpSessionStarted")
        send(editor, "go")
        editor.wait_event("AcpTurnEnded")
        editor.screen.expect("Hello.")
    status = editor.acp("status")
    assert len(status["agent_title"]) <= 200
    assert status["capabilities"]["loadSession"] is True
    assert len(str(status)) < 200_000
    assert probe.percentile(100) < LONGEST_WAIT


@pytest.mark.alone
def test_a_call_and_a_question_with_titles_of_megabytes(open_editor: Open, tmp_path: Path) -> None:
    agent = script(
        tmp_path,
        on_prompt(
            "",
            tool("read", kind="read", title=LONG, status="completed"),
            permission(LONG, kind="other", id="ask"),
            say("answered {answer}"),
        ),
    )
    editor = open_chat(open_editor, agent)
    with editor.second_client() as probe:
        send(editor, "go")
        editor.wait_event("AcpQuestion")
        (question,) = editor.acp("questions")
        expect_answerable(editor)
        editor.type(":Acp accept<CR>")
        editor.expect_lua("return vim.fn.execute('messages'):find('not sent') ~= nil")
        expect_answerable(editor)
        editor.type(":Acp reject<CR>")
        assert editor.wait_event("AcpAnswered")["option_id"] == "no"
        editor.wait_event("AcpTurnEnded")
    assert len(question["title"]) <= 1000
    assert probe.percentile(100) < LONGEST_WAIT


@pytest.mark.alone
def test_a_proposal_of_ten_thousand_files_is_decided_in_the_chat(open_editor: Open, tmp_path: Path) -> None:
    diffs = [
        {"type": "diff", "path": f"/f{n}.txt", "oldText": None, "newText": "new\n"} for n in range(10_000)
    ]
    editor = open_chat(
        open_editor,
        script(tmp_path, on_prompt("", permission("Make them", kind="edit", content=diffs), say("done"))),
    )
    before = editor.lua("return #vim.api.nvim_list_bufs()")
    with editor.second_client() as probe:
        send(editor, "go")
        editor.wait_event("AcpQuestion")
        editor.type(":Acp diff<CR>")
        editor.expect_lua("return vim.fn.execute('messages'):find('10000 files are too many') ~= nil")
        assert editor.lua("return #vim.api.nvim_list_bufs()") < before + 10
        assert editor.acp("answer", editor.acp("questions")[0]["id"], "no") is True
        editor.wait_event("AcpTurnEnded")
    assert probe.percentile(100) < LONGEST_WAIT


@pytest.mark.alone
def test_a_new_file_of_one_endless_line_opens_no_diff_by_itself(open_editor: Open, tmp_path: Path) -> None:
    diff = {"type": "diff", "path": str(tmp_path / "new.js"), "oldText": None, "newText": "x = 1; " * 500_000}
    agent = script(tmp_path, on_prompt("", permission("Make it", kind="edit", content=[diff]), say("done")))
    editor = open_chat(open_editor, agent)
    with editor.second_client() as probe:
        send(editor, "go")
        editor.wait_event("AcpQuestion")
        editor.screen.expect("3 ✗ No")
        assert editor.lua("return #vim.api.nvim_tabpage_list_wins(0)") == 3
        editor.type(":Acp diff<CR>")
        editor.expect_lua("return vim.bo.buftype", "acwrite")
        assert editor.lua("return vim.wo.diff") is False
        expect_answerable(editor)
        editor.type(":Acp reject<CR>")
        assert editor.wait_event("AcpAnswered")["option_id"] == "no"
    assert probe.percentile(100) < 2 * LONGEST_WAIT  # of which opening it when asked takes most


@pytest.mark.alone
def test_many_running_calls_cost_a_turn_of_the_spinner_nothing(open_editor: Open, tmp_path: Path) -> None:
    calls = ["repeat", 20_000, [tool("call-{n}", kind="read", title="read {n}", status="in_progress")]]
    agent = script(tmp_path, on_prompt("", calls, say("all began"), wait_file(str(tmp_path / "end"))))
    editor = open_chat(open_editor, agent)
    send(editor, "go")
    editor.screen.expect("all began", timeout=60)
    cost = editor.lua(
        """local chats = require('acp_nvim.chat.buffer')
        local win = vim.fn.bufwinid(chats.buffer(1))
        local began = vim.uv.hrtime()
        for _ = 1, 20 do chats.spin(1, win, '|') end
        return (vim.uv.hrtime() - began) / 1e6 / 20"""
    )
    assert cost < 3, f"{cost} ms for one turn of the spinner"


def _spec(agent: object) -> dict[str, object]:
    return {"command": agent.argv[0], "args": agent.argv[1:]}
