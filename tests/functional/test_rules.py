"""Rules, by keys and by screen: what they answer is not asked, and who has decided can be told."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import (
    ScriptedAgent,
    ask,
    on_prompt,
    permission,
    say,
    script,
    tool,
    wait,
    wait_file,
    wait_until,
)
from tests.functional.editor import Editor
from tests.steps.conversation import expect_answerable, go_to_line

Open = Callable[..., Editor]


def runs(command: str, id: str = "t", *options: Any) -> Any:
    more = (options,) if options else ()
    return permission(command, *more, id=id, kind="execute", rawInput={"command": command})


def talking(open_editor: Open, agent: ScriptedAgent, *rules: Any) -> Editor:
    spec = {"command": agent.argv[0], "args": agent.argv[1:]}
    setup = {"agents": {"mine": spec}, "permissions": list(rules)}
    editor = open_editor(setup=setup, size=(140, 30))
    editor.type(":Acp<CR>")
    editor.wait_event("AcpSessionStarted")
    return editor


def send(editor: Editor, text: str) -> None:
    editor.type(f"<Esc>:Acp<CR>i{text}<Esc><CR>")


def answers(agent: ScriptedAgent) -> list[str]:
    return [message["result"]["outcome"]["optionId"] for message in agent.got() if "result" in message]


@pytest.mark.backends
@pytest.mark.statement(79)
def test_what_a_rule_allows_is_not_asked_and_can_be_explained(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", runs("git status"), say("Clean.")))
    editor = talking(
        open_editor,
        agent,
        {"action": "reject", "command": "rm"},
        {"action": "allow", "command": "git (status|diff)"},
    )
    send(editor, "go")
    answered = editor.wait_event("AcpAnswered")
    assert (answered["by"], answered["option_id"]) == ("rule", "yes")
    editor.screen.expect("Clean.")
    editor.screen.expect("allowed by rule 2")
    assert "1 ✓ Yes" not in editor.screen.text()
    assert editor.acp("questions") == []
    editor.type(":Acp why<CR>")
    editor.screen.expect(
        "git status: allowed by rule 2 (permissions in setup()): { action = 'allow', command = "
    )
    # a thread makes the file, and then writes the line
    (log,) = wait_until(lambda: list(editor.home.glob("**/acp_nvim/permissions.jsonl")))
    wait_until(lambda: log.read_text().endswith("\n"))
    assert json.loads(log.read_text())["by"] == "rule"
    assert log.stat().st_mode & 0o777 == 0o600


@pytest.mark.statement(79)
def test_a_rule_never_allows_more_than_it_says(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", runs("git status; rm -rf /")))
    editor = talking(open_editor, agent, {"action": "allow", "command": "git status.*"})
    send(editor, "go")
    editor.wait_event("AcpQuestion")
    editor.screen.expect("1 ✓ Yes")
    editor.type(":Acp why<CR>")
    editor.screen.expect("waits for you, no rule matches")
    expect_answerable(editor)
    editor.type(":Acp allow!<CR>")
    editor.screen.expect("not sent, no rule set: its command contains ;")
    assert answers(agent) == []
    expect_answerable(editor)
    editor.type(":Acp reject<CR>")
    editor.screen.expect("rejected")


def test_allow_for_the_session_is_not_asked_a_second_time(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", runs("make test"), runs("make test", "u"), runs("make", "v")))
    editor = talking(open_editor, agent)
    send(editor, "go")
    editor.wait_event("AcpQuestion")
    editor.screen.expect("1 ✓ Yes")
    editor.type(":Acp allow<CR>")
    editor.screen.expect(":Acp allow! sets { action = 'allow', command = 'make test' }")
    assert answers(agent) == []
    expect_answerable(editor)
    editor.type(":Acp allow!<CR>")
    assert [editor.wait_event("AcpAnswered")["by"] for _ in range(2)] == ["user", "rule"]
    # it stands beside the one that it was made from as well, and before the turn has ended
    editor.screen.expect(lambda screen: screen.text().count("make test   rule 1 of the session") == 2)
    editor.screen.expect("1 ✓ Yes")
    assert answers(agent) == ["yes", "yes"]
    go_to_line(editor, "make test")
    editor.type(":Acp why<CR>")
    editor.screen.expect(
        "make test: you allowed it with rule 1 of the session (:Acp forget 1 takes it back): {"
    )
    editor.type("j:Acp why<CR>")
    editor.screen.expect("make test: allowed by rule 1 of the session (:Acp forget 1 takes it back): {")
    editor.type(":Acp forget 1<CR>")
    editor.screen.expect("taken back, you will be asked again")
    editor.type(":Acp why<CR>")
    editor.screen.expect("make test: allowed by rule 1 of the session (taken back since): {")
    expect_answerable(editor)
    editor.type(":Acp reject<CR>")
    assert editor.wait_event("AcpAnswered")["option_id"] == "no"


def test_allow_of_a_question_out_of_sight_shows_it_first(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", runs("make test")))
    editor = talking(open_editor, agent)
    editor.type(":Acp close<CR>")
    editor.acp("prompt", "go")
    editor.wait_event("AcpQuestion")
    editor.type(":Acp allow!<CR>")
    editor.screen.expect("1 ✓ Yes")
    assert (answers(agent), editor.events("AcpAnswered")) == ([], [])
    expect_answerable(editor)
    editor.type(":Acp allow!<CR>")
    assert editor.wait_event("AcpAnswered")["option_id"] == "yes"


def test_why_tells_of_the_call_under_the_cursor(open_editor: Open, tmp_path: Path) -> None:
    agent = script(
        tmp_path,
        on_prompt(
            "", tool("q", title="look around", status="completed"), runs("make test"), runs("make", "v")
        ),
    )
    editor = talking(open_editor, agent, {"action": "reject", "command": "make$"})
    send(editor, "go")
    editor.wait_event("AcpQuestion")
    editor.screen.expect("1 ✓ Yes")
    expect_answerable(editor)
    editor.type(":Acp reject<CR>")
    editor.wait_event("AcpTurnEnded")
    for line, words in (
        ("look around", "look around: the agent did not ask"),
        ("make test", "make test: you chose 'No' (rejects once: the next call asks again)"),
    ):
        editor.lua(
            """vim.api.nvim_set_current_win(vim.fn.bufwinid(vim.fn.bufnr('^acp://1/chat$')))
            vim.fn.cursor(1, 1)
            assert(vim.fn.search(..., 'cW') > 0)""",
            line,
        )
        editor.type(":Acp why<CR>")
        editor.screen.expect(words)
    editor.type("<C-w>p:Acp why<CR>")
    editor.screen.expect("make: rejected by rule 1")


@pytest.mark.statement(73)
@pytest.mark.parametrize(
    ("command", "words"), [("accept", "allow this once"), ("reject", "refuse this once")]
)
def test_without_an_option_of_the_kind_nothing_is_sent(
    open_editor: Open, tmp_path: Path, command: str, words: str
) -> None:
    agent = script(tmp_path, on_prompt("", runs("make", "t", ("x", "Explain", "explain_it"))))
    editor = talking(open_editor, agent)
    send(editor, "go")
    editor.wait_event("AcpQuestion")
    editor.screen.expect("1 Explain")
    editor.type(f":Acp {command}<CR>")
    editor.screen.expect(f"not sent: no option would {words}")
    assert answers(agent) == []
    expect_answerable(editor)
    editor.type(":Acp answer 1<CR>")
    assert editor.wait_event("AcpAnswered")["option_id"] == "x"


def test_a_refused_call_that_is_done_all_the_same_is_a_loud_warning(
    open_editor: Open, tmp_path: Path
) -> None:
    done = tool("t", known=True, status="completed")
    agent = script(tmp_path, on_prompt("", runs("make test"), wait("session/cancel"), done, done))
    editor = talking(open_editor, agent)
    send(editor, "go")
    editor.wait_event("AcpQuestion")
    editor.screen.expect("1 ✓ Yes")
    expect_answerable(editor)
    editor.type(":Acp reject<CR>")
    wait_until(lambda: answers(agent))
    editor.type(":Acp cancel<CR>")
    editor.screen.expect("make test was rejected, yet the agent reports it as done")
    told = editor.lua("return vim.fn.execute('messages')")
    assert told.count("reports it as done") == 1


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        ({"action": "permit"}, "'permissions[1].action' must be one of allow, reject, ask"),
        ({"action": "ask", "comand": "x"}, "unknown key 'permissions[1].comand'"),
        ({"action": "allow", "command": "("}, "'permissions[1].command' is not a regular expression"),
        ({"action": "allow", "path": ""}, "'permissions[1].path' is empty: this rule allows nothing"),
        ({"action": "allow", "path": "{a,b}/**"}, "'permissions[1].path' contains {a,b}, $NAME or ~user"),
    ],
)
def test_a_wrong_rule_is_named_the_same_way_wherever_it_is_found(
    open_editor: Open, tmp_path: Path, rule: dict[str, str], told: str
) -> None:
    editor = talking(open_editor, script(tmp_path, on_prompt("", say("ok"))), rule)
    editor.expect_lua(f"return vim.fn.execute('messages'):find([=[{told}]=], 1, true) ~= nil", True)


def test_a_mistaken_rule_never_allows_and_leaves_the_others_in_force(
    open_editor: Open, tmp_path: Path
) -> None:
    commands = ("make", "git push", "rm x", "git status")
    agent = script(tmp_path, on_prompt("", *(runs(command, command) for command in commands)))
    editor = talking(
        open_editor,
        agent,
        {"action": "allow", "comand": "make"},
        {"action": "reject", "command": "rm", "knid": "execute"},
        {"action": "reject", "command": "push"},
        {"action": "allow", "command": "git .*|rm x"},
    )
    send(editor, "go")
    for command in ("make", "rm x"):
        editor.expect_lua("return (require('acp_nvim').questions()[1] or {}).title", command)
        editor.screen.expect(f"? execute {command}")
        editor.screen.expect("1 ✓ Yes")
        expect_answerable(editor)
        editor.type(":Acp reject<CR>")
    editor.wait_event("AcpTurnEnded")
    assert answers(agent) == ["no", "no", "no", "yes"]


@pytest.mark.parametrize("how", [":Acp accept<CR>", ":Acp diff<CR>:Acp accept<CR>", ":Acp diff<CR>:w<CR>"])
@pytest.mark.parametrize("is_late", [False, True])
def test_a_command_beside_a_diff_is_not_allowed_from_the_diff(
    open_editor: Open, tmp_path: Path, how: str, is_late: bool
) -> None:
    (tmp_path / "a.py").write_text("old\n")
    diff = {"type": "diff", "path": str(tmp_path / "a.py"), "oldText": "old\n", "newText": "new\n"}
    more = {"rawInput": {"command": "rm -rf ~"}}
    call = {
        "toolCallId": "t",
        "title": "Edit",
        "kind": "edit",
        "content": [diff],
        **({} if is_late else more),
    }
    options = [{"optionId": "yes", "name": "Yes", "kind": "allow_once"}]
    asks = ask("session/request_permission", {"sessionId": "{session}", "toolCall": call, "options": options})
    late = [wait_file("late"), tool("t", known=True, **more)] if is_late else []
    agent = script(tmp_path, on_prompt("", asks, *late, wait("session/cancel")))
    editor = talking(open_editor, agent)
    editor.type(":Acp close<CR>")
    editor.acp("prompt", "go")
    editor.wait_event("AcpQuestion")
    in_diff = "return #vim.tbl_filter(function(win) return vim.wo[win].diff end, vim.api.nvim_list_wins())"
    editor.expect_lua(in_diff, 2)
    if is_late:
        Path(editor.lua("return vim.fn.getcwd()"), "late").touch()
        editor.expect_lua("return require('acp_nvim').questions()[1].version", 2)
    first, _, second = how.partition("<CR>")
    if second:
        editor.type(f"{first}<CR>")
        editor.expect_lua("return vim.wo.diff", True)
    editor.type(second or how)
    editor.screen.expect("$ rm -rf ~")
    editor.screen.expect("gd diff")
    assert answers(agent) == []
    expect_answerable(editor)
    editor.type(second or how)
    assert editor.wait_event("AcpAnswered")["option_id"] == "yes"
