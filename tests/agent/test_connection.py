"""An agent on the wire: order, sizes, calls and their ends. Every agent here is a real process."""

import asyncio
from pathlib import Path

import pytest

from acp_nvim.agent.connection import Connection, Gone
from acp_nvim.agent.trace import Direction, WireTrace
from acp_nvim.protocol.errors import RpcError
from acp_nvim.protocol.jsonrpc import Failure, Request, Response
from tests.agent.conftest import Lab, Witness
from tests.fakes.script import (
    ask,
    blob,
    eventually,
    flood,
    huge,
    mark,
    notify,
    on,
    on_prompt,
    permission,
    raw,
    repeat,
    request,
    say,
    script,
    silence,
    stop_reading,
    wait,
    wait_file,
)

PROMPT = {"sessionId": "s1", "prompt": [{"type": "text", "text": "hello"}]}


async def test_a_conversation(lab: Lab, witness: Witness, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("hello", say("Hi "), say("there")))
    connection = lab.connect(agent.argv, witness)
    for method, params in (("initialize", {"protocolVersion": 1}), ("session/prompt", PROMPT)):
        connection.call(method, params, witness.answer)
    await eventually(lambda: len(witness.all("answer")) == 2)
    assert witness.all("answer")[1] == Response(1, "session/prompt", {"stopReason": "end_turn"})
    assert witness.texts() == ["Hi ", "there"]
    assert [message["method"] for message in agent.got()] == ["initialize", "session/prompt"]
    assert agent.got()[1] == {"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": PROMPT}


async def test_updates_and_answers_keep_the_order_of_the_wire(
    lab: Lab, witness: Witness, tmp_path: Path
) -> None:
    answers = (raw(f'{{"jsonrpc":"2.0","id":{number},"result":{number}}}\n') for number in range(50))
    steps = [step for answer in answers for step in (repeat(100, say("{n}")), answer)]
    agent = script(tmp_path, on("hold", silence()), on("go", *steps, silence()))
    connection = lab.connect(agent.argv, witness)
    for method in (*["hold"] * 49, "go"):
        connection.call(method, {"sessionId": "s1"}, witness.answer)
    await eventually(lambda: len(witness.seen) == 5050)
    assert [what for what, _ in witness.seen] == (["update"] * 100 + ["answer"]) * 50
    assert witness.texts() == [str(number) for number in range(100)] * 50
    assert [answer.result for answer in witness.all("answer")] == list(range(50))


@pytest.mark.statement(3)
async def test_bytes_one_by_one(lab: Lab, witness: Witness, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("hello", ["bytewise", True], say("é漢😀\u2028"), say("two")))
    connection = lab.connect(agent.argv, witness)
    connection.call("session/prompt", PROMPT, witness.answer)
    await eventually(lambda: witness.all("answer"))
    assert witness.texts() == ["é漢😀\u2028", "two"]


@pytest.mark.statement(4)
async def test_a_line_of_20_megabytes(lab: Lab, witness: Witness, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("hello", huge(20_000_000)))
    turns = Turns()
    connection = lab.connect(agent.argv, witness, trace=turns)
    connection.call("session/prompt", PROMPT, witness.answer)
    await eventually(lambda: witness.all("answer"))
    assert len(witness.texts()[0]) == 20_000_000
    assert len(turns.of_reads) >= 20
    assert len(turns.of_reads) == len(set(turns.of_reads))  # between two reads the loop was free for others


class Turns(WireTrace):
    """In which turn of the loop each read took place."""

    def __init__(self) -> None:
        super().__init__()
        self.of_reads: list[int] = []
        self._now = 0
        self._next()

    def record(self, direction: Direction, data: bytes) -> None:
        if direction == "<-":
            self.of_reads.append(self._now)

    def _next(self) -> None:
        self._now += 1
        asyncio.get_running_loop().call_soon(self._next)


@pytest.mark.statement(5)
async def test_garbage_is_reported_and_the_rest_works(lab: Lab, witness: Witness, tmp_path: Path) -> None:
    garbage = raw("Welcome!\n42\nnull\n[1]\n"), ["bytes", "\xff\xfe\x00\n"]
    agent = script(tmp_path, on_prompt("hello", *garbage, say("Hi")))
    connection = lab.connect(agent.argv, witness)
    connection.call("session/prompt", PROMPT, witness.answer)
    await eventually(lambda: witness.all("answer"))
    assert len(witness.all("stray")) == 5
    assert witness.all("stray")[0].text == "Welcome!"
    assert witness.texts() == ["Hi"]


@pytest.mark.statement(7)
async def test_a_flood_on_stderr_does_not_block(lab: Lab, witness: Witness, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("hello", flood(7000), blob(1_000_000), say("Hi")))
    connection = lab.connect(agent.argv, witness)
    connection.call("session/prompt", PROMPT, witness.answer)
    await eventually(lambda: witness.all("answer"))
    await eventually(lambda: connection.stderr.tail(1)[0].startswith("xxx"))
    assert connection.stderr.tail(2)[0].startswith("noise 6999 ")
    assert sum(map(len, connection.stderr.lines())) < 300_000


async def test_an_agent_that_does_not_read_blocks_nobody(lab: Lab, witness: Witness, tmp_path: Path) -> None:
    agent = script(tmp_path, start=[stop_reading(), say("I only talk")])
    connection = lab.connect(agent.argv, witness)
    await eventually(witness.texts)
    for _ in range(5):
        connection.notify("big", {"text": "x" * 1_000_000})
    assert 3_000_000 < connection.outstanding < 5_000_300
    await connection.stop()
    assert witness.all("exit")[0].asked
    assert connection.outstanding == 0


async def test_what_waits_to_be_written_arrives_whole_and_in_order(
    lab: Lab, witness: Witness, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    agent = script(tmp_path, start=[mark("waiting"), wait_file(str(gate))])
    connection = lab.connect(agent.argv, witness)
    await eventually(lambda: agent.logged("mark"))
    for number in range(8):
        connection.notify(f"note {number}", {"text": "漢" * 250_000})
    assert connection.outstanding > 4_000_000
    gate.touch()
    await eventually(lambda: len(agent.got()) == 8)
    assert [message["method"] for message in agent.got()] == [f"note {number}" for number in range(8)]
    assert connection.outstanding == 0


@pytest.mark.statement(9)
async def test_requests_of_the_agent_are_answered_with_their_own_ids(
    lab: Lab, witness: Witness, tmp_path: Path
) -> None:
    agent = script(tmp_path, on_prompt("hello", permission("Run it?"), say("{answer}")), ids="srv_")
    connection = lab.connect(agent.argv, witness)
    connection.call("session/prompt", PROMPT, witness.answer)
    question: Request = (await eventually(lambda: witness.all("request")))[0]
    assert (question.id, question.method) == ("srv_0", "session/request_permission")
    connection.respond(question.id, {"outcome": {"outcome": "selected", "optionId": "yes"}})
    await eventually(lambda: witness.all("answer"))
    assert witness.texts() == ['{"outcome": {"outcome": "selected", "optionId": "yes"}}']


@pytest.mark.statement(13)
async def test_a_handler_that_fails_answers_with_an_error_and_the_connection_lives(
    lab: Lab, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    class Clumsy(Witness):
        def on_request(self, request: Request) -> None:
            if request.method == "refused":
                raise RpcError(-32602, "bad params")
            raise KeyError("a fault of ours")

        def on_notification(self, notification: object) -> None:
            raise KeyError("another")

    witness = Clumsy()
    steps = request("refused", {}), say("{answer}"), notify("x", {}), request("clumsy", {}), say("{answer}")
    connection = lab.connect(script(tmp_path, on_prompt("hello", *steps)).argv, witness)
    connection.call("session/prompt", PROMPT, witness.answer)
    await eventually(lambda: witness.all("answer"))
    assert witness.texts() == [
        '{"code": -32602, "message": "bad params"}',
        '{"code": -32603, "message": "clumsy failed"}',
    ]
    assert [record.exc_info is not None for record in caplog.records] == [True, True]


async def test_an_answer_that_takes_too_long_is_told_and_still_counts(
    lab: Lab, witness: Witness, tmp_path: Path
) -> None:
    agent = script(tmp_path, on_prompt("hello", wait("go on")))
    connection = lab.connect(agent.argv, witness)
    connection.call("session/prompt", PROMPT, witness.answer, timeout=0.05, on_timeout=witness.late("prompt"))
    await eventually(lambda: witness.all("late"))
    assert witness.all("answer") == []
    connection.notify("go on", {})
    await eventually(lambda: witness.all("answer"))
    assert [what for what, _ in witness.seen] == ["late", "answer"]


async def test_an_answer_in_time_raises_no_alarm(lab: Lab, witness: Witness, tmp_path: Path) -> None:
    connection = lab.connect(script(tmp_path, on("mute", silence())).argv, witness)
    connection.call("initialize", {}, witness.answer)
    await eventually(lambda: witness.all("answer"))
    for method, seconds in (("authenticate", 0.3), ("mute", 0.31)):
        connection.call(method, {}, witness.answer, timeout=seconds, on_timeout=witness.late(method))
    await eventually(lambda: witness.all("late"))
    assert witness.all("late") == ["mute"]


async def test_an_error_answer_is_a_failure(lab: Lab, witness: Witness, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("hello", ["error", -32000, "log in first", {"why": "no key"}]))
    connection = lab.connect(agent.argv, witness)
    connection.call("session/prompt", PROMPT, witness.answer)
    (failure,) = await eventually(lambda: witness.all("answer"))
    assert isinstance(failure, Failure)
    assert (failure.error.code, failure.error.data) == (-32000, {"why": "no key"})


async def test_a_call_to_an_agent_that_has_ended(lab: Lab, witness: Witness, tmp_path: Path) -> None:
    connection = lab.connect(script(tmp_path).argv, witness)
    await eventually(lambda: connection.pid)
    await connection.stop()
    connection.call("session/new", {}, witness.answer)
    connection.notify("session/cancel", {})  # nobody hears it, nothing breaks
    assert witness.all("answer") == []  # never before `call` has returned
    await eventually(lambda: witness.all("answer"))
    assert witness.all("answer") == [Gone(witness.all("exit")[0])]


async def test_a_restart_is_a_new_connection(lab: Lab, witness: Witness, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("hello", ask("fs/read_text_file", {}), wait("never")))
    first = lab.connect(agent.argv, witness)
    first.call("session/prompt", PROMPT, witness.answer)
    await eventually(lambda: witness.all("request"))
    await first.stop()
    second = lab.connect(agent.argv, witness)
    second.call("authenticate", {}, witness.answer)
    await eventually(lambda: len(witness.all("answer")) == 2)
    assert [type(answer) for answer in witness.all("answer")] == [Gone, Response]
    assert len({start["pid"] for start in agent.logged("start")}) == 2


async def test_stopped_before_it_ran(witness: Witness, tmp_path: Path) -> None:
    agent = script(tmp_path)
    connection = Connection("mine", agent.argv, cwd=str(tmp_path), handler=witness)
    connection.call("initialize", {}, witness.answer)
    await connection.stop()
    assert (await connection.run()).asked
    assert [what for what, _ in witness.seen] == ["answer", "exit"]
    assert not agent.log.exists()
