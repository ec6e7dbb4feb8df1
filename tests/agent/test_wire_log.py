"""The wire on disk: private, without secrets, bounded; and what it cannot write does no harm."""

import json
import os
import stat
from pathlib import Path
from typing import Any

from acp_nvim.agent import wire_log
from acp_nvim.agent.trace import WireTrace
from acp_nvim.agent.wire_log import WireFile
from tests.agent.conftest import Lab, Witness
from tests.fakes.script import eventually, on_prompt, say, script, stderr


def begun(folder: Path) -> WireFile:
    file = wire_log.begin(str(folder), "my/agent", lambda level, text: None)
    assert file
    return file


def entries(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


async def test_all_of_a_conversation_is_in_the_file(lab: Lab, witness: Witness, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("hello", stderr("the key is s3cret"), say("s3cret 漢")))
    file = begun(tmp_path / "log")
    connection = lab.connect(agent.argv, witness, trace=WireTrace(["s3cret"], on=False, file=file))
    connection.call("session/prompt", {"sessionId": "s", "prompt": "hello"}, witness.answer)
    await eventually(lambda: witness.all("answer") and connection.stderr.lines())
    await connection.stop()
    found = entries(file.path)
    assert [entry["dir"] for entry in found if entry["dir"] != "stderr"] == ["->", "<-", "<-"]
    assert [entry["msg"] for entry in found if entry["dir"] == "stderr"] == ["the key is ***"]
    assert "s3cret" not in file.path.read_text()
    assert "*** 漢" in file.path.read_text()
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.path.parent.stat().st_mode) == 0o700
    assert "/" not in file.path.name


def test_a_secret_cut_by_a_read_is_hidden(tmp_path: Path) -> None:
    file = begun(tmp_path)
    trace = WireTrace(["s3cret"], file=file)
    for piece in (b'{"a": "s3', b'cret"}\n{"b"', b": 1}"):
        trace.record("<-", piece)
    trace.close()
    assert [entry["msg"] for entry in entries(file.path)] == [{"a": "***"}, {"b": 1}]


def test_a_full_file_makes_room_for_the_next(tmp_path: Path) -> None:
    file = WireFile(tmp_path / "wire", most_bytes=100)
    for number in range(50):
        file.write(b"%09d\n" % number)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["wire", "wire.1"]
    lines = [*(tmp_path / "wire.1").read_text().split(), *file.path.read_text().split()]
    assert lines == [f"{number:09}" for number in range(30, 50)]
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600


def test_the_oldest_files_go(tmp_path: Path) -> None:
    for number in range(15):
        file = begun(tmp_path)
        file.write(b"x\n")
        os.utime(file.path, (number, number))
        Path(f"{file.path}.1").touch()
    kept = sorted(path.stat().st_mtime for path in (tmp_path / "acp_nvim").glob("*.jsonl"))
    assert kept == list(range(5, 15))
    assert len(list((tmp_path / "acp_nvim").glob("*.1"))) == 10


def test_what_cannot_be_written_is_given_up(tmp_path: Path) -> None:
    file = WireFile(tmp_path / "nowhere" / "wire")
    file.write(b"x\n")
    file.write(b"y\n")
    assert list(tmp_path.iterdir()) == []


def test_without_a_folder_the_user_hears_of_it(tmp_path: Path) -> None:
    (tmp_path / "log").touch()
    said: list[str] = []
    assert wire_log.begin(str(tmp_path / "log"), "mine", lambda level, text: said.append(text)) is None
    assert said[0].startswith("log.wire: the messages cannot be recorded")
