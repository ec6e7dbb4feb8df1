"""Steps with the editor's tools: a session that has got our server, and what the clients of it do."""

from collections.abc import Callable
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from anyio import to_thread

from tests.client.conftest import Desk, Talk
from tests.fakes.script import ScriptedAgent

Json = dict[str, Any]


async def do(function: Callable[..., Any], *arguments: Any) -> Any:
    """Wait for what a client does in its own process, while the backend goes on."""
    return await to_thread.run_sync(lambda: function(*arguments))


def run_folder() -> str:
    """As `stdpath("run")`: short, because an address has room for 103 bytes."""
    return mkdtemp(prefix="acp")


def setup(desk: Desk, run: str, **config: Any) -> None:
    config = {"agents": desk._agents, "editor_tools": True, **config}
    desk.send("setup", config=config, run=run, state=str(desk.folder / "state"))


def entries(agent: ScriptedAgent, method: str = "session/new") -> list[list[Json]]:
    return [message["params"]["mcpServers"] for message in agent.got(method)]


async def begin(desk: Desk, run: str, *rules: Any, **config: Any) -> tuple[Talk, ScriptedAgent, Json]:
    agent = desk.agent(*rules)
    setup(desk, run, **config)
    talk = await desk.ready()
    [[entry]] = entries(agent)
    return talk, agent, entry


def sockets_in(run: str) -> list[str]:
    folder = Path(run) / "acp_nvim"
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []
