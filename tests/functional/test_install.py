"""From nothing to a finished turn: the plugin's own Python environment, made from within Neovim."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fakes.script import wait_until
from tests.functional.editor import Editor
from tests.functional.packages import BASE, PYTHON, UV, copied, repository, tools, wheels
from tests.steps.processes import find_python

pytestmark = pytest.mark.cold

Open = Callable[..., Editor]
EMPTY = "vim.g.acp_nvim = vim.empty_dict()\n"
# What lazy.nvim does with a plugin that has a build.lua and no further wish.
AS_LAZY_DOES = """
local data = vim.fn.stdpath("data") .. "/lazy/acp_nvim"
local cloned = vim.system({ "git", "clone", "-q", vim.env.ACP_REPOSITORY, data }):wait()
assert(cloned.code == 0, cloned.stderr)
vim.opt.runtimepath:prepend(data)
shown, echoed = {}, {}
local echo, uis = vim.api.nvim_echo, vim.api.nvim_list_uis
vim.api.nvim_list_uis = function() return { {} } end -- a user's is attached by now, the test's not yet
vim.api.nvim_echo = function(chunks, ...)
  echoed[#echoed + 1] = chunks[1][1]
  return echo(chunks, ...)
end
package.loaded["lazy.async"] = { running = coroutine.running }
local build = coroutine.create(loadfile(data .. "/build.lua"))
while coroutine.status(build) ~= "dead" do
  local ok, line = coroutine.resume(build)
  assert(ok, line)
  shown[#shown + 1] = line
  vim.wait(1)
end
vim.api.nvim_list_uis = uis
"""


@pytest.fixture(scope="session")
def offline(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    house = wheels(tmp_path_factory.mktemp("wheels") / "house")
    return {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(house), "PIP_CONFIG_FILE": os.devnull}


@pytest.fixture
def open_bare(open_editor: Open, tmp_path: Path) -> Callable[..., Editor]:
    """Neovim with a copy of the plugin that has no environment, and these programs on PATH."""
    root = copied(tmp_path / "plugin")
    count = iter(range(100))

    def start(*, init: str = "", env: dict[str, str] | None = None, **scripts: str) -> Editor:
        path = tools(tmp_path / f"bin-{next(count)}", **scripts)
        mine = {
            "PATH": str(path),
            "PIP_NO_INDEX": "1",
            "ACP_TEST_ROOT": str(root),
            "ACP_TEST_PYTHON": "",
            **(env or {}),
        }
        return open_editor(init=EMPTY + init, env=mine)

    return start


def told(editor: Editor, text: str) -> None:
    """One line below the windows that does not stop Neovim."""
    editor.screen.expect(lambda screen: text in screen.lines()[-1], what=f"a line with {text}")
    assert editor.mode()["blocking"] is False


def finishes_a_turn(editor: Editor) -> None:
    editor.type(":Acp<CR>")
    editor.wait_event("AcpSessionStarted", timeout=60)  # no bar: the first start reads all from the disk
    editor.type("i/help<C-s><Esc>")
    editor.wait_event("AcpTurnEnded", stop_reason="end_turn")
    assert editor.acp("status")["agent"] == "demo"


# --- to a finished turn


def test_from_an_empty_home_by_a_plugin_manager_to_a_finished_turn(
    open_editor: Open, tmp_path: Path, offline: dict[str, str]
) -> None:
    if subprocess.run([BASE, "-I", "-c", "import pip"], capture_output=True).returncode:
        pytest.skip(f"{BASE} has no pip of its own")
    (tmp_path / "nothing").mkdir()
    env = {
        "PATH": str(tools(tmp_path / "bin", python3=PYTHON)),
        "ACP_TEST_ROOT": str(tmp_path / "nothing"),
        "ACP_TEST_PYTHON": "",
        "ACP_REPOSITORY": str(repository(tmp_path / "repository")),
        **offline,
    }
    editor = open_editor(init=EMPTY + AS_LAZY_DOES, env=env)
    assert editor.stderr().count("\n") == 0
    assert "looking for Python" in editor.lua("return shown[1]"), "its window shows the steps"
    assert editor.lua("return echoed") == [], "messages while Neovim starts raise the hit-enter prompt"
    finishes_a_turn(editor)
    python = find_python(editor)
    assert python == f"{editor.home}/data/nvim/lazy/acp_nvim/.venv/bin/python"
    compiled = list((editor.home / "data/nvim/lazy/acp_nvim/acp_nvim/__pycache__").glob("*.pyc"))
    assert compiled, "the byte code is made"


def test_progress_while_neovim_starts_takes_one_line(open_editor: Open) -> None:
    init = """
    assert(vim.wait(10000, function() return #vim.api.nvim_list_uis() > 0 end, 10))
    for step = 1, 5 do
      require("acp_nvim.ui.messages").show("info", "step " .. step, true)
      vim.wait(20)
    end
    """
    editor = open_editor(init=init)
    editor.expect_lua("return vim.v.vim_did_enter", 1)
    editor.screen.expect("acp_nvim: step 5")
    assert "step 4" not in editor.screen.text()
    assert editor.mode()["blocking"] is False


def test_the_first_use_says_what_to_type_and_then_the_next_command_works(
    open_bare: Callable[..., Editor],
) -> None:
    editor = open_bare(python3=PYTHON, uv=UV)
    editor.type(":Acp<CR>")
    told(editor, "the Python part is not installed yet: run :Acp install")
    editor.type(":Acp install<CR>")
    told(editor, "installed: :Acp starts a conversation")
    assert editor.lua("return #vim.api.nvim_list_wins()") == 1, "the progress window has gone"
    finishes_a_turn(editor)
    editor.type(":Acp install<CR>")
    told(editor, "already installed: :Acp starts a conversation")
    editor.type("<Esc>:Acp log<CR>")
    editor.screen.expect("install: Resolved 10 packages in a moment")


def test_a_folder_that_is_not_ours_is_left_alone(open_bare: Callable[..., Editor], tmp_path: Path) -> None:
    denied = """
local access = vim.uv.fs_access
vim.uv.fs_access = function(path, mode)
  return not (mode == "W" and vim.startswith(path, vim.env.ACP_TEST_ROOT)) and access(path, mode)
end
"""
    editor = open_bare(init=denied, python3=PYTHON, uv=UV)
    editor.type(":Acp install<CR>")
    told(editor, "installed: :Acp starts a conversation")
    assert not (tmp_path / "plugin/.venv").exists()
    finishes_a_turn(editor)
    assert find_python(editor) == f"{editor.home}/data/nvim/acp_nvim/venv/bin/python"


def test_nowhere_to_write_is_one_line(open_bare: Callable[..., Editor]) -> None:
    editor = open_bare(init="vim.uv.fs_access = function() return false end\n", python3=PYTHON, uv=UV)
    editor.type(":Acp install<CR>")
    told(editor, "cannot write to the plugin's folder or stdpath('data')")


# --- what can be missing

OLD = "exit 1"
ITSELF = 'case "$*" in *_base_executable*) echo "$0"; exit;; esac\n'
NO_VENV = f"""{ITSELF}
case "$*" in *"-m venv"*|*"import venv"*) echo "No module named venv" >&2; exit 1;; esac
{PYTHON}"""
NO_PIP = f"""{ITSELF}
case "$*" in
*"import pip"*|*"-m pip"*) echo "No module named pip" >&2; exit 1;;
*"-m ensurepip"*) echo "No module named ensurepip" >&2; exit 1;;
*"-m venv"*)
  {BASE} "$@"
  for folder; do :; done
  ln -sf "$0" "$folder/bin/python"
  exit;;
esac
{PYTHON}"""
UNREACHED = "echo '  dns error: failed to lookup address information' >&2; exit 2"
UNTRUSTED = """echo 'error: Failed to fetch: https://index.example/simple/pynvim/' >&2
echo '  cause: invalid peer certificate: UnknownIssuer' >&2; exit 2"""
PROXY = """echo 'error: Request failed after 3 retries in 6.7s' >&2
echo '  cause: error sending request for url (https://index.example/simple/pynvim/)' >&2
echo '  cause: tunnel error: unsuccessful' >&2; exit 2"""
FULL = "echo 'error: No space left on device (os error 28)' >&2; exit 2"
BROKEN = "echo 'error: something else' >&2; echo 'all at sea' >&2; exit 2"


# what :checkhealth says of it: the obstacle instead of an advice that leads to it, and one error for one cause
NOT_TRIED = "not tested: fix the problems above first"
HEALTH = {
    "no Python 3.11 or newer: install it, or uv, then :Acp install": (
        "- no Python 3.11 or newer: install it, or uv, then :Acp install",
        NOT_TRIED,
    ),
    "no venv module: install python3-venv or uv, then :Acp install": (
        "- no venv module: install python3-venv or uv, then :Acp install",
        NOT_TRIED,
    ),
    "no pip: install python3-venv or uv, then :Acp install": (
        "ERROR missing: pynvim, msgpack, ",
        "- Run :Acp install",
        NOT_TRIED,
    ),
}


@pytest.mark.parametrize(
    ("scripts", "words"),
    [
        ({}, "no Python 3.11 or newer: install it, or uv, then :Acp install"),
        ({"python3": OLD}, "no Python 3.11 or newer: install it, or uv, then :Acp install"),
        ({"python3": NO_VENV}, "no venv module: install python3-venv or uv, then :Acp install"),
        ({"python3": NO_PIP}, "no pip: install python3-venv or uv, then :Acp install"),
        (
            {"python3": PYTHON, "uv": UNREACHED},
            "cannot reach the package index: check the network, then :Acp install",
        ),
        ({"uv": UNTRUSTED}, "the certificate of the package index is not trusted: see :Acp log"),
        ({"python3": NO_PIP, "uv": UNTRUSTED}, "no pip: install python3-venv or uv, then :Acp install"),
        ({"uv": PROXY}, "the proxy refuses the package index: ask who runs it, or see :Acp log"),
        ({"uv": FULL}, "the disk is full: free some space, then :Acp install"),
        ({"uv": BROKEN}, "not installed, see :Acp log: all at sea"),
    ],
    ids=[
        "no Python",
        "an old one",
        "no venv",
        "no pip",
        "no network",
        "no trust",
        "no trust, then pip",
        "a proxy",
        "no room",
        "something else",
    ],
)
def test_what_is_missing_is_one_line(
    open_bare: Callable[..., Editor], scripts: dict[str, str], words: str
) -> None:
    editor = open_bare(**scripts)
    editor.type(":Acp install<CR>")
    told(editor, words)
    assert editor.lua("return #vim.api.nvim_list_wins()") == 1
    if seen := HEALTH.get(words):
        editor.type(":checkhealth acp_nvim<CR>")
        report = "return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\\n')"
        editor.expect_lua(report, lambda text: all(line in text for line in seen))


def test_an_interpreter_of_the_configuration_is_left_alone(open_bare: Callable[..., Editor]) -> None:
    editor = open_bare(init="vim.g.acp_nvim = { python = '/some/python' }\n", uv=UV)
    editor.type(":Acp install<CR>")
    told(editor, "`python` in setup() is /some/python: remove it")


# --- what can come between

STUCK = UV + "\nexec sleep 1000"


def test_while_it_runs_it_is_seen_and_can_be_given_up(open_bare: Callable[..., Editor]) -> None:
    editor = open_bare(python3=PYTHON, uv=STUCK)
    editor.type(":Acp install<CR>")
    editor.screen.expect("fetching the packages with uv")
    editor.screen.expect("Resolved 10 packages")
    editor.type("ithe user goes on typing<Esc>")
    editor.screen.expect("the user goes on typing")
    editor.type(":Acp install<CR>")
    told(editor, "already installing: cancel with :Acp install!")
    editor.type(":Acp<CR>")
    told(editor, "still installing: try again when the installation is done")
    editor.type(":Acp install!<CR>")
    told(editor, "installation cancelled: continue with :Acp install")
    editor.screen.expect_gone("fetching the packages")
    editor.assert_no_orphans()
    editor.type(":Acp install!<CR>")
    told(editor, "no installation is running")


def test_a_plugin_that_shows_messages_gets_the_steps_alone(open_bare: Callable[..., Editor]) -> None:
    notify = "_G.said = {} vim.notify = function(text) table.insert(_G.said, text) end\n"
    editor = open_bare(init=notify, python3=PYTHON, uv=STUCK)
    editor.type(":Acp install<CR>")
    editor.expect_lua("return table.concat(require('acp_nvim.ui.log').lines()):find('Resolved 10') ~= nil")
    steps = ["looking for Python 3.11 or newer", "fetching the packages with uv"]
    assert editor.lua("return _G.said") == steps


def test_neovim_may_be_left_in_the_middle_and_the_next_one_completes_it(
    open_bare: Callable[..., Editor], tmp_path: Path
) -> None:
    editor = open_bare(python3=PYTHON, uv=STUCK)
    editor.type(":Acp install<CR>")
    editor.screen.expect("Resolved 10 packages")
    wait_until(lambda: (tmp_path / "plugin/.venv/bin/python").exists())
    editor.type(":qa!<CR>")
    editor.wait_exit()
    editor.assert_no_orphans()
    later = open_bare(python3=PYTHON, uv=UV)
    later.type(":Acp install<CR>")
    told(later, "installed: :Acp starts a conversation")


def test_a_chat_that_has_failed_for_want_of_it_begins(
    open_bare: Callable[..., Editor], tmp_path: Path
) -> None:
    subprocess.run([BASE, "-I", "-m", "venv", "--without-pip", tmp_path / "plugin/.venv"], check=True)
    editor = open_bare(python3=PYTHON, uv=UV)
    editor.type(":Acp<CR>")
    told(editor, "is missing: run :Acp install")
    editor.type(":Acp install<CR>")
    editor.wait_event("AcpSessionStarted", timeout=60)  # no bar: the first start reads all from the disk
    editor.type("i/help<C-s><Esc>")
    editor.wait_event("AcpTurnEnded", stop_reason="end_turn")


def test_an_environment_of_a_python_that_is_gone_is_made_anew(
    open_bare: Callable[..., Editor], tmp_path: Path
) -> None:
    (tmp_path / "plugin/.venv/bin").mkdir(parents=True)
    (tmp_path / "plugin/.venv/bin/python").symlink_to("/nowhere/python3.11")
    editor = open_bare(python3=PYTHON, uv=UV)
    editor.type(":Acp install<CR>")
    told(editor, "installed: :Acp starts a conversation")


# to it the packages are there as long as their records are
AUDITS = 'if [ -e "${4%/bin/python}/recorded" ]; then echo "Audited 10 packages"; exit; fi\n'


def test_an_environment_whose_packages_are_damaged_is_made_anew(
    open_bare: Callable[..., Editor], tmp_path: Path
) -> None:
    subprocess.run([BASE, "-I", "-m", "venv", "--without-pip", tmp_path / "plugin/.venv"], check=True)
    (tmp_path / "plugin/.venv/recorded").touch()
    editor = open_bare(python3=PYTHON, uv=AUDITS + UV)
    editor.type(":Acp install<CR>")
    told(editor, "installed: :Acp starts a conversation")
