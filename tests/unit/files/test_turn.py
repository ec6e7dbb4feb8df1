"""What may still be the agent's once it has answered: files that had changed by then and were not read since."""

import os
from pathlib import Path

from acp_nvim.files import file_snapshot
from acp_nvim.files.boundary import Boundary
from acp_nvim.files.watched_turn import WatchedTurn
from acp_nvim.session.session import Session

YESTERDAY = 86400


def write(path: Path, text: str, age: float = YESTERDAY) -> None:
    """With a time far from now: one stamp stands for one text."""
    path.write_text(text)
    then = path.stat().st_mtime - age
    os.utime(path, (then, then))


def read(turn: WatchedTurn, path: Path) -> None:
    turn.files[str(path)].take(*file_snapshot.look(str(path)))


def answered(folder: Path) -> tuple[WatchedTurn, Path]:
    """A turn that has met a file, which the agent has changed before it answered."""
    path = folder / "notes.txt"
    write(path, "old\n")
    turn = WatchedTurn(Session(1, "mine", str(folder)), 1, Boundary(lambda session: None))
    turn.add_path(str(path), "agent")
    write(path, "the agent's\n", YESTERDAY / 2)
    return turn, path


def test_a_change_that_nobody_has_read_is_the_agent_s(tmp_path: Path) -> None:
    turn, path = answered(tmp_path)
    turn.close()
    assert turn.suspects == [str(path)]
    read(turn, path)
    write(path, "somebody's\n", 0)
    assert turn.suspects == []


def test_of_a_change_that_was_read_before_the_answer_nothing_is_left(tmp_path: Path) -> None:
    turn, path = answered(tmp_path)
    read(turn, path)
    turn.close()
    write(path, "somebody's\n", 0)
    assert turn.suspects == []


def test_a_file_that_was_read_within_a_tick_of_its_change_is_read_again_as_long_as_it_looks_so(
    tmp_path: Path,
) -> None:
    turn, path = answered(tmp_path)
    read(turn, path)
    turn.files[str(path)].sure = False
    turn.close()
    assert turn.suspects == [str(path)]
    write(path, "somebody's\n", 0)
    assert turn.suspects == []
