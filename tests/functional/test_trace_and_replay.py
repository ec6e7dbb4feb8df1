"""What a user writes to disk of a session and plays again, and what the log says, in a real Neovim."""

import json
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import on_initialize, on_prompt, say, script, stderr, wait
from tests.functional.editor import Editor
from tests.steps.conversation import open_chat, read_chat, send
from tests.steps.messages import expect_message

Open = Callable[..., Editor]
NARROW = (80, 24)
LOG = "return vim.api.nvim_buf_get_lines(vim.fn.bufnr('acp://log'), 0, -1, false)"


@pytest.fixture
def talked(open_editor: Open, tmp_path: Path) -> Editor:
    editor = open_chat(open_editor, script(tmp_path, on_prompt("", say("An answer."))), size=NARROW)
    send(editor, "a question")
    editor.wait_event("AcpTurnEnded")
    return editor


def test_a_trace_overwrites_only_with_a_bang_and_leaves_the_mode(talked: Editor) -> None:
    file = talked.project / "run.sh"
    file.write_text("#!/bin/sh\n")
    file.chmod(0o755)
    talked.type(":Acp trace save run.sh<CR>")
    expect_message(talked, "the file exists, :Acp trace! save overwrites it", "run.sh")
    assert file.read_text() == "#!/bin/sh\n"
    talked.type(":Acp trace! save run.sh<CR>")
    expect_message(talked, "messages in", "run.sh")
    assert '"session/prompt"' in file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o755


@pytest.mark.parametrize("command", ["trace save", "export"])
def test_what_cannot_be_written_is_one_line_with_the_reason_first(talked: Editor, command: str) -> None:
    talked.type(f":Acp {command} .<CR>")
    expect_message(talked, "that is a folder")
    deep = "a_rather_long_name_of_a_folder/" * 4
    talked.type(f":Acp {command} {deep}out<CR>")
    expect_message(talked, "not saved, no such folder: ")
    talked.type(":Acp log<CR>")
    talked.expect_lua(LOG, lambda lines: any("not saved" in line for line in lines))
    lines = talked.lua(LOG)
    assert not [line for line in lines if "Traceback" in line]
    assert len([line for line in lines if "not saved" in line]) == 1


def test_a_recording_whose_last_line_is_cut_plays_up_to_there(talked: Editor) -> None:
    talked.type(":Acp trace save t.jsonl<CR>")
    expect_message(talked, "messages in")
    file = talked.project / "t.jsonl"
    whole = file.read_text()
    count = len(whole.splitlines())
    file.write_text(whole[:-20])
    talked.type(":Acp replay t.jsonl<CR>")
    expect_message(talked, f"line {count} is cut off: replayed up to there")
    talked.expect_lua(
        "return vim.api.nvim_buf_get_lines(vim.fn.bufnr('^acp://2/chat$'), 0, -1, false)",
        lambda lines: "An answer." in lines,
    )


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "the file is empty"),
        ("\n", "line 1 is not a recorded message"),
        ("{}\n" * 2, "line 1 is not a recorded message"),
    ],
)
def test_what_is_no_recording_opens_nothing(open_editor: Open, content: str, words: str) -> None:
    editor = open_editor(size=NARROW)
    (editor.project / "t.jsonl").write_text(content)
    editor.type(":Acp replay t.jsonl<CR>")
    expect_message(editor, words)
    editor.expect_lua("return #vim.api.nvim_list_wins()", 1)
    assert editor.acp("sessions") == []


def test_a_replay_is_neither_restarted_nor_forked(talked: Editor) -> None:
    talked.type(":Acp trace save t.jsonl<CR>")
    expect_message(talked, "messages in")
    talked.type(":Acp replay t.jsonl<CR>")
    talked.expect_lua("return require('acp_nvim').status().state", "stopped")
    before = read_chat(talked, 2)
    talked.type(":Acp restart<CR>")
    expect_message(talked, "a replay cannot be restarted: :Acp new starts a session")
    talked.type(":Acp fork<CR>")
    expect_message(talked, "a replay cannot be forked: :Acp new starts a session")
    assert talked.acp("status")["state"] == "stopped"
    assert read_chat(talked, 2) == before


def test_the_log_has_each_message_once(talked: Editor) -> None:
    talked.type(":Acp trace on<CR>")
    expect_message(talked, "was being recorded already")
    talked.type(":Acp log<CR>")
    talked.expect_lua(LOG, lambda lines: len([line for line in lines if "recorded already" in line]) == 1)


def test_the_log_opens_at_its_newest_line(open_editor: Open, tmp_path: Path) -> None:
    noise = stderr("".join(f"noise {number}\n" for number in range(200)))
    editor = open_chat(open_editor, script(tmp_path, on_prompt("", noise, say("So it is."))))
    send(editor, "hello")
    editor.wait_event("AcpTurnEnded")
    editor.type(":Acp nonsense<CR>")
    expect_message(editor, "no subcommand 'nonsense'")
    editor.type(":Acp log<CR>")
    editor.screen.expect("noise 199")  # the backend's part has come
    editor.expect_lua("return { vim.bo.filetype, vim.fn.line('.') == vim.fn.line('$') }", ["acp_log", True])
    row, _ = editor.screen.find("error: acp_nvim: no subcommand")
    assert (row, 0) == editor.screen.cursor
    assert row == len(editor.screen.lines()) - 3, "at the bottom of the window"


def test_an_empty_log_is_one_line(open_editor: Open, tmp_path: Path) -> None:
    editor = open_editor()
    editor.type(":Acp log<CR>")
    editor.expect_lua(LOG, ["nothing has been logged yet"])
    editor.type("q")
    editor = open_chat(open_editor, script(tmp_path, on_prompt("", say("So it is."))))
    editor.type("<Esc>:Acp log<CR>")
    editor.expect_lua("return vim.bo.filetype", "acp_log")
    editor.expect_lua("return require('acp_nvim.backend.process').is_running()")
    editor.acp("prompt", "hello")  # answered behind the backend's part of the log
    editor.wait_event("AcpTurnEnded")
    assert editor.lua(LOG) == ["nothing has been logged yet"]


@pytest.mark.parametrize("switches", [["on"], ["off", "on"]])
def test_a_trace_begins_with_initialize_whatever_is_switched(talked: Editor, switches: list[str]) -> None:
    for switch in switches:
        talked.type(f":Acp trace {switch}<CR>")
        expect_message(
            talked,
            {"on": "recorded already" if len(switches) == 1 else "recorded again"}.get(switch, "no longer"),
        )
    talked.type(":Acp trace save t.jsonl<CR>")
    expect_message(talked, "messages in")
    messages = [json.loads(line)["msg"] for line in (talked.project / "t.jsonl").read_text().splitlines()]
    assert messages[0]["method"] == "initialize"
    assert messages[1]["id"] == messages[0]["id"]
    kept = any(message.get("method") == "session/prompt" for message in messages)
    assert kept == (len(switches) == 1), "what was recorded stays, but behind a gap the trace begins anew"


def test_a_message_has_the_whole_line_whatever_breaks_those_of_the_window(talked: Editor) -> None:
    talked.lua("vim.wo.linebreak, vim.wo.breakindent, vim.wo.showbreak = true, true, '>>>>>>>>'")
    room = talked.lua("return vim.v.echospace") - len("acp_nvim: ")
    said = ("word " * room)[: room - 1] + "!"
    talked.lua("require('acp_nvim.ui.messages').show('info', ...)", said)
    talked.screen.expect(said)
    # the code of an error gives way to its words, and stays in the log
    failure = said.replace("w", "W")
    talked.lua("require('acp_nvim.ui.messages').show('error', ...)", f"{failure} (-32603)")
    talked.screen.expect(failure)
    assert talked.lua("return require('acp_nvim.ui.log').lines()")[-1].endswith("! (-32603)")


@pytest.mark.parametrize("how", ["close_session({ session = 1 })", "delete('s1')"])
def test_a_session_that_its_user_ends_out_of_sight_is_no_failed_turn(
    open_editor: Open, tmp_path: Path, how: str
) -> None:
    deletes = on_initialize(sessionCapabilities={"delete": {}})
    agent = script(tmp_path, deletes, on_prompt("long", say("on it"), wait("never")))
    editor = open_chat(open_editor, agent, size=NARROW)
    send(editor, "long")
    editor.type(":Acp new<CR>")
    editor.wait_event("AcpSessionStarted", session=2)
    editor.lua(f"return require('acp_nvim').{how}")
    editor.wait_event("AcpSessionEnded", session=1, reason="closed")
    editor.expect_lua("return #require('acp_nvim').sessions()", 1)
    said = editor.lua("return vim.fn.execute('messages')").strip()
    assert said == ("" if "close" in how else "acp_nvim: deleted s1")


def test_checkhealth_names_the_setting_of_a_wrong_interpreter(open_editor: Open) -> None:
    editor = open_editor(setup={"python": "/nowhere/python"}, size=(120, 40))
    editor.type(":checkhealth acp_nvim<CR>")
    said = "return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\\n')"
    editor.expect_lua(said, lambda text: "Fix `python` in setup(), which names /nowhere/python" in text)
