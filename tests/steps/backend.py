"""Steps of tests that drive the backend without Neovim."""

from pathlib import Path
from typing import Any

from tests.client.conftest import Desk, Talk
from tests.fakes.script import eventually


async def save_wire(desk: Desk, talk: Talk) -> Path:
    """Save the recorded wire by `:Acp trace`."""
    file = desk.folder / "wire.jsonl"
    talk.send("trace", mode="save", file=str(file))
    await desk.message("messages in", file.name)
    return file


async def replay_wire(desk: Desk, file: Path) -> Talk:
    """Play a saved wire in a new session, to its end."""
    talk = desk.talk()
    talk.send("replay", agent="replay", cwd=str(desk.folder), file=str(file))
    await talk.until("stopped")
    return talk


async def await_proposal(desk: Desk, count: int = 1) -> dict[str, Any]:
    """Wait until so many proposals were shown; return the last."""
    await eventually(lambda: len(desk.editor.proposals) >= count)
    return desk.editor.proposals[-1]


def decide(desk: Desk, seen: dict[str, Any], text: str | None, **texts: str) -> None:
    """Decide as the editor does about a file that is not loaded; None: all of the proposal is taken as it is."""
    (file,) = seen["files"]
    answer = {"left": file["disk"], "right": file["new"], "decided": text, "saved": text, **texts}
    files = {} if text is None else {file["path"]: answer}
    desk.send("decide", question=seen["question"], version=seen["version"], files=files)
