"""One gate for every way to answer a question: it must have been on the screen, as it is now, for 0.7 s."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import OPTIONS, ScriptedAgent, on_prompt, permission, say, script, wait_file
from tests.functional.editor import Editor
from tests.steps.conversation import expect_answerable, expect_key, go_to_line, look, open_chat, send
from tests.steps.proposals import make_diff

Open = Callable[..., Editor]
HELD = {"review": {"auto_open": False}}

USERS_KEYS = """
vim.g.mapleader = " "
vim.keymap.set("n", "<F2>", "<Cmd>Acp accept<CR>")
vim.keymap.set("n", "<F3>", "<Plug>(acp-accept)")
vim.keymap.set("n", "<F4>", ":Acp accept<CR>")
vim.keymap.set("n", "<F5>", function() vim.cmd.Acp("accept") end)
vim.keymap.set("n", "<F6>", vim.schedule_wrap(function() vim.cmd("Acp answer 1") end))
vim.keymap.set("n", "<F7>", "<Plug>(acp-answer-1)")
vim.fn.setreg("q", "g1")
vim.fn.setreg("w", ":Acp accept\\r")
"""
# Keys that are typed 0.2 s after Neovim has drawn the question, by a timer of Neovim's
EARLY = """
  local keys = ...
  vim.api.nvim_create_autocmd("User", { pattern = "AcpQuestion", once = true, callback = function()
    vim.defer_fn(function() vim.api.nvim_input(keys) end, 200)
    vim.defer_fn(function() vim.g.were_typed = true end, 350)
  end })
"""
SAID = "return vim.fn.execute('messages')"


def answers_of(editor: Editor) -> list[dict[str, Any]]:
    return [data for _, data in editor.events("AcpAnswered") if data["by"] == "user"]


def expect_unanswered(editor: Editor) -> None:
    """A command behind the keys has been carried out, and there is still no answer."""
    editor.type("<Esc>:echo 'and now'<CR>")
    editor.screen.expect("and now")
    assert answers_of(editor) == []
    assert editor.acp("status")["questions"] == 1


@pytest.mark.parametrize(
    "keys",
    [
        "g1",
        "<M-1>",
        "<F2>",
        "<F3>",
        "<F4>",
        "<F5>",
        "<F6>",
        "<F7>",
        " ay",
        "@q",
        "@w",
        "@:",
        ":Acp accept<CR>",
        ":Acp answer 1<CR>",
        ":Acp reject<CR>",
        ":Acp allow!<CR>",
        ":normal g1<CR>",
    ],
)
def test_what_is_typed_as_the_question_appears_answers_nothing(
    open_editor: Open, tmp_path: Path, keys: str
) -> None:
    agent = script(
        tmp_path, on_prompt("", permission("run it", rawInput={"command": "ls"}), say("ok {answer}"))
    )
    editor = open_chat(open_editor, agent, setup={"keys": "<leader>a"}, init=USERS_KEYS, size=(160, 30))
    editor.type(":Acp accept<CR>")  # for `@:`
    editor.expect_lua(SAID, lambda said: "no open question" in said)
    editor.lua("vim.cmd('messages clear')")
    editor.lua(EARLY, keys)
    editor.acp("prompt", "go")
    editor.wait_event("AcpQuestion")
    editor.expect_lua("return vim.g.were_typed")
    assert answers_of(editor) == []
    assert "just appeared" in editor.lua(SAID)
    expect_answerable(editor)
    editor.type(keys)
    assert editor.wait_event("AcpAnswered")["option_id"] == ("no" if "reject" in keys else "yes")


@pytest.mark.parametrize("keys", [":w<CR>", ":wq<CR>", ":Acp accept<CR>", ":Acp reject<CR>", "<F8>"])
def test_a_proposal_that_has_just_appeared_is_not_sent(open_editor: Open, tmp_path: Path, keys: str) -> None:
    edit = permission("edit", kind="edit", content=[make_diff(path="{cwd}/a.txt", old="one\n", new="two\n")])
    agent = script(tmp_path, on_prompt("", edit, say("ok {answer}")))
    init = "vim.keymap.set('n', '<F8>', '<Cmd>write<CR>')"
    editor = open_chat(open_editor, agent, size=(160, 40), setup=HELD, init=init)
    (editor.project / "a.txt").write_text("one\n")
    editor.type(":Acp close<CR>")
    # the diff is all that is on the screen; the keys are typed in it 0.2 s later
    editor.lua(
        """vim.api.nvim_create_autocmd("BufWinEnter", { pattern = "acp://proposal/*", once = true, callback = function()
          vim.defer_fn(function() vim.api.nvim_input(vim.g.early) end, 200)
          vim.defer_fn(function() vim.g.were_typed = true end, 350)
        end })
        vim.g.early = ..."""
        "",
        keys,
    )
    editor.acp("prompt", "go")
    editor.wait_event("AcpQuestion")
    editor.type(":Acp diff<CR>")
    editor.expect_lua("return vim.g.were_typed")
    assert answers_of(editor) == []
    assert "just appeared" in editor.lua(SAID)
    if editor.lua("return vim.bo.buftype") != "acwrite":  # `:wq` closes what it has written
        editor.type(":Acp diff<CR>")
        editor.expect_lua("return vim.bo.buftype", "acwrite")
    editor.type(":Acp open<CR>")  # its bar says when it may be answered
    expect_answerable(editor)
    editor.type("<C-w>t<C-w>l")
    editor.expect_lua("return vim.bo.buftype", "acwrite")
    editor.type(keys)
    assert editor.wait_event("AcpAnswered")["option_id"] == ("no" if "reject" in keys else "yes")


@pytest.mark.parametrize("laststatus", [2, 3])
def test_nothing_but_the_keys_of_a_bar_is_bold(open_editor: Open, tmp_path: Path, laststatus: int) -> None:
    """With a statusline for all windows the bar is a winbar, which Neovim draws bold."""
    agent, init = script(tmp_path, on_prompt("", permission("run it"))), f"vim.o.laststatus = {laststatus}"
    editor = open_chat(open_editor, agent, init=init)
    send(editor, "go")
    editor.screen.expect("g1 yes")
    row, column = editor.screen.find("g1 yes")
    expect_key(editor, "g1")
    assert not editor.screen.attrs_at(row, column + len("g1 ")).get("bold")


def test_a_double_click_as_the_question_appears_answers_nothing(open_editor: Open, tmp_path: Path) -> None:
    editor = open_chat(open_editor, script(tmp_path, on_prompt("", permission("run it"))))
    editor.lua(
        """vim.api.nvim_create_autocmd("User", { pattern = "AcpQuestion", once = true, callback = function()
          vim.defer_fn(function()
            local win = vim.fn.bufwinid('acp://1/chat')
            local row = vim.api.nvim_win_call(win, function() return vim.fn.search('1 Yes', 'n') end)
            local at = vim.fn.screenpos(win, row, 8)
            for _ = 1, 2 do
              vim.api.nvim_input_mouse("left", "press", "", 0, at.row - 1, at.col - 1)
              vim.api.nvim_input_mouse("left", "release", "", 0, at.row - 1, at.col - 1)
            end
          end, 200)
        end })"""
    )
    send(editor, "go")
    editor.wait_event("AcpQuestion")
    editor.expect_lua(SAID, lambda said: "just appeared: press the mouse again" in said)
    assert answers_of(editor) == []


def test_a_macro_is_as_old_as_the_key_that_runs_it(open_editor: Open, tmp_path: Path) -> None:
    go = tmp_path / "go"
    agent = script(tmp_path, on_prompt("", wait_file(str(go)), permission("run it"), say("ok {answer}")))
    editor = open_chat(open_editor, agent)
    slow = f":call writefile([], '{go}')\r:sleep 1500m\r:Acp accept\r"
    editor.lua("vim.fn.setreg('q', ...)", slow)
    editor.acp("prompt", "go")
    editor.wait_event("AcpTurnStarted")
    editor.type("@q")
    editor.wait_event("AcpQuestion")
    editor.expect_lua(SAID, lambda said: "not sent" in said or "just appeared" in said)
    expect_unanswered(editor)


@pytest.mark.parametrize(
    "keys", ["1gt", "3u", "1p", "3G", "1@e", "3<C-w>k", "2k", "@a", "@b", "1<Esc>", "13G", "1:<Esc>"]
)
def test_a_digit_that_another_key_follows_is_a_count(open_editor: Open, tmp_path: Path, keys: str) -> None:
    """Also in an empty prompt; in a macro a digit is always one."""
    agent = script(tmp_path, on_prompt("", permission("run it"), say("ok {answer}")))
    editor = open_chat(open_editor, agent)
    editor.lua(
        "vim.fn.setreg('a', '1') vim.fn.setreg('b', '13G') vim.fn.setreg('e', ':echo 1\\r') vim.fn.setreg('\"', '')"
    )
    send(editor, "go")
    editor.wait_event("AcpQuestion")
    expect_key(editor, "g1")
    editor.type(keys)
    expect_unanswered(editor)
    editor.type(":Acp<CR>")
    editor.expect_lua("return vim.bo.filetype", "acp_prompt")
    editor.type("3")
    assert editor.wait_event("AcpAnswered")["option_id"] == "no"
    assert editor.mode() == {"mode": "n", "blocking": False}


WRAPPED_NOTIFY = """
local original = vim.notify
_G.notes = {}
vim.notify = function(text, ...)
  table.insert(_G.notes, text)
  return original(text, ...)
end
"""


def test_keys_too_early_wait_for_no_key_where_notify_is_wrapped(open_editor: Open, tmp_path: Path) -> None:
    """A function of the user's that calls Neovim's own in the end, whose errors abort what runs."""
    agent = script(tmp_path, on_prompt("", permission("run it"), say("ok {answer}")))
    init = USERS_KEYS + WRAPPED_NOTIFY
    editor = open_chat(open_editor, agent, setup={"keys": "<leader>a"}, init=init)
    editor.acp("prompt", "go")
    editor.wait_event("AcpQuestion")
    editor.type("<F3>")
    editor.type(" ay")
    editor.expect_lua("return #_G.notes", 2)
    assert not editor.mode()["blocking"]
    expect_answerable(editor)
    editor.type(" aY")
    editor.type(" aY")
    assert editor.wait_event("AcpAnswered")["option_id"] == "always"


TOASTS = """
vim.notify = function()
  vim.api.nvim_open_win(vim.api.nvim_create_buf(false, true), false, {
    relative = 'editor', row = 1, col = vim.o.columns - 50, width = 48, height = 12, focusable = false,
  })
end
"""


def test_a_toast_over_the_question_keeps_nobody_from_answering(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", permission("run it"), say("ok {answer}")))
    editor = open_chat(open_editor, agent, init=TOASTS, size=(100, 30))
    editor.acp("prompt", "go")
    editor.wait_event("AcpQuestion")
    editor.type("<M-1>")  # it has just appeared: a toast says so
    editor.expect_lua("return #vim.api.nvim_list_wins() > 3")
    look(editor)
    editor.type("<M-1>")
    assert editor.wait_event("AcpAnswered")["option_id"] == "yes"


# Focus ---------------------------------------------------------------------------------------------------------------


def asked(open_editor: Open, agent: ScriptedAgent, before: str = "") -> Editor:
    editor = open_chat(open_editor, agent, size=(140, 30))
    editor.lua(before)
    editor.acp("prompt", "go")
    editor.wait_event("AcpQuestion")
    return editor


LOST, GAINED = (f"vim.api.nvim_exec_autocmds('Focus{what}', {{}})" for what in ("Lost", "Gained"))


@pytest.mark.parametrize("keys", ["<M-1>", "g1", ":Acp accept<CR>"])
def test_a_key_answers_whatever_was_said_of_the_focus(open_editor: Open, tmp_path: Path, keys: str) -> None:
    """tmux tells that the focus is lost, and never of keys that are sent to another pane."""
    editor = asked(open_editor, script(tmp_path, on_prompt("", permission("run it"))), before=LOST)
    expect_answerable(editor)
    editor.type(keys)
    assert editor.wait_event("AcpAnswered")["option_id"] == "yes"


def test_who_comes_back_has_to_see_the_question_first(open_editor: Open, tmp_path: Path) -> None:
    editor = asked(open_editor, script(tmp_path, on_prompt("", permission("run it"))))
    expect_answerable(editor)
    editor.lua(f"{LOST} {GAINED} vim.api.nvim_input('g1')")
    editor.expect_lua(
        SAID, lambda said: "just appeared: press g1 again" in said or "not fully visible" in said
    )
    assert answers_of(editor) == []
    editor.settle()  # the keys of the bar are as dark again as they were
    expect_answerable(editor)
    editor.type("g1")
    assert editor.wait_event("AcpAnswered")["option_id"] == "yes"


def test_a_command_that_nobody_typed_answers_only_with_the_focus(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", permission("run it")))
    editor = asked(open_editor, agent)
    expect_answerable(editor)
    timer = "vim.defer_fn(function() vim.cmd('Acp accept') vim.g.ran = (vim.g.ran or 0) + 1 end, 50)"
    editor.lua(f"{LOST} {timer}")
    editor.expect_lua("return vim.g.ran", 1)
    editor.lua(timer)
    editor.expect_lua("return vim.g.ran", 2)
    editor.screen.expect("not sent: no key has been typed since Neovim lost the focus")
    assert answers_of(editor) == []
    editor.type("<Esc>")
    editor.lua(timer)
    assert editor.wait_event("AcpAnswered")["option_id"] == "yes"


# The armed "always" --------------------------------------------------------------------------------------------------

FOUR = [*OPTIONS, ("never", "Never", "reject_always")]


def test_what_counts_always_waits_in_the_bar_for_its_key(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", permission("run it", FOUR)))
    editor = open_chat(open_editor, agent, size=(180, 30))
    editor.type("igo<C-s>")
    editor.wait_event("AcpQuestion")
    expect_key(editor, "<M-1>")
    editor.type("<M-2>")
    editor.screen.expect("<M-1> yes  <M-2> again: always  <M-3> no  <M-4> never")
    editor.type("a")  # another key
    editor.screen.expect("<M-1> yes  <M-2> always  <M-3> no  <M-4> never")
    editor.type("<BS><M-2>")
    editor.screen.expect("<M-2> again: always")
    editor.type("<M-4>")
    editor.screen.expect("<M-2> always  <M-3> no  <M-4> again: never")
    editor.screen.expect("<M-2> always  <M-3> no  <M-4> never")  # 5 s later
    editor.type("<Esc>g2")
    editor.screen.expect("g1 yes  g2 again: always  g3 no  g4 never")
    assert answers_of(editor) == []
    editor.type("g2")
    assert editor.wait_event("AcpAnswered")["option_id"] == "always"


@pytest.mark.parametrize("columns", [44, 64, 80, 104])
def test_a_narrow_bar_has_the_armed_key_too(open_editor: Open, tmp_path: Path, columns: int) -> None:
    agent = script(tmp_path, on_prompt("", permission("run a rather long command", FOUR)))
    editor = open_chat(open_editor, agent, size=(columns, 30), setup={"chat": {"width": 0.4}})
    editor.type("igo<C-s>")
    editor.wait_event("AcpQuestion")
    editor.screen.expect("<M-")
    expect_answerable(editor)
    editor.type("<M-2>")
    editor.screen.expect("<M-2> again" if columns < 64 else "<M-2> again: always")


@pytest.mark.parametrize("width", [40, 44, 48, 60])
def test_beside_the_armed_key_a_no_stays_in_sight(open_editor: Open, tmp_path: Path, width: int) -> None:
    agent = script(tmp_path, on_prompt("", permission("run a rather long command", FOUR)))
    editor = open_chat(open_editor, agent, size=(120, 30), setup={"chat": {"width": width}})
    editor.type("igo<C-s>")
    editor.wait_event("AcpQuestion")
    expect_key(editor, "<M-1>")
    editor.type("<M-2>")
    editor.screen.expect(lambda screen: re.search(r"<M-2> again: always +<M-3> (no|✗)", screen.text()))


def test_enter_on_an_option_waits_for_enter(open_editor: Open, tmp_path: Path) -> None:
    editor = open_chat(open_editor, script(tmp_path, on_prompt("", permission("run it"))), size=(140, 30))
    send(editor, "go")
    editor.wait_event("AcpQuestion")
    expect_key(editor, "g1")
    go_to_line(editor, "2 Always")
    editor.type("<CR>")
    editor.screen.expect("<CR> again: always")
    editor.type("<CR>")
    assert editor.wait_event("AcpAnswered")["option_id"] == "always"
