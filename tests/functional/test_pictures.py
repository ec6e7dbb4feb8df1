"""Pictures of agents and users: shown by a plugin that is loaded for it, and named where none is."""

import base64
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import on_initialize, on_prompt, say, script, tool, update
from tests.functional.editor import Editor
from tests.functional.packages import plugin
from tests.steps.conversation import go_to_line, open_chat, send

Open = Callable[..., Editor]
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
BLOCK = {"type": "image", "mimeType": "image/png", "data": base64.b64encode(PNG).decode()}
SNACKS = """
package.loaded["snacks"] = {}
_G.Snacks = { image = {
  supports_terminal = function() return true end,
  placement = { new = function(buf, path, options) _G.shown = { path, options.pos[1], options.inline } end },
} }
"""
IMAGE = """
package.loaded["image"] = {
  is_enabled = function() return true end,
  from_file = function(path, options)
    return { render = function() _G.shown = { path, options.y + 1, options.with_virtual_padding } end }
  end,
}
"""
WITHOUT = "snacks.image or image.nvim would show it here; gx opens it"


def agent_with_pictures(tmp_path: Path, **takes: bool) -> Any:
    chunk = update({"sessionUpdate": "agent_message_chunk", "content": BLOCK})
    shot = tool("t", title="screenshot", status="completed", content=[{"type": "content", "content": BLOCK}])
    return script(
        tmp_path, on_initialize(promptCapabilities={"image": True}), on_prompt("", chunk, shot, say("There."))
    )


@pytest.mark.parametrize("init", [SNACKS, IMAGE], ids=["snacks.image", "image.nvim"])
def test_pictures_are_shown_by_the_plugin_that_is_loaded(
    open_editor: Open, tmp_path: Path, init: str
) -> None:
    editor = open_chat(open_editor, agent_with_pictures(tmp_path), size=(120, 40), init=init)
    mine = editor.project / "mine.png"
    mine.write_bytes(PNG)
    editor.type(":Acp add image mine.png<CR>")
    send(editor, "look")
    editor.wait_event("AcpTurnEnded")
    for line, row in (("[image", 1), ("screenshot", None), ("with image mine.png", 1)):
        editor.lua("_G.shown = nil")
        go_to_line(editor, line)
        editor.type("K")
        path, shown_at, fits = editor.expect_lua("return _G.shown or false", lambda shown: shown)
        assert Path(path).read_bytes() == PNG
        assert (path == str(mine)) == ("mine" in line)
        assert row is None or shown_at == row
        assert fits is True
        editor.screen.expect_gone(WITHOUT)
        editor.type("q")


def test_without_such_a_plugin_a_line_says_what_would_show_it(open_editor: Open, tmp_path: Path) -> None:
    editor = open_chat(
        open_editor,
        agent_with_pictures(tmp_path),
        size=(120, 40),
        init="vim.ui.open = function(path) _G.opened = path end",
    )
    send(editor, "look")
    editor.wait_event("AcpTurnEnded")
    go_to_line(editor, "[image")
    editor.type("K")
    editor.screen.expect(WITHOUT)
    editor.type("gx")
    path = Path(editor.expect_lua("return _G.opened or false", lambda path: path))
    assert path.read_bytes() == PNG
    assert path.stat().st_mode & 0o077 == 0 or path.parent.stat().st_mode & 0o077 == 0


def test_what_is_no_picture_is_not_written(open_editor: Open, tmp_path: Path) -> None:
    bad = {**BLOCK, "data": base64.b64encode(b"#!/bin/sh\n").decode()}
    chunk = update({"sessionUpdate": "agent_message_chunk", "content": bad})
    editor = open_chat(
        open_editor, script(tmp_path, on_prompt("", chunk, say("There."))), size=(120, 40), init=SNACKS
    )
    send(editor, "look")
    editor.wait_event("AcpTurnEnded")
    go_to_line(editor, "[image")
    editor.type("K")
    editor.expect_lua("return vim.bo.filetype", "acp_details")
    assert editor.lua("return _G.shown == nil") is True


def test_the_real_snacks_takes_the_picture(open_editor: Open, tmp_path: Path) -> None:
    init = f"""
    vim.opt.runtimepath:prepend("{plugin("snacks.nvim")}")
    require("snacks").setup({{ image = {{ enabled = true, force = true }} }})
    """
    editor = open_chat(open_editor, agent_with_pictures(tmp_path), size=(120, 40), init=init)
    send(editor, "look")
    editor.wait_event("AcpTurnEnded")
    go_to_line(editor, "[image")
    editor.type("K")
    editor.expect_lua("return vim.bo.filetype", "acp_details")
    editor.screen.expect_gone(WITHOUT)
    editor.type("q:Acp log<CR>")
    editor.expect_lua("return vim.bo.filetype", "acp_log")
    assert "a picture cannot be shown" not in editor.lua("return table.concat(vim.fn.getline(1, '$'), '|')")
