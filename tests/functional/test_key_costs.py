"""What each task may cost in keys: they are typed and counted. `keys = "<leader>a"` is set, the leader is a blank."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import (
    OPTIONS,
    ScriptedAgent,
    on,
    on_prompt,
    permission,
    result,
    say,
    script,
    tool,
    wait,
    wait_until,
)
from tests.functional.editor import Editor
from tests.steps.conversation import expect_key, open_chat
from tests.steps.files import get_answers, write
from tests.steps.proposals import get_outcomes, make_diff

Open = Callable[..., Editor]
OLD = "".join(f"line {n}\n" for n in range(1, 21))
NEW = OLD.replace("line 3\n", "THREE\n").replace("line 17\n", "SEVENTEEN\n")
MODELS = {
    "availableModels": [{"modelId": id, "name": id.title()} for id in ("opus", "haiku")],
    "currentModelId": "opus",
}
HELD = {"review": {"auto_open": False}}
IDLE_ALT_KEYS = {
    "<M-1>": "there is no open question here",
    "<M-d>": "no open question here has a diff",
    "<M-x>": "no open question here changes a file",
    "<M-u>": "nothing left to undo",
    "<M-m>": "has no models to choose from",
}


def press(editor: Editor, keys: str, at_most: int, then: str = "", seen: str = "return true") -> None:
    """Type the keys of one task, which may be so many; `then` those that the user types once something is `seen`."""
    count = len(re.findall(r"<[^<>]+>|.", keys + then))
    assert count <= at_most, f"{keys}{then} are {count} keys, not {at_most}"
    editor.type(keys)
    editor.expect_lua(seen)
    editor.type(then)


def talk(open_editor: Open, agent: ScriptedAgent, **setup: Any) -> Editor:
    """Open a.txt with OLD, and the chat beside it."""
    setup = {"keys": "<leader>a", **HELD, **setup}
    editor = open_chat(open_editor, agent, setup=setup, init="vim.g.mapleader = ' '\n", size=(180, 40))
    (editor.project / "a.txt").write_text(OLD)
    editor.type("<C-w>t:edit a.txt<CR>:Acp<CR>")
    editor.expect_lua("return vim.bo.filetype", "acp_prompt")
    return editor


def send(editor: Editor) -> None:
    """Send a prompt, and stay in insert mode as the user does."""
    editor.type("igo<C-s>")
    editor.expect_lua("return vim.fn.mode()", "i")


def edit(*names: str) -> list[Any]:
    content = [make_diff(f"{{cwd}}/{name}", OLD if name == "a.txt" else None, NEW) for name in names]
    return permission(f"edit {' '.join(names)}", OPTIONS, kind="edit", content=content)


def expect_inserting(editor: Editor) -> None:
    editor.expect_lua("return { vim.fn.mode(), vim.bo.filetype }", ["i", "acp_prompt"])


@pytest.mark.parametrize(
    ("task", "keys", "option", "at_most"),
    [
        ("allow", "<M-1>", "yes", 1),
        ("refuse", "<M-3>", "no", 1),
        ("allow always", "<M-2><M-2>", "always", 2),
    ],
)
def test_an_answer(
    open_editor: Open, tmp_path: Path, task: str, keys: str, option: str, at_most: int
) -> None:
    editor = talk(open_editor, script(tmp_path, on_prompt("", edit("a.txt"), say("ok"))))
    send(editor)
    editor.screen.expect("17 + SEVENTEEN")  # what the edit would change costs none
    expect_key(editor, "<M-1>")
    press(editor, keys, at_most)
    assert editor.wait_event("AcpAnswered")["option_id"] == option
    expect_inserting(editor)


def test_one_hunk_of_a_change_is_refused(open_editor: Open, tmp_path: Path) -> None:
    written = (write("{cwd}/a.txt", NEW), tool("call", known=True, status="completed"))
    editor = talk(open_editor, script(tmp_path, on_prompt("", edit("a.txt"), *written)))
    send(editor)
    expect_key(editor, "<M-1>")
    press(editor, "<M-d>", 7, then="do:w<CR>", seen="return vim.bo.buftype == 'acwrite'")
    editor.wait_event("AcpTurnEnded")
    wait_until(lambda: (editor.project / "a.txt").read_text() == NEW.replace("THREE", "line 3"))
    expect_inserting(editor)


def test_one_file_of_several_is_refused(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", edit("a.txt", "b.txt", "c.txt"), say("ok")))
    editor = talk(open_editor, agent)
    send(editor)
    expect_key(editor, "<M-1>")
    editor.screen.expect("<M-x> not a.txt")
    press(editor, "<M-x>", 1)
    editor.screen.expect("<M-x> not b.txt")
    editor.screen.expect("a.txt  refused")
    assert get_outcomes(agent) == []
    press(editor, "<M-x>", 1)
    editor.screen.expect("<M-x> not c.txt")
    press(editor, "<M-x>", 1)
    assert editor.wait_event("AcpAnswered")["option_id"] == "no"
    expect_inserting(editor)


def test_a_turn_is_cancelled(open_editor: Open, tmp_path: Path) -> None:
    editor = talk(open_editor, script(tmp_path, on_prompt("", say("on it"), wait("session/cancel"))))
    send(editor)
    editor.screen.expect("on it")
    press(editor, "<C-c>", 1)
    editor.wait_event("AcpTurnEnded", stop_reason="cancelled")
    expect_inserting(editor)


def test_a_selection_is_sent_with_words(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", say("ok")))
    editor = talk(open_editor, agent)
    editor.type("<C-w>tggVj")
    press(editor, " ap", 3)
    editor.type("explain<CR>")
    editor.wait_event("AcpTurnEnded")
    sent = agent.got("session/prompt")[-1]["params"]["prompt"]
    assert sent[0]["text"] == "explain"


def edited(open_editor: Open, tmp_path: Path) -> Editor:
    """A turn that has changed a.txt without a question; the user is still in the prompt, in insert mode."""
    agent = script(tmp_path, on_prompt("", write("{cwd}/a.txt", NEW), say("Done.")))
    editor = talk(open_editor, agent)
    send(editor)
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua("return #require('acp_nvim').changes() > 0")
    return editor


def test_what_has_changed_is_shown(open_editor: Open, tmp_path: Path) -> None:
    editor = edited(open_editor, tmp_path)
    editor.type("<Esc>")
    press(editor, " ar", 3)
    editor.expect_lua("return { vim.fn.expand('%:t'), vim.fn.line('.') }", ["a.txt", 3])


@pytest.mark.parametrize(
    ("before", "keys", "at_most"), [("<Esc>", " au", 3), ("", "<M-u>", 1), ("<Esc>", "<M-u>", 1)]
)
def test_a_turn_is_undone(open_editor: Open, tmp_path: Path, before: str, keys: str, at_most: int) -> None:
    editor = edited(open_editor, tmp_path)
    editor.type(before)
    editor.expect_lua("return vim.fn.mode()", "n" if before else "i")
    press(editor, keys, at_most)
    wait_until(lambda: (editor.project / "a.txt").read_text() == OLD)
    editor.screen.expect("undone")
    assert editor.lua("return { vim.fn.mode(), vim.bo.filetype }") == ["n" if before else "i", "acp_prompt"]


def with_models(tmp_path: Path) -> ScriptedAgent:
    return script(
        tmp_path,
        on("session/new", result({"sessionId": "s", "models": MODELS})),
        on("session/set_model", result({})),
    )


@pytest.mark.parametrize(
    ("before", "keys", "at_most"),
    [("i", "<M-m>2", 3), ("", "<M-m>2", 3), ("i", "<M-m>j<CR>", 3), ("", " am2", 4)],
)
def test_another_model(open_editor: Open, tmp_path: Path, before: str, keys: str, at_most: int) -> None:
    editor = talk(open_editor, with_models(tmp_path))
    editor.expect_lua("return require('acp_nvim').status().model", "opus")
    editor.type(f"{before}")
    press(editor, keys, at_most)
    editor.expect_lua("return require('acp_nvim').status().model", "haiku")
    editor.expect_lua("return { vim.fn.mode(), vim.bo.filetype }", ["i" if before else "n", "acp_prompt"])


def test_another_session_and_follow(open_editor: Open, tmp_path: Path) -> None:
    editor = talk(open_editor, script(tmp_path, on_prompt("", say("ok"))))
    press(editor, " af", 3)
    editor.expect_lua("return require('acp_nvim').status().following")
    editor.type(" aS")
    editor.wait_event("AcpSessionStarted", session=2)
    press(editor, " as<CR>", 4)
    editor.expect_lua("return vim.fn.bufname()", "acp://1/prompt")


def test_to_the_prompt_from_a_file(open_editor: Open, tmp_path: Path) -> None:
    editor = talk(open_editor, script(tmp_path, on_prompt("", say("ok"))))
    editor.type("<C-w>t")
    press(editor, " ai", 3)
    expect_inserting(editor)


# What the Alt keys do where there is nothing to do -------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["i", "n"])
def test_an_alt_key_with_nothing_to_do_says_so(open_editor: Open, tmp_path: Path, mode: str) -> None:
    editor = talk(open_editor, script(tmp_path, on_prompt("", say("ok"))))
    editor.type("iabc" + ("" if mode == "i" else "<Esc>"))
    editor.expect_lua("return { vim.fn.mode(), vim.fn.getline(1) }", [mode, "abc"])
    at = editor.lua("return vim.fn.getcurpos()")
    for key, said in IDLE_ALT_KEYS.items():
        assert said not in editor.screen.text()
        editor.type(key)
        editor.screen.expect(said)
        now = editor.lua("return { vim.fn.mode(), vim.fn.getline(1), vim.fn.getcurpos() }")
        assert now == [mode, "abc", at], key


@pytest.mark.parametrize("mode", ["i", "n"])
def test_with_a_question_open_no_turn_is_undone(open_editor: Open, tmp_path: Path, mode: str) -> None:
    agent = script(tmp_path, on_prompt("", write("{cwd}/a.txt", NEW), permission("go on?"), say("ok")))
    editor = talk(open_editor, agent)
    send(editor)
    editor.wait_event("AcpQuestion")
    editor.type("" if mode == "i" else "<Esc>")
    editor.expect_lua("return vim.fn.mode()", mode)
    editor.type("<M-u>")
    editor.screen.expect("not undone: a question is open, answer it first")
    assert (editor.project / "a.txt").read_text() == NEW
    assert editor.lua("return vim.fn.mode()") == mode
    assert [each for each in get_answers(agent) if each.get("outcome")] == []


# Back in insert mode --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("end", [":w<CR>", ":Acp accept<CR>", ":Acp reject<CR>", ":q<CR>"])
@pytest.mark.parametrize("is_open", [True, False])
def test_a_diff_from_insert_mode_leads_back_there(
    open_editor: Open, tmp_path: Path, end: str, is_open: bool
) -> None:
    """Also where it has opened by itself, while the user was in another window."""
    agent = script(tmp_path, on_prompt("", edit("a.txt"), say("ok")))
    editor = talk(open_editor, agent, review={"auto_open": is_open})
    if is_open:
        editor.type("<C-w>t")
        editor.acp("prompt", "go")
        editor.screen.expect(":w send")
        editor.type(":Acp<CR>i")
    else:
        send(editor)
    editor.type("a draft<Left><Left>")
    expect_key(editor, "<M-1>")
    editor.type("<M-d>")
    editor.expect_lua("return { vim.fn.mode(), vim.bo.buftype }", ["n", "acwrite"])
    editor.type(end)
    expect_inserting(editor)
    editor.type("!")
    editor.expect_lua("return vim.fn.getline(1)", "a dra!ft")


def test_who_leaves_the_diff_for_a_file_stays_in_normal_mode(open_editor: Open, tmp_path: Path) -> None:
    editor = talk(open_editor, script(tmp_path, on_prompt("", edit("a.txt"), say("ok"))))
    send(editor)
    expect_key(editor, "<M-1>")
    editor.type("<M-d>")
    editor.expect_lua("return vim.bo.buftype", "acwrite")
    editor.lua(
        """vim.api.nvim_set_current_win(vim.iter(vim.fn.win_findbuf(vim.fn.bufnr("a.txt"))):find(function(win)
          return not vim.wo[win].diff
        end))"""
    )
    editor.lua("require('acp_nvim').answer(require('acp_nvim').questions()[1].id, 'no')")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(
        "return #vim.tbl_filter(function(win) return vim.wo[win].diff end, vim.api.nvim_list_wins())", 0
    )
    editor.type(":Acp<CR>")
    editor.expect_lua("return { vim.fn.mode(), vim.bo.filetype }", ["n", "acp_prompt"])


# A file of several ----------------------------------------------------------------------------------------------------


def test_the_file_whose_diff_is_shown_is_the_one_that_is_refused(open_editor: Open, tmp_path: Path) -> None:
    """The rest is taken: the refused file is not on the disk."""
    written = (write("{cwd}/a.txt", NEW), write("{cwd}/c.txt", NEW), write("{cwd}/b.txt", NEW))
    done = tool("call", known=True, status="completed")
    agent = script(tmp_path, on_prompt("", edit("a.txt", "b.txt", "c.txt"), *written, done))
    editor = talk(open_editor, agent)
    send(editor)
    expect_key(editor, "<M-1>")
    editor.type("<M-d>")
    editor.expect_lua("return vim.bo.buftype", "acwrite")
    editor.type(":cnext<CR>")
    editor.screen.expect("new file · b.txt (2 of 3)")
    editor.type(":Acp<CR>i")
    editor.screen.expect("<M-x> not b.txt")
    editor.type("<M-x>")
    editor.screen.expect("new file · c.txt (3 of 3)")
    editor.screen.expect("b.txt  refused")
    editor.type("<M-1>")
    editor.wait_event("AcpTurnEnded")
    assert get_outcomes(agent) == ["yes"]
    wait_until(lambda: not (editor.project / "b.txt").exists())
    assert (editor.project / "a.txt").read_text() == (editor.project / "c.txt").read_text() == NEW


def test_a_file_of_a_question_that_has_just_come_is_not_refused(open_editor: Open, tmp_path: Path) -> None:
    editor = talk(open_editor, script(tmp_path, on_prompt("", edit("a.txt", "b.txt"), say("ok"))))
    editor.lua(
        """vim.api.nvim_create_autocmd("User", { pattern = "AcpQuestion", once = true, callback = function()
          vim.defer_fn(function() vim.api.nvim_input("<M-x>") end, 200)
        end })"""
    )
    send(editor)
    editor.screen.expect("just appeared: press <M-x> again")
    expect_key(editor, "<M-1>")
    editor.screen.expect("<M-x> not a.txt")
    editor.type("<M-x>")
    editor.screen.expect("<M-x> not b.txt")
