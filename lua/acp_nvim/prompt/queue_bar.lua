-- Draws the queue above the prompt: a bar that says how many prompts wait, and how the first one begins; where the
-- queue is paused also what resumes it, as far as there is room beside those words.
--
--  2 queued  Then add a test for discount
--  ‖ 2  Then add a test for discount   :Acp queue! sends
--  ‖ 2  Then add a…   :Acp queue!
local limits = require("acp_nvim.limits")
local outbox = require("acp_nvim.backend.outbox")
local printable = require("acp_nvim.ui.printable")
local session_store = require("acp_nvim.backend.session_store")

local api = vim.api
local M = {
  EXPRESSION = "%{%v:lua.require'acp_nvim.prompt.queue_bar'.text()%}",
}

local LEAST = 10 -- cells of the first prompt
local RESUMES = { "   :Acp queue! sends", "   :Acp queue!", "" }

--- What resumes a paused queue, as far as it leaves room for the prompt.
---@param status table
---@param first string
---@param room integer
---@return string
local function resumes(status, first, room)
  local least = math.min(LEAST, vim.fn.strwidth(first))
  return status.held and vim.iter(RESUMES):find(function(text)
    return room - vim.fn.strwidth(text) >= least
  end) or ""
end

--- What waits, in a few words; nil: nothing does.
---@param n integer
---@param width integer
---@return string?
function M.words(n, width)
  local status, session = session_store.look(n), session_store.session(n)
  if not status or not session or (status.queue or 0) == 0 then
    return nil
  end
  local head = (status.held and "‖ %d  " or "%d queued  "):format(status.queue)
  local text = vim.trim(outbox.first_text(session) or ""):gsub("%s+", " ")
  local first = printable.beginning(text, limits.MESSAGE_CHARS)
  local room = width - vim.fn.strwidth(head)
  local behind = resumes(status, first, room)
  return printable.cut(head .. printable.cut(first, math.max(1, room - vim.fn.strwidth(behind))) .. behind, width)
end

--- The bar, for the window that is being drawn.
---@return string
function M.text()
  local win = api.nvim_get_current_win()
  local words = M.words(vim.b[api.nvim_win_get_buf(win)].acp_session or 0, api.nvim_win_get_width(win) - 2)
  return words and " %<" .. words:gsub("%%", "%%%%") or ""
end

return M
