-- Keeps the cursors of a buffer's windows on their lines while its lines go and come back.
--
--   rows    a b c d     the cursor is on d, row 4
--   wanted  a B b c d   edits: { { 1, 1, { "B" } } }, so the cursor goes to row 5
local anchor = require("acp_nvim.documents.visual_anchor")
local diff = require("acp_nvim.documents.diff")

local api = vim.api
local M = {}

--- Returns the row to which the edits move a row. A row of replaced lines stays as far below the first of them as it
--- was, or goes to the last of the new ones.
---@param row integer  from 1
---@param edits acp.Edit[]
---@return integer
local function moved(row, edits)
  local shift = 0
  for _, each in ipairs(edits) do
    local first, last, lines = each[1] + 1, each[2], each[3]
    if first <= row and row <= last then
      return math.max(1, first + shift + math.min(row - first, math.max(#lines - 1, 0)))
    elseif row > last then
      shift = shift + #lines - (last - first + 1)
    end
  end
  return row + shift
end

--- Remembers the cursors, and the other end of a visual selection.
---@param buf integer
---@param rows string[]    of the buffer, now
---@param wanted string[]  of the buffer, when they are put back
---@return fun() put_back
function M.hold(buf, rows, wanted)
  local cursors = {}
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    cursors[win] = api.nvim_win_get_cursor(win)
  end
  local selected = anchor.get(buf)
  return function()
    local edits = diff.of_buffer(rows, wanted)
    local last = api.nvim_buf_line_count(buf)
    for win, cursor in pairs(cursors) do
      api.nvim_win_set_cursor(win, { math.min(moved(cursor[1], edits), last), cursor[2] })
    end
    if selected then
      anchor.put(buf, { math.min(moved(selected[1], edits), last), selected[2] })
    end
  end
end

return M
