"""A user of a real agent: one Neovim with the plugin as it comes, an agent in a home of its own, a project."""

from __future__ import annotations

import json
import os
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.functional.editor import Editor
from tests.functional.screen import within
from tests.real import recording
from tests.tools.agents import INTO, recipes, started

LONG = 60.0  # seconds: an agent's start, or one of its turns, where much else is running
CHAT = """
  local function lines(buf) return table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), "\\n") end
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if vim.bo[buf].filetype == "acp_chat" and vim.b[buf].acp_session == ... then return lines(buf) end
  end
  return ""
"""
TEXT = "".join(f"line {n}\n" for n in range(1, 21))


class Story:
    def __init__(self, program: Path, agent: str, model: str, folder: Path, **setup: Any) -> None:
        self.agent, self._model = agent, model
        self._folder = folder
        self._heard = 0  # questions and ends of turns
        self.end: dict[str, Any] = {}
        recipe = recipes()[agent]
        command, environment = started(recipe, INTO / agent, folder / "agent", model)
        spec = {"command": command[0], "args": command[1:], "env": environment}
        if mode := recipe.get("mode"):
            spec["defaults"] = {"mode": mode}
        if mcp := recipe.get("mcp"):
            spec["mcp"] = mcp
        setup = {"agents": {agent: spec}, "log": {"wire": True}, **setup}
        self.editor = Editor(program, folder / "editor", setup=setup, size=(120, 40))
        self.project = self.editor.project
        self.notes.write_text(TEXT)
        self.editor.type(":edit notes.txt<CR>")

    @property
    def notes(self) -> Path:
        return self.project / "notes.txt"

    def ready(self) -> Story:
        """The chat is opened, and the cursor goes back into the file."""
        self.editor.type(":Acp<CR>")
        self.editor.wait_event("AcpSessionStarted", LONG)
        self.editor.type("<Esc><C-w>t")
        return self

    def status(self, session: int | None = None) -> dict[str, Any]:
        return dict(self.editor.acp("status", {"session": session} if session else {}) or {})

    def chat(self, session: int = 1) -> str:
        return str(self.editor.lua(CHAT, session))

    # What the user does

    def prompt(self, *steps: str, session: int | None = None) -> None:
        """`{}` in a step is the project's folder."""
        script = " ".join(f"[[{step.replace('{}', str(self.project))}]]" for step in steps)
        assert self.editor.acp("prompt", script, {"session": session} if session else {})

    def next(self) -> tuple[str, dict[str, Any]]:
        """The next question or end of a turn."""
        told = lambda: self.editor.events("AcpQuestion", "AcpTurnEnded")  # noqa: E731
        if not self.editor.screen.wait_for(lambda: len(told()) > self._heard, LONG):
            raise AssertionError(f"nothing happens for {LONG} s\n{self.picture()}")
        self._heard += 1
        return told()[self._heard - 1]

    def asked(self) -> dict[str, Any]:
        """The next question, which comes before the turn's end."""
        event, data = self.next()
        assert event == "AcpQuestion", f"no question, but {event} {data}\n{self.picture()}"
        return self._question(data["id"])

    def _question(self, number: int) -> dict[str, Any]:
        return dict(next(one for one in self.editor.acp("questions", {"all": True}) if one["id"] == number))

    def answer(self, question: dict[str, Any], kind: str) -> None:
        option = next((one["id"] for one in question["options"] if one["kind"] == kind), None)
        assert option, f"no option {kind} in {question['options']}"
        assert self.editor.acp("answer", question["id"], option)

    def ended(self, kind: str = "allow_once") -> list[dict[str, Any]]:
        """The turn's end, and the questions on the way, answered with their first option of that kind.

        Some agents ask for what others just do.
        """
        questions = []
        while (told := self.next())[0] == "AcpQuestion":
            questions.append(self._question(told[1]["id"]))
            self.answer(questions[-1], kind)
        self.end = told[1]
        return questions

    def play(self, *steps: str, kind: str = "allow_once", session: int | None = None) -> list[Any]:
        """A prompt and its turn, which ends as it should; the questions on the way."""
        self.prompt(*steps, session=session)
        questions = self.ended(kind)
        assert self.end.get("stop_reason") == "end_turn", f"{self.end}\n{self.picture()}"
        return questions

    def until(self, condition: Callable[[], object]) -> None:
        """What comes by the screen makes it look again."""
        left = within(LONG)
        while not condition():
            assert left() > 0, f"not within {LONG} s\n{self.picture()}"
            self.editor.screen.wait_for_anything(0.05)

    # What came of it

    def calls(self, status: str) -> list[dict[str, Any]]:
        """The tool calls that have come to that status."""
        return [data for _, data in self.editor.events("AcpToolCall") if data.get("status") == status]

    def sent(self, method: str) -> list[dict[str, Any]]:
        """What the agent has been sent of that method."""
        sent = [entry["msg"] for entry in recording.wire(self._folder) if entry["dir"] == "->"]
        return [message for message in sent if message.get("method") == method]

    def last_prompt(self) -> list[dict[str, Any]]:
        """The blocks of the newest prompt on the wire."""
        return list(self.sent("session/prompt")[-1]["params"]["prompt"])

    def requests(self) -> list[str]:
        """The bodies of all requests to the model, also of other stories, oldest first."""
        with urllib.request.urlopen(f"{self._model}/requests") as answer:
            return [json.dumps(body) for body in json.load(answer)]

    def answers(self, method: str) -> list[Any]:
        """What the agent has answered to these requests."""
        sent = recording.wire(self._folder)
        ids = [one["msg"]["id"] for one in sent if one["dir"] == "->" and one["msg"].get("method") == method]
        got = [one["msg"] for one in sent if one["dir"] == "<-" and "method" not in one["msg"]]
        return [message["result"] for message in got if message["id"] in ids and "result" in message]

    def picture(self) -> str:
        """For the messages of stories that fail."""
        wire = [json.dumps(entry, ensure_ascii=False)[:400] for entry in recording.wire(self._folder)]
        return "\n".join([self.chat(), self.editor.screen.picture(), *wire[-30:]])

    def close(self, story: str) -> None:
        self.editor.close()
        if into := os.environ.get("ACP_RECORD"):
            recording.keep(self._folder, Path(into) / f"{self.agent}-{story.removeprefix('test_')}.jsonl")
