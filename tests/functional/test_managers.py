"""The README's ways to install, each taken for real: with the plugin manager, where it is at hand, from a git
remote with a tagged release. The help's longer ones make the environment as well.

Managers and other plugins are looked for in ACP_PLUGINS, or .cache/plugins, as `git clone` makes them there.
"""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import acp_nvim
from tests.functional.editor import ROOT, Editor
from tests.functional.packages import PYTHON, UV, plugin, repository, tools
from tests.steps.processes import find_python

pytestmark = [pytest.mark.cold, pytest.mark.every_nvim]

Open = Callable[..., Editor]
README = re.findall(r"^```lua\n(.*?)^```", (ROOT / "README.md").read_text(), re.DOTALL | re.MULTILINE)
HELP = re.findall(r">lua\n(.*?)^<", (ROOT / "doc" / "acp_nvim.txt").read_text(), re.DOTALL | re.MULTILINE)
# what a plugin manager's own instructions say, with everything else of it left out
LAZY = """
vim.opt.runtimepath:prepend("{manager}")
require("lazy").setup({{
  spec = {{ (function() {snippet} end)() }},
  defaults = {{ lazy = true }},
  rocks = {{ enabled = false }}, checker = {{ enabled = false }}, change_detection = {{ enabled = false }},
}})
"""
MINI = """
vim.opt.runtimepath:prepend("{manager}")
require("mini.deps").setup({{ path = {{ package = vim.fn.stdpath("data") .. "/site" }} }})
{snippet}
"""
PACK = """
local confirm = vim.fn.confirm
vim.fn.confirm = function() return 1 end
{snippet}
vim.fn.confirm = confirm
"""


def snippet(page: list[str], word: str) -> str:
    (found,) = (code for code in page if word in code and "owner/acp_nvim" in code)
    return found


@pytest.fixture
def installed(open_editor: Open, tmp_path: Path) -> Callable[..., Editor]:
    """Neovim with an empty home whose init file is that of the manager with the snippet of a page."""
    (tmp_path / "nothing").mkdir()
    address = repository(tmp_path / "forge" / "owner" / "acp_nvim")
    (address.parent / "acp_nvim.git").symlink_to("acp_nvim")  # as a forge answers to both names
    for command in (["tag", f"v{acp_nvim.__version__}"], ["config", "uploadpack.allowFilter", "true"]):
        subprocess.run(["git", "-C", address, *command], check=True)
    config = tmp_path / "gitconfig"
    config.write_text(f'[url "file://{address.parent}/"]\n  insteadOf = https://github.com/owner/\n')
    env = {
        "PATH": f"{tools(tmp_path / 'bin', python3=PYTHON, uv=UV)}:/usr/bin:/bin",
        "ACP_TEST_ROOT": str(tmp_path / "nothing"),
        "ACP_TEST_PYTHON": "",
        "GIT_CONFIG_GLOBAL": str(config),
        "XDG_DATA_HOME": str(tmp_path / "data"),
    }

    def start(init: str, page: list[str], word: str, manager: Path | None = None) -> Editor:
        bare = "vim.g.acp_nvim = { keys = '<leader>a' }\nvim.g.mapleader = ' '\n"
        return open_editor(init=bare + init.format(manager=manager, snippet=snippet(page, word)), env=env)

    return start


def finishes_a_turn(editor: Editor, opened_by: str = ":Acp<CR>") -> None:
    editor.type(opened_by)
    editor.wait_event("AcpSessionStarted", timeout=60)  # no bar: the first start reads all from the disk
    editor.type("i/help<C-s><Esc>")
    editor.wait_event("AcpTurnEnded", stop_reason="end_turn")
    assert find_python(editor).startswith(editor.lua("return vim.fn.stdpath('data')"))


def finishes_a_turn_once_installed(editor: Editor) -> None:
    """`:Acp` says what is missing, and after it what to do next."""
    editor.type(":Acp<CR>")
    says(editor, ":Acp install")
    editor.type(":Acp install<CR>")
    says(editor, "installed: :Acp starts a conversation")
    finishes_a_turn(editor)


def says(editor: Editor, words: str) -> None:
    # not the screen: the manager's own messages may stand there
    editor.expect_lua("return vim.fn.execute('messages'):find(..., 1, true) ~= nil", True, words, timeout=60)


def test_lazy_nvim(installed: Callable[..., Editor]) -> None:
    """One string, even where the user has lazy.nvim load everything late; no restart, and again at the next start."""
    manager = plugin("lazy.nvim")
    first = installed(LAZY, README, "return {", manager)
    first.expect_lua("return vim.v.vim_did_enter", 1, timeout=60)  # all is installed
    finishes_a_turn(first)
    editor = installed(LAZY, README, "return {", manager)
    assert editor.lua("return package.loaded['acp_nvim.backend.process'] == nil"), (
        "nothing is loaded until it is used"
    )
    assert editor.lua("return require('lazy.core.config').plugins.acp_nvim.lazy") is False
    finishes_a_turn(editor, opened_by="<Space>aa")


def test_mini_deps(installed: Callable[..., Editor]) -> None:
    finishes_a_turn_once_installed(installed(MINI, README, "mini.deps", plugin("mini.nvim")))


def test_mini_deps_with_hooks(installed: Callable[..., Editor]) -> None:
    finishes_a_turn(installed(MINI, HELP, "mini.deps", plugin("mini.nvim")))


@pytest.mark.parametrize("page", [README, HELP], ids=["README", "help"])
def test_vim_pack(installed: Callable[..., Editor], editor: Editor, page: list[str]) -> None:
    if not editor.lua("return vim.fn.has('nvim-0.12') == 1"):
        pytest.skip("vim.pack comes with Neovim 0.12")
    started = installed(PACK, page, "vim.pack")
    (finishes_a_turn_once_installed if page is README else finishes_a_turn)(started)
