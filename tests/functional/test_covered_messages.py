"""What comes while Neovim would write over it, or where it is shown but not drawn anew, is seen all the same."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import die, on_prompt, permission, say, script, wait_file
from tests.functional.editor import Editor
from tests.steps.conversation import open_chat, send

Open = Callable[..., Editor]
SIZES = [(60, 15), (80, 24)]


def elsewhere(editor: Editor) -> None:
    """The user writes in a file of theirs, and the chat is closed."""
    editor.type("<Esc>:Acp close<CR>ia text")
    editor.screen.expect("-- INSERT --")


@pytest.mark.statement(80)
@pytest.mark.parametrize("size", SIZES)
def test_a_question_that_comes_in_insert_mode_is_told_at_once_and_when_it_is_left(
    open_editor: Open, tmp_path: Path, size: tuple[int, int]
) -> None:
    agent = script(tmp_path, on_prompt("", wait_file(str(tmp_path / "go")), permission("Go?")))
    editor = open_chat(open_editor, agent, size=size)
    send(editor, "hello")
    editor.wait_event("AcpTurnStarted")
    elsewhere(editor)
    (tmp_path / "go").touch()
    editor.wait_event("AcpQuestion")
    editor.screen.expect("asks: Go?   :Acp answer {n}")
    editor.type(" and more")
    editor.screen.expect("and more")
    assert editor.lua("return vim.fn.mode()") == "i"
    editor.type("<Esc>")
    again = "acp_nvim: Scripted asks: Go?   :Acp answer {n}"
    editor.screen.expect(lambda screen: screen.mode == "normal" and again in screen.text(), what=again)
    assert editor.lua("return vim.api.nvim_get_mode()") == {"mode": "n", "blocking": False}
    assert editor.lua("return vim.fn.getline(1)") == "a text and more"
    editor.type("ix<Esc>")
    editor.screen.expect_gone("asks: Go?")


def test_without_a_message_line_nothing_waits_for_a_key(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", wait_file(str(tmp_path / "go")), say("done")))
    editor = open_chat(open_editor, agent, init="vim.o.cmdheight = 0\n")
    editor.type("<Esc>:Acp mode<CR>")
    editor.screen.expect("acp_nvim: Scripted has no modes to choose from")
    assert editor.mode() == {"mode": "n", "blocking": False}
    editor.type(":Acp bogus<CR>")
    editor.screen.expect("acp_nvim: no subcommand 'bogus'")
    assert "no modes" not in editor.screen.text()
    assert editor.mode()["blocking"] is False
    send(editor, "hello")
    editor.wait_event("AcpTurnStarted")
    editor.type("<Esc>:Acp close<CR>")
    (tmp_path / "go").touch()
    editor.screen.expect("acp_nvim: Scripted is done")
    assert editor.mode()["blocking"] is False
    editor.type(":")
    editor.screen.expect_gone("is done")


def test_what_matters_is_left_of_what_is_cut(open_editor: Open) -> None:
    """The command to type, the path that can be opened, and the beginning of a bar."""
    editor = open_editor(size=(60, 15))
    say = "require('acp_nvim.backend_calls').frame({ { 'message', 'info', ... } })"
    editor.lua(say, "the agent was killed by a signal of the system (:Acp restart)")
    editor.screen.expect("acp_nvim: the agent was killed b… (:Acp restart)")
    editor.lua(say, "the conversation is in ", str(editor.project / "of-today.md"))
    editor.screen.expect("the conversation is in of-today.md")
    editor.lua(say, "it is in ", str(editor.home / "a-long-folder/my-notes.md"))
    editor.screen.expect("it is in ~/a-long-folder/my-notes.md")
    editor.type(":Acp agents<CR>")
    editor.screen.expect(" Agents   <CR> new session")
    editor.type("q:Acp sessions<CR>")
    editor.screen.expect(" Sessions   <CR> go to")


def test_what_a_key_answers_is_seen_in_insert_mode(open_editor: Open, tmp_path: Path) -> None:
    editor = open_chat(open_editor, script(tmp_path), size=(80, 24))
    windows = editor.lua("return vim.api.nvim_list_wins()")
    for keys, told in (("i<C-s>", "nothing to send"), ("<S-Tab>", "has no modes to choose from")):
        editor.type(keys)
        editor.screen.expect(told)
        assert editor.lua("return vim.fn.mode()") == "i"
    editor.type("<Esc>")
    editor.screen.expect_gone("has no modes")
    assert editor.lua("return vim.api.nvim_list_wins()") == windows


@pytest.mark.statement(80)
def test_a_question_that_has_been_answered_meanwhile_is_not_told_again(
    open_editor: Open, tmp_path: Path
) -> None:
    go, end = (wait_file(str(tmp_path / name)) for name in ("go", "end"))
    agent = script(tmp_path, on_prompt("", go, permission("Go?"), end))  # the turn's end would be told too
    editor = open_chat(open_editor, agent)
    send(editor, "hello")
    editor.wait_event("AcpTurnStarted")
    elsewhere(editor)
    (tmp_path / "go").touch()
    id = editor.wait_event("AcpQuestion")["id"]
    editor.expect_lua("return vim.fn.execute('messages'):find('asks: Go') ~= nil")
    assert editor.acp("answer", id, "yes") is True
    editor.wait_event("AcpAnswered")
    editor.type("<Esc>:echo 'here'<CR>")
    editor.screen.expect("here")
    assert "asks" not in editor.screen.text()


def test_the_death_of_an_agent_in_insert_mode_is_told_once_it_is_left(
    open_editor: Open, tmp_path: Path
) -> None:
    agent = script(tmp_path, on_prompt("", wait_file(str(tmp_path / "go")), die("SIGKILL")))
    editor = open_chat(open_editor, agent, size=(80, 24))
    send(editor, "hello")
    editor.wait_event("AcpTurnStarted")
    elsewhere(editor)
    (tmp_path / "go").touch()
    editor.wait_event("AcpSessionEnded")
    editor.type("<Esc>")
    editor.screen.expect("acp_nvim: agent0 was killed by SIGKILL (:Acp restart)")
    editor.expect_lua("return vim.api.nvim_get_mode()", {"mode": "n", "blocking": False})


def test_a_statusline_follows_while_the_chat_is_open(open_editor: Open, tmp_path: Path) -> None:
    agent = script(
        tmp_path,
        on_prompt("one", wait_file(str(tmp_path / "go")), say("So.")),
        on_prompt("two", permission("Go?"), say("Yes.")),
    )
    init = "vim.o.laststatus = 2 vim.o.statusline = \"%<%f [%{%v:lua.require'acp_nvim'.statusline()%}]\""
    editor = open_chat(open_editor, agent, init=init)
    editor.screen.expect("[Scripted idle]")
    send(editor, "one")
    editor.screen.expect("[Scripted running]")
    editor.type(":echo 1")  # a command line that is being typed stays
    (tmp_path / "go").touch()
    editor.screen.expect("[Scripted idle]")
    assert editor.screen.lines()[-1] == ":echo 1"
    editor.type("<Esc>")  # <C-c> would take with it what is typed right behind it
    send(editor, "two")
    editor.screen.expect("[Scripted needs you]")


def test_a_statusline_is_left_alone_where_nothing_in_it_has_changed(
    open_editor: Open, tmp_path: Path
) -> None:
    words = [say(f"word {number} ") for number in range(50)]
    agent = script(tmp_path, on_prompt("one", *words), on_prompt("two", say("So.")))
    init = """
    _G.drawn = 0
    function _G.line()
      _G.drawn = _G.drawn + 1
      return require('acp_nvim').statusline()
    end
    vim.o.statusline = "%{%v:lua.line()%}"
    """
    editor = open_chat(open_editor, agent, init=init)
    send(editor, "one")
    editor.wait_event("AcpTurnEnded", turn=1)
    editor.screen.expect("Scripted idle")
    editor.lua("_G.drawn = 0")
    for title in "abc":
        editor.acp("rename", title)
        editor.expect_lua("return require('acp_nvim').status().title", title)
    assert editor.lua("return _G.drawn") <= 2 * 3 * 3  # the plugin's own windows draw theirs


TOLD = "_G.said = {} vim.notify = function(text) table.insert(_G.said, text) end\n"
SAY = "require('acp_nvim.backend_calls').frame({ { 'message', 'warn', ... } })"
MESSAGES = "return vim.fn.execute('messages')"


def test_without_a_message_line_each_message_is_in_the_history(open_editor: Open, tmp_path: Path) -> None:
    editor = open_chat(open_editor, script(tmp_path), init="vim.o.cmdheight = 0\n")
    for keys, told in (
        ("<Esc>:Acp mode<CR>", "Scripted has no modes to choose from"),
        (":Acp bogus<CR>", "no subcommand 'bogus'"),
        ("i<S-Tab>", "Scripted has no modes to choose from"),
    ):
        editor.type(keys)
        editor.screen.expect(f"acp_nvim: {told}")
        assert editor.mode()["blocking"] is False
    editor.type("<Esc>")
    history = editor.expect_lua(MESSAGES, lambda text: text.count("no modes to choose") == 2)
    assert "acp_nvim: no subcommand 'bogus'" in history


def test_a_plugin_that_shows_messages_gets_them_without_our_name(open_editor: Open, tmp_path: Path) -> None:
    """It is looked for at each message, for it may be loaded late; it shows our name as the title."""
    editor = open_chat(open_editor, script(tmp_path), size=(60, 20))
    editor.type("<Esc>:Acp bogus<CR>")
    editor.screen.expect("acp_nvim: no subcommand 'bogus'")
    editor.lua(TOLD)
    editor.type(":Acp bogus<CR>")
    editor.expect_lua("return _G.said[1]", lambda text: text and text.startswith("no subcommand 'bogus'"))


def test_a_message_that_does_not_fit_keeps_what_to_do_and_where(open_editor: Open) -> None:
    editor = open_editor(size=(80, 24))
    editor.lua(SAY, "not sent: the question was not fully visible. It is now: repeat to answer")
    editor.screen.expect("acp_nvim: not sent: the question was not fully")
    editor.screen.expect("…: repeat to answer")
    folder = str(editor.home / "a" / "deep" / "folder" / "acp_nvim")
    editor.lua(SAY, f"the prompt history is not kept: file already exists: {folder}")
    editor.screen.expect("acp_nvim: the prompt history is not kept: file")
    editor.screen.expect(": ~/a/d/f/acp_nvim")
