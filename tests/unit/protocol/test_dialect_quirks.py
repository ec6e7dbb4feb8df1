"""The quirks of each dialect: the answers that leave us, and what the shape of a request decides.

What comes in is pinned by the pairs under tests/golden/<dialect>; so are the answers: a pair of a permission has
`answers`, from the option that was chosen (null: none) to the result.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from acp_nvim.protocol import decode, encode, methods
from acp_nvim.protocol.dialects import DIALECTS, FLAT, SIMSE, STANDARD, choose, of_permission, prompts
from acp_nvim.protocol.errors import INTERNAL_ERROR, NOT_FOUND, RpcError
from acp_nvim.protocol.schema import AgentInfo, AskAnswer, Initialized

GOLDEN = Path(__file__).parents[2] / "golden"
ANSWERED = [path for path in sorted(GOLDEN.glob("*/*.json")) if "answers" in json.loads(path.read_text())]
TEXT = [encode.text("Look"), {"type": "resource_link", "uri": "file:///a%20b", "name": "a b"}]
AGENTAO, IAC, BRIDGE = DIALECTS["agentao"], DIALECTS["iac-code"], DIALECTS["bridge"]


@pytest.mark.statement(71)
@pytest.mark.parametrize("path", ANSWERED, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_an_answer_becomes_the_wire(path: Path) -> None:
    pair = json.loads(path.read_text(encoding="utf-8"))
    wire = pair["wire"]
    dialect = of_permission(wire["method"], wire["params"], choose(path.parent.name, None))
    request = decode.permission(wire["params"], dialect)
    for chosen, result in pair["answers"]:
        assert dialect.permission_answer(chosen, request) == result


def test_every_document_has_answers_in_pairs() -> None:
    assert {path.parent.name for path in ANSWERED} >= {"simse", "iac-code", "agentao", "bridge"}


# --- which one


@pytest.mark.parametrize(
    ("command", "name"),
    [("/opt/bin/agentao", "agentao"), ("iac-code", "iac-code"), ("node", "standard"), ("", "standard")],
)
def test_the_command_is_a_hint_until_the_agent_says_who_it_is(command: str, name: str) -> None:
    assert choose("auto", None, command).name == name
    assert choose("auto", AgentInfo(name="somebody"), command) is STANDARD
    assert choose("bridge", AgentInfo(name="agentao"), command) is BRIDGE


def test_a_permission_tells_by_its_shape_how_it_is_answered() -> None:
    by_shape = {"permissionId": "p", "toolName": "bash", "args": {}}
    standard = {"sessionId": "s", "toolCall": {}, "options": []}
    assert of_permission("session/request_permission", by_shape, AGENTAO) is SIMSE
    assert of_permission("request_permission", by_shape, STANDARD) is SIMSE
    assert of_permission("request_permission", standard, STANDARD) is FLAT
    assert of_permission("session/request_permission", standard, IAC) is IAC
    assert of_permission("session/request_permission", {**by_shape, "options": []}, STANDARD) is STANDARD


# --- prompts


def forms(dialect: str, setting: str = "auto", limit: float | None = None, **capabilities: Any) -> Any:
    return prompts(TEXT, limit, DIALECTS[dialect], setting, Initialized(capabilities=capabilities))


def test_simse_is_prompted_by_a_text_with_a_time() -> None:
    words = "Look\n\nfile:///a%20b"
    one = [{"type": "text", "text": words}]
    day = {"timeoutMs": 86_400_000}
    assert forms("simse") == [{"prompt": words, **day}, {"prompt": one, **day}]
    assert forms("simse", limit=1500.0)[0]["timeoutMs"] == 1500
    assert forms("simse-engine") == [{"prompt": one, **day}, {"prompt": words, **day}]


def test_a_prompt_of_all_kinds_of_blocks_as_a_text() -> None:
    blocks = [encode.file("/x/a", "one\n"), encode.image(b"x", "image/png"), encode.text("")]
    assert SIMSE.prompt(blocks) == "file:///x/a\none\n\n\n[image]"


def test_who_tells_only_a_name_may_take_a_text() -> None:
    assert [type(form["prompt"]) for form in forms("standard")] == [list, str]
    assert [type(form["prompt"]) for form in forms("standard", loadSession=False)] == [list]
    assert [type(form["prompt"]) for form in forms("standard", setting="standard")] == [list]
    assert forms("agentao") == [{"prompt": TEXT}]


# --- capabilities, switches, files


def test_capabilities_under_the_names_that_an_agent_knows() -> None:
    params = encode.initialize("1", methods.client_capabilities(read=True))
    assert STANDARD.initialize(params) is params
    fs = AGENTAO.initialize(params)["clientCapabilities"]["fs"]
    assert fs == {"readTextFile": True, "writeTextFile": False, "readFile": True, "writeFile": False}
    assert BRIDGE.initialize(params) == {**params, "capabilities": params["clientCapabilities"]}
    assert AGENTAO.initialize({"clientCapabilities": {}})["clientCapabilities"]["fs"]["readFile"] is False


def test_simse_sets_all_by_options_under_both_their_names() -> None:
    both = {"configId": "model", "value": "m", "configOptionId": "model", "groupId": "m"}
    assert SIMSE.change("model", "", "m") == ("session/set_config_option", both)
    assert SIMSE.change("option", "model", "m") == ("session/set_config_option", both)
    assert SIMSE.change("option", "fast", True) is None
    assert STANDARD.change("model", "", "m") is None


def test_a_missing_file_is_empty_for_gemini_alone() -> None:
    gemini, missing = DIALECTS["gemini"], RpcError(NOT_FOUND, "gone")
    assert gemini.instead("fs/read_text_file", missing) == {"content": ""}
    assert gemini.instead("fs/write_text_file", missing) is None
    assert gemini.instead("fs/read_text_file", RpcError(INTERNAL_ERROR, "denied")) is None
    assert STANDARD.instead("fs/read_text_file", missing) is None


# --- questions in words


def test_agentao_reads_the_answer_of_its_appendix_and_of_its_releases() -> None:
    vendor = AGENTAO.requests["_agentao.cn/ask_user"]
    asked = vendor.decode({"sessionId": "s", "question": "Which?"})
    assert asked is not None
    assert (asked.session_id, asked.question, asked.custom) == ("s", "Which?", True)
    chosen = vendor.decode(
        {"question": "Which?", "options": ["a", "b"], "multiple": True, "allowCustom": False}
    )
    assert chosen is not None
    assert ([each.value for each in chosen.options], chosen.multiple, chosen.custom) == (
        ["a", "b"],
        True,
        False,
    )
    answered = {"outcome": "answered", "text": "a\nb", "answer": "a\nb"}
    assert vendor.encode(AskAnswer("accept", ("a", "b"))) == answered
    for none in (AskAnswer("cancel"), AskAnswer("decline"), AskAnswer("accept", ("",))):
        assert vendor.encode(none) == {"outcome": "cancelled", "answer": "(user unavailable)"}
    assert [vendor.decode(odd) for odd in (None, [], {}, {"question": 5})] == [None] * 4


# --- iac-code


@pytest.mark.parametrize(
    ("asked", "call", "same"),
    [
        ("permission/use_1", "turn-7/use_1", True),
        ("permission/use_1", "turn-7/use_12", False),
        ("permission/", "turn-7/", False),
        ("use_1", "turn-7/use_1", False),
        ("x/permission/use_1", "turn-7/use_1", False),
        ("same", "same", True),
    ],
)
def test_iac_code_asks_about_calls_by_other_ids(asked: str, call: str, same: bool) -> None:
    assert IAC.is_about(asked, call) is same
    assert STANDARD.is_about(asked, call) is (asked == call)


def test_documents_names_are_asked_for_where_the_standards_are_unknown() -> None:
    option = {"sessionId": "s", "configId": "mode", "value": "plan"}
    assert methods.older("session/list", {"cursor": "c"}, "/") == (
        "sessions/list",
        {"cwd": "/", "cursor": "c"},
    )
    assert methods.older("session/set_config_option", option, "/") == ("config/set", option)
    assert methods.older("session/set_mode", {"sessionId": "s", "modeId": "plan"}, "/") == (
        "config/set",
        option,
    )
    model = {"sessionId": "s", "configId": "model", "value": "m"}
    assert methods.older("session/set_model", {"sessionId": "s", "modelId": "m"}, "/") == (
        "config/set",
        model,
    )
    assert methods.older("session/new", {}, "/") is None
