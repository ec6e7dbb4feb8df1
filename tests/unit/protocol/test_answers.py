"""What agents answer: initialize, a new session, the end of a turn."""

from typing import Any

import pytest

from acp_nvim.protocol import decode
from acp_nvim.protocol.schema import (
    AgentInfo,
    AuthMethod,
    Choice,
    ConfigOption,
    Initialized,
    Mode,
    ModeState,
    NewSession,
    PromptAnswer,
)


@pytest.mark.statement(24)
def test_initialize_tells_who_the_agent_is_and_keeps_what_it_sent() -> None:
    capabilities = {"loadSession": True, "vendor": [1], "_meta": {"x": 1}}
    answer = decode.initialized(
        {
            "protocolVersion": 1,
            "agentInfo": {"name": "a", "title": "A", "version": "1.2"},
            "agentCapabilities": capabilities,
            "_meta": {"_agentao.cn/extensions": []},
        }
    )
    assert answer.agent_info == AgentInfo(name="a", title="A", version="1.2")
    assert answer.capabilities == capabilities


ODD_VERSIONS: list[object] = ["2024-11-05", {}, [1], -1, 10**30, 1.5]


@pytest.mark.statement(26)
@pytest.mark.parametrize(
    ("given", "version"),
    [
        ({"protocolVersion": 1}, 1),
        ({"protocolVersion": 7}, 7),
        ({"protocolVersion": "1"}, 1),
        ({}, 1),
        (None, 1),
    ]
    + [({"protocolVersion": odd}, 0) for odd in ODD_VERSIONS],
)
def test_the_version_is_told_apart_from_ours(given: object, version: int) -> None:
    assert decode.initialized(given).protocol_version == version


@pytest.mark.statement(27)
@pytest.mark.parametrize("capabilities", [None, {}, {"loadSession": None}, {"loadSession": False}, 42, []])
def test_what_is_left_out_is_a_no(capabilities: object) -> None:
    answer = decode.initialized({"protocolVersion": 1, "agentCapabilities": capabilities})
    assert not answer.can_load
    assert not answer.can_logout
    assert not any(answer.takes(content) for content in ("image", "audio", "embeddedContext"))
    assert not any(answer.session(ability) for ability in ("list", "resume", "close", "delete", "fork"))
    assert not answer.mcp("http")


@pytest.mark.statement(27)
def test_what_is_there_is_a_yes() -> None:
    answer = Initialized(
        capabilities={
            "loadSession": True,
            "auth": {"logout": {}},
            "promptCapabilities": {"image": True, "audio": False},
            "sessionCapabilities": {"list": {}, "close": None},
            "mcpCapabilities": {"http": True},
        }
    )
    assert answer.can_load
    assert answer.can_logout
    assert (answer.takes("image"), answer.takes("audio")) == (True, False)
    assert (answer.session("list"), answer.session("close"), answer.session("fork")) == (True, False, False)
    assert (answer.mcp("http"), answer.mcp("sse")) == (True, False)


@pytest.mark.statement(28)
@pytest.mark.parametrize(
    "result", [{"protocolVersion": 1}, {"agentInfo": None, "authMethods": None}, {}, None]
)
def test_agent_info_and_auth_methods_may_be_missing(result: object) -> None:
    answer = decode.initialized(result)
    assert answer.agent_info is None
    assert answer.auth_methods == ()


@pytest.mark.statement(29)
def test_one_bad_auth_method_is_skipped() -> None:
    methods = [{"id": "a", "name": "A"}, {"name": "no id"}, None, "x", {"id": 3, "name": "C"}, {"id": "b"}]
    answer = decode.initialized({"authMethods": methods})
    assert answer.auth_methods == (AuthMethod(id="a", name="A"), AuthMethod(id="b", name="b"))


@pytest.mark.statement(29)
def test_odd_optional_fields_leave_an_auth_method_standing() -> None:
    [method] = decode.initialized(
        {
            "authMethods": [
                {"id": "a", "name": "A", "args": ["--x", 4], "env": [], "_meta": 5, "description": 6}
            ]
        }
    ).auth_methods
    assert method == AuthMethod(id="a", name="A", args=("--x",))


def test_methods_that_run_in_a_terminal() -> None:
    login = {"terminal-auth": {"label": "Log in", "command": "x", "args": [], "env": {}}}
    assert AuthMethod(id="a", name="A", type="terminal").in_terminal
    assert AuthMethod(id="a", name="A", meta=login).in_terminal
    assert not AuthMethod(id="a", name="A").in_terminal


def test_a_new_session_with_everything() -> None:
    answer = decode.new_session(
        {
            "sessionId": "s",
            "modes": {
                "currentModeId": "ask",
                "availableModes": [{"id": "ask", "name": "Ask"}, {"name": "no id"}],
            },
            "models": {"currentModelId": "m", "availableModels": [{"modelId": "m", "name": "M"}]},
            "configOptions": [
                {"id": "model", "name": "Model", "type": "select", "currentValue": "m", "options": []}
            ],
        }
    )
    assert answer == NewSession(
        session_id="s",
        modes=ModeState(current="ask", available=(Mode(id="ask", name="Ask"),)),
        models=ModeState(current="m", available=answer.models.available if answer.models else ()),
        config_options=answer.config_options,
    )
    assert answer.models is not None
    assert [(model.id, model.name) for model in answer.models.available] == [("m", "M")]
    assert answer.config_options is not None
    assert [(option.id, option.current_value) for option in answer.config_options] == [("model", "m")]


@pytest.mark.parametrize(
    "result", [None, {}, 42, {"modes": None, "configOptions": None}, {"configOptions": 4}]
)
def test_an_answer_that_says_nothing_keeps_what_was(result: object) -> None:
    assert decode.new_session(result) == NewSession()


def test_an_empty_set_is_a_set() -> None:
    assert decode.new_session({"configOptions": []}).config_options == ()


@pytest.mark.parametrize("id", ["s", 5])
def test_a_session_id_is_a_text(id: object) -> None:
    assert decode.new_session({"sessionId": id}).session_id == str(id)


def option(**fields: Any) -> ConfigOption | None:
    [found] = decode.new_session({"configOptions": [fields]}).config_options or [None]
    return found


@pytest.mark.statement(91)
def test_choices_in_groups_stay_in_order() -> None:
    found = option(
        id="model",
        name="Model",
        type="select",
        category="model",
        currentValue="b",
        options=[
            {"group": "g1", "name": "First", "options": [{"value": "a", "name": "A"}, {"name": "bad"}]},
            {"value": "b", "name": "B"},
            {
                "group": "g2",
                "name": "Second",
                "options": [{"value": "c", "name": "C", "description": "slow"}],
            },
            42,
        ],
    )
    assert found is not None
    assert found.choices == (
        Choice(value="a", name="A", group="First"),
        Choice(value="b", name="B"),
        Choice(value="c", name="C", description="slow", group="Second"),
    )


@pytest.mark.statement(91, 93)
def test_kinds_of_options() -> None:
    flag = option(id="web", name="Web", type="boolean", currentValue=False)
    assert flag is not None
    assert flag.current_value is False
    assert option(id="x", name="X", type="slider", currentValue=3) is None
    assert option(id="x", name="X", currentValue=3) is None
    bare = option(id="x", options=[{"value": "a"}])
    assert bare is not None
    assert (bare.name, bare.type, bare.choices[0].name) == ("x", "select", "a")


@pytest.mark.statement(59)
@pytest.mark.parametrize(
    "reason", ["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled", "tool_use", "aliens"]
)
def test_every_stop_reason_is_handed_on(reason: str) -> None:
    assert decode.prompt_answer({"stopReason": reason}) == PromptAnswer(stop_reason=reason)


@pytest.mark.parametrize("result", [None, {}, {"stopReason": None}, {"stopReason": 3}, "done"])
def test_an_answer_without_a_reason_ends_the_turn(result: object) -> None:
    assert decode.prompt_answer(result).stop_reason == "end_turn"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("all of it", "all of it"),
        (
            [{"type": "text", "text": "all "}, {"type": "data"}, {"type": "text", "text": "of it"}],
            "all of it",
        ),
        ({"type": "text", "text": "all of it"}, "all of it"),
        (None, None),
        ([], None),
        (42, None),
    ],
)
def test_the_answer_may_hold_the_whole_message(content: object, text: str | None) -> None:
    assert decode.prompt_answer({"stopReason": "end_turn", "content": content}).content == text
