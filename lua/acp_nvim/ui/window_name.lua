-- Names a short-lived window of ours in its own 'statusline', where its buffer's name would stand there otherwise. The
-- position stays at the right, as in Neovim's own. A statusline of the user's or of a plugin is left alone.
local api = vim.api
local M = {}

local POSITION = "%=%{%&ruler ? '%-14.(%l,%c%V%) %P' : ''%}"

---@return boolean
local function is_users()
  local global = vim.go.statusline
  return global ~= "" and global ~= api.nvim_get_option_info2("statusline", {}).default
end

--- Returns the value of 'statusline' for a window of this name.
---@param name string
---@return string  empty: that of the other windows
function M.of(name)
  if vim.o.laststatus == 3 or is_users() then
    return ""
  end
  return " %<" .. name:gsub("%%", "%%%%") .. POSITION
end

return M
