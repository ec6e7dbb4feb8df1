"""The backend is killed: what its user had before them stays, what is over says so, and all of it comes back."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import (
    ScriptedAgent,
    on,
    on_initialize,
    on_prompt,
    permission,
    repeat,
    request,
    result,
    say,
    script,
    tool,
    update,
    wait,
    wait_until,
)
from tests.functional.editor import Editor
from tests.steps.conversation import expect_answerable, go_to_line, open_chat, read_chat, send
from tests.steps.messages import expect_message
from tests.steps.processes import find_backend
from tests.steps.review import PENDING

pytestmark = pytest.mark.cold

Open = Callable[..., Editor]
NARROW = (80, 24)
STATES = "return vim.tbl_map(function(s) return s.state end, require('acp_nvim').sessions())"
MARKS = """
local chat = require('acp_nvim.chat.buffer').get(1)
local found = require('acp_nvim.chat.marks').between(chat, 0, -1)
return vim.tbl_map(function(each)
  return { each.mark.kind, each.mark.icon and each.mark.icon.text or '', each.mark.running == true }
end, found)
"""
MORE = "return vim.w[vim.fn.bufwinid(vim.fn.bufnr('^acp://1/chat$'))].acp_more == true"


def agent_of(folder: Path, name: str = "agent") -> ScriptedAgent:
    earlier = {"sessionUpdate": "user_message_chunk", "content": {"type": "text", "text": "said before"}}
    return script(
        folder,
        on_initialize(loadSession=True),
        on("session/load", update(earlier), result({})),
        on_prompt(
            "long", say("on it"), tool("t", title="build", status="in_progress"), wait("session/cancel")
        ),
        on_prompt("ask", permission("Run it?"), say("done")),
        on_prompt("many", repeat(40, say("line {n}\n\n"))),
        on_prompt("", say("fine")),
        name=name,
    )


def crash(editor: Editor) -> None:
    os.kill(find_backend(editor), signal.SIGKILL)
    expect_message(editor, "the backend ended", ":Acp restart")


def queued(editor: Editor, count: int) -> None:
    editor.expect_lua("return require('acp_nvim').status().queue", count)


def asked(agent: ScriptedAgent) -> list[list[str]]:
    """The texts of each prompt, and of what went along."""
    blocks = [message["params"]["prompt"] for message in agent.got("session/prompt")]
    return [
        [str(block.get("text") or block.get("uri") or block["resource"]["text"]) for block in each]
        for each in blocks
    ]


def test_queued_prompts_come_back_held_with_what_goes_along(open_editor: Open, tmp_path: Path) -> None:
    agent = agent_of(tmp_path)
    editor = open_chat(open_editor, agent, size=NARROW)
    (editor.project / "a.txt").write_text("the attached text")
    send(editor, "long")
    editor.wait_event("AcpTurnStarted")
    editor.lua("require('acp_nvim').prompt('first of the queue', { context = { { file = 'a.txt' } } })")
    send(editor, "second of the queue")
    queued(editor, 2)
    crash(editor)
    assert [editor.acp("status")[key] for key in ("state", "queue", "held")] == ["failed", 2, True]
    editor.type(":Acp restart<CR>")
    editor.expect_lua("return require('acp_nvim').status().state", "idle")
    assert [editor.acp("status")[key] for key in ("queue", "held")] == [2, True]
    assert asked(agent) == [["long"]]
    send(editor, "now")
    queued(editor, 0)
    for _ in range(3):
        editor.wait_event("AcpTurnEnded", stop_reason="end_turn")
    texts = asked(agent)
    assert [each[0] for each in texts] == ["long", "now", "first of the queue", "second of the queue"]
    assert "a.txt" in texts[2][1] or "the attached text" in texts[2][1]


def test_a_queue_that_was_edited_comes_back_as_edited(open_editor: Open, tmp_path: Path) -> None:
    agent = agent_of(tmp_path)
    editor = open_chat(open_editor, agent, size=NARROW)
    send(editor, "long")
    editor.wait_event("AcpTurnStarted")
    send(editor, "to be edited")
    queued(editor, 1)
    editor.type(":Acp queue<CR>")
    editor.screen.expect("edit, then :w")
    editor.type("ccas edited<Esc>:wq<CR>")
    expect_message(editor, "1 prompt queued")
    crash(editor)
    editor.type(":Acp restart<CR>")
    editor.expect_lua("return require('acp_nvim').status().state", "idle")
    crash(editor)  # once more, before anything has been sent
    editor.type(":Acp restart<CR>")
    editor.expect_lua("return require('acp_nvim').status().state", "idle")
    editor.type(":Acp queue!<CR>")
    queued(editor, 0)
    editor.wait_event("AcpTurnEnded", stop_reason="end_turn")
    assert [each[0] for each in asked(agent)] == ["long", "as edited"]


def test_restart_brings_all_sessions_back_with_their_names(open_editor: Open, tmp_path: Path) -> None:
    first, second = agent_of(tmp_path, "first"), agent_of(tmp_path, "second")
    editor = open_chat(open_editor, first, second, size=NARROW)
    send(editor, "what it is about")
    editor.wait_event("AcpTurnEnded", session=1)
    editor.type(":Acp rename Mine<CR>")
    editor.expect_lua("return require('acp_nvim').status().title", "Mine")
    for number, agent in ((2, "agent0"), (3, "agent1")):
        editor.type(f":Acp new {agent}<CR>")
        editor.wait_event("AcpSessionStarted", session=number)
    crash(editor)
    editor.expect_lua(STATES, ["failed"] * 3)
    editor.type(":Acp restart<CR>")
    editor.expect_lua(STATES, ["idle"] * 3)
    status = editor.lua("return require('acp_nvim').status({ session = 1 })")
    assert (status["title"], status["about"]) == ("Mine", "what it is about")


@pytest.mark.parametrize("prompt", ["long", "ask"])
def test_what_was_at_work_is_shown_as_ended(open_editor: Open, tmp_path: Path, prompt: str) -> None:
    editor = open_chat(open_editor, agent_of(tmp_path), size=NARROW)
    send(editor, prompt)
    editor.screen.expect("build" if prompt == "long" else "Yes")
    before = read_chat(editor)
    crash(editor)
    marks = editor.lua(MARKS)
    assert ["tool", "⊘ ", False] in marks
    assert not [mark for mark in marks if mark[0] in ("question", "option") or mark[2]]
    assert "Yes" not in "\n".join(read_chat(editor))
    assert len(read_chat(editor)) <= len(before) + 1
    editor.screen.expect("⊘")


def test_the_paths_of_what_was_at_work_keep_their_colour(open_editor: Open, tmp_path: Path) -> None:
    place = {"path": "{cwd}/prices.txt", "line": 3}
    call = tool("t", title="Edit", kind="edit", status="in_progress", locations=[place])
    agent = script(tmp_path, on_prompt("", call, wait("session/cancel")))
    editor = open_chat(open_editor, agent, size=(120, 30))
    (editor.project / "prices.txt").write_text("1\n2\n3\n")
    send(editor, "go")
    row, column = editor.screen.find("prices.txt")
    before = editor.screen.attrs_at(row, column)
    assert before != editor.screen.attrs_at(row, column - 2)
    crash(editor)
    editor.screen.expect("⊘")
    row, column = editor.screen.find("prices.txt")
    assert editor.screen.attrs_at(row, column) == before
    go_to_line(editor, "prices.txt")
    editor.type("<CR>")
    editor.expect_lua("return vim.fn.bufname()", "prices.txt")


def test_the_chat_goes_on_showing_its_end(open_editor: Open, tmp_path: Path) -> None:
    editor = open_chat(open_editor, agent_of(tmp_path), size=NARROW)
    send(editor, "many")
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect("line 39")
    crash(editor)
    above = "the end of the chat's last line, which takes two rows"
    editor.screen.expect(lambda screen: any("see :Acp log" in row for row in screen.lines()[:-1]), what=above)
    assert editor.lua(MORE) is False
    editor.type(":Acp restart<CR>")
    editor.screen.expect("said before")
    editor.expect_lua(MORE, False)
    assert "more" not in editor.screen.lines()[0]
    send(editor, "many")
    editor.screen.expect("line 39")


def test_old_answers_stay_under_the_name_of_the_agent(open_editor: Open, tmp_path: Path) -> None:
    long = on_prompt("long", say("half said"), wait("session/cancel"))
    editor = open_chat(open_editor, script(tmp_path, long, on_prompt("", say("fine"))), size=NARROW)
    send(editor, "hello")
    editor.wait_event("AcpTurnEnded")
    send(editor, "long")
    file = editor.lua("return require('acp_nvim').status().transcript")
    editor.expect_lua(
        "local ok, lines = pcall(vim.fn.readfile, ...)\nreturn ok and table.concat(lines):match('half said')",
        "half said",
        file,
    )
    for times in (1, 2):
        crash(editor)
        editor.type(":Acp restart<CR>")
        editor.expect_lua("return require('acp_nvim').status().state", "idle")
        assert ("## Scripted" in read_chat(editor), "## agent0" in read_chat(editor)) == (True, False), times
        assert [line for line in read_chat(editor) if line in ("fine", "half said")] == [
            "fine",
            "half said",
        ], times


@pytest.mark.parametrize("times", [1, 2])
def test_a_question_of_the_next_backend_is_none_that_was_answered(
    open_editor: Open, tmp_path: Path, times: int
) -> None:
    editor = open_chat(open_editor, agent_of(tmp_path))
    ids = []
    for number in range(2 * times):
        if number == times:
            crash(editor)
        send(editor, "ask")
        editor.expect_lua("return #require('acp_nvim').questions({ session = 1 })", 1)
        ids.append(editor.lua("return require('acp_nvim').questions({ session = 1 })[1].id"))
        editor.screen.expect("1 ✓ Yes")
        expect_answerable(editor)
        editor.type("<Esc>:Acp accept<CR>")
        editor.expect_lua("return require('acp_nvim').status({ session = 1 }).state", "idle")
    assert len(set(ids)) == 2 * times


def test_a_call_of_the_next_process_is_another_one(open_editor: Open, tmp_path: Path) -> None:
    """Agents that begin anew begin their ids anew."""
    editor = open_chat(open_editor, script(tmp_path, on_prompt("ask", permission("Run it?"), say("done"))))
    for number in range(2):
        if number:
            editor.type("<Esc>:Acp restart<CR>")
        send(editor, "ask")
        asked = editor.wait_event("AcpQuestion")
        assert editor.acp("answer", asked["id"], "yes")
        editor.wait_event("AcpTurnEnded")
    lines = [line for line in read_chat(editor) if "Run it?" in line or line == "ask"]
    assert [line.split()[-1] for line in lines] == ["ask", "it?"] * 2


def test_review_goes_on_without_a_backend(open_editor: Open, tmp_path: Path) -> None:
    """Changes are listed, gone through, kept and undone; in a file that is not loaded, too. A new backend goes on."""
    before = [f"line {n}" for n in range(1, 10)]
    after = [line.upper() if n % 2 else line for n, line in enumerate(before)]
    paths = [tmp_path / "notes.txt", tmp_path / "other.txt"]
    steps = []
    for path in paths:
        path.write_text("".join(f"{line}\n" for line in before))
        content = "".join(f"{line}\n" for line in after)
        told = {"sessionId": "{session}", "path": str(path), "content": content}
        steps.append(request("fs/write_text_file", told))
    editor = open_chat(
        open_editor,
        script(tmp_path, on_prompt("write", *steps), on_prompt("", say("ok"))),
        setup={"fs": {"outside": "allow"}},
        size=(120, 30),
    )
    editor.lua("vim.cmd.tabedit(...)", str(paths[0]))
    editor.acp("prompt", "write", {"session": 1})
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(PENDING, 8)
    crash(editor)
    editor.type(":Acp review all<CR>")
    editor.expect_lua("return #vim.fn.getqflist()", 8)
    editor.type("gg]h")
    editor.expect_lua("return vim.fn.line('.')", 2)
    editor.type("\\k")
    editor.expect_lua(PENDING, 7)
    editor.type("]h\\u")
    editor.expect_lua(PENDING, 6)
    left = [*after[:3], before[3], *after[4:]]
    editor.expect_lua("return vim.fn.getline(1, '$')", left)
    assert paths[0].read_text().splitlines() == left
    editor.type("u")
    editor.expect_lua(PENDING, 7)
    editor.type("<C-r>")
    editor.expect_lua(PENDING, 6)
    other = "for _, f in ipairs(require('acp_nvim').changes({ all = true })) do "
    other += "if f.path:find('other') then for _, h in ipairs(f.hunks) do require('acp_nvim').undo(h.id) end end end"
    editor.lua(other)
    editor.expect_lua(PENDING, 2)
    assert paths[1].read_text().splitlines() == before
    editor.type(":Acp restart<CR>")
    editor.expect_lua("return require('acp_nvim').status({ session = 1 }).state", "idle")
    editor.expect_lua(PENDING, 2)
    editor.type(":1<CR>]h\\u")
    editor.expect_lua(PENDING, 1)


def test_prompts_that_wait_are_shown_and_edited_without_a_backend(open_editor: Open, tmp_path: Path) -> None:
    agent = agent_of(tmp_path)
    editor = open_chat(open_editor, agent, size=NARROW)
    (editor.project / "notes.txt").write_text("my notes\n")
    send(editor, "long")
    editor.wait_event("AcpTurnStarted")
    for text in ("one", "two", "three @notes.txt"):
        editor.acp("prompt", text)
    editor.expect_lua("return require('acp_nvim').status().queue", 3)
    crash(editor)
    editor.type(":Acp queue<CR>")
    editor.screen.expect("3 prompts paused: send a prompt to resume, or :Acp queue!")
    editor.screen.expect(
        lambda screen: "with notes.txt" in screen.text() and "edit, then :w" in screen.text()
    )
    editor.type(":g/^two/d<CR>:%s/three/3/<CR>:w<CR>")
    editor.screen.expect("2 prompts paused")
    assert editor.acp("status")["queue"] == 2
    editor.type(":q<CR>")
    send(editor, "go")
    wait_until(lambda: len(agent.got("session/prompt")) == 4)
    sent = [message["params"]["prompt"] for message in agent.got("session/prompt")]
    assert [blocks[0]["text"] for blocks in sent] == ["long", "go", "one", "3 @notes.txt"]
    assert len(sent[-1]) > 1, "the file goes along"


def test_a_followed_window_that_is_closed_starts_no_backend(open_editor: Open, tmp_path: Path) -> None:
    editor = open_chat(open_editor, script(tmp_path, on_prompt("", say("ok"))), size=(120, 30))
    editor.lua("vim.cmd.tabnew() vim.cmd.vsplit('notes.txt')")
    editor.type(":Acp follow<CR>")
    editor.expect_lua("return require('acp_nvim').status({ session = 1 }).following", True)
    crash(editor)
    editor.type(":close<CR>")
    editor.expect_lua("return vim.fn.winnr('$')", 1)
    assert editor.lua("return require('acp_nvim.backend.process').is_running()") is False


TRIED = {
    "unfold": ":lua require('acp_nvim.commands.chat_keys').fold()<CR>",
    "unfold all": "zR",
    "details": "K",
    "diff": "d",
    "take back": "e",
    "export": ":Acp export! out.md<CR>",
    "trace": ":Acp trace<CR>",
    "rename": ":Acp rename other<CR>",
    "mode": ":Acp mode<CR>",
    "cancel": ":Acp cancel<CR>",
    "queue": ":Acp queue<CR>",
    "resume the queue": ":Acp queue!<CR>",
    "why": ":Acp why<CR>",
    "log": ":Acp log<CR>",
    "forget": ":Acp forget<CR>",
    "complete": ":Acp open <Tab><CR>",
    "close the chat": ":Acp toggle<CR>",
}


def test_only_a_prompt_a_restart_or_a_list_starts_the_backend_again(
    open_editor: Open, tmp_path: Path
) -> None:
    tool_and_words = on_prompt("", tool("t", title="build", status="completed"), say("done"))
    editor = open_chat(open_editor, script(tmp_path, tool_and_words), size=(120, 30))
    send(editor, "go")
    editor.wait_event("AcpTurnEnded")
    crash(editor)
    for what, keys in TRIED.items():
        go_to_line(editor, "build")
        editor.type(keys)
        editor.lua("vim.wait(20)")
        assert editor.lua("return require('acp_nvim.backend.process').is_running()") is False, what
        assert editor.lua("return require('acp_nvim.backend.process').generation()") == 1, what
        assert editor.mode()["blocking"] is False, what


def test_a_doctor_starts_the_backend_again(open_editor: Open, tmp_path: Path) -> None:
    editor = open_chat(open_editor, agent_of(tmp_path), size=(120, 30))
    crash(editor)
    editor.type("<Esc>:Acp doctor agent0<CR>")
    editor.screen.expect("answered in")
