"""A first conversation: a real Neovim, a real agent, keys typed and the screen read."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import (
    OPTIONS,
    error,
    on_prompt,
    permission,
    repeat,
    say,
    script,
    think,
    tool,
    update,
    wait,
    wait_file,
    wait_until,
    write_file,
)
from tests.functional.editor import Editor
from tests.functional.screen import Screen
from tests.steps.conversation import expect_answerable, expect_key, go_to_line, open_chat, read_chat, send
from tests.steps.files import read_and_edit
from tests.steps.proposals import DIFFS

Open = Callable[..., Editor]
STEPS = [{"content": "Look", "status": "completed"}, {"content": "Update callers", "status": "in_progress"}]


@pytest.mark.backends
def test_the_demo_agent_answers_where_nothing_is_configured(editor: Editor) -> None:
    editor.type(":Acp<CR>")
    editor.wait_event("AcpSessionStarted")
    send(editor, "/plan")
    editor.screen.expect("▎You")
    editor.wait_event("AcpTurnEnded", stop_reason="end_turn", timeout=30)
    editor.screen.expect("All done.")


@pytest.mark.backends
@pytest.mark.statement(54, 88)
def test_a_turn_with_everything_in_it(open_editor: Open, tmp_path: Path) -> None:
    agent = script(
        tmp_path,
        on_prompt(
            "rename",
            think("let me "),
            think("see"),
            say("I look at "),
            say("the **callers** first."),
            update({"sessionUpdate": "plan", "entries": STEPS}),
            tool(
                "r",
                title="Read",
                kind="read",
                status="completed",
                locations=[{"path": "{cwd}/src/parse.py", "line": 3}],
            ),
            tool("x", title="pytest -q", kind="execute", status="in_progress"),
            tool("x", known=True, status="failed", rawOutput="1 failed"),
            say("Done."),
        ),
    )
    editor = open_chat(open_editor, agent, size=(140, 40))
    send(editor, "rename it")
    editor.wait_event("AcpTurnEnded", stop_reason="end_turn")
    editor.screen.expect("Done.")
    lines = read_chat(editor)
    assert lines[:3] == ["## You", "rename it", ""]
    assert lines[3] == "## Scripted"
    assert "I look at the **callers** first." in lines
    assert any("src/parse.py:3" in line and line.startswith("read") for line in lines)
    assert any("1 failed" in line for line in lines), "a failure says why"
    assert any("Update callers" in line for line in lines)
    status = editor.acp("status")
    assert (status["state"], status["turn"], status["stop_reason"]) == ("idle", 1, "end_turn")
    assert status["plan"]["done"] == 1
    assert status["plan"]["total"] == 2


def test_a_tool_call_unfolds_and_folds_by_za(open_editor: Open, tmp_path: Path) -> None:
    output = [{"type": "content", "content": {"type": "text", "text": "twelve passed\nin\n0.3\ns"}}]
    agent = script(
        tmp_path,
        on_prompt("run", tool("x", title="pytest", kind="execute", status="completed", content=output)),
    )
    editor = open_chat(open_editor, agent)
    send(editor, "run")
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect("execute pytest")
    assert not any("twelve passed" in line for line in read_chat(editor))
    go_to_line(editor, "execute pytest")
    editor.type("za")
    editor.screen.expect("twelve passed")
    editor.type("za")
    editor.screen.expect(lambda screen: "twelve passed" not in screen.text())
    editor.type("K")
    editor.screen.expect("twelve passed")


def test_a_thought_is_one_line_until_it_is_unfolded(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", think("deep in thought"), say("So.")))
    editor = open_chat(open_editor, agent)
    send(editor, "hello")
    editor.screen.expect("So.")
    assert not any("deep in thought" in line for line in read_chat(editor))
    go_to_line(editor, "thought")
    editor.type("za")
    editor.screen.expect("deep in thought")


@pytest.mark.backends
@pytest.mark.statement(71)
def test_a_question_is_answered_by_its_digit(open_editor: Open, tmp_path: Path) -> None:
    agent = script(
        tmp_path,
        on_prompt(
            "", permission("rm -r build", kind="execute", rawInput={"command": "rm -r build"}), say("ok")
        ),
    )
    editor = open_chat(open_editor, agent)
    send(editor, "clean")
    question = editor.wait_event("AcpQuestion")
    editor.screen.expect("rm -r build")
    assert editor.acp("status")["state"] == "asking"
    go_to_line(editor, "1 Yes")
    expect_key(editor, "g1")
    editor.type("3")
    answered = editor.wait_event("AcpAnswered", id=question["id"])
    assert (answered["option_id"], answered["by"]) == ("no", "user")
    editor.wait_event("AcpTurnEnded")
    answers = [message for message in agent.got(None) if "result" in message and "method" not in message]
    assert [answer["result"]["outcome"]["optionId"] for answer in answers] == ["no"]
    editor.screen.expect("rejected")


@pytest.mark.statement(73, 80)
@pytest.mark.parametrize(
    ("command", "option"),
    [("accept", "yes"), ("accept!", "always"), ("reject", "no"), ("answer 5", "yes too")],
)
def test_a_question_is_answered_by_command(
    open_editor: Open, tmp_path: Path, command: str, option: str
) -> None:
    again = ((f"{id} too", f"{name} too", kind) for id, name, kind in OPTIONS)
    options = (("x", "Explain", "explain_it"), *OPTIONS, *again)
    agent = script(tmp_path, on_prompt("", permission("touch a file", options)))
    editor = open_chat(open_editor, agent)
    send(editor, "go")
    editor.wait_event("AcpQuestion")
    editor.screen.expect("touch a file")
    expect_answerable(editor)
    editor.type(f":Acp {command}<CR>")
    assert editor.wait_event("AcpAnswered")["option_id"] == option
    assert "touch a file" not in editor.lua("return vim.fn.execute('messages')")  # it was in sight


@pytest.mark.statement(80)
def test_a_hidden_chat_announces_its_question_once(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", permission("drop the database")))
    editor = open_chat(open_editor, agent)
    editor.type(":Acp close<CR>")
    editor.acp("prompt", "go")
    editor.wait_event("AcpQuestion")
    editor.screen.expect("drop the database")
    assert not editor.lua("return vim.api.nvim_get_mode().blocking")
    history = editor.lua("return vim.fn.execute('messages')")
    assert history.count("drop the database") == 1


def test_rejecting_with_a_text_sends_it_next(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("use", say("as you like")), on_prompt("", permission("npm install")))
    editor = open_chat(open_editor, agent)
    send(editor, "go")
    editor.wait_event("AcpQuestion")
    editor.screen.expect("npm install")
    expect_answerable(editor)
    editor.type(":Acp reject use pnpm instead<CR>")
    editor.screen.expect("as you like")
    assert agent.got("session/prompt")[1]["params"]["prompt"] == [
        {"type": "text", "text": "use pnpm instead"}
    ]


@pytest.mark.backends
@pytest.mark.statement(63, 67)
def test_cancel_is_a_notification_and_the_turn_ends_with_its_answer(
    open_editor: Open, tmp_path: Path
) -> None:
    agent = script(
        tmp_path, on_prompt("", say("counting …"), wait("session/cancel"), wait_file(str(tmp_path / "go")))
    )
    editor = open_chat(open_editor, agent)
    send(editor, "count")
    editor.screen.expect("counting")
    editor.type(":Acp cancel<CR>")
    wait_until(lambda: agent.got("session/cancel"))
    assert "id" not in agent.got("session/cancel")[0]
    assert editor.acp("status")["state"] == "running"
    (tmp_path / "go").touch()
    assert editor.wait_event("AcpTurnEnded")["stop_reason"] == "cancelled"
    editor.screen.expect("⊘ you stopped it here")


@pytest.mark.statement(16, 60)
def test_an_error_answer_is_shown_and_the_next_prompt_works(open_editor: Open, tmp_path: Path) -> None:
    agent = script(
        tmp_path,
        on_prompt(
            "bad", error(-32603, "model overloaded", {"details": '529 {"error": {"message": "Wait"}}'})
        ),
        on_prompt("", say("fine")),
    )
    editor = open_chat(open_editor, agent, size=(140, 30))
    send(editor, "bad")
    ended = editor.wait_event("AcpTurnEnded")
    assert ended.get("stop_reason") is None
    assert "model overloaded" in ended["error"]
    editor.screen.expect("model overloaded: 529 Wait")
    assert editor.acp("status")["state"] == "idle"
    send(editor, "good")
    editor.screen.expect("fine")
    editor.expect_lua("return require('acp_nvim').status().error == nil")


def test_the_view_stays_at_the_bottom_only_where_the_user_is_there(open_editor: Open, tmp_path: Path) -> None:
    go = tmp_path / "go"
    agent = script(
        tmp_path,
        on_prompt("", repeat(60, say("line {n}\n")), wait_file(str(go)), repeat(60, say("more {n}\n"))),
    )
    editor = open_chat(open_editor, agent)
    send(editor, "talk")
    editor.screen.expect("line 59")
    editor.lua("vim.api.nvim_set_current_win(vim.fn.bufwinid(vim.fn.bufnr('^acp://1/chat$')))")
    editor.type("gg")
    editor.screen.expect("line 2")
    go.touch()
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua("return vim.fn.line('.')", 1)
    editor.screen.expect("more")
    assert "more 59" not in editor.screen.text()
    editor.type("G")
    editor.screen.expect("more 59")


@pytest.mark.parametrize("way", ["prompt", "command", "queued"])
def test_a_prompt_shows_the_end_of_a_chat_that_is_scrolled_up(
    open_editor: Open, tmp_path: Path, way: str
) -> None:
    """Who has just spoken sees what they said, and the answer; before that nothing moves."""
    go = tmp_path / "go"
    waits = [wait_file(str(go))] if way == "queued" else []
    agent = script(
        tmp_path,
        on_prompt("talk", repeat(60, say("line {n}\n")), *waits),
        on_prompt("again", repeat(60, say("more {n}\n"))),
    )
    editor = open_chat(open_editor, agent)
    send(editor, "talk")
    editor.screen.expect("line 59")
    if way != "queued":
        editor.wait_event("AcpTurnEnded")
    editor.type("<C-w>kgg<C-w>p")
    editor.screen.expect("line 2")
    assert "line 59" not in editor.screen.text()
    editor.type(":Acp prompt again<CR>" if way == "command" else "iagain<C-s>")
    if way == "queued":
        editor.screen.expect("line 59")
        go.touch()
    editor.screen.expect("more 59")


def test_turns_and_tool_calls_are_a_key_apart(open_editor: Open, tmp_path: Path) -> None:
    agent = script(
        tmp_path, on_prompt("", tool("x", title="look", kind="read", status="completed"), say("yes"))
    )
    editor = open_chat(open_editor, agent)
    for text in ("one", "two"):
        send(editor, text)
        editor.wait_event("AcpTurnEnded")
    go_to_line(editor, "## You")
    turns = [row for row, line in enumerate(read_chat(editor), 1) if line == "## You"]
    assert len(turns) == 2
    here = "return vim.fn.line('.')"
    editor.type("gg]]")
    editor.expect_lua(here, turns[1])
    editor.type("[[")
    editor.expect_lua(here, turns[0])
    editor.type("]t")
    editor.expect_lua("return vim.fn.getline('.')", lambda text: "look" in text)


def test_a_path_opens_where_the_user_came_from(open_editor: Open, tmp_path: Path) -> None:
    agent = script(
        tmp_path,
        on_prompt(
            "",
            tool(
                "r",
                title="Read",
                kind="read",
                status="completed",
                locations=[{"path": "{cwd}/a b.txt", "line": 2}],
            ),
        ),
    )
    editor = open_editor(setup={"agents": {"mine": {"command": agent.argv[0], "args": agent.argv[1:]}}})
    (editor.project / "a b.txt").write_text("one\ntwo\nthree\n")
    editor.type(":Acp<CR>")
    editor.wait_event("AcpSessionStarted")
    send(editor, "read")
    editor.wait_event("AcpTurnEnded")
    go_to_line(editor, "a b.txt")
    editor.type("gf")
    editor.expect_lua("return {vim.fn.expand('%:t'), vim.fn.line('.')}", ["a b.txt", 2])
    assert editor.lua("return vim.bo.filetype") != "acp_chat"


def test_a_move_names_each_path_once(open_editor: Open, tmp_path: Path) -> None:
    paths = [{"path": "{cwd}/old name.txt"}, {"path": "{cwd}/new.txt"}]
    move = tool("m", title="Move old name.txt to new.txt", kind="move", status="completed", locations=paths)
    editor = open_chat(open_editor, script(tmp_path, on_prompt("", move)), size=(160, 30))
    (editor.project / "new.txt").write_text("one\n")
    send(editor, "move")
    editor.wait_event("AcpTurnEnded")
    assert [line for line in read_chat(editor) if "new.txt" in line] == ["move    old name.txt to new.txt"]
    go_to_line(editor, "old name.txt")
    editor.type("$gf")
    editor.expect_lua("return vim.fn.expand('%:t')", "new.txt")


@pytest.mark.statement(48)
def test_two_sessions_of_one_process_never_cross(open_editor: Open, tmp_path: Path) -> None:
    agent = script(
        tmp_path,
        on_prompt(
            "one", repeat(50, say("apple ")), wait_file(str(tmp_path / "go")), repeat(50, say("apple "))
        ),
        on_prompt("two", repeat(50, say("pear ")), wait_file(str(tmp_path / "go")), repeat(50, say("pear "))),
    )
    editor = open_chat(open_editor, agent)
    assert editor.acp("new_session") == 2
    editor.wait_event("AcpSessionStarted", session=2)
    assert len(agent.logged("start")) == 1
    editor.acp("prompt", "one", {"session": 1})
    editor.acp("prompt", "two", {"session": 2})
    wait_until(lambda: len(agent.got("session/prompt")) == 2)
    (tmp_path / "go").touch()
    editor.wait_event("AcpTurnEnded", session=1)
    editor.expect_lua("return require('acp_nvim').status({session = 2}).state", "idle")
    first, second = "\n".join(read_chat(editor, 1)), "\n".join(read_chat(editor, 2))
    assert (first.count("apple"), first.count("pear")) == (100, 0)
    assert (second.count("pear"), second.count("apple")) == (100, 0)


def test_insert_mode_and_the_users_text_are_left_alone_while_text_streams(
    open_editor: Open, tmp_path: Path
) -> None:
    agent = script(
        tmp_path,
        on_prompt("", repeat(300, say("chatter {n}\n")), permission("may I?"), wait("session/cancel")),
    )
    editor = open_chat(open_editor, agent)
    editor.type("<C-w>p<C-w>t")
    editor.lua("vim.cmd.enew()")
    editor.acp("prompt", "go")
    editor.type("i")
    for _ in range(40):
        editor.type("abcde ")
    editor.wait_event("AcpQuestion")
    editor.type("end")
    editor.expect_lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)", ["abcde " * 40 + "end"])
    assert editor.lua("return vim.fn.mode()") == "i"


def test_a_saved_wire_is_played_without_an_agent(open_editor: Open, tmp_path: Path) -> None:
    agent = script(
        tmp_path,
        on_prompt(
            "", say("hello from the past"), tool("x", title="pytest", kind="execute", status="completed")
        ),
    )
    editor = open_chat(open_editor, agent)
    send(editor, "greet me")
    editor.wait_event("AcpTurnEnded")
    live = read_chat(editor)
    file = tmp_path / "wire.jsonl"
    editor.type(f":Acp trace save {file}<CR>")
    wait_until(file.exists)
    assert file.stat().st_mode & 0o777 == 0o600
    editor.type(":Acp stop<CR>")
    editor.wait_event("AcpSessionEnded")
    editor.type(f":Acp replay {file}<CR>")
    refused = "return (select(2, require('acp_nvim').prompt('hello', { session = 2 }))) or ''"
    editor.expect_lua(refused, lambda why: "replay" in why)
    editor.expect_lua("return #require('acp_nvim').sessions()", 2)
    text = (
        "return table.concat(vim.api.nvim_buf_get_lines(vim.fn.bufnr('^acp://2/chat$'), 0, -1, false), '\\n')"
    )
    editor.expect_lua(text, lambda played: "hello from the past" in played)
    played = read_chat(editor, 2)
    assert [line for line in played if line in live][:2] == ["## You", "greet me"]
    assert "hello from the past" in played


@pytest.mark.statement(74)
def test_a_proposed_diff_opens_on_its_question(open_editor: Open, tmp_path: Path) -> None:
    diff = [{"type": "diff", "path": "{cwd}/a.py", "oldText": "old line\n", "newText": "new line\n"}]
    agent = script(tmp_path, on_prompt("", permission("edit", kind="edit", content=diff)))
    editor = open_chat(open_editor, agent, setup={"review": {"auto_open": False}})
    send(editor, "go")
    editor.wait_event("AcpQuestion")
    go_to_line(editor, "1 Yes")
    assert editor.lua(DIFFS) == 0
    editor.type("d")
    editor.expect_lua(DIFFS, 2)
    sides = [
        editor.lua("return vim.api.nvim_buf_get_lines(vim.fn.winbufnr(...), 0, -1, false)", n) for n in (1, 2)
    ]
    assert sides == [["old line"], ["new line"]]
    assert editor.events("AcpAnswered") == []


def test_the_end_of_a_hidden_turn_is_announced(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", say("done")))
    editor = open_chat(open_editor, agent)
    editor.type(":Acp close<CR>")
    editor.acp("prompt", "go")
    editor.screen.expect("Scripted is done")
    assert not editor.lua("return vim.api.nvim_get_mode().blocking")


def test_the_end_of_a_hidden_turn_says_how_many_files_have_changed(open_editor: Open, tmp_path: Path) -> None:
    one, two = "{cwd}/one.txt", "{cwd}/two.txt"
    steps = [*read_and_edit(one, write_file(one, "1\n")), *read_and_edit(two, write_file(two, "2\n"))]
    agent = script(tmp_path, on_prompt("both", *steps), on_prompt("", say("none")))
    editor = open_chat(open_editor, agent)
    (editor.project / "notes.txt").write_text("read by the agent\n")
    editor.type(":Acp close<CR>")
    editor.acp("prompt", "both")
    editor.screen.expect("Scripted is done (2 files changed) · :Acp")
    editor.acp("prompt", "no more")
    editor.screen.expect("Scripted is done · :Acp")


def test_the_end_of_a_turn_in_sight_is_not_announced(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", say("done")))
    editor = open_chat(open_editor, agent)
    send(editor, "go")
    editor.wait_event("AcpTurnEnded")
    assert "is done" not in editor.lua("return vim.fn.execute('messages')")


def test_a_session_that_is_not_shown_is_named_and_reached(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", permission("drop the database")))
    editor = open_chat(open_editor, agent, size=(140, 30))
    assert editor.acp("new_session") == 2
    editor.wait_event("AcpSessionStarted", session=2)
    editor.lua("require('acp_nvim').open({ session = 2 })")
    editor.acp("prompt", "go", {"session": 1})
    editor.wait_event("AcpQuestion")
    editor.screen.expect("session 1")
    expect_answerable(editor)
    editor.type(":Acp accept<CR>")
    editor.screen.expect("session 1 asks: :Acp open 1")
    assert editor.events("AcpAnswered") == []
    editor.type(":Acp open 1<CR>")
    editor.screen.expect("drop the database")
    expect_answerable(editor)
    editor.type(":Acp accept<CR>")
    assert editor.wait_event("AcpAnswered")["option_id"] == "yes"
    editor.type(":Acp open 7<CR>")
    editor.screen.expect("no session 7")


def test_selected_lines_go_along_and_are_shown_and_the_cursor_stays(
    open_editor: Open, tmp_path: Path
) -> None:
    agent = script(tmp_path, on_prompt("", say("I see")))
    editor = open_editor(setup={"agents": {"mine": {"command": agent.argv[0], "args": agent.argv[1:]}}})
    (editor.project / "a.txt").write_text("one\ntwo\nthree\n")
    editor.type(":edit a.txt<CR>ccUNSAVED<Esc>Vj:Acp prompt explain this<CR>")
    editor.wait_event("AcpTurnEnded")
    assert editor.lua("return vim.fn.expand('%:t')") == "a.txt"
    assert any("a.txt 1-2" in line for line in read_chat(editor))
    said, lines = agent.got("session/prompt")[0]["params"]["prompt"][:2]
    assert said["text"] == "explain this"
    assert lines["uri"].endswith("/a.txt#L1-2")


def test_an_argument_that_is_not_taken_does_nothing(open_editor: Open, tmp_path: Path) -> None:
    editor = open_chat(open_editor, script(tmp_path))
    for command in ("stop it", "restart foo", "close now", "toggle x", "queue x", "cancel this"):
        editor.type(f"<Esc>:echo<CR>:Acp {command}<CR>")
        editor.screen.expect(f":Acp {command.split()[0]} takes no argument")
        assert editor.acp("status")["state"] == "idle"


def test_a_failing_autocommand_is_told_once(open_editor: Open, tmp_path: Path) -> None:
    agent = script(
        tmp_path, on_prompt("", repeat(20, say("x ")), tool("t", title="look", status="completed"))
    )
    fails = (
        "vim.api.nvim_create_autocmd('User', { pattern = 'Acp*', callback = function() error('mine') end })"
    )
    setup = {"agents": {"mine": {"command": agent.argv[0], "args": agent.argv[1:]}}}
    editor = open_editor(setup=setup, init=fails)  # it fails before the test's own recorder hears of anything
    editor.type(":Acp<CR>")
    for turn, text in enumerate(("one", "two"), 1):
        send(editor, text)
        ended = "local s = require('acp_nvim').status() return { s.turn, s.state }"
        editor.expect_lua(ended, [turn, "idle"])
    said = editor.lua("return vim.fn.execute('messages')")
    assert said.count("autocommand for AcpTurnEnded failed") == 1
    assert "mine" in said


STREAM = """
local buf, parsed = vim.fn.bufnr('^acp://1/chat$'), 0
local real = vim.treesitter.get_string_parser
vim.treesitter.get_string_parser = function(...)
  parsed = parsed + 1
  return real(...)
end
function Parsed() return parsed end
for n = 1, 40 do
  local text = ("%d\\n```lua\\nlocal name%d = nil\\n```\\n"):format(n, n)
  local marks = n == 1 and { { row = 0, kind = "text", key = 1 } } or {}
  local total = vim.api.nvim_buf_line_count(buf) + 4
  require("acp_nvim.backend_calls").frame({ { "chat", 1, { { "append", text, marks } }, total } })
  vim.cmd.redraw()
end
"""


def test_code_gets_its_colours_where_somebody_sees_it(editor: Editor) -> None:
    """What has streamed by is not parsed before it is looked at."""

    def is_coloured(line: str) -> Callable[[Screen], bool]:
        return lambda s: line in s.text() and s.attrs(f"local {line}") != s.attrs(f"{line} =")

    editor.type(":Acp<CR>")
    editor.wait_event("AcpSessionStarted")
    editor.lua(STREAM)
    editor.screen.expect(is_coloured("name40"))
    assert 0 < editor.lua("return Parsed()") < 20


def test_events_by_the_dozen_reach_who_listens_by_a_wildcard(editor: Editor) -> None:
    editor.lua(
        """local batch = {}
        for n = 1, 50 do
          batch[n] = { "event", "AcpToolCall", { session = 1, id = tostring(n) } }
        end
        require("acp_nvim.backend_calls").frame(batch)"""
    )
    editor.wait_event("AcpToolCall", id="50")
    assert [data["id"] for _, data in editor.events("AcpToolCall")] == [str(n) for n in range(1, 51)]


def test_details_read_as_texts_in_their_own_colours(open_editor: Open, tmp_path: Path) -> None:
    code = "local function total(list)\n  return #list\nend\n"
    edit = tool(
        "t",
        title="edit price.lua",
        kind="edit",
        status="completed",
        rawInput={"path": "price.lua", "content": code},
    )
    editor = open_chat(open_editor, script(tmp_path, on_prompt("", edit, say("Done."))), size=(120, 40))
    send(editor, "go")
    editor.wait_event("AcpTurnEnded")
    editor.type("<C-w>kgg]tK")
    editor.screen.expect("input · content:")
    lines = [line.strip() for line in editor.lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)")]
    assert lines.index("return #list") < lines.index("raw input:")
    assert lines[-1] == "}"
    editor.expect_lua(
        "return vim.iter(vim.api.nvim_buf_get_extmarks(0, -1, 0, -1, { details = true })):any(function(mark)"
        " return (mark[4].hl_group or '') == '@keyword.return.lua' end)"
    )
