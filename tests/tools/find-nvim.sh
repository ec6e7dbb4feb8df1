#!/usr/bin/env bash
# find-nvim.sh: print the path of a Neovim >= 0.10: the one that $NVIM names, else one on PATH, else a fetched one.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

modern() { "$1" --version 2>/dev/null | head -n 1 | grep -qE '^NVIM v(0\.[1-9][0-9]|[1-9])'; }

# Inside a Neovim's terminal $NVIM is that Neovim's socket, not a wish.
if [ -n "${NVIM:-}" ] && [ ! -S "$NVIM" ]; then
  path=$(command -v "$NVIM") && modern "$path" && echo "$path" && exit
  echo "acp_nvim: NVIM=$NVIM is no Neovim 0.10 or newer" >&2
  exit 1
fi
while read -r path; do
  if modern "$path"; then
    echo "$path"
    exit
  fi
done < <(type -ap nvim || true)
"$here/get-nvim.sh" sid .nvim/0.12
echo "$PWD/.nvim/0.12/bin/nvim"
