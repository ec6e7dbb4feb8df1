"""What of an answer to initialize is otherwise than the standard: named, one line each, whatever comes."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_nvim.protocol import decode
from acp_nvim.protocol.deviations import of_initialize

RIGHT: dict[str, Any] = {
    "protocolVersion": 1,
    "agentInfo": {"name": "a", "version": "1"},
    "agentCapabilities": {},
    "authMethods": [{"id": "key", "name": "Key"}],
}
WITHOUT = object()


def found(result: Any) -> list[str]:
    return list(of_initialize(result, decode.initialized(result)))


def test_a_right_answer_has_none() -> None:
    assert found(RIGHT) == []


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("protocolVersion", WITHOUT, "no protocolVersion"),
        ("protocolVersion", "1", "a string ('1'), not an integer"),
        ("protocolVersion", True, "a boolean"),
        ("protocolVersion", 2, "protocolVersion 2: only 1"),
        ("agentInfo", WITHOUT, "no agentInfo"),
        ("agentInfo", "me", "agentInfo is a string"),
        ("agentInfo", {"name": "a"}, "agentInfo without a version"),
        ("agentInfo", {"name": "", "version": "1"}, "agentInfo without a name"),
        ("agentCapabilities", WITHOUT, "no agentCapabilities"),
        ("agentCapabilities", [], "agentCapabilities is a list"),
        ("authMethods", WITHOUT, "no authMethods"),
        ("authMethods", {}, "authMethods is an object"),
        ("authMethods", [{"id": "key"}, {"name": "x"}, 3], "2 of 3 authMethods cannot be used"),
    ],
)
def test_one_thing_amiss_is_one_line(key: str, value: Any, words: str) -> None:
    result = {name: kept for name, kept in {**RIGHT, key: value}.items() if kept is not WITHOUT}
    (line,) = found(result)
    assert words in line


def test_capabilities_by_another_name() -> None:
    result = {**RIGHT, "capabilities": {}}
    del result["agentCapabilities"]
    assert found(result) == ["capabilities instead of agentCapabilities"]


@pytest.mark.parametrize("result", [None, [], "text", 3])
def test_no_object_at_all(result: Any) -> None:
    assert len(found(result)) == 1


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from([*RIGHT, "capabilities"]), JSON))
def test_whatever_comes_it_is_told(result: Any) -> None:
    assert all(isinstance(line, str) for line in found(result))
