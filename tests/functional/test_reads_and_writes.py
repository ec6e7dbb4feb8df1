"""The agent reads and writes through the editor: unsaved text, merged edits, conflicts, the boundary, following."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import on_prompt, say, script, tool, wait_file, wait_until
from tests.functional.editor import Editor
from tests.steps.conversation import expect_answerable, expect_key
from tests.steps.files import LINES, NOTES, cause_conflict, get_answers, open_notes, read, write

Open = Callable[..., Editor]


@pytest.mark.backends
@pytest.mark.statement(96)
def test_the_agent_reads_what_the_user_sees(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", read("{cwd}/notes.txt"), read("{cwd}/other.txt", line=2, limit=1)))
    editor = open_notes(open_editor, agent)
    (editor.project / "other.txt").write_text("a\nb\nc\n")
    editor.type("ccunsaved<Esc>")
    editor.acp("prompt", "read")
    editor.wait_event("AcpTurnEnded")
    assert get_answers(agent) == [{"content": "unsaved\ntwo\nthree\n"}, {"content": "b\n"}]
    assert editor.lua("return vim.fn.bufnr('other.txt')") == -1
    assert [Path(data["path"]).name for _, data in editor.events("AcpFileRead")] == ["notes.txt", "other.txt"]


@pytest.mark.statement(102)
def test_a_write_into_a_clean_buffer_is_saved_and_one_undo_step(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", write("{cwd}/notes.txt", "one\nTWO\nthree\nfour\n")))
    editor = open_notes(open_editor, agent)
    editor.type("jjma")
    editor.acp("prompt", "write")
    editor.wait_event("AcpTurnEnded")
    assert (editor.project / "notes.txt").read_text() == "one\nTWO\nthree\nfour\n"
    assert editor.lua(LINES) == ["one", "TWO", "three", "four"]
    places = "vim.fn.line('.'), vim.fn.line(\"'a\")"
    assert editor.lua(f"return {{{places}, vim.bo.modified, vim.api.nvim_get_mode().blocking}}") == [
        3,
        3,
        False,
        False,
    ]
    editor.type("u")
    assert editor.lua(LINES) == ["one", "two", "three"]
    assert editor.events("AcpFileWritten")


@pytest.mark.parametrize("keys", ["", "ggAmine<Esc>"])
@pytest.mark.parametrize(("first", "second"), [("", ""), ("\n", "\n"), ("", "\n"), ("\n", "")])
def test_the_last_line_ends_as_the_agent_ends_it(
    open_editor: Open, tmp_path: Path, keys: str, first: str, second: str
) -> None:
    """Loaded, under 'fixendofline', with unsaved changes or without."""
    new = f"one{keys and 'mine'}\nTWO{second}"
    agent = script(tmp_path, on_prompt("", read(NOTES), write(NOTES, new), read(NOTES)))
    editor = open_notes(open_editor, agent, text=f"one\ntwo{first}")
    editor.type(keys)
    editor.expect_lua("return vim.bo.modified", bool(keys))
    editor.acp("prompt", "write")
    editor.wait_event("AcpTurnEnded")
    before, _, after = get_answers(agent)
    assert before == {"content": f"one{keys and 'mine'}\ntwo{first}"}
    assert after == {"content": new}
    assert (editor.project / "notes.txt").read_text() == new
    assert editor.lua("return vim.bo.fixendofline")


def test_a_line_typed_into_a_file_that_the_agent_has_emptied_ends(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("empty", write(NOTES, "")), on_prompt("read", read(NOTES)))
    editor = open_notes(open_editor, agent, text="one\n")
    editor.acp("prompt", "empty")
    editor.wait_event("AcpTurnEnded", turn=1)
    assert (editor.project / "notes.txt").read_text() == ""
    editor.type("imine<Esc>")
    editor.expect_lua(LINES, ["mine"])
    editor.acp("prompt", "read")
    editor.wait_event("AcpTurnEnded", turn=2)
    assert get_answers(agent)[-1] == {"content": "mine\n"}


@pytest.mark.statement(103)
def test_unsaved_lines_survive_a_write_elsewhere_in_insert_mode(open_editor: Open, tmp_path: Path) -> None:
    go = tmp_path / "go"
    agent = script(
        tmp_path,
        on_prompt(
            "", read("{cwd}/notes.txt"), wait_file(str(go)), write("{cwd}/notes.txt", "one\ntwo\nTHREE\n")
        ),
    )
    editor = open_notes(open_editor, agent)
    editor.acp("prompt", "write")
    wait_until(lambda: get_answers(agent))
    editor.type("ggOmine ")
    editor.expect_lua("return vim.fn.getline(1)", "mine ")
    go.touch()
    editor.wait_event("AcpTurnEnded")
    editor.type("own")
    editor.expect_lua(LINES, ["mine own", "one", "two", "THREE"])
    assert editor.lua("return vim.fn.mode()") == "i"
    assert (editor.project / "notes.txt").read_text() == "mine \none\ntwo\nTHREE\n"


@pytest.mark.statement(103)
@pytest.mark.parametrize(("command", "line"), [("accept", "agent's"), ("reject", "user's")])
def test_only_the_user_decides_a_conflict(open_editor: Open, tmp_path: Path, command: str, line: str) -> None:
    editor, agent = cause_conflict(open_editor, tmp_path)
    expect_answerable(editor)
    editor.type(f":Acp {command}<CR>")
    editor.wait_event("AcpTurnEnded")
    assert editor.lua(LINES) == ["one", line, "three"]
    written = get_answers(agent)[1]
    assert written.get("code") == (None if command == "accept" else -32603)


@pytest.mark.parametrize("command", ["w", "Acp accept"])
def test_a_conflict_is_merged_by_hand(open_editor: Open, tmp_path: Path, command: str) -> None:
    editor, _ = cause_conflict(open_editor, tmp_path)
    expect_answerable(editor)
    editor.type(":Acp answer merge<CR>")
    editor.screen.expect("what will be saved")
    editor.type(f":%s/agent's/both'<CR>:{command}<CR>")
    editor.wait_event("AcpTurnEnded")
    assert editor.lua(LINES) == ["one", "both'", "three"]
    assert (editor.project / "notes.txt").read_text() == "one\nboth'\nthree\n"
    assert editor.lua("return #vim.api.nvim_list_tabpages()") == 1


@pytest.mark.statement(103)
def test_a_cancelled_conflict_writes_nothing(open_editor: Open, tmp_path: Path) -> None:
    editor, agent = cause_conflict(open_editor, tmp_path)
    editor.type(":Acp cancel<CR>")
    editor.wait_event("AcpTurnEnded")
    assert get_answers(agent)[1]["code"] == -32603
    assert (editor.project / "notes.txt").read_text() == "one\ntwo\nthree\n"


@pytest.mark.statement(107)
def test_outside_the_roots_the_user_is_asked(open_editor: Open, tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("secret\n")
    agent = script(
        tmp_path, on_prompt("", read(str(outside)), read(str(outside)), read(str(tmp_path / "none")))
    )
    editor = open_notes(open_editor, agent, size=(140, 40))
    editor.type(":Acp<CR>")
    editor.acp("prompt", "read")
    editor.wait_event("AcpQuestion")
    editor.screen.expect("outside.txt")
    assert [option["id"] for option in editor.acp("questions")[0]["options"]] == ["once", "folder", "no"]
    expect_answerable(editor)
    editor.type(":Acp accept<CR>")
    editor.wait_event("AcpQuestion")
    expect_key(editor, "g1")
    editor.type(":Acp reject<CR>")
    editor.wait_event("AcpTurnEnded")
    first, second, third = get_answers(agent)
    assert first == {"content": "secret\n"}
    assert (second["code"], third["code"]) == (-32002, -32002)


@pytest.mark.statement(118, 119)
def test_following_shows_where_the_agent_is_and_never_takes_the_focus(
    open_editor: Open, tmp_path: Path
) -> None:
    place = [{"path": "{cwd}/other.txt", "line": 3}]
    agent = script(
        tmp_path, on_prompt("", tool("r", title="Read", kind="read", status="completed", locations=place))
    )
    editor = open_notes(open_editor, agent)
    (editor.project / "other.txt").write_text("".join(f"line {n}\n" for n in range(1, 9)))
    editor.type(":Acp follow<CR>:Acp<CR>ityping ")
    editor.expect_lua("return require('acp_nvim').status().following")
    editor.acp("prompt", "look")
    located = editor.wait_event("AcpLocation")
    assert (Path(located["path"]).name, located["line"]) == ("other.txt", 3)
    editor.screen.expect("line 3")
    editor.type("on")
    editor.expect_lua("return vim.fn.getline('.')", "typing on")
    assert editor.lua("return vim.fn.mode()") == "i"
    editor.type("<Esc>:Acp follow off<CR>")
    editor.expect_lua("return require('acp_nvim').status().following", False)


@pytest.mark.statement(104)
def test_a_file_that_changed_on_disk_meanwhile_is_merged_where_disjoint(
    open_editor: Open, tmp_path: Path
) -> None:
    go = tmp_path / "go"
    agent = script(tmp_path, on_prompt("", wait_file(str(go)), write("{cwd}/notes.txt", "one\ntwo\nTHREE\n")))
    editor = open_notes(open_editor, agent)
    editor.acp("prompt", "write")
    wait_until(lambda: agent.got("session/prompt"))
    (editor.project / "notes.txt").write_text("ONE\ntwo\nthree\n")
    go.touch()
    editor.wait_event("AcpTurnEnded")
    assert editor.acp("questions") == []
    assert (editor.project / "notes.txt").read_text() == "ONE\ntwo\nTHREE\n"
    editor.expect_lua(LINES, ["ONE", "two", "THREE"])
    assert not editor.lua("return vim.api.nvim_get_mode().blocking")


@pytest.mark.statement(101)
def test_a_new_file_is_made_with_its_folders(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", write("{cwd}/new/deep/file.txt", "hello")))
    editor = open_notes(open_editor, agent)
    editor.acp("prompt", "write")
    editor.wait_event("AcpTurnEnded")
    assert (editor.project / "new/deep/file.txt").read_bytes() == b"hello"


@pytest.mark.statement(106)
def test_what_cannot_be_written_is_an_error_and_leaves_the_buffer_as_it_was(
    open_editor: Open, tmp_path: Path
) -> None:
    agent = script(
        tmp_path,
        on_prompt("", write("{cwd}/notes.txt", "other\n"), write("{cwd}", "a folder"), say("went on")),
    )
    editor = open_notes(open_editor, agent)
    editor.type(":setlocal readonly<CR>")
    editor.acp("prompt", "write")
    editor.wait_event("AcpTurnEnded")
    assert [answer["code"] < 0 for answer in get_answers(agent)] == [True, True]
    assert editor.lua(LINES) == ["one", "two", "three"]
    assert editor.lua("return vim.bo.modified") is False


def test_while_neovim_waits_for_a_key_reads_come_from_the_disk(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", read("{cwd}/notes.txt")))
    editor = open_notes(open_editor, agent)
    editor.acp("prompt", "read")
    editor.ask("nvim_input", ":echo 'a' | echo 'b' | echo 'c'<CR>:call getchar()<CR>")
    wait_until(lambda: get_answers(agent))
    assert get_answers(agent) == [{"content": "one\ntwo\nthree\n"}]
    editor.ask("nvim_input", "<CR><CR>")
    editor.wait_event("AcpTurnEnded")


@pytest.mark.alone
def test_a_large_file_is_read_without_stalling_the_editor(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", *[read("{cwd}/notes.txt") for _ in range(10)]))
    editor = open_notes(open_editor, agent, text="a line of text that is long enough\n" * 100_000)
    waits = []
    for turn in (1, 2, 3):  # the best of three: others may need the machine, too
        with editor.second_client() as probe:
            editor.acp("prompt", "read")
            editor.wait_event("AcpTurnEnded", timeout=30)
        assert len(get_answers(agent)) == 10 * turn
        waits.append(probe.percentile(99))
    assert min(waits) < 10


@pytest.mark.parametrize("command", ["cancel", "stop"])
def test_a_merge_that_nobody_waits_for_any_more_stays_in_a_buffer(
    open_editor: Open, tmp_path: Path, command: str
) -> None:
    editor, _ = cause_conflict(open_editor, tmp_path)
    expect_answerable(editor)
    editor.type(":Acp answer merge<CR>")
    editor.screen.expect("what will be saved")
    editor.type(":%s/agent's/both'<CR>")
    editor.acp("cancel") if command == "cancel" else editor.type(":Acp stop<CR>")
    editor.wait_event("AcpTurnEnded")
    editor.screen.expect("the question is gone")
    kept = """return vim.iter(vim.api.nvim_list_bufs()):any(function(buf)
      return vim.deep_equal(vim.api.nvim_buf_get_lines(buf, 0, -1, false), { "one", "both'", "three" })
    end)"""
    editor.expect_lua(kept)
    assert (editor.project / "notes.txt").read_text() == "one\ntwo\nthree\n"


def test_what_is_typed_into_a_merge_is_the_user_s(open_editor: Open, tmp_path: Path) -> None:
    """The user has changed and closed the file since the agent has read it: no buffer has it."""
    go, other = tmp_path / "go", "{cwd}/other.txt"
    steps = [read(other), wait_file(str(go)), write(other, "one\nagent's\nthree\n")]
    agent = script(tmp_path, on_prompt("", *steps))
    editor = open_notes(open_editor, agent, size=(140, 40))
    (editor.project / "other.txt").write_text("one\ntwo\nthree\n")
    editor.acp("prompt", "write")
    wait_until(lambda: get_answers(agent))
    editor.type(":edit other.txt<CR>jccuser's<Esc>:w<CR>:bwipeout<CR>")
    editor.expect_lua("return vim.fn.bufexists('other.txt')", 0)
    go.touch()
    editor.wait_event("AcpQuestion")
    editor.type(":Acp<CR><C-w>t")
    expect_answerable(editor)
    editor.type(":Acp answer merge<CR>")
    editor.screen.expect("what will be saved")
    editor.type(":%s/user's/agent's/e<CR>Gotyped<Esc>:w<CR>")
    editor.wait_event("AcpTurnEnded")
    assert (editor.project / "other.txt").read_text() == "one\nagent's\nthree\ntyped\n"
    editor.expect_lua("return #require('acp_nvim').changes()", 1)
    assert [hunk["new"] for hunk in editor.acp("changes")[0]["hunks"]] == [["agent's"]]
    editor.type(":Acp undo all<CR>")
    wait_until(lambda: (editor.project / "other.txt").read_text() == "one\nuser's\nthree\ntyped\n")


def test_leaving_a_merge_decides_nothing_and_it_opens_again(open_editor: Open, tmp_path: Path) -> None:
    editor, _ = cause_conflict(open_editor, tmp_path)
    windows = "return #vim.api.nvim_list_wins()"
    before = editor.lua(windows)
    for _ in range(2):
        expect_answerable(editor)
        editor.type(":Acp answer merge<CR>")
        editor.expect_lua(windows, before + 2)
        editor.screen.expect("what will be saved")
        editor.type(":q<CR>")
        editor.expect_lua(windows, before)
        editor.expect_lua("return #require('acp_nvim').questions()", 1)
    expect_answerable(editor)
    editor.type(":Acp answer merge<CR>")
    editor.expect_lua(windows, before + 2)
    editor.type(":Acp cancel<CR>")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(windows, before)


def test_a_write_is_told_before_the_agent_has_its_answer(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", write("{cwd}/notes.txt", "changed\n")))
    init = """vim.api.nvim_create_autocmd('User', { pattern = 'AcpFileWritten', callback = function(args)
      vim.g.written = table.concat(vim.fn.readfile(args.data.path))
    end })"""
    editor = open_notes(open_editor, agent, init=init)
    editor.acp("prompt", "write")
    wait_until(lambda: get_answers(agent))
    assert editor.lua("return vim.g.written") == "changed"


@pytest.mark.parametrize("name", ["notes.txt", "other.txt"], ids=["loaded", "not loaded"])
def test_a_write_is_told_once(open_editor: Open, tmp_path: Path, name: str) -> None:
    agent = script(tmp_path, on_prompt("", write(f"{{cwd}}/{name}", "changed\n")))
    editor = open_notes(open_editor, agent)
    editor.acp("prompt", "write")
    editor.wait_event("AcpTurnEnded")
    told = [data for _, data in editor.events("AcpFileWritten")]
    assert told == [{"session": 1, "path": str(editor.project / name)}]


def test_who_hears_of_a_write_may_send_a_prompt_at_once(open_editor: Open, tmp_path: Path) -> None:
    """It goes out while Neovim has not yet told the backend that it has saved the file."""
    agent = script(
        tmp_path, on_prompt("write", write("{cwd}/notes.txt", "changed\n")), on_prompt("", say("Checked."))
    )
    init = """vim.api.nvim_create_autocmd('User', { pattern = 'AcpFileWritten', callback = function()
      require('acp_nvim').prompt('check it')
    end })"""
    editor = open_notes(open_editor, agent, init=init)
    editor.acp("prompt", "write")
    for turn in (1, 2):
        editor.wait_event("AcpTurnEnded", turn=turn, stop_reason="end_turn")


def test_a_conflict_shows_both_versions_in_the_chat(open_editor: Open, tmp_path: Path) -> None:
    editor, _ = cause_conflict(open_editor, tmp_path)
    editor.screen.expect("-user's")
    editor.screen.expect("+agent's")


@pytest.mark.parametrize("keys", [":only<CR>", "<C-w>o"])
def test_the_last_window_of_a_merge_shows_a_file_of_the_user_s(
    open_editor: Open, tmp_path: Path, keys: str
) -> None:
    editor, _ = cause_conflict(open_editor, tmp_path)
    expect_answerable(editor)
    editor.type(":Acp answer merge<CR>")
    editor.screen.expect("what will be saved")
    editor.type(":%s/agent's/both'<CR>" + keys)
    editor.expect_lua("return #vim.api.nvim_list_wins()", 1)
    editor.expect_lua("return vim.fs.basename(vim.api.nvim_buf_get_name(0))", "notes.txt")
    editor.screen.expect("not decided yet")
    assert editor.lua("return vim.wo.diff") is False
    assert len(editor.acp("questions")) == 1
    expect_answerable(editor)
    editor.type(":Acp answer 3<CR>")
    editor.type(":Acp answer 3<CR>")
    editor.screen.expect("what will be saved")
    editor.screen.expect("both'")


def test_following_can_be_asked_for_while_the_agent_starts(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path)
    editor = open_editor(setup={"agents": {"mine": {"command": agent.argv[0], "args": agent.argv[1:]}}})
    (editor.project / "notes.txt").write_text("one\n")
    editor.type(":edit notes.txt<CR>:Acp<CR>:Acp follow<CR>")
    editor.wait_event("AcpSessionStarted")
    editor.expect_lua("return require('acp_nvim').status().following")


@pytest.mark.parametrize("is_loaded", [True, False])
def test_what_another_program_wrote_before_a_merge_is_no_agent_s(
    open_editor: Open, tmp_path: Path, is_loaded: bool
) -> None:
    """Whether or not a buffer holds the file, which another program has changed since the agent read it."""
    go, path = tmp_path / "go", "{cwd}/other.txt"
    steps = read(path), wait_file(str(go)), write(path, "one\nagent's\nthree\n")
    editor = open_notes(open_editor, script(tmp_path, on_prompt("", *steps)), size=(140, 40))
    file = editor.project / "other.txt"
    file.write_text("one\ntwo\nthree\n")
    if is_loaded:
        editor.type(":edit other.txt<CR>")
        editor.expect_lua(LINES, ["one", "two", "three"])
    editor.type(":Acp<CR><C-w>t")
    editor.acp("prompt", "write")
    editor.wait_event("AcpFileRead", path=str(file))
    file.write_text("one\nits\nthree\n")
    go.touch()
    editor.wait_event("AcpQuestion")
    editor.screen.expect("conflict in other.txt")
    expect_answerable(editor)
    editor.type(":Acp answer merge<CR>")
    editor.screen.expect("what will be saved")
    editor.type("/agent<CR>otyped<Esc>:w<CR>")
    editor.wait_event("AcpTurnEnded")
    assert file.read_text() == "one\nagent's\ntyped\nthree\n"
    assert [hunk["new"] for each in editor.acp("changes") for hunk in each["hunks"]] == [["agent's"]]
    editor.type(":Acp undo turn<CR>")
    editor.screen.expect("undone: 1 change in other.txt")
    assert file.read_text() == "one\nits\ntyped\nthree\n"
