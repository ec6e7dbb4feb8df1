-- Draws the queue above the prompt: a bar that says how many prompts wait, and how the first one begins.
--
--  2 queued  Then add a test for discount
--  ‖ 2 paused · :Acp queue! sends them  Then add a test for discount
local limits = require("acp_nvim.limits")
local outbox = require("acp_nvim.backend.outbox")
local printable = require("acp_nvim.ui.printable")
local state = require("acp_nvim.backend.session_store")

local api = vim.api
local M = {
  EXPRESSION = "%{%v:lua.require'acp_nvim.prompt.queue_bar'.text()%}",
}

---@param status table
---@return string
local function head_of(status)
  if not status.held then
    return ("%d queued"):format(status.queue)
  end
  return ("‖ %d paused · :Acp queue! sends %s"):format(status.queue, status.queue == 1 and "it" or "them")
end

--- What waits, in a few words; nil: nothing does.
---@param n integer
---@param width integer
---@return string?
function M.words(n, width)
  local status, session = state.look(n), state.session(n)
  if not status or not session or (status.queue or 0) == 0 then
    return nil
  end
  local head = head_of(status)
  local text = vim.trim(outbox.first_text(session) or ""):gsub("%s+", " ")
  local first = printable.beginning(text, limits.MESSAGE_CHARS)
  return printable.cut(first ~= "" and head .. "  " .. first or head, width)
end

--- The bar, for the window that is being drawn.
---@return string
function M.text()
  local win = api.nvim_get_current_win()
  local words = M.words(vim.b[api.nvim_win_get_buf(win)].acp_session or 0, api.nvim_win_get_width(win) - 2)
  return words and " %<" .. words:gsub("%%", "%%%%") or ""
end

return M
