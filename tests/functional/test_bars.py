"""The bars of a chat: what stays where they are narrow, in one order, and the way out of each state."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import (
    ScriptedAgent,
    die,
    error,
    on,
    on_prompt,
    permission,
    result,
    say,
    script,
    update,
    wait,
    wait_file,
    wait_until,
)
from tests.functional.editor import Editor
from tests.steps.controls import MODELS, MODES, on_new_session
from tests.steps.conversation import open_chat, read_chat, send

Open = Callable[..., Editor]
LEADER = "vim.g.mapleader = ' '\n"
LONG_MODE = {
    "currentModeId": "edits",
    "availableModes": [{"id": "edits", "name": "Accept all edits at once"}],
}
USAGE = update({"sessionUpdate": "usage_update", "used": 10, "size": 1000000})


def bar_of(editor: Editor) -> str:
    """The chat's winbar, as on the screen."""
    row, column, width = editor.lua(
        """local place = vim.fn.getwininfo(vim.fn.bufwinid("^acp://1/chat$"))[1]
        return { place.winrow - 1, place.wincol - 1, place.width }"""
    )
    return editor.screen.lines()[row].ljust(300)[column : column + width]


def test_one_order_of_agent_model_and_mode_and_the_usage_goes_first(
    open_editor: Open, tmp_path: Path
) -> None:
    agent = script(
        tmp_path,
        on_new_session(modes=MODES, models=MODELS),
        on_prompt("", USAGE, say("So."), wait("session/cancel")),
    )
    editor = open_chat(open_editor, agent, size=(160, 30))
    editor.screen.expect("Scripted · small · Ask")
    send(editor, "go")
    editor.screen.expect("So.")
    editor.screen.expect("▎Scripted · small · Ask")
    editor.screen.expect(lambda _: re.search(r"Scripted · small · Ask  . 0%  . running", bar_of(editor)))
    for width, wanted in ((34, r" Scripted · small · Ask  . running"), (30, r" Scripted · Ask  . running")):
        editor.type(f"<Esc>:2wincmd w<CR>:vertical resize {width}<CR>")
        editor.screen.expect(
            lambda _, wanted=wanted: re.fullmatch(wanted + " *", bar_of(editor)), what=wanted
        )


def test_a_model_and_a_mode_of_one_name_say_what_they_are(open_editor: Open, tmp_path: Path) -> None:
    modes = {"currentModeId": "m", "availableModes": [{"id": "m", "name": "Default"}]}
    models = {
        "currentModelId": "d",
        "availableModels": [{"modelId": "d", "name": "Default (recommended)"}],
    }
    agent = script(tmp_path, on_new_session(modes=modes, models=models), on_prompt("", say("So.")))
    editor = open_chat(open_editor, agent, size=(160, 30))
    names = "Scripted · model Default · mode Default"
    editor.screen.expect(lambda screen: screen.text().count(names) == 2, what="in the bar and in the welcome")
    send(editor, "go")
    editor.screen.expect("So.")
    editor.screen.expect(f"▎{names}")


@pytest.mark.parametrize("width", [30, 36])
def test_mode_and_state_are_there_from_thirty_columns_on(
    open_editor: Open, tmp_path: Path, width: int
) -> None:
    agent = script(
        tmp_path,
        on_new_session(modes=LONG_MODE, models=MODELS),
        on_prompt("", USAGE, say("So."), wait("session/cancel")),
    )
    editor = open_chat(open_editor, agent, size=(120, 30), setup={"chat": {"width": width}})
    send(editor, "go")
    editor.screen.expect("So.")
    editor.screen.expect(
        lambda _: re.search(r"^ Accept all.*. running *$", bar_of(editor)), what="mode and state"
    )


def test_a_heading_says_what_has_changed_since_the_last_turn(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_new_session(modes=MODES, models=MODELS), on_prompt("", say("So.")))
    editor = open_chat(open_editor, agent, size=(160, 40))

    def headings() -> list[str]:
        return [line[line.index("▎") :].rstrip() for line in editor.screen.lines() if "▎Scripted" in line]

    for turn in (1, 2):
        send(editor, f"number {turn}")
        editor.wait_event("AcpTurnEnded")
    editor.type(":Acp mode code<CR>")
    editor.expect_lua("return require('acp_nvim').status().mode", "code")
    send(editor, "number 3")
    editor.wait_event("AcpTurnEnded")
    send(editor, "number 4")
    editor.wait_event("AcpTurnEnded")
    wanted = ["▎Scripted · small · Ask", "▎Scripted", "▎Scripted · Code", "▎Scripted"]
    editor.screen.expect(lambda _: headings() == wanted, what=str(wanted))


@pytest.mark.parametrize(
    ("keys", "hint"), [(None, "idle  :Acp prompt to write"), ("<leader>a", "idle  <leader>ai to write")]
)
def test_the_bar_of_an_idle_session_says_how_to_write(
    open_editor: Open, tmp_path: Path, keys: str | None, hint: str
) -> None:
    setup = {"keys": keys} if keys else {}
    editor = open_chat(open_editor, script(tmp_path), size=(140, 30), init=LEADER, setup=setup)
    editor.type("<Esc><C-w>h")
    editor.screen.expect(hint)
    editor.screen.expect(f"{hint.removeprefix('idle  ')} to Scripted …")  # the prompt is empty
    editor.type(" ai" if keys else ":Acp prompt<CR>i")
    editor.expect_lua("return vim.bo.filetype .. vim.fn.mode()", "acp_prompti")


@pytest.mark.cold
@pytest.mark.parametrize("keys", ["<Esc><CR>", "i<C-s>"])
def test_a_failed_session_is_tried_again_by_the_key_that_its_bar_names(
    open_editor: Open, tmp_path: Path, keys: str
) -> None:
    gone = tmp_path / "gone"
    agent = script(tmp_path, on_prompt("", wait_file(str(gone)), die("SIGKILL")))
    editor = open_chat(open_editor, agent, size=(140, 30))
    editor.type("ithe words<C-s>")
    editor.wait_event("AcpTurnStarted")
    gone.touch()
    editor.wait_event("AcpSessionEnded")
    editor.screen.expect("failed  <C-s> retries  :Acp log")
    editor.type("<Esc>")
    editor.screen.expect("failed  <CR> retries  :Acp log")
    editor.type("<C-w>h")
    editor.screen.expect("failed  :Acp restart  :Acp log")
    editor.type(f"<C-w>l<C-w>j{keys}")
    wait_until(lambda: len(agent.got("session/prompt")) == 2)
    prompts = [message["params"]["prompt"][-1]["text"] for message in agent.got("session/prompt")]
    assert prompts == ["the words", "the words"]


def auth_agent(tmp_path: Path) -> ScriptedAgent:
    methods = [{"id": "key", "name": "API key"}]
    info = {"name": "scripted", "title": "Scripted", "version": "1"}
    answer = {"protocolVersion": 1, "agentInfo": info, "agentCapabilities": {}, "authMethods": methods}
    return script(
        tmp_path,
        on("initialize", result(answer)),
        on("session/prompt", error(-32000, "Authentication required")),
    )


def test_a_login_is_asked_for_once_and_the_bar_names_the_command(open_editor: Open, tmp_path: Path) -> None:
    editor = open_chat(open_editor, auth_agent(tmp_path), size=(140, 30))
    send(editor, "hello")
    editor.screen.expect("needs login  :Acp login")
    editor.screen.expect("needs a login: Authentication required")
    assert "\n".join(read_chat(editor)).count("Authentication required") == 1
    assert editor.wait_event("AcpTurnEnded")["error"]


def test_the_prompts_bar_names_other_sessions_that_wait(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("ask", permission("May I?")), on_prompt("", say("So.")))
    editor = open_chat(open_editor, agent, size=(160, 40))
    for session in (2, 3, 4):
        editor.type("<Esc>:Acp new<CR>")
        editor.wait_event("AcpSessionStarted", session=session)
    editor.type("<Esc>:Acp open 1<CR>")
    editor.expect_lua("return vim.fn.bufname()", "acp://1/prompt")
    for session, wanted in (
        (2, "idle  ?1 in 2 "),
        (3, "idle  ?1 in 2  ?1 in 3 "),
        (4, "idle  ?3 in 3 sessions "),
    ):
        editor.lua("require('acp_nvim').prompt('ask', { session = ... })", session)
        editor.wait_event("AcpQuestion", session=session)
        editor.screen.expect(wanted)
    for question in editor.lua("return require('acp_nvim').questions({ all = true })"):
        assert editor.acp("answer", question["id"], "yes") is True
    editor.screen.expect("idle   <CR> send")


EDGES = """local rows = {}
for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
  local place = vim.fn.getwininfo(win)[1]
  rows[#rows + 1] = { place.winrow + place.height + place.winbar - 1, place.wincol - 1, place.width }
end
return rows"""


@pytest.mark.parametrize("laststatus", [0, 1, 2, 3])
def test_the_queue_has_a_line_whatever_laststatus_is(
    open_editor: Open, tmp_path: Path, laststatus: int
) -> None:
    agent = script(
        tmp_path, on_prompt("first", say("busy"), wait("session/cancel")), on_prompt("", say("got it"))
    )
    editor = open_chat(open_editor, agent, init=f"vim.o.laststatus = {laststatus}", size=(160, 30))
    before = editor.lua("return vim.api.nvim_win_get_height(vim.fn.bufwinid('^acp://1/chat$'))")
    editor.type("ifirst<C-s>then add<CR>a 100% test<C-s>and this<C-s>")
    editor.screen.expect("2 queued  then add a 100% test")
    editor.screen.expect("<C-c> cancel")
    taken = 0 if laststatus == 3 else 1
    assert (
        editor.lua("return vim.api.nvim_win_get_height(vim.fn.bufwinid('^acp://1/chat$'))") == before - taken
    )
    if laststatus < 3:
        edges = "\n".join(editor.screen.lines()[row] for row, _, _ in editor.lua(EDGES))
        assert "acp://" not in edges
    editor.type("<C-c>")
    editor.wait_event("AcpTurnEnded", stop_reason="cancelled")
    editor.screen.expect("‖ 2  then add a 100% test   :Acp queue! sends")
    editor.type("<Esc>:set columns=80<CR>")
    editor.screen.expect("‖ 2  then add a…   :Acp queue!\n")
    editor.type(":Acp queue!<CR>")
    editor.wait_event("AcpTurnEnded", turn=3)
    editor.screen.expect_gone("then add a…")
    assert editor.lua("return #vim.api.nvim_list_wins()") == 3
    editor.type(":Acp close<CR>")
    editor.expect_lua("return #vim.api.nvim_list_wins()", 1)


def test_q_closes_the_queue_unless_edits_are_unwritten(open_editor: Open, tmp_path: Path) -> None:
    agent = script(
        tmp_path, on_prompt("first", say("busy"), wait("session/cancel")), on_prompt("", say("got it"))
    )
    editor = open_chat(open_editor, agent, size=(120, 30))
    editor.type("ifirst<C-s>second<C-s>")
    editor.screen.expect("1 queued  second")
    editor.type("<Esc>:Acp queue<CR>")
    editor.expect_lua("return vim.bo.filetype", "acp_queue")
    editor.type("Aand more<Esc>q")
    editor.screen.expect(":w keeps, :q! drops")
    assert editor.lua("return { vim.bo.filetype, vim.fn.reg_recording() }") == ["acp_queue", ""]
    editor.type(":w<CR>q")
    editor.expect_lua("return vim.bo.filetype", "acp_prompt")
    editor.screen.expect("1 queued  secondand more")


def test_the_tabline_names_a_chat_after_its_agent(open_editor: Open, tmp_path: Path) -> None:
    editor = open_chat(open_editor, script(tmp_path), size=(120, 30))
    editor.type("<Esc>:tabnew notes.txt<CR>")
    editor.screen.expect(
        lambda screen: re.match(r" 3 Scripted  notes\.txt +X$", screen.lines()[0]), what="the names"
    )
    editor.type(":set tabline=MINE<CR>")
    editor.screen.expect(lambda screen: screen.lines()[0] == "MINE", what="that of the user's")
