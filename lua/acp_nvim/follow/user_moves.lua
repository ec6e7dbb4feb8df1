-- Tells whether the user has moved in a pinned window, or text edits have moved its view.
local window_choice = require("acp_nvim.follow.window_choice")

local api = vim.api
local M = {}

---@class acp.Seen
---@field buf integer
---@field cursor integer  extmarks: text edits shift them as they shift the window
---@field top integer
---@field column integer
---@field was_first boolean
---@field size string

local namespace = api.nvim_create_namespace("acp_nvim.follow")

---@param win integer
---@return string
local function size_of(win)
  return api.nvim_win_get_width(win) .. "x" .. api.nvim_win_get_height(win)
end

---@param win integer
---@return { lnum: integer, col: integer, topline: integer }
local function view_of(win)
  return api.nvim_win_call(win, function()
    -- 'scrolloff' may still move it: this makes it happen now
    vim.fn.line("w0")
    return vim.fn.winsaveview()
  end)
end

--- Sets a mark that moves with its line.
---@param buf integer
---@param line integer
---@return integer
local function mark(buf, line)
  local whole = { end_row = line, end_col = 0, strict = false, invalidate = true, undo_restore = false }
  return api.nvim_buf_set_extmark(buf, namespace, line - 1, 0, whole)
end

---@param seen? acp.Seen
function M.forget(seen)
  if seen and api.nvim_buf_is_loaded(seen.buf) then
    api.nvim_buf_del_extmark(seen.buf, namespace, seen.cursor)
    api.nvim_buf_del_extmark(seen.buf, namespace, seen.top)
  end
end

---@param win integer
---@return acp.Seen
function M.record(win)
  local buf, view = api.nvim_win_get_buf(win), view_of(win)
  return {
    buf = buf,
    cursor = mark(buf, view.lnum),
    top = mark(buf, view.topline),
    column = view.col,
    was_first = view.topline == 1,
    size = size_of(win),
  }
end

--- Whether the mark is on `line` now. True also for a deleted line, whose mark is gone or (0.10) empty.
---@param buf integer
---@param id integer
---@param line integer
---@return boolean
local function agrees(buf, id, line)
  local at = api.nvim_buf_get_extmark_by_id(buf, namespace, id, { details = true })
  return #at == 0 or at[3].end_row <= at[1] or line == math.min(at[1] + 1, api.nvim_buf_line_count(buf))
end

--- Whether the cursor is where it was left. An edit within its line may have moved its column.
---@param seen acp.Seen
---@param view { lnum: integer, col: integer }
---@return boolean
local function is_at_cursor(seen, view)
  local length = #api.nvim_buf_get_lines(seen.buf, view.lnum - 1, view.lnum, false)[1]
  return agrees(seen.buf, seen.cursor, view.lnum) and view.col == math.min(seen.column, math.max(0, length - 1))
end

--- Whether the top line is the one that was left. Another size of the window may have moved it.
---@param seen acp.Seen
---@param win integer
---@param view { topline: integer }
---@return boolean
local function is_at_top(seen, win, view)
  local still_first = seen.was_first and view.topline == 1
  return still_first or agrees(seen.buf, seen.top, view.topline) or size_of(win) ~= seen.size
end

--- Whether the user has moved in the window: it shows another place than it was given, text edits aside.
---@param seen acp.Seen
---@param win integer
---@return boolean
function M.was_moved(seen, win)
  if api.nvim_win_get_buf(win) ~= seen.buf or not window_choice.is_normal(win) then
    return true
  end
  local view = view_of(win)
  return not (is_at_cursor(seen, view) and is_at_top(seen, win, view))
end

return M
