-- Scrolls a question into the view of a window, if need be row by row.
local autoscroll = require("acp_nvim.chat.autoscroll")
local hidden_lines = require("acp_nvim.question.hidden_lines")
local messages = require("acp_nvim.ui.messages")
local seen_rows = require("acp_nvim.question.seen_rows")
local visible_rows = require("acp_nvim.question.visible_rows")

local api = vim.api
local M = {}

---@param win integer
---@param row integer
local function to_top(win, row)
  api.nvim_win_call(win, function()
    api.nvim_win_set_cursor(win, { row + 1, 0 })
    vim.cmd("normal! zt")
  end)
end

--- The line that holds a row of a question.
---@param win integer
---@param lines acp.QuestionLines
---@param row integer
---@return integer line
---@return integer row  of the line
local function line_at(win, lines, row)
  local line = lines.first
  while line < lines.last and row >= visible_rows.height(win, line, line) do
    row, line = row - visible_rows.height(win, line, line), line + 1
  end
  return line, row
end

--- Puts a row of a question to the window's top, be it amid a line.
---@param win integer
---@param lines acp.QuestionLines
---@param at integer
local function row_to_top(win, lines, at)
  local line, row = line_at(win, lines, at)
  vim.wo[win][0].scrolloff, vim.wo[win][0].smoothscroll = 0, true
  to_top(win, line)
  if row > 0 then
    local info = vim.fn.getwininfo(win)[1]
    local width = info.width - info.textoff
    local skip = (row - (info.height > 2 and 1 or 0)) * width
    local col = vim.fn.virtcol2col(win, line + 1, skip + 2 * width)
    api.nvim_win_call(win, function()
      vim.fn.winrestview({ lnum = line + 1, col = math.max(0, col - 1), topline = line + 1, skipcol = skip })
    end)
  end
end

---@param part acp.Part?
local function tell_part(part)
  if part and not visible_rows.is_whole(part) then
    local now = part.to < part.total and "repeat for the next lines" or "repeat to answer"
    messages.show("warn", ("%s (%d to %d of %d)"):format(now, part.from + 1, part.to, part.total))
  end
end

--- Scrolls to the first unseen row of a question that is higher than its window.
---@param win integer
---@param question acp.Question
---@param lines acp.QuestionLines
local function show_next(win, question, lines)
  local part = visible_rows.part_in(win, question, lines)
  local row = part and seen_rows.unseen(question, part) or not part and 0
  if row then
    row_to_top(win, lines, row)
  end
  vim.schedule(function() -- behind what the command itself says
    local now = api.nvim_win_is_valid(win) and visible_rows.lines_of(question)
    tell_part(now and visible_rows.part_in(win, question, now) or nil)
  end)
end

---@param win integer
---@param question acp.Question
---@param lines acp.QuestionLines
function M.show(win, question, lines)
  hidden_lines.reveal(win, lines)
  local total = visible_rows.height(win, lines.first, lines.last)
  local _, _, room = visible_rows.rows_in(win, lines)
  local part = visible_rows.part_in(win, question, lines)
  if total > room then
    show_next(win, question, lines)
  elseif not part or not visible_rows.is_whole(part) then
    vim.wo[win][0].scrolloff = 0
    to_top(win, lines.first)
    autoscroll.lower(win)
  end
end

return M
