#!/usr/bin/env bash
# lua-types.sh: the types of the Lua half (LuaCATS), judged by lua-language-server, which is on PATH or in $LUALS.
# Nothing that make uses brings it: its makers publish it as an archive alone. .github/workflows/ci.yml has it.
set -euo pipefail
cd "$(dirname "$0")/../.."
luals=$(command -v "${LUALS:-lua-language-server}") || {
  echo "acp_nvim: no lua-language-server: put it on PATH or say LUALS=/path/to/lua-language-server" >&2
  exit 1
}
nvim=$(tests/tools/find-nvim.sh)
VIMRUNTIME=$("$nvim" --clean --headless +'lua io.stdout:write(vim.env.VIMRUNTIME)' +qa)
export VIMRUNTIME
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
# a tree of its own: what is beside the code is no business of the checker's
mkdir "$out/code"
cp -r .luarc.json build.lua ftplugin lua plugin types "$out/code"
status=0
"$luals" --check "$out/code" --checklevel=Warning --logpath="$out/log" --metapath="$out/meta" --check_format=pretty \
  >"$out/said" 2>&1 || status=$?
grep -q "no problems found" "$out/said" && echo "types of the Lua half: fine" && exit "$status"
tr '\r' '\n' <"$out/said" | grep -vE '^[>= ]*([0-9]+/[0-9]+.*)?$'
exit 1
