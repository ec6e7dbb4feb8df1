"""Mode, model and options: set by the way that the agent has, shown once it has agreed, one after the other."""

from typing import Any, ClassVar

import pytest

from acp_nvim.protocol import dialects
from tests.client.conftest import Desk, Talk
from tests.fakes.script import (
    error,
    eventually,
    on,
    on_initialize,
    on_prompt,
    result,
    silence,
    update,
    wait,
    wait_file,
)
from tests.steps.controls import MODELS, MODES, OPTIONS, make_select, make_switch, on_new_session

Json = dict[str, Any]


def params(agent: Any, method: str) -> list[Json]:
    return [message["params"] for message in agent.got(method)]


def value(talk: Talk, id: str) -> Any:
    return next(option["value"] for option in talk.status["options"] if option["id"] == id)


@pytest.mark.statement(94)
async def test_a_legacy_mode_is_shown_once_the_agent_has_agreed(desk: Desk) -> None:
    gate = desk.folder / "gate"
    agent = desk.agent(on_new_session(modes=MODES), on("session/set_mode", wait_file(str(gate))))
    talk = await desk.ready()
    assert (talk.status["mode"], [mode["id"] for mode in talk.status["modes"]]) == ("ask", ["ask", "code"])
    talk.send("set_mode", id="code")
    await eventually(lambda: agent.got("session/set_mode"))
    assert talk.status["mode"] == "ask"
    gate.touch()
    await eventually(lambda: talk.status["mode"] == "code")
    assert params(agent, "session/set_mode") == [{"sessionId": "s1", "modeId": "code"}]


@pytest.mark.statement(94)
@pytest.mark.parametrize("answer", [result(None), result({}), result({"modeId": "code"})])
async def test_an_answer_that_says_little(desk: Desk, answer: Any) -> None:
    desk.agent(on_new_session(modes=MODES), on("session/set_mode", answer))
    talk = await desk.ready()
    talk.send("set_mode", id="code")
    await eventually(lambda: talk.status["mode"] == "code")


@pytest.mark.statement(94)
async def test_a_failure_leaves_what_was_and_is_told(desk: Desk) -> None:
    desk.agent(on_new_session(modes=MODES), on("session/set_mode", error(-32603, "not today")))
    talk = await desk.ready()
    talk.send("set_mode", id="code")
    said = await desk.message("mode 'code' was not set", "not today")
    assert "\n" not in said
    assert (talk.status["mode"], talk.state) == ("ask", "idle")


@pytest.mark.statement(94)
async def test_the_agent_changes_its_mode_itself(desk: Desk) -> None:
    both = make_select("mode", "ask", "ask", "code", category="mode")
    desk.agent(
        on_new_session(modes=MODES, configOptions=[both]),
        on_prompt("", update({"sessionUpdate": "current_mode_update", "currentModeId": "code"})),
    )
    talk = await desk.ready()
    await talk.turn("hello")
    assert (talk.status["mode"], value(talk, "mode")) == ("code", "code")


@pytest.mark.statement(90, 92)
async def test_config_options_win_and_the_answer_is_the_whole_set(desk: Desk) -> None:
    before = [
        make_select("m", "ask", "ask", "code", category="mode"),
        make_select("effort", "low", "low", "high"),
    ]
    after = [
        make_select("m", "code", "ask", "code", category="mode"),
        make_select("tone", "dry", "dry", "warm"),
    ]
    agent = desk.agent(
        on_new_session(
            modes=MODES,
            models=MODELS,
            configOptions=[*before, make_select("x", "big", "big", category="model")],
        ),
        on("session/set_config_option", result({"configOptions": after})),
    )
    talk = await desk.ready()
    assert (talk.status["model"], [each["id"] for each in talk.status["models"]]) == ("big", ["big"])
    talk.send("set_mode", id="code")
    await eventually(lambda: talk.status["mode"] == "code")
    assert [option["id"] for option in talk.status["options"]] == ["m", "tone"]
    assert params(agent, "session/set_config_option") == [
        {"sessionId": "s1", "configId": "m", "value": "code"}
    ]
    assert agent.got("session/set_mode") == []


@pytest.mark.statement(92)
@pytest.mark.parametrize("answer", [{}, None, {"configOptions": None}])
async def test_an_answer_without_a_set_keeps_what_was_and_what_was_asked(desk: Desk, answer: Any) -> None:
    options = [make_select("effort", "low", "low", "high"), make_select("tone", "dry", "dry", "warm")]
    desk.agent(on_new_session(configOptions=options), on("session/set_config_option", result(answer)))
    talk = await desk.ready()
    talk.send("set_option", id="effort", value="high")
    await eventually(lambda: value(talk, "effort") == "high")
    assert value(talk, "tone") == "dry"


@pytest.mark.statement(91)
async def test_order_and_groups_are_kept_and_unknown_types_left_out(desk: Desk) -> None:
    inner = [{"value": "a", "name": "A", "description": "first"}]
    grouped = [
        {"group": "g1", "name": "Fast", "options": inner},
        {"group": "g2", "name": "Big", "options": [{"value": "b"}]},
    ]
    options = [
        make_select("z", "1", "1", "2"),
        {"id": "x", "name": "X", "type": "slider", "currentValue": 3},
        {**make_select("model", "a"), "options": grouped, "category": "model"},
        make_switch("web", True),
    ]
    desk.agent(on_new_session(configOptions=options))
    talk = await desk.ready()
    assert [option["id"] for option in talk.status["options"]] == ["z", "model", "web"]
    assert talk.status["options"][1]["choices"] == [
        {"id": "a", "name": "A", "group": "Fast", "description": "first"},
        {"id": "b", "name": "b", "group": "Big"},
    ]
    assert (talk.status["model"], [each["id"] for each in talk.status["models"]]) == ("a", ["a", "b"])


@pytest.mark.statement(93)
async def test_a_boolean_option(desk: Desk) -> None:
    agent = desk.agent(on_new_session(configOptions=[make_switch("web", True)]))
    talk = await desk.ready()
    talk.send("set_option", id="web", value=False)
    await eventually(lambda: value(talk, "web") is False)
    sent = {"sessionId": "s1", "configId": "web", "value": False, "type": "boolean"}
    assert params(agent, "session/set_config_option") == [sent]
    talk.send("set_option", id="web", value="maybe")
    await desk.message("web is true or false")
    capabilities = params(agent, "initialize")[0]["clientCapabilities"]
    assert capabilities["session"]["configOptions"] == {"boolean": {}}


async def test_an_update_replaces_the_set(desk: Desk) -> None:
    new = [make_select("model", "b", "b", "c", category="model")]
    desk.agent(
        on_new_session(configOptions=[make_select("effort", "low", "low")]),
        on_prompt("", update({"sessionUpdate": "config_option_update", "configOptions": new})),
    )
    talk = await desk.ready()
    await talk.turn("hello")
    assert ([option["id"] for option in talk.status["options"]], talk.status["model"]) == (["model"], "b")


async def test_a_legacy_model(desk: Desk) -> None:
    agent = desk.agent(on_new_session(models=MODELS, configOptions=[make_select("effort", "low", "low")]))
    talk = await desk.ready()
    talk.send("set_model", id="large")
    await eventually(lambda: talk.status["model"] == "large")
    assert params(agent, "session/set_model") == [{"sessionId": "s1", "modelId": "large"}]


async def test_a_dialect_with_a_way_of_its_own(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    class Odd(dialects.Dialect):
        name: ClassVar[str] = "odd"
        agents: ClassVar[frozenset[str]] = frozenset({"scripted"})
        set_model: ClassVar[str | None] = "_odd/set_model"

    monkeypatch.setitem(dialects.DIALECTS, "odd", Odd())
    agent = desk.agent(on_initialize(), on("_odd/set_model", result({"model": "vendor/large"})))
    talk = await desk.ready()
    assert talk.status["models"] == []  # any name will do
    talk.send("set_model", id="large")
    await eventually(lambda: talk.status.get("model") == "vendor/large")
    assert params(agent, "_odd/set_model") == [{"sessionId": "s1", "model": "large"}]


@pytest.mark.parametrize(
    ("verb", "payload", "words"),
    [
        ("set_mode", {"id": "cod"}, "did you mean 'code'?"),
        ("set_mode", {"id": "zzzzz"}, "no mode 'zzzzz'. Choose ask or code"),
        ("set_model", {"id": "x"}, "no models"),
        ("set_option", {"id": "effrt", "value": "low"}, "did you mean 'effort'?"),
        ("set_option", {"id": "effort", "value": "hgh"}, "did you mean 'high'?"),
    ],
)
async def test_what_cannot_be_is_not_sent(desk: Desk, verb: str, payload: Json, words: str) -> None:
    agent = desk.agent(
        on_new_session(modes=MODES, configOptions=[make_select("effort", "low", "low", "high")])
    )
    talk = await desk.ready()
    talk.send(verb, **payload)
    await desk.message("was not set", words)
    assert [message["method"] for message in agent.got()] == ["initialize", "session/new"]


async def test_changes_go_out_one_after_the_other(desk: Desk) -> None:
    gate = desk.folder / "gate"
    agent = desk.agent(
        on_new_session(modes=MODES, models=MODELS), on("session/set_mode", wait_file(str(gate)), times=1)
    )
    talk = await desk.ready()
    talk.send("set_mode", id="code")
    talk.send("set_model", id="large")
    talk.send("set_mode", id="ask")
    await eventually(lambda: agent.got("session/set_mode"))
    assert agent.got("session/set_model") == []
    gate.touch()
    await eventually(lambda: talk.status["mode"] == "ask" and talk.status["model"] == "large")
    methods = [message["method"] for message in agent.got()][2:]
    assert methods == ["session/set_mode", "session/set_model", "session/set_mode"]


async def test_in_a_turn_it_is_sent_at_once(desk: Desk) -> None:
    desk.agent(on_new_session(modes=MODES), on_prompt("", wait("session/set_mode")))
    talk = await desk.ready()
    talk.prompt("hello")
    await talk.until("running")
    talk.send("set_mode", id="code")
    await talk.ended(1)
    await eventually(lambda: talk.status["mode"] == "code")


async def test_what_is_asked_for_before_the_session_is_there_comes_before_its_prompt(desk: Desk) -> None:
    gate = desk.folder / "gate"
    answer = result({"sessionId": "s1", "modes": MODES})
    agent = desk.agent(on("session/new", wait_file(str(gate)), answer))
    talk = desk.new()
    talk.send("set_mode", id="code")
    talk.prompt("hello")
    await eventually(lambda: agent.got("session/new"))
    gate.touch()
    await talk.ended(1)
    assert [message["method"] for message in agent.got()][2:] == ["session/set_mode", "session/prompt"]
    assert talk.status["mode"] == "code"


async def test_an_agent_that_is_gone_sets_nothing(desk: Desk) -> None:
    desk.agent(on_new_session(modes=MODES))
    talk = await desk.ready()
    talk.send("stop")
    await talk.until("stopped")
    talk.send("set_mode", id="code")
    await desk.message("session 1 has ended", ":Acp restart")


# --- defaults


async def test_defaults_come_in_sequence_before_the_first_prompt(desk: Desk) -> None:
    defaults = {"mode": "code", "model": "large", "options": {"tone": "warm", "effort": "high"}}
    agent = desk.agent(
        on_new_session(modes=MODES, models=MODELS, configOptions=OPTIONS), spec={"defaults": defaults}
    )
    talk = desk.new()
    talk.prompt("hello")
    await talk.ended(1)
    sent = [(message["method"], message["params"].get("value")) for message in agent.got()][2:]
    assert sent == [
        ("session/set_mode", None),
        ("session/set_model", None),
        ("session/set_config_option", "high"),  # in the agent's order
        ("session/set_config_option", "warm"),
        ("session/prompt", None),
    ]
    assert (talk.status["mode"], talk.status["model"], value(talk, "effort")) == ("code", "large", "high")
    (first,) = [status for event, _, status in desk.editor.told if event == "AcpSessionStarted"]
    assert first["mode"] == "code"


async def test_what_is_so_already_is_not_sent(desk: Desk) -> None:
    agent = desk.agent(on_new_session(modes=MODES), spec={"defaults": {"mode": "ask"}})
    await desk.ready()
    assert agent.got("session/set_mode") == []


async def test_a_set_that_an_answer_has_replaced_still_gets_its_defaults(desk: Desk) -> None:
    model = make_select("model", "a", "a", "b", category="model")
    after = [{**model, "currentValue": "b"}, make_select("effort", "low", "low", "high")]
    final = [{**model, "currentValue": "b"}, make_select("effort", "high", "low", "high")]
    desk.agent(
        on_new_session(configOptions=[model]),
        on("session/set_config_option", result({"configOptions": after}), text='"b"'),
        on("session/set_config_option", result({"configOptions": final}), text='"high"'),
        spec={"defaults": {"model": "b", "options": {"effort": "high"}}},
    )
    talk = await desk.ready()
    assert (talk.status["model"], value(talk, "effort")) == ("b", "high")


async def test_a_default_that_fails_is_told_once_and_the_session_works(desk: Desk) -> None:
    agent = desk.agent(
        on_new_session(modes=MODES),
        on("session/set_mode", error(-32602, "no such mode")),
        spec={"defaults": {"mode": "code", "model": "large"}},
    )
    talk = await desk.ready()
    assert (await talk.turn("hello"))["stop_reason"] == "end_turn"
    other = await desk.ready()
    assert any("default mode 'code'" in line for line in other.lines)
    assert len([text for text in desk.messages() if "default mode 'code' was not set" in text]) == 1
    assert len([text for text in desk.messages() if "default model 'large' was not set" in text]) == 1
    assert agent.got("session/set_model") == []


async def test_an_agent_that_does_not_answer_holds_nothing_up_for_long(desk: Desk) -> None:
    desk.agent(
        on_new_session(modes=MODES),
        on("session/set_mode", silence()),
        spec={"defaults": {"mode": "code"}, "timeout_ms": 300},
    )
    talk = desk.new()
    talk.prompt("hello")
    assert (await talk.ended(1))["stop_reason"] == "end_turn"
    assert talk.status["mode"] == "ask"


async def test_a_loaded_session_keeps_what_it_has(desk: Desk) -> None:
    agent = desk.agent(
        on_initialize(loadSession=True),
        on("session/load", result({"modes": MODES})),
        spec={"defaults": {"mode": "code"}},
    )
    talk = desk.new(verb="load", id="old")
    await talk.until("idle")
    assert (talk.status["mode"], agent.got("session/set_mode")) == ("ask", [])


async def test_a_session_that_is_closed_while_its_defaults_are_set(desk: Desk) -> None:
    gate = desk.folder / "gate"
    agent = desk.agent(
        on_initialize(sessionCapabilities={"close": {}}),
        on_new_session(modes=MODES),
        on("session/set_mode", wait_file(str(gate))),
        spec={"defaults": {"mode": "code"}},
    )
    talk = desk.new()
    await eventually(lambda: agent.got("session/set_mode"))
    assert talk.state == "starting"
    talk.send("close")
    await eventually(lambda: not talk.is_listed)
    await eventually(lambda: agent.got("session/close"))
    gate.touch()
    assert talk.data("AcpSessionStarted") == []


async def test_the_demo_agent_lets_all_be_switched(desk: Desk) -> None:
    desk.setup()
    talk = await desk.ready("demo")
    talk.send("set_mode", id="auto")
    await eventually(lambda: talk.status["mode"] == "auto")
    talk.send("set_model", id="demo-large")
    await eventually(lambda: talk.status["model"] == "demo-large")
    (thinks,) = [option for option in talk.status["options"] if option["type"] == "boolean"]
    talk.send("set_option", id=thinks["id"], value=not thinks["value"])
    await eventually(lambda: value(talk, thinks["id"]) is not thinks["value"])
    assert desk.messages() == []


@pytest.mark.statement(148)
async def test_an_option_of_the_category_speed_is_like_any_other(desk: Desk) -> None:
    speed = {**make_select("pace", "steady", "steady", "fast"), "category": "speed"}
    agent = desk.agent(
        on_new_session(configOptions=[speed]), spec={"defaults": {"options": {"pace": "fast"}}}
    )
    talk = await desk.ready()
    assert agent.got("session/new")[0]["params"].keys() == {"cwd", "mcpServers"}
    assert params(agent, "session/set_config_option")[0]["value"] == "fast"
    assert [option["category"] for option in talk.status["options"]] == ["speed"]
    talk.send("set_option", id="pace", value="steady")
    await eventually(lambda: len(params(agent, "session/set_config_option")) == 2)
