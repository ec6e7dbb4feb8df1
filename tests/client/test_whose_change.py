"""Whose a change on the disk is: that of the call which named the file, else of the command that ran at that time.

A folder may have several sessions, and a turn may begin and end while another one runs.
"""

import os
import threading
from pathlib import Path

import pytest

from acp_nvim.files import file_snapshot
from tests.client.conftest import Desk, Talk
from tests.fakes.script import (
    Step,
    eventually,
    mark,
    on_prompt,
    request,
    run_command,
    say,
    tool,
    wait_file,
    write_file,
)
from tests.steps.trees import commit, git

Change = tuple[str, int, str, str | None, str | None, str | None]


@pytest.fixture
def files(desk: Desk) -> Path:
    """A folder of its own, so that git does not see the logs of the agents."""
    folder = desk.folder / "project"
    folder.mkdir()
    for name in ("a.txt", "b.txt", "report.py"):
        (folder / name).write_text(f"{name}\n")
    os.chmod(folder / "b.txt", 0o640)
    return folder


@pytest.fixture(params=["git", "no git"])
def project(request: pytest.FixtureRequest, files: Path) -> Path:
    if request.param == "git":
        commit(files)
    return files


@pytest.fixture
def repository(files: Path) -> Path:
    return commit(files)


def told(desk: Desk, folder: Path) -> list[Change]:
    """What the editor has been told: the file, its session, by whom, the command, and the text before and after."""
    return sorted(
        [
            (
                os.path.relpath(path, folder),
                each["session"],
                each["by"],
                (each.get("call") or {}).get("title"),
                each["before"] if each["known"] else "?",
                each["after"],
            )
            for path, each in desk.editor.changes
        ],
        key=lambda change: change[0],
    )


async def over(desk: Desk, talk: Talk, turn: int = 1) -> None:
    """Wait until the turn is over and all that it has changed has been told."""
    await talk.ended(turn)
    await eventually(lambda: (talk.number, turn) in desk.editor.over)


def edit(path: str, *steps: Step, kind: str = "edit") -> list[Step]:
    begins = tool(
        path, title="Edit", kind=kind, status="in_progress", locations=[{"path": f"{{cwd}}/{path}"}]
    )
    return [begins, *steps, tool(path, known=True, status="completed")]


def read(path: str) -> list[Step]:
    look = request("fs/read_text_file", {"sessionId": "{session}", "path": f"{{cwd}}/{path}"})
    return edit(path, look, kind="read")


async def two(desk: Desk, folder: Path, bystander: list[Step], worker: list[Step]) -> tuple[Talk, Talk, Path]:
    """The first session takes its steps and waits, the second one works meanwhile, and then the first one goes on."""
    go = desk.folder / "go"
    agent = desk.agent(
        on_prompt("watch", *bystander, mark("watching"), wait_file(str(go))), on_prompt("work", *worker)
    )
    first, second = await desk.ready(cwd=folder), await desk.ready(cwd=folder)
    first.prompt("watch")
    await eventually(lambda: agent.logged("mark"))
    second.prompt("work")
    return first, second, go


# with its answer in hand the agent knows that the client has read what it said before
HEARD = request("fs/read_text_file", {"sessionId": "{session}", "path": "{cwd}/report.py"})
NAMED = {
    "an edit": (edit("a.txt", HEARD, write_file("{cwd}/a.txt", "new\n")), None),
    "a command": (run_command("echo new > a.txt", HEARD), "echo new > a.txt"),
    "a pattern": (run_command("sed -i 's/.*/new/' a*.txt", HEARD), "sed -i 's/.*/new/' a*.txt"),
}
BYSTANDERS = {
    "counts": [say("1 2 3")],
    "has read it": read("a.txt"),
    "searches": [tool("s", title="Search", kind="search", status="in_progress", rawInput={"pattern": "x"})],
    "runs another command": run_command("true", id="true"),
}


@pytest.mark.parametrize("bystander", BYSTANDERS)
@pytest.mark.parametrize("way", NAMED)
@pytest.mark.parametrize("ends_first", [True, False])
async def test_what_a_call_has_named_stays_with_its_session(
    desk: Desk, project: Path, bystander: str, way: str, ends_first: bool
) -> None:
    steps, command = NAMED[way]
    held = desk.folder / "held"
    worker = steps if ends_first else [*steps, mark("written"), wait_file(str(held))]
    first, second, go = await two(desk, project, BYSTANDERS[bystander], worker)
    if ends_first:
        await over(desk, second)
    else:
        await eventually(lambda: (project / "a.txt").read_text() == "new\n")
    go.touch()
    await over(desk, first)
    held.touch()
    await over(desk, second)
    assert told(desk, project) == [("a.txt", 2, "agent", command, "a.txt\n", "new\n")]


async def test_what_a_command_does_not_name_is_its_own_while_it_runs(desk: Desk, repository: Path) -> None:
    make = "for n in a b; do echo new > $n.txt; done"
    first, second, go = await two(desk, repository, BYSTANDERS["counts"], run_command(make))
    await over(desk, second)
    go.touch()
    await over(desk, first)
    assert told(desk, repository) == [
        ("a.txt", 2, "agent", make, "a.txt\n", "new\n"),
        ("b.txt", 2, "agent", make, "b.txt\n", "new\n"),
    ]


async def test_of_two_commands_at_once_nobody_knows_which(desk: Desk, repository: Path) -> None:
    waiting = tool("w", title="make", kind="execute", status="in_progress", rawInput={"command": "make"})
    make = "for n in a; do echo new > $n.txt; done"
    first, second, go = await two(desk, repository, [waiting], run_command(make, HEARD))
    await over(desk, second)
    go.touch()
    await over(desk, first)
    assert [change[:3] for change in told(desk, repository)] == [("a.txt", 2, "one of two")]
    assert desk.editor.changes[0][1]["other"] == {"session": 1, "turn": 1}


async def test_a_change_that_two_turns_see_is_told_once(desk: Desk, project: Path) -> None:
    """Nobody has named it, and neither has a call that could have made it."""
    go = desk.folder / "go"
    first, second, over_there = await two(
        desk, project, read("a.txt"), [*read("a.txt"), mark("2"), wait_file(str(go))]
    )
    await eventually(lambda: len(desk.scripted[0].logged("mark")) == 2)
    (project / "a.txt").write_text("somebody's\n")
    over_there.touch()
    await over(desk, first)
    go.touch()
    await over(desk, second)
    assert told(desk, project) == [("a.txt", 2, "unknown", None, "a.txt\n", "somebody's\n")]


async def test_a_turn_that_begins_as_another_one_ends_hides_nothing_of_it(
    desk: Desk, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second session names the file while what the first one has made of it is still being read."""
    go, look, may_read = desk.folder / "go", file_snapshot.look, threading.Event()

    def slow(given: str) -> file_snapshot.Content:
        if threading.current_thread() is not threading.main_thread():
            assert may_read.wait(10)
        return look(given)

    monkeypatch.setattr(file_snapshot, "look", slow)
    reading = edit("a.txt", HEARD, mark("reading"), wait_file(str(go)), kind="read")
    agent = desk.agent(on_prompt("write", *NAMED["an edit"][0]), on_prompt("read", *reading))
    first, second = await desk.ready(cwd=project), await desk.ready(cwd=project)
    first.prompt("write")
    await first.ended(1)
    second.prompt("read")
    await eventually(lambda: agent.logged("mark"))
    may_read.set()
    await over(desk, first)
    go.touch()
    await over(desk, second)
    assert told(desk, project) == [("a.txt", 1, "agent", None, "a.txt\n", "new\n")]


async def test_a_change_that_comes_while_its_file_is_read_is_not_that_of_the_one_before(
    desk: Desk, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A turn that is over has written the file; a call of another one names it, and the user enters its buffer."""
    named, text, path = desk.folder / "named", file_snapshot.text, project / "a.txt"
    begins = tool("e", title="Edit", kind="edit", status="in_progress", locations=[{"path": "{cwd}/a.txt"}])
    watching = [mark("begun"), wait_file(str(named)), begins, HEARD]
    first, second, go = await two(desk, project, watching, NAMED["an edit"][0])
    await over(desk, second)
    named.touch()
    await eventually(lambda: len(desk.scripted[0].logged("mark")) == 2)

    def changed_meanwhile(given: str) -> file_snapshot.Held:
        monkeypatch.setattr(file_snapshot, "text", text)
        path.write_text("newer\n")
        return text(given)

    monkeypatch.setattr(file_snapshot, "text", changed_meanwhile)
    desk.send("entered", path=str(path))
    await eventually(lambda: len(told(desk, project)) == 2)
    go.touch()
    await over(desk, first)
    assert told(desk, project) == [
        ("a.txt", 2, "agent", None, "a.txt\n", "new\n"),
        ("a.txt", 1, "agent", None, "new\n", "newer\n"),
    ]


async def turn(desk: Desk, folder: Path, *steps: Step) -> list[Change]:
    desk.agent(on_prompt("", *steps))
    talk = await desk.ready(cwd=folder)
    talk.prompt("go")
    await over(desk, talk)
    return told(desk, folder)


async def test_a_file_that_was_moved_and_then_edited_was_not_there_before(
    desk: Desk, repository: Path
) -> None:
    move = "git mv report.py receipt.py"
    changes = await turn(
        desk,
        repository,
        *read("report.py"),
        *run_command(move),
        *read("receipt.py"),
        *edit("receipt.py", HEARD, write_file("{cwd}/receipt.py", "receipt\n")),
    )
    born, *edited, gone = changes
    assert (*born[:3], born[4]) == ("receipt.py", 1, "agent", None)
    assert (*[born, *edited][-1][:3], [born, *edited][-1][5]) == ("receipt.py", 1, "agent", "receipt\n")
    assert gone == ("report.py", 1, "agent", move, "report.py\n", None)


@pytest.mark.parametrize("command", ["cp report.py new.py", "for n in new; do cp report.py $n.py; done"])
async def test_a_file_that_a_command_has_made_was_not_there_before(
    desk: Desk, repository: Path, command: str
) -> None:
    changes = await turn(desk, repository, *run_command(command), *read("new.py"))
    assert changes == [("new.py", 1, "agent", command, None, "report.py\n")]


async def test_a_clean_file_that_is_named_after_a_command_has_changed_it(
    desk: Desk, repository: Path
) -> None:
    command = "for n in a; do echo new > $n.txt; done"
    changes = await turn(
        desk, repository, *run_command(command), *edit("a.txt", write_file("{cwd}/a.txt", "newer\n"))
    )
    assert changes[0][:4] == ("a.txt", 1, "agent", command) or changes[0][4] == "a.txt\n"
    assert (changes[0][4], changes[-1][5]) == ("a.txt\n", "newer\n")


async def test_without_git_an_earlier_text_that_nobody_has_seen_is_said_to_be_unknown(
    desk: Desk, files: Path
) -> None:
    command = "for n in a; do echo new > $n.txt; done"
    changes = await turn(
        desk,
        files,
        *run_command(command, *read("b.txt")),  # the call has been heard of when the command runs
        *read("a.txt"),
        *edit("a.txt", HEARD, write_file("{cwd}/a.txt", "newer\n")),
    )
    assert changes[0] == ("a.txt", 1, "agent", command, "?", "new\n")
    assert (changes[1][4], changes[-1][3], changes[-1][5]) == ("new\n", None, "newer\n")


async def test_what_the_user_pulls_while_a_command_runs_is_nobody_s(desk: Desk, repository: Path) -> None:
    go = desk.folder / "go"
    pull = f"while [ ! -e {go} ]; do sleep 0.01; done"
    desk.agent(on_prompt("", *run_command(pull, *read("b.txt"), mark("begun"))))
    talk = await desk.ready(cwd=repository)
    talk.prompt("go")
    await eventually(lambda: desk.scripted[0].logged("mark"))
    for name in ("a.txt", "new.txt"):
        (repository / name).write_text("pulled\n")
    (repository / "report.py").unlink()
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "of somebody else")
    go.touch()
    await over(desk, talk)
    assert told(desk, repository) == []


async def test_what_a_git_command_of_the_agent_s_checks_out_is_its_own(desk: Desk, repository: Path) -> None:
    (repository / "a.txt").write_text("side\n")
    git(repository, "checkout", "-qb", "side")
    git(repository, "commit", "-qam", "side")
    git(repository, "checkout", "-q", "-")
    command = "git checkout -q side"
    changes = await turn(desk, repository, *read("a.txt"), *run_command(command))
    assert changes == [("a.txt", 1, "agent", command, "a.txt\n", "side\n")]


async def test_what_one_has_changed_before_the_other_begins_is_found(desk: Desk, repository: Path) -> None:
    make = "for n in a; do echo new > $n.txt; done"
    first, second, go = await two(desk, repository, run_command(make), run_command("true", id="true"))
    await over(desk, second)
    go.touch()
    await over(desk, first)
    assert told(desk, repository) == [("a.txt", 1, "agent", make, "a.txt\n", "new\n")]
