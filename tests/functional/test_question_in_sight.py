"""What counts as having been seen of a question: all of it, in no fold, behind no float in which the user works,
cut at no edge of a window."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import (
    ScriptedAgent,
    Step,
    ask,
    huge,
    notify,
    on_prompt,
    permission,
    request,
    script,
    tool,
    touch,
    wait_file,
)
from tests.functional.editor import Editor
from tests.steps.conversation import expect_answerable, expect_key, go_to_line, open_chat, send

Open = Callable[..., Editor]
COMMAND = "git log --oneline --decorate --all --graph --author=somebody --since=yesterday; rm -rf precious"
REFUSED = "return vim.fn.execute('messages'):find('question') ~= nil"


def question(number: int = 1, command: str = COMMAND) -> Step:
    """A permission that the agent does not wait for."""
    _, method, params = permission(
        "Look at the log", kind="execute", rawInput={"command": command}, id=f"run-{number}"
    )
    return ask(method, params)


def asked(open_editor: Open, agent: ScriptedAgent, size: tuple[int, int] = (100, 30)) -> Editor:
    editor = open_chat(open_editor, agent, size=size)
    send(editor, "go")
    editor.wait_event("AcpQuestion")
    editor.screen.expect("precious")
    return editor


def staying(tmp_path: Path, *steps: Step) -> ScriptedAgent:
    return script(tmp_path, on_prompt("", question(), *steps, wait_file(str(tmp_path / "end"))))


def refused_then_accepted(editor: Editor) -> None:
    """The first accept shows the question and sends nothing; the second is about what has been seen."""
    expect_answerable(editor)
    editor.type(":Acp accept<CR>")
    editor.expect_lua(REFUSED)
    assert not editor.events("AcpAnswered")
    editor.screen.expect("precious")
    expect_answerable(editor)
    editor.type(":Acp accept<CR>")
    assert editor.wait_event("AcpAnswered")["option_id"] == "yes"


@pytest.mark.parametrize("size", [80_000, 2_000_000])
def test_an_endless_line_below_a_question_cuts_none_of_it(
    open_editor: Open, tmp_path: Path, size: int
) -> None:
    go = tmp_path / "go"
    editor = asked(open_editor, staying(tmp_path, wait_file(str(go)), huge(size)))
    go.touch()
    editor.expect_lua(
        "return #table.concat(vim.api.nvim_buf_get_lines(vim.fn.bufnr('^acp://1/chat$'), 0, -1, false))",
        lambda length: length >= size,
    )
    refused_then_accepted(editor)


FLOAT = """
  local win = vim.fn.bufwinid(vim.fn.bufnr('^acp://1/chat$'))
  local at = vim.api.nvim_win_get_position(win)
  local height = vim.api.nvim_win_get_height(win)
  local float = vim.api.nvim_open_win(vim.api.nvim_create_buf(false, true), (...), {
    relative = 'editor', row = at[1] + 1, col = at[2] + 5, width = 30, height = height - 2, style = 'minimal',
  })
  vim.cmd('redraw')
  return float
"""


def test_what_stands_behind_a_float_with_the_cursor_has_not_been_seen(
    open_editor: Open, tmp_path: Path
) -> None:
    go = tmp_path / "go"
    agent = script(tmp_path, on_prompt("", wait_file(str(go)), question(), wait_file(str(tmp_path / "end"))))
    editor = open_chat(open_editor, agent)
    send(editor, "go")
    editor.wait_event("AcpTurnStarted")
    float = editor.lua(FLOAT, True)
    go.touch()
    editor.wait_event("AcpQuestion")
    editor.screen.expect("asks: Look at the log")  # it would take the place of what the command says
    editor.type(":Acp accept<CR>")
    editor.expect_lua(REFUSED)
    editor.screen.expect("a float covers the question")
    assert not editor.events("AcpAnswered")
    editor.lua("vim.api.nvim_win_close(..., true)", float)
    editor.screen.expect("precious")
    expect_answerable(editor)
    editor.type(":Acp accept<CR>")
    assert editor.wait_event("AcpAnswered")["option_id"] == "yes"


def test_a_float_that_only_shows_something_keeps_nobody_from_answering(
    open_editor: Open, tmp_path: Path
) -> None:
    editor = asked(open_editor, staying(tmp_path))
    editor.lua(FLOAT, False)
    expect_answerable(editor)
    editor.type(":Acp accept<CR>")
    assert editor.wait_event("AcpAnswered")["option_id"] == "yes"


def test_a_question_in_a_closed_fold_has_not_been_seen(open_editor: Open, tmp_path: Path) -> None:
    editor = asked(open_editor, staying(tmp_path))
    go_to_line(editor, "Look at the log")
    editor.lua(
        "vim.wo.foldmethod, vim.wo.foldenable = 'manual', true vim.cmd('normal! zfG') vim.cmd('redraw')"
    )
    editor.screen.expect_gone("precious")
    refused_then_accepted(editor)


def test_a_question_that_runs_out_of_the_window_has_not_been_seen(open_editor: Open, tmp_path: Path) -> None:
    editor = asked(open_editor, staying(tmp_path))
    editor.lua("vim.wo[vim.fn.bufwinid(vim.fn.bufnr('^acp://1/chat$'))].wrap = false vim.cmd('redraw')")
    editor.screen.expect_gone("precious")
    refused_then_accepted(editor)


def test_a_question_scrolled_sideways_has_not_been_seen(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", question(command="ls precious"), wait_file(str(tmp_path / "end"))))
    editor = asked(open_editor, agent)
    go_to_line(editor, "ls precious")
    editor.lua("vim.wo.wrap = false vim.fn.winrestview({ leftcol = 6 }) vim.cmd('redraw')")
    editor.screen.expect_gone("$ ls")
    refused_then_accepted(editor)


@pytest.mark.alone
def test_sixty_long_questions_cost_no_key(open_editor: Open, tmp_path: Path) -> None:
    command = "\n".join(f"echo line {number}" for number in range(1900))
    many = [question(number, command) for number in range(60)]
    agent = script(tmp_path, on_prompt("", *many, wait_file(str(tmp_path / "end"))))
    editor = open_chat(open_editor, agent)
    send(editor, "go")
    editor.expect_lua("return #require('acp_nvim').questions()", 60, timeout=60)
    editor.type("<Esc>:Acp<CR>")
    drawn = editor.lua(
        """local win = vim.fn.bufwinid(vim.fn.bufnr('^acp://1/chat$'))
        local began = os.clock()
        for _ = 1, 20 do
          vim.api.nvim__redraw({ win = win, valid = false, flush = true })
        end
        return (os.clock() - began) * 1e3 / 20"""
    )
    assert drawn < 30, f"{drawn} ms of CPU for one drawing of the chat"


def replaced(go: Path) -> tuple[Step, ...]:
    """The agent takes its first question back and asks another."""
    return (
        question(command="ls precious"),
        wait_file(str(go)),
        notify("$/cancel_request", {"requestId": 0}),
        question(2, "rm -rf precious"),
    )


def altered(go: Path) -> tuple[Step, ...]:
    """The agent changes the command that its question is about."""
    return (
        question(command="ls precious"),
        wait_file(str(go)),
        tool("run-1", known=True, rawInput={"command": "rm -rf precious"}),
    )


@pytest.mark.parametrize("steps", [replaced, altered])
@pytest.mark.parametrize("command", ["accept", "answer 1", "accept!", "allow!"])
def test_a_command_is_not_for_a_question_that_came_while_it_was_typed(
    open_editor: Open, tmp_path: Path, command: str, steps: Callable[[Path], tuple[Step, ...]]
) -> None:
    go = tmp_path / "go"
    agent = script(tmp_path, on_prompt("", *steps(go), wait_file(str(tmp_path / "end"))))
    editor = asked(open_editor, agent, size=(140, 30))
    editor.type(f":Acp {command}")
    editor.screen.expect(f":Acp {command}")
    go.touch()
    editor.screen.expect("rm -rf precious")
    editor.type("<CR>")
    editor.screen.expect("not sent: the question came or changed while you typed")
    assert not [data for _, data in editor.events("AcpAnswered") if data["by"] == "user"]
    expect_answerable(editor)
    editor.type(f":Acp {command}<CR>")
    assert editor.wait_event("AcpAnswered", by="user")["option_id"] in ("yes", "always")


@pytest.mark.parametrize("key", ["1", "g1", "<CR>"])
def test_a_key_is_not_for_a_question_that_has_slid_under_the_cursor(
    open_editor: Open, tmp_path: Path, key: str
) -> None:
    go = tmp_path / "go"
    withdrawn = (wait_file(str(go)), notify("$/cancel_request", {"requestId": 0}))
    steps = (question(command="ls precious"), question(2, "rm -rf all"), *withdrawn)
    agent = script(tmp_path, on_prompt("", *steps, wait_file(str(tmp_path / "end"))))
    editor = asked(open_editor, agent, size=(140, 30))
    editor.screen.expect("rm -rf all")
    expect_key(editor, "g1")
    go_to_line(editor, "1 Yes")
    go.touch()
    editor.expect_lua("return #require('acp_nvim').questions()", 1)
    editor.type(key)
    if key != "<CR>":
        editor.screen.expect(f"the question has just appeared: press {key} again")
    editor.type(":echo 'later'<CR>")
    editor.screen.expect("later")
    assert not [data for _, data in editor.events("AcpAnswered") if data["by"] == "user"]


def test_an_unseen_question_is_shown_and_not_answered(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", permission("drop the database")))
    editor = open_chat(open_editor, agent)
    editor.type(":Acp close<CR>")
    editor.acp("prompt", "go")
    editor.wait_event("AcpQuestion")
    editor.type(":Acp accept<CR>")
    editor.screen.expect("drop the database")
    assert editor.events("AcpAnswered") == []
    expect_answerable(editor)
    editor.type(":Acp accept<CR>")
    assert editor.wait_event("AcpAnswered")["option_id"] == "yes"


def test_a_question_that_changes_on_its_way_to_the_screen_is_shown_anew(
    open_editor: Open, tmp_path: Path
) -> None:
    go, changed = tmp_path / "go", tmp_path / "changed"
    asked = permission("run", kind="execute", rawInput={"command": "git status"})
    agent = script(
        tmp_path,
        on_prompt(
            "",
            ["ask", *asked[1:]],
            wait_file(str(go)),
            tool("call", known=True, rawInput={"command": "rm -rf all"}),
            request("nobody/knows", {}),  # its answer says that the update has been heard
            touch(str(changed)),
            wait_file(str(tmp_path / "never")),
        ),
    )
    editor = open_chat(open_editor, agent)
    send(editor, "go")
    editor.screen.expect("git status")
    expect_answerable(editor)
    editor.lua(
        """local go, changed = ...
        vim.fn.writefile({}, go)
        while not vim.uv.fs_stat(changed) do end -- the editor is busy with something else
        vim.cmd("Acp accept")""",
        str(go),
        str(changed),
    )
    editor.screen.expect("rm -rf all")
    editor.screen.expect("not sent: the question has changed")
    assert editor.events("AcpAnswered") == []
    expect_answerable(editor)
    editor.type(":Acp accept<CR>")
    assert editor.wait_event("AcpAnswered")["option_id"] == "yes"


def test_what_the_chat_cannot_show_whole_is_not_allowed(open_editor: Open, tmp_path: Path) -> None:
    command = "\n".join([*(f"echo {n}" for n in range(2000)), "drop the database"])
    agent = script(tmp_path, on_prompt("", permission("run", rawInput={"command": command})))
    editor = open_chat(open_editor, agent)
    send(editor, "go")
    editor.wait_event("AcpQuestion")
    editor.expect_lua(
        "vim.cmd('Acp accept') vim.cmd.redraw() return vim.fn.execute('messages'):find('too long') ~= nil",
        timeout=60,
    )
    go_to_line(editor, "1 Yes")
    expect_key(editor, "g1")
    for keys in (":Acp accept<CR>", ":Acp answer 1<CR>", ":Acp accept!<CR>", "1"):
        editor.lua("vim.cmd('messages clear')")
        editor.type(f"<Esc>{keys}")
        editor.expect_lua(
            "return vim.fn.execute('messages')", lambda said: "too long to be shown in full" in said
        )
    assert editor.events("AcpAnswered") == []
    expect_answerable(editor)
    editor.type(":Acp reject<CR>")
    assert editor.wait_event("AcpAnswered")["option_id"] == "no"
