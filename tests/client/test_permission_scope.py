"""What a permission is about: no rule allows what the question does not show, and the question shows all of it."""

from pathlib import Path
from typing import Any

import pytest

from tests.client.conftest import Desk, Talk
from tests.fakes.script import ScriptedAgent, ask, eventually, on_prompt, permission, say, tool, wait

PATCH = """*** Begin Patch
*** Update File: src/price.py
@@ def total():
 keep
-old line
+new line
*** Delete File: gone.py
*** End Patch"""
UNIFIED = "--- a/src/price.py\n+++ b/src/price.py\n@@ -1,2 +1,2 @@\n keep\n-old line\n+new line\n"


def ruled(desk: Desk, *rules: Any) -> None:
    desk.send("setup", config={"agents": desk._agents, "permissions": list(rules)})


def answers(agent: ScriptedAgent) -> list[Any]:
    outcomes = [message["result"]["outcome"] for message in agent.got() if "method" not in message]
    return [outcome.get("optionId", outcome["outcome"]) for outcome in outcomes]


async def asking(desk: Desk) -> Talk:
    talk = await desk.ready()
    talk.prompt("work")
    await talk.asked()
    return talk


async def refused(talk: Talk, agent: ScriptedAgent) -> None:
    assert answers(agent) == []
    talk.answer("no")
    await talk.ended(1)
    assert answers(agent) == ["no"]


# --- a rule without command, path or tool


@pytest.mark.parametrize(
    ("call", "shows"),
    [
        (
            {"rawInput": {"path": "a.py", "before": "old line", "after": "new line"}},
            ["-old line", "+new line"],
        ),
        ({"rawInput": {"input": PATCH}}, ["-old line", "+new line"]),
        ({"rawInput": {"patchText": UNIFIED}}, ["-old line", "+new line"]),
        ({"rawInput": PATCH}, ["-old line", "+new line"]),
        ({"rawInput": {"commands": ["rm -rf ~", "make"]}}, ["rm -rf ~", "make"]),
        ({"rawInput": {"path": "a.py", "mystery": {"deep": ["value"]}}}, ['{"deep": ["value"]}']),
        ({"rawInput": {"description": "Looks around"}}, ["description: Looks around"]),
        ({"content": [{"type": "content", "content": {"type": "text", "text": "Runs rm"}}]}, ["Runs rm"]),
        ({"rawInput": {"path": "/etc/passwd"}}, ["/etc/passwd"]),
        ({}, ["List files"]),
    ],
)
@pytest.mark.parametrize("kind", ["read", "other", "edit", None])
async def test_what_does_more_than_look_is_asked_and_shown(
    desk: Desk, call: dict[str, Any], shows: list[str], kind: str | None
) -> None:
    agent = desk.agent(
        on_prompt("work", permission("List files", **({"kind": kind} if kind else {}), **call))
    )
    ruled(
        desk, {"action": "allow"}, {"action": "allow", "agent": "mine"}, {"action": "allow", "kind": "other"}
    )
    talk = await asking(desk)
    for words in shows:
        assert any(
            words in line.replace("│ ", "").replace("- ", "-").replace("+ ", "+") for line in talk.lines
        )
    await refused(talk, agent)


@pytest.mark.parametrize(
    "call",
    [
        {"kind": "read", "rawInput": {"file_path": "a.py", "offset": 3, "limit": 10}},
        {"kind": "read", "locations": [{"path": "a.py", "line": 3}]},
        {
            "kind": "search",
            "rawInput": {"pattern": "total", "path": "src", "-i": None, "description": "find it"},
        },
        {"kind": "search", "rawInput": {"query": "where is total()?", "include": ["*.py"]}},
        {"kind": "think", "rawInput": {"thought": "first the callers; then the rest"}},
    ],
)
async def test_what_only_looks_is_allowed_by_a_bare_rule(desk: Desk, call: dict[str, Any]) -> None:
    agent = desk.agent(on_prompt("work", permission("Look", **call)))
    ruled(desk, {"action": "allow"})
    talk = await desk.ready()
    await talk.turn("work")
    assert answers(agent) == ["yes"]


@pytest.mark.parametrize("rule", [{}, {"kind": "execute"}, {"agent": "mine"}, {"path": "**"}])
@pytest.mark.parametrize("more", [{}, {"locations": [{"path": "a.py"}]}])
async def test_a_command_that_stands_only_in_the_title_is_allowed_by_no_such_rule(
    desk: Desk, rule: dict[str, str], more: dict[str, Any]
) -> None:
    agent = desk.agent(on_prompt("work", permission("rm -rf ~", kind="execute", **more)))
    ruled(desk, {"action": "allow", **rule})
    await refused(await asking(desk), agent)


# --- rules of paths and of commands


@pytest.mark.parametrize("name", ["output", "log_to", "x"])
@pytest.mark.parametrize("path", ["/root/.bashrc", "~/.bashrc", "file:///etc/hosts"])
async def test_an_absolute_path_is_one_whatever_it_is_called(desk: Desk, name: str, path: str) -> None:
    call = {"kind": "edit", "rawInput": {"path": "a.py", name: path}}
    agent = desk.agent(on_prompt("work", permission("Edit", **call)))
    ruled(desk, {"action": "allow", "path": "**/a.py"})
    talk = await asking(desk)
    assert any(f"{name}: {path}" in line for line in talk.lines)
    await refused(talk, agent)


async def test_a_rule_that_rejects_finds_a_path_and_a_command_under_any_name(desk: Desk) -> None:
    calls = [{"x": "/etc/hosts"}, {"steps": [{"say": "git push --force"}]}, ["git", "push --force"]]
    asks = [permission("Go on", id=f"t{at}", rawInput=raw) for at, raw in enumerate(calls)]
    agent = desk.agent(on_prompt("work", *asks))
    ruled(desk, {"action": "reject", "path": "/etc/**"}, {"action": "reject", "command": "push --force"})
    talk = await desk.ready()
    await talk.turn("work")
    assert answers(agent) == ["no", "no", "no"]


@pytest.mark.parametrize(
    "more",
    [{"locations": [{"path": "/etc/hosts"}]}, {"locations": [{"path": "a.py"}, {"path": "../up"}]}],
)
async def test_a_place_outside_beside_an_allowed_command_needs_a_path(
    desk: Desk, more: dict[str, Any], tmp_path: Path
) -> None:
    call = {"kind": "execute", "rawInput": {"command": "make"}}
    agent = desk.agent(on_prompt("work", permission("Run", **call, locations=[{"path": str(tmp_path)}])))
    agent2 = desk.agent(on_prompt("work", permission("Run", **call, **more)), name="other")
    ruled(desk, {"action": "allow", "command": "make"})
    talk = await desk.ready()
    await talk.turn("work")
    assert answers(agent) == ["yes"]
    other = await desk.ready("other")
    other.prompt("work")
    await other.asked()
    await refused(other, agent2)


@pytest.mark.parametrize(
    "extra", ["sessionId", "shellId", "mode", "wait", "title", "dangerouslyDisableSandbox"]
)
async def test_a_key_beside_a_command_is_shown_and_keeps_rules_from_allowing_it(
    desk: Desk, extra: str
) -> None:
    raw = {"command": "make", extra: "another one", "description": "Builds", "timeout": 3000}
    agent = desk.agent(on_prompt("work", permission("Run", kind="execute", rawInput=raw)))
    ruled(desk, {"action": "allow", "command": "make"})
    talk = await asking(desk)
    text = "\n".join(talk.lines)
    assert f"{extra}: another one" in text
    assert "description: Builds   timeout: 3000" in text
    await refused(talk, agent)


async def test_a_rule_that_rejects_sees_what_a_call_becomes_after_one_that_asks(desk: Desk) -> None:
    offered = [
        {"optionId": id, "name": id, "kind": f"{kind}_once"} for id, kind in (("y", "allow"), ("n", "reject"))
    ]
    about = {"sessionId": "{session}", "toolCall": {"toolCallId": "t", "title": "Run", "kind": "execute"}}
    asks = ask("session/request_permission", {**about, "options": offered})
    first = tool("t", known=True, rawInput={"command": "make"})
    later = tool("t", known=True, rawInput={"command": "rm -rf /"})
    agent = desk.agent(on_prompt("work", asks, wait("one"), first, wait("two"), later, wait("end")))
    ruled(
        desk,
        {"action": "reject", "command": "rm"},
        {"action": "ask", "command": "Run"},
        {"action": "allow", "command": "make"},
    )
    talk = await asking(desk)
    go_on = desk.client.hosts[0].connection.notify
    go_on("one", {})
    await eventually(lambda: talk.questions[0]["version"] == 2)
    assert answers(agent) == []  # what a rule wants asked stays asked
    go_on("two", {})
    await talk.asked(0)
    assert [data["by"] for data in talk.data("AcpAnswered")] == ["rule"]
    go_on("end", {})
    await talk.ended(1)
    assert answers(agent) == ["n"]


# --- the question shows it


@pytest.mark.parametrize(
    "raw",
    [
        {"command": {"program": "rm", "args": ["-rf", "/x"]}},
        {"command": {"odd": 1}, "cmd": "rm -rf /x"},
        ["rm", "-rf", "/x"],
        "rm -rf /x",
        {"script": "rm -rf /x"},
        {"code": "rm -rf /x"},
        {"input": {"command": "rm -rf /x"}},
        {"unheard of": [[["rm -rf /x"]]]},
    ],
)
async def test_a_command_under_any_name_is_shown(desk: Desk, raw: Any) -> None:
    agent = desk.agent(on_prompt("work", permission("List files", kind="read", rawInput=raw)))
    talk = await asking(desk)
    text = "\n".join(talk.lines)
    assert all(word in text for word in ("rm", "-rf", "/x"))
    assert len(answers(agent)) == 0
    talk.answer("no")
    await talk.ended(1)


async def test_the_end_of_a_long_command_behind_a_cut_title_is_shown(desk: Desk) -> None:
    command = "for f in *; do\n" + "  echo $f\n" * 60 + "done; rm -rf ~/last"
    agent = desk.agent(on_prompt("work", permission("for f in *; do…", rawInput={"script": command})))
    talk = await asking(desk)
    assert any(line.endswith("rm -rf ~/last") for line in talk.lines)
    assert not talk.questions[0]["cut"]
    await refused(talk, agent)


async def test_a_long_title_is_shown_to_its_end(desk: Desk) -> None:
    title = "rm " + "a" * 300 + " the-end"
    agent = desk.agent(on_prompt("work", permission(title, kind="execute", rawInput={"command": "make"})))
    talk = await asking(desk)
    assert any("the-end" in line for line in talk.lines)
    await refused(talk, agent)


@pytest.mark.parametrize("raw", [{"x": "y" * 300_000}, {"x": ["y" * 100] * 5000}, {"x": "\n" * 3000}])
async def test_what_is_too_much_to_be_shown_cannot_be_allowed(desk: Desk, raw: Any) -> None:
    desk.agent(on_prompt("work", permission("Go on", rawInput=raw), say("ok")))
    talk = await asking(desk)
    assert talk.questions[0]["cut"]
    talk.answer("no")
    await talk.ended(1)


OLD = "def check(user):\n    verify(user)\n    log()\n# rm\n"
BARE = "@@ -1,4 +1,4 @@\n def check(user):\n     verify(user)\n"
HUNK = f"--- a/a.py\n+++ b/a.py\n{BARE}"


@pytest.mark.parametrize(
    ("raw", "is_shown"),
    [
        ({"old_string": "log()", "new_string": "log(1)"}, True),
        ({"edits": [{"old_string": "log(", "new_string": "log(1"}]}, True),
        ({"content": OLD.replace("log()", "log(1)").rstrip()}, True),
        ({"diff": f"{HUNK}-    log()\n+    log(1)\n # rm\n"}, True),
        ({"unified_diff": f"{BARE}-    log()\n+    log(1)\n # rm\n"}, True),
        (
            {
                "changes": {
                    "{cwd}/a.py": {"type": "update", "unified_diff": f"{BARE}-    log()\n+    log(1)\n"}
                }
            },
            True,
        ),
        ({"insert_text": "log(1)"}, True),
        ({"old_string": "verify(user)", "new_string": "log()"}, False),
        ({"old_string": "    verify(user)\n", "new_string": ""}, False),
        ({"edits": [{"old_string": "verify(user)", "new_string": "# rm"}]}, False),
        ({"content": "# rm"}, False),
        ({"content": "log(1)"}, False),
        ({"insert_text": "# rm"}, False),
        ({"diff": f"{HUNK}-    verify(user)\n+# rm\n"}, False),
        ({"unified_diff": f"{BARE}-    verify(user)\n+# rm\n"}, False),
        ({"unified_diff": f"{BARE} # nothing that changes\n"}, False),
        ({"diff": f"{HUNK} # nothing that changes\n"}, False),
    ],
)
async def test_a_diff_shows_no_other_change_of_the_same_lines(desk: Desk, raw: Any, is_shown: bool) -> None:
    """What the raw input changes may stand in the diff, as lines that stay."""
    diff = {
        "type": "diff",
        "path": "{cwd}/a.py",
        "oldText": OLD,
        "newText": OLD.replace("log()", "log(1)"),
    }
    said = {"file_path": "{cwd}/a.py", **raw}
    agent = desk.agent(on_prompt("work", permission("Edit", kind="edit", content=[diff], rawInput=said)))
    talk = await asking(desk)
    assert talk.questions[0]["more"] is not is_shown
    assert any(f"{name}: " in line for name in raw for line in talk.lines) is not is_shown
    await refused(talk, agent)


async def test_what_a_diff_shows_is_not_said_again_and_what_it_does_not_is(
    desk: Desk, tmp_path: Path
) -> None:
    path = str(tmp_path / "a.py")
    diff = {"type": "diff", "path": path, "oldText": "old\n", "newText": "new\n"}
    raw = {"file_path": path, "old_string": "old", "new_string": "new", "replace_all": True}
    other = {**raw, "new_string": "evil", "replace_all": False}
    asks = [
        permission("Edit", id=id, kind="edit", content=[diff], rawInput=said)
        for id, said in (("t", raw), ("u", other))
    ]
    agent = desk.agent(on_prompt("work", *asks))
    talk = await asking(desk)
    assert not talk.questions[0]["more"]
    assert not any("new_string" in line for line in talk.lines)
    assert any("replace_all: true" in line for line in talk.lines)
    talk.answer("no")
    await eventually(lambda: [each["tool_call_id"] for each in talk.questions] == ["u"])
    assert talk.questions[0]["more"]  # seeing the diff alone is not seeing it
    assert any("new_string: evil" in line for line in talk.lines)
    assert not any("replace_all: false" in line for line in talk.lines)
    talk.answer("no")
    await talk.ended(1)
    assert answers(agent) == ["no", "no"]


@pytest.mark.parametrize("char", "\u2800\ufe0f\u00a0\u2009\u3000\U00016fe4\U0001d173\U00013430\u0600")
async def test_what_nobody_sees_is_visible_in_commands_and_paths(desk: Desk, char: str) -> None:
    raw = {"command": f"rm a{char}b", "path": f"x{char}y.py"}
    desk.agent(on_prompt("work", permission("Run", kind="execute", rawInput=raw)))
    talk = await asking(desk)
    text = "\n".join(talk.lines)
    code = f"<{ord(char):04X}>"
    assert f"rm a{code}b" in text
    assert f"x{code}y.py" in text
    talk.answer("no")
    await talk.ended(1)
