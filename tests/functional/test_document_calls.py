"""What the backend reads and writes through the editor, called as the backend calls it, in a real Neovim."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.functional.editor import Editor
from tests.steps.conversation import expect_answerable
from tests.steps.documents import (
    KEPT,
    PLACES,
    TEN,
    Edits,
    edit_and_save,
    expect_rest,
    look_at,
    open_ten,
    open_text,
    read_lines,
    read_state,
)

# Looking


def test_looking_loads_nothing(editor: Editor) -> None:
    path = editor.project / "a.txt"
    path.write_text("x\n")
    before = editor.lua("return #vim.api.nvim_list_bufs()")
    assert look_at(editor, path) is None
    editor.lua("vim.fn.bufadd(...)", str(path))
    assert look_at(editor, path) is None
    assert editor.lua("return #vim.api.nvim_list_bufs()") == before + 1


def test_an_unmodified_buffer_is_plain_and_a_modified_one_brings_its_lines(editor: Editor) -> None:
    path = open_text(editor, "one\ntwo\n")
    seen = look_at(editor, path)
    assert seen["plain"]
    assert (seen["modified"], seen["count"], seen["ff"], seen["final"], seen["bomb"]) == (
        False,
        2,
        "unix",
        True,
        False,
    )
    editor.type("Ozero<Esc>")
    seen = look_at(editor, path)
    assert (seen["plain"], seen["modified"], seen["lines"]) == (False, True, ["zero", "one", "two"])


KINDS: list[tuple[bytes, dict[str, Any]]] = [
    (b"a\r\nb\r\n", {"ff": "dos", "final": True, "plain": True}),
    (b"\xef\xbb\xbfa\n", {"bomb": True, "final": True}),
    (b"caf\xe9\n", {"fenc": "latin1", "plain": False, "lines": ["café"]}),
    (b"a", {"final": False}),
    (b"", {"final": False, "count": 1}),
    (b"\n", {"final": True, "count": 1}),
]


def test_what_kind_of_text_it_is(editor: Editor) -> None:
    for number, (text, expected) in enumerate(KINDS):
        seen = look_at(editor, open_text(editor, text, f"{number}.txt"))
        assert expected.items() <= seen.items(), text


@pytest.mark.parametrize("fix", [True, False])
def test_the_file_says_whether_its_text_ends_a_line(editor: Editor, fix: bool) -> None:
    """Also after a `:w` of the user has ended it: 'endofline' stays off then."""
    editor.lua("vim.o.fixendofline = ...", fix)
    path = open_text(editor, "a")
    assert look_at(editor, path)["final"] is False
    expect_answerable(editor)
    editor.type("Ab<Esc>:w<CR>Ac<Esc>")
    editor.expect_lua("return vim.bo.modified and vim.fn.getline(1) == 'abc'")
    assert path.read_text() == ("ab\n" if fix else "ab")
    assert look_at(editor, path)["final"] is fix


def test_symlinks_lead_to_the_same_buffer(editor: Editor) -> None:
    path = open_text(editor, "a\n", "real.txt")
    (editor.project / "link.txt").symlink_to(path)
    (editor.project / "here").symlink_to(editor.project)
    assert look_at(editor, editor.project / "link.txt")["buf"] == look_at(editor, path)["buf"]
    assert look_at(editor, editor.project / "here" / "real.txt")["buf"] == look_at(editor, path)["buf"]


def test_a_new_file_s_buffer_is_found_before_there_is_a_file(editor: Editor) -> None:
    path = editor.project / "sub" / "new.txt"
    editor.lua("vim.cmd.edit(...)", str(path))
    assert look_at(editor, path)["count"] == 1


def test_a_buffer_that_only_bears_the_name_is_not_the_file(editor: Editor) -> None:
    path = open_text(editor, "a\n")
    for kind in ("nofile", "nowrite", "help"):
        editor.lua("vim.bo.buftype = ...", kind)
        assert look_at(editor, path) is None


# Applying


def test_a_write_is_saved_and_is_one_undo_step(editor: Editor) -> None:
    path = open_ten(editor)
    answer = edit_and_save(editor, path, [[0, 1, ["first"]], [4, 4, ["new", "newer"]], [8, 10, []]])
    wanted = ["first", *TEN[1:4], "new", "newer", *TEN[4:8]]
    assert answer["ok"]
    assert read_lines(editor, path) == wanted
    assert path.read_text() == "\n".join(wanted) + "\n"
    assert look_at(editor, path)["plain"]
    editor.type("u")
    editor.expect_lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)", TEN)
    editor.type("<C-r>")
    editor.expect_lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)", wanted)
    expect_rest(editor)


def test_unsaved_lines_are_saved_along(editor: Editor) -> None:
    path = open_ten(editor)
    editor.type("ggOmine<Esc>")
    editor.expect_lua("return vim.api.nvim_buf_line_count(0)", 11)
    assert edit_and_save(editor, path, [[10, 11, ["theirs"]]])["ok"]
    assert path.read_text().split("\n") == ["mine", *TEN[:9], "theirs", ""]


def test_while_the_user_types_in_that_buffer(editor: Editor) -> None:
    """`u` takes back what was typed since, then only the agent's change, then only the user's."""
    path = open_ten(editor)
    editor.type("5GA mine")
    editor.expect_lua("return vim.api.nvim_get_current_line()", "line 5 mine")
    assert edit_and_save(editor, path, [[0, 0, ["theirs"]], [9, 10, ["line ten"]]])["ok"]
    assert editor.mode()["mode"] == "i"
    editor.type(" too")
    editor.expect_lua("return vim.api.nvim_get_current_line()", "line 5 mine too")
    assert editor.lua("return vim.api.nvim_win_get_cursor(0)") == [6, 15]
    editor.type("<Esc>")
    theirs = ["theirs", *TEN[:4], "line 5 mine", *TEN[5:9], "line ten"]
    history = []
    for _ in range(3):
        editor.type("u")
        history.append(editor.lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)"))
    mine = [*TEN[:4], "line 5 mine", *TEN[5:]]
    assert history == [theirs, mine, TEN]
    editor.type("3<C-r>")
    theirs[5] = "line 5 mine too"
    editor.expect_lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)", theirs)


def test_many_writes_while_the_user_types_in_that_buffer(editor: Editor) -> None:
    path = open_text(editor, "\n\n")
    editor.type("Gi")
    for n in range(100):
        editor.type(f"word{n} ")
        assert edit_and_save(editor, path, [[0, 0, [f"theirs {n}"]]])["ok"]
    typed = "".join(f"word{n} " for n in range(100))
    theirs = [f"theirs {n}" for n in range(99, -1, -1)]
    editor.expect_lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)", [*theirs, "", typed])
    assert editor.mode() == {"mode": "i", "blocking": False}


def test_a_change_within_the_line_where_the_user_types(editor: Editor) -> None:
    path = open_text(editor, "alpha beta gamma\n")
    editor.type("0wi")
    editor.expect_lua("return vim.api.nvim_get_mode().mode", "i")
    assert edit_and_save(editor, path, [[0, 1, ["ALPHABET beta GAMMA"]]])["ok"]
    editor.type("my ")
    editor.expect_lua("return vim.api.nvim_get_current_line()", "ALPHABET my beta GAMMA")


@pytest.mark.parametrize("mode", ["n", "i", "v"])
def test_everything_keeps_its_place(editor: Editor, mode: str) -> None:
    """Two windows, folds, marks, jumps and another plugin's extmarks, in the lines around and in those changed."""
    hundred = [f"line {n} of it" for n in range(1, 101)]
    path = open_text(editor, "\n".join(hundred) + "\n")
    editor.type("40GA<Esc>70Gx u")
    editor.lua(PLACES, str(path))
    editor.type({"n": "", "i": "i", "v": "v"}[mode])
    editor.expect_lua("return vim.api.nvim_get_mode().mode", mode)
    before = editor.lua(KEPT, str(path))
    edits: Edits = [
        [1, 2, ["line 2 of it, changed"]],
        [4, 4, ["new", "lines"]],
        [9, 10, ["line 10 of it"]],
        [14, 17, []],
        [19, 20, ["line 20 of it!", "and more"]],
        [39, 41, ["line 40 of it now", "line 41 of it now"]],
        [59, 60, ["line 60 of it now"]],
        [80, 100, ["the end"]],
    ]
    assert edit_and_save(editor, path, edits)["ok"]
    editor.lua("vim.cmd.redraw()")
    after = editor.lua(KEPT, str(path))
    changed = {"line 2 of it, changed": 2, "line 20 of it!": 20}

    def original(value: Any) -> Any:
        if isinstance(value, list):
            return [original(item) for item in value]
        if isinstance(value, str):
            return f"line {changed[value]} of it" if value in changed else value.removesuffix(" now")
        return value

    assert {key: original(value) for key, value in after.items()} == before
    expect_rest(editor)


@pytest.mark.parametrize("mode", ["n", "i"])
def test_a_failed_write_leaves_everything_as_it_was(editor: Editor, mode: str) -> None:
    """Also what the user had undone can still be redone."""
    path = open_ten(editor)
    editor.type("ggdd3Gddu")
    editor.type("3G4l" + ("i" if mode == "i" else ""))
    editor.expect_lua("return vim.api.nvim_get_mode().mode", mode)
    editor.lua(
        "vim.api.nvim_create_autocmd('BufWritePre', { command = 'call append(0, \"more\") | echoerr \"no\"' })"
    )
    before = read_state(editor, path)
    answer = edit_and_save(editor, path, [[0, 1, ["theirs"]], [5, 5, ["too"]]], final=False, ff="dos")
    assert "no" in answer["error"]
    assert "\n" not in answer["error"]
    assert read_state(editor, path) == before
    assert path.read_text() == "\n".join(TEN) + "\n"
    editor.type("<Esc><C-r>")
    editor.expect_lua("return vim.api.nvim_buf_line_count(0)", 8)
    expect_rest(editor)


def as_directory(editor: Editor, path: Path) -> None:
    path.unlink()
    path.mkdir()


def without_its_folder(editor: Editor, path: Path) -> None:
    path.unlink()
    path.parent.rmdir()


def as_pipe(editor: Editor, path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def option(code: str) -> Callable[[Editor, Path], None]:
    return lambda editor, path: editor.lua(code)


BROKEN = "vim.api.nvim_create_autocmd('BufWritePre', { callback = function() error('broken\\nhere') end })"


SPOILT = [
    (as_directory, "E502"),
    (without_its_folder, "E212"),
    (as_pipe, "E503"),
    (option("vim.bo.readonly = true"), "E45"),
    (option("vim.bo.modifiable = false"), "E21"),
    (option("vim.o.write = false"), "E142"),
    (option("vim.bo.buftype = 'acwrite'"), "E676"),
    (option(BROKEN), "broken here"),
]


@pytest.mark.parametrize("levels", [1000, -1])
def test_why_a_write_fails(editor: Editor, levels: int) -> None:
    editor.lua("vim.go.undolevels = ...", levels)
    for number, (spoil, why) in enumerate(SPOILT):
        (editor.project / f"sub{number}").mkdir()
        path = open_text(editor, "a\nb\n", f"sub{number}/a.txt")
        editor.type("Amine<Esc>")
        editor.expect_lua("return vim.bo.modified and vim.api.nvim_get_mode().mode == 'n'")
        spoil(editor, path)
        before = read_state(editor, path)
        answer = edit_and_save(editor, path, [[0, 1, ["theirs"]]])
        assert why in answer["error"]
        assert "\n" not in answer["error"]
        assert read_state(editor, path) == before
        expect_rest(editor)
        editor.lua("vim.o.write = true")


def test_a_scratch_buffer_is_not_written(editor: Editor) -> None:
    path = open_text(editor, "a\n")
    editor.lua("vim.bo.buftype = 'nofile'")
    code = "return require('acp_nvim.documents.edit_and_save').run(0, { { 0, 1, { 'b' } } }, {})"
    assert "E382" in editor.lua(code)["error"]
    assert read_lines(editor, path) == ["a"]


def test_what_the_user_s_formatter_makes_of_it_is_told_and_is_in_the_same_step(editor: Editor) -> None:
    path = open_ten(editor)
    editor.lua("vim.api.nvim_create_autocmd('BufWritePre', { command = '%s/theirs/formatted/e' })")
    answer = edit_and_save(editor, path, [[0, 1, ["theirs"]]])
    assert answer["saved"]["text"]["lines"] == ["formatted", *TEN[1:]]
    assert path.read_text().startswith("formatted\n")
    editor.type("u")
    editor.expect_lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)", TEN)


def test_autocommands_run_only_where_they_are_wanted(editor: Editor) -> None:
    path = open_text(editor, "a\n")
    editor.lua(
        "ran = {} vim.cmd([[au BufWritePre,BufWritePost * lua table.insert(ran, vim.fn.expand('<amatch>'))]])"
    )
    assert edit_and_save(editor, path, [[0, 1, ["b"]]], autocmds=False)["ok"]
    assert editor.lua("return ran") == []
    assert edit_and_save(editor, path, [[0, 1, ["c"]]])["ok"]
    assert editor.lua("return ran") == [str(path), str(path)]


def test_an_autocommand_that_fails_after_the_save_is_only_told(editor: Editor) -> None:
    path = open_text(editor, "a\n")
    editor.lua("vim.api.nvim_create_autocmd('BufWritePost', { callback = function() error('late') end })")
    answer = edit_and_save(editor, path, [[0, 1, ["b"]]])
    assert answer["ok"]
    assert "late" in answer["warning"]
    assert path.read_text() == "b\n"
    assert look_at(editor, path)["modified"] is False


def test_an_autocommand_that_unloads_the_buffer(editor: Editor) -> None:
    path = open_text(editor, "a\n")
    editor.lua("vim.cmd.enew() vim.api.nvim_create_autocmd('BufWritePre', { command = 'bunload! a.txt' })")
    assert edit_and_save(editor, path, [[0, 1, ["b"]]])["error"]
    expect_rest(editor)


def test_the_decided_text_wins_over_a_disk_that_changed(editor: Editor) -> None:
    path = open_text(editor, "a\nb\n")
    path.write_text("outside\n")
    assert edit_and_save(editor, path, [[1, 2, ["merged"]]])["ok"]
    assert path.read_text() == "a\nmerged\n"
    expect_rest(editor)
    expect_answerable(editor)
    editor.type("Amore<Esc>:w<CR>")
    editor.expect_lua("return vim.bo.modified", False)
    assert path.read_text() == "amore\nmerged\n"


def test_a_hidden_unlisted_buffer_moves_no_window(editor: Editor) -> None:
    path = open_text(editor, "a\n")
    editor.lua("vim.bo.buflisted = false vim.cmd.edit('other.txt')")
    windows = editor.lua("return { vim.api.nvim_list_wins(), vim.fn.bufnr('%'), vim.fn.bufnr('#') }")
    assert edit_and_save(editor, path, [[0, 1, ["b"]]])["ok"]
    assert editor.lua("return { vim.api.nvim_list_wins(), vim.fn.bufnr('%'), vim.fn.bufnr('#') }") == windows
    assert path.read_text() == "b\n"
    assert editor.lua("return vim.bo[vim.fn.bufnr(...)].buflisted", str(path)) is False
    expect_rest(editor)


def test_a_swap_file_in_the_way_asks_nothing(editor: Editor) -> None:
    """A buffer that was opened read-only makes its swap file with its first change."""
    editor.lua("vim.o.updatecount = 200 vim.o.directory = '.'")
    (editor.project / ".a.txt.swp").write_bytes(b"b0nano" + b"\0" * 4090)
    path = open_text(editor, "a\n", command="view")
    editor.lua("vim.bo.readonly = false")
    assert edit_and_save(editor, path, [[0, 1, ["b"]]])["ok"]
    assert path.read_text() == "b\n"
    assert editor.lua("return vim.o.shortmess:find('A')") is None
    expect_rest(editor)


BYTES: list[tuple[bytes, Edits, dict[str, Any], bytes]] = [
    (b"a\r\nb\r\n", [[1, 2, ["c"]]], {}, b"a\r\nc\r\n"),
    (b"\xef\xbb\xbfa\n", [[1, 1, ["b"]]], {}, b"\xef\xbb\xbfa\nb\n"),
    (b"caf\xe9\n", [[1, 1, ["th\u00e9"]]], {}, b"caf\xe9\nth\xe9\n"),
    (b"a", [[0, 1, ["b"]]], {"final": False}, b"b"),
    (b"a", [[0, 1, ["b"]]], {}, b"b\n"),
    (b"a\n", [[0, 1, ["b"]]], {"final": False}, b"b"),
    (b"a", [[0, 1, ["b"]]], {"final": True}, b"b\n"),
    (b"a\n", [], {"ff": "dos"}, b"a\r\n"),
    (b"a\n", [], {"bomb": True}, b"\xef\xbb\xbfa\n"),
    (b"a\n", [[0, 1, []]], {}, b""),
    (b"\n", [[0, 1, []]], {}, b""),
    (b"\n", [], {"final": False}, b""),
    (b"", [[0, 1, [""]]], {"final": True}, b"\n"),
    (b"", [[0, 1, ["a"]]], {}, b"a\n"),
    ("日本語\n".encode(), [[0, 1, ["日木語"]]], {}, "日木語\n".encode()),
    (b"a\n", [[0, 1, ["a\0b"]]], {}, b"a\0b\n"),
]


def test_the_bytes_on_disk(editor: Editor) -> None:
    for number, (text, edits, options, wanted) in enumerate(BYTES):
        path = open_text(editor, text, f"{number}.txt")
        assert edit_and_save(editor, path, edits, **options).get("ok"), (text, edits)
        assert path.read_bytes() == wanted, (text, edits, options)
    expect_rest(editor)


def test_what_the_encoding_lacks_is_not_written_as_a_question_mark(editor: Editor) -> None:
    path = open_text(editor, b"caf\xe9\n")
    before = read_state(editor, path)
    assert "E513" in edit_and_save(editor, path, [[1, 1, ["漢"]]])["error"]
    assert read_state(editor, path) == before
    assert path.read_bytes() == b"caf\xe9\n"


@pytest.mark.parametrize(("copy", "same"), [("yes", True), ("no", False)])
def test_backupcopy_is_the_user_s(editor: Editor, copy: str, same: bool) -> None:
    editor.lua("vim.o.backupskip = '' vim.o.backupcopy = ...", copy)
    path = open_text(editor, "a\n")
    path.chmod(0o750)
    inode = path.stat().st_ino
    assert edit_and_save(editor, path, [[0, 1, ["b"]]])["ok"]
    assert (path.stat().st_ino == inode) is same
    assert path.stat().st_mode & 0o777 == 0o750


def test_while_changes_are_forbidden(editor: Editor) -> None:
    """An <expr> mapping that waits for a key; refused, and told that it will pass."""
    path = open_text(editor, "a\n")
    editor.lua(
        """local buf = ...
        vim.keymap.set("n", "X", function()
          answer = require("acp_nvim.documents.edit_and_save").run(buf, { { 0, 1, { "b" } } }, { autocmds = true })
          return ""
        end, { expr = true })""",
        look_at(editor, path)["buf"],
    )
    editor.type("X")
    assert editor.expect_lua("return answer", lambda answer: answer is not None)["locked"]
    assert (read_lines(editor, path), path.read_text()) == (["a"], "a\n")
    assert edit_and_save(editor, path, [[0, 1, ["b"]]])["ok"]


def test_a_lock_that_an_autocommand_meets_is_its_failure(editor: Editor) -> None:
    path = open_text(editor, "a\n")
    editor.lua(
        "vim.api.nvim_create_autocmd('BufWritePre', { callback = function() error('E565: not now') end })"
    )
    before = read_state(editor, path)
    answer = edit_and_save(editor, path, [[0, 1, ["b"]]])
    assert answer == {"error": "E565: not now"}
    assert read_state(editor, path) == before


def test_from_the_command_line_window(editor: Editor) -> None:
    path = open_text(editor, "a\n")
    editor.type("q:")
    editor.expect_lua("return vim.fn.getcmdwintype()", ":")
    assert edit_and_save(editor, path, [[0, 1, ["b"]]])["ok"]
    assert path.read_text() == "b\n"
    assert editor.lua("return vim.fn.getcmdwintype()") == ":"


def test_hostile_edits_are_refused_whole(editor: Editor) -> None:
    path = open_text(editor, "a\nb\n")
    before = read_state(editor, path)
    for edits in ([[0, 1, ["x\ny"]], [1, 2, ["z"]]], [[0, 1, ["x"]], [7, 9, ["z"]]], [[1, 0, ["x"]]]):
        assert edit_and_save(editor, path, edits)["error"]
        assert read_state(editor, path) == before
    assert path.read_text() == "a\nb\n"


def test_what_comes_to_the_disk_after_the_backend_has_looked_is_the_agent_s_too(editor: Editor) -> None:
    """Some agents write the disk beside their request."""
    path = open_text(editor, "one\ntwo\nthree\n")
    assert editor.acp("changes") == []
    stamp = editor.lua("return require('acp_nvim.documents.origin').stamp(0)")
    editor.type("Omine<Esc>")
    editor.expect_lua("return vim.bo.modified")
    path.write_text("one\ntwo\nTHREE\n")
    request = {
        "path": str(path),
        "text": "one\ntwo\nTHREE\n",
        "base": "one\ntwo\nthree\n",
        "by": {"kind": "agent", "session": 1, "turn": 1, "by": "agent"},
        "autocmds": True,
        "known": {"stamp": stamp},
    }
    assert editor.lua("return require('acp_nvim.documents.write').write(...)", request)["written"]
    assert path.read_text() == "mine\none\ntwo\nTHREE\n"
    (file,) = editor.acp("changes", {"all": True})
    assert [(hunk["old"], hunk["new"]) for hunk in file["hunks"]] == [(["three"], ["THREE"])]
