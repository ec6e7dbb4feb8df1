"""`:Acp continue` and the empty chat: the newest conversation of the folder goes on, however its agent can."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import error, on, on_initialize, on_prompt, result, say, script, update, wait_file
from tests.functional.editor import Editor
from tests.steps.messages import expect_message
from tests.steps.sessions import converse_and_quit, open_with_agent

Open = Callable[..., Editor]
TEXT = "return table.concat(vim.api.nvim_buf_get_lines(vim.fn.bufnr('^acp://' .. ... .. '/chat$'), 0, -1, false), '|')"


def spoken(role: str, text: str) -> Any:
    return update({"sessionUpdate": f"{role}_message_chunk", "content": {"type": "text", "text": text}})


CASES = {
    "load": (
        on_initialize(loadSession=True),
        on("session/load", spoken("user", "tidy up"), spoken("agent", "told by the agent"), result({})),
    ),
    "resume": (on_initialize(sessionCapabilities={"resume": {}}), on("session/resume", result({}))),
    "new": (on_initialize(), on("session/fork", result({}))),
    "refused": (
        on_initialize(loadSession=True),
        on("session/load", wait_file("{cwd}/go"), error(-32602, "unknown session")),
    ),
}


@pytest.mark.parametrize("how", CASES)
def test_the_last_conversation_of_the_folder_goes_on(open_editor: Open, tmp_path: Path, how: str) -> None:
    answers = on_prompt("tidy", say("All is tidy.")), on_prompt("", say("more"))
    again = converse_and_quit(open_editor, script(tmp_path, *answers), "tidy up the project")
    agent = script(tmp_path, *CASES[how], *answers, name="second")
    editor = open_with_agent(open_editor, agent, **again)
    editor.type(":Acp continue<CR>")
    editor.screen.expect('continuing "tidy up the project" (just now) with my agent')
    # what the agent refuses is told in the place of this message
    (Path(editor.lua("return vim.fn.getcwd()")) / "go").touch()
    editor.wait_event("AcpSessionStarted")
    if how == "refused":
        expect_message(editor, "could not load this conversation, a new one begins: unknown session")
    text = editor.expect_lua(TEXT, lambda text: "tid" in text, 1)
    if how == "load":
        assert "told by the agent" in text
        assert "All is tidy." not in text
    else:
        assert "tidy up the project" in text
        assert "All is tidy." in text
        remembers = "resumed: the agent remembers the conversation above"
        forgets = "started again: the agent does not remember the conversation above"
        assert (remembers if how == "resume" else forgets) in text
    if how in ("load", "resume"):
        first = agent.got(f"session/{how}")[0]["params"]
        assert first["sessionId"] == "s1"
        assert agent.got("session/new") == []
    editor.type("igo on<Esc><CR>")
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect("more")
    assert len(editor.acp("sessions")) == 1
    # it is open now: from the chat of a new session it is gone back to, and the empty one is closed
    editor.type(":Acp new<CR>")
    editor.wait_event("AcpSessionStarted", session=2)
    editor.type(":Acp continue<CR>")
    editor.screen.expect('back in "tidy up the project"')
    editor.expect_lua(
        "return vim.tbl_map(function(s) return s.session end, require('acp_nvim').sessions())", [1]
    )
    assert editor.lua("return vim.fn.bufname()") == "acp://1/prompt"


@pytest.mark.parametrize("is_alive", [True, False])
def test_the_draft_of_the_empty_chat_goes_into_the_history(
    open_editor: Open, tmp_path: Path, is_alive: bool
) -> None:
    answers = (
        on_initialize(loadSession=True),
        on("session/load", result({})),
        on_prompt("", say("All is tidy.")),
    )
    again = converse_and_quit(open_editor, script(tmp_path, *answers), "tidy up the project")
    other = on("session/new", result({"sessionId": "other"}), times=1)
    editor = open_with_agent(open_editor, script(tmp_path, other, *answers, name="second"), **again)
    editor.type(":Acp<CR>")
    editor.wait_event("AcpSessionStarted")
    if is_alive:
        editor.type("itidy it<Esc><CR>")
        editor.wait_event("AcpTurnEnded")
        editor.type(":Acp new<CR>")
        editor.wait_event("AcpSessionStarted", session=2)
        editor.expect_lua("return vim.fn.bufname()", "acp://2/prompt")
    editor.type("ihalf a thought<Esc>:Acp continue<CR>")
    editor.screen.expect("<C-p> has your draft")
    prompt = "acp://1/prompt" if is_alive else "acp://2/prompt"
    editor.expect_lua("return vim.fn.bufname()", prompt)
    editor.expect_lua("return #require('acp_nvim').sessions()", 1)
    editor.type("<C-p>")
    editor.expect_lua("return vim.fn.getline(1)", "half a thought")


def test_where_there_is_nothing_to_continue_a_line_says_so(open_editor: Open, tmp_path: Path) -> None:
    again = converse_and_quit(open_editor, script(tmp_path, on_prompt("", say("fine"))), "hello")
    elsewhere = {**again, "init": "", "size": (100, 30)}
    editor = open_with_agent(open_editor, script(tmp_path, name="second"), **elsewhere)
    editor.type(":Acp continue<CR>")
    folder = Path(editor.lua("return vim.fn.getcwd()")).name
    editor.screen.expect(f"{folder}: see :Acp sessions")
    assert editor.acp("sessions") == []


def test_a_conversation_with_an_agent_that_is_gone_is_replayed(open_editor: Open, tmp_path: Path) -> None:
    again = converse_and_quit(open_editor, script(tmp_path, on_prompt("", say("fine"))), "hello")
    editor = open_editor(**again)
    editor.type(":Acp continue<CR>")
    editor.screen.expect('"hello" (just now) used my-agent, which is not configured')
    editor.screen.expect("fine")
