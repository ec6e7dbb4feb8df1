"""What the backend reads and writes through the editor, called as the backend calls it, in a real Neovim."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.functional.editor import Editor

Edits = list[list[Any]]
TEN = [f"line {n}" for n in range(1, 11)]


LOOK = """local buf = require("acp_nvim.documents.find").find(...)
if not buf then return nil end
local bo, text = vim.bo[buf], require("acp_nvim.documents.text").of_buffer(buf)
return {
  buf = buf, modified = bo.modified, count = vim.api.nvim_buf_line_count(buf), bomb = text.bom, ff = text.ff,
  fenc = bo.fileencoding, final = text.final and #text.lines > 0, lines = text.lines,
  plain = require("acp_nvim.documents.read").read(...).plain or false,
}"""
WRITE = """local path, edits, options = ...
local buf = require("acp_nvim.documents.find").find(path)
return require("acp_nvim.documents.edit_and_save").run(buf, edits, options)"""


def look(editor: Editor, path: Path) -> Any:
    return editor.lua(LOOK, str(path))


def write(editor: Editor, path: Path, edits: Edits, **options: Any) -> Any:
    return editor.lua(WRITE, str(path), edits, {"autocmds": True, **options})


def sync(editor: Editor, path: Path) -> Any:
    return editor.lua("return require('acp_nvim.documents.sync').sync({ path = ... })", str(path))


def given(editor: Editor, text: bytes | str, name: str = "a.txt", command: str = "edit") -> Path:
    """A file of the project, loaded."""
    path = editor.project / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    editor.lua("require('acp_nvim.documents.origin').watch()")
    editor.lua("vim.cmd[select(1, ...)](vim.fn.fnameescape(select(2, ...)))", command, str(path))
    return path


def ten(editor: Editor) -> Path:
    return given(editor, "\n".join(TEN) + "\n")


def lines(editor: Editor, path: Path) -> list[str]:
    return list(editor.lua("return vim.api.nvim_buf_get_lines(vim.fn.bufnr(...), 0, -1, false)", str(path)))


def state(editor: Editor, path: Path) -> Any:
    """What a failure must leave as it was."""
    code = """local buf = vim.fn.bufnr(...)
    return vim.api.nvim_buf_call(buf, function()
      local tree, bo = vim.fn.undotree(), vim.bo[buf]
      local undo = { tree.seq_cur, #tree.entries }
      local format = { bo.endofline, bo.fixendofline, bo.fileformat, bo.bomb, bo.modified, vim.o.shortmess }
      return { vim.api.nvim_buf_get_lines(buf, 0, -1, false), undo, format, vim.fn.winsaveview() }
    end)"""
    return editor.lua(code, str(path))


def at_rest(editor: Editor) -> None:
    """Nothing was asked and no window stands between."""
    assert editor.mode()["blocking"] is False
    assert "Press ENTER" not in editor.screen.text()


# Looking


def test_looking_loads_nothing(editor: Editor) -> None:
    path = editor.project / "a.txt"
    path.write_text("x\n")
    before = editor.lua("return #vim.api.nvim_list_bufs()")
    assert look(editor, path) is None
    editor.lua("vim.fn.bufadd(...)", str(path))
    assert look(editor, path) is None
    assert editor.lua("return #vim.api.nvim_list_bufs()") == before + 1


def test_an_unmodified_buffer_is_plain_and_a_modified_one_brings_its_lines(editor: Editor) -> None:
    path = given(editor, "one\ntwo\n")
    seen = look(editor, path)
    assert seen["plain"]
    assert (seen["modified"], seen["count"], seen["ff"], seen["final"], seen["bomb"]) == (
        False,
        2,
        "unix",
        True,
        False,
    )
    editor.type("Ozero<Esc>")
    seen = look(editor, path)
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
        seen = look(editor, given(editor, text, f"{number}.txt"))
        assert expected.items() <= seen.items(), text


@pytest.mark.parametrize("fix", [True, False])
def test_the_file_says_whether_its_text_ends_a_line(editor: Editor, fix: bool) -> None:
    """Also after a `:w` of the user has ended it: 'endofline' stays off then."""
    editor.lua("vim.o.fixendofline = ...", fix)
    path = given(editor, "a")
    assert look(editor, path)["final"] is False
    editor.type("Ab<Esc>:w<CR>Ac<Esc>")
    editor.expect_lua("return vim.bo.modified and vim.fn.getline(1) == 'abc'")
    assert path.read_text() == ("ab\n" if fix else "ab")
    assert look(editor, path)["final"] is fix


def test_symlinks_lead_to_the_same_buffer(editor: Editor) -> None:
    path = given(editor, "a\n", "real.txt")
    (editor.project / "link.txt").symlink_to(path)
    (editor.project / "here").symlink_to(editor.project)
    assert look(editor, editor.project / "link.txt")["buf"] == look(editor, path)["buf"]
    assert look(editor, editor.project / "here" / "real.txt")["buf"] == look(editor, path)["buf"]


def test_a_new_file_s_buffer_is_found_before_there_is_a_file(editor: Editor) -> None:
    path = editor.project / "sub" / "new.txt"
    editor.lua("vim.cmd.edit(...)", str(path))
    assert look(editor, path)["count"] == 1


def test_a_buffer_that_only_bears_the_name_is_not_the_file(editor: Editor) -> None:
    path = given(editor, "a\n")
    for kind in ("nofile", "nowrite", "help"):
        editor.lua("vim.bo.buftype = ...", kind)
        assert look(editor, path) is None


# Applying


def test_a_write_is_saved_and_is_one_undo_step(editor: Editor) -> None:
    path = ten(editor)
    answer = write(editor, path, [[0, 1, ["first"]], [4, 4, ["new", "newer"]], [8, 10, []]])
    wanted = ["first", *TEN[1:4], "new", "newer", *TEN[4:8]]
    assert answer["ok"]
    assert lines(editor, path) == wanted
    assert path.read_text() == "\n".join(wanted) + "\n"
    assert look(editor, path)["plain"]
    editor.type("u")
    editor.expect_lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)", TEN)
    editor.type("<C-r>")
    editor.expect_lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)", wanted)
    at_rest(editor)


def test_unsaved_lines_are_saved_along(editor: Editor) -> None:
    path = ten(editor)
    editor.type("ggOmine<Esc>")
    editor.expect_lua("return vim.api.nvim_buf_line_count(0)", 11)
    assert write(editor, path, [[10, 11, ["theirs"]]])["ok"]
    assert path.read_text().split("\n") == ["mine", *TEN[:9], "theirs", ""]


def test_while_the_user_types_in_that_buffer(editor: Editor) -> None:
    """`u` takes back what was typed since, then only the agent's change, then only the user's."""
    path = ten(editor)
    editor.type("5GA mine")
    editor.expect_lua("return vim.api.nvim_get_current_line()", "line 5 mine")
    assert write(editor, path, [[0, 0, ["theirs"]], [9, 10, ["line ten"]]])["ok"]
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
    path = given(editor, "\n\n")
    editor.type("Gi")
    for n in range(100):
        editor.type(f"word{n} ")
        assert write(editor, path, [[0, 0, [f"theirs {n}"]]])["ok"]
    typed = "".join(f"word{n} " for n in range(100))
    theirs = [f"theirs {n}" for n in range(99, -1, -1)]
    editor.expect_lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)", [*theirs, "", typed])
    assert editor.mode() == {"mode": "i", "blocking": False}


def test_a_change_within_the_line_where_the_user_types(editor: Editor) -> None:
    path = given(editor, "alpha beta gamma\n")
    editor.type("0wi")
    editor.expect_lua("return vim.api.nvim_get_mode().mode", "i")
    assert write(editor, path, [[0, 1, ["ALPHABET beta GAMMA"]]])["ok"]
    editor.type("my ")
    editor.expect_lua("return vim.api.nvim_get_current_line()", "ALPHABET my beta GAMMA")


PLACES = """
local path = ...
local first = vim.api.nvim_get_current_win()
local buf = vim.api.nvim_get_current_buf()
vim.cmd("keepalt split")
local second = vim.api.nvim_get_current_win()
for _, win in ipairs({ first, second }) do
  vim.api.nvim_win_call(win, function()
    vim.wo.foldmethod = "manual"
    vim.cmd("30,35fold")
    vim.cmd("50,52fold")
  end)
end
vim.api.nvim_win_call(first, function() vim.cmd("normal! 10Gm'40G40Gzt3l") end)
vim.api.nvim_win_call(second, function() vim.cmd("normal! 60Gzz4l") end)
for mark, line in pairs({ a = 20, b = 41, C = 60, d = 2 }) do
  vim.api.nvim_buf_set_mark(buf, mark, line, 2, {})
end
local ns = vim.api.nvim_create_namespace("another plugin")
for _, row in ipairs({ 1, 19, 39, 59 }) do
  vim.api.nvim_buf_set_extmark(buf, ns, row, 2, { end_row = row, end_col = 4 })
end
vim.api.nvim_win_call(first, function() vim.cmd("redraw") end)
"""
KEPT = """
local path = ...
local buf = vim.fn.bufnr(path)
local function text(row) return vim.api.nvim_buf_get_lines(buf, row, row + 1, false)[1] end
local kept = { mode = vim.api.nvim_get_mode().mode, current = vim.api.nvim_get_current_win(), alt = vim.fn.bufnr("#") }
for _, win in ipairs(vim.fn.win_findbuf(buf)) do
  vim.api.nvim_win_call(win, function()
    local folds = {}
    for line = 1, vim.fn.line("$") do
      if vim.fn.foldclosed(line) == line then
        folds[#folds + 1] = text(line - 1) .. " - " .. text(vim.fn.foldclosedend(line) - 1)
      end
    end
    local jumps = {}
    for _, jump in ipairs(vim.fn.getjumplist()[1]) do
      jumps[#jumps + 1] = jump.bufnr == buf and text(jump.lnum - 1) or nil
    end
    local cursor = vim.api.nvim_win_get_cursor(0)
    local top = text(vim.fn.line("w0") - 1)
    kept["window " .. win] = { text(cursor[1] - 1), cursor[2], top, vim.fn.winline(), folds, jumps }
  end)
end
for _, mark in ipairs({ "a", "b", "C", "d", "." }) do
  local at = vim.api.nvim_buf_get_mark(buf, mark)
  kept["mark " .. mark] = { text(at[1] - 1) or "none", at[2] }
end
local ns = vim.api.nvim_create_namespace("another plugin")
for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(buf, ns, 0, -1, { details = true })) do
  kept["extmark " .. mark[1]] = { text(mark[2]), mark[3], text(mark[4].end_row), mark[4].end_col }
end
return kept
"""


@pytest.mark.parametrize("mode", ["n", "i", "v"])
def test_everything_keeps_its_place(editor: Editor, mode: str) -> None:
    """Two windows, folds, marks, jumps and another plugin's extmarks, in the lines around and in those changed."""
    hundred = [f"line {n} of it" for n in range(1, 101)]
    path = given(editor, "\n".join(hundred) + "\n")
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
    assert write(editor, path, edits)["ok"]
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
    at_rest(editor)


@pytest.mark.parametrize("mode", ["n", "i"])
def test_a_failed_write_leaves_everything_as_it_was(editor: Editor, mode: str) -> None:
    """Also what the user had undone can still be redone."""
    path = ten(editor)
    editor.type("ggdd3Gddu")
    editor.type("3G4l" + ("i" if mode == "i" else ""))
    editor.expect_lua("return vim.api.nvim_get_mode().mode", mode)
    editor.lua(
        "vim.api.nvim_create_autocmd('BufWritePre', { command = 'call append(0, \"more\") | echoerr \"no\"' })"
    )
    before = state(editor, path)
    answer = write(editor, path, [[0, 1, ["theirs"]], [5, 5, ["too"]]], final=False, ff="dos")
    assert "no" in answer["error"]
    assert "\n" not in answer["error"]
    assert state(editor, path) == before
    assert path.read_text() == "\n".join(TEN) + "\n"
    editor.type("<Esc><C-r>")
    editor.expect_lua("return vim.api.nvim_buf_line_count(0)", 8)
    at_rest(editor)


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
        path = given(editor, "a\nb\n", f"sub{number}/a.txt")
        editor.type("Amine<Esc>")
        editor.expect_lua("return vim.bo.modified and vim.api.nvim_get_mode().mode == 'n'")
        spoil(editor, path)
        before = state(editor, path)
        answer = write(editor, path, [[0, 1, ["theirs"]]])
        assert why in answer["error"]
        assert "\n" not in answer["error"]
        assert state(editor, path) == before
        at_rest(editor)
        editor.lua("vim.o.write = true")


def test_a_scratch_buffer_is_not_written(editor: Editor) -> None:
    path = given(editor, "a\n")
    editor.lua("vim.bo.buftype = 'nofile'")
    code = "return require('acp_nvim.documents.edit_and_save').run(0, { { 0, 1, { 'b' } } }, {})"
    assert "E382" in editor.lua(code)["error"]
    assert lines(editor, path) == ["a"]


def test_what_the_user_s_formatter_makes_of_it_is_told_and_is_in_the_same_step(editor: Editor) -> None:
    path = ten(editor)
    editor.lua("vim.api.nvim_create_autocmd('BufWritePre', { command = '%s/theirs/formatted/e' })")
    answer = write(editor, path, [[0, 1, ["theirs"]]])
    assert answer["saved"]["text"]["lines"] == ["formatted", *TEN[1:]]
    assert path.read_text().startswith("formatted\n")
    editor.type("u")
    editor.expect_lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)", TEN)


def test_autocommands_run_only_where_they_are_wanted(editor: Editor) -> None:
    path = given(editor, "a\n")
    editor.lua(
        "ran = {} vim.cmd([[au BufWritePre,BufWritePost * lua table.insert(ran, vim.fn.expand('<amatch>'))]])"
    )
    assert write(editor, path, [[0, 1, ["b"]]], autocmds=False)["ok"]
    assert editor.lua("return ran") == []
    assert write(editor, path, [[0, 1, ["c"]]])["ok"]
    assert editor.lua("return ran") == [str(path), str(path)]


def test_an_autocommand_that_fails_after_the_save_is_only_told(editor: Editor) -> None:
    path = given(editor, "a\n")
    editor.lua("vim.api.nvim_create_autocmd('BufWritePost', { callback = function() error('late') end })")
    answer = write(editor, path, [[0, 1, ["b"]]])
    assert answer["ok"]
    assert "late" in answer["warning"]
    assert path.read_text() == "b\n"
    assert look(editor, path)["modified"] is False


def test_an_autocommand_that_unloads_the_buffer(editor: Editor) -> None:
    path = given(editor, "a\n")
    editor.lua("vim.cmd.enew() vim.api.nvim_create_autocmd('BufWritePre', { command = 'bunload! a.txt' })")
    assert write(editor, path, [[0, 1, ["b"]]])["error"]
    at_rest(editor)


def test_the_decided_text_wins_over_a_disk_that_changed(editor: Editor) -> None:
    path = given(editor, "a\nb\n")
    path.write_text("outside\n")
    assert write(editor, path, [[1, 2, ["merged"]]])["ok"]
    assert path.read_text() == "a\nmerged\n"
    at_rest(editor)
    editor.type("Amore<Esc>:w<CR>")
    editor.expect_lua("return vim.bo.modified", False)
    assert path.read_text() == "amore\nmerged\n"


def test_a_hidden_unlisted_buffer_moves_no_window(editor: Editor) -> None:
    path = given(editor, "a\n")
    editor.lua("vim.bo.buflisted = false vim.cmd.edit('other.txt')")
    windows = editor.lua("return { vim.api.nvim_list_wins(), vim.fn.bufnr('%'), vim.fn.bufnr('#') }")
    assert write(editor, path, [[0, 1, ["b"]]])["ok"]
    assert editor.lua("return { vim.api.nvim_list_wins(), vim.fn.bufnr('%'), vim.fn.bufnr('#') }") == windows
    assert path.read_text() == "b\n"
    assert editor.lua("return vim.bo[vim.fn.bufnr(...)].buflisted", str(path)) is False
    at_rest(editor)


def test_a_swap_file_in_the_way_asks_nothing(editor: Editor) -> None:
    """A buffer that was opened read-only makes its swap file with its first change."""
    editor.lua("vim.o.updatecount = 200 vim.o.directory = '.'")
    (editor.project / ".a.txt.swp").write_bytes(b"b0nano" + b"\0" * 4090)
    path = given(editor, "a\n", command="view")
    editor.lua("vim.bo.readonly = false")
    assert write(editor, path, [[0, 1, ["b"]]])["ok"]
    assert path.read_text() == "b\n"
    assert editor.lua("return vim.o.shortmess:find('A')") is None
    at_rest(editor)


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
        path = given(editor, text, f"{number}.txt")
        assert write(editor, path, edits, **options).get("ok"), (text, edits)
        assert path.read_bytes() == wanted, (text, edits, options)
    at_rest(editor)


def test_what_the_encoding_lacks_is_not_written_as_a_question_mark(editor: Editor) -> None:
    path = given(editor, b"caf\xe9\n")
    before = state(editor, path)
    assert "E513" in write(editor, path, [[1, 1, ["漢"]]])["error"]
    assert state(editor, path) == before
    assert path.read_bytes() == b"caf\xe9\n"


@pytest.mark.parametrize(("copy", "same"), [("yes", True), ("no", False)])
def test_backupcopy_is_the_user_s(editor: Editor, copy: str, same: bool) -> None:
    editor.lua("vim.o.backupskip = '' vim.o.backupcopy = ...", copy)
    path = given(editor, "a\n")
    path.chmod(0o750)
    inode = path.stat().st_ino
    assert write(editor, path, [[0, 1, ["b"]]])["ok"]
    assert (path.stat().st_ino == inode) is same
    assert path.stat().st_mode & 0o777 == 0o750


def test_while_changes_are_forbidden(editor: Editor) -> None:
    """An <expr> mapping that waits for a key; refused, and told that it will pass."""
    path = given(editor, "a\n")
    editor.lua(
        """local buf = ...
        vim.keymap.set("n", "X", function()
          answer = require("acp_nvim.documents.edit_and_save").run(buf, { { 0, 1, { "b" } } }, { autocmds = true })
          return ""
        end, { expr = true })""",
        look(editor, path)["buf"],
    )
    editor.type("X")
    assert editor.expect_lua("return answer", lambda answer: answer is not None)["locked"]
    assert (lines(editor, path), path.read_text()) == (["a"], "a\n")
    assert write(editor, path, [[0, 1, ["b"]]])["ok"]


def test_a_lock_that_an_autocommand_meets_is_its_failure(editor: Editor) -> None:
    path = given(editor, "a\n")
    editor.lua(
        "vim.api.nvim_create_autocmd('BufWritePre', { callback = function() error('E565: not now') end })"
    )
    before = state(editor, path)
    answer = write(editor, path, [[0, 1, ["b"]]])
    assert answer == {"error": "E565: not now"}
    assert state(editor, path) == before


def test_from_the_command_line_window(editor: Editor) -> None:
    path = given(editor, "a\n")
    editor.type("q:")
    editor.expect_lua("return vim.fn.getcmdwintype()", ":")
    assert write(editor, path, [[0, 1, ["b"]]])["ok"]
    assert path.read_text() == "b\n"
    assert editor.lua("return vim.fn.getcmdwintype()") == ":"


def test_hostile_edits_are_refused_whole(editor: Editor) -> None:
    path = given(editor, "a\nb\n")
    before = state(editor, path)
    for edits in ([[0, 1, ["x\ny"]], [1, 2, ["z"]]], [[0, 1, ["x"]], [7, 9, ["z"]]], [[1, 0, ["x"]]]):
        assert write(editor, path, edits)["error"]
        assert state(editor, path) == before
    assert path.read_text() == "a\nb\n"


# Changes on disk


def test_a_changed_disk_is_taken_over_with_everything_in_its_place(editor: Editor) -> None:
    hundred = [f"line {n} of it" for n in range(1, 101)]
    path = given(editor, "\n".join(hundred) + "\n")
    editor.type("70Gix<Esc>:w<CR>")
    editor.expect_lua("return vim.fn.undotree().save_last", 1)
    hundred = lines(editor, path)
    editor.lua(PLACES, str(path))
    before = editor.lua(KEPT, str(path))
    entries = editor.lua("return #vim.fn.undotree().entries")
    wanted = ["outside", *hundred[:79], "the end"]
    path.write_text("\n".join(wanted) + "\n")
    assert sync(editor, path)["ok"]
    editor.lua("vim.cmd.redraw()")
    assert editor.lua(KEPT, str(path)) == before
    assert lines(editor, path) == wanted
    assert look(editor, path)["modified"] is False
    assert editor.lua("return #vim.fn.undotree().entries") == entries + 1
    editor.type("u")
    editor.expect_lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)", hundred)
    at_rest(editor)


def test_unsaved_lines_are_put_back_onto_the_disk_s_text(editor: Editor) -> None:
    path = ten(editor)
    editor.type("10GAmine<Esc>")
    editor.expect_lua("return vim.bo.modified")
    path.write_text("outside\n" + "\n".join(TEN) + "\n")
    answer = sync(editor, path)
    assert answer["ok"]
    assert lines(editor, path) == ["outside", *TEN[:9], "line 10mine"]
    assert look(editor, path)["modified"]
    editor.type("u")
    editor.expect_lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)", [*TEN[:9], "line 10mine"])
    editor.type("<C-r>:w<CR>")
    editor.expect_lua("return vim.bo.modified", False)
    assert path.read_text() == "\n".join(["outside", *TEN[:9], "line 10mine"]) + "\n"
    at_rest(editor)


def test_a_reload_while_the_user_types_in_a_hidden_or_in_this_buffer(editor: Editor) -> None:
    path = ten(editor)
    editor.type("5GA")
    editor.expect_lua("return vim.api.nvim_get_mode().mode", "i")
    path.write_text("outside\n" + "\n".join(TEN) + "\n")
    assert sync(editor, path)["ok"]
    editor.type("mine")
    editor.expect_lua("return vim.api.nvim_get_current_line()", "line 5mine")
    editor.type("<Esc>:w<CR>:edit other.txt<CR>i")
    editor.expect_lua("return vim.fn.expand('%:t') .. vim.api.nvim_get_mode().mode", "other.txti")
    path.write_text("new\n")
    assert sync(editor, path)["ok"]
    assert lines(editor, path) == ["new"]
    assert editor.mode() == {"mode": "i", "blocking": False}


def test_a_reload_takes_the_kind_of_text_over(editor: Editor) -> None:
    path = given(editor, "a\nb\n")
    path.write_bytes(b"\xef\xbb\xbfa\r\nc")
    assert sync(editor, path)["ok"]
    editor.lua("vim.o.fixendofline = false")
    seen = look(editor, path)
    assert (seen["ff"], seen["bomb"], seen["final"], seen["modified"]) == ("dos", True, False, False)
    assert lines(editor, path) == ["a", "c"]
    assert editor.lua("return vim.api.nvim_get_option_value('autoread', {})") == editor.lua(
        "return vim.go.autoread"
    )


def test_a_change_that_the_user_was_asked_about_is_saved_without_another_question(editor: Editor) -> None:
    path = given(editor, "a\nb\n")
    editor.lua("vim.api.nvim_create_autocmd('FileChangedShell', { command = 'let v:fcs_choice = \"\"' })")
    editor.type("Amine<Esc>")
    editor.expect_lua("return vim.bo.modified")
    path.write_text("a\nb\nc\n")
    editor.lua("vim.cmd.checktime()")
    answer = sync(editor, path)
    assert answer["ok"]
    editor.type(":w<CR>")
    editor.expect_lua("return vim.bo.modified", False)
    assert path.read_text() == "amine\nb\nc\n"
    at_rest(editor)


# Telling what is modified


TOLD = "require('acp_nvim.documents.modified').watch(function(payload) told[#told + 1] = payload end)"


def test_modified_files_are_told(editor: Editor) -> None:
    first = given(editor, "a\n", "first.txt")
    editor.type("x")
    editor.expect_lua("return vim.bo.modified")
    editor.lua(f"told = {{}} {TOLD}")
    assert editor.lua("return told") == [{"path": str(first), "modified": True}]
    second = given(editor, "b\n", "second.txt", "split")
    editor.type("x")
    editor.expect_lua("return #told", 2)
    editor.type(":w<CR>")
    editor.expect_lua("return #told", 3)
    editor.type("oX<Esc>:file third.txt<CR>")
    editor.expect_lua("return #told", 6)
    editor.type(":bwipeout!<CR>")
    editor.expect_lua("return #told", 7)
    third = editor.project / "third.txt"
    expected = [
        (second, True),
        (second, False),
        (second, True),
        (second, False),
        (third, True),
        (third, False),
    ]
    assert editor.lua("return vim.list_slice(told, 2)") == [
        {"path": str(path), "modified": modified} for path, modified in expected
    ]
    editor.lua("require('acp_nvim.documents.modified').unwatch()")
    editor.type(":w<CR>")
    editor.expect_lua("return vim.bo.modified", False)
    assert editor.lua("return #told") == 7


def test_removed_lines_are_drawn_alike_beside_a_window_that_breaks_lines(editor: Editor) -> None:
    given(editor, "new\n")
    drawn = """
    local buf, text = vim.api.nvim_get_current_buf(), ("word "):rep(5) .. "\tend"
    vim.cmd("vertical 20vsplit +enew")
    vim.wo.linebreak, vim.wo.breakindent, vim.wo.showbreak = true, true, ">>>>"
    local change = { id = 1, old = { text }, new = { "new" } }
    require("acp_nvim.review.signs").show(buf, { rows = { 0 }, changes = { change } }, 0, 0)
    local hunks = vim.api.nvim_create_namespace("acp_nvim.hunks.beside")
    local function line()
      local mark = vim.api.nvim_buf_get_extmarks(buf, hunks, 0, -1, { details = true })[1]
      return mark and mark[4].virt_lines and mark[4].virt_lines[1][1][1]
    end
    vim.wait(5000, line, 1)
    return line()"""
    assert editor.lua(drawn) == ("word " * 5).ljust(32) + "end".ljust(editor.screen.size[0] - 32)
