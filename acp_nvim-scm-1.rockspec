-- For rocks.nvim and luarocks: the whole plugin as one rock. `:Acp install` makes its Python environment.
rockspec_format = "3.0"
package = "acp_nvim"
version = "scm-1"
description = {
  summary = "Talk to coding agents in Neovim, through the Agent Client Protocol",
  homepage = "https://github.com/owner/acp_nvim",
  license = "MIT",
  labels = { "neovim" },
}
dependencies = { "lua >= 5.1" }
source = { url = "git+https://github.com/owner/acp_nvim.git" }
build = {
  type = "none",
  copy_directories = { "acp_nvim", "doc", "ftplugin", "lua", "plugin", "rplugin" },
}
