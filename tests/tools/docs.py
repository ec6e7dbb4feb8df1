"""The help's lists of keys, commands, maps and highlights, made from the tables that the code itself uses.

    python tests/tools/docs.py            writes them into doc/acp_nvim.txt
    python tests/tools/docs.py --check    says what differs, and what else is wrong with the help and the README

A list is a part of the help between a line of dashes and the next line of dashes or equals signs; its tag says
which. The tables are asked of a real Neovim.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
HELP, README = ROOT / "doc" / "acp_nvim.txt", ROOT / "README.md"
WIDTH = 78
INDENT = " " * 8
RULE = re.compile(r"^[-=]{78}$", re.MULTILINE)
TAG = re.compile(r"(?<!\S)\*([^*\s|]+)\*(?!\S)")
LINK = re.compile(r"(?<![\w|])\|([^|\s]+)\|(?![\w|])")
MODES = {"n": "normal", "i": "insert", "x": "visual", "o": "operator-pending"}

TABLES = """
vim.opt.runtimepath:prepend(vim.env.ACP_ROOT)
local function maps_of(file)
  local set, maps = vim.keymap.set, {}
  vim.keymap.set = function(modes, lhs, rhs, opts)
    local to = type(rhs) == "string" and rhs:gsub("^v:lua.*operator%('(%w+)'%)$", ":Acp %1")
      :gsub("^v:lua.*comments%.keys'%.operator%(%)$", ":Acp comment") or nil
    to = to and to:gsub("^<Cmd>lua.*run%('(%w+)'%)<CR>$", ":Acp %1")
    maps[#maps + 1] = { modes = vim.iter({ modes }):flatten():totable(), lhs = lhs, to = to, desc = (opts or {}).desc }
  end
  dofile(vim.env.ACP_ROOT .. "/" .. file)
  vim.keymap.set, vim.b.did_ftplugin = set, nil
  return maps
end
local function fields(field)
  local kept = { items = field.items and fields(field.items), children = {} }
  for _, key in ipairs({ "name", "type", "doc", "default", "values", "min", "required" }) do kept[key] = field[key] end
  for i, child in ipairs(field.fields or {}) do kept.children[i] = fields(child) end
  if type(field.default) == "table" then kept.default = vim.inspect(field.default) end
  return kept
end
local commands = {}
for name, sub in pairs(require("acp_nvim.commands").subcommands) do
  commands[name] = { doc = sub.doc, args = sub.args, bang = sub.bang, range = sub.range }
end
local all = vim.tbl_extend("force", require("acp_nvim.api"), require("acp_nvim"))
local api = vim.tbl_filter(function(name) return name:sub(1, 1) ~= "_" end, vim.tbl_keys(all))
local highlight = require("acp_nvim.ui.highlight")
local links, own = {}, {}
for name, look in pairs(vim.tbl_extend("error", highlight.bars, highlight.groups)) do
  links[name] = look[1] or false
end
for name in pairs(vim.api.nvim_get_hl(0, {})) do
  if name:find("^Acp") and not name:find("OnBar$") and links[name] == nil then own[#own + 1] = name end
end
io.stdout:write(vim.json.encode({
  keys = require("acp_nvim.config.global_keys").set,
  spec = fields(require("acp_nvim.config.schema")), commands = commands, api = api, links = links, own = own,
  maps = {
    chat = maps_of("ftplugin/acp_chat.lua"), prompt = maps_of("ftplugin/acp_prompt.lua"),
    everywhere = maps_of("plugin/acp_nvim.lua"),
  },
}))
"""

TRIALS = """
local folder, problems = vim.env.ACP_TRIALS, {}
local ok, why = pcall(vim.cmd.helptags, vim.fn.fnameescape(folder))
if not ok then problems[1] = why end
for name in vim.fs.dir(folder) do
  if name:find("%.lua$") then
    local chunk, wrong = loadfile(folder .. "/" .. name)
    if not chunk then problems[#problems + 1] = wrong:gsub("^" .. vim.pesc(folder) .. "/", "") end
  end
end
io.stdout:write(vim.json.encode({ runtime = vim.env.VIMRUNTIME, problems = problems }))
"""


def neovim() -> str | None:
    """As find-nvim.sh, but those of the tests first, and nothing is fetched."""
    fetched = sorted(map(str, ROOT.glob(".nvim/*/bin/nvim")), reverse=True)
    named = [os.environ.get("NVIM", ""), *os.environ.get("ACP_NVIMS", "").split(":")]
    return next((path for path in [*named, *fetched, shutil.which("nvim") or ""] if modern(path)), None)


def modern(path: str) -> bool:
    if not os.path.isfile(path):
        return False  # in a terminal of Neovim $NVIM is a socket
    said = subprocess.run([path, "--version"], capture_output=True, text=True).stdout
    return re.match(r"NVIM v(0\.[1-9]\d|[1-9])", said) is not None


def ask(nvim: str, lua: str, **environment: str) -> Any:
    ran = subprocess.run(
        [nvim, "--clean", "--headless", "-l", "-"],
        input=lua,
        capture_output=True,
        text=True,
        env={**os.environ, "ACP_ROOT": str(ROOT), **environment},
    )
    if ran.returncode:
        raise SystemExit(f"docs: {nvim} failed:\n{ran.stderr}")
    return json.loads(ran.stdout)


def titled(left: str, tag: str) -> str:
    gap = WIDTH - len(left) - len(tag) - 2
    return f"{left}{' ' * gap}*{tag}*" if gap > 1 else f"{f'*{tag}*':>{WIDTH}}\n{left}"


def filled(text: str, indent: str = INDENT) -> str:
    return textwrap.fill(text, WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)


def keys(field: dict[str, Any], name: str = "", tag: str = "") -> Iterator[str]:
    """A paragraph for every key; the keys of a map's items stand below {name}, those of a list's below [n]."""
    if name:
        about = sentence(field["doc"]) if field["type"] == "record" else meaning(field)
        yield f"{titled(name, f'acp_nvim-config-{tag}')}\n{filled(about)}"
    items = field.get("items") or {"children": []}
    below = {"map": f"{name}.{{name}}", "list": f"{name}[n]"}.get(field["type"], name)
    for child in field["children"] + items["children"]:
        yield from keys(child, *(f"{at}.{child['name']}".lstrip(".") for at in (below, tag)))


def meaning(field: dict[str, Any]) -> str:
    kind = {"any": "table", "list": "list", "map": "table by name"}.get(field["type"], field["type"])
    if field.get("values"):
        kind = " | ".join(f'"{value}"' for value in field["values"])
    if "min" in field:
        kind += f", at least {field['min']}"
    if field.get("required"):
        kind += ", required"
    elif field.get("default") not in (None, "{}"):
        kind += f" (default {shown(field['default'])})"
    return f"{kind}. {sentence(field['doc'])}"


def shown(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)


def sentence(text: str) -> str:
    first = text.split()[0]
    return f"{text[0].upper() if first.strip(',;:').isalpha() else text[0]}{text[1:]}."


def commands(table: dict[str, dict[str, Any]]) -> Iterator[str]:
    for name, command in sorted(table.items()):
        if not command.get("doc"):
            raise SystemExit(f"docs: the subcommand {name} says nothing about itself")
        before = "[range]" if command.get("range") else ""
        after = f"{'[!]' if command.get('bang') else ''} {command.get('args') or ''}".rstrip()
        line = titled(f":{before}Acp {name}{after}", f":Acp-{name}")
        yield f"{line}\n{filled(sentence(command['doc']))}"


KEYS = 18  # columns for the keys of a mapping


def maps(table: list[dict[str, Any]]) -> str:
    """One line for each <Plug> name: its keys, its name, what it does. Of nine with a digit only the first."""
    names = {one["lhs"]: one.get("desc") or "" for one in table if one["lhs"].startswith("<Plug>")}
    rows = []
    for plug, desc in names.items():
        if re.search(r"-[2-9]\)$", plug):
            continue
        keys = dict.fromkeys(pressed(one) for one in table if one.get("to") == plug)
        nine = plug.endswith("-1)")
        shown = [f"{key}…9" if nine and key == "g1" else key for key in keys]
        ordered = sorted(shown, key=lambda key: key.startswith("i_"))
        first, *more = textwrap.wrap(" ".join(ordered), KEYS, break_on_hyphens=False) or [""]
        rows += [(first, plug, desc), *((line, "", "") for line in more)]
    if digits := [one for one in table if re.fullmatch("[1-9]", one["lhs"])]:
        rows.append(("1 … 9", "", digits[0]["desc"]))
    return aligned(rows)


def aligned(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) + 2 for column in zip(*rows, strict=True)]
    return "\n".join(
        "".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def pressed(one: dict[str, Any]) -> str:
    return f"i_{one['lhs']}" if one["modes"] == ["i"] else one["lhs"]


def everywhere(table: list[dict[str, Any]]) -> str:
    def modes(one: dict[str, Any]) -> str:
        return " and ".join(MODES[mode] for mode in one["modes"]) + " mode"

    bare = {"<Cmd>": ":", "<CR>": "", "<Space>": ""}
    return aligned(sorted((one["lhs"], replaced(one["to"], bare), modes(one)) for one in table))


def below(table: list[dict[str, Any]]) -> str:
    """The set that `keys` maps: behind the prefix, what it stands for, in which modes, what it does."""
    rows = []
    for one in table:
        key = f"<leader>a{one['key']}"
        rows.append((f"x_{key}" if one["modes"] == "x" else key, f":Acp {one['run']}", one["desc"]))
    return aligned(rows)


def replaced(text: str, pairs: dict[str, str]) -> str:
    for old, new in pairs.items():
        text = text.replace(old, new)
    return text


def highlights(links: dict[str, Any], own: list[str]) -> str:
    shades = dict.fromkeys(own, "a shade of |hl-Normal|")
    groups = {name: link or "as the text around it" for name, link in links.items()} | shades
    return aligned(sorted(groups.items()))


def presets() -> Iterator[str]:
    """A paragraph for every agent that is known: its command, how to install it, where it is documented."""
    for path in sorted((ROOT / "acp_nvim" / "agent" / "presets").glob("*.json")):
        preset = json.loads(path.read_text())
        command = filled(" ".join([preset["command"], *preset["args"]]))
        facts = (
            [preset["url"]] if preset["install"].startswith("see ") else [preset["install"], preset["url"]]
        )
        facts += [f"Node {preset['node']} or newer"] if "node" in preset else []
        yield "\n".join([f"{path.stem:<{len(INDENT) + 4}}{preset['title']}", command, *map(filled, facts)])


def parts(tables: Any) -> dict[str, str]:
    """The generated parts of the help, by their tags."""
    return {
        "acp_nvim-config-list": "\n\n".join(keys(tables["spec"])),
        "acp_nvim-command-list": "\n\n".join(commands(tables["commands"])),
        "acp_nvim-preset-list": "\n\n".join(presets()),
        "acp_nvim-chat-maps": maps(tables["maps"]["chat"]),
        "acp_nvim-prompt-maps": maps(tables["maps"]["prompt"]),
        "acp_nvim-key-set": below(tables["keys"]),
        "acp_nvim-global-plugs": everywhere(tables["maps"]["everywhere"]),
        "acp_nvim-highlight-groups": highlights(tables["links"], tables["own"]),
    }


def written(text: str, tables: Any) -> str:
    """The help with its generated parts as they should be."""
    for tag, body in parts(tables).items():
        at = text.find(f"*{tag}*")
        if at < 0:
            raise SystemExit(f"docs: the help has no part *{tag}*")
        begin, end = text.index("\n", at), RULE.search(text, at)
        if not end:
            raise SystemExit(f"docs: no line of dashes or equals signs ends the part *{tag}*")
        text = f"{text[:begin]}\n\n{body}\n\n{text[end.start() :]}"
    return text


def unnamed(text: str, tables: Any) -> Iterator[str]:
    """What the code offers and the help does not mention."""
    tags = set(TAG.findall(text))
    yield from (
        f"acp.{name}() has no tag in the help"
        for name in sorted(tables["api"])
        if f"acp.{name}()" not in tags
    )
    sources = [*ROOT.glob("acp_nvim/**/*.py"), *ROOT.glob("lua/**/*.lua")]
    told = re.compile(r"(?:tell\(|fire\(|\"event\",)\s*\"(Acp\w+)\"")
    events = {name for path in sources for name in told.findall(path.read_text())}
    yield from (f"the event {name} has no tag in the help" for name in sorted(events - tags))


def differing(text: str, tables: Any) -> Iterator[str]:
    """Where help and code say different things."""
    fresh = written(text, tables)
    yield from unnamed(fresh, tables)
    if fresh != text:
        yield f"doc/{HELP.name} is not what the code says: tests/tools/docs.py writes it anew"


def wrong(nvim: str, text: str, readme: str) -> Iterator[str]:
    """What no reader should meet: lines too long, dead links, Lua that does not parse."""
    for number, line in enumerate(text.split("\n"), 1):
        if len(line.expandtabs()) > WIDTH:
            yield f"doc/acp_nvim.txt:{number}: {len(line)} columns"
    for target in re.findall(r"\]\((?!https?:|#)([^)#]+)|src(?:set)?=\"([^\"]+)\"", readme):
        if not (ROOT / "".join(target)).exists():
            yield f"README.md: no such file: {''.join(target)}"
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, HELP.name).write_text(text)
        samples = [("README", re.findall(r"^```lua\n(.*?)^```", readme, re.DOTALL | re.MULTILINE))]
        samples.append(("help", re.findall(r">lua\n(.*?)^(?=\S)", text, re.DOTALL | re.MULTILINE)))
        for name, codes in samples:
            for number, code in enumerate(codes, 1):
                Path(folder, f"{name}-{number}.lua").write_text(code)
        found = ask(nvim, TRIALS, ACP_TRIALS=folder)
    yield from found["problems"]
    known = set(TAG.findall(text))
    for tags in Path(found["runtime"]).glob("doc/tags"):
        known.update(line.split("\t")[0] for line in tags.read_text().splitlines())
    yield from (
        f"the help links to {link}, which there is not" for link in sorted({*LINK.findall(text)} - known)
    )


def main() -> int:
    nvim = neovim()
    if nvim is None:
        print("docs: no Neovim 0.10 or newer here: make nvims brings it")
        return 1
    tables = ask(nvim, TABLES)
    text = HELP.read_text()
    if "--check" not in sys.argv:
        HELP.write_text(written(text, tables))
        return 0
    problems = [*differing(text, tables), *wrong(nvim, text, README.read_text())]
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
