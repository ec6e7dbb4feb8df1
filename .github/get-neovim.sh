#!/usr/bin/env bash
# get-neovim.sh VERSION: a release of Neovim into .cache/neovim, for the machines of a forge.
set -euo pipefail
case "$(uname -s)-$(uname -m)" in
  Linux-x86_64) build=linux-x86_64 ;;
  Darwin-arm64) build=macos-arm64 ;;
  Darwin-x86_64) build=macos-x86_64 ;;
  *) echo "there is no build of Neovim for $(uname -sm)" >&2 && exit 1 ;;
esac
mkdir -p .cache/neovim
curl -fsSL "https://github.com/neovim/neovim/releases/download/$1/nvim-$build.tar.gz" |
  tar -xz -C .cache/neovim --strip-components 1
