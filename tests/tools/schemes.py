"""Colour schemes of others as facts: the colours of the groups that Neovim itself knows, from the real scheme.

    python tests/tools/schemes.py [--check]        writes tests/schemes/NAME.json, or says what is no longer true

`make plugins` brings the schemes; those that are not there are left out.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
RECORDS = ROOT / "tests" / "schemes"
PLUGINS = ROOT / ".cache" / "plugins"
# record -> its plugin, the scheme, the background
SCHEMES = {
    "tokyonight-moon": ("tokyonight.nvim", "tokyonight-moon", "dark"),
    "tokyonight-day": ("tokyonight.nvim", "tokyonight-day", "light"),
    "catppuccin-mocha": ("catppuccin", "catppuccin-mocha", "dark"),
    "catppuccin-latte": ("catppuccin", "catppuccin-latte", "light"),
    "gruvbox-dark": ("gruvbox.nvim", "gruvbox", "dark"),
    "gruvbox-light": ("gruvbox.nvim", "gruvbox", "light"),
}
DRAWN = """
local scheme, background = unpack(vim.json.decode(vim.env.ACP_SCHEME))
local names = {}
for name in pairs(vim.api.nvim_get_hl(0, {})) do
  if not name:find("^NvimInternal") and not name:find("^Nvim[A-Z]") then names[#names + 1] = name end
end
vim.o.termguicolors, vim.o.background = true, background
vim.cmd.colorscheme(scheme)
local known, groups = { "fg", "bg", "sp", "bold", "italic", "underline", "reverse" }, vim.empty_dict()
for _, name in ipairs(names) do
  local drawn, facts = vim.api.nvim_get_hl(0, { name = name, link = false }), {}
  for _, key in ipairs(known) do
    facts[key] = type(drawn[key]) == "number" and ("#%06x"):format(drawn[key]) or drawn[key]
  end
  if next(facts) then groups[name] = facts end
end
io.stdout:write(vim.json.encode(groups))
"""


def drawn(nvim: str | Path, name: str) -> dict[str, Any] | None:
    """The facts of a scheme; None: it is not here."""
    plugin, scheme, background = SCHEMES[name]
    folder = PLUGINS / plugin
    if not folder.is_dir():
        return None
    command = [str(nvim), "--clean", "--headless", "-n", "--cmd", f"set runtimepath^={folder}"]
    said = subprocess.run(
        [*command, "-c", f"lua {' '.join(DRAWN.split(chr(10)))}", "-c", "qa!"],
        env={"ACP_SCHEME": json.dumps([scheme, background]), "PATH": "/usr/bin:/bin", "HOME": "/nonexistent"},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    ).stdout
    groups = {group: dict(sorted(facts.items())) for group, facts in sorted(json.loads(said).items())}
    return {"background": background, "groups": groups}


def written(facts: dict[str, Any]) -> str:
    """A line a group, so that a difference can be read."""
    lines = [f"    {json.dumps(group)}: {json.dumps(drawn)}" for group, drawn in facts["groups"].items()]
    head = f'{{\n  "background": {json.dumps(facts["background"])},\n  "groups": {{\n'
    return head + ",\n".join(lines) + "\n  }\n}\n"


def recorded(name: str) -> dict[str, Any]:
    return dict(json.loads((RECORDS / f"{name}.json").read_text()))


def problems(nvim: str | Path) -> Iterator[str]:
    """What is recorded otherwise than it is drawn now, of the groups that this Neovim has."""
    for name in SCHEMES:
        if facts := drawn(nvim, name):
            known = recorded(name)["groups"]
            for group, now in facts["groups"].items():
                if group in known and known[group] != now:
                    yield f"{name}: {group} is {now}, recorded as {known[group]}"


def main() -> int:
    nvim = sorted((ROOT / ".nvim").glob("*/bin/nvim"))[-1]
    if "--check" in sys.argv:
        found = list(problems(nvim))
        print("\n".join(found))
        return bool(found)
    RECORDS.mkdir(exist_ok=True)
    for name in SCHEMES:
        if facts := drawn(nvim, name):
            (RECORDS / f"{name}.json").write_text(written(facts))
    return 0


if __name__ == "__main__":
    sys.exit(main())
