"""`make doc-check` sees where the help and the code say different things. The tables are small ones, not Neovim's."""

from typing import Any

import pytest

from tests.tools import docs

COMMANDS = {"open": {"doc": "opens the chat", "args": "[n]"}, "stop": {"doc": "ends it", "bang": True}}
TABLES: dict[str, Any] = {
    "spec": {
        "type": "record",
        "children": [{"name": "follow", "type": "boolean", "doc": "it", "children": []}],
    },
    "commands": COMMANDS,
    "api": ["setup"],
    "links": {"AcpAdded": "Added"},
    "own": ["AcpUser"],
    "keys": [{"key": "a", "modes": "x", "run": "add!", "desc": "Put the selection into the prompt"}],
    "maps": {
        "chat": [
            {"lhs": "<Plug>(acp-close)", "modes": ["n"], "desc": "close"},
            {"lhs": "q", "modes": ["n"], "to": "<Plug>(acp-close)"},
        ],
        "prompt": [{"lhs": "<Plug>(acp-send)", "modes": ["n"], "desc": "send"}],
        "everywhere": [{"lhs": "<Plug>(acp-open)", "modes": ["n"], "to": "<Cmd>Acp open<CR>"}],
    },
}
HELP = docs.written(docs.HELP.read_text(encoding="utf-8"), TABLES)


def problems(text: str, **changed: Any) -> list[str]:
    return list(docs.differing(text, TABLES | changed))


def test_nothing_differs_where_the_lists_are_those_of_the_code() -> None:
    assert ":Acp stop[!]" in HELP
    assert problems(HELP) == []


@pytest.mark.parametrize(
    "line", [":Acp stop[!]", "follow  ", "q  <Plug>(acp-close)", "AcpAdded", "agentao ", "x_<leader>aa"]
)
def test_a_line_that_the_help_has_lost_is_missed(line: str) -> None:
    lines = HELP.split("\n")
    kept = [each for each in lines if not each.startswith(line)]
    assert len(kept) == len(lines) - 1
    assert ["is not what the code says" in each for each in problems("\n".join(kept))] == [True]


def test_a_command_that_the_code_has_lost_is_too_much() -> None:
    (problem,) = problems(HELP, commands={"open": COMMANDS["open"]})
    assert "is not what the code says" in problem


def test_a_function_and_an_event_without_an_entry_are_named() -> None:
    assert problems(HELP, api=["setup", "fly"]) == ["acp.fly() has no tag in the help"]
    assert problems(HELP.replace("*AcpTurnEnded*", "")) == ["the event AcpTurnEnded has no tag in the help"]


def test_a_command_that_says_nothing_of_itself_is_refused() -> None:
    with pytest.raises(SystemExit, match="the subcommand mute says nothing"):
        problems(HELP, commands={"mute": {"doc": ""}})
