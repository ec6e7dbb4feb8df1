"""The prompt and its queue: what the user has written is kept, sent once, and comes back."""

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import (
    ScriptedAgent,
    on,
    on_initialize,
    on_prompt,
    permission,
    say,
    script,
    wait,
    wait_file,
    wait_until,
)
from tests.functional.editor import Editor
from tests.steps.conversation import expect_answerable

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


def test_a_draft_outlives_its_buffer(open_editor: Open, tmp_path: Path) -> None:
    editor = talking(open_editor, script(tmp_path))
    for command in ("e", "e!", "bd", "bd!", "bw", "bw!", "bun", "%bd", "%bw!"):
        draft = f"a draft before {command}|of two lines"
        editor.type(f"i{draft.replace('|', '<CR>')}<Esc>:{command}<CR>:Acp<CR>")
        editor.expect_lua(LINES, draft)
        kind = editor.lua("return vim.bo.filetype .. vim.bo.buftype .. vim.b.acp_session")
        assert kind == "acp_promptnofile1"
        editor.type(":%d<CR><C-p>")
        editor.expect_lua(LINES, draft)
        editor.type(":%d<CR>")


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


def test_the_hint_follows_the_mode_and_the_turn(open_editor: Open, tmp_path: Path) -> None:
    go = tmp_path / "go"
    editor = talking(open_editor, script(tmp_path, on_initialize(), on_prompt("", wait_file(str(go)))))
    editor.screen.expect("press i to ask Scripted …   <CR> sends")
    editor.type("i")
    editor.screen.expect("Ask Scripted …   <C-s> sends")
    editor.type("go<Esc><CR>")
    editor.screen.expect("press i to ask Scripted …   <CR> queues")
    go.touch()
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


def test_an_earlier_prompt_is_left_from_any_of_its_lines(open_editor: Open, tmp_path: Path) -> None:
    editor = talking(open_editor, script(tmp_path))
    for text in ("first", "one<CR>two<CR>three", "last"):
        send(editor, text)
        editor.wait_event("AcpTurnEnded")
    editor.type("idraft<C-p><C-p>")
    editor.expect_lua(LINES, "one|two|three")
    editor.type("<C-n>")
    editor.expect_lua(LINES, "last")
    editor.type("<C-p><Esc>jj<C-p>")
    editor.expect_lua(LINES, "first")
    editor.type("<C-n><C-n><C-n>")
    editor.expect_lua(LINES, "draft")
    # once edited it is a draft: the key goes up a line
    editor.type("<C-p><C-p>jAx<Esc><C-p>")
    editor.expect_lua("return vim.fn.line('.')", 1)
    editor.expect_lua(LINES, "one|twox|three")


def test_an_earlier_prompt_is_picked_from_a_list(open_editor: Open, tmp_path: Path) -> None:
    editor = talking(open_editor, script(tmp_path))
    editor.type(":Acp history<CR>")
    editor.screen.expect("no prompt has been sent in this project yet")
    for text in ("first", "one<CR>two<CR>three", "first", "last"):
        send(editor, text)
        editor.wait_event("AcpTurnEnded")
    editor.type("ia draft<Esc>:Acp history<CR>")
    editor.screen.expect("Earlier prompts")
    listed = editor.lua("return vim.tbl_map(vim.trim, vim.api.nvim_buf_get_lines(0, 0, -1, false))")
    assert listed == ["1 last", "2 first", "3 one  (+2 lines)"]
    editor.type("3")
    editor.expect_lua(LINES, "one|two|three")
    assert editor.lua("return vim.fn.bufname()") == "acp://1/prompt"
    editor.type("gg<C-p>")  # the draft is in the history
    editor.expect_lua(LINES, "a draft")


def test_another_session_is_picked_from_a_list(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("ask", permission("May I?")), on_prompt("", say("So.")))
    editor = talking(open_editor, agent)
    send(editor, "ask me")
    editor.wait_event("AcpQuestion")
    for number in (2, 3):
        editor.type(":Acp new<CR>")
        editor.wait_event("AcpSessionStarted", session=number)
    editor.type(":Acp switch<CR>")
    editor.screen.expect("Sessions")
    listed = editor.lua("return vim.tbl_map(vim.trim, vim.api.nvim_buf_get_lines(0, 0, -1, false))")
    assert [line.split()[0] for line in listed] == ["1", "2", "3"], "the current one is the last"
    assert listed[0] == "1 needs you ?1  agent  ask me     just now"
    assert {line.index("agent") for line in listed} == {len("1 needs you ?1  ")}, "in columns"
    editor.type("<CR>")
    editor.expect_lua("return vim.fn.bufname()", "acp://1/prompt")


def test_a_session_is_picked_by_its_own_number(open_editor: Open, tmp_path: Path) -> None:
    editor = talking(open_editor, script(tmp_path, on_prompt("", say("So."))))
    for number in (2, 3):
        editor.type(":Acp new<CR>")
        editor.wait_event("AcpSessionStarted", session=number)
    editor.type(":Acp switch<CR>")
    editor.screen.expect("Sessions")
    listed = editor.lua("return vim.tbl_map(vim.trim, vim.api.nvim_buf_get_lines(0, 0, -1, false))")
    assert [line.split("  ")[0] for line in listed] == ["2 idle", "1 idle", "3 idle"]
    editor.type("1")
    editor.expect_lua("return vim.fn.bufname()", "acp://1/prompt")


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
    editor.screen.expect("1 ✓ Yes")
    expect_answerable(editor)
    editor.type(":Acp reject not this way<CR>")
    editor.wait_event("AcpTurnEnded")
    editor.type(":Acp<CR><C-p>")
    editor.expect_lua(LINES, "not this way")


def queueing(
    open_editor: Open, tmp_path: Path, *queued: str, size: tuple[int, int] = (200, 40)
) -> tuple[Editor, ScriptedAgent, Path, Path]:
    """A turn runs until the first file is there, the next one until the second; the rest waits in the queue."""
    first, second = tmp_path / "first", tmp_path / "second"
    agent = script(
        tmp_path,
        on_prompt("busy", wait_file(str(first))),
        on_prompt("", wait_file(str(second))),
    )
    editor = talking(open_editor, agent, size=size)
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
    editor.screen.expect("sent before your edit (<C-p> has it): 'another'; 1 prompt queued")
    second.touch()
    editor.wait_event("AcpTurnEnded", turn=3)
    assert sent(agent) == ["busy", "one", "two"]
    editor.type(":q<CR>:Acp<CR><C-p>")
    editor.expect_lua(LINES, "another")


def test_where_a_late_edit_went_fits_a_narrow_screen(open_editor: Open, tmp_path: Path) -> None:
    text = "a prompt that is longer than its place in a message"
    editor, _, first, _ = queueing(open_editor, tmp_path, text, "two", size=(80, 24))
    editor.screen.expect("edit, then :w")
    let_one_go_out(editor, first, 1)
    editor.type(":%s/a prompt/one prompt/<CR>:w<CR>")
    editor.screen.expect("sent before your edit (<C-p> has it): 'one prompt")


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
    assert len(lines) == 1 + 15, "each of them once, whatever the mode"
    columns = [lines[0].index(word) for word in ("normal", "insert", "does")]
    for line in lines:
        assert all(line[column - 2 : column] == "  " for column in columns), line
        assert line[columns[-1]] != " ", line
    row = next(line for line in lines if line.strip().endswith("answer the question"))
    assert [row[column:].split("  ")[0] for column in columns[:2]] == ["<M-1…9> g1…g9", "<M-1…9>"]
    assert not any("insert mode" in line for line in lines)
    editor.screen.expect(lambda screen: all(line.strip() in screen.text() for line in lines))
    headings = [line[:8].strip() for line in lines]
    assert [heading for heading in headings if heading] == ["answer", "write", "leave"], "by purpose"
    assert "j: more" not in editor.screen.text()
    editor.type("q")
    editor.expect_lua("return vim.bo.filetype", "acp_prompt")


OTHERS = """
vim.keymap.set("i", "<Tab>", "<Tab>", { desc = "completion" })
vim.api.nvim_create_autocmd("InsertEnter", { callback = function()
  for _, key in ipairs({ "<C-p>", "<C-n>", "<C-e>", "<Up>" }) do
    local desc = "a completion plugin, " .. ("and its words "):rep(9)
    vim.keymap.set("i", key, function() end, { buffer = true, desc = desc })
  end
  for _, key in ipairs({ "g", "<C-w>", "z" }) do
    vim.keymap.set("n", key, function() end, { buffer = true, nowait = true, desc = "which-key-trigger" })
  end
end })
"""


def test_the_keys_of_others_are_footnotes_where_they_have_one_of_ours(
    open_editor: Open, tmp_path: Path
) -> None:
    editor = talking(open_editor, script(tmp_path), init=OTHERS)
    editor.type("iword<Esc>")
    editor.lua("require('acp_nvim.ui.key_help').show()")
    editor.expect_lua("return vim.bo.filetype", "acp_help")
    lines = editor.lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)")
    assert len(lines) == 1 + 15 + 1 + 3
    assert max(map(len, lines)) < 70
    for does, keys in (
        ("previous prompt (line 1)", "<C-p>*"),
        ("next prompt (last line)", "<C-n>*"),
        ("take the match or suggestion", "<Tab>*"),
        ("next mode", "<S-Tab>"),
    ):
        (row,) = (line for line in lines if line.strip().endswith(does))
        assert row[lines[0].index("insert") :].split()[0] == keys
    notes = [line.strip() for line in lines[-3:]]
    assert [note[: len("* <C-p> in insert mode is")] for note in sorted(notes)[:2]] == [
        "* <C-n> in insert mode is",
        "* <C-p> in insert mode is",
    ]
    assert '* <Tab> in insert mode is "completion"' in notes
    assert not any("which-key" in line or "<C-e>" in line or "<Up>" in line for line in lines)


def test_the_keys_of_the_chat_are_grouped_by_purpose(open_editor: Open, tmp_path: Path) -> None:
    editor = talking(open_editor, script(tmp_path))
    editor.type("<C-w>kg?")
    editor.expect_lua("return vim.bo.filetype", "acp_help")
    lines = editor.lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)")
    assert "insert" not in lines[0], "no key of the chat works there"
    headings = [line[:8].strip() for line in lines]
    wanted = ["answer", "write", "move", "fold", "open", "leave"]
    assert [heading for heading in headings if heading] == wanted
    leave = "".join(lines[headings.index("leave") :])
    assert all(words in leave for words in ("cancel the turn", "close the windows", "this help"))


def test_the_keys_say_when_there_are_more_of_them_than_lines(open_editor: Open, tmp_path: Path) -> None:
    editor = talking(open_editor, script(tmp_path), size=(100, 9))
    editor.type("g?")
    editor.screen.expect("j: more")
    last = editor.lua("return vim.trim(vim.fn.getline('$'))")
    assert last not in editor.screen.text()
    editor.type("G")
    editor.screen.expect(last)


def test_an_empty_prompt_is_not_sent_and_a_line_says_so(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path)
    editor = talking(open_editor, agent)
    editor.type("i  <Esc><CR>")
    editor.screen.expect("nothing to send")
    assert agent.got("session/prompt") == []


@pytest.mark.parametrize("ends", ["cancel", "exit"])
@pytest.mark.parametrize("key", ["<Esc><CR>", "<C-s>"])
def test_an_empty_prompt_resumes_a_paused_queue(
    open_editor: Open, tmp_path: Path, key: str, ends: str
) -> None:
    """Where the agent has ended, the prompt that had no answer goes first."""
    go = tmp_path / "go"
    agent = script(tmp_path, on_prompt("first", wait_file(str(go))), on_prompt("", say("got it")))
    editor = talking(open_editor, agent)
    editor.type("ifirst<C-s>second<C-s>third<C-s>")
    editor.expect_lua("return require('acp_nvim').status().queue", 2)
    wait_until(lambda: sent(agent))
    if ends == "cancel":
        editor.settle()  # a busy Neovim takes <C-c> for an interrupt
        editor.type("<C-c>")
        wait_until(lambda: agent.got("session/cancel"))
        go.touch()
    else:
        os.kill(editor.acp("status")["pid"], signal.SIGKILL)
    editor.wait_event("AcpTurnEnded", turn=1)
    go.touch()
    editor.screen.expect("resumes the queue" if ends == "cancel" else "retries")
    editor.screen.expect("‖ 2  second")
    editor.type(key)
    again = ["first"] if ends == "exit" else []
    editor.wait_event("AcpTurnEnded", turn=3 + len(again))
    assert sent(agent) == ["first", *again, "second", "third"]
    editor.screen.expect_gone("‖")


def test_the_key_that_cancels_only_leaves_insert_mode_while_the_agent_starts(
    open_editor: Open, tmp_path: Path
) -> None:
    go = tmp_path / "go"
    agent = script(tmp_path, on("initialize", wait_file(str(go))), on_prompt("", say("got it")))
    spec = {"command": agent.argv[0], "args": agent.argv[1:]}
    editor = open_editor(setup={"agents": {"agent": spec}, "default_agent": "agent"})
    editor.type(":Acp<CR>")
    editor.screen.expect("starting")
    editor.type("iearly<C-s>and<C-c>")
    editor.expect_lua("return vim.api.nvim_get_mode().mode", "n")
    editor.expect_lua(LINES, "and")
    editor.expect_lua("return require('acp_nvim').status().held", False)
    go.touch()
    editor.wait_event("AcpTurnEnded")
    assert sent(agent) == ["early"]


def test_a_prompt_that_is_too_long_stays(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path)
    editor = talking(open_editor, agent)
    editor.lua("vim.api.nvim_buf_set_lines(0, 0, -1, true, vim.fn['repeat']({ ('x'):rep(1000) }, 1100))")
    editor.type("<CR>")
    editor.screen.expect("the prompt is 1.1 MB, the limit is 1 MB")
    assert editor.lua("return vim.api.nvim_buf_line_count(0)") == 1100
    assert agent.got("session/prompt") == []


def test_a_nul_is_sent_and_comes_back_as_one(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path)
    editor = talking(open_editor, agent)
    editor.type("ia<C-v>000b<CR>c<Esc><CR>")
    editor.wait_event("AcpTurnEnded")
    assert sent(agent) == ["a\0b\nc"]
    editor.type("<C-p>")
    editor.expect_lua("return #vim.api.nvim_buf_get_lines(0, 0, -1, false)", 2)
    editor.type("<CR>")
    editor.wait_event("AcpTurnEnded")
    assert sent(agent)[1] == "a\0b\nc"


def test_a_queued_prompt_with_a_nul_is_shown_and_offered_again(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("slow", wait("session/cancel")))
    editor = talking(open_editor, agent)
    editor.type("islow<C-s>")
    editor.wait_event("AcpTurnStarted")
    editor.type("a<C-v>000b<C-s>")
    editor.screen.expect("1 queued  a^@b")
    assert editor.mode()["blocking"] is False
    editor.type("<C-c><Esc>:Acp queue!<CR>")
    editor.wait_event("AcpTurnEnded", turn=2)
    editor.type(":Acp history<CR>")
    editor.screen.expect("1 a^@b")


def test_undo_leads_back_through_history_and_sending(open_editor: Open, tmp_path: Path) -> None:
    editor = talking(open_editor, script(tmp_path))
    send(editor, "first")
    editor.wait_event("AcpTurnEnded")
    editor.type("u")
    editor.expect_lua(LINES, "first")
    editor.type("<C-r>ia draft<C-p>")
    editor.expect_lua(LINES, "first")
    editor.type("<Esc>u")
    editor.expect_lua(LINES, "a draft")


def test_what_was_said_goes_back_into_the_prompt(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", say("one two three")))
    editor = talking(open_editor, agent)
    for text in ("first line<CR>second line", "another"):
        send(editor, text)
        editor.wait_event("AcpTurnEnded")
    editor.type("ia draft<Esc>:wincmd k<CR>gg/second<CR>e")
    editor.expect_lua(LINES, "first line|second line")
    assert editor.lua("return vim.bo.filetype") == "acp_prompt"
    editor.type(":%s/second/third/<CR><CR>")
    editor.wait_event("AcpTurnEnded")
    assert sent(agent)[-1] == "first line\nthird line"
    editor.type("<C-p><C-p>")
    editor.expect_lua(LINES, "a draft")
    editor.type(":wincmd k<CR>gg/one two<CR>0e")
    editor.expect_lua("return vim.fn.col('.')", 3)
    assert editor.lua("return vim.bo.filetype") == "acp_chat"


def history_files(editor: Editor) -> list[Path]:
    return sorted((editor.home / "state").glob("*/acp_nvim/history/*"))


def test_the_history_of_a_project_outlives_neovim(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path)
    state = {"XDG_STATE_HOME": str(tmp_path / "state"), "NVIM_APPNAME": "nvim"}
    cwd = f"vim.cmd.cd([[{tmp_path}]])"
    before = talking(open_editor, agent, env=state, init=cwd)
    send(before, "two<CR>lines ä")
    before.wait_event("AcpTurnEnded")
    before.type("ia draft<Esc>")
    before.expect_lua(LINES, "a draft")
    before.quit()
    (file,) = (tmp_path / "state/nvim/acp_nvim/history").iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    editor = talking(open_editor, agent, env=state, init=cwd)
    editor.type("<C-p>")
    editor.expect_lua(LINES, "a draft")
    editor.type("<C-p>")
    editor.expect_lua(LINES, "two|lines ä")
    other = talking(open_editor, agent, env=state)
    other.type("<C-p>")
    assert other.lua(LINES) == ""


def test_a_draft_outlives_the_terminal_window(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path)
    state = {"XDG_STATE_HOME": str(tmp_path / "state"), "NVIM_APPNAME": "nvim"}
    cwd = f"vim.cmd.cd([[{tmp_path}]])"
    before = talking(open_editor, agent, env=state, init=cwd)
    before.type("ia draft")
    before.expect_lua(LINES, "a draft")
    before.lua("vim.fn.chanclose(...)", before.screen.channel)
    before.expect_lua("return #vim.api.nvim_list_uis()", 0)
    before.process.kill()
    before.wait_exit()
    editor = talking(open_editor, agent, env=state, init=cwd)
    editor.type("<C-p>")
    editor.expect_lua(LINES, "a draft")


def test_without_shada_no_history_is_written(open_editor: Open, tmp_path: Path) -> None:
    editor = talking(open_editor, script(tmp_path), init="vim.o.shada = ''")
    send(editor, "secret")
    editor.wait_event("AcpTurnEnded")
    editor.type("<C-p>")
    editor.expect_lua(LINES, "secret")
    assert history_files(editor) == []


def test_the_history_is_bounded(open_editor: Open, tmp_path: Path) -> None:
    state = tmp_path / "state"
    agent = script(tmp_path)
    options: Any = {"env": {"XDG_STATE_HOME": str(state)}, "init": f"vim.cmd.cd([[{tmp_path}]])"}
    first = talking(open_editor, agent, **options)
    send(first, "x")
    first.wait_event("AcpTurnEnded")
    first.quit()
    (file,) = state.glob("*/acp_nvim/history/*")
    file.write_text("".join(f'"{number}"\nno json\n' for number in range(2000)))
    editor = talking(open_editor, agent, **options)
    editor.type("<C-p>")
    editor.expect_lua(LINES, "1999")
    lines = file.read_text().splitlines()
    assert (len(lines), lines[-1]) == (500, '"1999"')
    assert file.stat().st_mode & 0o777 == 0o600
