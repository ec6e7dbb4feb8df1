#!/usr/bin/env bash
# get-plugins.sh: the plugins of others that the tests look at, cloned into .cache/plugins; those that are there stay.
set -euo pipefail
cd "$(dirname "$0")/../.."
plugins=(
  MeanderingProgrammer/render-markdown.nvim Saghen/blink.cmp echasnovski/mini.nvim folke/lazy.nvim folke/snacks.nvim
  folke/which-key.nvim hrsh7th/nvim-cmp ibhagwan/fzf-lua nvim-lua/plenary.nvim nvim-lualine/lualine.nvim
  nvim-telescope/telescope-ui-select.nvim nvim-telescope/telescope.nvim rebelot/heirline.nvim
  lewis6991/gitsigns.nvim folke/tokyonight.nvim catppuccin/nvim:catppuccin ellisonleao/gruvbox.nvim
)
failed=0
for entry in "${plugins[@]}"; do # repository[:folder]
  plugin=${entry%:*} name=${entry#*/}
  folder=.cache/plugins/${name#*:}
  [ ! -d "$folder" ] || continue
  rm -rf "$folder.new"
  if git clone -q --depth 1 "https://github.com/$plugin" "$folder.new"; then
    mv "$folder.new" "$folder"
  else
    failed=1
  fi
done
exit $failed
