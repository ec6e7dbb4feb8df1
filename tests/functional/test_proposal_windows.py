"""An open proposal and the rest of Neovim: commands over all windows and buffers, leaving, changes that come late."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import on_prompt, permission, say, script, tool, wait_file, wait_until, write_file
from tests.functional.editor import Editor
from tests.steps.conversation import expect_answerable
from tests.steps.files import NOTES, open_notes, write
from tests.steps.proposals import (
    ASIDE,
    DIFFS,
    MIXED,
    NEW,
    OLD,
    ask_edit,
    decide_mixed,
    expect_closed,
    get_outcomes,
    get_report,
    make_diff,
    open_diff,
    open_old,
    write_through,
)

Open = Callable[..., Editor]
OTHER = "{cwd}/other.txt"


@pytest.mark.statement(78)
def test_tabclose_decides_nothing(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", ask_edit()))
    editor = open_old(open_editor, agent)
    editor.type(":tabnew<CR>")
    open_diff(editor)
    editor.type(":tabclose<CR>")
    expect_closed(editor)
    assert editor.lua("return { #vim.api.nvim_list_tabpages(), vim.fn.bufname() }") == [1, "notes.txt"]
    assert (get_outcomes(agent), len(editor.acp("questions"))) == ([], 1)
    editor.type(":Acp diff<CR>")
    editor.expect_lua(DIFFS, 2)
    expect_answerable(editor)
    editor.type(":w<CR>")
    editor.wait_event("AcpTurnEnded")
    assert get_outcomes(agent) == ["yes"]


@pytest.mark.statement(78)
def test_only_in_another_window_decides_nothing(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", ask_edit()))
    editor = open_old(open_editor, agent)
    open_diff(editor)
    editor.type("<C-w>b:only<CR>")
    expect_closed(editor)
    assert editor.lua("return { #vim.api.nvim_list_wins(), vim.fn.bufname() }") == [1, "notes.txt"]
    assert (get_outcomes(agent), len(editor.acp("questions"))) == ([], 1)


@pytest.mark.parametrize("command", ["bufdo", "windo", "argdo"])
def test_a_command_over_all_does_not_decide(open_editor: Open, tmp_path: Path, command: str) -> None:
    """It goes through the user's buffers; those of a proposal are none of them, and no window is left in diff mode."""
    agent = script(tmp_path, on_prompt("", *write_through()))
    editor = open_old(open_editor, agent)
    (editor.project / "more.txt").write_text("more\n")
    editor.type(":argadd more.txt<CR>")
    open_diff(editor)
    editor.type(f":{command} let g:seen = get(g:, 'seen', 0) + 1<CR>")
    editor.expect_lua("return vim.g.seen", lambda seen: seen)
    assert (get_outcomes(agent), len(editor.acp("questions"))) == ([], 1)
    editor.expect_lua(DIFFS, lambda count: count in (0, 2))
    editor.type(":Acp diff<CR>")
    editor.expect_lua(DIFFS, 2)
    editor.expect_lua("return vim.bo.buftype", "acwrite")
    expect_answerable(editor)
    editor.type(":w<CR>")
    editor.wait_event("AcpTurnEnded")
    expect_closed(editor)
    assert get_outcomes(agent) == ["yes"]
    assert (editor.project / "notes.txt").read_text() == NEW


WAYS = {
    "through us": write_through(),
    "on disk": [ask_edit(), write_file(NOTES, NEW), tool("call", known=True, status="completed")],
}


@pytest.mark.backends
@pytest.mark.parametrize("way", WAYS)
def test_leaving_with_wqa_sends_the_decision_and_leaves_no_refused_hunk(
    open_editor: Open, tmp_path: Path, way: str
) -> None:
    agent = script(tmp_path, on_prompt("", *WAYS[way]))
    editor = open_old(open_editor, agent)
    open_diff(editor)
    expect_answerable(editor)
    editor.type("gg]cdo/SEVENTEEN<CR>cc17<Esc>:wqa<CR>")
    assert editor.wait_exit() == 0
    assert get_outcomes(agent) == ["yes"]
    assert (editor.project / "notes.txt").read_text() == MIXED


def test_leaving_waits_for_no_agent_that_does_nothing(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", ask_edit(), ["wait", "session/cancel"]))
    editor = open_old(open_editor, agent)
    open_diff(editor)
    expect_answerable(editor)
    editor.type("gg]cdo:wqa<CR>")
    assert editor.wait_exit() == 0
    assert get_outcomes(agent) == ["yes"]
    assert (editor.project / "notes.txt").read_text() == OLD


@pytest.mark.parametrize("way", ["through us", "on disk"])
def test_a_file_with_crlf_keeps_it_in_a_mixed_decision(open_editor: Open, tmp_path: Path, way: str) -> None:
    """Agents send plain line ends, or the file's."""
    old, new, mixed = (text.replace("\n", "\r\n") for text in (OLD, NEW, MIXED))
    done = tool("call", known=True, status="completed")
    steps = (
        write_through()
        if way == "through us"
        else (ask_edit(make_diff(NOTES, old, new)), write_file(NOTES, new), done)
    )
    agent = script(tmp_path, on_prompt("edit", *steps), on_prompt("now", say("Fine.")))
    editor = open_old(open_editor, agent, OLD)
    (editor.project / "notes.txt").write_bytes(old.encode())
    editor.type(":edit!<CR>")
    editor.expect_lua("return vim.bo.fileformat", "dos")
    open_diff(editor)
    decide_mixed(editor)
    editor.wait_event("AcpTurnEnded")
    expect_closed(editor)
    assert get_outcomes(agent) == ["yes"]
    wait_until(lambda: (editor.project / "notes.txt").read_bytes() == mixed.encode())
    assert "\r" not in get_report(editor, agent)


def test_edits_of_a_proposal_that_is_withdrawn_stay_in_a_buffer(open_editor: Open, tmp_path: Path) -> None:
    go = tmp_path / "go"
    done = tool("call", known=True, status="completed")
    agent = script(tmp_path, on_prompt("", ["ask", *ask_edit()[1:]], wait_file(str(go)), done))
    editor = open_old(open_editor, agent)
    open_diff(editor)
    editor.type("ggccmine<Esc>")
    editor.expect_lua("return vim.fn.getline(1)", "mine")
    editor.type(":q<CR>")
    expect_closed(editor)
    go.touch()
    editor.screen.expect(":sbuffer")
    assert editor.lua(ASIDE) == ["mine", *NEW.splitlines()[1:]]
    wait_until(lambda: get_outcomes(agent) == ["cancelled"])


def test_edits_that_were_decided_on_are_not_kept(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", *write_through()))
    editor = open_old(open_editor, agent)
    open_diff(editor)
    expect_answerable(editor)
    editor.type("ggccmine<Esc>:w<CR>")
    editor.wait_event("AcpTurnEnded")
    expect_closed(editor)
    assert editor.lua(ASIDE) is None


def test_a_late_change_of_several_files_keeps_the_edits_of_all(open_editor: Open, tmp_path: Path) -> None:
    go = tmp_path / "go"
    newer = NEW.replace("TEN", "TEN, again")
    first, later = ([make_diff(new=new), make_diff(OTHER, OLD, new)] for new in (NEW, newer))
    agent = script(
        tmp_path,
        on_prompt(
            "",
            ["ask", *ask_edit(*first)[1:]],
            wait_file(str(go)),
            tool("call", known=True, content=later),
            ["wait", "session/cancel"],
        ),
    )
    editor = open_old(open_editor, agent)
    (editor.project / "other.txt").write_text(OLD)
    open_diff(editor)
    editor.type("ggccmine<Esc>:cnext<CR>")
    editor.screen.expect("other.txt (2 of 2)")
    editor.expect_lua("return vim.fn.getline(1)", "line 1")
    editor.type("Gccalso mine<Esc>")
    editor.expect_lua("return vim.fn.getline('$')", "also mine")
    go.touch()
    editor.expect_lua("return { vim.fn.getline(10), vim.fn.getline('$') }", ["TEN, again", "also mine"])
    editor.type(":cprevious<CR>")
    editor.screen.expect("notes.txt (1 of 2)")
    editor.expect_lua("return { vim.fn.getline(1), vim.fn.getline(10) }", ["mine", "TEN, again"])
    editor.acp("cancel")
    editor.wait_event("AcpTurnEnded")


def test_a_late_change_of_a_proposal_that_is_closed_is_merged(open_editor: Open, tmp_path: Path) -> None:
    go = tmp_path / "go"
    newer = NEW.replace("TEN", "TEN, again")
    agent = script(
        tmp_path,
        on_prompt(
            "",
            ["ask", *ask_edit()[1:]],
            wait_file(str(go)),
            tool("call", known=True, content=[make_diff(new=newer)]),
            say("changed"),
            ["wait", "session/cancel"],
        ),
    )
    editor = open_old(open_editor, agent)
    editor.type(":Acp<CR><C-w>t")
    open_diff(editor)
    editor.type("ggccmine<Esc>:q<CR>")
    expect_closed(editor)
    go.touch()
    editor.screen.expect("changed")
    editor.type(":Acp diff<CR>")
    editor.expect_lua(DIFFS, 2)
    editor.expect_lua("return { vim.fn.getline(1), vim.fn.getline(10) }", ["mine", "TEN, again"])
    editor.acp("cancel")
    editor.wait_event("AcpTurnEnded")


@pytest.mark.parametrize("way", ["open", "closed"])
def test_a_late_change_of_the_lines_that_were_edited_leaves_the_users(
    open_editor: Open, tmp_path: Path, way: str
) -> None:
    go, newer = tmp_path / "go", NEW.replace("TEN", "TEN, again")
    changed = tool("call", known=True, content=[make_diff(new=newer)])
    agent = script(
        tmp_path,
        on_prompt("", ["ask", *ask_edit()[1:]], wait_file(str(go)), changed, ["wait", "session/cancel"]),
    )
    editor = open_old(open_editor, agent)
    open_diff(editor)
    editor.type("10Gccmine<Esc>")
    editor.expect_lua("return vim.fn.getline(10)", "mine")
    if way == "closed":
        editor.type(":q<CR>")
        expect_closed(editor)
    go.touch()
    editor.screen.expect("notes.txt: the proposal changed in lines that you edited; yours stay")
    assert editor.lua(ASIDE) is None
    if way == "closed":
        editor.type(":Acp diff<CR>")
        editor.expect_lua(DIFFS, 2)
    editor.expect_lua(
        "return vim.fn.getline(1, '$')", [*NEW.splitlines()[:9], "mine", *NEW.splitlines()[10:]]
    )
    editor.type(":edit!<CR>")
    editor.expect_lua("return vim.fn.getline(10)", "TEN, again")
    editor.type("u")
    editor.expect_lua("return vim.fn.getline(10)", "mine")
    assert get_outcomes(agent) == []


@pytest.mark.backends
def test_a_mixed_decision_with_either_backend(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("edit", *write_through()), on_prompt("now", say("Fine.")))
    editor = open_old(open_editor, agent)
    open_diff(editor)
    decide_mixed(editor)
    editor.wait_event("AcpTurnEnded")
    expect_closed(editor)
    assert (editor.project / "notes.txt").read_text() == MIXED
    assert "-THREE" in get_report(editor, agent)


def test_a_question_of_a_session_in_the_background_is_answered_where_one_is(
    open_editor: Open, tmp_path: Path
) -> None:
    """Announced with the key that answers it; then shown, and answered from there."""
    go = tmp_path / "go"
    agent = script(tmp_path, on_prompt("", wait_file(str(go)), ask_edit(), write(NOTES, NEW)))
    editor = open_notes(open_editor, agent, OLD, size=(120, 40))
    editor.acp("prompt", "edit it")
    editor.type(":Acp new<CR>")
    editor.wait_event("AcpSessionStarted")
    go.touch()
    editor.screen.expect("(session 1) asks")
    editor.screen.expect(":Acp open 1")
    expect_answerable(editor)
    editor.type("<Esc>:Acp accept<CR>")
    editor.screen.expect("session 1 asks: :Acp open 1")
    assert get_outcomes(agent) == []
    editor.type(":Acp open 1<CR>")
    editor.screen.expect("d diff")
    expect_answerable(editor)
    editor.type("<Esc>:Acp accept<CR>")
    editor.wait_event("AcpTurnEnded", session=1)
    wait_until(lambda: get_outcomes(agent) == ["yes"])
    assert (editor.project / "notes.txt").read_text() == NEW


def test_the_way_to_a_question_is_never_cut_off(open_editor: Open, tmp_path: Path) -> None:
    go = tmp_path / "go"
    agent = script(tmp_path, on_prompt("", wait_file(str(go)), permission("remove all that is old " * 9)))
    editor = open_notes(open_editor, agent, OLD, size=(80, 24))
    editor.acp("prompt", "tidy up")
    editor.acp("new_session")
    editor.wait_event("AcpSessionStarted")
    go.touch()
    editor.screen.expect("asks: remove all")
    assert ":Acp open 1" in editor.screen.lines()[-1]


@pytest.mark.parametrize("path", [NOTES, "{cwd}/new.txt"])
def test_beside_another_session_a_diff_says_whose_it_is(open_editor: Open, tmp_path: Path, path: str) -> None:
    diff = make_diff(path, None if "new" in path else OLD)
    editor = open_old(open_editor, script(tmp_path, on_prompt("", ask_edit(diff))))
    editor.acp("new_session")
    editor.wait_event("AcpSessionStarted", session=2)
    editor.acp("prompt", "edit it")
    name = "new file (session 2) · new.txt" if "new" in path else "now (session 2) · notes.txt"
    editor.screen.expect(name)
