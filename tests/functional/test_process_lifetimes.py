"""What lives and dies with what: Neovim, the backend, the agents and what these have started."""

import os
import signal
import stat
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import (
    ScriptedAgent,
    die,
    grandchild,
    mark,
    on,
    on_initialize,
    on_prompt,
    permission,
    repeat,
    say,
    script,
    stderr,
    wait,
    wait_file,
    wait_until,
)
from tests.functional.editor import ROOT, Editor, wait_for_end
from tests.steps.conversation import expect_answerable
from tests.steps.messages import expect_message
from tests.steps.processes import find_backend

pytestmark = pytest.mark.cold

Open = Callable[..., Editor]
ANSWER = on_prompt("hello", say("Hello yourself."))


def chat(open_editor: Open, agent: ScriptedAgent, *, spec: Any = None, **options: Any) -> Editor:
    """The chat with that agent, opened by `:Acp` and ready to type in."""
    mine = {"command": agent.argv[0], "args": agent.argv[1:], **(spec or {})}
    editor = open_editor(setup={"agents": {"mine": mine}}, **options)
    editor.type(":Acp<CR>")
    editor.wait_event("AcpSessionStarted")
    return editor


def send(editor: Editor, text: str) -> None:
    editor.type(f"i{text}<Esc><CR>")
    editor.wait_event("AcpTurnStarted")


def answers(editor: Editor) -> None:
    """A whole turn, as it was before whatever has happened."""
    send(editor, "hello")
    editor.wait_event("AcpTurnEnded", stop_reason="end_turn")
    editor.screen.expect("Hello yourself.")


def pids_of(agent: ScriptedAgent) -> list[int]:
    """Of the newest process of the agent and of what it has started."""
    return [start["pid"] for start in agent.logged("start")][-1:] + agent.logged("grandchild")


def ends_with_all(editor: Editor, agent: ScriptedAgent, end: Callable[[], object]) -> float:
    """Do it; the seconds that Neovim took to end with all that it had started."""
    # a process that has just begun its program has no environment yet by which it is known
    wait_until(lambda: set(pids_of(agent)) <= set(editor.pids()))
    began = time.monotonic()
    end()
    editor.wait_exit()
    took = time.monotonic() - began
    editor.assert_no_orphans()
    return took


# --- the end of Neovim


@pytest.mark.backends
def test_nothing_survives_qa(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("hello", grandchild(), say("Hello yourself.")))
    editor = chat(open_editor, agent)
    answers(editor)
    assert ends_with_all(editor, agent, lambda: editor.type(":qa!<CR>")) < 1.2
    assert editor.process.returncode == 0


@pytest.mark.backends
def test_nothing_survives_qa_in_a_turn_with_a_question_open(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("hello", grandchild(), say("Wait."), permission("Run it?")))
    editor = chat(open_editor, agent)
    send(editor, "hello")
    editor.wait_event("AcpQuestion")
    editor.screen.expect("Run it?")
    assert ends_with_all(editor, agent, lambda: editor.type(":qa!<CR>")) < 1.2
    assert editor.process.returncode == 0


@pytest.mark.backends
def test_an_agent_that_ignores_all_requests_to_end_does_not_keep_neovim(
    open_editor: Open, tmp_path: Path
) -> None:
    agent = script(tmp_path, on_prompt("hello", grandchild(), wait("never")), ignore=["eof", "term"])
    editor = chat(open_editor, agent)
    send(editor, "hello")
    wait_until(lambda: agent.logged("grandchild"))
    assert ends_with_all(editor, agent, lambda: editor.type(":qa!<CR>")) < 3
    assert editor.process.returncode == 0


# As on macOS, where ps has to tell what runs.
WITHOUT_PROC = """
local fs_stat = vim.uv.fs_stat
vim.uv.fs_stat = function(path, ...)
  if path ~= "/proc/self/stat" then
    return fs_stat(path, ...)
  end
end
"""


@pytest.mark.parametrize("how", [signal.SIGHUP, signal.SIGTERM])
@pytest.mark.parametrize("init", ["", WITHOUT_PROC], ids=["proc", "ps"])
def test_nothing_survives_a_closed_terminal_if_the_backend_hangs(
    open_editor: Open, tmp_path: Path, how: signal.Signals, init: str
) -> None:
    """Neovim removes its temporary files before its last autocommands when a signal ends it."""
    agent = script(tmp_path, on_prompt("hello", grandchild(), wait("never")), ignore=["eof", "term"])
    editor = chat(open_editor, agent, init=init)
    send(editor, "hello")
    wait_until(lambda: agent.logged("grandchild"))
    os.kill(find_backend(editor), signal.SIGSTOP)
    ends_with_all(editor, agent, lambda: editor.process.send_signal(how))


@pytest.mark.backends
@pytest.mark.parametrize("how", [signal.SIGHUP, signal.SIGTERM])
def test_nothing_survives_a_closed_terminal_or_a_termination(
    open_editor: Open, tmp_path: Path, how: signal.Signals
) -> None:
    agent = script(tmp_path, on_prompt("hello", grandchild(), wait("never")), ignore=["eof", "term"])
    editor = chat(open_editor, agent)
    send(editor, "hello")
    wait_until(lambda: agent.logged("grandchild"))
    assert ends_with_all(editor, agent, lambda: editor.process.send_signal(how)) < 3


def test_nothing_survives_a_killed_neovim(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("hello", grandchild(), wait("never")), ignore=["eof", "term"])
    editor = chat(open_editor, agent)
    send(editor, "hello")
    wait_until(lambda: agent.logged("grandchild"))
    ends_with_all(editor, agent, editor.kill)


IMPATIENT = f"""#!/bin/sh
exec '{sys.executable}' -I -c 'from acp_nvim import entrance; entrance._GOODBYE = 0.1; entrance.main()'
"""


def test_nothing_survives_a_killed_neovim_if_there_is_no_time_for_a_better_end(
    open_editor: Open, tmp_path: Path
) -> None:
    """Each look by a slow ps takes from the time in which the backend waits for the agents."""
    python = tmp_path / "python"
    python.write_text(IMPATIENT)
    python.chmod(0o700)
    agent = script(tmp_path, on_prompt("hello", grandchild(), wait("never")), ignore=["eof", "term"])
    editor = chat(open_editor, agent, python=str(python))
    send(editor, "hello")
    wait_until(lambda: agent.logged("grandchild"))
    ends_with_all(editor, agent, editor.kill)


# --- the end of the backend


def test_after_the_backends_death_one_line_tells_and_the_next_prompt_starts_anew(
    open_editor: Open, tmp_path: Path
) -> None:
    slow = on_prompt("long", grandchild(), say("I begin."), wait("never"))
    agent = script(tmp_path, ANSWER, slow, ignore=["eof", "term"])
    editor = chat(open_editor, agent)
    send(editor, "long")
    editor.screen.expect("I begin.")
    doomed = pids_of(agent)
    assert len(doomed) == 2
    os.kill(find_backend(editor), signal.SIGKILL)
    expect_message(editor, "the backend ended", ":Acp restart")
    editor.wait_event("AcpTurnEnded", turn=1)
    editor.wait_event("AcpSessionEnded", reason="exited")
    status = editor.acp("status")
    assert (status["state"], status.get("pid")) == ("failed", None)
    assert all(wait_for_end(pid, 5) for pid in doomed)
    answers(editor)
    assert editor.acp("status")["state"] == "idle"
    assert pids_of(agent)[0] not in doomed


def test_an_open_question_ends_with_the_backend(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, ANSWER, on_prompt("run", permission("Run it?")))
    editor = chat(open_editor, agent)
    send(editor, "run")
    editor.wait_event("AcpQuestion")
    os.kill(find_backend(editor), signal.SIGKILL)
    editor.wait_event("AcpAnswered", by="exit")
    assert editor.acp("questions") == []
    said = "return table.concat(vim.api.nvim_buf_get_lines(vim.fn.bufnr('^acp://1/chat$'), -2, -1, false))"
    editor.expect_lua(said, lambda line: "backend" in line)  # the chat does not go on as if somebody listened
    expect_answerable(editor)
    editor.type(":Acp answer 1<CR>")
    expect_message(editor, "no open question")
    answers(editor)


# --- the end of an agent


@pytest.mark.backends
def test_stop_ends_the_process_and_the_next_prompt_starts_another(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("hello", grandchild(), say("Hello yourself.")))
    editor = chat(open_editor, agent)
    answers(editor)
    doomed = pids_of(agent)
    assert editor.acp("status")["pid"] == doomed[0]
    editor.type(":Acp stop<CR>")
    expect_message(editor, "stopping mine", "session 1")
    editor.wait_event("AcpSessionEnded", reason="stopped")
    status = editor.acp("status")
    assert (status["state"], status.get("pid"), status["session"]) == ("stopped", None, 1)
    assert all(wait_for_end(pid, 5) for pid in doomed)
    answers(editor)
    assert editor.acp("status")["pid"] not in doomed


@pytest.mark.backends
def test_restart_loads_the_session_where_the_agent_can(open_editor: Open, tmp_path: Path) -> None:
    history = on("session/load", say("Said long ago."))
    agent = script(tmp_path, on_initialize(loadSession=True), history, ANSWER)
    editor = chat(open_editor, agent)
    answers(editor)
    (old,) = pids_of(agent)
    editor.type(":Acp restart<CR>")
    editor.wait_event("AcpSessionEnded", reason="stopped")
    editor.wait_event("AcpSessionStarted", session=1)
    assert wait_for_end(old, 5)
    assert [load["params"]["sessionId"] for load in agent.got("session/load")] == ["s1"]
    editor.screen.expect("Said long ago.")
    editor.screen.expect_gone("Hello yourself.")
    answers(editor)


def test_restart_without_loading_says_that_the_agent_has_forgotten(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, ANSWER)
    editor = chat(open_editor, agent)
    answers(editor)
    editor.type(":Acp restart<CR>")
    editor.wait_event("AcpSessionStarted", session=1)
    editor.screen.expect("started again")
    answers(editor)
    assert len(agent.got("session/new")) == 2


@pytest.mark.backends
def test_an_agent_that_dies_in_a_turn_can_be_restarted(open_editor: Open, tmp_path: Path) -> None:
    dying = on_prompt("die", say("I begin."), stderr("out of luck\n"), die("SIGSEGV"))
    editor = chat(open_editor, script(tmp_path, ANSWER, dying))
    send(editor, "die")
    expect_message(editor, "mine was killed by SIGSEGV", ":Acp restart", "out of luck")
    assert editor.wait_event("AcpTurnEnded", turn=1)["error"] == "mine was killed by SIGSEGV: out of luck"
    editor.wait_event("AcpSessionEnded", reason="exited")
    assert editor.acp("status")["state"] == "failed"
    editor.type(":Acp restart<CR>")
    editor.wait_event("AcpSessionStarted", session=1)
    answers(editor)


# --- where they live

WITHHELD = ("NVIM", "NVIM_LISTEN_ADDRESS", "NVIM_LOG_FILE", "VIM", "VIMRUNTIME", "MYVIMRC")


@pytest.mark.backends
def test_an_agent_has_the_users_environment_without_the_way_to_the_editor(
    open_editor: Open, tmp_path: Path
) -> None:
    agent = script(tmp_path, ANSWER)
    names = ", ".join(f"'{name}'" for name in WITHHELD)
    given = f"for _, name in ipairs({{ {names} }}) do vim.env[name] = vim.env[name] or 'given' end"
    spec = {"env": {"KEY": "value", "LANG": "C"}}
    editor = chat(open_editor, agent, spec=spec, init=given, env={"INHERITED": "yes"})
    (start,) = agent.logged("start")
    assert not set(WITHHELD) & set(start["env"])
    assert {key: start["env"].get(key) for key in ("KEY", "LANG", "INHERITED", "HOME")} == {
        "KEY": "value",
        "LANG": "C",
        "INHERITED": "yes",
        "HOME": str(editor.home),
    }
    assert start["cwd"] == str(editor.project)


@pytest.mark.backends
def test_python_files_in_the_project_are_not_run(editor: Editor) -> None:
    """The demo agent is ours as well, and its folder is the project."""
    imported = editor.home / "imported"
    for module in ("json", "asyncio", "pydantic", "acp_nvim"):
        (editor.project / f"{module}.py").write_text(f"open({str(imported)!r}, 'w')\n")
    editor.type(":Acp<CR>")
    editor.wait_event("AcpSessionStarted")
    assert editor.acp("status")["cwd"] == str(editor.project)
    assert not imported.exists()


def test_nothing_of_ours_runs_before_it_is_asked_for(editor: Editor) -> None:
    loaded = (
        "return vim.tbl_filter(function(name) return name:find('^acp') end, vim.tbl_keys(package.loaded))"
    )
    jobs = "return vim.tbl_filter(function(c) return c.stream == 'job' end, vim.api.nvim_list_chans())"
    assert editor.lua("return vim.fn.exists(':Acp')") == 2
    assert (editor.lua(loaded), editor.lua(jobs), editor.pids()) == ([], [], [])
    editor.type(":Acp<CR>")
    editor.wait_event("AcpSessionStarted")
    assert "acp_nvim" in editor.lua(loaded)
    assert len(editor.lua(jobs)) == 1


def test_what_runs_at_the_start_takes_less_than_a_millisecond(editor: Editor) -> None:
    """The best of some runs: the machine may be busy, the file must not be."""
    file = ROOT / "plugin" / "acp_nvim.lua"
    assert len(file.read_text().splitlines()) < 60
    measure = """
    vim.g.loaded_acp_nvim = nil
    local began = vim.uv.hrtime()
    vim.cmd.source(...)
    return (vim.uv.hrtime() - began) / 1e6
    """
    assert min(editor.lua(measure, str(file)) for _ in range(20)) < 1


# --- a Neovim that answers nobody


@pytest.mark.backends
def test_at_the_hit_enter_prompt_the_agents_pipe_drains_and_nothing_is_lost(
    open_editor: Open, tmp_path: Path
) -> None:
    """3 MB: more than what fits into a pipe."""
    gate = tmp_path / "gate"
    flood = repeat(3000, say("line {n} " + "x" * 1000 + "\n"))
    agent = script(
        tmp_path, on_prompt("flood", wait_file(str(gate)), flood, say("That was all."), mark("written"))
    )
    editor = chat(open_editor, agent)
    send(editor, "flood")
    editor.type(':echo "one\\ntwo\\nthree"<CR>')
    editor.screen.expect("Press ENTER")
    gate.touch()
    wait_until(lambda: agent.logged("mark"))
    assert editor.mode()["blocking"] is True
    assert not editor.events("AcpTurnEnded")
    editor.type("<CR>")
    editor.wait_event("AcpTurnEnded", stop_reason="end_turn")
    editor.screen.expect("That was all.")
    lines = editor.lua("return vim.fn.getbufline(vim.fn.bufnr('acp://1/chat'), 1, '$')")
    assert [line.split()[1] for line in lines if line.startswith("line ")] == [str(n) for n in range(3000)]


# --- no backend


def test_a_python_that_is_not_there_is_one_line(open_editor: Open) -> None:
    editor = open_editor(setup={"python": "/nowhere/python"})
    editor.type(":Acp<CR>")
    expect_message(editor, "fix `python` in setup()", "/nowhere/python")
    assert editor.acp("sessions") == []


BARE = f'exec "{sys.executable}" -S "$@"'
WITHOUT_DEPENDENCIES = f"""
cd '{ROOT}' && exec "{sys.executable}" -s -S -m acp_nvim
"""
HALF_UPDATED = """echo "ModuleNotFoundError: No module named 'acp_nvim.app'" >&2; exit 1"""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (BARE, ("the Python package acp_nvim is missing", ":Acp install")),
        (WITHOUT_DEPENDENCIES, ("the Python package pynvim is missing", ":Acp install")),
        (HALF_UPDATED, ("update or reinstall the plugin, it lacks acp_nvim.app",)),
    ],
    ids=["ours", "dependency", "a module of ours"],
)
def test_a_python_without_the_package_is_one_line(
    open_editor: Open, tmp_path: Path, text: str, words: tuple[str, ...]
) -> None:
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\n{text}\n")
    python.chmod(python.stat().st_mode | stat.S_IXUSR)
    editor = open_editor(setup={"python": str(python)})
    editor.type(":Acp<CR>")
    expect_message(editor, *words)
    editor.wait_event("AcpSessionEnded", reason="failed")
    assert editor.acp("status")["state"] == "failed"
