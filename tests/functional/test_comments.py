"""Comments on lines: written by keys, drawn, moved with their lines, sent in one message, kept over a restart."""

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import (
    ScriptedAgent,
    on,
    on_prompt,
    result,
    say,
    script,
    wait_file,
    wait_until,
    write_file,
)
from tests.functional.editor import Editor
from tests.steps.files import NOTES, join_lines, open_notes, read_and_edit, write
from tests.steps.processes import find_backend
from tests.steps.proposals import (
    decide_mixed,
    get_outcomes,
    get_prompts,
    get_report,
    open_diff,
    open_old,
    write_through,
)
from tests.steps.review import CHANGED, TEN

Open = Callable[..., Editor]
KEYS = {"setup": {"keys": "<leader>a"}}
LEADER = "vim.g.mapleader = ' '\nvim.g.maplocalleader = ','\n"
LIST = "return require('acp_nvim').comments(...)"
DRAFTS = "return #require('acp_nvim').comments({ state = 'draft' })"


def noted(open_editor: Open, folder: Path, *rules: Any, **options: Any) -> tuple[Editor, ScriptedAgent]:
    """notes.txt with ten lines, and an agent that says hello to everything that has no rule."""
    agent = script(folder, *rules, on_prompt("", say("Seen.")))
    options = {"init": LEADER, **options}
    options["setup"] = {"keys": "<leader>a", **options.get("setup", {})}
    return open_notes(open_editor, agent, join_lines(TEN), **options), agent


def listed(editor: Editor, **wanted: Any) -> list[dict[str, Any]]:
    return list(editor.lua(LIST, wanted))


def sent_texts(agent: ScriptedAgent) -> list[str]:
    return [block["text"] for each in agent.got("session/prompt") for block in each["params"]["prompt"]]


@pytest.mark.every_nvim
def test_a_comment_takes_three_keys_and_its_text_and_is_sent_by_three(
    open_editor: Open, tmp_path: Path
) -> None:
    editor, agent = noted(open_editor, tmp_path)
    editor.type("3G aeuse a constant<CR>")
    editor.screen.expect("● use a constant")
    assert listed(editor) == [
        {
            "id": listed(editor)[0]["id"],
            "path": str((editor.project / "notes.txt").resolve()),
            "side": "live",
            "first": 3,
            "last": 3,
            "text": "use a constant",
            "state": "draft",
            "moved": False,
        }
    ]
    assert editor.wait_event("AcpComment")["state"] == "draft"
    editor.type(" aE")
    assert editor.wait_event("AcpComment", state="sent")
    editor.screen.expect("○ use a constant")
    wait_until(lambda: agent.got("session/prompt"))
    assert sent_texts(agent) == ["notes.txt, line 3:\n> line 3\nuse a constant"]


PLACE = """
local comment = require('acp_nvim').comments()[1]
return { comment.first, comment.last, comment.moved }
"""


def expect_place(editor: Editor, first: int, last: int, moved: bool = False) -> None:
    editor.expect_lua(PLACE, [first, last, moved])


@pytest.mark.every_nvim
def test_a_comment_moves_with_its_lines_and_says_what_they_were(open_editor: Open, tmp_path: Path) -> None:
    """Lines added and deleted above and below, the line changed, deleted, brought back by `u`, pasted elsewhere."""
    editor, _ = noted(open_editor, tmp_path)
    editor.type(":5Acp comment look here<CR>ggOnew<Esc>:8<CR>dd")
    expect_place(editor, 6, 6)
    editor.type(":6<CR>A!<Esc>")
    expect_place(editor, 6, 6)
    editor.type("O<Esc>")
    expect_place(editor, 7, 7)
    editor.type(":7<CR>dd")
    editor.screen.expect("● was at: line 5! · look here")
    expect_place(editor, 7, 7, moved=True)
    editor.type("u")
    expect_place(editor, 7, 7)
    editor.type(":7<CR>ddgg")
    editor.screen.expect("was at")
    editor.type("P")
    editor.screen.expect("● look here")
    expect_place(editor, 1, 1)
    editor.type(":%d<CR>")
    editor.screen.expect("was at: line 5!")
    editor.type("u")
    expect_place(editor, 1, 1)
    editor.type(":m 4<CR>")
    expect_place(editor, 4, 4)
    editor.type(":%!sort -r<CR>")
    editor.expect_lua("return vim.fn.getline(" + "require('acp_nvim').comments()[1].first)", "line 5!")


@pytest.mark.every_nvim
def test_an_operator_comments_a_motion_and_its_repetition_asks_again(
    open_editor: Open, tmp_path: Path
) -> None:
    init = LEADER + "vim.keymap.set({'n', 'x'}, 'gk', '<Plug>(acp-comment)')"
    editor, _ = noted(open_editor, tmp_path, init=init)
    editor.type("2Ggkjfirst<CR>")
    editor.screen.expect("● first")
    editor.type("5G.second<CR>")
    editor.screen.expect("● second")
    editor.type("8Ggkk<Esc>9GVj aethird<CR>")
    editor.screen.expect("● third")
    editor.type("1Ggkl<CR>")
    found = [(each["first"], each["last"], each["text"]) for each in listed(editor)]
    assert found == [(2, 3, "first"), (5, 6, "second"), (9, 10, "third")]


def test_a_comment_is_edited_removed_and_resolved_under_the_cursor(open_editor: Open, tmp_path: Path) -> None:
    editor, _ = noted(open_editor, tmp_path)
    editor.type("4G aeone<CR> ae two<CR>")
    editor.screen.expect("● one two")
    assert len(listed(editor)) == 1
    editor.type(" ae<Esc>")
    assert [each["text"] for each in listed(editor)] == ["one two"]
    editor.type(":Acp resolve<CR>")
    editor.screen.expect("✓ one two")
    assert listed(editor)[0]["state"] == "done"
    editor.type(":Acp uncomment<CR>")
    editor.screen.expect("1 comment removed")
    editor.screen.expect_gone("one two")
    assert listed(editor) == []
    assert editor.wait_event("AcpComment", state="deleted")
    editor.type(":Acp uncomment<CR>")
    editor.screen.expect("no comment in this line")
    editor.type(" aegone<CR> ae<C-u><CR>")
    editor.expect_lua("return #require('acp_nvim').comments()", 0)


def test_a_script_adds_edits_filters_and_removes(open_editor: Open, tmp_path: Path) -> None:
    editor, _ = noted(open_editor, tmp_path)
    (editor.project / "other.txt").write_text("a\nb\nc\n")
    id = editor.acp("comment", {"path": "other.txt", "first": 2, "text": "why b?"})
    assert isinstance(id, int)
    assert editor.acp("comment", {"path": "notes.txt", "first": 1, "last": 2, "text": "both"}) != id
    assert [each["text"] for each in listed(editor, path="other.txt")] == ["why b?"]
    assert editor.acp("comment", {"id": id, "text": "why not?"}) == id
    assert editor.acp("comment", {"id": id, "state": "done"}) == id
    assert [each["text"] for each in listed(editor, state="done")] == ["why not?"]
    assert [each["text"] for each in listed(editor, state="draft")] == ["both"]
    assert editor.acp("uncomment", id) is True
    assert len(listed(editor)) == 1
    wrong: list[tuple[Any, str]] = [
        ({}, "text"),
        ({"path": "notes.txt", "first": 11, "text": "x"}, "no comment on line 11: notes.txt has 10 lines"),
        ({"path": "notes.txt", "first": 3, "last": 2, "text": "x"}, "lines 3 to 2"),
        ({"path": "notes.txt", "first": 0, "text": "x"}, "line 0"),
        ({"path": "notes.txt", "first": 1.5, "text": "x"}, "numbers"),
        ({"path": "notes.txt", "text": "x"}, "numbers"),
        ({"path": "nothing.txt", "first": 1, "text": "x"}, "there is no such file"),
        ({"path": "notes.txt", "first": 1, "text": " "}, "a comment needs a text"),
        ({"path": "notes.txt", "first": 1, "text": 5}, "a comment needs a text"),
        ({"path": "notes.txt", "first": 1, "text": "x" * 20000}, "16 KiB"),
        ({"path": "notes.txt", "first": 1, "side": "new", "text": "x"}, "'new'"),
        (
            {"path": "notes.txt", "first": 1, "side": "old", "text": "x"},
            "no pending change has removed line 1",
        ),
        ({"path": 7, "first": 1, "text": "x"}, "path"),
        ({"id": 7, "text": "x"}, "there is no comment 7"),
        ({"id": listed(editor)[0]["id"], "state": "read"}, "'read'"),
    ]
    for options, message in wrong:
        assert message in editor.lua(FAILS, "comment", options), options
    assert "there is no comment" in editor.lua(FAILS, "uncomment", id)
    assert "path" in editor.lua(FAILS, "comments", {"path": 7})


FAILS = """
local ok, message = require('acp_nvim')[(...)](select(2, ...))
assert(ok == nil, vim.inspect(ok))
return message
"""


def test_what_cannot_be_commented_is_said_in_one_line(open_editor: Open, tmp_path: Path) -> None:
    editor, _ = noted(open_editor, tmp_path)
    editor.type(":help<CR>:Acp comment x<CR>")
    editor.screen.expect("comments stand on lines of files and of proposals")
    editor.type(":close<CR>:Acp comment! x<CR>")
    editor.screen.expect("no pending change has removed lines here")
    editor.type(":Acp send<CR>")
    editor.screen.expect("no comments to send: :Acp comment adds one")
    editor.type(":Acp comments<CR>")
    editor.screen.expect("no comments: :Acp comment adds one")
    editor.type(":enew<CR>:Acp comment x<CR>")
    editor.screen.expect("comments stand on lines of files and of proposals")
    assert listed(editor) == []


def test_a_file_that_was_never_written_has_comments(open_editor: Open, tmp_path: Path) -> None:
    editor, agent = noted(open_editor, tmp_path)
    editor.type(":edit new.txt<CR>ihello<Esc>:Acp comment greet louder<CR>")
    editor.screen.expect("● greet louder")
    editor.type("Onew<Esc> aE")
    editor.wait_event("AcpComment", state="sent")
    wait_until(lambda: agent.got("session/prompt"))
    assert sent_texts(agent) == ["new.txt, line 2:\n> hello\ngreet louder"]


def test_a_range_that_is_none_is_refused_and_one_backwards_is_asked_about(
    open_editor: Open, tmp_path: Path
) -> None:
    editor, _ = noted(open_editor, tmp_path)
    editor.type(":3,40Acp comment x<CR>")
    editor.screen.expect("E16")
    assert listed(editor) == []
    editor.type(":silent 5,2Acp comment x<CR>")
    expect_place(editor, 2, 5)
    editor.type(":%Acp comment the whole file<CR>")
    editor.expect_lua("return require('acp_nvim').comments()[1].last", 10)


# --- what agents do


@pytest.mark.every_nvim
def test_a_sent_comment_is_done_once_the_agent_has_changed_one_of_its_lines(
    open_editor: Open, tmp_path: Path
) -> None:
    """A draft stays a draft, and a comment beside the changed lines stays sent."""
    after = [*TEN[:3], "FOUR", *TEN[4:]]
    rules = (
        on_prompt("make it four", say("I will.")),
        on_prompt("go", write(NOTES, join_lines(["new", *after]))),
    )
    editor, _ = noted(open_editor, tmp_path, *rules)
    editor.type(":3,4Acp comment make it four<CR>:5Acp comment not this<CR> aE")
    editor.screen.expect("○ not this")
    editor.wait_event("AcpTurnEnded")
    editor.type(":4Acp comment only a draft<CR>")
    editor.acp("prompt", "go")
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect("✓ make it four")
    editor.screen.expect("○ not this")
    editor.screen.expect("● only a draft")
    assert [(each["first"], each["last"], each["state"]) for each in listed(editor)] == [
        (4, 5, "done"),
        (5, 5, "draft"),
        (6, 6, "sent"),
    ]
    assert editor.wait_event("AcpComment", state="done")


@pytest.mark.parametrize("way", ["through us", "on disk"])
def test_a_file_that_is_not_open_has_its_comments_followed(
    open_editor: Open, tmp_path: Path, way: str
) -> None:
    text = "zero\n" + join_lines(TEN).replace("line 2", "LINE 2")
    name = "{cwd}/other.txt"
    steps = [write(name, text)] if way == "through us" else read_and_edit(name, write_file(name, text))
    editor, _ = noted(open_editor, tmp_path, on_prompt("go", *steps))
    other = editor.project / "other.txt"
    other.write_text(join_lines(TEN))
    editor.acp("comment", {"path": "other.txt", "first": 2, "text": "loud"})
    editor.acp("comment", {"path": "other.txt", "first": 7, "text": "lucky"})
    editor.type(" aE")
    editor.wait_event("AcpTurnEnded")
    editor.acp("prompt", "go")
    editor.wait_event("AcpTurnEnded")
    states = (
        "return vim.tbl_map(function(c) return c.first .. ' ' .. c.state end, require('acp_nvim').comments())"
    )
    editor.expect_lua(states, ["3 done", "8 sent"])
    editor.type(":edit other.txt<CR>")
    editor.screen.expect("✓ loud")
    editor.screen.expect("○ lucky")


def test_a_queued_comment_is_a_draft_until_it_is_sent_and_is_not_sent_twice(
    open_editor: Open, tmp_path: Path
) -> None:
    go = tmp_path / "go"
    rules = (on_prompt("wait", say("Begun."), wait_file(str(go))),)
    editor, agent = noted(open_editor, tmp_path, *rules)
    editor.acp("prompt", "wait")
    wait_until(lambda: agent.got("session/prompt"))
    editor.type("2G aenote<CR> aE")
    editor.expect_lua("return require('acp_nvim').status().queue", 1)
    editor.screen.expect("will be sent after this turn")
    editor.type(" aE")
    editor.screen.expect("1 comment already waits in the queue")
    assert editor.lua(DRAFTS) == 1
    id = listed(editor)[0]["id"]
    assert "queue" in editor.lua(FAILS, "comment", {"id": id, "text": "other"})
    assert "queue" in editor.lua(FAILS, "uncomment", id)
    editor.type("3G aesecond<CR> aE")
    editor.expect_lua("return require('acp_nvim').status().queue", 2)
    go.touch()
    for _ in range(3):
        editor.wait_event("AcpTurnEnded")
    editor.expect_lua(DRAFTS, 0)
    texts = [text for text in sent_texts(agent) if "note" in text or "second" in text]
    assert texts == [
        "notes.txt, line 2:\n> line 2\nnote",
        "notes.txt, line 3:\n> line 3\nsecond",
    ]


def test_a_prompt_that_leaves_the_queue_leaves_its_comments_as_drafts(
    open_editor: Open, tmp_path: Path
) -> None:
    rules = (on_prompt("wait", say("Begun."), wait_file(str(tmp_path / "never"))),)
    editor, agent = noted(open_editor, tmp_path, *rules)
    editor.acp("prompt", "wait")
    wait_until(lambda: agent.got("session/prompt"))
    editor.type("2G aenote<CR> aE")
    editor.expect_lua("return require('acp_nvim').status().queue", 1)
    editor.type(":Acp cancel!<CR>")
    editor.expect_lua("return require('acp_nvim').status().queue", 0)
    assert editor.lua(DRAFTS) == 1
    editor.type(" aE")
    editor.expect_lua("return require('acp_nvim').status().queue", 1)


def test_comments_go_into_the_running_turn_of_an_agent_that_takes_them(
    open_editor: Open, tmp_path: Path
) -> None:
    finish = tmp_path / "finish"
    info = {"name": "scripted", "title": "Scripted", "version": "1.0"}
    offers = {"protocolVersion": 1, "agentInfo": info, "_meta": {"steering": {"supported": True}}}
    rules = (
        on("initialize", result(offers)),
        on("_session/steering", result({"outcome": "injected"})),
        on_prompt("work", say("Begun."), wait_file(str(finish))),
    )
    editor, agent = noted(open_editor, tmp_path, *rules)
    editor.acp("prompt", "work")
    wait_until(lambda: agent.got("session/prompt"))
    editor.type("2G aenote<CR> aE")
    editor.wait_event("AcpComment", state="sent")
    (steered,) = agent.got("_session/steering")
    assert [each["text"] for each in steered["params"]["prompt"]] == ["notes.txt, line 2:\n> line 2\nnote"]
    finish.touch()


@pytest.mark.cold
def test_queued_comments_are_sent_by_the_next_backend(open_editor: Open, tmp_path: Path) -> None:
    go = tmp_path / "go"
    editor, agent = noted(open_editor, tmp_path, on_prompt("wait", say("Begun."), wait_file(str(go))))
    editor.acp("prompt", "wait")
    wait_until(lambda: agent.got("session/prompt"))
    editor.type("2G aenote<CR> aE")
    editor.expect_lua("return require('acp_nvim').status().queue", 1)
    os.kill(find_backend(editor), signal.SIGKILL)
    editor.wait_event("AcpSessionEnded")
    assert editor.lua(DRAFTS) == 1
    editor.type(" aE")
    editor.screen.expect("1 comment already waits in the queue")
    go.touch()
    editor.acp("prompt", "again")
    editor.expect_lua(DRAFTS, 0)
    assert sent_texts(agent)[-1] == "notes.txt, line 2:\n> line 2\nnote"


def test_a_comment_goes_along_with_a_file_that_is_moved(open_editor: Open, tmp_path: Path) -> None:
    editor, _ = noted(open_editor, tmp_path)
    editor.type(":4Acp comment mine<CR>")
    editor.screen.expect("● mine")
    (editor.project / "notes.txt").rename(editor.project / "moved.txt")
    editor.type(":file moved.txt<CR>ggO<Esc>")
    editor.expect_lua("return vim.fs.basename(require('acp_nvim').comments()[1].path)", "moved.txt")
    expect_place(editor, 5, 5)
    editor.screen.expect("● mine")


# --- changes in review


@pytest.mark.every_nvim
def test_deleted_lines_of_a_pending_change_are_commented_and_sent_with_it(
    open_editor: Open, tmp_path: Path
) -> None:
    editor, agent = noted(open_editor, tmp_path, on_prompt("edit", write(NOTES, join_lines(CHANGED))))
    editor.acp("prompt", "edit")
    editor.wait_event("AcpTurnEnded")
    editor.type(":10<CR>:Acp comment! keep the last one<CR>:2Acp comment why so loud?<CR>")
    editor.screen.expect("● old line 10: keep the last one")
    editor.screen.expect("● why so loud?")
    assert [(each["side"], each["first"], each["last"]) for each in listed(editor)] == [
        ("live", 2, 2),
        ("old", 10, 10),
    ]
    assert isinstance(
        editor.acp("comment", {"path": "notes.txt", "first": 2, "side": "old", "text": "was fine"}), int
    )
    assert "has removed line 3" in editor.lua(
        FAILS, "comment", {"path": "notes.txt", "first": 3, "side": "old", "text": "x"}
    )
    editor.type(" aE")
    editor.wait_event("AcpTurnEnded")
    (text,) = [each for each in sent_texts(agent) if "why so loud?" in each]
    hunk = "In this pending change:\n-line 2\n+LINE 2"
    assert text == "\n\n".join(
        [
            f"notes.txt, line 2:\n> LINE 2\nwhy so loud?\n{hunk}",
            f"notes.txt, old line 2:\n> line 2\nwas fine\n{hunk}",
            "notes.txt, old line 10:\n> line 10\nkeep the last one\nIn this pending change:\n-line 10",
        ]
    )


def test_comments_are_listed_alone_and_among_the_changes(open_editor: Open, tmp_path: Path) -> None:
    editor, _ = noted(open_editor, tmp_path, on_prompt("edit", write(NOTES, join_lines(CHANGED))))
    editor.acp("prompt", "edit")
    editor.wait_event("AcpTurnEnded")
    editor.type(":1Acp comment first<CR>:5Acp comment fifth<CR>")
    items = "return vim.tbl_map(function(i) return i.lnum .. ' ' .. i.text end, vim.fn.getqflist())"
    editor.type(":Acp comments<CR>")
    editor.expect_lua(items, ["1 draft: first", "5 draft: fifth"])
    assert editor.lua("return vim.fn.getqflist({ title = 0 }).title") == "2 comments"
    editor.type(":Acp review<CR>")
    editor.expect_lua(
        items,
        ["1 draft: first", "2 +1 -1 LINE 2", "5 draft: fifth", "7 +1 -0 new", "11 +0 -1 line 10"],
    )
    editor.expect_lua("return vim.fn.line('.')", 2)
    assert editor.lua("return require('acp_nvim').statusline()").endswith("±3 2 comments")
    editor.type(" aE")
    editor.wait_event("AcpTurnEnded")
    assert "comment" not in editor.lua("return require('acp_nvim').statusline()")


# --- proposals


@pytest.mark.every_nvim
def test_a_comment_on_a_proposal_decides_nothing_and_goes_with_its_report(
    open_editor: Open, tmp_path: Path
) -> None:
    agent = script(tmp_path, on_prompt("edit it", *write_through()), on_prompt("", say("Seen.")))
    editor = open_old(open_editor, agent, init=LEADER, setup={"keys": "<leader>a"})
    open_diff(editor)
    editor.type("gg]c aeuse a word<CR>")
    editor.screen.expect("● use a word")
    question = editor.acp("questions")[0]["id"]
    (comment,) = listed(editor)
    assert (comment["side"], comment["first"], comment["question"]) == ("proposed", 3, question)
    editor.type(" aE")
    editor.screen.expect("1 comment will go with your answer")
    editor.type("<C-w>h5G aewhat of this?<CR>")
    editor.expect_lua(DRAFTS, 2)
    editor.type("<C-w>l")
    decide_mixed(editor)
    editor.wait_event("AcpTurnEnded")
    report = get_report(editor, agent)
    assert "2 hunks" in report or "1 hunk refused and 1 hunk changed" in report
    assert "notes.txt, proposed line 3:\n> THREE\nuse a word" in report
    assert "notes.txt, line 5:\n> line 5\nwhat of this?" in report
    editor.expect_lua(DRAFTS, 0)
    assert {each["side"] for each in listed(editor)} == {"live"}


def test_a_proposal_that_is_allowed_as_it_is_takes_its_comments_to_the_agent(
    open_editor: Open, tmp_path: Path
) -> None:
    agent = script(tmp_path, on_prompt("edit it", *write_through()), on_prompt("", say("Seen.")))
    editor = open_old(open_editor, agent, init=LEADER, setup={"keys": "<leader>a"})
    open_diff(editor)
    editor.type("gg]c aelater in lower case<CR>")
    editor.screen.expect("● later in lower case")
    editor.type(":w<CR>")
    editor.wait_event("AcpTurnEnded")
    assert get_outcomes(agent) == ["yes"]
    editor.type(" aE")
    editor.wait_event("AcpTurnEnded")
    hunk = "In this pending change:\n-line 3\n+THREE"
    assert get_prompts(agent)[1:] == [[f"notes.txt, line 3:\n> THREE\nlater in lower case\n{hunk}"]]
    editor.expect_lua(DRAFTS, 0)


# --- kept on the disk


def in_project(open_editor: Open, folder: Path, **options: Any) -> Editor:
    """A Neovim in a project that others share, without a session."""
    project = folder / "shared"
    project.mkdir(exist_ok=True)
    notes = project / "notes.txt"
    if not notes.exists():
        notes.write_text(join_lines(TEN))
    env = {"XDG_STATE_HOME": str(folder / "state"), "NVIM_APPNAME": "nvim"}
    init = LEADER + f"vim.cmd.cd([[{project}]])"
    return open_editor(env=env, init=init, **{"setup": {"keys": "<leader>a"}, **options})


def records(folder: Path) -> list[Path]:
    return sorted((folder / "state/nvim/acp_nvim/projects").glob("*/*"))


def texts_on_disk(folder: Path) -> list[str]:
    found = [path for path in records(folder) if path.name == "comments.json"]
    return [each["text"] for path in found for each in json.loads(path.read_text())["comments"]]


@pytest.mark.every_nvim
@pytest.mark.cold
@pytest.mark.parametrize("end", ["quit", "kill"])
def test_comments_survive_a_restart_and_find_their_lines_again(
    open_editor: Open, tmp_path: Path, end: str
) -> None:
    """Shown with the first file of the project, before any :Acp; the file has changed meanwhile."""
    before = in_project(open_editor, tmp_path)
    before.type(":edit notes.txt<CR>:4Acp comment four<CR>:8Acp comment eight<CR>")
    before.screen.expect("● eight")
    if end == "quit":
        before.quit()
    else:
        wait_until(lambda: texts_on_disk(tmp_path) == ["four", "eight"])
        before.kill()
    (record,) = records(tmp_path)
    assert record.stat().st_mode & 0o777 == 0o600
    assert record.parent.stat().st_mode & 0o777 == 0o700
    (tmp_path / "shared/notes.txt").write_text(join_lines(["a", "b", *TEN[:7], *TEN[8:]]))
    after = in_project(open_editor, tmp_path)
    after.type(":edit notes.txt<CR>")
    after.screen.expect("line 4 ● four")
    after.screen.expect("● was at: line 8 · eight")
    assert [(each["first"], each["moved"]) for each in listed(after)] == [(6, False), (10, True)]


def test_of_two_neovims_in_a_project_none_loses_a_comment_of_the_other(
    open_editor: Open, tmp_path: Path
) -> None:
    one, other = in_project(open_editor, tmp_path), in_project(open_editor, tmp_path)
    for editor in (one, other):
        editor.type(":edit notes.txt<CR>:Acp comments<CR>")
        editor.screen.expect("no comments")
    one.type(":1Acp comment of one<CR>")
    wait_until(lambda: texts_on_disk(tmp_path) == ["of one"])
    other.type(":2Acp comment of the other<CR>")
    wait_until(lambda: sorted(texts_on_disk(tmp_path)) == ["of one", "of the other"])
    one.type(":3Acp comment third<CR>:1Acp uncomment<CR>")
    wait_until(lambda: sorted(texts_on_disk(tmp_path)) == ["of the other", "third"])
    assert [each["text"] for each in listed(other)] == ["of the other", "third"]
    other.screen.expect("● third")
    other.quit()
    one.quit()
    assert sorted(texts_on_disk(tmp_path)) == ["of the other", "third"]


def test_nothing_is_written_while_the_user_types(open_editor: Open, tmp_path: Path) -> None:
    editor = in_project(open_editor, tmp_path)
    editor.type(":edit notes.txt<CR>")
    editor.type("ihello")
    editor.lua("require('acp_nvim').comment({ first = 1, text = 'x' })")
    typed = "for i = 1, 40 do vim.defer_fn(function() vim.api.nvim_input('a') end, i * 20) end"
    editor.lua(typed)
    editor.expect_lua("return #vim.fn.getline(1) > 40")
    assert texts_on_disk(tmp_path) == []
    editor.type("<Esc>")
    wait_until(lambda: texts_on_disk(tmp_path) == ["x"])


@pytest.mark.parametrize("content", ["{ cut", '"a text"', '{"version": 99, "comments": []}', "\0\1\2"])
def test_a_record_that_cannot_be_read_is_renamed_and_named_once(
    open_editor: Open, tmp_path: Path, content: str
) -> None:
    first = in_project(open_editor, tmp_path)
    first.type(":edit notes.txt<CR>:1Acp comment old<CR>")
    first.quit()
    (record,) = records(tmp_path)
    record.write_text(content)
    editor = in_project(open_editor, tmp_path)
    editor.type(":edit notes.txt<CR>")
    editor.screen.expect("review: cannot read a record, it is kept as comments.json.unreadable-")
    editor.type(":2Acp comment new<CR>")
    wait_until(lambda: texts_on_disk(tmp_path) == ["new"])
    (aside,) = [path for path in records(tmp_path) if "unreadable" in path.name]
    assert aside.read_text() == content
    assert editor.lua("return vim.fn.execute('messages')").count("cannot read") == 1


def test_strange_entries_of_a_record_are_left_out(open_editor: Open, tmp_path: Path) -> None:
    first = in_project(open_editor, tmp_path)
    first.type(":edit notes.txt<CR>:1Acp comment old<CR>")
    first.quit()
    (record,) = records(tmp_path)
    content = json.loads(record.read_text())
    good = content["comments"][0]
    content["comments"] = [
        7,
        {},
        {**good, "id": "x"},
        {**good, "lines": 3, "id": 5},
        good,
        {**good, "id": 9, "first": 400},
    ]
    record.write_text(json.dumps(content))
    editor = in_project(open_editor, tmp_path)
    editor.type(":edit notes.txt<CR>")
    editor.screen.expect("● old")
    assert len(listed(editor)) == 2


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_one_warning(open_editor: Open, tmp_path: Path) -> None:
    state = tmp_path / "state/nvim"
    state.mkdir(parents=True)
    state.chmod(0o500)
    editor = in_project(open_editor, tmp_path)
    editor.type(":edit notes.txt<CR>:1Acp comment one<CR>")
    editor.screen.expect("review: comments are not kept")
    editor.screen.expect("● one")


def test_a_state_folder_that_is_a_file_is_one_warning(open_editor: Open, tmp_path: Path) -> None:
    state = tmp_path / "state/nvim"
    state.mkdir(parents=True)
    (state / "acp_nvim").write_text("")
    editor = in_project(open_editor, tmp_path)
    editor.type(":edit notes.txt<CR>:1Acp comment one<CR>")
    editor.screen.expect("review: comments are not kept")
    editor.type(":2Acp comment two<CR>")
    editor.screen.expect("● two")
    editor.lua("require('acp_nvim.project.records').flush()")
    assert editor.lua("return vim.fn.execute('messages')").count("not kept") == 1


def test_with_persist_off_nothing_is_read_or_written(open_editor: Open, tmp_path: Path) -> None:
    first = in_project(open_editor, tmp_path)
    first.type(":edit notes.txt<CR>:1Acp comment kept<CR>")
    first.quit()
    off = in_project(open_editor, tmp_path, setup={"review": {"persist": False}})
    off.type(":edit notes.txt<CR>:2Acp comment of today<CR>")
    off.screen.expect("● of today")
    assert [each["text"] for each in listed(off)] == ["of today"]
    off.quit()
    assert texts_on_disk(tmp_path) == ["kept"]
