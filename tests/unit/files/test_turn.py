"""What is still the agent's once it has answered: what its files held at the answer."""

import os
from pathlib import Path

import pytest

from acp_nvim import limits
from acp_nvim.files import disk, file_snapshot
from acp_nvim.files.boundary import Boundary
from acp_nvim.files.watched_turn import WatchedTurn
from acp_nvim.session.session import Session

YESTERDAY = 86400


def answered(folder: Path) -> tuple[WatchedTurn, Path]:
    """A turn that has met a file, which the agent has changed before it answered."""
    path = folder / "notes.txt"
    path.write_text("old\n")
    turn = WatchedTurn(Session(1, "mine", str(folder)), 1, Boundary(lambda session: None))
    turn.add_path(str(path), "agent")
    path.write_text("the agent's\n")
    return turn, path


def held(turn: WatchedTurn) -> dict[str, object]:
    return {os.path.basename(path): found and found[1] for path, found in turn.at_answer.items()}


def test_what_a_file_held_at_the_answer_is_kept_whatever_becomes_of_it(tmp_path: Path) -> None:
    turn, path = answered(tmp_path)
    turn.close()
    path.write_text("somebody's\n")
    assert held(turn) == {"notes.txt": "the agent's\n"}


def test_a_file_that_is_deleted_after_the_answer_was_there_at_the_answer(tmp_path: Path) -> None:
    turn, path = answered(tmp_path)
    turn.close()
    path.unlink()
    assert held(turn) == {"notes.txt": "the agent's\n"}


def test_a_file_of_before_the_turn_that_looks_as_it_did_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("old\n")
    session = Session(1, "mine", str(tmp_path))
    later = disk.clock() + YESTERDAY * 10**9
    turn = WatchedTurn(session, 1, Boundary(lambda session: None), began=later)
    turn.add_path(str(path), "agent")
    assert turn.changed([str(path)]) == []
    path.write_text("newer\n")
    assert turn.changed([str(path)]) == [str(path)]


def test_a_file_that_has_changed_since_the_turn_began_is_read_whatever_its_stamp_is(tmp_path: Path) -> None:
    """It may have changed twice within one tick of its clock."""
    turn, path = answered(tmp_path)
    seen = turn.files[str(path)]
    seen.take(*file_snapshot.look(str(path)))
    assert file_snapshot.stamp(str(path)) == seen.stamp
    assert turn.changed([str(path)]) == [str(path)]


def test_what_is_too_much_to_be_read_at_the_answer_is_read_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    turn, _path = answered(tmp_path)
    monkeypatch.setattr(limits, "WATCHED_BYTES", 3)
    turn.close()
    assert held(turn) == {"notes.txt": None}


@pytest.mark.parametrize(
    "data", [b"", b"text\r\n", b"\xef\xbb\xbftext\n", b"caf\xe9\n", b"\xef\xbb\xbfcaf\xe9\n", b"a\0b"]
)
def test_a_file_that_is_put_back_has_the_bytes_it_had(data: bytes) -> None:
    held = file_snapshot.DiskText.of(data)
    assert isinstance(held, str | file_snapshot.Bytes)
    assert file_snapshot.raw(held) == data
