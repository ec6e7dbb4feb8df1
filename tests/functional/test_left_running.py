"""What an agent has started ends with it, with the backend and with Neovim, in whatever group it is."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import ScriptedAgent, mark, on_prompt, request, script, wait, wait_file, wait_until
from tests.functional.editor import Editor, command_line
from tests.steps.processes import find_backend
from tests.steps.terminals import create_terminal

pytestmark = pytest.mark.cold

Open = Callable[..., Editor]
# timeout(1) makes a process group of its own; setsid(1) a session, but its parent lives
TIMEOUT = "timeout 600 sleep {}"
DETACHED = "setsid sleep {}; true"


def terminal(method: str, number: int) -> list[object]:
    return request(f"terminal/{method}", {"sessionId": "{session}", "terminalId": f"terminal-{number}"})


def sleeping(editor: Editor, seconds: int) -> list[int]:
    return [pid for pid in editor.pids() if command_line(pid).endswith(f" sleep {seconds} ")]


def begun(open_editor: Open, agent: ScriptedAgent, command: list[str] | None = None) -> Editor:
    program, *arguments = command or agent.argv
    editor = open_editor(setup={"agents": {"mine": {"command": program, "args": arguments}}})
    editor.acp("new_session")
    editor.wait_event("AcpSessionStarted")
    editor.acp("prompt", "go")
    return editor


def runs(editor: Editor, *seconds: int) -> None:
    wait_until(lambda: all(sleeping(editor, each) for each in seconds))


def gone(editor: Editor, *seconds: int) -> None:
    wait_until(lambda: not any(sleeping(editor, each) for each in seconds))


def test_what_has_left_its_group_is_killed_and_released(open_editor: Open, tmp_path: Path) -> None:
    steps = [tmp_path / "kill", tmp_path / "release"]
    agent = script(
        tmp_path,
        on_prompt(
            "",
            *(
                create_terminal(line.format(n))
                for n, line in enumerate([TIMEOUT, TIMEOUT, DETACHED, DETACHED], 6001)
            ),
            wait_file(str(steps[0])),
            *(terminal("kill", number) for number in (1, 3)),
            mark("killed"),
            wait_file(str(steps[1])),
            *(terminal("release", number) for number in (2, 4)),
            mark("released"),
            wait("session/cancel"),
        ),
    )
    editor = begun(open_editor, agent)
    runs(editor, 6001, 6002, 6003, 6004)
    steps[0].touch()
    wait_until(lambda: "killed" in agent.logged("mark"))
    gone(editor, 6001, 6003)
    runs(editor, 6002, 6004)
    steps[1].touch()
    wait_until(lambda: "released" in agent.logged("mark"))
    gone(editor, 6002, 6004)


@pytest.mark.parametrize("end", ["stop", "quit", "crash"])
def test_what_has_left_its_group_ends_with_all_else(open_editor: Open, tmp_path: Path, end: str) -> None:
    """The commands', and the agent's own; also where nobody but Neovim is left to end it."""
    agent = script(
        tmp_path,
        on_prompt(
            "",
            *(create_terminal(line.format(n)) for n, line in enumerate([TIMEOUT, DETACHED], 6005)),
            mark("started"),
            wait("session/cancel"),
        ),
        ignore=["eof"],
    )
    own = " & ".join(
        line.format(n) for n, line in enumerate(["timeout 600 sleep {}", "setsid --wait sleep {}"], 6007)
    )
    quoted = " ".join(f"'{word}'" for word in agent.argv)
    editor = begun(
        open_editor, agent, ["sh", "-c", f"exec 3<&0; {{ {own} & }} </dev/null >/dev/null 2>&1; {quoted} <&3"]
    )
    runs(editor, 6005, 6006, 6007, 6008)
    wait_until(lambda: "started" in agent.logged("mark"))
    if end == "stop":
        editor.acp("close_session")
        gone(editor, 6005, 6006, 6007, 6008)
    elif end == "quit":
        editor.quit()
        editor.assert_no_orphans()
    else:
        os.kill(find_backend(editor), signal.SIGKILL)
        gone(editor, 6005, 6006, 6007, 6008)


def test_a_command_that_begins_at_a_prompt_of_neovims_does_not_outlive_the_backend(
    open_editor: Open, tmp_path: Path
) -> None:
    """Neovim takes up no frame there."""
    go = tmp_path / "go"
    agent = script(
        tmp_path,
        on_prompt(
            "",
            mark("begun"),
            wait_file(str(go)),
            create_terminal("sleep 6009"),
            create_terminal(TIMEOUT.format(6010)),
            mark("started"),
            wait("session/cancel"),
        ),
    )
    editor = begun(open_editor, agent)
    wait_until(lambda: agent.logged("mark"))
    editor.type(':echo join(range(200), "\\n")<CR>')
    editor.screen.expect("-- More --")
    go.touch()
    runs(editor, 6009, 6010)
    wait_until(lambda: "started" in agent.logged("mark"))
    os.kill(find_backend(editor), signal.SIGKILL)
    editor.ask("nvim_input", "q")
    gone(editor, 6009, 6010)
