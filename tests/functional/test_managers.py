"""The README's ways to install, each taken for real: with the plugin manager, where it is at hand.

Managers and other plugins are looked for in ACP_PLUGINS, or .cache/plugins, as `git clone` makes them there.
"""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.functional.editor import ROOT, Editor
from tests.functional.packages import PYTHON, UV, plugin, repository, tools
from tests.steps.processes import find_python

pytestmark = pytest.mark.cold

Open = Callable[..., Editor]
README = (ROOT / "README.md").read_text()
LUA = re.compile(r"^```lua\n(.*?)^```", re.DOTALL | re.MULTILINE)
# what a plugin manager's own instructions say, with everything else of it left out
LAZY = """
vim.opt.runtimepath:prepend("{manager}")
vim.g.mapleader = " "
require("lazy").setup({{
  spec = {{ (function() {snippet} end)() }},
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


def snippet(word: str, address: Path) -> str:
    (found,) = (code for code in LUA.findall(README) if word in code)
    return found.replace("<the address you clone it from>", f"file://{address}")


@pytest.fixture
def installed(open_editor: Open, tmp_path: Path) -> Callable[..., Editor]:
    """Neovim with an empty home whose init file is that of the manager with the README's snippet."""

    (tmp_path / "nothing").mkdir()
    env = {
        "PATH": f"{tools(tmp_path / 'bin', python3=PYTHON, uv=UV)}:/usr/bin:/bin",
        "ACP_TEST_ROOT": str(tmp_path / "nothing"),
        "ACP_TEST_PYTHON": "",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "XDG_DATA_HOME": str(tmp_path / "data"),
    }
    address = repository(tmp_path / "repository")

    def start(init: str, word: str, manager: Path | None = None) -> Editor:
        bare = "vim.g.acp_nvim = vim.empty_dict()\n"
        filled = init.format(manager=manager, snippet=snippet(word, address))
        return open_editor(init=bare + filled, env=env)

    return start


def finishes_a_turn(editor: Editor, opened_by: str = ":Acp<CR>") -> None:
    editor.type(opened_by)
    editor.wait_event("AcpSessionStarted", timeout=60)  # no bar: the first start reads all from the disk
    editor.type("i/help<C-s><Esc>")
    editor.wait_event("AcpTurnEnded", stop_reason="end_turn")
    assert find_python(editor).startswith(editor.lua("return vim.fn.stdpath('data')"))


def test_lazy_nvim(installed: Callable[..., Editor]) -> None:
    manager = plugin("lazy.nvim")
    first = installed(LAZY, "return {", manager)
    first.expect_lua("return vim.v.vim_did_enter", 1, timeout=60)  # all is installed
    editor = installed(LAZY, "return {", manager)
    assert editor.lua("return package.loaded['acp_nvim.backend.process'] == nil"), (
        "nothing is loaded until it is used"
    )
    finishes_a_turn(editor, opened_by="<Space>aa")


def test_mini_deps(installed: Callable[..., Editor]) -> None:
    finishes_a_turn(installed(MINI, "mini.deps", plugin("mini.nvim")))


def test_vim_pack(installed: Callable[..., Editor], editor: Editor) -> None:
    if not editor.lua("return vim.fn.has('nvim-0.12') == 1"):
        pytest.skip("vim.pack comes with Neovim 0.12")
    finishes_a_turn(installed(PACK, "vim.pack"))
