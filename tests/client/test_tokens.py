"""What a turn and a session have taken: tokens in every form that agents use, and limits of the account."""

import time
from typing import Any

import pytest

from tests.client.conftest import Desk
from tests.fakes.script import Step, error, on_prompt, result, say, update

PARTS = {"input": 100, "output": 20, "thought": 5, "cached_read": 40, "cached_write": 3, "total": 168}
STANDARD = {
    "inputTokens": 100,
    "outputTokens": 20,
    "thoughtTokens": 5,
    "cachedReadTokens": 40,
    "cachedWriteTokens": 3,
    "totalTokens": 168,
}
CLAUDE = {
    "inputTokens": 100,
    "outputTokens": 20,
    "reasoningOutputTokens": 5,
    "cachedInputTokens": 40,
    "cachedWriteTokens": 3,
    "totalTokens": 168,
}
CODEX = {**CLAUDE, "cacheWriteInputTokens": 3}
del CODEX["cachedWriteTokens"]
SNAKE = {
    "input_tokens": 100,
    "output_tokens": 20,
    "thought_tokens": 5,
    "cache_read_input_tokens": 40,
    "cache_creation_input_tokens": 3,
    "total_tokens": 168,
}


def used(usage: dict[str, Any]) -> Step:
    """As qwen tells it with each request to its model."""
    content = {"type": "text", "text": ""}
    chunk = {"sessionUpdate": "agent_message_chunk", "content": content, "_meta": {"usage": usage}}
    return update(chunk)


@pytest.mark.statement(130)
@pytest.mark.parametrize(
    "told",
    [
        {"usage": STANDARD},
        {"usage": STANDARD, "_meta": {"quota": {"token_count": {"inputTokens": 1, "outputTokens": 1}}}},
        {"usage": None, "_meta": {"quota": {"token_count": CLAUDE, "model_usage": []}}},
        {"_meta": {"quota": {"token_count": CODEX}}},
        {"_meta": {"usage": SNAKE}},
    ],
)
async def test_what_an_answer_tells_has_one_form_and_is_summed(desk: Desk, told: dict[str, Any]) -> None:
    desk.agent(on_prompt("", say("Hi"), result({"stopReason": "end_turn", **told})))
    talk = await desk.ready()
    assert talk.status.get("tokens") is None
    first = await talk.turn("one")
    assert first == {"turn": 1, "stop_reason": "end_turn", "error": None, "tokens": PARTS}
    await talk.turn("two")
    assert talk.status["tokens"] == {
        "turn": PARTS,
        "session": {name: 2 * count for name, count in PARTS.items()},
    }


@pytest.mark.statement(130)
async def test_what_comes_with_each_request_to_the_model_is_added(desk: Desk) -> None:
    one = {"inputTokens": 10, "outputTokens": 2, "totalTokens": 12}
    desk.agent(on_prompt("", used(one), say("Hi"), used({**one, "thoughtTokens": 1}), say(" there")))
    talk = await desk.ready()
    ended = await talk.turn("one")
    assert ended["tokens"] == {"input": 20, "output": 4, "thought": 1, "total": 24}
    assert talk.says == "Hi there"
    await talk.turn("two")
    assert talk.status["tokens"]["session"] == {"input": 40, "output": 8, "thought": 2, "total": 48}


@pytest.mark.statement(130)
async def test_what_the_answer_says_counts_for_the_whole_turn(desk: Desk) -> None:
    answer = result({"stopReason": "end_turn", "usage": {"inputTokens": 30, "outputTokens": 3}})
    desk.agent(on_prompt("", used({"inputTokens": 10, "outputTokens": 2}), say("Hi"), answer))
    talk = await desk.ready()
    await talk.turn("one")
    counts = {"input": 30, "output": 3, "total": 33}
    assert talk.status["tokens"] == {"turn": counts, "session": counts}


@pytest.mark.statement(130)
@pytest.mark.parametrize(
    "usage",
    [{}, [], "many", {"totalTokens": 3}, {"inputTokens": -1}, {"inputTokens": "x"}, {"inputTokens": 1e30}],
)
async def test_what_is_no_count_is_ignored(desk: Desk, usage: Any) -> None:
    answer = {"stopReason": "end_turn", "usage": usage, "_meta": {"quota": usage, "usage": usage}}
    desk.agent(on_prompt("", used(usage), say("Hi"), result(answer)))
    talk = await desk.ready()
    ended = await talk.turn("one")
    assert "tokens" not in ended
    assert talk.status.get("tokens") is None


@pytest.mark.statement(130)
async def test_sums_stay_within_what_the_editor_can_hold(desk: Desk) -> None:
    most = 2**63 - 1
    answer = {"stopReason": "end_turn", "usage": {"inputTokens": most, "outputTokens": most}}
    desk.agent(on_prompt("", say("Hi"), result(answer)))
    talk = await desk.ready()
    await talk.turn("one")
    await talk.turn("two")
    assert talk.status["tokens"]["session"] == {"input": most, "output": most, "total": most}


# --- limits of the account


def limited(**info: Any) -> Step:
    """As claude tells it."""
    meta = {"_claude/rateLimit": info}
    return update({"sessionUpdate": "usage_update", "used": 1, "size": 10, "_meta": meta})


def clock(seconds: float) -> str:
    return time.strftime("%H:%M", time.localtime(seconds))


async def test_a_limit_is_one_line_with_the_time_of_its_reset(desk: Desk) -> None:
    resets = time.time() + 600
    near = limited(status="allowed_warning", resetsAt=int(resets), rateLimitType="five_hour", utilization=0.9)
    reached = limited(status="rejected", resetsAt=int(resets * 1000), rateLimitType="five_hour")
    desk.agent(on_prompt("", limited(status="allowed", resetsAt=1), near, near, reached, say("Hi")))
    talk = await desk.ready()
    await talk.turn("one")
    told = [line for line in talk.lines if "limit" in line]
    assert [line.partition(": it resets ")[0] for line in told] == [
        "rate limit (five hour) is 90 % used",
        "rate limit (five hour) reached",
    ]
    assert all(line.endswith(f"at {clock(resets)}") for line in told)
    assert talk.status["limit"] == told[1]


@pytest.mark.parametrize("resets", [None, "soon", -1, 10**30, True, []])
async def test_a_limit_without_a_time_is_told_without(desk: Desk, resets: Any) -> None:
    desk.agent(on_prompt("", limited(status="rejected", resetsAt=resets), say("Hi")))
    talk = await desk.ready()
    await talk.turn("one")
    assert "rate limit reached" in talk.lines


@pytest.mark.parametrize("form", ["resets_at", "resetsAt", "retry_after", "iso", "inside"])
async def test_a_turn_that_fails_at_a_limit_says_when_it_resets(desk: Desk, form: str) -> None:
    resets = time.time() + 7200
    iso = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(resets))
    data = {
        "resets_at": {"resets_at": int(resets)},
        "resetsAt": {"resetsAt": int(resets * 1000)},
        "retry_after": {"retry_after": 7200},
        "iso": {"resetsAt": iso},
        "inside": {"error": {"resets_at": int(resets)}},
    }[form]
    desk.agent(on_prompt("", error(-32603, "Quota exceeded", data)))
    talk = await desk.ready()
    ended = await talk.turn("one")
    assert "Quota exceeded" in ended["error"]
    assert "; the limit resets " in ended["error"]
    assert ended["error"].endswith((clock(resets), clock(resets + 1), clock(resets - 1)))
