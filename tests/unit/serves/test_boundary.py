"""The roots of a session, and who decides about what lies outside."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest

from acp_nvim.protocol.errors import INTERNAL_ERROR, NOT_FOUND
from tests.unit.serves.conftest import Agent

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
        agent.session.end_question(question, question.option("once"), "user")
    assert codes == [INTERNAL_ERROR]
    assert (out / "secret").read_text() == "secret\n"


async def test_a_session_that_is_being_cancelled_asks_nobody(agent: Agent) -> None:
    agent.session.cancelling = True
    assert await agent.code(agent.read(agent.root.parent / "out" / "f")) == NOT_FOUND
    assert [question.ended_by for question in agent.asked] == []
