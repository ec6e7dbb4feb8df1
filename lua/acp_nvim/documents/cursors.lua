-- Keeps what the user has in the windows of a buffer while its lines go and come back, or autocommands of the user's
-- run at a moment that nobody expects: cursors, views, the selection, the marks of selections and changes, closed
-- folds.
--
--   rows    a b c d     the cursor is on d, row 4
--   wanted  a B b c d   edits: { { 1, 1, { "B" } } }, so the cursor goes to row 5
local anchor = require("acp_nvim.documents.visual_anchor")
local diff = require("acp_nvim.documents.diff")
local limits = require("acp_nvim.limits")

local api = vim.api
local M = {}

local MARKS = { "[", "]", "<", ">" }

---@class acp.HeldPlaces
---@field buf integer
---@field rows string[]
---@field views table<integer, vim.fn.winsaveview.ret>  by window
---@field folds table<integer, integer[][]>  by window: first and last row of closed folds, from 1
---@field marks table<string, integer[]>  { row from 1, column from 0 }

---@class acp.MovedPlaces
---@field rows string[]    before
---@field wanted string[]  after
---@field edits acp.Edit[]

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

--- Returns where a place is by now. Within a line that has changed it stays at its word.
---@param place integer[]  { row from 1, column from 0 }
---@param by acp.MovedPlaces
---@return integer row
---@return integer column
local function moved_place(place, by)
  local row, column = moved(place[1], by.edits), place[2]
  local old, new = by.rows[place[1]], by.wanted[row]
  if not old or not new or old == new then
    return math.min(row, math.max(#by.wanted, 1)), column
  end
  local shift = 0
  for _, part in ipairs(diff.of_line(old, new)) do
    if column >= part[2] and column > part[1] then
      shift = shift + #part[3] - (part[2] - part[1])
    elseif column > part[1] then
      return row, part[1] + shift + math.min(column - part[1], #part[3])
    end
  end
  return row, column + shift
end

-- Closed folds --------------------------------------------------------------------------------------------------------

--- Whether a line of the current window is in a closed fold. Neovim itself looks at all lines in no time, and the
--- command fails at the first one that it finds.
---@return boolean
local function has_closed_fold()
  return vim.wo.foldenable and not pcall(api.nvim_exec2, "keepjumps folddoclosed throw 'closed'", {})
end

--- Returns the closed folds of the current window, in very long texts those near its lines.
---@return integer[][]
local function closed_folds()
  local found, last = {}, has_closed_fold() and vim.fn.line("$") or 0
  local row = last > limits.FOLDED_LINES and math.max(1, vim.fn.line("w0") - limits.FOLDED_LINES / 2) or 1
  last = math.min(last, row + limits.FOLDED_LINES)
  while row <= last do
    local stop = vim.fn.foldclosedend(row)
    if stop > 0 then
      found[#found + 1] = { row, stop }
      row = stop
    end
    row = row + 1
  end
  return found
end

--- Closes the folds of the current window that were closed, and makes them where a filter has replaced their lines.
---@param folds integer[][]
---@param by acp.MovedPlaces
local function restore_folds(folds, by)
  for _, fold in ipairs(folds) do
    local first, last = moved(fold[1], by.edits), math.min(moved(fold[2], by.edits), #by.wanted)
    local is_there = vim.fn.foldclosed(first) == first and vim.fn.foldclosedend(first) == last
    if not is_there and vim.wo.foldmethod == "manual" then
      vim.cmd(("silent! %dfoldopen | %d,%dfold"):format(first, first, last))
    elseif not is_there and vim.fn.foldlevel(first) > 0 then
      vim.cmd(("silent! %dfoldclose"):format(first))
    end
  end
end

-- Holding and putting back --------------------------------------------------------------------------------------------

---@param buf integer
---@return table<string, integer[]>
local function marks_of(buf)
  local marks = {}
  for _, name in ipairs(MARKS) do
    local place = api.nvim_buf_get_mark(buf, name)
    marks[name] = place[1] > 0 and place or nil
  end
  return marks
end

---@param held acp.HeldPlaces
---@param win integer
---@param by acp.MovedPlaces
local function restore_window(held, win, by)
  local view = vim.deepcopy(held.views[win])
  view.lnum, view.col = moved_place({ view.lnum, view.col }, by)
  view.topline = moved(view.topline, by.edits)
  api.nvim_win_call(win, function()
    restore_folds(held.folds[win], by)
    vim.fn.winrestview(view)
  end)
end

--- Remembers the places of a buffer.
---@param buf integer
---@param rows string[]  of the buffer, now
---@return fun(wanted: string[])  puts them back; `wanted`: the rows by then
function M.hold(buf, rows)
  local held = { buf = buf, rows = rows, views = {}, folds = {}, marks = marks_of(buf) } ---@type acp.HeldPlaces
  local put_selection_back = anchor.hold()
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    api.nvim_win_call(win, function()
      held.views[win] = vim.fn.winsaveview()
      held.folds[win] = closed_folds()
      vim.fn.winrestview(held.views[win])
    end)
  end
  return function(wanted)
    local by = { rows = rows, wanted = wanted, edits = rows == wanted and {} or diff.of_buffer(rows, wanted) }
    for win in pairs(held.views) do
      if api.nvim_win_is_valid(win) and api.nvim_win_get_buf(win) == buf then
        restore_window(held, win, by)
      end
    end
    for name, place in pairs(held.marks) do
      local row, column = moved_place(place, by)
      api.nvim_buf_set_mark(buf, name, row, column, {})
    end
    put_selection_back(function(selected_in, position)
      return selected_in == buf and { moved_place(position, by) } or position
    end)
  end
end

return M
