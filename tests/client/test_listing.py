"""What agents have saved: listed page by page, and nobody is asked who does not offer it."""

from typing import Any

import pytest

from tests.client.conftest import Desk
from tests.fakes.script import error, eventually, leave, on, on_initialize, result, wait_file

LISTS = on_initialize(sessionCapabilities={"list": {}})


def gone(agent: Any) -> bool:
    return bool(agent.logged("eof"))


def saved(*ids: str, cursor: str | None = None) -> dict[str, Any]:
    page: dict[str, Any] = {"sessions": [{"sessionId": id, "cwd": "/p", "title": id.upper()} for id in ids]}
    return page if cursor is None else {**page, "nextCursor": cursor}


def listed(desk: Desk) -> list[str]:
    return [session["id"] for listing in desk.editor.listings for session in listing["sessions"]]


async def in_state(desk: Desk, state: str) -> dict[str, Any]:
    await eventually(lambda: [each["state"] for each in desk.editor.listings] == [state])
    return desk.editor.listings[0]


@pytest.mark.statement(43)
async def test_pages_come_when_they_are_wanted_to_the_end(desk: Desk) -> None:
    agent = desk.agent(
        LISTS,
        on("session/list", result(saved("e", "a")), text='"cursor": "two"'),
        on("session/list", result(saved("c", "d", cursor="two")), text='"cursor": "one"'),
        on("session/list", result(saved("a", "b", cursor="one"))),
    )
    await desk.ready()
    desk.send("list", cwd="/")
    await in_state(desk, "more")
    assert listed(desk) == ["a", "b"]
    assert [message["params"] for message in agent.got("session/list")] == [{}]
    desk.send("list", cwd="/", more=True)
    await eventually(lambda: len(listed(desk)) == 4)
    desk.send("list", cwd="/", more=True)
    listing = await in_state(desk, "done")
    assert listed(desk) == ["a", "b", "c", "d", "e"]
    assert listing["sessions"][0] == {"id": "a", "title": "A", "cwd": "/p"}
    desk.send("list", cwd="/", more=True)
    desk.send("list", cwd="/", refresh=True)
    await eventually(lambda: listed(desk) == ["a", "b"])
    assert [message["params"].get("cursor") for message in agent.got("session/list")] == [
        None,
        "one",
        "two",
        None,
    ]


@pytest.mark.statement(43)
async def test_bad_items_are_skipped_and_titles_are_made_visible(desk: Desk) -> None:
    items = [
        {"sessionId": "a", "title": "one\ntwo\u202e", "updatedAt": "2026-01-02T03:04:05Z"},
        {"title": "no id"},
        "text",
        None,
        {"sessionId": ""},
        {"sessionId": 7, "title": 9, "updatedAt": "yesterday", "cwd": []},
        {"sessionId": "b", "updatedAt": 1767323045000},
        {"sessionId": "a", "title": "again"},
    ]
    desk.agent(LISTS, on("session/list", result({"sessions": items, "nextCursor": 4})))
    await desk.ready()
    desk.send("list", cwd="/")
    listing = await in_state(desk, "done")
    assert listing["sessions"] == [
        {"id": "a", "title": "one two<202E>", "updated": 1767323045},
        {"id": "7"},
        {"id": "b", "updated": 1767323045},
    ]


@pytest.mark.statement(43)
async def test_a_cursor_that_comes_again_is_the_end(desk: Desk) -> None:
    agent = desk.agent(LISTS, on("session/list", result(saved("a", cursor="same"))))
    await desk.ready()
    desk.send("list", cwd="/")
    await in_state(desk, "more")
    desk.send("list", cwd="/", more=True)
    await in_state(desk, "done")
    assert len(agent.got("session/list")) == 2


@pytest.mark.statement(38)
@pytest.mark.parametrize("said", [{}, {"list": None}, {"list": False}])
async def test_an_agent_that_offers_no_list_is_not_asked(desk: Desk, said: object) -> None:
    agent = desk.agent(on_initialize(sessionCapabilities=said))
    talk = await desk.ready()
    desk.send("list", cwd="/")
    await in_state(desk, "none")
    await talk.turn("hello")
    assert not agent.got("session/list")
    assert not agent.got("sessions/list")


async def test_the_older_name_is_tried_where_the_standards_is_unknown(desk: Desk) -> None:
    agent = desk.agent(
        LISTS, on("session/list", error(-32601, "Method not found")), on("sessions/list", result(saved("a")))
    )
    await desk.ready()
    desk.send("list", cwd="/")
    await in_state(desk, "done")
    assert listed(desk) == ["a"]
    assert [len(agent.got(name)) for name in ("session/list", "sessions/list")] == [1, 1]


async def test_a_list_that_fails_is_said_in_it(desk: Desk) -> None:
    desk.agent(LISTS, on("session/list", error(-32603, "disk\nfull")))
    await desk.ready()
    desk.send("list", cwd="/")
    listing = await in_state(desk, "failed")
    assert "disk full" in listing["error"]


async def test_an_agent_that_dies_over_its_list_leaves_it(desk: Desk) -> None:
    desk.agent(LISTS, on("session/list", leave(3)))
    talk = await desk.ready()
    desk.send("list", cwd="/")
    await talk.until("failed")
    await eventually(lambda: desk.editor.listings == [])


async def test_where_nothing_runs_the_default_agent_is_started_for_the_list(desk: Desk) -> None:
    agent = desk.agent(LISTS, on("session/list", result(saved("a"))))
    desk.send("list", agent="mine", cwd=str(desk.folder))
    await in_state(desk, "done")
    assert [message["method"] for message in agent.got()] == ["initialize", "session/list"]
    talk = await desk.ready()
    assert len(agent.logged("start")) == 1
    desk.send("list_end")
    await talk.turn("hello")
    talk.send("close")
    await eventually(lambda: gone(agent))


async def test_an_agent_that_was_started_for_the_list_ends_with_it(desk: Desk) -> None:
    agent = desk.agent(LISTS)
    desk.send("list", agent="mine", cwd=str(desk.folder))
    await in_state(desk, "done")
    assert not gone(agent)
    desk.send("list_end")
    await eventually(lambda: gone(agent))
    await eventually(lambda: desk.editor.groups == [])


async def test_only_agents_that_run_are_asked(desk: Desk) -> None:
    desk.agent(LISTS, on("session/list", result(saved("a"))))
    second = desk.agent(LISTS, name="second")
    await desk.ready()
    desk.send("list", agent="second", cwd=str(desk.folder))
    await in_state(desk, "done")
    assert second.got() == []
    await desk.ready("second")
    await eventually(lambda: [each["agent"] for each in desk.editor.listings] == ["mine", "second"])
    await eventually(lambda: second.got("session/list"))


@pytest.mark.parametrize(
    ("many", "more", "state"), [(2000, {}, "done"), (2001, {}, "cut"), (2000, {"nextCursor": "x"}, "cut")]
)
async def test_a_list_that_is_cut_says_so(desk: Desk, many: int, more: dict[str, str], state: str) -> None:
    pages = on("session/list", result(saved(*(f"n{number}" for number in range(many))) | more))
    desk.agent(on_initialize(sessionCapabilities={"list": {}}), pages)
    await desk.ready()
    desk.send("list", cwd="/")
    listing = await in_state(desk, state)
    assert len(listing["sessions"]) == 2000


async def test_a_deleted_session_leaves_the_list(desk: Desk) -> None:
    abilities = on_initialize(sessionCapabilities={"list": {}, "delete": {}})
    agent = desk.agent(
        abilities,
        on("session/list", result(saved("a", "s1", "b"))),
        on("session/delete", error(-32002, "no such session"), text='"b"'),
    )
    talk, stays = await desk.ready(), await desk.ready()
    desk.send("list", cwd="/")
    await in_state(desk, "done")
    desk.send("delete", id="a", agent="mine")
    await eventually(lambda: listed(desk) == ["s1", "b"])
    desk.send("delete", id="s1", agent="mine")
    await eventually(lambda: not talk.is_listed)
    assert talk.data("AcpSessionEnded") == [{"reason": "closed"}]
    desk.send("delete", id="b", agent="mine")
    await desk.message("did not delete b", "no such session")
    assert listed(desk) == ["b"]
    assert [message["params"] for message in agent.got("session/delete")] == [
        {"sessionId": "a"},
        {"sessionId": "s1"},
        {"sessionId": "b"},
    ]
    assert stays.state == "idle"


@pytest.mark.statement(38)
async def test_delete_is_not_sent_to_an_agent_without_it(desk: Desk) -> None:
    agent = desk.agent(on_initialize(sessionCapabilities={"delete": False}))
    talk = await desk.ready()
    desk.send("delete", id="s1", agent="mine")
    await desk.message("mine cannot delete sessions")
    await talk.turn("hello")
    assert agent.got("session/delete") == []


async def test_the_title_of_the_list_is_the_sessions(desk: Desk) -> None:
    gate = desk.folder / "gate"
    abilities = on_initialize(loadSession=True, sessionCapabilities={"list": {}})
    desk.agent(abilities, on("session/list", result(saved("a"))), on("session/load", wait_file(str(gate))))
    await desk.ready()
    desk.send("list", cwd="/")
    await in_state(desk, "done")
    talk = desk.new(verb="load", id="a")
    await eventually(lambda: talk.status.get("title") == "A")
    gate.touch()
    await talk.until("idle")
    talk.send("rename", title=" my\nown ")
    await eventually(lambda: talk.status["title"] == "my own")


@pytest.mark.statement(127)
@pytest.mark.parametrize("verb", ["load", "resume", "reopen"])
async def test_the_folders_of_a_saved_session_are_sent_back(desk: Desk, verb: str) -> None:
    further = ["/further", "/further", "relative", 3, "/own"]
    page = {"sessions": [{"sessionId": "a", "cwd": "/p", "additionalDirectories": further}]}
    abilities = {"list": {}, "resume": {}, "additionalDirectories": {}}
    agent = desk.agent(
        on_initialize(loadSession=True, sessionCapabilities=abilities), on("session/list", result(page))
    )
    await desk.ready()
    desk.send("list", cwd="/")
    await in_state(desk, "done")
    talk = desk.new(verb=verb, id="a", roots=["/own"])
    await talk.until("idle")
    (message,) = agent.got("session/resume" if verb == "resume" else "session/load")
    assert message["params"]["additionalDirectories"] == ["/own", "/further"]
    assert "the agent also works in /further" in talk.lines
    assert desk.client.session(talk.number).roots == ("/own",), (
        "what Neovim lets it read is the user's choice"
    )


@pytest.mark.statement(127)
async def test_they_are_not_sent_where_the_agent_takes_none(desk: Desk) -> None:
    page = {"sessions": [{"sessionId": "a", "cwd": "/p", "additionalDirectories": ["/further"]}]}
    agent = desk.agent(
        on_initialize(loadSession=True, sessionCapabilities={"list": {}}), on("session/list", result(page))
    )
    await desk.ready()
    desk.send("list", cwd="/")
    await in_state(desk, "done")
    talk = desk.new(verb="load", id="a")
    await talk.until("idle")
    assert "additionalDirectories" not in agent.got("session/load")[0]["params"]
