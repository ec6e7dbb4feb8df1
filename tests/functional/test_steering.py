"""Talking to the agent while it works: keys, the command, the queue's buffer, and what the chat shows of it."""

import os
import re
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import (
    ScriptedAgent,
    on,
    on_prompt,
    permission,
    request,
    result,
    say,
    script,
    silence,
    wait,
    wait_file,
    wait_until,
)
from tests.functional.editor import Editor
from tests.steps.conversation import expect_answerable
from tests.steps.files import LINES, read_disk
from tests.steps.processes import find_backend
from tests.steps.proposals import MIXED, decide_mixed, open_diff, open_old, write_through
from tests.steps.review import PENDING

Open = Callable[..., Editor]
METHOD = "_session/steering"
INJECTED = on(METHOD, result({"outcome": "injected"}))
QUEUED = "return require('acp_nvim').status().queue"


def introduced(steers: bool = True) -> Any:
    info = {"name": "scripted", "title": "Scripted", "version": "1.0"}
    told = {"protocolVersion": 1, "agentInfo": info, "_meta": {"steering": {"supported": steers}}}
    return on("initialize", result(told))


def at_work(open_editor: Open, agent: ScriptedAgent, **options: Any) -> Editor:
    """The turn of "work" runs, and the cursor is in the prompt."""
    spec = {"command": agent.argv[0], "args": agent.argv[1:]}
    editor = open_editor(setup={"agents": {"agent": spec}, "default_agent": "agent"}, **options)
    editor.type(":Acp<CR>")
    editor.wait_event("AcpSessionStarted")
    editor.type("iwork<C-s>")
    editor.screen.expect("Begun.")
    return editor


def texts(agent: ScriptedAgent, method: str) -> list[str]:
    return [block["text"] for message in agent.got(method) for block in message["params"]["prompt"]]


def test_words_are_put_into_the_turn_by_a_key_by_the_command_and_from_the_queue(
    open_editor: Open, tmp_path: Path
) -> None:
    finish = tmp_path / "finish"
    work = on_prompt("work", say("Begun."), wait_file(str(finish)), say("Done."))
    agent = script(tmp_path, introduced(), work, INJECTED, on_prompt("", say("Hi")))
    editor = at_work(open_editor, agent, size=(100, 30))
    editor.screen.expect("<M-CR> steers")
    editor.type("use tabs<M-CR>")
    editor.screen.expect("sent into the turn")
    assert editor.wait_event("AcpSteered") == {"session": 1, "text": "use tabs", "outcome": "injected"}
    editor.expect_lua("return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false))", "")
    editor.type("for later<C-s>and this<C-s>")
    editor.expect_lua(QUEUED, 2)
    editor.type("<Esc>:Acp steer with care<CR>")
    assert editor.wait_event("AcpSteered")["text"] == "with care"
    editor.type(":Acp queue<CR>")
    editor.screen.expect("<M-CR> into the turn")
    editor.type("G<M-CR>")
    assert editor.wait_event("AcpSteered")["text"] == "and this"
    editor.expect_lua(QUEUED, 1)
    editor.expect_lua("return vim.bo.filetype", "acp_queue")
    finish.touch()
    editor.wait_event("AcpTurnEnded", turn=2)
    assert texts(agent, METHOD) == ["use tabs", "with care", "and this"]
    assert texts(agent, "session/prompt") == ["work", "for later"]
    assert not agent.got("session/cancel")


def test_a_text_that_refuses_a_hunk_undoes_it_and_goes_into_the_turn(
    open_editor: Open, tmp_path: Path
) -> None:
    finish = tmp_path / "finish"
    write = request(
        "fs/write_text_file",
        {"sessionId": "{session}", "path": "{cwd}/notes.txt", "content": "one\nTWO\n"},
    )
    work = on_prompt("work", write, say("Begun."), wait_file(str(finish)), say("Done."))
    agent = script(tmp_path, introduced(), work, INJECTED, on_prompt("", say("Hi")))
    spec = {"command": agent.argv[0], "args": agent.argv[1:]}
    editor = open_editor(setup={"agents": {"agent": spec}, "default_agent": "agent"})
    (editor.project / "notes.txt").write_text("one\ntwo\n")
    editor.type(":edit notes.txt<CR>")
    editor.acp("new_session")
    editor.wait_event("AcpSessionStarted")
    editor.acp("prompt", "work")
    editor.expect_lua(PENDING, 1)
    expect_answerable(editor)
    editor.type("2G:Acp reject keep it small<CR>")
    assert editor.wait_event("AcpSteered")["text"] == "keep it small"
    editor.expect_lua(LINES, ["one", "two"])
    finish.touch()
    editor.wait_event("AcpTurnEnded")
    assert texts(agent, METHOD) == ["keep it small"]


def test_of_prompts_with_the_same_words_the_one_under_the_cursor_goes_into_the_turn(
    open_editor: Open, tmp_path: Path
) -> None:
    finish = tmp_path / "finish"
    work = on_prompt("work", say("Begun."), wait_file(str(finish)), say("Done."))
    agent = script(tmp_path, introduced(), work, INJECTED, on_prompt("", say("Hi")))
    editor = at_work(open_editor, agent, size=(100, 30))
    sends = "return require('acp_nvim').prompt('mind this', { context = { { file = ... } } })"
    for name in ("a.txt", "b.txt", "c.txt"):
        (tmp_path / name).write_text(name)
        editor.lua(sends, str(tmp_path / name))
    editor.expect_lua(QUEUED, 3)
    editor.type("<Esc>:Acp queue<CR>")
    editor.screen.expect("<M-CR> into the turn")
    editor.type("3G<M-CR>")
    editor.wait_event("AcpSteered")
    editor.expect_lua(QUEUED, 2)
    editor.type("G<M-CR>")
    editor.wait_event("AcpSteered")
    finish.touch()
    editor.wait_event("AcpTurnEnded", turn=2)
    files = [
        block["uri"].rpartition("/")[2]
        for method in (METHOD, "session/prompt")
        for message in agent.got(method)
        for block in message["params"]["prompt"]
        if block["type"] == "resource_link"
    ]
    assert files == ["b.txt", "c.txt", "a.txt"]


def test_an_agent_that_takes_none_gets_them_as_the_next_prompt(open_editor: Open, tmp_path: Path) -> None:
    finish = tmp_path / "finish"
    work = on_prompt("work", say("Begun."), wait_file(str(finish)))
    agent = script(tmp_path, introduced(steers=False), work, on_prompt("", say("Hi")))
    editor = at_work(open_editor, agent, size=(100, 30))
    assert "<M-CR>" not in editor.screen.text()
    editor.type("use tabs<M-CR>")
    editor.screen.expect("your prompt will be sent after this turn: Scripted cannot take it earlier")
    assert editor.wait_event("AcpSteered")["outcome"] == "queued"
    editor.type("and run the tests<M-CR>")
    editor.screen.expect("your prompt is number 2 in the queue: Scripted cannot take it earlier")
    editor.type("<Esc>:Acp queue<CR>")
    editor.screen.expect("between prompts")
    editor.type("<M-CR>")
    editor.screen.expect("this prompt stays in the queue: Scripted cannot take it earlier")
    finish.touch()
    editor.wait_event("AcpTurnEnded", turn=2)
    editor.wait_event("AcpTurnEnded", turn=3)
    assert texts(agent, "session/prompt") == ["work", "use tabs", "and run the tests"]
    assert not agent.got(METHOD)


def test_a_rejection_gives_its_reason_to_the_running_turn(open_editor: Open, tmp_path: Path) -> None:
    finish = tmp_path / "finish"
    asks = (say("Begun."), permission("Remove all?"), wait_file(str(finish)))
    agent = script(tmp_path, introduced(), on_prompt("work", *asks), INJECTED)
    editor = at_work(open_editor, agent, size=(100, 30))
    editor.screen.expect("Remove all?")
    expect_answerable(editor)
    editor.type("<Esc>:Acp reject never touch the tests<CR>")
    editor.screen.expect("sent into the turn")
    finish.touch()
    editor.wait_event("AcpTurnEnded")
    got = agent.got()
    answer, reason = got[-2:]
    assert answer["result"]["outcome"] == {"outcome": "selected", "optionId": "no"}
    assert (reason["method"], texts(agent, METHOD)) == (METHOD, ["never touch the tests"])
    assert texts(agent, "session/prompt") == ["work"]


def test_a_mixed_decision_is_told_to_the_running_turn(open_editor: Open, tmp_path: Path) -> None:
    steps = (*write_through(), wait(METHOD), say("I see."))
    agent = script(tmp_path, introduced(), on_prompt("edit", *steps), INJECTED, on_prompt("", say("Hi")))
    editor = open_old(open_editor, agent)
    open_diff(editor)
    decide_mixed(editor)
    editor.wait_event("AcpTurnEnded", turn=1)
    (report,) = texts(agent, METHOD)
    assert "notes.txt: 1 hunk refused and 1 hunk changed by the user." in report
    assert ("-THREE" in report, "+17" in report) == (True, True)
    assert read_disk(editor) == MIXED
    editor.type(":Acp<CR>")
    editor.screen.expect("sent into the turn")
    editor.screen.expect("reported to Scripted: 1 hunk of notes.txt")
    editor.acp("prompt", "and now")
    editor.wait_event("AcpTurnEnded", turn=2)
    assert texts(agent, "session/prompt") == ["edit it", "and now"]


@pytest.mark.cold
def test_words_that_are_on_their_way_outlive_the_backend(open_editor: Open, tmp_path: Path) -> None:
    finish = tmp_path / "finish"
    work = on_prompt("work", say("Begun."), wait_file(str(finish)))
    agent = script(tmp_path, introduced(), work, on(METHOD, silence()), on_prompt("", say("Hi")))
    editor = at_work(open_editor, agent, size=(100, 30))
    editor.type("use tabs<M-CR>with care<M-CR>later<C-s>")
    wait_until(lambda: agent.got(METHOD))
    editor.expect_lua(QUEUED, 2)
    os.kill(find_backend(editor), signal.SIGKILL)
    editor.expect_lua(QUEUED, 3)
    editor.expect_lua("return require('acp_nvim').status().held", True)
    editor.type("<Esc>:Acp queue!<CR>:Acp prompt go on<CR>")
    editor.expect_lua(QUEUED, 0)
    wait_until(lambda: len(agent.got("session/prompt")) == 5)
    assert texts(agent, "session/prompt") == ["work", "go on", "use tabs", "with care", "later"]


def test_only_the_newest_heading_has_the_spinner(open_editor: Open, tmp_path: Path) -> None:
    go, finish = tmp_path / "go", tmp_path / "finish"
    rest = wait_file(str(go)), say("Tabs it is."), wait_file(str(finish))
    work = on_prompt("work", say("Begun."), wait(METHOD), *rest)
    editor = at_work(open_editor, script(tmp_path, introduced(), work, INJECTED), size=(100, 30))
    editor.screen.expect(lambda screen: len(running(screen.text())) == 1, what="the heading")
    editor.type("use tabs<M-CR>")
    editor.screen.expect("sent into the turn")  # the agent's answer; what it says next stands below
    go.touch()
    editor.screen.expect("Tabs it is.")
    editor.screen.expect(lambda screen: len(running(screen.text())) == 1, what="the newest heading")
    finish.touch()
    editor.wait_event("AcpTurnEnded")


def running(text: str) -> list[str]:
    """The lines with the agent's name and the time that its turn runs."""
    return [line for line in text.split("\n") if re.search(r"Scripted.* \d+s", line)]
