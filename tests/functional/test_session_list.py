"""`:Acp sessions`: whom it asks, what it calls a session, and its last answer on `K`."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import (
    ScriptedAgent,
    on,
    on_initialize,
    on_prompt,
    result,
    say,
    script,
    tool,
    wait_file,
)
from tests.functional.editor import Editor
from tests.steps.sessions import converse_and_quit, open_with_agent

Open = Callable[..., Editor]
LISTS = on_initialize(loadSession=True, sessionCapabilities={"list": {}})
LISTED = "return vim.api.nvim_buf_get_lines(vim.fn.bufnr('acp://sessions'), 0, -1, false)"


def page(*sessions: tuple[str, str]) -> Any:
    listed = [{"sessionId": id, "title": title, "cwd": "/projects/shop"} for id, title in sessions]
    return on("session/list", result({"sessions": listed}))


def rows(editor: Editor) -> list[str]:
    return [" ".join(line.split()) for line in editor.lua(LISTED)]


@pytest.mark.parametrize("is_running", [True, False])
def test_the_list_says_whom_it_asks(open_editor: Open, tmp_path: Path, is_running: bool) -> None:
    gate = tmp_path / "gate"
    agent = script(tmp_path, LISTS, on("session/list", wait_file(str(gate)), result({"sessions": []})))
    editor = open_with_agent(open_editor, agent)
    if is_running:
        editor.acp("new_session")
        editor.wait_event("AcpSessionStarted")
    editor.type(":Acp sessions<CR>")
    editor.screen.expect("asking my agent …")
    assert "no sessions yet" not in editor.screen.text()
    gate.touch()
    editor.screen.expect(lambda screen: "asking" not in screen.text())
    if not is_running:
        editor.screen.expect("no sessions yet: :Acp new starts one")


def test_an_agent_that_cannot_start_is_not_asked_for_ever(open_editor: Open, tmp_path: Path) -> None:
    editor = open_editor(setup={"agents": {"mine": {"command": str(tmp_path / "nothing")}}})
    editor.type(":Acp sessions<CR>")
    editor.screen.expect(lambda screen: "asking" not in screen.text() and "no sessions yet" in screen.text())


def test_a_title_that_says_nothing_gives_way_to_the_first_prompt(open_editor: Open, tmp_path: Path) -> None:
    answers = on_prompt("", say("All is tidy."))
    again = converse_and_quit(open_editor, script(tmp_path, answers), "tidy up the project")
    known = page(
        *(("s1", "New session - 2026-11-20T10:00:00Z"), ("s2", "s2"), ("s3", "  ")),
        *(("s4", "/projects/shop"), ("s5", "Fix the cart")),
    )
    agent = script(tmp_path, LISTS, known, answers, name="second")
    editor = open_with_agent(open_editor, agent, **again)
    editor.type(":Acp sessions<CR>")
    editor.expect_lua(LISTED, lambda lines: any("tidy up the project" in line for line in lines))
    titles = [row.removeprefix("saved my agent ").removesuffix(" /projects/shop") for row in rows(editor)]
    assert titles == ["tidy up the project", "untitled", "untitled", "untitled", "Fix the cart"]


def test_a_live_session_whose_title_says_nothing_has_its_first_prompt(
    open_editor: Open, tmp_path: Path
) -> None:
    named = ["update", {"sessionUpdate": "session_info_update", "title": "New Session"}]
    agent = script(tmp_path, LISTS, page(), on_prompt("", named, say("All is tidy.")))
    editor = open_with_agent(open_editor, agent)
    editor.type(":Acp prompt tidy up the project<CR>")
    editor.wait_event("AcpTurnEnded")
    editor.type(":Acp sessions<CR>")
    editor.expect_lua(LISTED, lambda lines: any("tidy up the project" in line for line in lines))
    assert editor.acp("status").get("title") is None


def float_of(editor: Editor) -> list[str]:
    return list(
        editor.expect_lua(
            "return vim.api.nvim_win_get_config(0).relative ~= '' and vim.api.nvim_buf_get_lines(0, 0, -1, false)",
            lambda lines: bool(lines),
        )
    )


ANSWERS = (
    on_prompt("first", say("An old answer.")),
    on_prompt("", say("I look."), tool("t", title="look", status="completed"), say("All *is*\ntidy.")),
)
WANTED = ["## You", "", "tidy up the project", "", "## Scripted", "", "I look.", "", "All *is*", "tidy."]


def test_k_shows_the_last_answer_below_its_question(open_editor: Open, tmp_path: Path) -> None:
    prompts = ("first", "tidy up the project")
    again = converse_and_quit(open_editor, script(tmp_path, *ANSWERS, LISTS), *prompts)
    agent = script(tmp_path, LISTS, page(("s1", "Tidy"), ("s2", "Unknown")), *ANSWERS, name="second")
    editor = open_with_agent(open_editor, agent, **again)
    editor.type(":Acp sessions<CR>")
    editor.screen.expect("Unknown")
    editor.type("gg")
    editor.type("K")
    assert float_of(editor) == WANTED
    editor.screen.expect("tidy.")
    editor.type("q")
    editor.expect_lua("return vim.bo.filetype", "acp_sessions")
    editor.type("jK")
    editor.screen.expect("no transcript of this session")
    assert agent.got("session/load") == []


def test_k_shows_the_last_answer_of_a_session_that_runs(open_editor: Open, tmp_path: Path) -> None:
    editor = open_with_agent(open_editor, script(tmp_path, LISTS, page(), *ANSWERS))
    editor.type(":Acp prompt tidy up the project<CR>")
    editor.wait_event("AcpTurnEnded")
    editor.type(":Acp sessions<CR>")
    editor.expect_lua("return vim.bo.filetype", "acp_sessions")
    editor.type("K")
    assert float_of(editor) == WANTED


def damage(again: dict[str, Any]) -> str:
    """Break a line in the middle of the transcript."""
    (file,) = Path(again["env"]["XDG_STATE_HOME"]).glob("nvim/acp_nvim/transcripts/*.jsonl")
    lines = file.read_text().split("\n")
    lines[5] = lines[5][:20]
    file.write_text("\n".join(lines))
    return file.read_text()


def test_a_damaged_transcript_is_one_line_and_changes_nothing(open_editor: Open, tmp_path: Path) -> None:
    again = converse_and_quit(open_editor, script(tmp_path, *ANSWERS, LISTS), "first", "tidy")
    text = damage(again)
    agent = script(tmp_path, LISTS, page(("s1", "Tidy")), *ANSWERS, name="second")
    editor = open_with_agent(open_editor, agent, **again)
    editor.type(":Acp sessions<CR>")
    editor.screen.expect("Tidy")
    editor.type("K")
    editor.screen.expect("cannot read the transcript of this session: line 6 is not a recorded message")
    assert editor.lua("return vim.bo.filetype") == "acp_sessions"
    editor.type("q:Acp continue<CR>")
    editor.screen.expect("cannot read the earlier conversation: line 6 is not a recorded message")
    editor.wait_event("AcpSessionStarted")
    editor.type(":Acp prompt first<CR>")
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect("An old answer.")
    assert "what was decided" not in editor.lua("return vim.fn.execute('messages')"), "it is said once"
    files = Path(again["env"]["XDG_STATE_HOME"]).glob("nvim/acp_nvim/transcripts/*.jsonl")
    assert text in [file.read_text() for file in files], "the damaged file is as it was"


def test_the_list_of_agents_names_the_script_of_node(open_editor: Open, tmp_path: Path) -> None:
    agent: ScriptedAgent = script(tmp_path, LISTS)
    (tmp_path / "node").symlink_to(sys.executable)
    spec = {"command": str(tmp_path / "node"), "args": agent.argv[1:]}
    editor = open_editor(setup={"agents": {"mine": spec}}, size=(140, 30))
    editor.type(":Acp agents<CR>")
    editor.screen.expect("scripted_agent")
    lines = editor.lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)")
    (mine,) = [line for line in lines if line.startswith("mine")]
    assert "/node" not in mine
    assert "Python" not in mine  # the version of what runs it
