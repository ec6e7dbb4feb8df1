"""Scripts for `scripted_agent.py`, and its log, in few words.

    agent = script(tmp_path, on_prompt("hello", say("Hi"), permission("Run it?"), say("you chose {answer}")))
    agent.argv                                        what to start: the command and its arguments
    await eventually(lambda: agent.got("session/cancel"))     wait until it has received one

What the steps do is written at the head of `scripted_agent.py`.
"""

import json
import py_compile
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio

Step = list[Any]
Rule = dict[str, Any]
# Compiled, because Python compiles the file that it is to run anew with each start.
PROGRAM = py_compile.compile(str(Path(__file__).with_name("scripted_agent.py")), doraise=True)
OPTIONS = (("yes", "Yes", "allow_once"), ("always", "Always", "allow_always"), ("no", "No", "reject_once"))


def _verb(name: str) -> Callable[..., Step]:
    return lambda *arguments: [name, *arguments]


update, say, think, huge = map(_verb, ("update", "say", "think", "huge"))
notify, request, ask = map(_verb, ("notify", "request", "ask"))
result, error, silence = map(_verb, ("result", "error", "silence"))
raw, raw_bytes, bytewise = map(_verb, ("raw", "bytes", "bytewise"))
stderr, flood, blob = map(_verb, ("stderr", "flood", "blob"))
wait, wait_file, wait_eof = map(_verb, ("wait", "wait_file", "wait_eof"))
think_for = _verb("think_for")
touch, mark, stop_reading = map(_verb, ("touch", "mark", "stop_reading"))
write_file, cut_file, delete_file, obey = map(_verb, ("write_file", "cut_file", "delete_file", "obey"))
shell = _verb("shell")
close_stdout, leave, die = map(_verb, ("close_stdout", "exit", "die"))


def repeat(count: int, *steps: Step) -> Step:
    return ["repeat", count, list(steps)]


def together(*steps: Step) -> Step:
    return ["together", list(steps)]


def when(text: str, *steps: Step, otherwise: Iterable[Step] = ()) -> Step:
    """Those if the last answer, as JSON, holds the text."""
    return ["when", text, list(steps), list(otherwise)]


def grandchild(*, escapes: bool = False) -> Step:
    return ["grandchild", {"escapes": escapes}]


def tool(id: str, *, known: bool = False, **fields: Any) -> Step:
    """A tool_call, or the tool_call_update of a known one."""
    tag = "tool_call_update" if known else "tool_call"
    return update({"sessionUpdate": tag, "toolCallId": id, **fields})


def run_command(command: str, *steps: Step, id: str = "run") -> list[Step]:
    """The agent runs a command itself, as most do, and says so. The steps come before the command."""
    begins = tool(
        id, title=f"Run {command}", kind="execute", status="in_progress", rawInput={"command": command}
    )
    return [begins, *steps, shell(command), tool(id, known=True, status="completed")]


def permission(title: str, options: Any = OPTIONS, *, id: str = "call", **fields: Any) -> Step:
    offered = [{"optionId": key, "name": name, "kind": kind} for key, name, kind in options]
    call = {"toolCallId": id, "title": title, **fields}
    params = {"sessionId": "{session}", "toolCall": call, "options": offered}
    return request("session/request_permission", params)


def on(method: str, *steps: Step, text: str = "", times: int | None = None) -> Rule:
    rule: Rule = {"method": method, "text": text, "do": list(steps)}
    return rule if times is None else {**rule, "times": times}


def on_prompt(text: str, *steps: Step, times: int | None = None) -> Rule:
    return on("session/prompt", *steps, text=text, times=times)


def on_initialize(*, version: Any = 1, **capabilities: Any) -> Rule:
    info = {"name": "scripted", "title": "Scripted", "version": "1.0"}
    answer = {"protocolVersion": version, "agentInfo": info, "agentCapabilities": capabilities}
    return on("initialize", result(answer))


@dataclass(frozen=True)
class ScriptedAgent:
    argv: list[str]
    log: Path

    def entries(self) -> Iterator[dict[str, Any]]:
        """The whole lines of its log so far."""
        text = self.log.read_text() if self.log.exists() else ""
        return (json.loads(line) for line in text.splitlines(keepends=True) if line.endswith("\n"))

    def got(self, method: str | None = None) -> list[dict[str, Any]]:
        """The messages that have reached it, in order."""
        messages = (entry["got"] for entry in self.entries() if "got" in entry)
        return [message for message in messages if method in (None, message.get("method"))]

    def logged(self, key: str) -> list[Any]:
        """The values of its other entries: `start`, `mark`, `grandchild`, `stray`, `eof`."""
        return [entry[key] for entry in self.entries() if key in entry]


def script(folder: Path, *rules: Rule, name: str = "agent", **head: Any) -> ScriptedAgent:
    """`head`: `start` (steps), `ignore` ("eof", "term"), `ids` (the prefix of its request ids)."""
    file, log = folder / f"{name}.json", folder / f"{name}.log"
    file.write_text(json.dumps({"rules": rules, **head}))
    return ScriptedAgent([sys.executable, "-I", "-S", PROGRAM, str(file), str(log)], log)


async def eventually(condition: Callable[[], Any], seconds: float = 5) -> Any:
    """What the condition gives as soon as it is true."""
    deadline = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < deadline, "the condition has not come true in time"
        await anyio.sleep(0.005)
    return found


def wait_until(condition: Callable[[], Any], seconds: float = 5) -> Any:
    """`eventually` for tests without a loop."""
    return anyio.run(eventually, condition, seconds)
