"""Nothing that an agent sends makes the protocol raise, and no odd field loses the message it stands in."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from acp_nvim.protocol import decode
from acp_nvim.protocol.dialects import DIALECTS, STANDARD
from acp_nvim.protocol.jsonrpc import Failure, Notification, Peer, Request, Response, Stray
from acp_nvim.protocol.schema import (
    Chunk,
    Initialized,
    NewSession,
    PermissionRequest,
    PromptAnswer,
    ToolCallUpdate,
)

FIELDS = re.findall(
    r"\w+",
    """sessionId update sessionUpdate type content text messageId toolCallId id title name kind status
    locations path line rawInput rawOutput _meta entries priority availableCommands input
    currentModeId configOptions options group value currentValue used size cost amount currency
    severity compactionId summary toolCall optionId permissionId toolName args description
    protocolVersion agentInfo agentCapabilities authMethods env modes models availableModes
    availableModels modelId stopReason usage metadata resource uri mimeType data newText oldText
    terminalId""",
)
WORDS = re.findall(
    r"\w+",
    """text image resource resource_link diff terminal content tool_call tool_call_update plan
    agent_message_chunk AgentThoughtChunk available_commands_update current_mode_update
    config_option_update session_info_update usage_update notice compaction_update
    compaction_summary_chunk select boolean allow_once""",
)
ODD: list[Any] = [None, True, 0, -1, 2**63, 10**400, 0.5, float("nan"), float("inf"), "", "\ud800", "\u2028"]

scalars = st.sampled_from([*ODD, *WORDS])
# Keys with half a surrogate pair never leave the peer; pydantic could not take them.
keys = st.sampled_from([*FIELDS, ""])
anything = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4),
    max_leaves=8,
)
objects = st.dictionaries(keys, anything, max_size=5)
told = objects.map(lambda update: {"sessionId": "s", "update": update})


@given(
    st.lists(
        st.binary(max_size=60) | anything.map(lambda value: json.dumps(value).encode() + b"\n"), max_size=5
    )
)
def test_no_bytes_make_the_peer_raise(reads: list[bytes]) -> None:
    peer = Peer()
    peer.request("a", {})
    for event in [event for read in reads for event in peer.receive(read)] + peer.finish():
        assert isinstance(event, Request | Notification | Response | Failure | Stray)


@given(anything, anything)
def test_what_leaves_the_peer_is_sound_and_can_be_answered(id: Any, params: Any) -> None:
    message = json.dumps({"id": id, "method": "x", "params": params}).encode() + b"\n"
    [event] = Peer().receive(message)
    repr(event).encode()  # which halves of surrogate pairs would not survive
    if isinstance(event, Request):
        assert json.loads(Peer().respond(event.id, event.params))["id"] == event.id


@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=lambda dialect: dialect.name)
@given(params=objects | told | anything)
def test_no_json_makes_the_normaliser_raise(dialect: Any, params: Any) -> None:
    session, updates = decode.update(params, dialect)
    assert session is None or isinstance(session, str)
    assert updates
    assert isinstance(decode.permission(params, dialect), PermissionRequest)
    assert isinstance(decode.initialized(params), Initialized)
    assert isinstance(decode.new_session(params), NewSession)
    assert isinstance(decode.prompt_answer(params), PromptAnswer)


@given(objects)
def test_odd_fields_never_lose_their_message(odd: dict[str, Any]) -> None:
    call = {
        **odd,
        "sessionUpdate": "tool_call",
        "toolCallId": "c",
        "title": "T",
        "status": "failed",
        "kind": "edit",
    }
    session, [found] = decode.update({**odd, "sessionId": "s", "update": call}, STANDARD)
    assert session == "s"
    assert isinstance(found, ToolCallUpdate)
    assert (found.id, found.title, found.status, found.kind) == ("c", "T", "failed", "edit")

    chunk = {**odd, "sessionUpdate": "agent_message_chunk", "content": {**odd, "type": "text", "text": "hi"}}
    [said] = decode.update({**odd, "sessionId": "s", "update": chunk}, STANDARD)[1]
    assert isinstance(said, Chunk)
    assert (said.role, said.text) == ("agent", "hi")

    assert decode.prompt_answer({**odd, "stopReason": "refusal"}).stop_reason == "refusal"
    assert decode.initialized({**odd, "protocolVersion": 7}).protocol_version == 7


@given(objects, anything)
def test_odd_neighbours_never_lose_an_item(odd: dict[str, Any], neighbour: Any) -> None:
    option = {**odd, "optionId": "yes", "name": "Yes", "kind": "allow_once"}
    request = decode.permission({"toolCall": odd, "options": [neighbour, option]}, STANDARD)
    assert (request.options[-1].id, request.options[-1].kind) == ("yes", "allow_once")

    method = {**odd, "id": "login", "name": "Log in"}
    assert decode.initialized({"authMethods": [neighbour, method, neighbour]}).auth_methods

    modes = {**odd, "availableModes": [neighbour, {**odd, "id": "ask", "name": "Ask"}]}
    session = decode.new_session({**odd, "sessionId": "s", "modes": modes})
    assert session.session_id == "s"
    assert session.modes is not None
    assert session.modes.available[-1].id == "ask"
