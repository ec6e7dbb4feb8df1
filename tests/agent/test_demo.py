"""The demo agent as a process, seen through its pipes; another implementation's models are the witness."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import acp.schema as witness
import pytest

Json = dict[str, Any]
Handler = Callable[[Json], Json | None]

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 10.0  # seconds until a message that does not come is given up
ALL = {"fs": {"readTextFile": True, "writeTextFile": True}, "terminal": True}
COMMANDS = {
    "help",
    "tour",
    "plan",
    "think",
    "read",
    "edit",
    "rename",
    "write",
    "run",
    "slow",
    "long",
    "error",
    "markdown",
    "image",
}
BOOLEANS: Json = {"session": {"configOptions": {"boolean": {}}}}
RESULTS = {
    "initialize": witness.InitializeResponse,
    "session/new": witness.NewSessionResponse,
    "session/load": witness.LoadSessionResponse,
    "session/resume": witness.ResumeSessionResponse,
    "session/fork": witness.ForkSessionResponse,
    "session/list": witness.ListSessionsResponse,
    "session/close": witness.CloseSessionResponse,
    "session/delete": witness.DeleteSessionResponse,
    "session/set_mode": witness.SetSessionModeResponse,
    "session/set_config_option": witness.SetSessionConfigOptionResponse,
    "session/prompt": witness.PromptResponse,
}
CALLS = {
    "session/update": witness.SessionNotification,
    "session/request_permission": witness.RequestPermissionRequest,
    "fs/read_text_file": witness.ReadTextFileRequest,
    "fs/write_text_file": witness.WriteTextFileRequest,
    "terminal/create": witness.CreateTerminalRequest,
    "terminal/output": witness.TerminalOutputRequest,
    "terminal/wait_for_exit": witness.WaitForTerminalExitRequest,
    "terminal/kill": witness.KillTerminalRequest,
    "terminal/release": witness.ReleaseTerminalRequest,
}


class Refusal(Exception):
    """What a handler raises to answer with an error."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.error = {"code": code, "message": message}


def bear_witness(model: Any, value: Json) -> None:
    """The model takes the value, and nothing of it was dropped, mended or unknown."""
    seen = model.model_validate(value).model_dump(mode="json", by_alias=True, exclude_unset=True)
    assert seen == value


class Client:
    """A demo agent and its client, which keeps every message; `handlers` answer requests, or not (None)."""

    def __init__(self, cwd: Path, speed: str = "0") -> None:
        self.cwd = str(cwd)
        self.messages: list[Json] = []
        self.handlers: dict[str, Handler] = {}
        self._asked: dict[object, str] = {}
        self._next_id = 100
        self._inbox: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "acp_nvim.demo"],
            cwd=ROOT,
            env={**os.environ, "ACP_DEMO_SPEED": speed},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._inbox.put(line)
        self._inbox.put(b"")

    def end(self) -> int:
        """Closes the agent's input; its exit code."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        try:
            return self.process.wait(PATIENCE)
        finally:
            self.process.kill()
            self._reader.join(PATIENCE)
            self.process.stdout.close()

    def write(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, **message: object) -> None:
        self.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def ask(self, method: str, **params: object) -> int:
        self._next_id += 1
        self._asked[self._next_id] = method
        self.send(id=self._next_id, method=method, params=params)
        return self._next_id

    def cancel(self, session: str) -> None:
        self.send(method="session/cancel", params={"sessionId": session})

    def receive(self) -> Json:
        """The next message, checked; if it is a request with a handler, that answers it."""
        line = self._inbox.get(timeout=PATIENCE)
        assert line, "the agent has closed its output"
        message: Json = json.loads(line)
        self.messages.append(message)
        assert message["jsonrpc"] == "2.0"
        if "method" in message:
            bear_witness(CALLS[message["method"]], message["params"])
            if "id" in message:
                self._answer(message)
        elif "error" in message:
            bear_witness(witness.Error, message["error"])
        else:
            bear_witness(RESULTS[self._asked[message["id"]]], message["result"])
        return message

    def _answer(self, message: Json) -> None:
        try:
            result = self.handlers[message["method"]](message["params"])
        except Refusal as refusal:
            self.send(id=message["id"], error=refusal.error)
        else:
            if result is not None:
                self.send(id=message["id"], result=result)

    def until(self, wanted: Callable[[Json], bool]) -> Json:
        while not wanted(message := self.receive()):
            pass
        return message

    def answer(self, request_id: object) -> Json:
        return self.until(lambda message: "method" not in message and message["id"] == request_id)

    def call(self, method: str, **params: object) -> Json:
        """The result of a request, whatever else comes before."""
        result: Json = self.answer(self.ask(method, **params))["result"]
        return result

    def error(self, method: str, **params: object) -> int:
        code: int = self.answer(self.ask(method, **params))["error"]["code"]
        return code

    def initialize(self, **capabilities: object) -> Json:
        return self.call("initialize", protocolVersion=1, clientCapabilities=capabilities)

    def new(self) -> str:
        session: str = self.call("session/new", cwd=self.cwd, mcpServers=[])["sessionId"]
        self.until(lambda message: tag(message) == "available_commands_update")
        return session

    def prompt(self, session: str, text: str, *blocks: Json) -> int:
        return self.ask("session/prompt", sessionId=session, prompt=[{"type": "text", "text": text}, *blocks])

    def turn(self, session: str, text: str, *blocks: Json) -> Turn:
        first = len(self.messages)
        answer = self.answer(self.prompt(session, text, *blocks))
        return Turn(self.messages[first:], answer)


def tag(message: Json) -> str:
    """session/update's tag, or else the method, or nothing."""
    update = message.get("params", {}).get("update", {})
    return str(update.get("sessionUpdate", message.get("method", "")))


class Turn:
    """All messages between a prompt and its answer."""

    def __init__(self, messages: list[Json], answer: Json) -> None:
        self.messages = messages
        self.stop_reason = answer.get("result", {}).get("stopReason")
        self.error: Json = answer.get("error", {})

    def updates(self, *tags: str) -> list[Json]:
        return [message["params"]["update"] for message in self.messages if tag(message) in tags]

    @property
    def text(self) -> str:
        blocks = [update["content"] for update in self.updates("agent_message_chunk")]
        return "".join(block["text"] for block in blocks if block["type"] == "text")

    @property
    def order(self) -> list[str]:
        """What happened, tool calls with their status; the talk and the book-keeping left out."""
        quiet = ("agent_message_chunk", "session_info_update", "usage_update", "")
        return [
            " ".join([tag(message), *([status] if (status := _status(message)) else [])])
            for message in self.messages
            if tag(message) not in quiet
        ]

    def tool_states(self) -> dict[str, Json]:
        """The tool calls as a client would show them in the end."""
        states: dict[str, Json] = {}
        for update in self.updates("tool_call", "tool_call_update"):
            states.setdefault(update["toolCallId"], {}).update(update)
        return states

    def tool(self) -> Json:
        (state,) = self.tool_states().values()
        return state


def _status(message: Json) -> str:
    return str(message["params"].get("update", {}).get("status", ""))


def choose(kind: str) -> Handler:
    def select(params: Json) -> Json:
        option = next(option for option in params["options"] if option["kind"] == kind)
        return {"outcome": {"outcome": "selected", "optionId": option["optionId"]}}

    return select


def never(params: Json) -> Json:
    raise AssertionError(f"nobody should have asked: {params}")


def hold(params: Json) -> None:
    """The answer does not come."""


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Client]]:
    clients: list[Client] = []

    def start(**capabilities: object) -> Client:
        clients.append(Client(tmp_path))
        clients[-1].initialize(**capabilities)
        return clients[-1]

    yield start
    for client in clients:
        client.end()


@pytest.fixture
def client(start: Callable[..., Client]) -> Client:
    """With no capability at all."""
    return start()


def serve_terminal(client: Client, output: str = "hello\n", code: int = 0) -> None:
    client.handlers |= {
        "terminal/create": lambda params: {"terminalId": "t1"},
        "terminal/wait_for_exit": lambda params: {"exitCode": code},
        "terminal/output": lambda params: {"output": output, "truncated": False},
        "terminal/kill": lambda params: {},
        "terminal/release": lambda params: {},
    }


def serve_files(client: Client, texts: dict[str, str]) -> None:
    def read(params: Json) -> Json:
        if params["path"] not in texts:
            raise Refusal(-32002, "no such file")
        return {"content": texts[params["path"]]}

    def write(params: Json) -> Json:
        texts[params["path"]] = params["content"]
        return {}

    client.handlers |= {"fs/read_text_file": read, "fs/write_text_file": write}


# The wire


def test_initialize_offers_what_there_is(tmp_path: Path) -> None:
    client = Client(tmp_path)
    result = client.initialize()
    assert result["protocolVersion"] == 1
    assert result["agentInfo"]["title"] == "Demo"
    assert result["authMethods"] == []
    assert result["agentCapabilities"]["loadSession"] is True
    assert client.end() == 0


def test_nothing_before_initialize(tmp_path: Path) -> None:
    client = Client(tmp_path)
    assert client.error("session/new", cwd=client.cwd, mcpServers=[]) == -32600
    assert client.error("initialize") == -32602
    client.initialize()
    client.new()
    assert client.end() == 0


def test_a_version_it_does_not_speak_is_answered_with_its_own(client: Client) -> None:
    assert client.call("initialize", protocolVersion=7)["protocolVersion"] == 1


BAD_REQUESTS: list[tuple[str, Json, int]] = [
    ("no/such_method", {}, -32601),
    ("authenticate", {"methodId": "x"}, -32601),
    ("session/new", {"mcpServers": []}, -32602),
    ("session/new", {"cwd": "relative", "mcpServers": []}, -32602),
    ("session/new", {"cwd": "/no/such/place", "mcpServers": []}, -32602),
    ("session/new", {"cwd": "/"}, -32602),
    ("session/prompt", {"prompt": []}, -32602),
    ("session/prompt", {"sessionId": "SESSION"}, -32602),
    ("session/prompt", {"sessionId": "SESSION", "prompt": "text"}, -32602),
    ("session/prompt", {"sessionId": "SESSION", "prompt": ["text"]}, -32602),
    ("session/prompt", {"sessionId": "SESSION", "prompt": [{"type": "text", "text": 3}]}, -32602),
    ("session/prompt", {"sessionId": "other", "prompt": []}, -32002),
    ("session/load", {"sessionId": "other", "cwd": "/", "mcpServers": []}, -32002),
    ("session/list", {"cwd": 3}, -32602),
    ("session/list", {"cursor": "x"}, -32602),
    ("session/set_mode", {"sessionId": "SESSION", "modeId": "fly"}, -32602),
    ("session/set_config_option", {"sessionId": "SESSION", "configId": "x", "value": "y"}, -32602),
    ("session/set_config_option", {"sessionId": "SESSION", "configId": "model", "value": []}, -32602),
]


def test_bad_requests_get_an_error_and_do_no_harm(client: Client) -> None:
    session = client.new()
    for method, params, code in BAD_REQUESTS:
        if params.get("sessionId") == "SESSION":
            params = {**params, "sessionId": session}
        assert (method, params, client.error(method, **params)) == (method, params, code)
    assert client.turn(session, "/think").stop_reason == "end_turn"


def test_garbage_is_answered_and_notifications_are_not(client: Client) -> None:
    session = client.new()
    deep = b"[" * 100_000
    client.write(b"not json\n42\nnull\n[]\n\n\r\n" + deep + b'\n{"id": 7, "method": 3}\n')
    client.write(b'{"id": "x", "method": "session/list", "params": []}\n')
    client.write(
        b'{"method": "no/such"}\n{"method": "session/cancel", "params": 3}\n{"id": 99, "result": 1}\n'
    )
    got = [client.receive() for _ in range(7)]
    assert [message["error"]["code"] for message in got] == [-32700, *[-32600] * 3, -32700, -32600, -32602]
    assert [message["id"] for message in got] == [None] * 5 + [7, "x"]
    assert client.turn(session, "/think").stop_reason == "end_turn"


def test_deep_and_strange_prompts_leave_it_alive(client: Client) -> None:
    session = client.new()
    deep: list[object] = []
    for _ in range(900):
        deep = [deep]
    turn = client.turn(session, "/think", {"type": "text", "text": "deep", "annotations": deep})
    assert turn.stop_reason == "end_turn"
    assert "a?b\u2028é漢😀" in client.turn(session, "a\ud800b\u2028é漢😀").text


# Talking


def test_the_first_answer_says_what_it_is_and_how_to_get_a_real_agent(client: Client) -> None:
    session = client.new()
    first = client.turn(session, "Good morning")
    for part in (
        "demo agent",
        "> Good morning",
        "/edit",
        "require('acp_nvim').setup {",
        "command = 'my-agent'",
    ):
        assert part in first.text
    assert first.stop_reason == "end_turn"
    second = client.turn(session, "And now?")
    assert "> And now?" in second.text
    assert "setup" not in second.text


def test_the_first_answer_introduces_it_whatever_is_asked(client: Client) -> None:
    session = client.new()
    assert "I am the demo agent" in client.turn(session, "/think").text
    assert "I am the demo agent" not in client.turn(session, "/think").text


def test_commands_are_announced_after_the_session(client: Client) -> None:
    client.new()
    (update,) = [message for message in client.messages if tag(message) == "available_commands_update"]
    names = {command["name"] for command in update["params"]["update"]["availableCommands"]}
    assert names == COMMANDS


def test_help_names_every_command(client: Client) -> None:
    session = client.new()
    text = client.turn(session, "/help").text
    for name in COMMANDS:
        assert f"`/{name}" in text


def test_words_stream_one_by_one_within_one_message(client: Client) -> None:
    session = client.new()
    client.turn(session, "hi")
    chunks = client.turn(session, "/markdown").updates("agent_message_chunk")
    assert len(chunks) > 50
    assert len({chunk["messageId"] for chunk in chunks}) == 1
    assert "".join(chunk["content"]["text"] for chunk in chunks).startswith(
        "# Markdown, as it streams\n\nWords"
    )


def test_thoughts_come_before_the_answer(client: Client) -> None:
    turn = client.turn(client.new(), "/think")
    assert len(turn.updates("agent_thought_chunk")) > 10
    assert "no conclusion" in turn.text


def test_a_plan_goes_on_step_by_step(client: Client) -> None:
    turn = client.turn(client.new(), "Show me a plan, please")
    plans = [[entry["status"] for entry in plan["entries"]] for plan in turn.updates("plan")]
    for done, states in enumerate(plans[:-1]):
        assert states == ["completed"] * done + ["in_progress"] + ["pending"] * (3 - done)
    assert plans[-1] == ["completed"] * 4


def test_long_has_as_many_lines_as_wanted(client: Client) -> None:
    session = client.new()
    client.turn(session, "hi")
    assert client.turn(session, "/long 1234").text.splitlines()[-1] == "- line 1234 of 1234"
    assert len(client.turn(session, "/long nonsense").text.splitlines()) == 200


def test_an_image_and_a_link_are_not_text(client: Client) -> None:
    chunks = client.turn(client.new(), "/image").updates("agent_message_chunk")
    assert {chunk["content"]["type"] for chunk in chunks} == {"text", "image", "resource_link"}


def test_an_error_answers_the_prompt_and_the_next_one_works(client: Client) -> None:
    session = client.new()
    turn = client.turn(session, "/error")
    assert turn.error["code"] == -32603
    assert "asked for an error" in turn.error["message"]
    assert client.turn(session, "/think").stop_reason == "end_turn"


def test_what_comes_along_is_acknowledged_by_name(client: Client) -> None:
    turn = client.turn(
        client.new(),
        "What is this?",
        {"type": "resource", "resource": {"uri": "file:///a/my%20file.py#L1-2", "text": "one\ntwo\n"}},
        {"type": "resource_link", "uri": "file:///a/b.txt", "name": "b.txt"},
        {"type": "image", "mimeType": "image/png", "data": ""},
    )
    assert "setup {" in turn.text
    for part in ("`my file.py#L1-2`, embedded (2 lines)", "`b.txt`, as a link", "image/png"):
        assert part in turn.text


def test_a_session_is_named_and_its_usage_told(client: Client) -> None:
    turn = client.turn(client.new(), "First of all\nand more")
    assert turn.updates("session_info_update")[0]["title"] == "First of all"
    assert turn.updates("usage_update")[-1]["used"] > 0


# Reading


def test_read_by_the_client_shows_the_unsaved_text(start: Callable[..., Client], tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("saved\n")
    client = start(**ALL)
    serve_files(client, {str(tmp_path / "a.txt"): "unsaved\n"})
    turn = client.turn(client.new(), "read the file `a.txt`.")
    assert turn.order == ["tool_call in_progress", "fs/read_text_file", "tool_call_update completed"]
    assert turn.tool()["locations"] == [{"path": str(tmp_path / "a.txt"), "line": 1}]
    assert turn.tool()["kind"] == "read"
    assert "unsaved" in turn.text


def test_read_from_the_disk(client: Client, tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("one\ntwo\nthree\n")
    session = client.new()
    assert "3 lines of `README.md`" in client.turn(session, "/read").text
    turn = client.turn(session, "/read README.md:2")
    assert "two\nthree" in turn.tool()["content"][0]["content"]["text"]
    assert turn.tool()["locations"][0]["line"] == 2


def test_what_cannot_be_read_is_said(client: Client, tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    session = client.new()
    for name in ("missing.txt", "binary", ".", "a\0b"):
        turn = client.turn(session, f"/read {name}")
        assert turn.stop_reason == "end_turn"
        assert turn.tool()["status"] == "failed"
        assert "That did not work" in turn.text


def test_with_nothing_to_read_it_asks_for_a_name(client: Client) -> None:
    assert "Name one" in client.turn(client.new(), "/read").text


# Editing


def test_edit_asks_with_the_diff_and_writes_through_the_client(
    start: Callable[..., Client], tmp_path: Path
) -> None:
    client = start(**ALL)
    path = str(tmp_path / "a.lua")
    texts = {path: "return 1\n"}
    serve_files(client, texts)
    client.handlers["session/request_permission"] = choose("allow_once")
    turn = client.turn(client.new(), "/edit a.lua")
    assert turn.order == [
        "tool_call pending",
        "fs/read_text_file",
        "tool_call_update",
        "session/request_permission",
        "tool_call_update in_progress",
        "fs/write_text_file",
        "tool_call_update completed",
    ]
    (asked,) = [message for message in turn.messages if tag(message) == "session/request_permission"]
    diff = asked["params"]["toolCall"]["content"][0]
    assert diff == {"type": "diff", "path": path, "oldText": "return 1\n", "newText": texts[path]}
    remark = "-- edited by the demo agent, time 1\n"
    assert texts[path] == f"{remark}return 1\n{remark}"
    kinds = [option["kind"] for option in asked["params"]["options"]]
    assert kinds == ["allow_once", "allow_always", "reject_once", "reject_always"]


@pytest.mark.parametrize("capabilities", [{}, ALL])
def test_edit_without_a_name_makes_a_scratch_file(
    start: Callable[..., Client], tmp_path: Path, capabilities: Json
) -> None:
    client = start(**capabilities)
    texts: dict[str, str] = {}
    serve_files(client, texts)
    client.handlers["session/request_permission"] = choose("allow_once")
    session = client.new()
    turn = client.turn(session, "/edit")
    assert turn.tool()["content"][0]["oldText"] is None
    assert "I created `acp-demo.md`" in turn.text
    assert "I edited `acp-demo.md`" in client.turn(session, "/edit").text
    scratch = tmp_path / "acp-demo.md"
    written = texts[str(scratch)] if capabilities else scratch.read_text()
    assert "time 2" in written
    assert scratch.exists() is not bool(capabilities)


def test_a_rejected_edit_changes_nothing_and_says_so(client: Client, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("pass\n")
    client.handlers["session/request_permission"] = choose("reject_once")
    turn = client.turn(client.new(), "edit a.py")
    assert turn.tool()["status"] == "failed"
    assert turn.stop_reason == "end_turn"
    assert "You said no, so I left `a.py` as it is" in turn.text
    assert (tmp_path / "a.py").read_text() == "pass\n"


@pytest.mark.parametrize(("kind", "status"), [("allow_always", "completed"), ("reject_always", "failed")])
def test_always_is_asked_once(client: Client, kind: str, status: str) -> None:
    session = client.new()
    client.handlers["session/request_permission"] = choose(kind)
    assert client.turn(session, "/edit").tool()["status"] == status
    client.handlers["session/request_permission"] = never
    assert client.turn(session, "/edit").tool()["status"] == status


def test_auto_mode_edits_without_asking_but_asks_for_commands(client: Client) -> None:
    session = client.new()
    client.call("session/set_mode", sessionId=session, modeId="auto")
    assert client.turn(session, "/edit").tool()["status"] == "completed"
    client.handlers["session/request_permission"] = choose("reject_once")
    assert "session/request_permission" in client.turn(session, "/run").order


@pytest.mark.parametrize(
    "outcome",
    [
        {},
        {"outcome": "yes"},
        {"outcome": {"outcome": "selected"}},
        {"outcome": {"outcome": "selected", "optionId": "sure"}},
        {"outcome": {"outcome": "maybe", "optionId": "yes"}},
    ],
)
def test_only_an_offered_option_is_a_permission(client: Client, tmp_path: Path, outcome: Json) -> None:
    client.handlers["session/request_permission"] = lambda params: outcome
    turn = client.turn(client.new(), "/edit")
    assert turn.tool()["status"] == "failed"
    assert list(tmp_path.iterdir()) == []


def test_a_client_that_cannot_ask_or_write_is_told_so(start: Callable[..., Client], tmp_path: Path) -> None:
    def refuse(params: Json) -> Json:
        raise Refusal(-32603, "disk full")

    client = start(**ALL)
    serve_files(client, {})
    client.handlers |= {
        "session/request_permission": choose("allow_once"),
        "fs/write_text_file": refuse,
    }
    turn = client.turn(client.new(), "/edit")
    assert turn.tool()["status"] == "failed"
    assert "disk full" in turn.text


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("a.sh", "#!/bin/sh\nls\n", "#!/bin/sh\n# {0}\nls\n# {0}\n"),
        ("a.html", "<p>\r\n", "<!-- {0} -->\r\n<p>\r\n<!-- {0} -->\r\n"),
        ("a.rs", "fn main() {}", "// {0}\nfn main() {{}}\n// {0}\n"),
        ("empty", "", "# {0}\n# {0}\n"),
    ],
)
def test_the_remark_suits_the_file(client: Client, tmp_path: Path, name: str, old: str, new: str) -> None:
    (tmp_path / name).write_bytes(old.encode())
    client.handlers["session/request_permission"] = choose("allow_once")
    session = client.new()
    for times in (1, 2):
        client.turn(session, f"/edit {name}")
        wanted = new.format(f"edited by the demo agent, time {times}")
        assert (tmp_path / name).read_bytes() == wanted.encode()


PROGRAM = "def parse(line):\n    parsed = line\n    return parsed\n\n\nparse(parse('x'))\n"


def test_rename_proposes_every_place_and_writes_through_the_client(
    start: Callable[..., Client], tmp_path: Path
) -> None:
    client = start(**ALL)
    texts = {str(tmp_path / "a.py"): PROGRAM, str(tmp_path / "b.py"): "import parse\n"}
    serve_files(client, texts)
    client.handlers["session/request_permission"] = choose("allow_once")
    session = client.new()
    turn = client.turn(session, "/rename parse read a.py b.py")
    (asked,) = [message for message in turn.messages if tag(message) == "session/request_permission"]
    content = asked["params"]["toolCall"]["content"]
    assert [diff["oldText"] for diff in content] == [PROGRAM, "import parse\n"]
    assert list(texts.values()) == [PROGRAM.replace("parse(", "read("), "import read\n"]
    assert turn.tool()["status"] == "completed"
    assert "There is no `parse`" in client.turn(session, "/rename parse read a.py").text
    assert "/rename old new path" in client.turn(session, "/rename parse").text


def test_a_rename_that_is_rejected_leaves_all(client: Client, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(PROGRAM)
    client.handlers["session/request_permission"] = choose("reject_once")
    turn = client.turn(client.new(), "/rename parse read a.py")
    assert turn.tool()["status"] == "failed"
    assert "`parse` keeps its name" in turn.text
    assert (tmp_path / "a.py").read_text() == PROGRAM


def test_write_asks_nobody_and_says_so(start: Callable[..., Client], tmp_path: Path) -> None:
    client = start(**ALL)
    serve_files(client, {})
    client.handlers["session/request_permission"] = never
    turn = client.turn(client.new(), "/write a.py")
    assert turn.order == ["tool_call in_progress", "fs/read_text_file", "tool_call_update completed"]
    assert "time 1" in (tmp_path / "a.py").read_text()
    assert "without asking you" in turn.text


# Commands


def test_run_in_a_terminal_of_the_client(start: Callable[..., Client], tmp_path: Path) -> None:
    client = start(**ALL)
    serve_terminal(client)
    client.handlers["session/request_permission"] = choose("allow_once")
    turn = client.turn(client.new(), "/run echo hello")
    assert turn.order == [
        "tool_call pending",
        "session/request_permission",
        "terminal/create",
        "tool_call_update in_progress",
        "terminal/wait_for_exit",
        "terminal/output",
        "terminal/release",
        "tool_call_update completed",
    ]
    (created,) = [message["params"] for message in turn.messages if tag(message) == "terminal/create"]
    assert (created["command"], created["args"]) == ("sh", ["-c", "echo hello"])
    assert created["cwd"] == str(tmp_path)
    assert turn.tool()["content"] == [{"type": "terminal", "terminalId": "t1"}]
    assert turn.tool()["rawInput"]["command"] == "echo hello"
    assert turn.tool()["rawOutput"]["output"] == "hello\n"


@pytest.mark.parametrize(
    ("command", "status", "said"),
    [
        ("echo hello", "completed", "ended with exit code 0"),
        ("echo hello; exit 3", "failed", "ended with exit code 3"),
        ("echo hello; kill -9 $$", "failed", "was killed by SIGKILL"),
    ],
)
def test_run_as_a_child(client: Client, command: str, status: str, said: str) -> None:
    client.handlers["session/request_permission"] = choose("allow_once")
    turn = client.turn(client.new(), f"/run {command}")
    assert turn.tool()["status"] == status
    assert turn.tool()["content"][0]["content"]["text"] == "```\nhello\n```"
    assert said in turn.text


def test_plain_words_run_only_what_is_quoted(client: Client) -> None:
    client.handlers["session/request_permission"] = choose("reject_once")
    session = client.new()
    assert client.turn(session, "run `make all` now").tool()["title"] == "make all"
    turn = client.turn(session, "run the tests")
    assert turn.tool()["title"] == "ls -a"
    assert "was not run" in turn.text


# Cancelling


def test_slow_streams_until_it_is_cancelled(client: Client) -> None:
    session = client.new()
    request = client.prompt(session, "/slow")
    client.until(lambda message: "3, " in str(message))
    client.cancel(session)
    first = len(client.messages)
    assert client.answer(request)["result"] == {"stopReason": "cancelled"}
    assert "tool_call_update failed" in Turn(client.messages[first:], {}).order
    client.cancel(session)
    assert client.turn(session, "/think").stop_reason == "end_turn"


@pytest.mark.parametrize("answered", [False, True])
def test_cancel_while_a_question_is_open(client: Client, tmp_path: Path, answered: bool) -> None:
    session = client.new()
    client.handlers["session/request_permission"] = hold
    request = client.prompt(session, "/edit")
    question = client.until(lambda message: tag(message) == "session/request_permission")
    client.cancel(session)
    if answered:
        client.send(id=question["id"], result={"outcome": {"outcome": "cancelled"}})
    assert client.answer(request)["result"] == {"stopReason": "cancelled"}
    client.send(id=question["id"], result={"outcome": {"outcome": "selected", "optionId": "yes"}})
    assert client.turn(session, "/think").stop_reason == "end_turn"
    assert list(tmp_path.iterdir()) == []


def test_a_cancelled_outcome_alone_ends_the_turn_as_cancelled(client: Client) -> None:
    client.handlers["session/request_permission"] = lambda params: {"outcome": {"outcome": "cancelled"}}
    turn = client.turn(client.new(), "/run")
    assert turn.stop_reason == "cancelled"
    assert turn.tool()["status"] == "failed"


def test_cancel_kills_and_releases_the_terminal(start: Callable[..., Client]) -> None:
    client = start(**ALL)
    serve_terminal(client)
    client.handlers |= {"session/request_permission": choose("allow_once"), "terminal/wait_for_exit": hold}
    session = client.new()
    request = client.prompt(session, "/run sleep 100")
    client.until(lambda message: tag(message) == "terminal/wait_for_exit")
    client.cancel(session)
    first = len(client.messages)
    assert client.answer(request)["result"] == {"stopReason": "cancelled"}
    order = Turn(client.messages[first:], {}).order
    assert order == ["terminal/kill", "terminal/release", "tool_call_update failed"]


def test_cancel_while_the_terminal_is_made_releases_it(start: Callable[..., Client]) -> None:
    client = start(**ALL)
    serve_terminal(client)
    client.handlers |= {"session/request_permission": choose("allow_once"), "terminal/create": hold}
    session = client.new()
    request = client.prompt(session, "/run sleep 100")
    create = client.until(lambda message: tag(message) == "terminal/create")
    client.cancel(session)
    client.send(id=create["id"], result={"terminalId": "late"})
    assert client.answer(request)["result"] == {"stopReason": "cancelled"}
    (released,) = [message for message in client.messages if tag(message) == "terminal/release"]
    assert released["params"]["terminalId"] == "late"


def start_child(client: Client, session: str) -> tuple[int, int]:
    """A command that does not end by itself: the id of its prompt and of its process."""
    client.handlers["session/request_permission"] = choose("allow_once")
    request = client.prompt(session, "/run echo pid=$$; exec sleep 100")
    shown = client.until(lambda message: "```\\npid=" in str(message))
    return request, int(str(shown).partition("pid=")[2].partition("\\n")[0])


def assert_gone(pid: int) -> None:
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_cancel_kills_the_child(client: Client) -> None:
    session = client.new()
    request, pid = start_child(client, session)
    client.cancel(session)
    assert client.answer(request)["result"] == {"stopReason": "cancelled"}
    assert_gone(pid)


@pytest.mark.parametrize("method", ["session/close", "session/delete"])
def test_closing_a_session_ends_its_turn(client: Client, method: str) -> None:
    session = client.new()
    request, pid = start_child(client, session)
    closing = client.ask(method, sessionId=session)
    answers = [client.until(lambda message: "method" not in message) for _ in range(2)]
    assert {answer["id"] for answer in answers} == {request, closing}
    assert_gone(pid)
    assert client.error("session/prompt", sessionId=session, prompt=[]) == -32002


def test_the_end_of_its_input_ends_it_with_its_children(client: Client) -> None:
    _, pid = start_child(client, client.new())
    assert client.end() == 0
    assert_gone(pid)


def test_sigterm_ends_it_with_its_children(client: Client) -> None:
    _, pid = start_child(client, client.new())
    client.process.send_signal(signal.SIGTERM)
    assert client.process.wait(PATIENCE) == 128 + signal.SIGTERM
    assert_gone(pid)


# Sessions


def test_sessions_run_at_the_same_time_and_never_cross(client: Client) -> None:
    one, two = client.new(), client.new()
    slow = client.prompt(one, "/slow")
    client.until(lambda message: "1, " in str(message))
    turn = client.turn(two, "Hello from the second")
    assert turn.stop_reason == "end_turn"
    texts = {
        session: "".join(
            message["params"]["update"]["content"].get("text", "")
            for message in turn.messages
            if tag(message) == "agent_message_chunk" and message["params"]["sessionId"] == session
        )
        for session in (one, two)
    }
    assert "Hello from the second" in texts[two]
    assert "Hello" not in texts[one]
    client.cancel(one)
    assert client.answer(slow)["result"] == {"stopReason": "cancelled"}


def test_a_second_prompt_while_one_runs_is_refused(client: Client) -> None:
    session = client.new()
    slow = client.prompt(session, "/slow")
    assert client.error("session/prompt", sessionId=session, prompt=[]) == -32600
    client.cancel(session)
    assert client.answer(slow)["result"] == {"stopReason": "cancelled"}


def replayed(client: Client, session: str) -> list[Json]:
    first = len(client.messages)
    client.call("session/load", sessionId=session, cwd=client.cwd, mcpServers=[])
    return [message["params"]["update"] for message in client.messages[first:-1]]


def test_load_tells_everything_again_before_its_answer(client: Client) -> None:
    session = client.new()
    client.handlers["session/request_permission"] = choose("allow_once")
    talk = client.turn(session, "Hello you")
    tour = client.turn(session, "/tour")
    updates = replayed(client, session)
    prompts = [each["content"]["text"] for each in updates if each["sessionUpdate"] == "user_message_chunk"]
    assert prompts == ["Hello you", "/tour"]
    said = [each["content"]["text"] for each in updates if each["sessionUpdate"] == "agent_message_chunk"]
    assert "".join(said) == talk.text + tour.text
    tools = {each["toolCallId"]: each for each in updates if each["sessionUpdate"] == "tool_call"}
    for call, state in tour.tool_states().items():
        assert tools[call]["status"] == state["status"]
        assert tools[call]["title"] == state["title"]
    (plan,) = [each for each in updates if each["sessionUpdate"] == "plan"]
    assert {entry["status"] for entry in plan["entries"]} == {"completed"}


def test_a_replayed_terminal_is_its_text(start: Callable[..., Client]) -> None:
    client = start(**ALL)
    serve_terminal(client)
    client.handlers["session/request_permission"] = choose("allow_once")
    session = client.new()
    client.turn(session, "/run echo hello")
    (tool,) = [each for each in replayed(client, session) if each["sessionUpdate"] == "tool_call"]
    assert tool["content"][0]["content"]["text"] == "```\nhello\n```"


def test_list_resume_close_and_delete(client: Client, tmp_path: Path) -> None:
    session, other = client.new(), client.new()
    client.turn(session, "A title")
    infos = {info["sessionId"]: info for info in client.call("session/list")["sessions"]}
    assert infos[session]["title"] == "A title"
    assert infos[session]["cwd"] == str(tmp_path)
    assert set(infos) == {session, other}
    assert client.call("session/list", cwd="/nowhere")["sessions"] == []
    client.call("session/close", sessionId=session)
    assert client.error("session/prompt", sessionId=session, prompt=[]) == -32002
    first = len(client.messages)
    client.call("session/resume", sessionId=session, cwd=client.cwd, mcpServers=[])
    assert len(client.messages) == first + 1
    assert client.turn(session, "/think").stop_reason == "end_turn"
    client.call("session/delete", sessionId=other)
    assert [info["sessionId"] for info in client.call("session/list")["sessions"]] == [session]


def test_a_fork_goes_its_own_way(client: Client) -> None:
    session = client.new()
    client.turn(session, "Shared")
    fork = client.call("session/fork", sessionId=session, cwd=client.cwd)["sessionId"]
    client.turn(fork, "Only in the fork")
    assert "Only in the fork" in str(replayed(client, fork))
    assert "Shared" in str(replayed(client, fork))
    assert "Only in the fork" not in str(replayed(client, session))


def test_modes_and_options_stay_in_step(start: Callable[..., Client]) -> None:
    client = start(**BOOLEANS)
    result = client.call("session/new", cwd=client.cwd, mcpServers=[])
    session = result["sessionId"]
    assert result["modes"]["currentModeId"] == "ask"
    assert [option["id"] for option in result["configOptions"]] == ["mode", "model", "thoughts"]

    def values(options: list[Json]) -> list[object]:
        return [option["currentValue"] for option in options]

    def set_option(name: str, **value: object) -> list[object]:
        answer = client.call("session/set_config_option", sessionId=session, configId=name, **value)
        return values(answer["configOptions"])

    client.call("session/set_mode", sessionId=session, modeId="auto")
    told = client.until(lambda message: tag(message) == "config_option_update")
    assert values(told["params"]["update"]["configOptions"]) == ["auto", "demo-small", True]
    assert set_option("model", value="demo-large") == ["auto", "demo-large", True]
    assert set_option("thoughts", type="boolean", value=False) == ["auto", "demo-large", False]
    assert set_option("mode", value="ask") == ["ask", "demo-large", False]
    told = client.until(lambda message: tag(message) == "current_mode_update")
    assert told["params"]["update"]["currentModeId"] == "ask"
    turn = client.turn(session, "Hello")
    assert turn.updates("agent_thought_chunk") == []
    assert turn.updates("usage_update")[-1]["size"] == 200_000


def test_a_client_that_knows_no_booleans_is_offered_none(client: Client) -> None:
    options = client.call("session/new", cwd=client.cwd, mcpServers=[])["configOptions"]
    assert {option["type"] for option in options} == {"select"}


# Plain words and the tour


def test_the_tour_shows_it_all(start: Callable[..., Client], tmp_path: Path) -> None:
    (tmp_path / "README").write_text("Read me\n")
    client = start(**ALL)
    serve_files(client, {str(tmp_path / "README"): "Read me\n"})
    serve_terminal(client)
    client.handlers["session/request_permission"] = choose("allow_once")
    turn = client.turn(client.new(), "/tour")
    kinds = [state["kind"] for state in turn.tool_states().values()]
    assert kinds == ["read", "edit", "execute"]
    assert {state["status"] for state in turn.tool_states().values()} == {"completed"}
    assert turn.updates("agent_thought_chunk")
    assert len(turn.updates("plan")) == 4


def test_a_slash_command_is_found_behind_what_a_client_says_first(client: Client) -> None:
    block = {"type": "text", "text": "/long 3"}
    turn = client.turn(client.new(), "Of your edit I refused one hunk.", block)
    assert "line 3 of 3" in turn.text


def test_words_further_on_mean_nothing(client: Client) -> None:
    turn = client.turn(client.new(), "Once upon a time there was a man who could not read")
    assert turn.tool_states() == {}
    assert "You wrote" in turn.text


def test_at_its_own_speed_it_pauses_and_can_still_be_cancelled(tmp_path: Path) -> None:
    client = Client(tmp_path, speed="0.01")
    client.initialize()
    session = client.new()
    request = client.prompt(session, "hi")
    client.until(lambda message: tag(message) == "agent_message_chunk")
    client.cancel(session)
    assert client.answer(request)["result"] == {"stopReason": "cancelled"}
    assert client.end() == 0
