"""What agents say beside the standard: titles, trust, what "always" covers, tries, accounts, suggestions."""

from typing import Any

import pytest

from acp_nvim import limits
from tests.client.conftest import Desk
from tests.fakes.script import (
    error,
    eventually,
    notify,
    on,
    on_initialize,
    on_prompt,
    permission,
    request,
    result,
    say,
    update,
    wait,
)

TITLES = on_initialize(sessionCapabilities={"title": {}})


# --- titles


@pytest.mark.statement(131)
async def test_a_title_is_sent_to_an_agent_that_takes_titles(desk: Desk) -> None:
    agent = desk.agent(TITLES, on("session/set_title", result({"title": "Prices\u202e"})))
    talk = await desk.ready()
    talk.send("rename", title="  The prices ")
    await eventually(lambda: talk.status.get("title") == "Prices<202E>")
    (sent,) = agent.got("session/set_title")
    assert sent["params"] == {"sessionId": "s1", "title": "The prices"}


@pytest.mark.statement(131)
async def test_the_title_may_come_back_as_session_info(desk: Desk) -> None:
    info = update({"sessionUpdate": "session_info_update", "title": "By the agent"})
    desk.agent(TITLES, on("session/set_title", result({}), info))
    talk = await desk.ready()
    talk.send("rename", title="Mine")
    await eventually(lambda: talk.status.get("title") == "By the agent")


@pytest.mark.statement(131)
async def test_a_title_that_comes_ahead_of_the_answer_is_kept(desk: Desk) -> None:
    info = update({"sessionUpdate": "session_info_update", "title": "By the agent"})
    desk.agent(TITLES, on("session/set_title", info, result({})))
    talk = await desk.ready()
    talk.send("rename", title="Mine")
    await eventually(lambda: talk.status.get("title") == "By the agent")


@pytest.mark.statement(131)
async def test_a_refused_title_stays_the_users_own(desk: Desk) -> None:
    desk.agent(TITLES, on("session/set_title", error(-32602, "too short")))
    talk = await desk.ready()
    talk.send("rename", title="Mine")
    await desk.message("refused the title", "too short")
    assert talk.status.get("title") == "Mine"


@pytest.mark.statement(131)
async def test_without_the_capability_no_title_is_sent(desk: Desk) -> None:
    agent = desk.agent()
    talk = await desk.ready()
    talk.send("rename", title="Mine")
    await eventually(lambda: talk.status.get("title") == "Mine")
    await talk.turn("hello")
    assert agent.got("session/set_title") == []


# --- trust


def opening(trust: Any) -> Any:
    return on("session/new", result({"sessionId": "s1", "_meta": {"workspace_trust": trust}}))


@pytest.mark.statement(140)
async def test_an_untrusted_folder_is_a_line_in_the_chat(desk: Desk) -> None:
    details = {"ignoredFiles": ["AGENTS.md", 7, ".vibe\u202e"]}
    desk.agent(opening({"status": "untrusted", "details": details}))
    talk = await desk.ready()
    assert talk.status["trust"] == "untrusted"
    await eventually(
        lambda: "the agent does not trust this folder: it ignores AGENTS.md, .vibe<202E>" in talk.lines
    )


@pytest.mark.statement(140)
@pytest.mark.parametrize(
    ("trust", "known"), [({"status": "trusted"}, "trusted"), ({"status": 7}, None), ("untrusted", None)]
)
async def test_another_trust_is_no_line(desk: Desk, trust: Any, known: str | None) -> None:
    desk.agent(opening(trust))
    talk = await desk.ready()
    assert talk.status.get("trust") == known
    assert "trust" not in "\n".join(talk.lines)


@pytest.mark.statement(140)
async def test_an_untrusted_folder_without_details_is_said(desk: Desk) -> None:
    desk.agent(opening({"status": "untrusted", "details": "x"}))
    talk = await desk.ready()
    await eventually(lambda: "it ignores its project's rules" in "\n".join(talk.lines))


# --- what "always" covers


def covering(*patterns: Any) -> list[Any]:
    options = [
        {"optionId": "once", "name": "Allow once", "kind": "allow_once"},
        {
            "optionId": "always",
            "name": "Always",
            "kind": "allow_always",
            "_meta": {"required_permissions": list(patterns)},
        },
    ]
    call = {"toolCallId": "t", "title": "git log", "kind": "execute", "rawInput": {"command": "git log"}}
    params = {"sessionId": "{session}", "toolCall": call, "options": options}
    return request("session/request_permission", params)


@pytest.mark.statement(141)
async def test_what_always_would_cover_stands_under_its_option(desk: Desk) -> None:
    said = {
        "scope": "command",
        "label": "git commands",
        "session_pattern": "git *\u202e",
        "invocation_pattern": "git log",
    }
    desk.agent(on_prompt("work", covering(said, {"scope": "path"}, "odd", {}, {"session_pattern": "ls *"})))
    talk = await desk.ready()
    talk.prompt("work")
    (question,) = await talk.asked()
    first, second = question["options"]
    assert "covers" not in first
    assert second["covers"] == ["git commands git *<202E>", "path", "ls *"]
    at = talk.lines.index("    1 Allow once")
    assert talk.lines[at + 1 : at + 5] == [
        "    2 Always",
        "      covers git commands git *<202E>",
        "      covers path",
        "      covers ls *",
    ]
    talk.answer("always")
    await talk.ended(1)


@pytest.mark.statement(141)
async def test_what_covers_more_than_is_shown_cannot_be_allowed(desk: Desk) -> None:
    desk.agent(on_prompt("work", covering(*({"label": f"pattern {n}"} for n in range(limits.COVERED + 1)))))
    talk = await desk.ready()
    talk.prompt("work")
    (question,) = await talk.asked()
    assert question["cut"]
    assert len(question["options"][1]["covers"]) == limits.COVERED


# --- trying again


def retrying(method: str = "_session/retrying", **more: Any) -> list[Any]:
    return notify(
        method, {"sessionId": "{session}", "category": "rate_limited", "detail": "HTTP 429", **more}
    )


@pytest.mark.statement(142)
@pytest.mark.parametrize("method", ["_session/retrying", "session/retrying"])
async def test_an_agent_that_tries_again_says_so_until_it_goes_on(desk: Desk, method: str) -> None:
    desk.agent(on_prompt("work", retrying(method), wait("go on"), say("Here."), wait("go on")))
    talk = await desk.ready()
    talk.prompt("work")
    await eventually(lambda: talk.status.get("retrying") == "rate limited (HTTP 429)")
    desk.client.hosts[0].connection.notify("go on", {})
    await eventually(lambda: talk.says == "Here.")
    await eventually(lambda: talk.status.get("retrying") is None)


@pytest.mark.statement(142)
async def test_odd_tries_are_bounded_and_end_with_the_turn(desk: Desk) -> None:
    odd = [retrying(sessionId="nobody"), retrying(category=7, detail="x\u202e" + "y" * 10**5)]
    desk.agent(on_prompt("work", *odd, wait("go on")))
    talk = await desk.ready()
    talk.prompt("work")
    shown = await eventually(lambda: talk.status.get("retrying"))
    assert shown.startswith("x<202E>yyy")
    assert len(shown) < limits.RETRY_REASON_CHARS + 10
    desk.client.hosts[0].connection.notify("go on", {})
    await talk.ended(1)
    await eventually(lambda: talk.status.get("retrying") is None)


# --- accounts

OWN = {
    "kind": "account",
    "label": "Claude Max",
    "account": {"email": "a@b.c\u202e", "organization": "Us", "plan": "max"},
}
DRAFT = [{"label": "Key"}, {"label": "Vertex", "active": True, "name": "Ann"}, {"active": True}, 7]


@pytest.mark.statement(142)
@pytest.mark.parametrize(
    ("method", "params", "known"),
    [
        (
            "_auth/status_update",
            {"authStatus": OWN},
            {
                "label": "Claude Max",
                "state": "authenticated",
                "email": "a@b.c<202E>",
                "organization": "Us",
                "plan": "max",
            },
        ),
        (
            "_auth/status_update",
            {"authStatus": {"kind": "none"}},
            {"label": "Not logged in", "state": "unauthenticated"},
        ),
        (
            "auth/status_update",
            {"state": "authenticated", "accounts": DRAFT},
            {"label": "Vertex", "state": "authenticated", "name": "Ann"},
        ),
        (
            "auth/status_update",
            {"state": "not_required"},
            {"label": "No account needed", "state": "not_required"},
        ),
    ],
)
async def test_the_account_is_told_to_every_session(desk: Desk, method: str, params: Any, known: Any) -> None:
    desk.agent(on_prompt("work", notify(method, params)))
    one, two = await desk.ready(), await desk.ready()
    await one.turn("work")
    await eventually(lambda: one.status.get("account") == two.status.get("account") == known)
    third = await desk.ready()
    assert third.status["account"] == known


@pytest.mark.statement(142)
@pytest.mark.parametrize(
    "params", [None, {}, {"authStatus": 7}, {"authStatus": {"kind": "x"}}, {"accounts": "x"}]
)
async def test_odd_accounts_are_none(desk: Desk, params: Any) -> None:
    desk.agent(on_prompt("work", notify("_auth/status_update", params), notify("auth/status_update", params)))
    talk = await desk.ready()
    await talk.turn("work")
    assert talk.status.get("account") is None


# --- suggestions


def suggestion(text: Any, session: str = "{session}") -> list[Any]:
    told = {"v": 1, "sessionId": session, "suggestion": text, "promptId": "p"}
    return notify("qwen/notify/session/prompt-suggestion", told)


@pytest.mark.statement(143)
async def test_a_suggestion_is_offered_until_the_next_turn(desk: Desk) -> None:
    desk.agent(on_prompt("work", suggestion(" run the\ntests\u202e ")), on_prompt("next", wait("go on")))
    talk = await desk.ready()
    await talk.turn("work")
    await eventually(lambda: talk.status.get("suggestion") == "run the tests<202E>")
    talk.prompt("next")
    await eventually(lambda: talk.status.get("suggestion") is None)


@pytest.mark.statement(143)
async def test_the_suggestion_of_claude_comes_with_session_info(desk: Desk) -> None:
    def told(*texts: Any) -> list[Any]:
        meta = {"promptSuggestions": {"suggestions": [{"text": text} for text in texts]}}
        return update({"sessionUpdate": "session_info_update", "_meta": meta})

    desk.agent(on_prompt("work", told(7, "  ", "add a test"), wait("go on"), told()))
    talk = await desk.ready()
    talk.prompt("work")
    await eventually(lambda: talk.status.get("suggestion") == "add a test")
    desk.client.hosts[0].connection.notify("go on", {})
    await eventually(lambda: talk.status.get("suggestion") is None)


@pytest.mark.statement(146)
@pytest.mark.parametrize("of_text", [lambda text: {"text": text}, lambda text: text])
async def test_suggestions_come_as_an_update(desk: Desk, of_text: Any) -> None:
    def told(*texts: Any) -> list[Any]:
        suggestions = [of_text(text) for text in texts]
        return update({"sessionUpdate": "prompt_suggestions_update", "suggestions": suggestions})

    odd = update({"sessionUpdate": "prompt_suggestions_update", "suggestions": "none"})
    desk.agent(on_prompt("work", told("  ", "add a test"), odd, wait("go on"), told()))
    talk = await desk.ready()
    talk.prompt("work")
    await eventually(lambda: talk.status.get("suggestion") == "add a test")
    desk.client.hosts[0].connection.notify("go on", {})
    await eventually(lambda: talk.status.get("suggestion") is None)


@pytest.mark.statement(143)
async def test_odd_suggestions_are_bounded_or_none(desk: Desk) -> None:
    desk.agent(
        on_prompt("work", suggestion("x" * 10**5), wait("go on"), suggestion(7), suggestion("no", "nobody"))
    )
    talk = await desk.ready()
    talk.prompt("work")
    await eventually(lambda: talk.status.get("suggestion") == "x" * limits.SUGGESTION_CHARS)
    desk.client.hosts[0].connection.notify("go on", {})
    await talk.ended(1)
    await eventually(lambda: talk.status.get("suggestion") is None)


async def test_what_is_not_known_is_still_logged(desk: Desk) -> None:
    desk.agent(on_prompt("work", notify("_own/thing", {}), permission("?")))
    talk = await desk.ready()
    talk.prompt("work")
    await talk.asked()
    assert any("_own/thing" in line for line in desk.log())
