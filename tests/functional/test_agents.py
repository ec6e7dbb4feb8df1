"""Agents as users meet them: the list and its keys, known ones, files of other editors, the doctor, :checkhealth."""

import json
import os
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.script import (
    ScriptedAgent,
    on,
    on_initialize,
    on_prompt,
    result,
    say,
    script,
    silence,
    wait_until,
)
from tests.functional.editor import Editor

Open = Callable[..., Editor]
LIST = "return vim.api.nvim_buf_get_lines(vim.fn.bufnr('acp://agents'), 0, -1, false)"
DOCTOR = "return vim.fn.getbufline(vim.fn.bufnr('acp://doctor'), 1, '$')"
CURRENT = "return vim.api.nvim_buf_get_lines(0, 0, -1, false)"


def spec(agent: ScriptedAgent) -> dict[str, Any]:
    return {"command": agent.argv[0], "args": agent.argv[1:]}


def program(folder: Path, name: str, agent: ScriptedAgent, version: str = "") -> Path:
    """A program of that name on a PATH of our own; `--version` is answered by itself."""
    path = folder / "bin" / name
    path.parent.mkdir(exist_ok=True)
    said = f"echo {version}" if version else "exit 2"
    path.write_text(
        f'#!/bin/sh\n[ "$1" = --version ] && {{ {said}; exit; }}\nexec {shlex.join(agent.argv)} "$@"\n'
    )
    path.chmod(0o755)
    return path


def start(open_editor: Open, folder: Path, *, setup: dict[str, Any] | None = None, **options: Any) -> Editor:
    """Neovim with a PATH on which there are no agents but ours."""
    (folder / "bin").mkdir(exist_ok=True)
    for name in ("env", "sh", "git", "sleep", "bash"):
        if not (folder / "bin" / name).exists():
            (folder / "bin" / name).symlink_to(
                next(p for p in (f"/bin/{name}", f"/usr/bin/{name}") if os.path.exists(p))
            )
    env = {"PATH": str(folder / "bin")}
    return open_editor(setup=setup, env=env, size=options.pop("size", (120, 30)), **options)


def rows(editor: Editor, code: str = LIST) -> list[str]:
    return [" ".join(line.split()) for line in editor.lua(code)]


def row(editor: Editor, name: str) -> str:
    return next(line for line in rows(editor) if line.split()[0] == name)


def show(editor: Editor) -> list[str]:
    editor.type(":Acp agents<CR>")
    editor.expect_lua("return vim.bo.filetype", "acp_agents")
    return rows(editor)


def go_to(editor: Editor, name: str) -> None:
    editor.type(f"{rows(editor).index(row(editor, name)) + 1}G")


def messages(editor: Editor) -> str:
    return str(editor.lua("return vim.fn.execute('messages')"))


# --- the list


def test_the_list_tells_what_is_there(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", say("Hi.")))
    gemini = program(tmp_path, "gemini", agent, version="gemini-cli 9.8.7")
    mine = {**spec(agent), "command": agent.argv[0]}
    setup = {"agents": {"mine": mine, "lost": {"command": "no-such-agent"}}}
    editor = start(open_editor, tmp_path, setup=setup)
    lines = show(editor)
    assert lines[0].startswith("lost not found 'no-such-agent' is not on PATH: fix agents.lost.command")
    assert lines[1] == f"mine configured {agent.argv[0]}"
    assert lines[2] == f"gemini found {gemini}"
    assert lines[3].startswith("demo built in")
    assert row(editor, "claude") == "claude not found npm install -g @agentclientprotocol/claude-agent-acp"
    assert row(editor, "goose") == "goose not found brew install block-goose-cli"
    editor.screen.expect("Agents   <CR> new session  i install  t test")
    assert editor.lua("return { vim.bo.modifiable, vim.bo.swapfile, vim.bo.buflisted }") == [
        False,
        False,
        False,
    ]
    editor.type("v")
    editor.expect_lua(LIST, lambda found: any("gemini-cli 9.8.7" in line for line in found))
    go_to(editor, "gemini")
    editor.type("K")
    editor.screen.expect("reads and writes files by way of the editor")
    editor.screen.expect("install     npm install -g @google/gemini-cli")
    editor.type("qg?")
    editor.screen.expect("show the versions of the agents found")


def test_a_session_from_the_list(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", say("Hello from gemini.")))
    program(tmp_path, "gemini", agent)
    editor = start(open_editor, tmp_path)
    show(editor)
    go_to(editor, "gemini")
    editor.type("<CR>")
    editor.wait_event("AcpSessionStarted")
    editor.type("ihello<Esc><CR>")
    editor.screen.expect("Hello from gemini.")
    assert agent.logged("start")[0]["argv"][-1] == "--acp"
    assert editor.acp("status")["agent"] == "gemini"
    assert len(editor.lua("return vim.api.nvim_tabpage_list_wins(0)")) == 3


def test_one_that_is_not_installed(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", say("Hi.")))
    editor = start(open_editor, tmp_path, setup={"agents": {"mine": spec(agent)}})
    show(editor)
    go_to(editor, "opencode")
    editor.type("<CR>")
    editor.screen.expect("opencode is not installed: npm install -g opencode-ai")
    assert editor.acp("sessions") == []
    editor.type(":echo<CR>")
    editor.screen.expect_gone("opencode is not installed: npm")
    editor.type(":Acp new opencode<CR>")
    editor.wait_event("AcpSessionEnded", session=1, reason="failed")
    editor.screen.expect("opencode is not installed: npm install -g opencode-ai")
    assert "command not found" in editor.acp("status")["error"]
    editor.type(":Acp new mine<CR>")
    editor.wait_event("AcpSessionStarted")


def test_nothing_installed_and_nothing_configured_is_the_demo(open_editor: Open, tmp_path: Path) -> None:
    editor = start(open_editor, tmp_path)
    editor.type(":Acp<CR>")
    editor.wait_event("AcpSessionStarted")
    assert editor.acp("status")["agent"] == "demo"


def test_the_only_one_found_is_meant(open_editor: Open, tmp_path: Path) -> None:
    program(tmp_path, "opencode", script(tmp_path))
    editor = start(open_editor, tmp_path)
    editor.type(":Acp<CR>")
    editor.wait_event("AcpSessionStarted")
    assert editor.acp("status")["agent"] == "opencode"


def test_of_several_found_the_user_chooses(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path)
    program(tmp_path, "gemini", agent)
    program(tmp_path, "qwen", agent)
    editor = start(open_editor, tmp_path)
    editor.type(":Acp<CR>")
    editor.screen.expect("Which agent?")
    assert rows(editor, CURRENT) == ["1 gemini", "2 qwen"]
    editor.type("2")
    editor.wait_event("AcpSessionStarted")
    assert editor.acp("status")["agent"] == "qwen"


def test_the_one_that_is_configured_comes_before_those_found(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path)
    program(tmp_path, "gemini", agent)
    editor = start(open_editor, tmp_path, setup={"agents": {"mine": spec(agent)}})
    editor.type(":Acp<CR>")
    editor.wait_event("AcpSessionStarted")
    assert editor.acp("status")["agent"] == "mine"


def test_single_keys_of_a_known_agent(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path)
    program(tmp_path, "gemini", agent)
    work = tmp_path / "work"
    work.mkdir()
    agents = {"gemini": {"env": {"FROM": "setup"}, "args": 3, "cwd": "~/../../work"}}
    editor = start(open_editor, tmp_path, setup={"agents": agents})
    assert "'agents.gemini.args' must be a list" in messages(editor)
    editor.type(":Acp<CR>")
    editor.wait_event("AcpSessionStarted")
    began = agent.logged("start")[0]
    assert (began["argv"][-1], began["env"]["FROM"], began["cwd"]) == ("--acp", "setup", str(work))


def test_a_known_agent_gets_the_environment_it_needs(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path)
    program(tmp_path, "vtcode", agent)
    own = {"env": {"VT_ACP_ZED_ENABLED": "0", "FROM": "setup"}}
    editor = start(open_editor, tmp_path, setup={"agents": {"vtcode": own}})
    editor.type(":Acp<CR>")
    editor.wait_event("AcpSessionStarted")
    env = agent.logged("start")[0]["env"]
    assert (env["VT_ACP_ENABLED"], env["VT_ACP_ZED_ENABLED"], env["FROM"]) == ("1", "0", "setup")
    show(editor)
    go_to(editor, "vtcode")
    editor.type("t")
    editor.expect_lua(DOCTOR, lambda lines: any("answered in" in line for line in lines))
    assert agent.logged("start")[1]["env"]["VT_ACP_ENABLED"] == "1"
    editor.type("q:Acp agents<CR>")
    go_to(editor, "vtcode")
    editor.type("K")
    editor.screen.expect("sets        $VT_ACP_ENABLED to 1")


def test_another_program_of_a_known_name_is_another_agent(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path)
    editor = start(open_editor, tmp_path, setup={"agents": {"gemini": spec(agent)}})
    editor.type(":Acp<CR>")
    editor.wait_event("AcpSessionStarted")
    assert agent.logged("start")[0]["argv"][-1] == agent.argv[-1]


# --- files of other editors


def write(path: Path, text: str) -> str:
    path.write_text(text)
    return str(path)


def test_agents_from_the_files_of_other_editors(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path, on_prompt("", say("Hi.")))
    slow = script(tmp_path, on_initialize(), on("session/new", silence()), name="slow")
    command, *args = map(json.dumps, agent.argv)
    zed = f"""// settings
    {{ "theme": "One Dark", /* more */
      "agent_servers": {{
        "My Agent": {{ "type": "custom", "command": {command}, "args": [{", ".join(args)},],
                       "env": {{ "KEY": "$ACP_TEST_SECRET", "N": 3, }},
                       "mcpServers": {{ "own": {{ "command": "/bin/cat" }} }}, }},
        "gemini": {{ "type": "registry", "env": {{ "A": "b" }} }},
        "unheard-of": {{ "type": "registry" }},
      }},
    }}"""
    simse = {"servers": [{"name": "slow", "command": slow.argv[0], "args": slow.argv[1:], "timeoutMs": 300}]}
    simse |= {"mcpServers": {"shared": {"command": "/bin/cat", "env": {"KEY": "$ACP_TEST_SECRET"}}}}
    files = [write(tmp_path / "zed.json", zed), write(tmp_path / "acp.json", json.dumps(simse))]
    env = {"ACP_TEST_SECRET": "hush"}
    (tmp_path / "bin").mkdir()
    editor = open_editor(setup={"agent_files": files}, env=env, size=(120, 30))
    lines = show(editor)
    assert f"My-Agent configured {agent.argv[0]}" in lines
    assert any(line.startswith("gemini ") for line in lines)
    editor.type("q:Acp new My-Agent<CR>")
    editor.wait_event("AcpSessionStarted")
    began = agent.logged("start")[0]
    assert (began["env"]["KEY"], began["env"]["N"]) == ("hush", "3")
    editor.type("<Esc>:Acp new slow<CR>")
    editor.screen.expect("slow has not answered session/new for 0.3 s")
    assert (
        editor.lua("return require('acp_nvim.config.available_agents').get('slow').spec.prompt_timeout_ms")
        == 300
    )
    named = [asked["params"]["mcpServers"] for each in (agent, slow) for asked in each.got("session/new")]
    assert [[server["name"] for server in each] for each in named] == [["own"], ["shared"]]
    assert named[1][0]["env"] == [{"name": "KEY", "value": "hush"}]
    assert editor.lua("return require('acp_nvim.config.available_agents').get('gemini').spec.env") == {
        "A": "b"
    }


BROKEN = {
    "broken in the middle": (
        '{\n"agent_servers": {\n"a": {"command": "x"}\n"b": {}}}',
        ":4: not valid JSON:",
    ),
    "cut off": ('{"agent_servers": {', ":1: not valid JSON:"),
    "empty": ("", ":1: not valid JSON:"),
    "no object": ("[1, 2]", ":1: has no agents"),
    "nothing in it": ('{"theme": 1}', ":1: has no agents"),
    "wrong type of all": ('{\n"agent_servers": 3}', ":2: 'agent_servers' must be an object"),
    "wrong type of one": ('{"agent_servers": {\n"x": 3}}', ":2: 'x' must be an object"),
    "wrong type within one": ('{"agent_servers": {\n"x": {"command": 3}}}', ":2: in 'x': 'command' must be"),
    "no command": ('{"agent_servers": {\n"x": {}}}', ":2: 'x' has no command"),
    "no name": ('{"servers": [{"command": "x"}]}', ":1: a server without a name"),
    "no number": (
        '{"servers": [\n{"name": "x", "command": "x", "timeoutMs": "1"}]}',
        ":2: in 'x': 'timeoutMs'",
    ),
}


def test_a_broken_file_is_one_line_and_the_others_work(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path)
    files = [write(tmp_path / f"{case}.json", text) for case, (text, _) in BROKEN.items()]
    files.append(write(tmp_path / "good.json", json.dumps({"agent_servers": {"good": spec(agent)}})))
    editor = open_editor(setup={"agent_files": files}, size=(120, 30))
    editor.type(":Acp new good<CR>")
    editor.wait_event("AcpSessionStarted")
    for case, (_, why) in BROKEN.items():
        said = [line for line in messages(editor).splitlines() if f"{case}.json" in line]
        assert len(said) == 1
        assert f"{case}.json{why}" in said[0]


def test_files_that_are_none(open_editor: Open, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(100 << 20)
    (tmp_path / "locked").touch(mode=0)
    files = [str(tmp_path / name) for name in ("folder", "pipe", "huge", "absent")]
    agent = script(tmp_path)
    editor = open_editor(setup={"agent_files": files, "agents": {"mine": spec(agent)}}, size=(120, 30))
    show(editor)
    for words in (
        "folder: a directory, not a file",
        "pipe: a fifo",
        "huge: larger than 1 MiB",
        "absent: there is no such",
    ):
        assert words in messages(editor)
        editor.screen.expect(words)
    editor.type("q:Acp<CR>")
    editor.wait_event("AcpSessionStarted")


def test_a_file_that_has_been_mended(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path)
    path = tmp_path / "acp.json"
    editor = open_editor(setup={"agent_files": [write(path, "{")], "agents": {"mine": spec(agent)}})
    editor.type(":Acp<CR>")
    editor.wait_event("AcpSessionStarted")
    write(path, json.dumps({"agent_servers": {"late": spec(agent)}}))
    editor.type("<Esc>:Acp new late<CR>")
    editor.wait_event("AcpSessionStarted", session=2)
    assert editor.acp("status")["agent"] == "late"


# --- installing

INSTALLERS = {
    "mason": "data/nvim/mason/bin",
    "npm": "npm/bin",
    "local": "home/.local/bin",
    "uv": "data/uv/tools/gemini-cli/bin",
}


def installers(tmp_path: Path) -> Path:
    """An npm that installs gemini into its global folder once the program lies there as `ready`."""
    folder = tmp_path / "installers"
    folder.mkdir()
    (folder / "npm").write_text(
        f"""#!/bin/sh
case "$1" in
prefix) pwd >{tmp_path}/asked-in; echo {tmp_path}/npm ;;
install) pwd >{tmp_path}/installed-in; echo "npm ran: $*"
  mkdir -p {tmp_path}/npm/bin && cp {tmp_path}/ready {tmp_path}/npm/bin/gemini ;;
esac
"""
    )
    (folder / "npm").chmod(0o755)
    return folder


@pytest.mark.every_nvim
@pytest.mark.cold
def test_an_agent_is_installed_by_a_key_and_found_without_a_restart(
    open_editor: Open, tmp_path: Path
) -> None:
    agent = script(tmp_path, on_prompt("", say("Hello from gemini.")))
    program(tmp_path, "gemini", agent).rename(tmp_path / "ready")
    path = f"{installers(tmp_path)}:/usr/bin:/bin"
    editor = open_editor(setup={}, env={"PATH": path}, size=(120, 40))
    show(editor)
    go_to(editor, "gemini")
    editor.type("i")
    for words in ("npm install -g @google/gemini-cli", "these facts are from 20", "goes to", "y install"):
        editor.screen.expect(words)
    editor.type("n")
    assert not (tmp_path / "npm" / "bin").exists()
    editor.type("iy")
    editor.expect_lua("return vim.fn.execute('messages'):find('gemini is installed: :Acp new gemini') ~= nil")
    editor.expect_lua(LIST, lambda lines: any(line.split()[:2] == ["gemini", "found"] for line in lines))
    home = editor.lua("return vim.uv.os_homedir()")
    for name in ("asked-in", "installed-in"):  # not the project: it could name folders of its own
        assert os.path.realpath((tmp_path / name).read_text().strip()) == os.path.realpath(home)
    editor.type("<Esc>:Acp new gemini<CR>")
    editor.wait_event("AcpSessionStarted")
    editor.type("ihello<Esc><CR>")
    editor.screen.expect("Hello from gemini.")


def test_a_node_too_old_for_the_newest_release_is_told_before_the_install(
    open_editor: Open, tmp_path: Path
) -> None:
    folder = installers(tmp_path)
    editor = open_editor(setup={}, env={"PATH": f"{folder}:/usr/bin:/bin"}, size=(120, 40))
    show(editor)
    old, newest = (
        "may not be the newest, which needs Node 22: you have 20.20.2",
        "the newest; these facts are from",
    )
    for node, told in (("v20.20.2", old), ("v22.0.0", newest), ("no version", newest)):
        (folder / "node").write_text(f"#!/bin/sh\necho {node}\n")
        (folder / "node").chmod(0o755)
        go_to(editor, "claude")
        editor.type("i")
        editor.screen.expect(f"version   {told}")
        editor.screen.expect("y install")
        editor.type("n")
        editor.screen.expect_gone("y install")
    editor.type("K")
    editor.screen.expect("needs       Node 22 or newer")


@pytest.mark.parametrize("way", list(INSTALLERS))
def test_an_agent_is_found_beside_path(open_editor: Open, tmp_path: Path, way: str) -> None:
    """As a Neovim that was started from a desktop needs it."""
    agent = script(tmp_path, on_prompt("", say("Hi.")))
    folder = tmp_path / INSTALLERS[way]
    folder.mkdir(parents=True)
    (tmp_path / "home").mkdir(exist_ok=True)
    program(tmp_path, "gemini", agent).rename(folder / "gemini")
    env = {
        "PATH": f"{installers(tmp_path)}:/usr/bin:/bin",
        "HOME": str(tmp_path / "home"),
        "XDG_DATA_HOME": str(tmp_path / "data"),
    }
    editor = open_editor(setup={}, env=env)
    show(editor)
    editor.expect_lua(LIST, lambda lines: any(line.split()[:2] == ["gemini", "found"] for line in lines))
    editor.type("q:Acp new gemini<CR>")
    editor.wait_event("AcpSessionStarted")


def test_what_cannot_be_installed_by_a_key_says_so(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path)
    editor = open_editor(setup={"agents": {"mine": spec(agent)}}, env={"PATH": "/nowhere"}, size=(140, 40))
    show(editor)
    for name, words in {
        "mine": "mine is installed: t tests it",
        "simse": "simse has no command to install it: see https://",
        "goose": "brew is not there, and goose needs it",
    }.items():
        go_to(editor, name)
        editor.type("i")
        editor.screen.expect(words)


# --- the doctor


def test_an_agent_is_examined(open_editor: Open, tmp_path: Path) -> None:
    gate = result(
        {"protocolVersion": 1, "agentCapabilities": {"loadSession": True}, "authMethods": [{"id": "key"}]}
    )
    agent = script(tmp_path, on("initialize", gate))
    editor = open_editor(setup={"agents": {"mine": spec(agent)}}, size=(120, 40))
    show(editor)
    go_to(editor, "mine")
    editor.type("t")
    editor.expect_lua(DOCTOR, lambda lines: any("answered in" in line for line in lines))
    found = "\n".join(rows(editor, DOCTOR))
    for words in (
        "agent mine",
        "offers loadSession",
        "login key: key",
        "deviations no agentInfo",
        "stderr nothing",
    ):
        assert words in found
    assert editor.lua("return vim.bo[vim.fn.bufnr('acp://doctor')].filetype") == "acp_doctor"
    assert editor.acp("sessions") == []
    wait_until(lambda: agent.logged("eof"))


def test_an_agent_that_is_not_there_is_examined(open_editor: Open, tmp_path: Path) -> None:
    editor = start(open_editor, tmp_path)
    editor.type(":Acp doctor gemini<CR>")
    editor.expect_lua(DOCTOR, lambda lines: any("command not found" in line for line in lines))
    editor.screen.expect("gemini is not installed: npm install -g @google/gemini-cli")
    editor.type(":Acp doctor nobody<CR>")
    editor.screen.expect("no agent 'nobody'")


def checked(editor: Editor, command: str, last: str) -> str:
    """The whole report; it ends with that."""
    editor.type(f":{command}<CR>")
    whole = "return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\\n')"
    return str(editor.expect_lua(whole, lambda text: last in text, timeout=20))


def test_checkhealth_goes_through_all_in_order(open_editor: Open, tmp_path: Path) -> None:
    agent = script(tmp_path)
    program(tmp_path, "gemini", agent, version="9.8.7")
    broken = write(tmp_path / "acp.json", "{")
    setup = {"agents": {"lost": {"command": "no-such-agent"}}, "agent_files": [broken]}
    editor = start(open_editor, tmp_path, setup=setup)
    text = checked(editor, "checkhealth acp_nvim", "no agent was started")
    order = [
        "Neovim 0.",
        "interpreter:",
        "pydantic",
        "the backend answers",
        "not valid JSON",
        "lost: 'no-such-agent'",
    ]
    places = [
        text.index(words)
        for words in [*order, f"gemini: {tmp_path}/bin/gemini, 9.8.7", "not installed: agentao"]
    ]
    assert places == sorted(places)
    assert "fix agents.lost.command" in text
    assert agent.logged("start") == []


def test_mistakes_are_named_where_they_are_looked_for(open_editor: Open) -> None:
    rules = [{"action": "allow", "kind": "read"}, {"action": "reject", "command": "(["}]
    editor = open_editor(setup={"permissions": rules, "agents": {"mine": {"args": ["x"]}}}, size=(120, 40))
    text = checked(editor, "checkhealth acp_nvim", "no agent was started")
    assert "WARNING 'permissions[2].command' is not a regular expression" in text
    assert "permissions[1]" not in text
    editor.type(":Acp new mine<CR>")
    editor.screen.expect("not started: 'agents.mine.command' is missing")


def test_checkhealth_with_every_agent_started(open_editor: Open, tmp_path: Path) -> None:
    good = script(tmp_path, on_initialize(loadSession=True), name="good")
    bad = script(tmp_path, on("initialize", ["stderr", "no licence\n"], ["exit", 3]), name="bad")
    editor = start(open_editor, tmp_path, setup={"agents": {"good": spec(good), "bad": spec(bad)}})
    text = checked(editor, "Acp doctor", "demo: stderr:")
    assert "good: Scripted 1.0 answered in" in text
    assert "good: offers: loadSession" in text
    assert "bad: bad exited with status 3: no licence" in text
    assert "demo: " in text
    assert [line for line in text.splitlines() if "ERROR" in line and "bad" not in line] == []
    assert "pictures in the clipboard: " in text
    assert "OK colours: " in text or "colours: the terminal's palette" in text
    wait_until(lambda: good.logged("eof"))


def test_an_agent_that_npm_names_late_is_seen_above_the_others(open_editor: Open, tmp_path: Path) -> None:
    """npm is asked while the list is open: the row that comes is not above the window."""
    agent = script(tmp_path)
    folder = tmp_path / "npm" / "bin"
    folder.mkdir(parents=True)
    program(tmp_path, "claude-agent-acp", agent).rename(folder / "claude-agent-acp")
    editor = open_editor(setup={}, env={"PATH": f"{installers(tmp_path)}:/usr/bin:/bin"}, size=(120, 24))
    show(editor)
    editor.expect_lua(LIST, lambda lines: any(line.split()[:2] == ["claude", "found"] for line in lines))
    editor.expect_lua("return vim.fn.line('w0')", 1)
