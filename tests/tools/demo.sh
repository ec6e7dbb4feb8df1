#!/usr/bin/env bash
# demo.sh: Neovim with this plugin and the demo agent, ready to type; without a terminal its story, played and printed.
# The user's own configuration is left out, and everything that is written goes into a scratch folder.
set -euo pipefail
ACP_ROOT=$(cd "$(dirname "$0")/../.." && pwd)
cd "$ACP_ROOT"
nvim=$(tests/tools/find-nvim.sh)
unset NVIM
if [ ! -t 0 ] || [ ! -t 1 ]; then
  exec .venv/bin/python tests/tools/story.py "$nvim"
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for kind in CONFIG DATA STATE CACHE; do export "XDG_${kind}_HOME=$scratch/$kind"; done
export ACP_ROOT
mkdir "$scratch/demo"
cd "$scratch/demo"
"$nvim" --clean -n --cmd 'lua vim.opt.runtimepath:prepend(vim.env.ACP_ROOT)' \
  --cmd "let g:acp_nvim = {'default_agent': 'demo'}" -c Acp
