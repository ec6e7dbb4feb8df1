"""The messages between the halves: each has one class and one who serves it; what does not fit is said in one line."""

import re
from pathlib import Path
from typing import Any

import pytest

from acp_nvim.app import App
from acp_nvim.commands.dispatch import dispatch, handle, joined
from acp_nvim.messages.backend import Log
from acp_nvim.messages.base_classes import Command, Question, WindowCall
from acp_nvim.messages.events import EVENTS
from acp_nvim.messages.prompts import Recall
from acp_nvim.messages.proposals import Decide
from acp_nvim.messages.questions import FormErrors
from tests import message_check as check
from tests.client.conftest import MemoryEditor

ROOT = Path(__file__).parents[2]
SENT = re.compile(r"""(?:\bnotify|\bsend|\b_send|\bbegin|\bpasses)\((?:n, )?"(\w+)"(?! \.\.)""")
BASES = {"Command", "OfSession", "OfSubagent", "OfQuestion", "Begin", "OpenSaved", "Decided"}


@pytest.fixture
def app() -> App:
    return App(MemoryEditor())


def camel(name: str) -> str:
    return "".join(map(str.capitalize, name.split("_")))


def test_each_command_has_the_class_that_is_named_after_it(app: App) -> None:
    assert {name: entry.model.__name__ for name, entry in app.table.items()} == {
        name: camel(name) for name in app.table
    }


def test_each_class_of_a_command_is_served(app: App) -> None:
    found = {each.__name__ for each in check.classes() if issubclass(each, Command)}
    assert found - BASES == {entry.model.__name__ for entry in app.table.values()}


def test_each_command_that_lua_sends_is_served(app: App) -> None:
    texts = [path.read_text() for path in (ROOT / "lua").rglob("*.lua")]
    sent = {name for text in texts for name in SENT.findall(text)} - {"shutdown"}
    assert len(sent) > 30
    assert sent - set(app.table) == set()


def test_no_command_is_served_twice() -> None:
    entry = {"log": handle(Log, print)}
    with pytest.raises(ValueError, match="log"):
        joined(entry, entry)


@pytest.mark.parametrize(
    ("name", "payload", "words"),
    [
        ("fly", {}, "the backend has no 'fly': restart Neovim after an update"),
        ("recall", {"session": 1}, "key: field required; restart Neovim after an update"),
        ("recall", {"session": 1, "key": "2"}, "key: input should be a valid integer; restart Neovim"),
        ("recall", {"session": 1, "key": 2, "more": 3}, "more: extra inputs are not permitted; restart"),
    ],
)
def test_a_message_that_does_not_fit_is_one_line(name: str, payload: dict[str, Any], words: str) -> None:
    table = {"recall": handle(Recall, print)}
    with pytest.raises(ValueError, match=re.escape(words)):
        dispatch(table, name, payload)


def test_empty_tables_of_lua_arrive_as_lists(app: App) -> None:
    decided = Decide.model_validate({"question": 1, "files": []})
    assert decided.files == {}


def lua_table(name: str) -> set[str]:
    """Return the functions that a table of backend_calls.lua names."""
    text = (ROOT / "lua/acp_nvim/backend_calls.lua").read_text()
    body = text.partition(f"\nlocal {name} = {{\n")[2].partition("\n}")[0]
    return set(re.findall(r"^  (\w+) = ", body, re.MULTILINE))


def test_each_call_has_a_function_in_lua_and_each_function_a_call() -> None:
    named = lua_table("calls") | lua_table("window_calls") | lua_table("answers")
    assert named == set(check.by_name())


def test_what_opens_a_window_is_named_so() -> None:
    opening = {name for name, call in check.by_name().items() if issubclass(call, WindowCall)}
    assert opening == lua_table("window_calls")


def test_each_question_is_answered_by_lua() -> None:
    asked = {name for name, call in check.by_name().items() if issubclass(call, Question)}
    assert asked == lua_table("answers")


@pytest.mark.parametrize(
    ("call", "wrong"),
    [
        (["fill_prompt", 1, "text"], None),
        (["fill_prompt", 1, "half \udcff of it"], None),
        (["fill_prompt", "1", "text"], "fill_prompt: session: Input should be a valid integer"),
        (["fill_prompt", 1], "fill_prompt: text: Field required"),
        (["fill_prompt", 1, "text", 2], "fill_prompt: 3 arguments, 2 are known"),
        (["status", 1, {"started": 3}], "status: patch.started: Extra inputs are not permitted"),
        (["chat", 1, [["splice", 0, 1, ["a"], [{"row": 0, "kind": "user"}]]], 1], None),
        (["chat", 1, [["splice", 0, ["a"], []]], 1], "chat: ops.0"),
        (["fly"], "fly: there is no such class"),
        (["event", "AcpTurnStarted", {"session": 1, "turn": 2}], None),
        (["event", "AcpTurnStarted", {"session": 1}], "AcpTurnStarted: data.turn: Field required"),
        (["event", "AcpFlown", {"session": 1}], "AcpFlown: there is no such class"),
    ],
)
def test_a_call_that_does_not_fit_is_found(call: list[Any], wrong: str | None) -> None:
    found = check.misfit(call)
    assert (found or "").startswith(wrong or "")
    assert bool(found) == bool(wrong)


def test_an_answer_that_does_not_fit_is_found() -> None:
    assert check.wrong_answer("terminal_feed", True) is None
    assert check.wrong_answer("terminal_feed", None) is not None
    assert check.wrong_answer("fill_prompt", None) is None


def test_the_help_describes_the_events_that_the_backend_sends() -> None:
    tags = set(re.findall(r"\*(Acp\w+)\*$", (ROOT / "doc/acp_nvim.txt").read_text(), re.MULTILINE))
    assert set(EVENTS) <= tags


def test_arguments_go_out_in_the_order_of_the_fields() -> None:
    assert FormErrors(7, {"name": "is required"}).wire() == ["form_errors", 7, {"name": "is required"}]
