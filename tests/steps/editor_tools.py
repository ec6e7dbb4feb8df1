"""Steps with the editor's tools: a session whose agent has started our server, and what that answers."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.fakes.mcp_client import McpServer
from tests.fakes.script import Rule, ScriptedAgent, on_prompt, script, wait_file, wait_until
from tests.functional.editor import Editor

Open = Callable[..., Editor]
SERVER = Path(__file__).parents[1] / "fakes/language_server.py"
# as users start a server of their own
LSP = f"""
vim.api.nvim_create_autocmd("FileType", {{
  pattern = "python",
  callback = function(args)
    local cmd = {{ "{sys.executable}", "-S", "-I", "{SERVER}" }}
    vim.lsp.start({{ name = "toy", cmd = cmd, root_dir = vim.fn.getcwd() }}, {{ bufnr = args.buf }})
  end,
}})
"""
CART = "def total(orders):\n    return sum(orders)\n"
SHOP = "from cart import total\n\nprint(total([1, 2]))\n"
TEST = "from cart import total\n\nassert total([]) == 0\n"


def entry_of(agent: ScriptedAgent, session: int = -1) -> dict[str, Any]:
    """Our entry in the newest session/new."""
    servers = wait_until(lambda: agent.got("session/new"))[session]["params"]["mcpServers"]
    return next(server for server in servers if server["name"] == "acp_nvim")


def begin(
    open_editor: Open, tmp_path: Path, *rules: Rule, setup: dict[str, Any] | None = None, **options: Any
) -> tuple[Editor, ScriptedAgent]:
    """Open cart.py, with shop.py and test.py beside it, and begin a session."""
    go = tmp_path / "go"
    agent = script(tmp_path, *(rules or [on_prompt("", wait_file(str(go)))]))
    mine = {"command": agent.argv[0], "args": agent.argv[1:]}
    config = {"agents": {"mine": mine}, "editor_tools": True, **(setup or {})}
    options.setdefault("size", (130, 40))
    editor = open_editor(setup=config, init=options.pop("init", LSP), **options)
    for name, text in (("cart.py", CART), ("shop.py", SHOP), ("test.py", TEST)):
        (editor.project / name).write_text(text)
    editor.type(":edit cart.py<CR>")
    editor.acp("new_session")
    editor.wait_event("AcpSessionStarted")
    return editor, agent


def connect(agent: ScriptedAgent) -> McpServer:
    server = McpServer(entry_of(agent))
    server.begin()
    return server


def expect_attached(editor: Editor, name: str = "cart.py") -> None:
    """Wait until the language server has looked at the file."""
    code = """
      local client = vim.lsp.get_clients({ bufnr = vim.fn.bufnr(...) })[1]
      return client ~= nil and client.server_capabilities ~= nil
    """
    editor.expect_lua(code, True, name)
