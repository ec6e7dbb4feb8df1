"""Which conversation of a folder was the last, and whether it was cut off."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from acp_nvim.history import past_conversations

OPENED = {"id": "2", "method": "session/new", "params": {"cwd": "/w", "mcpServers": []}}
WORDS = [{"type": "text", "text": "do\nit"}]
PROMPT = {"id": "3", "method": "session/prompt", "params": {"prompt": WORDS}}
END = {"id": "3", "result": {"stopReason": "end_turn"}}
TALK = {
    "method": "session/update",
    "params": {"update": {"content": {"text": '"stopReason": session/prompt'}}},
}
NOBODY = 2**22 + 1  # more than any process's number


def written(path: Path, *messages: object, age: int = 0, rest: str = "") -> Path:
    lines = [json.dumps({"t": 0, "dir": "<-", "msg": message}) for message in messages]
    path.write_text("".join(f"{line}\n" for line in lines) + rest)
    os.utime(path, (1e9 - age, 1e9 - age))
    return path


def test_it_is_the_newest_of_the_folder_that_is_over(tmp_path: Path) -> None:
    elsewhere = {**OPENED, "params": {"cwd": "/v"}}
    written(tmp_path / f"1-a-{NOBODY}-1.jsonl", OPENED, age=9)
    last = written(tmp_path / f"2-a-{NOBODY}-1.jsonl", {}, OPENED, age=5)
    written(tmp_path / f"3-a-{NOBODY}-1.jsonl", elsewhere)
    going = written(tmp_path / f"5-a-{NOBODY}-1.jsonl", OPENED)
    (tmp_path / "6.jsonl").write_text('no json, session/new\n[1]\n{"msg": ["session/new"]}\n')
    code = [sys.executable, "-c", "input(0)", "acp_nvim"]
    with subprocess.Popen(code, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as writer:
        assert writer.stdout
        writer.stdout.read(1)  # it runs
        written(tmp_path / f"4-a-{writer.pid}-1.jsonl", OPENED)
        written(tmp_path / f"4-a-{os.getpid()}-1.jsonl", {**OPENED, "params": 1})
        assert past_conversations.latest(tmp_path, "/w", {str(going)}) == last
        writer.communicate(b"\n")
    assert past_conversations.latest(tmp_path, "/x") is None
    assert past_conversations.latest(tmp_path / "none", "/w") is None


@pytest.mark.parametrize(
    ("messages", "rest", "cut"),
    [
        ((), "", None),
        ((OPENED,), "", None),
        ((OPENED, PROMPT, TALK, END, TALK), "", None),
        ((OPENED, PROMPT, TALK), "", "do\nit"),
        ((OPENED, PROMPT, END, PROMPT), '{"t": 0, "msg": {"result": {"stopReason', "do\nit"),
    ],
)
def test_a_prompt_without_an_end_was_cut_off(
    tmp_path: Path, messages: tuple[object, ...], rest: str, cut: str | None
) -> None:
    assert past_conversations.cut_prompt(written(tmp_path / "a.jsonl", *messages, rest=rest)) == cut
