"""What agents say beside the standard, as the user sees it: a suggestion as ghost text, tries, the account."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import notify, on, on_prompt, request, result, script, wait_file
from tests.functional.editor import Editor
from tests.steps.conversation import expect_answerable, open_chat, send

Open = Callable[..., Editor]
GHOST = "run the focused tests"
PROMPT = """
  local buf = vim.fn.bufnr('^acp://1/prompt$')
  return table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), '\\n')
"""


def suggesting(open_editor: Open, tmp_path: Path, **options: Any) -> Editor:
    told = {"v": 1, "sessionId": "{session}", "suggestion": GHOST, "promptId": "p"}
    end = result({"stopReason": "end_turn"})
    agent = script(tmp_path, on_prompt("", end, notify("qwen/notify/session/prompt-suggestion", told)))
    editor = open_chat(open_editor, agent, size=(120, 30), **options)
    send(editor, "go")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua("return require('acp_nvim').status().suggestion", GHOST)
    return editor


@pytest.mark.statement(143)
def test_a_suggestion_is_ghost_text_until_it_is_taken(open_editor: Open, tmp_path: Path) -> None:
    editor = suggesting(open_editor, tmp_path)
    editor.screen.expect(GHOST)
    assert editor.lua(PROMPT) == "", "nothing is in the buffer"
    editor.type("i")
    editor.screen.expect(f"{GHOST}   <Tab>")
    editor.type("x")
    editor.screen.expect_gone(GHOST)
    editor.type("<BS>")
    editor.screen.expect(GHOST)
    editor.type("<Tab>")
    editor.expect_lua(PROMPT, GHOST)
    editor.type(" now<Esc><CR>")
    assert editor.wait_event("AcpTurnStarted", turn=2)
    editor.screen.expect(f"{GHOST} now")


@pytest.mark.statement(143)
def test_suggestions_are_off_by_an_option(open_editor: Open, tmp_path: Path) -> None:
    editor = suggesting(open_editor, tmp_path, setup={"chat": {"suggestions": False}})
    editor.screen.expect("press i to ask")
    assert GHOST not in editor.screen.text()
    editor.type("i<Tab><Esc>")
    editor.expect_lua(PROMPT, "\t")


@pytest.mark.statement(142)
def test_who_pays_and_that_the_agent_tries_again_is_shown(open_editor: Open, tmp_path: Path) -> None:
    who = {"kind": "account", "label": "Claude Max", "account": {"email": "me@example.org"}}
    retrying = {"sessionId": "{session}", "category": "rate_limited", "detail": "HTTP 429"}
    agent = script(
        tmp_path,
        on_prompt(
            "",
            notify("_auth/status_update", {"authStatus": who}),
            notify("_session/retrying", retrying),
            wait_file(str(tmp_path / "end")),
        ),
    )
    editor = open_chat(open_editor, agent, size=(120, 30))
    send(editor, "go")
    editor.screen.expect("retrying: rate limited")
    editor.type("<Esc>:Acp agents<CR>")
    editor.screen.expect("Claude Max (me@example.org)")
    editor.type("q")
    (tmp_path / "end").touch()
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect_gone("retrying")


@pytest.mark.statement(141)
def test_what_always_would_cover_stands_under_its_option(open_editor: Open, tmp_path: Path) -> None:
    always = {
        "optionId": "always",
        "name": "Always",
        "kind": "allow_always",
        "_meta": {"required_permissions": [{"scope": "command", "label": "git", "session_pattern": "git *"}]},
    }
    params = {
        "sessionId": "{session}",
        "toolCall": {
            "toolCallId": "t",
            "title": "Log",
            "kind": "execute",
            "rawInput": {"command": "git log"},
        },
        "options": [{"optionId": "once", "name": "Once", "kind": "allow_once"}, always],
    }
    editor = open_chat(
        open_editor,
        script(tmp_path, on_prompt("", request("session/request_permission", params))),
        size=(120, 30),
    )
    send(editor, "go")
    editor.screen.expect("covers git git *")
    editor.expect_lua("return require('acp_nvim').questions()[1].options[2].covers", ["git git *"])
    expect_answerable(editor)
    editor.type(":Acp answer 1<CR>")
    assert editor.wait_event("AcpAnswered")["option_id"] == "once"


@pytest.mark.statement(140)
def test_a_folder_without_trust_is_said_in_the_chat(open_editor: Open, tmp_path: Path) -> None:
    trust = {"status": "untrusted", "details": {"ignoredFiles": ["AGENTS.md"]}}
    answer = {"sessionId": "s1", "_meta": {"workspace_trust": trust}}
    editor = open_chat(open_editor, script(tmp_path, on("session/new", result(answer))), size=(140, 30))
    editor.screen.expect("does not trust this folder")
    editor.expect_lua("return require('acp_nvim').status().trust", "untrusted")
