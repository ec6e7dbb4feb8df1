"""Each change is its own turn's, however quickly the next prompt follows: unnamed files in a real repository."""

import random
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.client.conftest import Desk
from tests.fakes.script import eventually, on_prompt, say, wait, write_file

Change = tuple[str, int, str, list[str]]
PATIENCE = 3.0  # seconds that no prompt may wait, whatever git does


def repository(folder: Path) -> Path:
    """Not where the agent keeps its log."""
    folder.mkdir()
    for number in range(20):
        (folder / f"f{number}.txt").write_text("a\n")
    git = ["git", "-c", "user.name=n", "-c", "user.email=e", "-C", str(folder)]
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "all"]):
        subprocess.run([*git, *command], check=True, capture_output=True)
    return folder


def changes(desk: Desk) -> list[Change]:
    """The last change of each file: name, turn, by whom, new lines."""
    told = dict(desk.editor.changes)
    return [
        (Path(path).name, change["turn"], change["by"], change["after"].splitlines())
        for path, change in sorted(told.items())
    ]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("is_queued", [True, False])
async def test_a_change_that_no_call_names_is_its_own_turn_s(desk: Desk, seed: int, is_queued: bool) -> None:
    """At once, or after as long as a model may think: the numbers are those of the seed."""
    folder = repository(desk.folder / "repository")
    chance = random.Random(seed)

    def pause() -> list[object]:
        return ["think_for", chance.choice([0, 0.01, 0.1])]

    first = [pause(), write_file("{cwd}/f1.txt", "first\n"), write_file("{cwd}/f3.txt", "first\n")]
    second = [
        pause(),
        write_file("{cwd}/f2.txt", "second\n"),
        write_file("{cwd}/f3.txt", "second\n"),
        pause(),
    ]
    agent = desk.agent(
        on_prompt("first", *first), on_prompt("second", *second), on_prompt("third", say("done"))
    )
    talk = await desk.ready(cwd=folder)
    if is_queued:
        for text in ("first", "second", "third"):
            talk.prompt(text)
        await talk.ended(3)
    else:
        for text in ("first", "second", "third"):
            await talk.turn(text)
    f1, f2 = ("f1.txt", 1, "unknown", ["first"]), ("f2.txt", 2, "unknown", ["second"])
    await eventually(lambda: changes(desk) == [f1, f2, ("f3.txt", 2, "unknown", ["second"])])
    # nor is any of it told to the agent as its user's
    assert [len(message["params"]["prompt"]) for message in agent.got("session/prompt")] == [1, 1, 1]


@pytest.fixture
def hanging_git(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Callable[[], None]:
    """A git that says nothing, from when it is called."""
    folder = tmp_path_factory.mktemp("bin")
    program = folder / "git"
    program.write_text("#!/bin/sh\nexec sleep 60\n")
    program.chmod(0o755)
    return lambda: monkeypatch.setenv("PATH", str(folder), prepend=":")


async def test_no_prompt_waits_long_for_a_git_that_hangs(desk: Desk, hanging_git: Callable[[], None]) -> None:
    folder = repository(desk.folder / "repository")
    hanging_git()
    agent = desk.agent(on_prompt("", say("ok")))
    talk = await desk.ready(cwd=folder)
    began = time.monotonic()
    talk.prompt("first")
    talk.prompt("second")
    await eventually(lambda: len(agent.got("session/prompt")) == 2, PATIENCE)
    assert time.monotonic() - began < PATIENCE
    await talk.ended(2)


async def test_a_cancel_while_git_is_waited_for_comes_behind_its_prompt(
    desk: Desk, hanging_git: Callable[[], None]
) -> None:
    folder = repository(desk.folder / "repository")
    hanging_git()
    agent = desk.agent(on_prompt("", wait("session/cancel"), ["result", {"stopReason": "cancelled"}]))
    talk = await desk.ready(cwd=folder)
    talk.prompt("first")
    talk.send("cancel")
    assert (await talk.ended(1))["stop_reason"] == "cancelled"
    methods = [message["method"] for message in agent.got() if "method" in message]
    assert methods[-2:] == ["session/prompt", "session/cancel"]
    assert methods.count("session/prompt") == 1
