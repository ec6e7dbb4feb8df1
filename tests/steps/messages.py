"""What stands in the message line below the windows."""

from tests.functional.editor import Editor


def expect_no_prompt(editor: Editor) -> None:
    """Check that Neovim waits for no key and has asked nothing below the windows."""
    assert editor.mode()["blocking"] is False
    assert "W12" not in editor.screen.text()
    assert "Press ENTER" not in editor.screen.text()


def expect_message(editor: Editor, *pieces: str) -> None:
    """Wait for one line below the windows with these pieces; Neovim waits for no key."""
    editor.screen.expect(
        lambda screen: all(piece in screen.lines()[-1] for piece in pieces), what=f"a line with {pieces}"
    )
    assert editor.mode()["blocking"] is False
