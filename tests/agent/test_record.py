"""The stderr ring and the wire trace: bounded, faithful, and without secrets."""

import json
import re
import stat
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from acp_nvim.agent.redaction import Redaction
from acp_nvim.agent.stderr import StderrRing
from acp_nvim.agent.trace import WireTrace
from tests.agent.conftest import Lab, Witness
from tests.fakes.script import eventually, on_prompt, raw, say, script, stderr

PROMPT = {"sessionId": "s1", "prompt": [{"type": "text", "text": "hello"}]}


def test_the_ring_gives_lines_however_they_came() -> None:
    ring = StderrRing()
    for byte in b"one\r\n\x1b[1;31mtwo\x1b[0m\n\nbad \xff\nunfinished":
        ring.feed(bytes([byte]))
    assert ring.lines() == ["one", "two", "", "bad \ufffd", "unfinished"]
    assert ring.tail(2) == ("bad \ufffd", "unfinished")


def test_the_ring_is_bounded_in_lines_and_in_their_length() -> None:
    ring = StderrRing(most_bytes=1000, most_of_a_line=100)
    for number in range(1000):
        ring.feed(b"line %d\n" % number)
    assert ring.tail(1) == ("line 999",)
    assert 80 < len(ring.lines()) < 150
    for _ in range(50):
        ring.feed(b"x" * 1000)
    ring.feed(b"\nafter\n")
    assert ring.tail(2) == ("x" * 100, "after")


def test_the_empty_ring() -> None:
    assert StderrRing().tail(3) == ()


def _saved(trace: WireTrace, path: Path) -> list[dict[str, Any]]:
    count = trace.save(str(path))
    entries = [json.loads(line) for line in path.read_text().splitlines()]
    assert len(entries) == count
    return entries


async def test_the_trace_of_a_conversation(lab: Lab, witness: Witness, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("hello", stderr("thinking\n"), raw("no JSON\n"), say("漢")))
    trace = WireTrace()
    connection = lab.connect(agent.argv, witness, trace=trace)
    connection.call("session/prompt", PROMPT, witness.answer)
    await eventually(lambda: witness.all("answer") and connection.stderr.lines())
    entries = _saved(trace, tmp_path / "trace")
    sent = {"jsonrpc": "2.0", "id": 0, "method": "session/prompt", "params": PROMPT}
    assert [entry["msg"] for entry in entries if entry["dir"] == "->"] == [sent]
    assert [entry["msg"] for entry in entries if entry["dir"] == "stderr"] == ["thinking"]
    received = [entry["msg"] for entry in entries if entry["dir"] == "<-"]
    assert received[0] == "no JSON"
    assert received[1]["params"] == witness.all("update")[0]
    assert received[2]["result"] == {"stopReason": "end_turn"}
    assert [entry["t"] for entry in entries] == sorted(entry["t"] for entry in entries)


def test_only_its_owner_reads_a_saved_trace(tmp_path: Path) -> None:
    path = tmp_path / "trace"
    trace = WireTrace()
    trace.record("->", b'{"a":1}\n')
    assert [entry["msg"] for entry in _saved(trace, path)] == [{"a": 1}]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("over", [False, True])
def test_a_file_that_is_there_is_overwritten_only_when_told_and_keeps_its_mode(
    tmp_path: Path, over: bool
) -> None:
    path = tmp_path / "run.sh"
    path.write_text("there before, and longer than what comes, " * 10)
    path.chmod(0o755)
    before = path.read_text()
    trace = WireTrace()
    trace.record("->", b'{"a":1}\n')
    with nullcontext() if over else pytest.raises(FileExistsError):
        trace.save(str(path), over)
    assert (path.read_text() == before) is not over
    assert stat.S_IMODE(path.stat().st_mode) == 0o755


@pytest.mark.parametrize("secret", ['k"e\\y', "schlüssel", "sk-1234567890", "two\nlines"])
def test_no_secret_is_saved(tmp_path: Path, secret: str) -> None:
    trace = WireTrace(secrets=[secret, "", "1"])
    for ascii_only in (True, False):
        message = {
            "id": 1,
            "params": {"env": [{"name": "KEY", "value": secret}], f"x{secret}": f"a {secret} b"},
        }
        trace.record("->", json.dumps(message, ensure_ascii=ascii_only).encode() + b"\n")
    trace.record("stderr", b"the key is " + json.dumps(secret).encode() + b"\n")
    entries = _saved(trace, tmp_path / "trace")
    assert all(text not in (tmp_path / "trace").read_text() for text in (secret, json.dumps(secret)[1:-1]))
    expected = {"id": 1, "params": {"env": [{"name": "KEY", "value": "***"}], "x***": "a *** b"}}
    assert [entry["msg"] for entry in entries] == [expected, expected, 'the key is "***"']


def test_a_very_short_secret_leaves_the_rest_readable() -> None:
    hidden = Redaction(["1", "method"]).value(
        {"method": "1", "text": "10 of 11", "count": 1, "list": ["1", None]}
    )
    assert hidden == {"***": "***", "text": "10 of 11", "count": 1, "list": ["***", None]}


def test_short_lines_of_a_secret_are_hidden_and_what_holds_no_letter_is_not() -> None:
    hidden = Redaction(["hunter2\n{\n----\n  abc4\nno\n4711"])
    assert hidden.text("hunter2 xabc4x ---- { no 4711") == "*** x***x ---- { no ***"
    assert hidden.value({"a": "no", "b": 4711, "c": "----", "d": "now"}) == {
        "a": "***",
        "b": "***",
        "c": "----",
        "d": "now",
    }


KEY = "-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG\n  BKcwggSjAgEAAoIBAQC7\n}\n-----END KEY-----"


@pytest.mark.parametrize("line", ["MIIEvQIBADANBgkqhkiG", "BKcwggSjAgEAAoIBAQC7"])
@pytest.mark.parametrize("told", [KEY, KEY.replace("\n", "\n    > "), json.dumps(KEY)])
def test_of_a_secret_of_several_lines_each_is_one(told: str, line: str) -> None:
    hidden = Redaction([KEY])
    assert line not in hidden.text(f"the key is {told}")
    ring = StderrRing(hidden=hidden)
    ring.feed(f"using {told}\n".encode())
    assert line not in "\n".join(ring.lines())
    assert hidden.text("{ } stays") == "{ } stays"


def test_a_number_may_be_a_secret_and_the_numbers_of_the_record_are_none() -> None:
    value = {
        "t": 48151623,
        "id": 48151623,
        "pin": 48151623,
        "list": [48151623, 4815],
        "half": 2048.5,
        "is": True,
    }
    assert Redaction(["48151623", "2048.5"]).value(value) == {
        "t": 48151623,
        "id": 48151623,
        "pin": "***",
        "list": ["***", 4815],
        "half": "***",
        "is": True,
    }


@pytest.mark.parametrize("most", range(24))
def test_no_cut_goes_through_a_secret(most: int) -> None:
    hidden = Redaction(["abcdefgh", "efghijkl"])
    one = "xxxx" if 4 < most < 12 else "xxxx***yyyyyyyyyyyy"[: most if most <= 4 else most - 5]
    assert hidden.head("xxxxabcdefghyyyyyyyyyyyy", most) == one
    two = hidden.head("xxxxabcdefghijklyyyyyyyy", most)
    assert two == {True: "xxxx"[:most], False: hidden.text("xxxxabcdefghijklyyyyyyyy"[:most])}[most < 16]


SECRET = "sk-" + "abcdefghij" * 6


@pytest.mark.parametrize("before", range(4036, 4097, 12))
def test_a_line_of_stderr_is_not_cut_in_a_secret(before: int) -> None:
    for filling in ("x", "ü", f"{SECRET} "):
        ring = StderrRing(hidden=Redaction([SECRET]))
        filled = (filling * (before // len(filling.encode()))).ljust(before - len(filling.encode()))
        ring.feed(f"{filled}{SECRET} and more\n".encode())
        (line,) = ring.lines()
        assert not re.search("sk-a|abcdef", line)
        assert len(line.encode()) <= 4096


def test_the_longer_secret_goes_first() -> None:
    assert Redaction(["abcd", "abcdefgh"]).text("abcdefgh abcd") == "*** ***"


def test_the_trace_is_bounded_and_begins_with_a_whole_line() -> None:
    trace = WireTrace(most_bytes=10_000)
    for number in range(1000):
        trace.record("<-", b'{"head":%d,' % number)
        trace.record("<-", b'"tail":"%s"}\n' % (b"x" * 100))
    entries = list(trace.entries())
    assert 10 < len(entries) < 50
    assert entries[-1]["msg"]["head"] == 999
    assert all(set(entry["msg"]) == {"head", "tail"} for entry in entries)


def test_a_line_beyond_the_bound_is_left_out() -> None:
    trace = WireTrace(most_bytes=10_000)
    for _ in range(100):
        trace.record("<-", b"x" * 1000)
    trace.record("<-", b'x\n{"whole":1}\n')
    assert [entry["msg"] for entry in trace.entries()] == [{"whole": 1}]


def test_switched_off_it_keeps_nothing_and_begins_anew() -> None:
    trace = WireTrace(on=False)
    trace.record("<-", b'{"unseen":1}\n{"half":')
    trace.start()
    trace.record("<-", b'1}\n{"seen":1}\n')
    trace.stop()
    trace.record("<-", b'{"unseen":2}\n')
    assert [entry["msg"] for entry in trace.entries()] == [{"seen": 1}]


def test_on_while_it_is_on_keeps_what_was_recorded() -> None:
    trace = WireTrace()
    trace.record("->", b'{"first":1}\n{"half":')
    assert not trace.start()
    trace.record("->", b"1}\n")
    assert [entry["msg"] for entry in trace.entries()] == [{"first": 1}, {"half": 1}]


@pytest.mark.parametrize("later", ["a flood", "off and on"])
def test_the_trace_begins_with_initialize(later: str) -> None:
    trace = WireTrace(most_bytes=10_000)
    trace.record("stderr", b"hello\n")
    trace.record("->", b'{"method":"initialize"}\n')
    trace.record("<-", b'{"answer":')
    trace.record("<-", b'1}\n{"cut off')
    greeting = ["hello", {"method": "initialize"}, {"answer": 1}]
    assert [entry["msg"] for entry in trace.entries()][:3] == greeting
    trace.record("<-", b'":2}\n')
    assert [entry["msg"] for entry in trace.entries()] == [*greeting, {"cut off": 2}]
    if later == "a flood":
        for number in range(200):
            trace.record("<-", b'{"update":%d,"text":"%s"}\n' % (number, b"x" * 100))
    else:
        trace.stop()
        trace.record("<-", b'{"unseen":1}\n')
        assert trace.start()
        trace.record("<-", b'{"update":199}\n')
    messages = [entry["msg"] for entry in trace.entries()]
    assert messages[:3] == greeting
    assert messages[-1]["update"] == 199
    assert not any("unseen" in message or "cut off" in message for message in messages)


def test_what_is_no_message_is_kept_as_text() -> None:
    trace = WireTrace()
    deep = b'{"a":' * 100_000
    for line in (b"[1]", b"\xff", deep, b'"text"', b'{"unfinished"'):
        trace.record("<-", line + b"\n")
    assert [entry["msg"] for entry in trace.entries()] == [
        "[1]",
        "\ufffd",
        deep.decode(),
        '"text"',
        '{"unfinished"',
    ]


def test_an_unfinished_last_line_is_part_of_the_trace() -> None:
    trace = WireTrace()
    trace.record("stderr", b"done\nnot yet")
    assert [entry["msg"] for entry in trace.entries()] == ["done", "not yet"]
