"""A diff before it happens: opened where the user is, decided hunk by hunk, written as decided."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import (
    mark,
    on_prompt,
    permission,
    request,
    say,
    script,
    tool,
    wait_file,
    wait_until,
    write_file,
)
from tests.functional.editor import Editor
from tests.steps.conversation import expect_answerable
from tests.steps.files import LINES, NOTES, write
from tests.steps.proposals import (
    ASIDE,
    DIFFS,
    LAYOUT,
    MIXED,
    NEW,
    OLD,
    ask_edit,
    decide_mixed,
    expect_closed,
    get_outcomes,
    get_prompts,
    get_report,
    make_diff,
    open_diff,
    open_old,
    write_through,
)

Open = Callable[..., Editor]

CHAT_TOP = """
for _, win in ipairs(vim.api.nvim_list_wins()) do
  if vim.bo[vim.api.nvim_win_get_buf(win)].filetype == "acp_chat" then
    return vim.fn.line("w0", win)
  end
end
"""

# How many chats are there when a proposal opens for the first time?
NOTE_CHATS = """
vim.api.nvim_create_autocmd("BufWinEnter", { pattern = "acp://proposal/*", once = true, callback = function()
  vim.g.chats = #vim.tbl_filter(function(win)
    return vim.bo[vim.api.nvim_win_get_buf(win)].filetype == "acp_chat"
  end, vim.api.nvim_list_wins())
end })
"""


def test_it_opens_by_itself_before_an_idle_user_and_leaves_all_as_it_was(
    open_editor: Open, tmp_path: Path
) -> None:
    ask = ask_edit(make_diff(old=OLD * 5, new=NEW + OLD * 4))
    agent = script(tmp_path, on_prompt("", say("- word\n" * 9), ask, say("you said {answer}")))
    editor = open_old(open_editor, agent, OLD * 5)
    editor.type(":Acp<CR><C-w>t:split<CR>50Gzt")
    editor.expect_lua("return vim.fn.line('.')", 50)
    layout = editor.lua(LAYOUT)
    editor.acp("prompt", "edit it")
    editor.expect_lua(DIFFS, 2)
    assert editor.lua("return { vim.fn.bufname(), vim.fn.line('.'), vim.wo.diff }") == [
        "notes.txt",
        50,
        False,
    ]
    editor.screen.expect(":w send")
    assert editor.lua(CHAT_TOP) > 1
    editor.acp("cancel")
    expect_closed(editor)
    assert editor.lua(LAYOUT) == layout
    wait_until(lambda: get_outcomes(agent) == ["cancelled"])
    editor.expect_lua(CHAT_TOP, 1)


@pytest.mark.parametrize("keys", [":w<CR>", ":Acp accept<CR>", ":wq<CR>"])
def test_all_of_it_is_the_allow_option(open_editor: Open, tmp_path: Path, keys: str) -> None:
    agent = script(tmp_path, on_prompt("", *write_through()))
    editor = open_old(open_editor, agent)
    layout = editor.lua(LAYOUT)
    open_diff(editor)
    editor.screen.expect("SEVENTEEN")
    editor.type(keys)
    editor.wait_event("AcpTurnEnded")
    expect_closed(editor)
    assert get_outcomes(agent) == ["yes"]
    assert (editor.project / "notes.txt").read_text() == NEW
    assert editor.lua(LAYOUT)[:3] == layout[:3]
    editor.acp("prompt", "next")
    wait_until(lambda: len(get_prompts(agent)) == 2)
    assert get_prompts(agent)[1] == ["next"]


@pytest.mark.parametrize("keys", [":Acp reject<CR>", ":%diffget<CR>:w<CR>"])
def test_nothing_of_it_is_the_reject_option(open_editor: Open, tmp_path: Path, keys: str) -> None:
    agent = script(tmp_path, on_prompt("edit", ask_edit()))
    editor = open_old(open_editor, agent)
    open_diff(editor)
    editor.type(keys)
    editor.wait_event("AcpTurnEnded")
    expect_closed(editor)
    assert get_outcomes(agent) == ["no"]
    editor.acp("prompt", "next")
    editor.wait_event("AcpTurnEnded")
    assert get_prompts(agent)[1] == ["next"]


def test_some_of_it_through_us(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("edit", *write_through()), on_prompt("now", say("Fine.")))
    editor = open_old(open_editor, agent)
    editor.type(":Acp<CR><C-w>t")
    open_diff(editor)
    decide_mixed(editor)
    editor.wait_event("AcpTurnEnded")
    expect_closed(editor)
    assert get_outcomes(agent) == ["yes"]
    assert (editor.project / "notes.txt").read_text() == MIXED
    editor.expect_lua(LINES, MIXED.splitlines())
    report = get_report(editor, agent)
    assert "notes.txt" in report
    assert "THREE" in report
    editor.screen.expect("+2 −2 2 of 3 hunks, edited by you")
    editor.screen.expect("▸ reported to Scripted: 1 hunk of notes.txt")
    editor.screen.expect("and now?")


def test_a_hunk_taken_in_part_counts_as_such(open_editor: Open, tmp_path: Path) -> None:
    new = OLD.replace("line 3\nline 4\n", "THREE\nFOUR\n")
    ask = ask_edit(make_diff(new=new))
    agent = script(
        tmp_path, on_prompt("edit", ask, write(NOTES, new), tool("call", known=True, status="completed"))
    )
    editor = open_old(open_editor, agent)
    editor.type(":Acp<CR><C-w>t")
    open_diff(editor)
    expect_answerable(editor)
    editor.type("4Gccline 4<Esc>:w<CR>")
    editor.wait_event("AcpTurnEnded")
    assert (editor.project / "notes.txt").read_text() == OLD.replace("line 3\n", "THREE\n")
    editor.screen.expect("+1 −1 1 of 1 hunk, edited by you")


def test_some_of_it_from_an_agent_that_writes_the_disk(open_editor: Open, tmp_path: Path) -> None:
    run = request("terminal/create", {"sessionId": "{session}", "command": "cat", "args": [NOTES]})
    agent = script(
        tmp_path,
        on_prompt(
            "edit",
            ask_edit(),
            ["ask", *run[1:]],
            write_file(NOTES, NEW),
            tool("call", known=True, status="completed"),
            mark("written"),
            request("session/request_permission", permission("go on?", id="other")[2]),
        ),
        on_prompt("now", say("Fine.")),
    )
    editor = open_old(open_editor, agent)
    open_diff(editor)
    editor.screen.expect("agent saves it")
    decide_mixed(editor)
    wait_until(lambda: agent.logged("mark"))
    editor.expect_lua(LINES, MIXED.splitlines())
    assert (editor.project / "notes.txt").read_text() == MIXED
    editor.expect_lua("return #require('acp_nvim').questions()", 1)
    editor.acp("answer", editor.acp("questions")[0]["id"], "yes")
    editor.wait_event("AcpTurnEnded")
    assert "THREE" in get_report(editor, agent)


def test_unsaved_lines_are_not_shown_as_deletions_and_stay(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("edit", *write_through()))
    editor = open_old(open_editor, agent)
    editor.type("ggOmine<Esc>G")
    open_diff(editor)
    assert editor.lua("return vim.fn.getline(1)") == "mine"
    expect_answerable(editor)
    editor.type("gg]cdo:w<CR>")
    editor.wait_event("AcpTurnEnded")
    wanted = ["mine", *NEW.replace("THREE", "line 3").splitlines()]
    editor.expect_lua(LINES, wanted)


def test_unsaved_lines_stay_unsaved_where_the_agent_writes_the_disk(
    open_editor: Open, tmp_path: Path
) -> None:
    done = tool("call", known=True, status="completed")
    agent = script(tmp_path, on_prompt("edit", ask_edit(), write_file(NOTES, NEW), done))
    editor = open_old(open_editor, agent)
    editor.type("ggOmine<Esc>G")
    open_diff(editor)
    expect_answerable(editor)
    editor.type("gg]cdo:w<CR>")
    editor.wait_event("AcpTurnEnded")
    decided = NEW.replace("THREE", "line 3")
    editor.expect_lua(LINES, ["mine", *decided.splitlines()])
    assert (editor.project / "notes.txt").read_text() == decided
    assert editor.lua("return vim.bo[vim.fn.bufnr('notes.txt')].modified")


def test_it_does_not_open_before_a_user_who_types(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", ask_edit()))
    editor = open_old(open_editor, agent)
    editor.type("iab")
    editor.expect_lua("return vim.fn.mode()", "i")
    editor.acp("prompt", "edit it")
    editor.expect_lua("return vim.fn.execute('messages')", lambda said: "asks" in said)
    assert editor.lua(DIFFS) == 0
    editor.type("c<Esc>:Acp diff<CR>")
    editor.expect_lua(DIFFS, 2)
    editor.expect_lua("return vim.bo.buftype", "acwrite")
    assert editor.lua("return vim.fn.getbufline(vim.fn.bufnr('notes.txt'), 1)") == ["abcline 1"]


def test_a_background_session_steals_nothing(open_editor: Open, tmp_path: Path) -> None:
    go = tmp_path / "go"
    agent = script(tmp_path, on_prompt("", wait_file(str(go)), ask_edit()))
    editor = open_old(open_editor, agent)
    editor.acp("prompt", "edit it")
    editor.acp("new_session")
    editor.wait_event("AcpSessionStarted")
    go.touch()
    editor.screen.expect("(session 1) asks")
    assert editor.lua(DIFFS) == 0
    editor.type(":Acp open 1<CR>")
    editor.screen.expect("d diff")
    editor.type(":Acp diff<CR>")
    editor.expect_lua(DIFFS, 2)


def test_a_new_file_and_a_deletion(open_editor: Open, tmp_path: Path) -> None:
    agent = script(
        tmp_path,
        on_prompt(
            "delete", permission("delete", id="gone", kind="delete", content=[make_diff(NOTES, OLD, "")])
        ),
        on_prompt(
            "new", ask_edit(make_diff("{cwd}/new.txt", None, "a\nb\n")), write("{cwd}/new.txt", "a\nb\n")
        ),
    )
    editor = open_old(open_editor, agent)
    editor.acp("prompt", "new")
    editor.screen.expect(" new file · new.txt · ")
    editor.screen.expect(" :w send · :Acp reject · :q later")
    assert [editor.lua(DIFFS), editor.lua("return #vim.api.nvim_tabpage_list_wins(0)")] == [0, 2]
    expect_answerable(editor)
    editor.type("<C-w>tggdd:w<CR>")
    editor.wait_event("AcpTurnEnded")
    assert (editor.project / "new.txt").read_text() == "b\n"
    editor.acp("prompt", "delete")
    editor.screen.expect("deletes the file")
    editor.screen.expect(" deletes the file · :w send · :Acp reject · :q later")
    editor.type("<C-w>t<C-w>l")
    editor.expect_lua("return { vim.bo.modifiable, vim.bo.buftype }", [False, "acwrite"])
    expect_answerable(editor)
    editor.type(":Acp reject<CR>")
    editor.wait_event("AcpTurnEnded")
    assert get_outcomes(agent) == ["yes", "no"]


def test_a_fragment_found_twice_is_shown_as_it_came(open_editor: Open, tmp_path: Path) -> None:
    """It opens when the user asks, and the bar alone says why: no message does."""
    agent = script(tmp_path, on_prompt("", ask_edit(make_diff(NOTES, "same\n", "other\n"))))
    editor = open_old(open_editor, agent, "same\nx\nsame\n")
    editor.acp("prompt", "edit it")
    editor.screen.expect("Scripted asks: edit notes.txt")
    editor.expect_lua(DIFFS, 0)
    editor.type(":Acp diff<CR>")
    editor.screen.expect("now · The text to replace occurs more than once ")
    editor.expect_lua("return { vim.bo.modifiable, vim.fn.getline(1, '$') }", [False, ["other"]])
    assert "more than once" not in editor.lua("return vim.fn.execute('messages')")
    expect_answerable(editor)
    editor.type(":w<CR>")
    editor.wait_event("AcpTurnEnded")
    assert get_outcomes(agent) == ["yes"]


def test_several_files_one_after_the_other(open_editor: Open, tmp_path: Path) -> None:
    other = "{cwd}/other.txt"
    agent = script(
        tmp_path,
        on_prompt(
            "edit",
            ask_edit(make_diff(), make_diff(other, "a\nb\n", "A\nb\n")),
            write(NOTES, NEW),
            write(other, "A\nb\n"),
        ),
        on_prompt("now", say("Fine.")),
    )
    editor = open_old(open_editor, agent)
    (editor.project / "other.txt").write_text("a\nb\n")
    open_diff(editor)
    editor.screen.expect("notes.txt (1 of 2)")
    editor.type(":cnext<CR>")
    editor.screen.expect("other.txt (2 of 2)")
    editor.expect_lua("return { vim.fn.getline(1), vim.wo.diff }", ["A", True])
    editor.type(":%diffget<CR>")
    editor.expect_lua("return vim.fn.getline(1)", "a")
    expect_answerable(editor)
    editor.type(":w<CR>")
    editor.screen.expect("notes.txt (1 of 2)")
    assert get_outcomes(agent) == []
    editor.expect_lua("return vim.fn.getline(3)", "THREE")
    expect_answerable(editor)
    editor.type(":w<CR>")
    editor.wait_event("AcpTurnEnded")
    assert get_outcomes(agent) == ["yes"]
    assert (editor.project / "notes.txt").read_text() == NEW
    assert (editor.project / "other.txt").read_text() == "a\nb\n"
    assert "other.txt" in get_report(editor, agent)


def test_a_late_update_refreshes_it_and_keeps_the_users_edits(open_editor: Open, tmp_path: Path) -> None:
    go = tmp_path / "go"
    newer = NEW.replace("TEN", "TEN, again")
    agent = script(
        tmp_path,
        on_prompt(
            "",
            ["ask", *ask_edit()[1:]],
            wait_file(str(go)),
            tool("call", known=True, content=[make_diff(NOTES, OLD, newer)]),
            ["wait", "session/cancel"],
        ),
    )
    editor = open_old(open_editor, agent)
    open_diff(editor)
    editor.type("ggccmine<Esc>")
    editor.expect_lua("return vim.fn.getline(1)", "mine")
    go.touch()
    editor.expect_lua("return { vim.fn.getline(1), vim.fn.getline(10) }", ["mine", "TEN, again"])
    editor.acp("cancel")
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect("the question is gone")
    assert editor.lua("return vim.fn.getline(1)") == "mine"


def asked_until(go: Path, asked: Any, *later: Any) -> list[Any]:
    """A permission that the agent does not wait for, and what follows once the file is there."""
    return [["ask", *asked[1:]], wait_file(str(go)), *later, ["wait", "session/cancel"]]


@pytest.mark.parametrize("keys", ["", "<C-w>b"])
def test_a_file_that_changes_behind_another_is_not_accepted_unseen(
    open_editor: Open, tmp_path: Path, keys: str
) -> None:
    other, go = "{cwd}/other.txt", tmp_path / "go"
    changed = tool("call", known=True, content=[make_diff(), make_diff(other, "a\nb\n", "UNSEEN\nb\n")])
    asked = ask_edit(make_diff(), make_diff(other, "a\nb\n", "A\nb\n"))
    agent = script(tmp_path, on_prompt("", *asked_until(go, asked, changed)))
    editor = open_old(open_editor, agent)
    (editor.project / "other.txt").write_text("a\nb\n")
    open_diff(editor)
    editor.type(":cnext<CR>")
    editor.screen.expect("other.txt (2 of 2)")
    editor.type(":cprevious<CR>")
    editor.screen.expect("notes.txt (1 of 2)")
    version = editor.acp("questions")[0]["version"]
    go.touch()
    editor.expect_lua("return require('acp_nvim').questions()[1].version", lambda now: now > version)
    editor.expect_lua(
        "return vim.fn.bufnr('other.txt$') ~= -1 and vim.fn.getbufline('other.txt$', 1)[1]", "UNSEEN"
    )
    expect_answerable(editor)
    editor.type(f"{keys}:Acp accept<CR>")
    editor.screen.expect("not sent: ")
    assert get_outcomes(agent) == []
    if not keys:
        editor.screen.expect("UNSEEN")
        expect_answerable(editor)
        editor.type(":Acp accept<CR>")
        wait_until(lambda: get_outcomes(agent) == ["yes"])


@pytest.mark.parametrize("command", [":w", ":Acp accept", ":Acp answer 1"])
def test_what_a_proposal_becomes_while_a_command_is_typed_is_not_sent(
    open_editor: Open, tmp_path: Path, command: str
) -> None:
    go = tmp_path / "go"
    changed = tool("call", known=True, content=[make_diff(NOTES, OLD, NEW.replace("THREE", "UNSEEN"))])
    agent = script(tmp_path, on_prompt("", *asked_until(go, ask_edit(), changed)))
    editor = open_old(open_editor, agent)
    open_diff(editor)
    editor.type(command)
    editor.expect_lua("return vim.fn.getcmdtype() .. vim.fn.getcmdline()", command)
    go.touch()
    editor.expect_lua("return vim.fn.getline(3)", "UNSEEN")
    editor.type("<CR>")
    editor.screen.expect("not sent: ")
    assert get_outcomes(agent) == []
    editor.screen.expect("UNSEEN")
    expect_answerable(editor)
    editor.type(f"{command}<CR>")
    wait_until(lambda: get_outcomes(agent) == ["yes"])


def test_d_in_the_chat_and_gd_on_what_is_done(open_editor: Open, tmp_path: Path) -> None:
    agent = script(
        tmp_path,
        on_prompt("", *write_through(), tool("call", known=True, content=[make_diff()])),
    )
    editor = open_old(open_editor, agent, setup={"review": {"auto_open": False}})
    editor.type(":Acp<CR><Esc>")
    editor.acp("prompt", "edit it")
    editor.screen.expect("d diff")
    assert editor.lua(DIFFS) == 0
    editor.type("<C-w>kG?diff<CR>d")
    editor.expect_lua(DIFFS, 2)
    editor.expect_lua("return vim.bo.buftype", "acwrite")
    expect_answerable(editor)
    editor.type(":w<CR>")
    editor.wait_event("AcpTurnEnded")
    expect_closed(editor)
    editor.expect_lua("return vim.bo.filetype", "acp_chat")
    editor.type("gg?edit<CR>gd")
    editor.expect_lua(DIFFS, 2)
    editor.expect_lua("return { vim.bo.buftype, vim.bo.modifiable }", ["nofile", False])
    editor.type(":q<CR>")
    expect_closed(editor)


def test_a_narrow_screen_stacks_them(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", ask_edit()))
    editor = open_old(open_editor, agent, size=(70, 40))
    editor.acp("prompt", "edit it")
    editor.expect_lua(DIFFS, 2)
    assert editor.lua("return vim.fn.winlayout()[1]") == "col"
    expect_answerable(editor)
    editor.type("<C-w>t<C-w>j:w<CR>")
    editor.wait_event("AcpTurnEnded")
    assert get_outcomes(agent) == ["yes"]


def test_sides_that_could_not_be_read_wait_for_room(open_editor: Open, tmp_path: Path) -> None:
    """Beside a chat, in 80 columns and 24 lines, each side would have eight lines."""
    asks, go = ["ask", *ask_edit()[1:]], tmp_path / "go"
    agent = script(
        tmp_path, on_prompt("", asks, wait_file(str(go)), say("Well?"), ["wait", "session/cancel"])
    )
    editor = open_old(open_editor, agent, size=(80, 24), init=NOTE_CHATS)
    editor.type(":Acp<CR><Esc><C-w>t")
    editor.acp("prompt", "edit it")
    editor.screen.expect("gd diff")
    editor.lua("vim.cmd('Acp why')")  # as no key may be typed
    editor.screen.expect("waits for you")
    go.touch()
    editor.screen.expect("Well?")
    editor.type(":Acp toggle<CR>")
    editor.expect_lua(DIFFS, 2)
    assert editor.lua("return vim.g.chats") == 0


def test_one_hunk_is_refused_in_seven_keys_from_the_prompt(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", *write_through()))
    editor = open_old(open_editor, agent, setup={"review": {"auto_open": False}}, size=(160, 40))
    editor.type(":Acp<CR>iedit it<C-s>")
    editor.wait_event("AcpQuestion")
    editor.screen.expect("<M-d> diff")
    editor.type("<Esc>gd")
    editor.expect_lua("return { vim.bo.buftype, vim.fn.mode() }", ["acwrite", "n"])
    expect_answerable(editor)
    editor.type("do:w<CR>")
    editor.wait_event("AcpTurnEnded")
    assert (editor.project / "notes.txt").read_text() == NEW.replace("THREE", "line 3")
    editor.expect_lua("return vim.bo.filetype", "acp_prompt")


def test_a_proposal_that_came_while_the_user_typed_opens_once_they_rest(
    open_editor: Open, tmp_path: Path
) -> None:
    agent = script(tmp_path, on_prompt("", ask_edit(), ["wait", "session/cancel"]))
    editor = open_old(open_editor, agent, size=(160, 40))
    editor.type(":Acp<CR>iedit it<C-s>")
    editor.wait_event("AcpQuestion")
    editor.screen.expect("<M-d> diff")
    editor.type("and then")
    editor.expect_lua("return vim.api.nvim_get_current_line()", "and then")
    assert editor.lua(DIFFS) == 0
    editor.type("<Esc>")
    editor.expect_lua(DIFFS, 2)
    assert editor.lua("return { vim.bo.filetype, vim.fn.mode() }") == ["acp_prompt", "n"]


def test_a_refusal_with_a_bang_cancels_and_sends_the_text_now(open_editor: Open, tmp_path: Path) -> None:
    agent = script(
        tmp_path,
        on_prompt("use", say("as you like")),
        on_prompt("", permission("npm install"), ["wait", "session/cancel"]),
    )
    editor = open_old(open_editor, agent)
    editor.type(":Acp<CR>igo<Esc><CR>")
    editor.wait_event("AcpQuestion")
    editor.screen.expect("npm install")
    expect_answerable(editor)
    editor.type(":Acp reject! use pnpm<CR>")
    assert editor.wait_event("AcpAnswered")["option_id"] == "no"
    assert editor.wait_event("AcpTurnEnded", turn=1)["stop_reason"] == "cancelled"
    editor.screen.expect("as you like")
    assert get_prompts(agent)[-1] == ["use pnpm"]


def test_edit_takes_the_edits_back_and_never_empties_the_file(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", *write_through()))
    editor = open_old(open_editor, agent)
    open_diff(editor)
    editor.type("ggOmine<Esc>")
    editor.screen.expect("send yours")
    editor.type(":edit!<CR>")
    editor.expect_lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)", NEW.splitlines())
    editor.screen.expect(":w send ")
    editor.type("u")
    editor.expect_lua("return vim.api.nvim_buf_get_lines(0, 0, 1, false)", ["mine"])
    editor.screen.expect("send yours")
    expect_answerable(editor)
    editor.type("<C-r>:edit!<CR>:w<CR>")
    editor.wait_event("AcpTurnEnded")
    assert get_outcomes(agent) == ["yes"]
    assert (editor.project / "notes.txt").read_text() == NEW


def test_edit_leaves_a_version_that_was_put_aside(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", *write_through()))
    editor = open_old(open_editor, agent)
    open_diff(editor)
    editor.type("ggOmine<Esc>:Acp cancel<CR>")
    editor.wait_event("AcpTurnEnded")
    kept = editor.lua(ASIDE)
    assert kept[0] == "mine"
    editor.type(":execute 'buffer' bufnr('/yours/')<CR>:edit!<CR>")
    editor.expect_lua("return { vim.bo.modified, vim.api.nvim_buf_get_lines(0, 0, -1, false) }", [True, kept])


@pytest.mark.parametrize("replaced", [False, True])
def test_what_the_bar_of_the_diff_says_is_said_once_in_a_message_and_in_no_toast(
    open_editor: Open, tmp_path: Path, replaced: bool
) -> None:
    agent = script(tmp_path, on_prompt("", ask_edit(id="one"), ask_edit(id="two")))
    editor = open_old(open_editor, agent, size=(200, 40))
    editor.lua("_G.said = {}")
    if replaced:
        editor.lua("vim.notify = function(text) table.insert(_G.said, text) end")
    editor.acp("prompt", "go")
    for _ in range(2):
        id = editor.wait_event("AcpQuestion")["id"]
        editor.type("<Esc>:Acp diff<CR>")
        editor.expect_lua("return vim.b.acp_question", id)
        editor.screen.expect("notes.txt · saved by the agent; refused hunks are reverted after")
        assert editor.acp("answer", id, "no") is True
    count = editor.lua("return select(2, vim.fn.execute('messages'):gsub('saved by the agent', ''))")
    assert count == (0 if replaced else 1)
    assert [text for text in editor.lua("return _G.said") if "saved" in text] == []


@pytest.mark.parametrize("answer", [":Acp answer 1<CR>", ":w<CR>"])
def test_an_answer_says_that_its_file_is_gone(open_editor: Open, tmp_path: Path, answer: str) -> None:
    agent = script(tmp_path, on_prompt("", *write_through()))
    editor = open_old(open_editor, agent)
    editor.type(":enew<CR>:bwipeout notes.txt<CR>")
    open_diff(editor)
    (editor.project / "notes.txt").unlink()
    editor.type(answer)
    editor.wait_event("AcpTurnEnded")
    assert get_outcomes(agent) == ["yes"]
    said = "allowed, but somebody deleted notes.txt: the agent may create it again"
    editor.expect_lua("return vim.fn.execute('messages')", lambda text: text.count(said) == 1)
