"""The turns of a project: their list, whose a line is, and the way back."""

import json
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
    run_command,
    script,
    wait_file,
    wait_until,
    write_file,
)
from tests.functional.editor import Editor
from tests.steps.conversation import expect_answerable
from tests.steps.files import LINES, join_lines, read_and_edit, write
from tests.steps.proposals import ask_edit, make_diff
from tests.steps.review import PENDING, TEN
from tests.steps.trees import git

Open = Callable[..., Editor]
NOTES = "{cwd}/notes.txt"
FIRST = [*TEN[:4], "agent", *TEN[5:], "eleven"]
SECOND = ["top", *FIRST]


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    git(folder, "init", "-q")
    (folder / "notes.txt").write_text(join_lines(TEN))
    return folder


def begin(open_editor: Open, tmp_path: Path, work: Path, *steps: Any, **options: Any) -> Editor:
    """A Neovim in the project, with the state that earlier ones have left, and an agent."""
    setup = options.pop("setup", {})
    options["env"] = {"XDG_STATE_HOME": str(tmp_path / "state"), "NVIM_APPNAME": "nvim"}
    options["init"] = f"vim.cmd.cd([[{work}]])"
    agent = script(tmp_path, *steps)
    spec = {"command": agent.argv[0], "args": agent.argv[1:]}
    editor = open_editor(setup={"agents": {"claude": spec}, **setup}, **options)
    editor.type(":edit notes.txt<CR>")
    return editor


def start(editor: Editor) -> None:
    editor.acp("new_session")
    editor.wait_event("AcpSessionStarted")


def take_turn(editor: Editor, prompt: str = "go") -> None:
    editor.acp("prompt", prompt)
    editor.wait_event("AcpTurnEnded")


TWO_TURNS = (
    on_prompt("First", write(NOTES, join_lines(FIRST))),
    on_prompt("Second", write(NOTES, join_lines(SECOND)), write("{cwd}/made.txt", "one\ntwo\n")),
)


def two_turns(open_editor: Open, tmp_path: Path, work: Path, *more: Any, **options: Any) -> Editor:
    editor = begin(open_editor, tmp_path, work, *TWO_TURNS, *more, **options)
    start(editor)
    take_turn(editor, "First things\nfirst")
    take_turn(editor, "Second thoughts")
    editor.expect_lua(LINES, SECOND)
    editor.expect_lua("return #require('acp_nvim').turns()[2].files", 2)
    return editor


@pytest.mark.parametrize("persist", [True, False])
def test_turns_are_listed_with_their_files(
    open_editor: Open, tmp_path: Path, work: Path, persist: bool
) -> None:
    editor = two_turns(open_editor, tmp_path, work, setup={"review": {"persist": persist}})
    first, second = editor.acp("turns")
    assert (first["turn"], first["prompt"], first["session"]) == (1, "First things\nfirst", 1)
    assert abs(first["time"] - int(editor.lua("return os.time()"))) < 60
    notes = {"path": str(work / "notes.txt"), "added": 2, "removed": 1, "by": "agent"}
    assert first["files"] == [notes]
    assert [(Path(file["path"]).name, file["added"]) for file in second["files"]] == [
        ("made.txt", 2),
        ("notes.txt", 1),
    ]
    assert editor.acp("turns", {"session": 1}) == [first, second]
    editor.quit()
    after = begin(open_editor, tmp_path, work, setup={"review": {"persist": persist}})
    found = after.acp("turns")
    assert [each["prompt"] for each in found] == (
        ["First things\nfirst", "Second thoughts"] if persist else []
    )
    assert [each.get("session") for each in found] == [None] * len(found)


def test_a_loaded_session_goes_on_counting_though_all_is_decided(
    open_editor: Open, tmp_path: Path, work: Path
) -> None:
    before = two_turns(open_editor, tmp_path, work)
    before.type(":Acp keep all<CR>")
    before.expect_lua(PENDING, 0)
    (id,) = {each["session_id"] for each in before.acp("turns")}
    before.quit()
    steps = (
        on_initialize(loadSession=True),
        on("session/load", result({})),
        on_prompt(
            "",
        ),
    )
    after = begin(open_editor, tmp_path, work, *steps)
    after.acp("load", id)
    after.wait_event("AcpSessionStarted")
    take_turn(after)
    assert [(each["turn"], each["session"]) for each in after.acp("turns", {"session": 1})] == [
        (1, 1),
        (2, 1),
        (3, 1),
    ]


# --- whose a line is

BLAME = "return { require('acp_nvim').blame(vim.fn.bufnr('notes.txt'), ...) }"


def blamed(editor: Editor, line: int) -> dict[str, Any]:
    (found,) = editor.lua(BLAME, line)
    return dict(found)


def test_a_line_tells_which_prompt_has_written_it(open_editor: Open, tmp_path: Path, work: Path) -> None:
    editor = two_turns(open_editor, tmp_path, work)
    assert editor.lua(BLAME, 3) == []
    second = blamed(editor, 1)
    assert (second["session"], second["agent"], second["turn"]) == (1, "claude", 2)
    assert (second["prompt"], second["decision"]) == ("Second thoughts", "pending")
    assert blamed(editor, 6)["turn"] == 1
    editor.type("gg:Acp blame<CR>")
    editor.screen.expect('claude · turn 2 · just now · "Second thoughts" · pending')
    editor.type("3G:Acp blame<CR>")
    editor.screen.expect("no agent has written this line")
    editor.type("6GOmine<Esc>")
    assert editor.lua(BLAME, 6) == []
    assert blamed(editor, 7)["turn"] == 1


def test_what_was_kept_tells_it_in_a_later_neovim(open_editor: Open, tmp_path: Path, work: Path) -> None:
    before = two_turns(open_editor, tmp_path, work)
    before.type(":Acp keep all<CR>")
    before.expect_lua(PENDING, 0)
    assert blamed(before, 1)["decision"] == "kept"
    before.quit()
    path = work / "notes.txt"
    path.write_text("above\n" + path.read_text())
    after = begin(open_editor, tmp_path, work)
    found = blamed(after, 7)
    assert (found["turn"], found["decision"], found["prompt"]) == (1, "kept", "First things\nfirst")
    assert (found["agent"], found.get("session")) == ("claude", None)
    assert after.lua(BLAME, 1) == []


def test_a_line_kept_without_records_is_known_as_long_as_neovim_lives(
    open_editor: Open, tmp_path: Path, work: Path
) -> None:
    editor = two_turns(open_editor, tmp_path, work, setup={"review": {"persist": False}})
    editor.type(":Acp keep all<CR>")
    editor.expect_lua(PENDING, 0)
    take_turn(editor, "nothing")  # the list of what was decided is forgotten
    assert editor.acp("changes") == []
    assert (blamed(editor, 1)["turn"], blamed(editor, 6)["decision"]) == (2, "kept")


def test_a_line_that_was_asked_about_names_the_answer(open_editor: Open, tmp_path: Path, work: Path) -> None:
    text = join_lines(FIRST)
    asked = ask_edit(make_diff(NOTES, join_lines(TEN), text))
    steps = on_prompt("", asked, write(NOTES, text))
    editor = begin(open_editor, tmp_path, work, steps, setup={"review": {"asked": "keep"}})
    start(editor)
    editor.acp("prompt", "go")
    question = editor.wait_event("AcpQuestion")
    editor.acp("answer", question["id"], "yes")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(LINES, FIRST)
    found = blamed(editor, 5)
    assert (found["decision"], found["call"]["title"]) == ("asked: Yes", "edit notes.txt")


def test_a_line_that_was_committed_names_the_commit(open_editor: Open, tmp_path: Path, work: Path) -> None:
    git(work, "add", ".")
    git(work, "commit", "-qm", "first")
    editor = two_turns(open_editor, tmp_path, work)
    wait_until(lambda: any((tmp_path / "state/nvim/acp_nvim/projects").glob("*/head.json")))
    git(work, "commit", "-qam", "second")
    (branch,) = (work / ".git/refs/heads").iterdir()
    head = branch.read_text().strip()
    editor.lua("vim.api.nvim_exec_autocmds('FocusGained', {})")
    editor.expect_lua(
        "return require('acp_nvim').blame(vim.fn.bufnr('notes.txt'), 1).decision", f"commit {head}"
    )
    editor.type("gg<Plug>(acp-blame)")
    editor.screen.expect(f"commit {head[:8]}")


# --- the time line

LIST = "return vim.bo.filetype"


def test_the_time_line_lists_turns_and_unfolds_their_files(
    open_editor: Open, tmp_path: Path, work: Path
) -> None:
    editor = two_turns(open_editor, tmp_path, work)
    editor.type(":Acp timeline<CR>")
    editor.expect_lua(LIST, "acp_timeline")
    assert editor.lua("return { vim.b.acp_session, vim.bo.modifiable }") == [1, False]
    editor.screen.expect("First things …")
    editor.screen.expect("2 files +3")
    editor.screen.expect("notes.txt +2 −1")
    editor.screen.expect("za unfold")
    assert editor.lua("return vim.api.nvim_get_current_line()").split()[:3] == ["2", "Second", "thoughts"]
    editor.type("za")
    editor.screen.expect("made.txt  +2")
    editor.type("za")
    editor.screen.expect_gone("made.txt  +2")
    editor.type("k<CR>")
    editor.expect_lua(
        "return { vim.fn.expand('%:t'), vim.fn.getqflist({ title = 0 }).title }",
        [
            "notes.txt",
            "turn 1: notes.txt +2 −1",
        ],
    )
    editor.expect_lua("return #vim.api.nvim_list_wins()", 1)


def test_escape_twice_on_an_empty_prompt_opens_it_and_e_takes_the_prompt(
    open_editor: Open, tmp_path: Path, work: Path
) -> None:
    editor = two_turns(open_editor, tmp_path, work)
    editor.type(":Acp<CR>")
    editor.expect_lua(LIST, "acp_prompt")
    editor.type("ihello<Esc><Esc><Esc>")
    editor.expect_lua(LIST, "acp_prompt")
    editor.type("dd<Esc><Esc>")
    editor.expect_lua(LIST, "acp_timeline")
    editor.type("ke")
    editor.expect_lua(LIST, "acp_prompt")
    editor.expect_lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)", ["First things", "first"])


def test_the_key_can_be_turned_off(open_editor: Open, tmp_path: Path, work: Path) -> None:
    editor = two_turns(open_editor, tmp_path, work, setup={"chat": {"rewind_key": False}})
    editor.type(":Acp<CR>")
    editor.expect_lua(LIST, "acp_prompt")
    assert editor.lua("return vim.fn.maparg('<Esc><Esc>', 'n')") == ""


def test_a_session_is_forked_before_the_turn(open_editor: Open, tmp_path: Path, work: Path) -> None:
    fork = on("session/fork", result({"sessionId": "forked"}))
    steps = on_initialize(sessionCapabilities={"fork": {}}), fork
    editor = two_turns(open_editor, tmp_path, work, *steps)
    editor.type(":Acp timeline<CR>")
    editor.expect_lua(LIST, "acp_timeline")
    editor.type("f")
    editor.expect_lua("return require('acp_nvim').status().session_id", "forked")


# --- the way back

LEFT = "return require('acp_nvim').questions({ all = true })"


def ask_back(editor: Editor, turn: int) -> dict[str, Any]:
    """Ask for the way back to before a turn; return the question, whose diff is shown."""
    editor.type(f":Acp restore {turn}<CR>")
    (question,) = editor.expect_lua(LEFT, lambda found: len(found) == 1)
    editor.expect_lua("return vim.b.acp_question", question["id"])
    return dict(question)


def answer_back(editor: Editor) -> None:
    expect_answerable(editor)
    editor.type(":w<CR>")
    assert editor.wait_event("AcpTurnEnded")["stop_reason"] == "restored"


def test_back_to_before_the_newest_turn_takes_three_keys_and_is_undone_like_a_turn(
    open_editor: Open, tmp_path: Path, work: Path
) -> None:
    editor = two_turns(open_editor, tmp_path, work, on_prompt("Third"), size=(140, 50))
    editor.type("3Gomine<Esc>:w<CR>")
    mine = [*SECOND[:3], "mine", *SECOND[3:]]
    editor.expect_lua(LINES, mine)
    editor.type(":Acp<CR>")
    editor.expect_lua(LIST, "acp_prompt")
    editor.type("<Esc><Esc>")
    editor.expect_lua(LIST, "acp_timeline")
    editor.type("r")
    (question,) = editor.expect_lua(LEFT, lambda found: len(found) == 1)
    assert (question["kind"], question.get("path"), question["has_diff"]) == ("restore", None, True)
    assert [(each["id"], each["kind"]) for each in question["options"]] == [
        ("restore", "allow_once"),
        ("no", "reject_once"),
    ]
    editor.expect_lua("return vim.b.acp_question", question["id"])
    editor.screen.expect("Go back to before turn")
    editor.screen.expect(":w go back, all files")
    answer_back(editor)
    notes = "return vim.api.nvim_buf_get_lines(vim.fn.bufnr('notes.txt'), 0, -1, false)"
    before = [*FIRST[:2], "mine", *FIRST[2:]]
    editor.expect_lua(notes, before)
    assert (work / "notes.txt").read_text() == join_lines(before)
    assert not (work / "made.txt").exists()
    turns = editor.expect_lua("return require('acp_nvim').turns()", lambda found: len(found) == 3)
    assert (turns[2]["turn"], turns[2]["restored"], turns[2]["stop_reason"]) == (3, 2, "restored")
    assert editor.acp("status")["turn"] == 3
    editor.type(":Acp undo turn<CR>")
    editor.expect_lua(notes, mine)
    assert (work / "made.txt").read_text() == "one\ntwo\n"
    take_turn(editor, "Third")
    assert editor.acp("status")["turn"] == 4


GENERATED = [
    on_prompt("First", *run_command("sed -i s/5/five/ notes.txt && mkdir -p gen && echo made > gen/new.txt")),
    on_prompt("Second", write(NOTES, join_lines(["top", *TEN[:4], "line five", *TEN[5:]]))),
    on_prompt("Third"),
]


def test_back_over_a_command_and_what_was_kept_and_forward_again(
    open_editor: Open, tmp_path: Path, work: Path
) -> None:
    agent = begin(open_editor, tmp_path, work, *GENERATED)
    git(work, "add", ".")
    git(work, "commit", "-qm", "all")
    start(agent)
    take_turn(agent, "First")
    agent.expect_lua(PENDING, 2)
    agent.type(":Acp keep all<CR>")
    agent.expect_lua(PENDING, 0)
    take_turn(agent, "Second")
    agent.type(":checktime<CR>Gomine<Esc>:w<CR>")
    after = ["top", *TEN[:4], "line five", *TEN[5:], "mine"]
    agent.expect_lua(LINES, after)
    head = (work / ".git/HEAD").read_text(), (work / ".git/index").read_bytes()
    ask_back(agent, 1)
    answer_back(agent)
    notes = "return vim.api.nvim_buf_get_lines(vim.fn.bufnr('notes.txt'), 0, -1, false)"
    agent.expect_lua(notes, [*TEN, "mine"])
    assert (work / "notes.txt").read_text() == join_lines([*TEN, "mine"])
    assert not (work / "gen/new.txt").exists()
    assert ((work / ".git/HEAD").read_text(), (work / ".git/index").read_bytes()) == head
    agent.type(":Acp undo turn<CR>")
    agent.expect_lua(notes, after)
    assert (work / "gen/new.txt").read_text() == "made\n"


def test_a_refused_hunk_stays_as_it_is_and_the_agent_hears_of_the_way_back(
    open_editor: Open, tmp_path: Path, work: Path
) -> None:
    editor = two_turns(open_editor, tmp_path, work, on_prompt("Third"), size=(140, 50))
    ask_back(editor, 1)
    editor.type(":cnext<CR>")
    editor.screen.expect("notes.txt (2 of 2)")
    editor.type("<C-w>t<C-w>l")
    editor.expect_lua("return vim.bo.buftype", "acwrite")
    editor.type("/line 5<CR>do")
    editor.expect_lua("return vim.fn.search('^agent$', 'nw') > 0")
    answer_back(editor)
    notes = "return vim.api.nvim_buf_get_lines(vim.fn.bufnr('notes.txt'), 0, -1, false)"
    editor.expect_lua(notes, [*TEN[:4], "agent", *TEN[5:]])
    assert not (work / "made.txt").exists()
    take_turn(editor, "Third")
    log = ScriptedAgent([], tmp_path / "agent.log")
    told = json.dumps(log.got("session/prompt")[-1]["params"]["prompt"])
    assert "gone back to before" in told
    assert "notes.txt" in told


def test_no_leaves_everything_and_makes_no_turn(open_editor: Open, tmp_path: Path, work: Path) -> None:
    editor = two_turns(open_editor, tmp_path, work)
    ask_back(editor, 2)
    expect_answerable(editor)
    editor.type(":Acp reject<CR>")
    editor.expect_lua(LEFT, [])
    assert (work / "notes.txt").read_text() == join_lines(SECOND)
    assert (editor.acp("status")["turn"], len(editor.acp("turns"))) == (2, 2)


def test_a_turn_that_runs_forbids_the_way_back(open_editor: Open, tmp_path: Path, work: Path) -> None:
    go = tmp_path / "go"
    editor = two_turns(open_editor, tmp_path, work, on_prompt("Slow", wait_file(str(go))))
    question = ask_back(editor, 2)
    editor.acp("prompt", "Slow")
    editor.wait_event("AcpTurnStarted", turn=3)
    assert editor.lua("return { require('acp_nvim').restore(1) }") == [
        None,
        "not restored: turn 3 runs, :Acp cancel ends it",
    ]
    editor.acp("answer", question["id"], "restore")
    editor.screen.expect("not restored: turn 3 has begun meanwhile")
    go.touch()
    assert editor.wait_event("AcpTurnEnded", turn=3)
    assert (work / "notes.txt").read_text() == join_lines(SECOND)


def test_back_to_before_a_turn_of_an_earlier_neovim(open_editor: Open, tmp_path: Path, work: Path) -> None:
    before = two_turns(open_editor, tmp_path, work)
    before.type(":Acp keep all<CR>")
    before.expect_lua(PENDING, 0)
    (id,) = {each["session_id"] for each in before.acp("turns")}
    before.quit()
    after = begin(
        open_editor, tmp_path, work, on_initialize(loadSession=True), on("session/load", result({}))
    )
    after.type("5Gomine<Esc>:w<CR>")
    after.acp("load", id)
    after.wait_event("AcpSessionStarted")
    ask_back(after, 1)
    answer_back(after)
    notes = "return vim.api.nvim_buf_get_lines(vim.fn.bufnr('notes.txt'), 0, -1, false)"
    after.expect_lua(notes, [*TEN[:4], "mine", *TEN[4:]])
    assert not (work / "made.txt").exists()
    after.type(":Acp undo turn<CR>")
    after.expect_lua(notes, [*SECOND[:5], "mine", *SECOND[5:]])
    assert (work / "made.txt").exists()


def test_lines_that_are_not_saved_stay(open_editor: Open, tmp_path: Path, work: Path) -> None:
    editor = two_turns(open_editor, tmp_path, work)
    editor.type("Gomine<Esc>")
    ask_back(editor, 1)
    answer_back(editor)
    notes = "return vim.api.nvim_buf_get_lines(vim.fn.bufnr('notes.txt'), 0, -1, false)"
    editor.expect_lua(notes, [*TEN, "mine"])
    assert (work / "notes.txt").read_text() in (join_lines(TEN), join_lines([*TEN, "mine"]))
    editor.type(":Acp undo turn<CR>")
    editor.expect_lua(notes, [*SECOND, "mine"])


def test_back_to_before_the_way_back(open_editor: Open, tmp_path: Path, work: Path) -> None:
    editor = two_turns(open_editor, tmp_path, work)
    notes = "return vim.api.nvim_buf_get_lines(vim.fn.bufnr('notes.txt'), 0, -1, false)"
    ask_back(editor, 2)
    answer_back(editor)
    editor.expect_lua(notes, FIRST)
    ask_back(editor, 3)
    answer_back(editor)
    editor.expect_lua(notes, SECOND)
    assert (work / "made.txt").read_text() == "one\ntwo\n"
    ask_back(editor, 1)
    answer_back(editor)
    editor.expect_lua(notes, TEN)
    assert not (work / "made.txt").exists()
    assert [each.get("restored") for each in editor.acp("turns")] == [None, None, 2, 3, 1]


def test_a_deleted_file_comes_back(open_editor: Open, tmp_path: Path, work: Path) -> None:
    (work / "old.txt").write_text("kept\nfor long\n")
    steps = on_prompt("", *run_command("rm old.txt && sed -i s/5/five/ notes.txt"))
    editor = begin(open_editor, tmp_path, work, steps)
    git(work, "add", ".")
    git(work, "commit", "-qm", "all")
    start(editor)
    take_turn(editor)
    editor.expect_lua(PENDING, 2)
    editor.type(":Acp keep all<CR>")
    editor.expect_lua(PENDING, 0)
    ask_back(editor, 1)
    answer_back(editor)
    wait_until(lambda: (work / "old.txt").exists())
    assert (work / "old.txt").read_text() == "kept\nfor long\n"
    assert (work / "notes.txt").read_text() == join_lines(TEN)


def test_later_turns_of_other_sessions_go_as_well_and_their_agents_hear_of_it(
    open_editor: Open, tmp_path: Path, work: Path
) -> None:
    steps = (
        on_prompt("One", write(NOTES, join_lines(["one", *TEN]))),
        on_prompt("Two", *read_and_edit(NOTES, write_file(NOTES, join_lines(["one", *TEN, "two"])))),
        on_prompt("Next"),
    )
    editor = begin(open_editor, tmp_path, work, *steps)
    for number, words in ((1, "One"), (1, "Next"), (2, "Two")):
        if editor.acp("status", {"session": number}) is None:
            start(editor)
        editor.acp("prompt", words, {"session": number})
        editor.wait_event("AcpTurnEnded", session=number)
    editor.expect_lua(LINES, ["one", *TEN, "two"])
    editor.expect_lua("return #require('acp_nvim').turns({ session = 2 })[1].files", 1)
    editor.acp("restore", 1, {"session": 1})
    (question,) = editor.expect_lua(LEFT, lambda found: len(found) == 1)
    assert question["session"] == 1
    editor.expect_lua("return vim.b.acp_question", question["id"])
    answer_back(editor)
    notes = "return vim.api.nvim_buf_get_lines(vim.fn.bufnr('notes.txt'), 0, -1, false)"
    editor.expect_lua(notes, TEN)
    editor.acp("prompt", "Next", {"session": 2})
    editor.wait_event("AcpTurnEnded", session=2)
    log = ScriptedAgent([], tmp_path / "agent.log")
    assert "gone back to before" in json.dumps(log.got("session/prompt")[-1]["params"]["prompt"])
