-- Starts insert mode in a prompt that a command or a key of the user's has put the focus into: with `chat.insert`, or
-- where the key is for writing. What a script, an agent or a timer opens is left in the mode of the user.
local config = require("acp_nvim.config.settings")

local api = vim.api
local M = {}

--- Runs what a command or a key of the user's does.
---@generic T
---@param act fun(): T, string?
---@param is_to_write? boolean  insert mode is wanted in any case, also where the focus is in the prompt already
---@return T result
---@return string? message
function M.by_user(act, is_to_write)
  local before = api.nvim_get_current_win()
  local result, message = act()
  local is_entered = is_to_write or config.get().chat.insert and api.nvim_get_current_win() ~= before
  if result and is_entered and vim.bo.filetype == "acp_prompt" and api.nvim_get_mode().mode ~= "i" then
    local from_cursor = api.nvim_get_current_line():sub(api.nvim_win_get_cursor(0)[2] + 1)
    vim.cmd.startinsert({ bang = vim.fn.strchars(from_cursor) <= 1 })
  end
  return result, message
end

return M
