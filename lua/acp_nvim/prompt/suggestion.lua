-- Offers what the agent takes for the user's next prompt: ghost text in an empty prompt, until a key takes it.
local config = require("acp_nvim.config.settings")
local session_store = require("acp_nvim.backend.session_store")

local api = vim.api
local M = {}

--- What the agent suggests to session `n`.
---@param n integer
---@return string?
function M.of(n)
  local status = session_store.look(n)
  return status and config.get().chat.suggestions and status.suggestion or nil
end

--- Puts the suggestion into the current buffer, if that is an empty prompt.
---@return boolean taken
function M.take()
  local n = vim.b.acp_session
  local text = n and vim.bo.filetype == "acp_prompt" and M.of(n)
  if not text or api.nvim_buf_line_count(0) > 1 or api.nvim_get_current_line() ~= "" then
    return false
  end
  api.nvim_set_current_line(text)
  api.nvim_win_set_cursor(0, { 1, #text })
  return true
end

return M
