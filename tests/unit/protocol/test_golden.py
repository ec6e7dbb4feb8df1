"""Golden pairs, one message a file: what an agent sends (`wire`), and the model that it becomes.

A pair lies in the folder of its dialect. An answer names the `method` of our request. The models are shown
without what is None or not given, and without an empty meta.
"""

import json
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest

from acp_nvim.protocol import decode
from acp_nvim.protocol.dialects import PERMISSIONS, Dialect, choose, of_permission
from acp_nvim.protocol.jsonrpc import Failure, Notification, Peer, Request, Response
from acp_nvim.protocol.schema import UNSET
from acp_nvim.protocol.schema.lenient import Lenient

GOLDEN = Path(__file__).parents[2] / "golden"
PAIRS = sorted(GOLDEN.glob("*/*.json"))


@pytest.mark.parametrize("path", PAIRS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_the_wire_becomes_the_model(path: Path) -> None:
    pair = json.loads(path.read_text(encoding="utf-8"))
    dialect = choose(path.parent.name, None)
    assert dialect.name == path.parent.name
    assert model(pair, dialect) == pair["model"]


def test_there_are_pairs() -> None:
    assert [path for path in PAIRS if path.parent.name == "standard"]


def model(pair: dict[str, Any], dialect: Dialect) -> Any:
    peer = Peer()
    if "method" in pair:
        peer.request(pair["method"], {})
    [event] = peer.receive(json.dumps(pair["wire"]).encode() + b"\n")
    if isinstance(event, Failure):
        return {"is": "Failure", **event.error.to_wire()}
    if isinstance(event, Response):
        return plain(ANSWERS[event.method](event.result))
    assert isinstance(event, Request | Notification)
    if event.method in PERMISSIONS:
        return plain(decode.permission(event.params, of_permission(event.method, event.params, dialect)))
    if event.method != "session/update":
        return plain(decode.notice(event.method, event.params))
    session, updates = decode.update(event.params, dialect)
    return {"session": session, "updates": plain(updates)}


ANSWERS: dict[str, Any] = {
    "initialize": decode.initialized,
    "session/new": decode.new_session,
    "session/load": decode.new_session,
    "session/set_config_option": decode.new_session,
    "session/prompt": decode.prompt_answer,
}


def plain(value: Any) -> Any:
    if isinstance(value, list) or type(value) is tuple:
        return [plain(item) for item in value]
    if isinstance(value, Lenient):
        names = list(vars(value))
    elif is_dataclass(value):
        names = [field.name for field in fields(value) if (field.name, type(value).__name__) != RAW]
    elif isinstance(value, tuple):
        names = [name for name in value._fields if (name, type(value).__name__) != RAW]
    else:
        return value
    found = {name: getattr(value, name) for name in names}
    given = {name: plain(each) for name, each in found.items() if each is not None and each is not UNSET}
    return {
        "is": type(value).__name__,
        **{name: each for name, each in given.items() if (name, each) != ("meta", {})},
    }


RAW = ("raw", "PermissionRequest")  # the wire once more
