"""Rules of permission: what they match, and above all what they do not."""

import os
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from acp_nvim.processes.regex_match import match
from acp_nvim.protocol import schema
from acp_nvim.session.path_globs import PathGlobs
from acp_nvim.session.permission_rules import Rule, Ruling, decide, is_about, read
from acp_nvim.session.permission_scope import Scope, scope
from acp_nvim.session.permission_text import describe
from acp_nvim.session.question import Question
from acp_nvim.session.suggested_rule import rule_for
from acp_nvim.session.tool_call import ToolCall
from acp_nvim.text.printable import visible

CWD = "/w"
LINKS = {"/w/link": "/elsewhere", "/home/me": "/disk/me"}
SHELL = "\n`;&|<>$()\\"


def resolve(path: str) -> str:
    """As a file system with these links would."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in ("", "."):
            parts = [*parts, part]
            here = "/" + "/".join(parts)
            parts = LINKS.get(here, here).strip("/").split("/")
    return "/" + "/".join(parts)


GLOBS = PathGlobs(CWD, resolve)


def asked(*content: schema.ToolContent, **fields: Any) -> Scope:
    call = ToolCall(1, "t", 0.0, content=content, **fields)
    return scope(call, "mine", CWD, resolve, (CWD, "/further"))


def shown(raw: dict[str, Any]) -> list[str]:
    """What a question about it has on the screen."""
    question = Question(1, "permission", "permission")
    describe(question, ToolCall(1, "t", 0.0, raw_input=raw), CWD)
    return list(question.detail)


def running(command: Any, **fields: Any) -> Scope:
    return asked(raw_input={"command": command}, kind="execute", **fields)


def rule(action: str = "allow", **conditions: str) -> Rule:
    rules, complaints = read([{"action": action, **conditions}])
    assert complaints == []
    return rules[0]


def matches(rule: Rule, demand: Scope) -> bool:
    return is_about(rule, demand, GLOBS, match)


def decided(rules: list[Rule], demand: Scope) -> Ruling | None:
    numbered = [(f"rule {number}", rule) for number, rule in enumerate(rules, 1)]
    return decide(numbered, demand, GLOBS, match)


def test_the_first_that_matches_wins_and_none_asks() -> None:
    rules, _ = read(
        [
            {"action": "reject", "command": "push"},
            {"action": "allow", "command": "git .*"},
            {"action": "ask", "agent": "other"},
        ]
    )
    verdicts = {
        command: decided(rules, running(command)) for command in ("git status", "git push", "make", "pushd")
    }
    assert {command: ruling and (ruling.action, ruling.name) for command, ruling in verdicts.items()} == {
        "git status": ("allow", "rule 2"),
        "git push": ("reject", "rule 1"),
        "make": None,
        "pushd": ("reject", "rule 1"),
    }


@pytest.mark.parametrize(
    ("conditions", "wanted"),
    [
        ({}, True),
        ({"agent": "mine"}, True),
        ({"agent": "mine", "tool": "view", "kind": "read"}, True),
        ({"agent": "other"}, False),
        ({"kind": "edit"}, False),
        ({"tool": "vie"}, False),
        ({"path": "a.py", "agent": "other"}, False),
    ],
)
@pytest.mark.parametrize("action", ["allow", "reject", "ask"])
def test_all_conditions_of_a_rule_must_hold(action: str, conditions: dict[str, str], wanted: bool) -> None:
    call = asked(kind="read", name="view", raw_input={"path": "a.py"})
    assert matches(rule(action, **conditions), call) is wanted


# --- commands


@pytest.mark.parametrize(
    ("pattern", "command", "wanted"),
    [
        ("git status", "git status", True),
        ("git status", "git status -s", False),
        ("git status", "sudo git status", False),
        ("git status", "git status; rm -rf /", False),
        ("git status.*", "git status; rm -rf /", False),
        ("git status.*", "git status && rm -rf /", False),
        ("git status.*", "git status | sh", False),
        ("(?s).*", "git status\nrm -rf /", False),
        (".*", "echo $(id)", False),
        (".*", "echo `id`", False),
        (".*", "cat < x", False),
        (".*", "echo x > y", False),
        (".*", "echo a\\b", False),
        ("git (status|diff)", "git diff", True),
        ("git status|git diff", "git diff x", False),
        ("git status", ["git", "status"], True),
        ("git commit -m 'a b'", ["git", "commit", "-m", "a b"], True),
        (".*", ["git", "status; rm -rf /"], False),
        (".*", ["bash", "-c", "a && b"], False),
        (".*", "x" * 4096, True),
        (".*", "x" * 4097, False),
        (".*", "漢" * 1366, False),
        ("(?:git )?status$", "status", True),
        ("", "git status", False),
    ],
)
def test_an_allow_rule_matches_the_whole_command(pattern: str, command: Any, wanted: bool) -> None:
    assert matches(rule(command=pattern), running(command)) is wanted


def test_an_allow_rule_never_looks_at_the_title() -> None:
    assert not matches(rule(command=".*status.*"), asked(title="git status", kind="execute"))
    assert not matches(rule(command="git status"), running("make", title="git status"))


@pytest.mark.parametrize("action", ["reject", "ask"])
def test_reject_and_ask_search_also_in_the_title(action: str) -> None:
    wanted = rule(action, command="rm -rf")
    assert matches(wanted, running("git status; rm -rf /"))
    assert matches(wanted, running(["sudo", "rm", "-rf", "/"]))
    assert matches(wanted, asked(title="sudo rm -rf /"))
    assert matches(wanted, running("x", title="then rm -rf /"))
    assert matches(wanted, running("a\nrm -rf b"))
    assert matches(wanted, asked(raw_input={"args": {"cmd": "rm -rf /"}}))
    assert not matches(wanted, running("rm -r f"))
    assert not matches(wanted, running(" " * 4096 + "rm -rf /"))


def test_arguments_of_their_own_belong_to_the_command() -> None:
    call = asked(raw_input={"command": "git", "args": ["push", "--force"]})
    assert call.commands == ("git push --force",)
    assert not matches(rule(command="git"), call)
    assert matches(rule(command="git push --force"), call)


@pytest.mark.parametrize(
    "raw",
    [
        {"command": "git status", "cmd": "rm -rf /"},
        {"command": "git status", "then": {"command": "rm -rf /"}},
        {"command": "git status", "script": "rm -rf /"},
        {"command": "git status", "content": "changed", "path": "a"},
        {"command": {"run": "git status"}},
        {"Command": "git status"},
        "git status",
        ["git status"],
    ],
)
def test_a_call_that_holds_more_than_its_command_is_not_allowed(raw: Any) -> None:
    assert not matches(rule(command="git status"), asked(raw_input=raw))


@pytest.mark.parametrize(
    ("arguments", "whole"),
    [
        ({"args": "push --force"}, "git push --force"),
        ({"args": "status; rm -rf /"}, "git status; rm -rf /"),
        ({"args": {"0": "push"}}, 'git {"0": "push"}'),
        ({"arguments": ["push", "--force"]}, "git push --force"),
        ({"args": ["push"], "arguments": ["--force"]}, "git push --force"),
        ({"args": 0}, "git 0"),
        ({"args": [], "arguments": None}, "git"),
    ],
)
def test_arguments_of_any_form_belong_to_the_command(arguments: dict[str, Any], whole: str) -> None:
    raw = {"command": "git", **arguments}
    assert asked(raw_input=raw).commands == (whole,)
    assert matches(rule(command="git"), asked(raw_input=raw)) is (whole == "git")
    assert shown(raw)[0] == f"$ {whole}"


@pytest.mark.parametrize(
    "more",
    [
        {"description": "Shows what has changed"},
        {"description": "See /etc/passwd", "timeout": 120_000, "run_in_background": False},
        {"runInBackground": True, "risk": "low"},
        {"workdir": "/w/src", "timeout_ms": 1000, "justification": "why"},
        {"cwd": "src"},
        {"cwd": "/further/deep"},
        {"directory": "src", "is_background": True},
        {"Blocking": True, "SafeToAutoRun": False, "WaitMsBeforeAsync": 500, "call_id": "c1"},
    ],
)
def test_notes_and_a_folder_of_the_session_may_stand_beside_a_command_and_are_shown(
    more: dict[str, Any],
) -> None:
    raw = {"command": "git status", **more}
    assert matches(rule(command="git status"), asked(raw_input=raw))
    first, *rest = shown(raw)
    assert first == "$ git status"
    assert all(f"{name}: " in "\n".join(rest) for name in more)


@pytest.mark.parametrize(
    "more", [{}, {"cwd": "/w"}, {"Cwd": "/w/"}, {"cmd": "git status"}, {"env": {}, "stdin": None, "args": []}]
)
def test_what_is_empty_or_said_already_takes_no_line(more: dict[str, Any]) -> None:
    raw = {"command": "git status", **more}
    assert matches(rule(command="git status"), asked(raw_input=raw))
    assert shown(raw) == ["$ git status"]


@pytest.mark.parametrize(
    "more",
    [
        {"commands": ["rm -rf /"]},
        {"cmds": ["rm -rf /"]},
        {"cmd": "rm -rf /"},
        {"shell-command": "rm -rf /"},
        {"shell": "/tmp/sh"},
        {"bash": "rm -rf /"},
        {"code": "import os"},
        {"env": {"GIT_PAGER": "rm -rf /"}},
        {"stdin": "y"},
        {"input": "y"},
        {"cwd": "/tmp/evil"},
        {"cwd": "/wide"},
        {"cwd": "../elsewhere"},
        {"cwd": "link"},
        {"cwd": ["/w"]},
        {"cwd": "x\0"},
        {"working-directory": "/tmp"},
        {"directory": "/tmp"},
        {"Args": ["--force"]},
        {"file": "/w/script.py"},
        {"sessionId": "of a root shell"},
        {"shellId": "sh2"},
        {"mode": "async"},
        {"title": "other"},
        {"wait": "no"},
        {"sandbox": "none"},
        {"description": {"then": "rm"}},
    ],
)
def test_what_may_make_a_command_another_is_shown_and_not_allowed(more: dict[str, Any]) -> None:
    raw = {"command": "git status", **more}
    call = asked(raw_input=raw)
    assert not matches(rule(command="git status"), call)
    assert rule_for(call, GLOBS, match)[0] is None
    ((name, value),) = more.items()
    said = (
        value if isinstance(value, str) else next(iter(value if isinstance(value, list) else value.values()))
    )
    assert any(visible(said) in line for line in shown(raw)[1:])
    assert name == "file" or any(line.startswith(f"  {name}: ") for line in shown(raw)[1:])


def test_a_file_beside_a_command_needs_a_rule_that_names_it() -> None:
    call = asked(raw_input={"command": "view", "path": "src/a.py", "view_range": [1, 20]})
    assert not matches(rule(command="view"), call)
    assert matches(rule(command="view", path="/w/src/**"), call)
    assert not matches(rule(command="view", path="/w/test/**"), call)
    assert shown({"command": "view", "path": "src/a.py"}) == ["$ view", "/w/src/a.py"]


@pytest.mark.parametrize("more", [{"commands": ["rm -rf /"]}, {"then": {"command": "rm -rf /"}}, {}])
def test_a_call_of_more_than_is_looked_at_is_not_allowed(more: dict[str, Any]) -> None:
    call = asked(raw_input={"command": "git status", **more, "description": [0] * 6000})
    assert not matches(rule(command="git status"), call)
    assert not matches(rule(command="git status", path="**"), call)


def test_what_stands_before_much_else_is_looked_at() -> None:
    call = asked(raw_input={"pad": [0] * 6000, "then": {"command": "rm -rf /"}})
    assert matches(rule("reject", command="rm"), call)


def test_a_command_with_a_diff_is_more_than_the_command() -> None:
    diff = schema.Diff(path="/etc/passwd", new_text="root::0:0")
    assert not matches(rule(command="git status"), asked(diff, raw_input={"command": "git status"}))


@given(command=st.text(min_size=1), more=st.text(min_size=1), mark=st.sampled_from(SHELL))
def test_nothing_with_a_mark_of_the_shell_is_ever_allowed(command: str, more: str, mark: str) -> None:
    call = running(command + mark + more)
    for one in (rule(), rule(command="(?s).*"), rule(agent="mine"), rule(tool="")):
        assert not matches(one, call)


@given(command=st.text(min_size=1), other=st.text(min_size=1))
def test_the_rule_of_a_command_matches_that_command_alone(command: str, other: str) -> None:
    assume(command != other)
    call = running(command)
    made, why = rule_for(call, GLOBS, match)
    assert (made is None) is bool(why)
    if made:
        assert matches(made, call)
        assert not matches(made, running(other))
        assert not matches(made, running(command + "; " + other))
        assert not matches(made, running(command + other))
        assert not matches(made, asked(title=command))
    else:
        assert set(command) & {*SHELL, "\r", "\0"}


@given(
    command=st.text(alphabet="ab .*+?[]{}^-'\"", min_size=1), pattern=st.text(alphabet="ab.*+? ", max_size=6)
)
def test_an_allow_rule_matches_no_more_than_its_expression(command: str, pattern: str) -> None:
    try:
        wanted = re.compile(pattern).fullmatch(command) is not None
    except re.error:
        assume(False)
    assert matches(rule(command=pattern), running(command)) is wanted


# --- paths


@pytest.mark.parametrize(
    ("glob", "path", "wanted"),
    [
        ("/w/src/*.py", "src/a.py", True),
        ("/w/src/*.py", "src/deep/a.py", False),
        ("/w/src/**", "src/deep/a.py", True),
        ("/w/src/**", "src", False),
        ("/w/src/**", "srcs/a", False),
        ("/w/**/a.py", "a.py", True),
        ("/w/**/a.py", "x/y/a.py", True),
        ("/w/**/a.py", "x/ya.py", False),
        ("src/", "src/a/b", True),
        ("src/*", "/w/src/a", True),
        ("src/*", "/other/src/a", False),
        ("**/.env", "/anywhere/.env", True),
        ("**/.env", "/anywhere/x.env", False),
        ("**", "/etc/passwd", True),
        ("/w/a.b", "/w/aXb", False),
        ("/w/[ab]", "/w/a", False),
        ("/w/[ab]", "/w/[ab]", True),
        ("/w/a**z", "/w/a/b/z", True),
        ("/w/src/**", "src/../../etc/passwd", False),
        ("/w/**", "link/x", False),
        ("/w/link/**", "link/x", True),
        ("/w/**", "link/../x", False),  # where it leads is /x
        ("/home/me/*", "/disk/me/x", True),
        ("/w/*", "file:///w/a%20b", True),
        ("/w/*", "/w/a\nb", True),
    ],
)
def test_a_path_is_matched_where_it_leads(glob: str, path: str, wanted: bool) -> None:
    call = asked(kind="edit", locations=(schema.Location(path=path),))
    assert matches(rule(path=glob), call) is wanted


def test_allow_needs_all_paths_and_reject_any() -> None:
    inside, outside = schema.Location(path="/w/a"), schema.Location(path="/etc/passwd")
    allow, reject = rule(path="/w/**"), rule("reject", path="/etc/**")
    for call in (
        asked(kind="edit", locations=(inside, outside)),
        asked(schema.Diff(path="/etc/passwd", new_text=""), kind="edit", locations=(inside,)),
        asked(kind="edit", locations=(inside,), raw_input={"file_path": "/etc/passwd"}),
        asked(kind="edit", raw_input={"path": "a", "edits": [{"filePath": "/etc/passwd"}]}),
        asked(kind="edit", raw_input={"path": "a", "to": "/etc/passwd"}),
        asked(kind="edit", raw_input={"path": "a", "files": ["b", "/etc/passwd"]}),
        asked(kind="edit", raw_input={"path": "a", "changes": {"/etc/passwd": {"type": "add"}}}),
        asked(kind="edit", raw_input={"path": "a", "diff": "--- a\n+++ /etc/passwd\n@@ -1 +1 @@\n"}),
        asked(kind="edit", raw_input={"path": "passwd", "cwd": "/etc"}),
    ):
        assert not matches(allow, call)
        assert matches(reject, call)
    assert matches(allow, asked(kind="edit", locations=(inside,), raw_input={"path": "/w/b"}))


PATTERNS = [
    {"glob": "../../../etc/*"},
    {"globs": ["*.py", "../**"]},
    {"include": "../**"},
    {"include": "*.py,../**"},
    {"file_pattern": "../*.py"},
    {"pattern": "../../etc/*"},
    {"exclude": "*.pyc", "glob": "{/etc,/root}/**"},
    {"glob": "{src,../out}/**"},
    {"glob": "[/]etc/shadow"},
    {"glob": "..[/]etc/shadow"},
    {"glob": "~root/**"},
    {"glob": "$HOME/.ssh/*"},
    {"glob": "link/*"},
    {"path": "{src,../out}/a"},
    {"path": "$HOME/.ssh/id"},
    {"path": "[/]etc/shadow"},
    {"path": "{src,~root}/x"},
    {"paths": ["src/a", "src/../../{a,b}"]},
    {"path": "src", "glob": "../../out/*"},
]


@pytest.mark.parametrize("raw", PATTERNS)
@pytest.mark.parametrize("kind", ["read", "search"])
def test_a_pattern_that_may_lead_outside_is_allowed_by_no_rule_for_folders(
    raw: dict[str, Any], kind: str
) -> None:
    call = asked(kind=kind, raw_input=raw)
    for conditions in ({}, {"kind": kind}, {"agent": "mine"}, {"path": "/w/**"}, {"path": "**/src/**"}):
        assert not matches(rule(**conditions), call)
    assert rule_for(call, GLOBS, match)[0] is None or "glob" not in raw


@pytest.mark.parametrize(
    "raw",
    [
        {"glob": "**/*.py"},
        {"glob": "*.{ts,tsx}", "pattern": r"import .* from '\./(a|b)'$"},
        {"globs": ["src/**", "!**/node_modules/**"]},
        {"glob": "/w/src/*.py"},
        {"path": "src", "glob": "../src/*.py"},
        {"path": "app/[slug]/(group)/$id.tsx"},
        {"query": "total", "include": "*.py,*.md"},
        {"query": "where is ../x used?"},
        {"glob": "{src,/further/deep}/**"},
    ],
)
def test_a_pattern_that_stays_inside_is_allowed_by_a_bare_rule(raw: dict[str, Any]) -> None:
    assert matches(rule(), asked(kind="search", raw_input=raw))


@pytest.mark.parametrize(
    ("glob", "raw", "wanted"),
    [
        ("/w/src/**", {"path": "src/a", "glob": "*.py"}, True),
        ("/w/src/**", {"path": "src/a", "glob": "../../test/*"}, False),
        ("/w/src/**", {"path": "src/a", "glob": "../b/*"}, True),
        ("/w/src/**", {"path": "src/*.py"}, True),
        ("/w/**", {"path": "{src,test}/*.py"}, True),
        ("/w/src/**", {"path": "{src,test}/*.py"}, False),
        ("/w/src/*", {"glob": "/w/src/**"}, False),
        ("/w/app/**", {"path": "app/(group)/[slug]/page.tsx"}, True),
        ("/w/app/**/page.tsx", {"path": "app/(group)/[slug]/page.tsx"}, True),
    ],
)
def test_a_path_rule_covers_all_that_a_glob_means(glob: str, raw: dict[str, Any], wanted: bool) -> None:
    assert matches(rule(path=glob), asked(kind="search", raw_input=raw)) is wanted


def test_reject_finds_where_a_glob_leads() -> None:
    for raw in ({"glob": "../../../etc/*"}, {"path": "{/etc,/root}/*"}, {"glob": "[/]etc/shadow"}):
        assert matches(rule("reject", path="/etc/**"), asked(kind="search", raw_input=raw))


HEADERS = [
    "diff --git a/src/x b/src/y\nsimilarity index 100%\nrename from src/x\nrename to ../../out.txt\n",
    "rename from src/x\nrename to ../../out.txt\n",
    "rename to ../../out.txt\n",
    "diff --git a/src/x b/src/y\nsimilarity index 90%\ncopy from src/x\ncopy to ../../out.txt\n",
    "diff --git a/../../out.sh b/../../out.sh\nold mode 100644\nnew mode 100755\n",
    "diff --git a/src/x b/src/x b/../../out.sh\nold mode 100644\nnew mode 100755\n",
    'diff --git "a/src/x" "b/src/x"\nrename from src/x\nrename to "\\056\\056/\\056\\056/out.txt"\n',
    "diff --git src/../src/../../out src/../src/../../out\nnew file mode 100755\n",
    "diff --git a/src/x b/src/x\nBinary files a/src/x and b/../../out differ\n",
    "Index: ../../out.txt\n",
    "*** ../../out.txt\n--- src/x\n",
    "*** Begin Patch\n  *** Add File: ../../out.txt\n+x\n*** End Patch\n",
]


@pytest.mark.parametrize("patch", HEADERS)
@pytest.mark.parametrize("name", ["patch", "diff", "patchText", "input"])
def test_a_path_rule_sees_the_headers_of_a_patch(patch: str, name: str) -> None:
    call = asked(kind="edit", raw_input={"path": "src/x", name: patch})
    assert not matches(rule(path="/w/**"), call)
    assert not matches(rule(path="/w/src/**"), call)
    assert matches(rule("reject", path="/out*"), call)


def test_a_patch_of_files_that_a_rule_covers_is_allowed() -> None:
    for patch in (
        "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n",
        "diff --git a/x y b/x y\nrename from x y\nrename to z\n",
        "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n",
    ):
        assert matches(rule(path="/w/**"), asked(kind="edit", raw_input={"path": "x", "patch": patch}))


def test_a_rule_is_held_against_what_its_folder_was(tmp_path: Path) -> None:
    """For each of its forms; the first time that it is looked at comes only after the link."""
    out, work = tmp_path / "out", tmp_path / "w"
    (work / "src" / "gen").mkdir(parents=True)
    out.mkdir()
    (tmp_path / "notes").symlink_to("w/src")
    globs = PathGlobs(str(work), os.path.realpath)
    wanted = ["src/gen/**", "later/**", f"{tmp_path}/notes/*", f"{work}/src/gen/"]
    globs.make(wanted)
    (work / "src" / "gen").rename(work / "aside")
    for link, target in (("w/src/gen", out), ("w/later", out)):
        (tmp_path / link).symlink_to(target)
    (tmp_path / "notes").unlink()
    (tmp_path / "notes").symlink_to("out")
    for path in ("src/gen/a", "later/a", f"{tmp_path}/notes/a", f"{out}/a"):
        call = ToolCall(1, "t", 0.0, kind="edit", locations=(schema.Location(path=path),))
        asks = scope(call, "mine", str(work), os.path.realpath, (str(work),))
        for glob in wanted:
            assert not is_about(rule(path=glob), asks, globs, match)
    assert is_about(rule("reject", path="later/**"), asks, globs, match)


def test_reject_knows_a_path_also_by_the_name_it_was_given() -> None:
    assert matches(rule("reject", path="**/link/*"), asked(locations=(schema.Location(path="link/x"),)))
    assert matches(rule("reject", path="/elsewhere/*"), asked(locations=(schema.Location(path="link/x"),)))


@pytest.mark.parametrize(
    "raw",
    [
        None,
        {},
        {"path": "x\0"},
        {"path": "file:///w/%00"},
        {"path": "x" * 5000},
        {"path": ""},
        "/w/a",
        ["/w/a"],
    ],
)
def test_without_a_path_that_can_be_read_no_path_rule_allows(raw: Any) -> None:
    assert not matches(rule(path="/**"), asked(kind="edit", raw_input=raw))


def test_more_paths_than_are_looked_at_are_not_allowed() -> None:
    for count, wanted in ((400, True), (600, False), (6000, False)):
        raw = {"files": [f"/w/{number}" for number in range(count)]}
        assert matches(rule(path="/w/*"), asked(kind="read", raw_input=raw)) is wanted
    raw = {"files": [f"/w/{number}" for number in range(600)] + ["/etc/passwd"]}
    assert matches(rule("reject", path="/etc/*"), asked(kind="read", raw_input=raw))


def test_a_command_is_never_allowed_by_path_alone() -> None:
    call = running("rm a", locations=(schema.Location(path="/w/a"),))
    assert not matches(rule(path="/w/**"), call)
    assert not matches(rule(path="/w/**", tool="bash", kind="execute"), call)
    assert matches(rule(path="/w/**", command="rm a"), call)
    assert not matches(rule(path="/v/**", command="rm a"), call)


# --- how often it is looked at


class Looks:
    """A file system without links that counts what is looked at."""

    def __init__(self) -> None:
        self.steps = 0

    def __call__(self, path: str) -> str:
        self.steps += path.count("/")
        return path


def test_what_an_update_leaves_as_it_was_is_not_looked_at_again() -> None:
    looks, call = Looks(), ToolCall(1, "t", 0.0, raw_input={"paths": [f"/w/{n}" for n in range(400)]})
    first = scope(call, "mine", CWD, looks, (CWD,))
    steps = looks.steps
    for number in range(10):
        call.title, call.kind, call.name = f"title {number}", "edit", "tool"
        asked = scope(call, "mine", CWD, looks, (CWD,))
        assert (asked.title, asked.kind, asked.tool) == (f"title {number}", "edit", "tool")
        assert asked.real is first.real
    assert looks.steps == steps > 0
    call.raw_input = {"paths": ["/etc/passwd"]}
    assert scope(call, "mine", CWD, looks, (CWD,)).real == ("/etc/passwd",)
    call.locations = (schema.Location(path="/etc/shadow"),)
    assert scope(call, "mine", CWD, looks, (CWD,)).real == ("/etc/shadow", "/etc/passwd")


@pytest.mark.parametrize(
    "raw",
    [
        {"paths": [f"/w/{'x/' * 1900}{number}" for number in range(400)]},
        {"paths": [f"{number}" for number in range(2000)], "at": [{"cwd": f"c{n}"} for n in range(2000)]},
    ],
)
def test_paths_are_followed_no_further_than_there_is_time_for(raw: Any) -> None:
    looks = Looks()
    call = scope(ToolCall(1, "t", 0.0, raw_input=raw), "mine", CWD, looks, (CWD,))
    assert looks.steps < 11_000
    assert len(call.named) <= 5000
    assert not matches(rule(path="**"), call)


# --- kinds

OTHER_NAMES = ["code", "bash", "shell", "cmdline", "exec", "run", "program", "bash_command", "shell-command"]
OTHER_NAMES += ["python_code", "args", "replacement", "code_edit", "insert_text", "new-string", "new_code"]


@pytest.mark.parametrize(
    "call",
    [
        running("ls"),
        running(["ls"]),
        running({"odd": "ls"}),
        asked(kind="execute", raw_input={"input": {"cmd": "ls"}}),
        asked(schema.Diff(path="a", new_text="x"), kind="execute"),
        asked(kind="execute", raw_input={"path": "a", "old_string": "x", "new_string": ""}),
        asked(kind="execute", raw_input={"path": "a", "content": "all"}),
        asked(kind="execute", raw_input={"diff": "--- a\n+++ a\n@@ -1 +1 @@\n"}),
        asked(kind="execute", raw_input='{"command": "ls"}'),
        *(asked(kind="execute", raw_input={name: "x"}) for name in OTHER_NAMES),
    ],
)
def test_allow_by_kind_alone_matches_no_command_and_no_diff(call: Scope) -> None:
    assert not matches(rule(kind="execute"), call)
    assert not matches(rule(kind="execute", agent="mine"), call)
    assert matches(rule("reject", kind="execute"), call)
    assert matches(rule("ask", kind="execute"), call)


@pytest.mark.parametrize("conditions", [{}, {"agent": "mine"}, {"kind": "execute", "agent": "mine"}])
@pytest.mark.parametrize(
    "call",
    [
        running("rm -rf /home/me"),
        asked(schema.Diff(path="a", new_text="x"), kind="execute"),
        asked(kind="execute", raw_input="rm -rf /home/me"),
    ],
)
def test_an_allow_that_names_nothing_allows_no_command_and_no_diff(
    conditions: dict[str, str], call: Scope
) -> None:
    assert not matches(rule(**conditions), call)
    assert matches(rule("reject", **conditions), call)
    assert not matches(rule(**conditions), asked(kind="execute", raw_input={"path": "a"}))
    assert not matches(rule(**conditions), asked(kind="execute", title="rm -rf ~"))


def test_allow_by_kind_matches_what_only_looks() -> None:
    assert matches(rule(kind="read"), asked(kind="read", raw_input={"path": "a"}))
    assert matches(rule(kind="edit", path="**"), asked(schema.Diff(path="a", new_text="x"), kind="edit"))


def test_a_tool_is_allowed_by_its_name() -> None:
    call = asked(schema.Diff(path="a", new_text="x"), kind="edit", name="write")
    assert matches(rule(tool="write"), call)
    assert matches(rule(tool="write", kind="edit"), call)
    assert not matches(rule(tool="Write"), call)
    assert not matches(rule(tool="write"), asked(kind="edit", title="write"))


def test_what_the_user_has_always_allowed_of_a_tool_is_all_of_it() -> None:
    always = Rule("allow", tool="bash", whole_tool=True)
    assert matches(always, running("a && b", name="bash"))
    assert not matches(always, running("a", name="other"))


# --- what is wrong


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"action": "allow", "command": "("}, "'permissions[1].command' is not a regular expression"),
        ({"action": "allow", "command": "a{99999999999999}"}, "'permissions[1].command' is"),
        ({"action": "allow", "comand": "x"}, "'permissions[1].comand' is"),
        ({"action": "permit"}, "'permissions[1].action' is"),
        ({"kind": "read"}, "'permissions[1].action' is"),
        ({"action": "allow", "path": 3}, "'permissions[1].path' is"),
        ({"action": "allow", "path": ""}, "'permissions[1].path' is empty"),
        ({"action": "allow", "path": "a\0"}, "'permissions[1].path' contains a NUL"),
        ({"action": "allow", "path": "/w/{a,b}/**"}, "'permissions[1].path' contains {a,b}, $NAME or ~user"),
        ({"action": "allow", "path": "$HOME/**"}, "'permissions[1].path' contains {a,b}, $NAME or ~user"),
        ({"action": "allow", "path": "~me/**"}, "'permissions[1].path' contains {a,b}, $NAME or ~user"),
        ("allow", "'permissions[1]' must be a table"),
        (None, "'permissions[1]' must be a table"),
    ],
)
def test_a_rule_with_a_mistake_in_it_says_so_and_leaves_the_next_in_force(given: Any, told: str) -> None:
    rules, (complaint,) = read([given, {"action": "allow"}])
    assert complaint.startswith(told)
    assert complaint.endswith("this rule allows nothing")
    ruling = decided(rules, asked(kind="read", raw_input={"path": "a"}))
    assert ruling
    if (
        isinstance(given, dict) and given.get("action") is None
    ):  # it may have been meant to reject what it matches
        assert (ruling.action, ruling.name) == ("ask", "rule 1")
    else:
        assert (ruling.action, ruling.name) == ("allow", "rule 2")


@pytest.mark.parametrize(
    "mistake", [{"comand": "x"}, {"command": "("}, {"path": 3}, {"path": ""}, {"mistaken": True}]
)
@pytest.mark.parametrize(
    ("action", "behind", "wanted"),
    [
        ("allow", None, None),
        ("allow", "allow", "allow"),
        ("allow", "reject", "reject"),
        ("reject", None, "ask"),
        ("reject", "allow", "ask"),
        ("ask", "allow", "ask"),
        ("reject", "reject", "reject"),
        ("reject", "ask", "ask"),
    ],
)
def test_a_rule_with_a_mistake_keeps_its_other_conditions(
    mistake: dict[str, Any], action: str, behind: str | None, wanted: str | None
) -> None:
    given: list[Any] = [{"action": action, "kind": "read", **mistake}]
    rules, _ = read([*given, {"action": behind}] if behind else given)
    ruling = decided(rules, asked(kind="read", raw_input={"path": "a"}))
    assert (ruling and ruling.action) == wanted
    other = decided(rules, asked(kind="search", raw_input={"path": "a"}))
    assert (other and other.action) == behind


def test_an_expression_that_would_never_end_asks() -> None:
    rules = [rule(command="(a|a)*b"), rule()]
    ruling = decided(rules, running("a" * 60))
    assert ruling
    assert (ruling.action, ruling.name) == ("ask", "rule 1")
    assert "takes too long" in ruling.trouble
    allowed = decided(rules, running("aab"))
    assert allowed
    assert allowed.action == "allow"


@given(
    raw=st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda part: (
            st.lists(part)
            | st.dictionaries(st.text() | st.sampled_from(["path", "command", "cwd", "diff"]), part)
        ),
    )
)
def test_any_raw_input_can_be_looked_at(raw: Any) -> None:
    call = asked(raw_input=raw, kind="read")
    for action in ("allow", "reject", "ask"):
        matches(rule(action, path="/**", command="x"), call)
    made, why = rule_for(call, GLOBS, match)
    assert (made is None) is bool(why)


# --- the rule that a question would make


def test_the_rule_of_a_question() -> None:
    made, _ = rule_for(running("git log -1 a.txt"), GLOBS, match)
    assert str(made) == r"{ action = 'allow', command = [[git log -1 a\.txt]] }"
    made, _ = rule_for(asked(kind="edit", name="write", raw_input={"path": "src/a.py"}), GLOBS, match)
    assert str(made) == "{ action = 'allow', kind = 'edit', tool = 'write', path = '/w/src/a.py' }"


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (running("a; b"), "its command contains ;"),
        (running("a\nb"), r"its command contains \n"),
        (running("x" * 5000), "too long"),
        (asked(kind="edit", raw_input={"path": "a*"}), "contains a *"),
        (asked(title="Run it?"), "no command and no path"),
        (asked(raw_input={"command": "ls", "cmd": "id"}), "cannot cover all"),
    ],
)
def test_no_rule_can_be_made_of_what_no_rule_would_match(call: Scope, why: str) -> None:
    made, told = rule_for(call, GLOBS, match)
    assert made is None
    assert why in told


def test_the_rule_of_a_file_holds_for_that_file_and_kind() -> None:
    made, _ = rule_for(asked(schema.Diff(path="a", new_text="x"), kind="edit"), GLOBS, match)
    assert made
    assert matches(made, asked(schema.Diff(path="a", new_text="y"), kind="edit"))
    assert not matches(made, asked(schema.Diff(path="b", new_text="x"), kind="edit"))
    assert not matches(made, asked(schema.Diff(path="a", new_text="x"), kind="delete"))
