"""The messages between the halves: each has one class and one who serves it; what does not fit is said in one line."""

import re
from pathlib import Path
from typing import Any

import pytest

from acp_nvim.app import App
from acp_nvim.commands.table import dispatch, handle, joined
from acp_nvim.messages import commands
from tests.client.conftest import MemoryEditor

ROOT = Path(__file__).parents[2]
SENT = re.compile(r"""(?:\bnotify|\bsend|\b_send|\bbegin|\bpasses)\((?:n, )?"(\w+)"(?! \.\.)""")
BASES = {"Command", "OfSession", "OfQuestion", "Begin", "OpenSaved", "Decided"}


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
    found = {
        name
        for name, each in vars(commands).items()
        if isinstance(each, type) and issubclass(each, commands.Command)
    }
    assert found - BASES == {entry.model.__name__ for entry in app.table.values()}


def test_each_command_that_lua_sends_is_served(app: App) -> None:
    texts = [path.read_text() for path in (ROOT / "lua").rglob("*.lua")]
    sent = {name for text in texts for name in SENT.findall(text)} - {"shutdown"}
    assert len(sent) > 30
    assert sent - set(app.table) == set()


def test_no_command_is_served_twice() -> None:
    entry = {"log": handle(commands.Log, print)}
    with pytest.raises(ValueError, match="log"):
        joined(entry, entry)


@pytest.mark.parametrize(
    ("name", "payload", "words"),
    [
        ("fly", {}, "the backend knows no 'fly'; restart Neovim after an update"),
        ("recall", {"session": 1}, "key: field required; restart Neovim after an update"),
        ("recall", {"session": 1, "key": "2"}, "key: input should be a valid integer; restart Neovim"),
        ("recall", {"session": 1, "key": 2, "more": 3}, "more: extra inputs are not permitted; restart"),
    ],
)
def test_a_message_that_does_not_fit_is_one_line(name: str, payload: dict[str, Any], words: str) -> None:
    table = {"recall": handle(commands.Recall, print)}
    with pytest.raises(ValueError, match=re.escape(words)):
        dispatch(table, name, payload)


def test_empty_tables_of_lua_arrive_as_lists(app: App) -> None:
    decided = commands.Decide.model_validate({"question": 1, "files": []})
    assert decided.files == {}
