"""What Neovim's side writes is its user's alone, and what it shows hides nothing."""

from collections.abc import Callable
from pathlib import Path

from acp_nvim.text.printable import visible
from tests.fakes.script import script
from tests.functional.editor import Editor
from tests.steps.conversation import open_chat, send

Open = Callable[..., Editor]


def test_the_history_is_its_users_alone_wherever_it_is(open_editor: Open, tmp_path: Path) -> None:
    folder, victim = tmp_path / "state/nvim/acp_nvim/history", tmp_path / "victim"
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    env = {"XDG_STATE_HOME": str(tmp_path / "state"), "NVIM_APPNAME": "nvim"}
    editor = open_chat(open_editor, script(tmp_path), env=env)
    send(editor, "hello")
    editor.wait_event("AcpTurnEnded")
    assert folder.stat().st_mode & 0o777 == 0o700
    (file,) = folder.iterdir()
    assert file.stat().st_mode & 0o777 == 0o600
    victim.write_text("mine\n")
    file.unlink()
    file.symlink_to(victim)
    send(editor, "again")
    editor.wait_event("AcpTurnEnded")
    editor.expect_lua(
        "return table.concat(require('acp_nvim.ui.log').lines()):match('is a symlink')",
        "is a symlink",
    )
    assert victim.read_text() == "mine\n"


def test_both_sides_make_the_same_characters_visible(editor: Editor) -> None:
    code = """local shown = {}
      for _, char in ipairs(...) do shown[#shown + 1] = require('acp_nvim.ui.printable').visible(char) end
      return shown"""
    hidden = [
        chr(code)
        for code in range(0x20, 0xE1000)
        if not 0xD800 <= code < 0xE000 and visible(chr(code)) != chr(code)
    ]
    assert len(hidden) > 4096
    assert [char for char, shown in zip(hidden, editor.lua(code, hidden), strict=True) if char == shown] == []
    plain = ["grün 漢字 😀", "é", "%{x}"]
    assert editor.lua(code, plain) == plain
