-- Keeps the log behind `:Acp log`: messages to the user and errors, one line each.
local limits = require("acp_nvim.limits")
local printable = require("acp_nvim.ui.printable")

local M = {}

local log = {} ---@type string[]

--- Adds a text to the log, a line for each of its lines; the oldest ones are dropped.
---@param text string
function M.add(text)
  for _, line in ipairs(vim.split(text, "\n", { plain = true })) do
    log[#log + 1] = printable.visible(line)
  end
  if #log > 2 * limits.LOG_LINES then
    log = vim.list_slice(log, #log - limits.LOG_LINES + 1)
  end
end

--- The log's lines, oldest first.
---@return string[]
function M.lines()
  return vim.list_slice(log, math.max(1, #log - limits.LOG_LINES + 1))
end

return M
