"""The table of methods: what may be called, what is refused, and what we say that we can do."""

from typing import Any

import pytest

from acp_nvim.protocol.errors import INVALID_PARAMS, METHOD_NOT_FOUND
from acp_nvim.protocol.methods import SERVED, client_capabilities, offers, refusal

EVERYTHING = client_capabilities(read=True, write=True, terminal=True)


@pytest.mark.statement(25)
def test_what_is_switched_off_is_not_advertised() -> None:
    always = {
        "auth": {"terminal": True},
        "subagents": {},
        "plan": {},
        "promptSuggestions": {},
        "session": {"configOptions": {"boolean": {}}, "notices": {}, "compaction": {}},
        "elicitation": {"form": {}, "url": {}},
        "_meta": {"terminal_output": True, "terminal-auth": True},
    }
    nothing = {"fs": {"readTextFile": False, "writeTextFile": False}, "terminal": False}
    everything = {"fs": {"readTextFile": True, "writeTextFile": True}, "terminal": True}
    assert client_capabilities() == {**always, **nothing}
    assert {**always, **everything} == EVERYTHING
    assert client_capabilities(read=True)["fs"] == {"readTextFile": True, "writeTextFile": False}


@pytest.mark.statement(11, 25)
@pytest.mark.parametrize("name", [*SERVED, "vendor/x", "session/prompt", "session/update", "", "_meta"])
def test_what_is_not_offered_is_refused(name: str) -> None:
    error = refusal(name, {}, {})
    if name == "session/request_permission":
        assert error is None
    else:
        assert error is not None
        assert error.code == (INVALID_PARAMS if name == "elicitation/create" else METHOD_NOT_FOUND)
        assert name in error.message


@pytest.mark.statement(25)
@pytest.mark.parametrize("name", SERVED)
def test_what_is_offered_is_served(name: str) -> None:
    assert refusal(name, {"mode": "form"}, EVERYTHING) is None


@pytest.mark.statement(13)
@pytest.mark.parametrize("name", [name for name in SERVED if name != "elicitation/create"])
@pytest.mark.parametrize("params", [None, 42, [], "text"])
def test_params_that_are_no_object_are_bad(name: str, params: object) -> None:
    error = refusal(name, params, EVERYTHING)
    assert error is not None
    assert error.code == INVALID_PARAMS


@pytest.mark.statement(30)
@pytest.mark.parametrize(
    "params", [{"mode": "url"}, {"mode": "dance"}, {"mode": 1}, {"mode": ["form"]}, {}, None]
)
def test_an_elicitation_of_a_mode_not_offered_is_bad_params(params: object) -> None:
    ours = {"elicitation": {"form": {}}}
    error = refusal("elicitation/create", params, ours)
    assert error is not None
    assert error.code == INVALID_PARAMS
    assert refusal("elicitation/create", {"mode": "form"}, ours) is None


@pytest.mark.statement(27)
@pytest.mark.parametrize("no", [{}, {"a": None}, {"a": False}, {"a": 0}, {"a": "false"}, {"a": []}])
def test_a_capability_left_out_is_a_no(no: dict[str, Any]) -> None:
    assert not offers(no, "a")
    assert not offers({"outer": no}, "outer.a")
    assert not offers({"outer": None}, "outer.a")


@pytest.mark.statement(27)
@pytest.mark.parametrize("yes", [True, {}, {"b": False}])
def test_a_capability_that_is_there_is_a_yes(yes: Any) -> None:
    assert offers({"a": yes}, "a")
    assert offers({"outer": {"a": yes}}, "outer.a")
