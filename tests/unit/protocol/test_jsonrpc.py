"""The peer: what comes in becomes events, what goes out is one line, and ids are never mixed up."""

import json
from pathlib import Path
from typing import Any

import pytest

import acp_nvim
from acp_nvim.protocol.errors import AUTH_REQUIRED, INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND, RpcError
from acp_nvim.protocol.jsonrpc import Failure, Notification, Peer, Request, Response, Stray

ROOT = str(Path(acp_nvim.__file__).parents[1])


def line(message: object) -> bytes:
    return json.dumps(message, ensure_ascii=False).encode() + b"\n"


def answered(peer: Peer, answer: dict[str, Any]) -> Any:
    [event] = peer.receive(line({"jsonrpc": "2.0", **answer}))
    return event


def sent(data: bytes) -> Any:
    assert data.endswith(b"\n")
    assert data.count(b"\n") == 1
    return json.loads(data)


@pytest.mark.statement(1)
def test_everything_sent_is_one_line_of_json_rpc() -> None:
    peer, text = Peer(), 'two\nlines, "quotes", é 漢 😀'
    assert sent(peer.request("session/prompt", {"text": text})[1]) == {
        "jsonrpc": "2.0",
        "id": 0,
        "method": "session/prompt",
        "params": {"text": text},
    }
    assert sent(peer.notify("session/cancel", {"sessionId": text})) == {
        "jsonrpc": "2.0",
        "method": "session/cancel",
        "params": {"sessionId": text},
    }
    assert sent(peer.respond(7, {"content": text})) == {
        "jsonrpc": "2.0",
        "id": 7,
        "result": {"content": text},
    }
    assert sent(peer.fail(7, RpcError(INVALID_PARAMS, text))) == {
        "jsonrpc": "2.0",
        "id": 7,
        "error": {"code": -32602, "message": text},
    }


@pytest.mark.statement(2)
def test_line_separators_and_non_ascii_survive_both_ways() -> None:
    text = "a\u2028b\u2029c\u0085d é 漢 😀 \x7f"
    data = Peer().notify("x", text)
    assert len(data.decode().splitlines()) == 2  # only U+0085, which no reader of bytes takes for a line end
    assert sent(data)["params"] == text
    assert Peer().receive(line({"method": "x", "params": text})) == [Notification("x", text)]


@pytest.mark.statement(3)
def test_many_messages_in_one_read_keep_their_order() -> None:
    data = b"".join(line({"method": "x", "params": n}) for n in range(100))
    assert [event.params for event in Peer().receive(data) if isinstance(event, Notification)] == [
        *range(100)
    ]


@pytest.mark.slow
@pytest.mark.statement(4)
def test_a_message_of_20_megabytes() -> None:
    peer, text = Peer(), "x" * 20_000_000
    data = line({"method": "x", "params": text})
    events = [event for at in range(0, len(data), 262_144) for event in peer.receive(data[at : at + 262_144])]
    assert events == [Notification("x", text)]


@pytest.mark.statement(5)
@pytest.mark.parametrize(
    "junk", ["Loading model…", "42", "null", '"text"', "[]", '[{"method":"x"}]', "{", "{}"]
)
def test_lines_that_are_no_messages_are_skipped_and_told(junk: str) -> None:
    [stray, event] = Peer().receive(junk.encode() + b"\n" + line({"method": "x"}))
    assert isinstance(stray, Stray)
    assert stray.text == junk
    assert stray.why
    assert event == Notification("x", None)


def test_a_stray_shows_no_more_than_the_beginning() -> None:
    [stray] = Peer().receive(b"x" * 100_000 + b"\n")
    assert isinstance(stray, Stray)
    assert stray.text == "x" * 4096


def test_a_line_over_the_limit_is_a_stray() -> None:
    [event, stray] = Peer(limit=100).receive(b"x" * 101 + b"\n" + line({"method": "x"}))
    assert event == Notification("x", None)
    assert stray == Stray("x" * 101, "longer than 100 bytes")


@pytest.mark.statement(5)
@pytest.mark.parametrize(
    "nested", [b"[" * 100_000, b'{"method":"x","params":' + b"[" * 300 + b"]" * 300 + b"}"]
)
def test_what_is_nested_too_deeply_is_skipped(nested: bytes) -> None:
    [stray, event] = Peer().receive(nested + b"\n" + line({"method": "x"}))
    assert isinstance(stray, Stray)
    assert event == Notification("x", None)


@pytest.mark.parametrize(
    ("wire", "text"),
    [
        (rb'"half \ud83d pair"', "half \ufffd pair"),
        (rb'"\ude00\ud83d\ude00"', "\ufffd😀"),
        (rb'"\\ud83d"', "\\ud83d"),
        (b'"raw \xff byte"', "raw \ufffd byte"),
        (b'"raw \t tab"', "raw \t tab"),
    ],
)
def test_broken_unicode_is_repaired(wire: bytes, text: str) -> None:
    assert Peer().receive(b'{"method":"x","params":' + wire + b"}\n") == [Notification("x", text)]


def test_a_byte_order_mark_is_no_harm() -> None:
    assert Peer().receive(b"\xef\xbb\xbf" + line({"method": "x"})) == [Notification("x", None)]


def test_texts_of_the_editor_with_invalid_bytes_can_be_sent() -> None:
    assert sent(Peer().notify("x", "caf\udce9"))["params"] == "caf\ufffd"


@pytest.mark.statement(8)
def test_ids_are_unique_and_answers_come_in_any_order() -> None:
    peer = Peer()
    assert [peer.request(method, {})[0] for method in "abc"] == [0, 1, 2]
    assert peer.pending == {0: "a", 1: "b", 2: "c"}
    assert answered(peer, {"id": 2, "result": "third"}) == Response(2, "c", "third")
    assert answered(peer, {"id": "0", "result": "echoed as text"}) == Response(0, "a", "echoed as text")
    assert answered(peer, {"id": 1.0, "result": "echoed as float"}) == Response(1, "b", "echoed as float")
    assert peer.pending == {}
    assert peer.request("d", {})[0] == 3


@pytest.mark.statement(14)
@pytest.mark.parametrize(
    "id", [1, -1, "1", "x", "²", True, False, 0.5, None, [0], {"a": 0}, 10**400, "9" * 5000]
)
def test_an_answer_to_nothing_is_ignored(id: object) -> None:
    peer = Peer()
    peer.request("a", {})
    assert isinstance(answered(peer, {"id": id, "result": {}}), Stray)
    assert peer.pending == {0: "a"}


@pytest.mark.statement(14)
def test_a_second_answer_is_ignored() -> None:
    peer = Peer()
    peer.request("a", {})
    assert answered(peer, {"id": 0, "result": 1}) == Response(0, "a", 1)
    assert isinstance(answered(peer, {"id": 0, "result": 1}), Stray)


@pytest.mark.statement(9)
@pytest.mark.parametrize("id", [0, 7, -3, "srv_1", "0", "", None, 1.5, 2**70])
def test_their_ids_are_echoed_with_their_type(id: Any) -> None:
    peer = Peer()
    number, _ = peer.request("session/prompt", {})
    assert answered(peer, {"id": id, "method": "fs/read_text_file", "params": {}}) == Request(
        id, "fs/read_text_file", {}
    )
    for echo in (sent(peer.respond(id, {}))["id"], sent(peer.fail(id, RpcError(1, "")))["id"]):
        assert echo == id
        assert type(echo) is type(id)
    assert peer.pending == {number: "session/prompt"}


@pytest.mark.parametrize("id", [{}, [1], float("nan"), float("inf")])
def test_a_request_whose_id_cannot_be_echoed_is_a_stray(id: object) -> None:
    assert isinstance(answered(Peer(), {"id": id, "method": "x"}), Stray)


@pytest.mark.statement(9)
def test_a_request_is_what_has_an_id_whatever_its_name() -> None:
    message: dict[str, Any] = {"id": None, "method": "session/update", "params": {}, "result": {}}
    assert answered(Peer(), message) == Request(None, "session/update", {})


@pytest.mark.statement(10, 12)
@pytest.mark.parametrize("method", ["session/update", "vendor/anything", "$/progress", "initialize"])
def test_without_an_id_it_is_a_notification_which_has_nothing_to_reply_to(method: str) -> None:
    event = answered(Peer(), {"method": method, "params": [1]})
    assert event == Notification(method, [1])
    assert not hasattr(event, "id")


@pytest.mark.statement(11, 13)
@pytest.mark.parametrize("code", [METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR])
def test_an_error_answer_leaves_the_connection_alive(code: int) -> None:
    peer = Peer()
    request = answered(peer, {"id": "a", "method": "vendor/x", "params": 42})
    assert sent(peer.fail(request.id, RpcError(code, "no", {"why": 1}))) == {
        "jsonrpc": "2.0",
        "id": "a",
        "error": {"code": code, "message": "no", "data": {"why": 1}},
    }
    assert answered(peer, {"id": "b", "method": "vendor/y"}) == Request("b", "vendor/y", None)


@pytest.mark.statement(15)
@pytest.mark.parametrize("answer", [{"result": None}, {}, {"result": None, "error": None}])
def test_null_is_a_success(answer: dict[str, Any]) -> None:
    peer = Peer()
    peer.request("a", {})
    assert answered(peer, {"id": 0, **answer}) == Response(0, "a", None)


@pytest.mark.statement(15, 16)
@pytest.mark.parametrize(
    ("error", "code", "message", "data"),
    [
        (
            {"code": -32602, "message": "bad", "data": {"session_id": "gone"}},
            -32602,
            "bad",
            {"session_id": "gone"},
        ),
        ({"code": 400, "message": "bad"}, 400, "bad", None),
        ({"code": 0, "message": ""}, 0, "", None),
        ({"code": "ENOENT", "message": "bad"}, INTERNAL_ERROR, "bad", None),
        ({"code": 10**30, "message": "bad"}, INTERNAL_ERROR, "bad", None),
        ({"code": True, "message": {"a": 1}}, INTERNAL_ERROR, '{"a": 1}', None),
        ({}, INTERNAL_ERROR, "unknown error", None),
        ("text", INTERNAL_ERROR, "text", None),
        (["a"], INTERNAL_ERROR, '["a"]', None),
        (False, INTERNAL_ERROR, "false", None),
    ],
)
def test_an_error_of_any_shape_is_a_failure(error: object, code: int, message: str, data: object) -> None:
    peer = Peer()
    peer.request("a", {})
    failure = answered(peer, {"id": 0, "error": error})
    assert isinstance(failure, Failure)
    assert (failure.id, failure.method) == (0, "a")
    assert (failure.error.code, failure.error.message, failure.error.data) == (code, message, data)


@pytest.mark.statement(16)
def test_an_error_tells_its_message_its_data_and_last_its_code() -> None:
    assert str(RpcError(-32602, "Invalid params", {"session_id": "Session not found"})) == (
        'Invalid params: {"session_id": "Session not found"} (-32602)'
    )
    assert str(RpcError(400, "no", "é")) == "no: é (400)"
    assert str(RpcError(-32603, "Internal error", {"details": "no credit", "retry": 5})) == (
        'Internal error: no credit: {"retry": 5} (-32603)'
    )
    assert str(RpcError(-32603, "no credit", {"message": "no credit"})) == "no credit (-32603)"
    assert str(RpcError(400, "no")) == "no (400)"


@pytest.mark.statement(31)
def test_what_asks_for_a_login() -> None:
    assert RpcError(AUTH_REQUIRED, "log in").needs_login
    assert RpcError(INTERNAL_ERROR, "log in", {"code": "auth_required"}).needs_login
    assert not RpcError(INTERNAL_ERROR, "no", {"code": "other"}).needs_login
    assert not RpcError(INTERNAL_ERROR, "no", "auth_required").needs_login


@pytest.mark.statement(21, 22)
@pytest.mark.parametrize("id", [5, "unknown", None])
def test_cancel_request_is_a_notification_for_the_layer_above(id: object) -> None:
    event = answered(Peer(), {"method": "$/cancel_request", "params": {"requestId": id}})
    assert event == Notification("$/cancel_request", {"requestId": id})


def test_the_last_message_may_lack_its_newline() -> None:
    peer = Peer()
    assert peer.receive(b'{"method":"x"}') == []
    assert peer.finish() == [Notification("x", None)]
    assert peer.finish() == []
