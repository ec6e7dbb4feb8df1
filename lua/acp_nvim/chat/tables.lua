-- Draws the Markdown tables of a chat to its width. A table is laid out once it has come whole and is on the screen, after
-- the redraw; until then, and in the cursor's line, it stands as the agent has written it. The rows of the window that a
-- line takes anyway show the first rows of its cells, virtual lines below it the others.
local chats = require("acp_nvim.chat.buffer")
local ephemeral_marks = require("acp_nvim.chat.ephemeral_marks")
local fence_index = require("acp_nvim.chat.fence_index")
local limits = require("acp_nvim.limits")
local marks = require("acp_nvim.chat.marks")
local table_layout = require("acp_nvim.chat.table_layout")
local views = require("acp_nvim.chat.views")

local api = vim.api
local M = {}

local QUIET_MS = 120

---@class acp.DrawnTable
---@field last integer     the table's last row then
---@field columns integer  of the text
---@field lines table<integer, { col: integer, chunks: [string, string][] }[]>  by row of the block: its rows

---@class acp.WantedTable
---@field win integer
---@field chat acp.Chat
---@field buf integer
---@field id integer  of the block's extmark
---@field found acp.Table
---@field columns integer

local wanted = {} ---@type table<acp.Table, acp.WantedTable>
local timer ---@type uv.uv_timer_t?

--- The bytes with which the rows of a line begin in a window. A virtual column counts the cells that Neovim leaves empty
--- where it breaks a line.
---     20 columns, "| a cell | a long cell which wraps |": 0, 16
---@param want acp.WantedTable
---@param row integer
---@return integer[]
local function beginnings(want, row)
  local begins = { 0 }
  local height = api.nvim_win_text_height(want.win, { start_row = row, end_row = row, start_vcol = 0 }).all
  for wrapped = 1, height - 1 do
    begins[wrapped + 1] = vim.fn.virtcol2col(want.win, row + 1, wrapped * want.columns + 1) - 1
  end
  return begins
end

--- A row that covers what stands below it.
---@param chunks [string, string][]
---@param columns integer
---@return [string, string][]
local function filled(chunks, columns)
  local width = 0
  for _, chunk in ipairs(chunks) do
    width = width + api.nvim_strwidth(chunk[1])
  end
  return vim.list_extend({ unpack(chunks) }, { { (" "):rep(columns - width), "AcpTool" } })
end

---@param want acp.WantedTable
---@param row integer
---@param rows [string, string][][]
---@param blank [string, string][]
---@return { col: integer, chunks: [string, string][] }[]
local function place(want, row, rows, blank)
  local list = {}
  local begins = beginnings(want, row)
  for index, col in ipairs(begins) do
    list[index] = { col = col, chunks = filled(rows[index] or blank, want.columns) }
  end
  if #rows > #begins then
    api.nvim_buf_set_extmark(want.buf, marks.TABLES, row, 0, { virt_lines = vim.list_slice(rows, #begins + 1) })
  end
  return list
end

--- Whether the second line parts a heading from a body.
---@param lines string[]
---@return boolean
local function is_table(lines)
  return lines[2] ~= nil and lines[2]:find("^%s*|[%s:|]*%-[%s:|%-]*$") ~= nil
end

---@param want acp.WantedTable
local function lay_out(want)
  local found, start = want.found, marks.row(want.chat, want.id)
  if not start then
    return
  end
  local first, last = start + found.first, start + found.last
  if last >= api.nvim_buf_line_count(want.buf) then
    return
  end
  local bytes = api.nvim_buf_get_offset(want.buf, last + 1) - api.nvim_buf_get_offset(want.buf, first)
  local lines = bytes <= limits.TABLE_BYTES and api.nvim_buf_get_lines(want.buf, first, last + 1, false) or {}
  local drawn = { last = found.last, columns = want.columns, lines = {} } ---@type acp.DrawnTable
  found.drawn = drawn
  api.nvim_buf_clear_namespace(want.buf, marks.TABLES, first, last + 1)
  local laid_out, blank = nil, nil
  if is_table(lines) then
    laid_out, blank = table_layout.of(lines, want.columns)
  end
  for index, rows in ipairs(laid_out or {}) do
    local row = found.first + index - 1
    drawn.lines[row] = place(want, start + row, rows, blank or {})
  end
end

---@param win integer
---@param list acp.WantedTable[]
local function lay_out_all(win, list)
  local buf, chat = list[1].buf, list[1].chat
  if chats.of_buffer(buf) ~= chat or not api.nvim_win_is_valid(win) or api.nvim_win_get_buf(win) ~= buf then
    return
  end
  local followers, readers = views.split(buf)
  for _, want in ipairs(list) do
    lay_out(want)
  end
  views.keep(buf, chat.asks == true, followers, readers)
  api.nvim__redraw({ buf = buf, valid = false, flush = false })
end

local function work()
  local by_window = {} ---@type table<integer, acp.WantedTable[]>
  for _, want in pairs(wanted) do
    by_window[want.win] = by_window[want.win] or {}
    table.insert(by_window[want.win], want)
  end
  wanted = {}
  for win, list in pairs(by_window) do
    lay_out_all(win, list)
  end
end

--- Notes that a table is on the screen. One that still grows waits until nothing has come for a moment.
---@param view acp.Drawn
---@param block acp.Block
---@param found acp.Table
---@param is_whole boolean
local function want_layout(view, block, found, is_whole)
  if wanted[found] or found.last == found.first or found.last - found.first >= limits.TABLE_ROWS then
    return
  end
  wanted[found] = {
    win = view.win,
    chat = view.chat,
    buf = view.buf,
    id = block.id,
    found = found,
    columns = view.columns,
  }
  timer = timer or assert(vim.uv.new_timer())
  if is_whole or not timer:is_active() then
    timer:start(is_whole and 0 or QUIET_MS, 0, vim.schedule_wrap(work))
  end
end

--- Looks at the tables in the block's rows first..last before they are drawn.
---@param view acp.Drawn
---@param block acp.Block
---@param first integer
---@param last integer
function M.prepare(view, block, first, last)
  local fences, row = block.mark.fences, first - block.row
  local is_narrowest = view.columns == view.chat.columns -- a table is laid out for one width
  while #fences.tables > 0 and view.conceals and is_narrowest and row <= last - block.row do
    local found = fence_index.table_at(fences, row)
    local drawn = found and found.drawn
    if found and not (drawn and drawn.last == found.last and drawn.columns == view.columns) then
      want_layout(view, block, found, fences.scanned > found.last + 1)
    end
    row = found and found.last + 1 or row + 1
  end
end

--- Draws a row of a table that has been laid out.
---@param view acp.Drawn
---@param block acp.Block
---@param row integer
---@return boolean drawn
function M.paint(view, block, row)
  local found = fence_index.table_at(block.mark.fences, row - block.row)
  local drawn = found and found.drawn
  local rows = drawn and drawn.columns == view.columns and drawn.lines[row - block.row] or {}
  for _, part in ipairs(rows) do
    ephemeral_marks.over(view.buf, row, part.col, part.chunks)
  end
  return #rows > 0
end

return M
