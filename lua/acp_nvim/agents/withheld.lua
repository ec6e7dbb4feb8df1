-- Variables of Neovim's environment that agents and their programs do not get. With $NVIM a program could drive the
-- editor and approve its own requests; the others would mislead a Neovim that it starts. The backend has the same list.

---@type string[]
return { "MYVIMRC", "NVIM", "NVIM_LISTEN_ADDRESS", "NVIM_LOG_FILE", "VIM", "VIMRUNTIME" }
