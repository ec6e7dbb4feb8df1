"""Steps with forms and pages of the agent."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.fakes.script import ScriptedAgent, on_prompt, request, say, script, tool
from tests.functional.editor import Editor
from tests.steps.conversation import expect_answerable, open_chat, send

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
# AskUserQuestion of claude: each question with a text for the user's own words, and one alone without a description.
FORMAT: dict[str, Any] = {
    "type": "string",
    "title": "Format",
    "oneOf": [
        {"const": "TOML", "title": "TOML", "description": "Typed values, in the standard library since 3.11"},
        {"const": "INI", "title": "INI", "description": "What is there now, with sections"},
        {"const": "JSON", "title": "JSON", "description": "No comments, but every tool reads it"},
    ],
}
OTHER = {
    "type": "string",
    "title": "Other",
    "description": "Type your own answer, or add a note to the option you chose above (optional).",
}
EXTRAS: dict[str, Any] = {
    "type": "array",
    "title": "Extras",
    "description": "What should be done as well?",
    "items": {
        "anyOf": [
            {"const": "Tests", "title": "Tests", "description": "One for each format"},
            {"const": "Docs", "title": "Docs", "description": "A page in doc/"},
        ]
    },
}
WHICH = "Which format should the settings have?"
ONE_QUESTION = {"question_0": FORMAT, "question_0_custom": OTHER}
TWO_QUESTIONS = {
    "question_0": {**FORMAT, "description": WHICH},
    "question_0_custom": OTHER,
    "question_1": EXTRAS,
    "question_1_custom": OTHER,
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
    expect_answerable(editor)
    editor.type("<Esc>:Acp accept<CR>")
    editor.expect_lua("return vim.bo.filetype", "acp_form")
    return editor


def request_form(properties: dict[str, Any], required: Any = (), **more: Any) -> list[Any]:
    """The agent asks for a form."""
    schema = {"type": "object", "properties": properties, "required": list(required)}
    params = {"sessionId": "{session}", "mode": "form", "message": "Who are you?", "requestedSchema": schema}
    return request("elicitation/create", {**params, **more})


def ask_user_question(properties: dict[str, Any]) -> list[list[Any]]:
    """Claude asks by a tool call and a form that names it: steps of a script."""
    is_one = len(properties) == 2
    message = WHICH if is_one else "Please answer the following questions."
    words = [WHICH] if is_one else [WHICH, EXTRAS["description"]]
    content = [{"type": "content", "content": {"type": "text", "text": text}} for text in words]
    return [
        tool("ask", title="Asking for your input", kind="other", status="pending", content=content),
        request_form(properties, message=message, toolCallId="ask"),
        tool("ask", known=True, status="completed"),
    ]


def request_page(url: str = "https://example.org/login?a=b", **more: Any) -> list[Any]:
    """The agent asks the user to open a page."""
    params = {"sessionId": "{session}", "mode": "url", "message": "Log in", "elicitationId": "e", "url": url}
    return request("elicitation/create", {**params, **more})
