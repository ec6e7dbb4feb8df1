"""A buffer takes up what its file holds, called as the backend calls it; and which files are modified is told."""

from __future__ import annotations

from tests.functional.editor import Editor
from tests.steps.documents import (
    KEPT,
    PLACES,
    TEN,
    expect_rest,
    look_at,
    open_ten,
    open_text,
    read_lines,
    sync_disk,
)


def test_a_changed_disk_is_taken_over_with_everything_in_its_place(editor: Editor) -> None:
    hundred = [f"line {n} of it" for n in range(1, 101)]
    path = open_text(editor, "\n".join(hundred) + "\n")
    editor.type("70Gix<Esc>:w<CR>")
    editor.expect_lua("return vim.fn.undotree().save_last", 1)
    hundred = read_lines(editor, path)
    editor.lua(PLACES, str(path))
    before = editor.lua(KEPT, str(path))
    entries = editor.lua("return #vim.fn.undotree().entries")
    wanted = ["outside", *hundred[:79], "the end"]
    path.write_text("\n".join(wanted) + "\n")
    assert sync_disk(editor, path)["ok"]
    editor.lua("vim.cmd.redraw()")
    assert editor.lua(KEPT, str(path)) == before
    assert read_lines(editor, path) == wanted
    assert look_at(editor, path)["modified"] is False
    assert editor.lua("return #vim.fn.undotree().entries") == entries + 1
    editor.type("u")
    editor.expect_lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)", hundred)
    expect_rest(editor)


def test_unsaved_lines_are_put_back_onto_the_disk_s_text(editor: Editor) -> None:
    path = open_ten(editor)
    editor.type("10GAmine<Esc>")
    editor.expect_lua("return vim.bo.modified")
    path.write_text("outside\n" + "\n".join(TEN) + "\n")
    answer = sync_disk(editor, path)
    assert answer["ok"]
    assert read_lines(editor, path) == ["outside", *TEN[:9], "line 10mine"]
    assert look_at(editor, path)["modified"]
    editor.type("u")
    editor.expect_lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)", [*TEN[:9], "line 10mine"])
    editor.type("<C-r>:w<CR>")
    editor.expect_lua("return vim.bo.modified", False)
    assert path.read_text() == "\n".join(["outside", *TEN[:9], "line 10mine"]) + "\n"
    expect_rest(editor)


def test_a_reload_while_the_user_types_in_a_hidden_or_in_this_buffer(editor: Editor) -> None:
    path = open_ten(editor)
    editor.type("5GA")
    editor.expect_lua("return vim.api.nvim_get_mode().mode", "i")
    path.write_text("outside\n" + "\n".join(TEN) + "\n")
    assert sync_disk(editor, path)["ok"]
    editor.type("mine")
    editor.expect_lua("return vim.api.nvim_get_current_line()", "line 5mine")
    editor.type("<Esc>:w<CR>:edit other.txt<CR>i")
    editor.expect_lua("return vim.fn.expand('%:t') .. vim.api.nvim_get_mode().mode", "other.txti")
    path.write_text("new\n")
    assert sync_disk(editor, path)["ok"]
    assert read_lines(editor, path) == ["new"]
    assert editor.mode() == {"mode": "i", "blocking": False}


def test_a_reload_takes_the_kind_of_text_over(editor: Editor) -> None:
    path = open_text(editor, "a\nb\n")
    path.write_bytes(b"\xef\xbb\xbfa\r\nc")
    assert sync_disk(editor, path)["ok"]
    editor.lua("vim.o.fixendofline = false")
    seen = look_at(editor, path)
    assert (seen["ff"], seen["bomb"], seen["final"], seen["modified"]) == ("dos", True, False, False)
    assert read_lines(editor, path) == ["a", "c"]
    assert editor.lua("return vim.api.nvim_get_option_value('autoread', {})") == editor.lua(
        "return vim.go.autoread"
    )


def test_a_change_that_the_user_was_asked_about_is_saved_without_another_question(editor: Editor) -> None:
    path = open_text(editor, "a\nb\n")
    editor.lua("vim.api.nvim_create_autocmd('FileChangedShell', { command = 'let v:fcs_choice = \"\"' })")
    editor.type("Amine<Esc>")
    editor.expect_lua("return vim.bo.modified")
    path.write_text("a\nb\nc\n")
    editor.lua("vim.cmd.checktime()")
    answer = sync_disk(editor, path)
    assert answer["ok"]
    editor.type(":w<CR>")
    editor.expect_lua("return vim.bo.modified", False)
    assert path.read_text() == "amine\nb\nc\n"
    expect_rest(editor)


TOLD = """require('acp_nvim.documents.modified').watch(function(verb, payload)
  told[#told + 1] = verb == 'modified' and payload or nil
end)"""


def test_modified_files_are_told(editor: Editor) -> None:
    first = open_text(editor, "a\n", "first.txt")
    editor.type("x")
    editor.expect_lua("return vim.bo.modified")
    editor.lua(f"told = {{}} {TOLD}")
    assert editor.lua("return told") == [{"path": str(first), "modified": True}]
    second = open_text(editor, "b\n", "second.txt", "split")
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
