"""Steps with files: what the agent reads, writes and edits, and the file that the user has open."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.fakes.script import (
    ScriptedAgent,
    mark,
    on_prompt,
    request,
    say,
    script,
    tool,
    wait_file,
    wait_until,
    write_file,
)
from tests.functional.editor import Editor

Open = Callable[..., Editor]
NOTES = "{cwd}/notes.txt"
LINES = "return vim.api.nvim_buf_get_lines(vim.fn.bufnr('notes.txt'), 0, -1, false)"


def read(path: str, **more: Any) -> list[Any]:
    """The agent reads a file through the editor."""
    return request("fs/read_text_file", {"sessionId": "{session}", "path": path, **more})


def write(path: str, content: str) -> list[Any]:
    """The agent writes a file through the editor."""
    return request("fs/write_text_file", {"sessionId": "{session}", "path": path, "content": content})


def open_notes(
    open_editor: Open, agent: ScriptedAgent, text: str = "one\ntwo\nthree\n", **options: Any
) -> Editor:
    """Open notes.txt in a window and begin a session beside it; the cursor is in the file."""
    setup = {
        "agents": {"mine": {"command": agent.argv[0], "args": agent.argv[1:]}},
        **options.pop("setup", {}),
    }
    editor = open_editor(setup=setup, **options)
    (editor.project / "notes.txt").write_text(text)
    editor.type(":edit notes.txt<CR>")
    editor.acp("new_session")
    editor.wait_event("AcpSessionStarted")
    return editor


def get_answers(agent: ScriptedAgent) -> list[Any]:
    """Return the answers to all requests of the agent, results and errors."""
    return [message.get("result", message.get("error")) for message in agent.got() if "method" not in message]


def cause_conflict(open_editor: Open, tmp_path: Path) -> tuple[Editor, ScriptedAgent]:
    """The agent has read the file, the user has changed a line since, the agent writes that line."""
    go = tmp_path / "go"
    agent = script(
        tmp_path,
        on_prompt(
            "", read("{cwd}/notes.txt"), wait_file(str(go)), write("{cwd}/notes.txt", "one\nagent's\nthree\n")
        ),
    )
    editor = open_notes(open_editor, agent, size=(140, 40))
    editor.type(":Acp<CR><C-w>t")
    editor.acp("prompt", "write")
    wait_until(lambda: get_answers(agent))
    editor.type("jccuser's<Esc>")
    editor.expect_lua("return vim.fn.getline(2)", "user's")
    go.touch()
    editor.wait_event("AcpQuestion")
    assert editor.acp("questions")[0]["kind"] == "conflict"
    editor.screen.expect("conflict in notes.txt")
    return editor, agent


def call_edit(path: str, *steps: list[Any], id: str = "e") -> list[list[Any]]:
    """The agent begins a tool call that names the file, takes the steps, and completes the call."""
    begins = tool(id, title="Edit", kind="edit", status="in_progress", locations=[{"path": path}])
    return [begins, *steps, tool(id, known=True, status="completed")]


def read_and_edit(path: str, *steps: list[Any]) -> list[list[Any]]:
    """As `call_edit`, after a read: the steps find a client that has looked at the file."""
    return call_edit(path, read("{cwd}/notes.txt"), *steps, id=path)


def begin_edit(
    open_editor: Open, tmp_path: Path, before: list[str], after: list[str], **options: Any
) -> tuple[Editor, ScriptedAgent, Path]:
    """The agent has read notes.txt and named it in a tool call; it writes the disk once the returned file is there.

    Any further prompt it answers with "ok".
    """
    go = tmp_path / "go"
    steps = read_and_edit(NOTES, mark("named"), wait_file(str(go)), write_file(NOTES, join_lines(after)))
    agent = script(tmp_path, on_prompt("edit", *steps), on_prompt("", say("ok")))
    editor = open_notes(open_editor, agent, join_lines(before), **options)
    editor.acp("prompt", "edit")
    wait_until(lambda: agent.logged("mark"))
    return editor, agent, go


def join_lines(lines: list[str]) -> str:
    """Return the text of a file with these lines."""
    return "".join(f"{line}\n" for line in lines)


def read_disk(editor: Editor, name: str = "notes.txt") -> str:
    """Return the text of a file of the project, with the line ends that it has on disk."""
    return (editor.project / name).read_bytes().decode()
