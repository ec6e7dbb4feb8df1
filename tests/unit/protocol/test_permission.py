"""Permission requests: every option as it was offered, and the answer in the agent's own words."""

from typing import Any

import pytest

from acp_nvim.protocol import decode
from acp_nvim.protocol.dialects import STANDARD
from acp_nvim.protocol.schema import UNSET, ContentItem, PermissionOption, Text, ToolCallUpdate

CALL = {"toolCallId": "c", "title": "T"}


def options(*offered: object) -> list[tuple[str, str, str]]:
    request = decode.permission({"sessionId": "s", "toolCall": CALL, "options": [*offered]}, STANDARD)
    return [(option.id, option.name, option.kind) for option in request.options]


@pytest.mark.statement(71, 72)
def test_options_keep_their_order_ids_names_and_kinds() -> None:
    offered = [
        {"optionId": "allow_rule:touch:*", "name": "Always touch", "kind": "allow_always"},
        {"optionId": "maybe", "name": "Maybe", "kind": "ask_mother"},
        {"optionId": "no", "name": "No", "kind": "reject_once"},
    ]
    assert options(*offered) == [tuple(option.values()) for option in offered]


@pytest.mark.statement(72)
def test_no_options_is_no_options() -> None:
    assert options() == []


@pytest.mark.parametrize(
    ("offered", "found"),
    [
        ("allow", ("allow", "allow", "allow_once")),
        ({"id": "x", "label": "X", "kind": "allow_once"}, ("x", "X", "allow_once")),
        ({"option_id": "reject"}, ("reject", "reject", "reject_once")),
        (
            {"optionId": "allow_always", "name": 5, "kind": 6},
            ("allow_always", "Always allow", "allow_always"),
        ),
        ({"name": "Yes", "kind": "allow_once"}, ("allow_once", "Yes", "allow_once")),
        ({"name": "Yes"}, ("Yes", "Yes", "")),
        ({"kind": "reject_once"}, ("reject_once", "Reject once", "reject_once")),
        ({"optionId": ["x"]}, ("option-1", "option-1", "")),
        ({}, ("option-1", "option-1", "")),
    ],
)
def test_options_that_lack_something(offered: object, found: tuple[str, str, str]) -> None:
    assert options(offered) == [found]


def test_made_up_ids_are_told_apart() -> None:
    once = {"kind": "allow_once", "name": "Yes"}
    assert [id for id, _, _ in options(once, once, once, 42)] == ["allow_once", "Yes", "option-3"]


@pytest.mark.statement(71)
@pytest.mark.parametrize("id", ["allow", "", "Ünï\u2028", 0, 17])
def test_the_answer_has_the_very_id(id: object) -> None:
    offered = [{"optionId": id, "name": "A", "kind": "allow_once"}]
    request = decode.permission({"sessionId": "s", "toolCall": CALL, "options": offered}, STANDARD)
    answer = STANDARD.permission_answer(request.options[0].id, request)
    assert answer == {"outcome": {"outcome": "selected", "optionId": id}}
    assert type(answer["outcome"]["optionId"]) is type(id)


def test_no_choice_is_cancelled() -> None:
    request = decode.permission({"sessionId": "s", "toolCall": CALL, "options": []}, STANDARD)
    assert STANDARD.permission_answer(None, request) == {"outcome": {"outcome": "cancelled"}}


@pytest.mark.parametrize(
    "params",
    [
        {"sessionId": "s", "toolCall": {"toolCallId": "c", "title": "T", "kind": "edit"}},
        {"sessionId": "s", "toolCall": {"id": "c", "name": "T", "kind": "edit"}},
        {"session_id": "s", "tool_call": {"tool_call_id": "c", "title": "T", "kind": "edit"}},
        {"sessionId": "s", "toolCallId": "c", "title": "T", "kind": "edit"},
    ],
)
def test_the_tool_call_in_all_its_places(params: dict[str, Any]) -> None:
    request = decode.permission(params, STANDARD)
    assert (request.session_id, request.raw) == ("s", params)
    assert (request.tool_call.id, request.tool_call.title, request.tool_call.kind) == ("c", "T", "edit")


def test_a_tool_call_may_be_an_id_alone() -> None:
    assert decode.permission({"toolCall": {"toolCallId": "c"}}, STANDARD).tool_call == ToolCallUpdate("c")
    assert decode.permission({"toolCall": "c"}, STANDARD).tool_call == ToolCallUpdate("c")


def test_a_request_with_a_tool_name_instead_of_a_tool_call() -> None:
    request = decode.permission(
        {
            "sessionId": "s",
            "permissionId": "p",
            "toolName": "bash",
            "args": {"command": "ls"},
            "description": "Lists",
        },
        STANDARD,
    )
    call = request.tool_call
    assert (call.id, call.title, call.raw_input) == ("p", "bash", {"command": "ls"})
    assert call.content == (ContentItem(Text(text="Lists")),)
    assert [option.kind for option in request.options] == [
        "allow_once",
        "allow_always",
        "reject_once",
        "reject_always",
    ]
    assert request.options[0] == PermissionOption("allow_once", "Allow once", "allow_once", "allow_once")


@pytest.mark.parametrize(
    "params", [None, 42, [], {}, {"toolCall": 5, "options": 6}, {"toolCall": None, "options": None}]
)
def test_a_request_with_nothing_in_it_is_still_a_request(params: object) -> None:
    request = decode.permission(params, STANDARD)
    assert (request.session_id, request.options) == (None, ())
    assert (request.tool_call.id, request.tool_call.title, request.tool_call.raw_input) == ("", None, UNSET)
