"""The prompt and its queue: what the user has written is kept, sent once, and comes back."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import (
    ScriptedAgent,
    on_initialize,
    on_prompt,
    permission,
    say,
    script,
    wait_file,
)
from tests.functional.editor import Editor

Open = Callable[..., Editor]
LINES = "return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '|')"


def talking(open_editor: Open, agent: ScriptedAgent, **options: Any) -> Editor:
    """The chat is open and the cursor in its prompt."""
    spec = {"command": agent.argv[0], "args": agent.argv[1:]}
    editor = open_editor(setup={"agents": {"agent": spec}, "default_agent": "agent"}, **options)
    editor.type(":Acp<CR>")
    editor.wait_event("AcpSessionStarted")
    return editor


def send(editor: Editor, text: str) -> None:
    editor.type(f"<Esc>:Acp<CR>i{text}<Esc><CR>")


def sent(agent: ScriptedAgent) -> list[str]:
    return [message["params"]["prompt"][0]["text"] for message in agent.got("session/prompt")]


@pytest.mark.parametrize("command", ["e", "e!", "bd", "bd!", "bw", "bw!", "bun", "%bd", "%bw!"])
def test_a_draft_outlives_its_buffer(open_editor: Open, tmp_path: Path, command: str) -> None:
    editor = talking(open_editor, script(tmp_path))
    editor.type(f"ia draft<CR>of two lines<Esc>:{command}<CR>:Acp<CR>")
    editor.expect_lua(LINES, "a draft|of two lines")
    assert editor.lua("return vim.bo.filetype .. vim.bo.buftype .. vim.b.acp_session") == "acp_promptnofile1"
    editor.type(":%d<CR><C-p>")
    editor.expect_lua(LINES, "a draft|of two lines")


def test_a_deleted_prompt_comes_back_with_its_keys(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", say("got it")))
    editor = talking(open_editor, agent)
    buffer = editor.lua("return vim.fn.bufnr()")
    editor.type("ia draft<Esc>:bd<CR>")
    editor.expect_lua("return #vim.api.nvim_list_wins()", 1)
    editor.type(f":b {buffer}<CR>")
    editor.expect_lua(LINES, "a draft")
    editor.type("<CR>")
    editor.wait_event("AcpTurnEnded")
    assert sent(agent) == ["a draft"]
    editor.expect_lua(LINES, "")


def test_a_draft_left_for_the_history_outlives_its_buffer_too(open_editor: Open, tmp_path: Path) -> None:
    editor = talking(open_editor, script(tmp_path, on_prompt("", say("got it"))))
    send(editor, "earlier")
    editor.wait_event("AcpTurnEnded")
    editor.type("ia draft<Esc><C-p>")
    editor.expect_lua(LINES, "earlier")
    editor.type(":bw<CR>:Acp<CR>")
    editor.expect_lua(LINES, "earlier")
    editor.type("<C-p><C-p>")
    editor.expect_lua(LINES, "a draft")


def test_what_was_sent_does_not_come_back_as_a_draft(open_editor: Open, tmp_path: Path) -> None:
    editor = talking(open_editor, script(tmp_path, on_prompt("", say("got it"))))
    editor.type("ia draft<Esc>:bd<CR>:Acp<CR><CR>")
    editor.wait_event("AcpTurnEnded")
    editor.type(":bw<CR>:Acp<CR>")
    editor.expect_lua("return vim.bo.filetype", "acp_prompt")
    assert editor.lua(LINES) == ""


def test_what_was_written_in_a_restored_prompt_goes_into_the_new_one(
    open_editor: Open, tmp_path: Path
) -> None:
    agent = script(tmp_path)
    before = talking(open_editor, agent)
    file = tmp_path / "Session.vim"
    before.type(f"ia draft<Esc>:mksession {file}<CR>")
    before.expect_lua("return vim.fn.filereadable(...)", 1, str(file))
    spec = {"command": agent.argv[0], "args": agent.argv[1:]}
    editor = open_editor(setup={"agents": {"agent": spec}, "default_agent": "agent"})
    editor.type(f":source {file}<CR>:edit acp://1/prompt<CR>inot to be lost<Esc>:Acp<CR>")
    editor.wait_event("AcpSessionStarted")
    editor.expect_lua(LINES, "not to be lost")
    assert editor.lua("return vim.bo.filetype") == "acp_prompt"


def test_the_hint_follows_the_mode(open_editor: Open, tmp_path: Path) -> None:
    editor = talking(open_editor, script(tmp_path, on_initialize()))
    editor.screen.expect("press i to ask Scripted …   <CR> sends")
    editor.type("i")
    editor.screen.expect("Ask Scripted …   <C-s> sends")
    editor.type("<Esc>")
    editor.screen.expect("press i to ask Scripted …   <CR> sends")


def test_the_hint_names_the_agent_as_soon_as_it_has_told_its_name(open_editor: Open, tmp_path: Path) -> None:
    go = tmp_path / "go"
    agent = script(tmp_path, on_initialize(), start=[wait_file(str(go))])
    spec = {"command": agent.argv[0], "args": agent.argv[1:]}
    editor = open_editor(setup={"agents": {"agent": spec}, "default_agent": "agent"})
    editor.type(":Acp<CR>")
    editor.screen.expect("press i to ask agent …")
    go.touch()
    editor.screen.expect("press i to ask Scripted …")


@pytest.mark.parametrize(
    "how", [":Acp prompt look here<CR>", ":lua require('acp_nvim').prompt('look here')<CR>"]
)
def test_what_was_sent_from_elsewhere_is_in_the_history(open_editor: Open, tmp_path: Path, how: str) -> None:
    editor = talking(open_editor, script(tmp_path, on_prompt("", say("got it"))))
    send(editor, "first")
    editor.wait_event("AcpTurnEnded")
    editor.type(f"ia draft<Esc>{how}")
    editor.wait_event("AcpTurnEnded")
    editor.type("<C-p>")
    editor.expect_lua(LINES, "look here")
    editor.type("<C-p>")
    editor.expect_lua(LINES, "first")
    editor.type("<C-n><C-n>")
    editor.expect_lua(LINES, "a draft")


def test_a_prompt_from_elsewhere_leaves_the_draft_of_one_who_looks_back(
    open_editor: Open, tmp_path: Path
) -> None:
    editor = talking(open_editor, script(tmp_path, on_prompt("", say("got it"))))
    send(editor, "first")
    editor.wait_event("AcpTurnEnded")
    editor.type("ia draft<Esc><C-p>")
    editor.expect_lua(LINES, "first")
    editor.acp("prompt", "look here")
    editor.wait_event("AcpTurnEnded")
    editor.type("<C-n><C-n>")
    editor.expect_lua(LINES, "a draft")


def test_what_was_said_with_a_refusal_is_in_the_history(open_editor: Open, tmp_path: Path) -> None:
    editor = talking(
        open_editor, script(tmp_path, on_prompt("go", permission("rm")), on_prompt("", say("ok")))
    )
    send(editor, "go")
    editor.wait_event("AcpQuestion")
    editor.screen.expect("1 Yes")
    editor.type(":Acp reject not this way<CR>")
    editor.wait_event("AcpTurnEnded")
    editor.type(":Acp<CR><C-p>")
    editor.expect_lua(LINES, "not this way")


def queueing(open_editor: Open, tmp_path: Path, *queued: str) -> tuple[Editor, ScriptedAgent, Path, Path]:
    """A turn runs until the first file is there, the next one until the second; the rest waits in the queue."""
    first, second = tmp_path / "first", tmp_path / "second"
    agent = script(
        tmp_path,
        on_prompt("busy", wait_file(str(first))),
        on_prompt("", wait_file(str(second))),
    )
    editor = talking(open_editor, agent, size=(200, 40))
    editor.acp("prompt", "busy")
    for text in queued:
        editor.acp("prompt", text)
    editor.expect_lua("return require('acp_nvim').status().queue", len(queued))
    editor.type(":Acp queue<CR>")
    editor.expect_lua("return vim.bo.filetype", "acp_queue")
    return editor, agent, first, second


def let_one_go_out(editor: Editor, file: Path, left: int) -> None:
    file.touch()
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua("return require('acp_nvim').status().queue", left)


def test_what_went_out_while_the_queue_was_edited_is_not_sent_again(
    open_editor: Open, tmp_path: Path
) -> None:
    editor, agent, first, second = queueing(open_editor, tmp_path, "one", "two")
    let_one_go_out(editor, first, 1)
    editor.type(":%s/two/three/<CR>:w<CR>")
    editor.screen.expect("already sent: 'one'; 1 prompt queued")
    second.touch()
    editor.wait_event("AcpTurnEnded", turn=3)
    assert sent(agent) == ["busy", "one", "three"]
    assert editor.acp("status")["queue"] == 0


def test_an_edit_of_what_went_out_meanwhile_goes_into_the_history(open_editor: Open, tmp_path: Path) -> None:
    editor, agent, first, second = queueing(open_editor, tmp_path, "one", "two")
    let_one_go_out(editor, first, 1)
    editor.type(":%s/one/another/<CR>:w<CR>")
    editor.screen.expect("sent unedited, the edit is in the history (<C-p>): 'another'; 1 prompt queued")
    second.touch()
    editor.wait_event("AcpTurnEnded", turn=3)
    assert sent(agent) == ["busy", "one", "two"]
    editor.type(":q<CR>:Acp<CR><C-p>")
    editor.expect_lua(LINES, "another")


def test_what_is_queued_while_the_queue_is_edited_stays(open_editor: Open, tmp_path: Path) -> None:
    editor, _, _, _ = queueing(open_editor, tmp_path, "one", "two")
    editor.acp("prompt", "three")
    editor.expect_lua("return require('acp_nvim').status().queue", 3)
    editor.type(":%s/two/2/<CR>:w<CR>")
    editor.screen.expect("3 prompts queued")
    editor.type(":Acp queue<CR>")
    editor.expect_lua(
        LINES, lambda text: text.startswith("one|") and "|2|" in text and text.endswith("|three")
    )


def test_the_queue_can_be_written_twice(open_editor: Open, tmp_path: Path) -> None:
    editor, agent, first, second = queueing(open_editor, tmp_path, "one", "two")
    editor.type(":%s/one/1/<CR>:w<CR>")
    editor.screen.expect("2 prompts queued")
    let_one_go_out(editor, first, 1)
    editor.type(":%s/two/2/<CR>:w<CR>")
    editor.screen.expect("already sent: '1'; 1 prompt queued")
    second.touch()
    editor.wait_event("AcpTurnEnded", turn=3)
    assert sent(agent) == ["busy", "1", "2"]


def test_blank_lines_around_a_queued_prompt_do_not_make_it_another(open_editor: Open, tmp_path: Path) -> None:
    editor, agent, first, second = queueing(open_editor, tmp_path, "\none\n\n", "two")
    let_one_go_out(editor, first, 1)
    editor.type(":w<CR>")
    editor.screen.expect("already sent: 'one'; 1 prompt queued")
    second.touch()
    editor.wait_event("AcpTurnEnded", turn=3)
    assert len(sent(agent)) == 3


def test_the_keys_of_the_prompt_are_all_shown(open_editor: Open, tmp_path: Path) -> None:
    editor = talking(open_editor, script(tmp_path))
    editor.type("g?")
    editor.expect_lua("return vim.bo.filetype", "acp_help")
    lines = editor.lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)")
    assert len(lines) > 6
    editor.screen.expect(lambda screen: all(line.strip() in screen.text() for line in lines))
    assert "j: more" not in editor.screen.text()
    editor.type("q")
    editor.expect_lua("return vim.bo.filetype", "acp_prompt")


def test_the_keys_say_when_there_are_more_of_them_than_lines(open_editor: Open, tmp_path: Path) -> None:
    editor = talking(open_editor, script(tmp_path), size=(100, 11))
    editor.type("g?")
    editor.screen.expect("j: more")
    last = editor.lua("return vim.trim(vim.fn.getline('$'))")
    assert last not in editor.screen.text()
    editor.type("G")
    editor.screen.expect(last)
