#!/usr/bin/env bash
# demo.sh: Neovim with this plugin and the demo agent, ready to type; without a terminal its story, played and printed.
# It begins in a small project. The user's own configuration is left out, and everything that is written goes into a
# scratch folder.
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
mkdir "$scratch/greetings"
cd "$scratch/greetings"
cat >greet.py <<'END'
"""Greets everybody who is named on the command line."""

import sys


def greet(name):
    return "Hello, " + name


def main():
    for name in sys.argv[1:]:
        print(greet(name))


if __name__ == "__main__":
    main()
END
cat >README.md <<'END'
# Greetings

    python greet.py Ada Grace
END
if command -v git >/dev/null; then
  git init -q
  git add .
  git -c user.name=demo -c user.email=demo@localhost commit -qm 'Greet everybody'
fi
"$nvim" --clean -n --cmd 'lua vim.opt.runtimepath:prepend(vim.env.ACP_ROOT)' \
  --cmd "let g:acp_nvim = {'default_agent': 'demo'}" -c Acp -c startinsert greet.py
