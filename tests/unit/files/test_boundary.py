"""The roots of a session, and who decides about what lies outside."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

from acp_nvim.protocol.errors import INTERNAL_ERROR, NOT_FOUND
from tests.unit.files.conftest import Agent

pytestmark = pytest.mark.statement(107)


@pytest.fixture
def agent(tmp_path: Path) -> Agent:
    """Its root is one folder among others."""
    for name in ("root", "more", "out", "root-too"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "f").write_text(f"{name}\n")
    agent = Agent(tmp_path / "root")
    agent.session = agent.new_session(tmp_path / "root", tmp_path / "more")
    return agent


@pytest.mark.parametrize("path", ["f", "../root/f", "../more/f", "down/../f", "new/../f"])
async def test_roots_are_open(agent: Agent, path: str) -> None:
    agent.files.configure("deny", autocmds=True)
    (agent.root / "down").mkdir()
    await agent.write(agent.root / path, "new\n")


@pytest.mark.parametrize(
    "path", ["../out/f", "../root-too/f", "away/f", "straight", "../f", "down/../../out/f"]
)
async def test_all_else_is_not(agent: Agent, path: str) -> None:
    agent.files.configure("deny", autocmds=True)
    out = agent.root.parent / "out"
    (agent.root / "away").symlink_to(out)
    (agent.root / "straight").symlink_to(out / "f")
    assert await agent.code(agent.read(f"{agent.root}/{path}")) == NOT_FOUND
    assert await agent.code(agent.write(f"{agent.root}/{path}", "new\n")) == INTERNAL_ERROR
    assert (out / "f").read_text() == "out\n"
    assert not (agent.root.parent / "f").exists()
    assert agent.asked == agent.told == []


@pytest.mark.parametrize(
    "path",
    [
        ".git",
        ".git/config",
        "sub/.Git/hooks/new",
        ".gi\u200ct/config",
        ".git. /config",
        "GIT~1/config",
        "bare/config",
    ],
)
async def test_what_git_keeps_is_not_open_by_any_name(agent: Agent, path: str) -> None:
    agent.files.configure("deny", autocmds=True)
    (agent.root / "bare").mkdir()
    for name in ("HEAD", "objects", "refs"):
        (agent.root / "bare" / name).mkdir()
    assert await agent.code(agent.write(f"{agent.root}/{path}", "new\n")) == INTERNAL_ERROR


@pytest.mark.parametrize(
    ("there", "path"),
    [
        ("HEAD commondir", "config"),
        ("HEAD commondir", "hooks/pre-commit"),
        ("HEAD", "commondir"),
        ("commondir", "HEAD"),
        ("commondir", "head"),
        ("HEAD objects/", "refs/heads/main"),
        ("HEAD refs/", "objects/info/x"),
        ("objects/ refs/", "HEAD"),
        ("objects/ refs/", "config"),
        ("objects/ refs/ config", "hooks/pre-commit"),
    ],
)
@pytest.mark.parametrize("folder", ["sub", "sub/deep", "."])
async def test_what_git_takes_for_a_repository_or_is_about_to_is_not_open(
    agent: Agent, there: str, path: str, folder: str
) -> None:
    place = agent.root / folder
    agent.files.configure("deny", autocmds=True)
    agent.files.boundary.begin(agent.session)
    place.mkdir(parents=True, exist_ok=True)
    for name in there.split():
        (place / name).mkdir() if name.endswith("/") else (place / name).write_text("")
    assert await agent.code(agent.write(place / path, "new\n")) == INTERNAL_ERROR


async def test_a_root_that_is_a_repository_is_its_users_choice(agent: Agent) -> None:
    for name in ("HEAD", "objects", "refs"):
        (agent.root / name).mkdir()
    agent.files.configure("deny", autocmds=True)
    await agent.write(agent.root / "description", "new\n")


@pytest.mark.parametrize("there", ["HEAD", "commondir", "objects", "refs", "HEAD refs", "objects refs"])
async def test_a_folder_with_some_of_gits_names_is_open(agent: Agent, there: str) -> None:
    agent.files.configure("deny", autocmds=True)
    for name in there.split():
        (agent.root / "sub" / name).mkdir(parents=True)
    await agent.write(agent.root / "sub" / "f", "new\n")


@pytest.mark.parametrize("path", [".gitignore", ".github/workflows", "my.git/f", "HEAD", ".git/../f"])
async def test_what_is_named_like_gits_is_open(agent: Agent, path: str) -> None:
    agent.files.configure("deny", autocmds=True)
    await agent.write(f"{agent.root}/{path}", "new\n")


async def test_a_root_below_a_git_folder_is_its_users_choice(agent: Agent) -> None:
    (agent.root / ".git" / "hooks").mkdir(parents=True)
    session = agent.new_session(agent.root / ".git" / "hooks")
    agent.files.configure("deny", autocmds=True)
    await agent.write(agent.root / ".git" / "hooks" / "pre-commit", "new\n", session)


async def test_leave_for_a_folder_is_none_for_what_git_keeps_in_it(agent: Agent) -> None:
    agent.answers = ["folder", "no"]
    out = agent.root.parent / "out"
    await agent.write(out / "f", "new\n")
    assert await agent.code(agent.write(out / ".git" / "config", "new\n")) == INTERNAL_ERROR


async def test_a_root_is_what_it_was_when_the_session_began(agent: Agent) -> None:
    """A further root, and a folder above one, become a link; a root that was not there comes to be."""
    root = agent.root.parent
    (root / "up" / "deep").mkdir(parents=True)
    (root / "else" / "deep").mkdir(parents=True)
    (root / "else" / "deep" / "f").write_text("else\n")
    session = agent.new_session(agent.root, root / "more", root / "up" / "deep", root / "later")
    agent.files.boundary.begin(session)
    agent.files.configure("deny", autocmds=True)
    assert await agent.read(root / "more" / "f", session) == "more\n"
    for name, target in (("more", "out"), ("up", "else")):
        (root / name).rename(root / f"{name}-aside")
        (root / name).symlink_to(target)
    (root / "later").mkdir()
    for path in ("more/f", "out/f", "up/deep/f", "else/deep/f", "more-aside/f"):
        assert await agent.code(agent.read(root / path, session)) == NOT_FOUND
    assert await agent.code(agent.write(root / "later" / "f", "new\n", session)) == INTERNAL_ERROR


async def test_a_root_that_is_a_symlink_is_where_it_leads(agent: Agent, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("root")
    session = agent.new_session(tmp_path / "link")
    agent.files.configure("deny", autocmds=True)
    assert await agent.read(tmp_path / "root" / "f", session) == "root\n"
    assert await agent.read(tmp_path / "link" / "f", session) == "root\n"


async def test_everything_is_open_where_the_user_says_so(agent: Agent) -> None:
    agent.files.configure("allow", autocmds=True)
    assert await agent.read(agent.root / "../out/f") == "out\n"


async def test_the_question_names_the_resolved_path(agent: Agent) -> None:
    out = agent.root.parent / "out" / "f"
    (agent.root / "inside").symlink_to(out)
    agent.answers = ["once"]
    assert await agent.read(agent.root / "inside") == "out\n"
    (question,) = agent.asked
    assert (question.kind, question.path, question.detail) == ("outside", str(out), (str(out),))
    assert [(each.id, each.kind) for each in question.options] == [
        ("once", "allow_once"),
        ("folder", "allow_always"),
        ("no", "reject_once"),
    ]


@pytest.mark.parametrize(
    ("home", "name"),
    [
        ("out", "All of {out}, for the session"),
        ("out/home/me", "All of {out}, for the session"),
        ("elsewhere", "This folder, for the session"),
    ],
)
async def test_a_folder_that_holds_the_home_is_named(
    agent: Agent, monkeypatch: pytest.MonkeyPatch, home: str, name: str
) -> None:
    out = agent.root.parent / "out"
    monkeypatch.setenv("HOME", str(agent.root.parent / home))
    agent.answers = ["once"]
    await agent.read(out / "f")
    (question,) = agent.asked
    assert [option.name for option in question.options] == ["Once", name.format(out=out), "No"]


async def test_once_is_once(agent: Agent) -> None:
    agent.answers = ["once", "no"]
    path = agent.root.parent / "out" / "f"
    await agent.read(path)
    assert await agent.code(agent.read(path)) == NOT_FOUND
    assert len(agent.asked) == 2


async def test_a_folder_is_for_the_session(agent: Agent) -> None:
    agent.answers = ["folder", "no", "no"]
    path = agent.root.parent / "out" / "f"
    await agent.write(path, "new\n")
    await agent.write(path.parent / "deep" / "g", "new\n")
    assert await agent.read(path) == "new\n"
    assert len(agent.asked) == 1
    other = agent.new_session(agent.root)
    assert await agent.code(agent.read(path, other)) == NOT_FOUND
    agent.files.forget(agent.session)
    assert await agent.code(agent.read(path)) == NOT_FOUND


async def test_leave_to_read_is_no_leave_to_write(agent: Agent) -> None:
    agent.answers = ["folder", "no"]
    path = agent.root.parent / "out" / "f"
    await agent.read(path)
    await agent.read(path)
    assert await agent.code(agent.write(path, "new\n")) == INTERNAL_ERROR
    assert path.read_text() == "out\n"


@pytest.mark.parametrize("answer", ["no", None])
async def test_no_is_an_error(agent: Agent, answer: str | None) -> None:
    agent.answers = [answer, answer]
    path = agent.root.parent / "out" / "f"
    assert await agent.code(agent.read(path)) == NOT_FOUND
    assert await agent.code(agent.write(path, "new\n")) == INTERNAL_ERROR
    assert path.read_text() == "out\n"


async def test_a_missing_file_is_missing_without_a_question(agent: Agent) -> None:
    assert await agent.code(agent.read(agent.root.parent / "out" / "missing")) == NOT_FOUND
    assert agent.asked == []


async def test_a_symlink_that_turns_while_asked_leads_nowhere(agent: Agent) -> None:
    link, out = agent.root / "link", agent.root.parent / "out"
    link.symlink_to(out / "f")
    (out / "secret").write_text("secret\n")
    codes: list[int] = []

    async def write() -> None:
        codes.append(await agent.code(agent.write(link, "new\n")))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(write)
        await anyio.wait_all_tasks_blocked()
        link.unlink()
        link.symlink_to(out / "secret")
        (question,) = agent.asked
        agent.session.questions.end(question, question.option("once"), "user")
    assert codes == [INTERNAL_ERROR]
    assert (out / "secret").read_text() == "secret\n"


async def test_a_session_that_is_being_cancelled_asks_nobody(agent: Agent) -> None:
    agent.session.cancelling = True
    assert await agent.code(agent.read(agent.root.parent / "out" / "f")) == NOT_FOUND
    assert [question.ended_by for question in agent.asked] == []
