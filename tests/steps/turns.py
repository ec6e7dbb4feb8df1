"""A turn in which the agent does what the test tells it, step by step."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.fakes.script import Step, obey, on_prompt, script, wait_until, write_file
from tests.functional.editor import Editor
from tests.steps.files import call_edit, get_answers, join_lines, open_notes, read, write
from tests.steps.review import PENDING, TEN

Open = Callable[..., Editor]
LINES = "return vim.api.nvim_buf_get_lines(vim.fn.bufnr(...), 0, -1, false)"


class Play:
    """A turn in which the agent does what the test tells it, one step after the other."""

    def __init__(
        self, open_editor: Open, folder: Path, before: str | bytes = join_lines(TEN), **options: Any
    ) -> None:
        self.orders = folder / "orders"
        self.orders.touch()
        self.agent = script(folder, on_prompt("", obey(str(self.orders))))
        self.editor = open_notes(open_editor, self.agent, "", **options)
        self.path = self.editor.project / "notes.txt"
        self.path.write_bytes(before if isinstance(before, bytes) else before.encode())
        self.do("enew | bwipeout! notes.txt | edit notes.txt")

    def turn(self) -> None:
        self.orders.write_text("")
        self.editor.acp("prompt", "work")
        self.editor.expect_lua("return require('acp_nvim').status().state", "running")

    def order(self, *steps: Step, wait: bool = True) -> None:
        count = len(self.agent.logged("mark")) + len(steps)
        with self.orders.open("a") as file:
            file.writelines(json.dumps(step) + "\n" for step in steps)
        if wait:
            wait_until(lambda: len(self.agent.logged("mark")) >= count)

    def write(self, lines: list[str], path: Path | None = None) -> Any:
        self.order(write(str(path or self.path), join_lines(lines)))
        return get_answers(self.agent)[-1]

    def write_disk(self, text: str, path: Path | None = None) -> None:
        """The agent names the file in a tool call, writes it without asking us, and completes the call."""
        name = str(path or self.path)
        self.order(*call_edit(name, write_file(name, text), id=f"call{len(self.agent.logged('mark'))}"))

    def read(self, **section: int) -> str:
        self.order(read(str(self.path), **section))
        return str(get_answers(self.agent)[-1]["content"])

    def end(self) -> None:
        self.order(["end"], wait=False)
        self.editor.wait_event("AcpTurnEnded")

    def do(self, command: str) -> None:
        self.editor.lua("vim.cmd(...)", command)

    def lines(self, name: str = "notes.txt") -> list[str]:
        return list(self.editor.lua(LINES, name))

    def undo_all(self) -> None:
        self.do("Acp undo all")
        self.editor.expect_lua(PENDING, 0)
