"""A disk that ignores the case of names, as macOS has it: two spellings are one file."""

import os
from pathlib import Path

import pytest

from tests.fakes.script import on_prompt, say, script
from tests.functional.editor import Editor
from tests.steps.files import read, write


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """ACP_CASELESS_FOLDER may name a folder of such a disk; on macOS the folders of tests lie on one."""
    folder = Path(os.environ.get("ACP_CASELESS_FOLDER", tmp_path)) / tmp_path.name / "Project"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "src").mkdir(exist_ok=True)
    (folder / "src/a.py").write_text("one\ntwo\n")
    if not (folder / "SRC/A.py").exists():
        pytest.skip("this disk tells upper from lower case: name another in ACP_CASELESS_FOLDER")
    return folder


def test_two_spellings_are_one_buffer_and_one_review(open_editor, tmp_path: Path, folder: Path):
    shouted = str(folder).replace("Project", "PROJECT") + "/SRC/A.py"
    agent = script(tmp_path, on_prompt("go", read(shouted), write(shouted, "one\n2\n"), say("Done.")))
    mine = {"command": agent.argv[0], "args": agent.argv[1:]}
    editor: Editor = open_editor(setup={"agents": {"mine": mine}})
    editor.lua("vim.cmd.cd(...)", str(folder))
    editor.type(":edit Src/A.PY<CR>")
    editor.type(":Acp<CR>")
    editor.wait_event("AcpSessionStarted")
    editor.type("igo<Esc><CR>")
    editor.wait_event("AcpTurnEnded", stop_reason="end_turn")  # and nothing was asked: it is inside
    files = editor.lua(
        "return vim.tbl_filter(function(buf) return vim.fn.bufname(buf):lower():find('a.py', 1, true) ~= nil "
        "end, vim.api.nvim_list_bufs())"
    )
    assert len(files) == 1
    assert editor.lua("return vim.api.nvim_buf_get_lines(..., 0, -1, true)", files[0]) == ["one", "2"]
    assert (folder / "src/a.py").read_text() == "one\n2\n"
    assert editor.lua("return #require('acp_nvim.review').rows(...)", files[0]) == 1
