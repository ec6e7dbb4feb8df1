"""Steps with forms and pages of the agent."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.fakes.script import ScriptedAgent, on_prompt, request, say, script
from tests.functional.editor import Editor
from tests.steps.conversation import open_chat, send

Open = Callable[..., Editor]
FIELDS: dict[str, Any] = {
    "name": {"type": "string", "title": "Your name", "description": "As on the door", "minLength": 2},
    "age": {"type": "integer", "title": "Age", "default": 30},
    "colour": {"type": "string", "title": "Colour", "enum": ["red", "blue"]},
    "tools": {
        "type": "array",
        "title": "Tools",
        "items": {"anyOf": [{"const": "h", "title": "Hammer"}, {"const": "s", "title": "Saw"}]},
        "default": ["s"],
    },
    "sure": {"type": "boolean", "title": "Sure?"},
}
NAME = {"type": "string", "title": "Your name", "minLength": 2}


def ask_form(tmp_path: Path, properties: dict[str, Any], **more: Any) -> ScriptedAgent:
    """Return an agent that answers a prompt with a form."""
    schema = {"type": "object", "properties": properties, "required": ["name"]}
    params = {"sessionId": "{session}", "mode": "form", "message": "Who is there?", "requestedSchema": schema}
    return script(
        tmp_path, on_prompt("", request("elicitation/create", {**params, **more}), say("got {answer}"))
    )


def open_form(open_editor: Open, tmp_path: Path, properties: dict[str, Any]) -> Editor:
    """Send a prompt and open the form that the agent answers with; the cursor is in the form."""
    editor = open_chat(open_editor, ask_form(tmp_path, properties), size=(120, 50))
    send(editor, "hello")
    editor.wait_event("AcpQuestion")
    editor.screen.expect("Fill in the form")
    editor.type("<Esc>:Acp accept<CR>")
    editor.expect_lua("return vim.bo.filetype", "acp_form")
    return editor


def request_form(properties: dict[str, Any], required: Any = (), **more: Any) -> list[Any]:
    """The agent asks for a form."""
    schema = {"type": "object", "properties": properties, "required": list(required)}
    params = {"sessionId": "{session}", "mode": "form", "message": "Who are you?", "requestedSchema": schema}
    return request("elicitation/create", {**params, **more})


def request_page(url: str = "https://example.org/login?a=b", **more: Any) -> list[Any]:
    """The agent asks the user to open a page."""
    params = {"sessionId": "{session}", "mode": "url", "message": "Log in", "elicitationId": "e", "url": url}
    return request("elicitation/create", {**params, **more})
