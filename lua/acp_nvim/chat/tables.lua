-- Draws the Markdown tables of a chat to its width. A table is laid out once it has come whole and is on the screen,
-- after the redraw; until then, and in the cursor's line, it stands as the agent has written it. The rows of the window
-- that a line takes anyway show the first rows of its cells, virtual lines below it the others. Where a line takes more
-- rows than its cells, those of the lines below it stand there, too, and these are hidden. Lines with long links are
-- drawn likewise.
--
-- The text of a message stays as it came: what is yanked, searched and exported is the agent's Markdown. Aligned text
-- in its place would have to choose one width for all windows, and its columns would move in the cursor's line, where
-- the marks of Markdown are shown.
local chats = require("acp_nvim.chat.buffer")
local ephemeral_marks = require("acp_nvim.chat.ephemeral_marks")
local fence_index = require("acp_nvim.chat.fence_index")
local limits = require("acp_nvim.limits")
local link_lines = require("acp_nvim.chat.link_lines")
local marks = require("acp_nvim.chat.marks")
local overlaid_rows = require("acp_nvim.chat.overlaid_rows")
local table_groups = require("acp_nvim.chat.table_groups")
local table_layout = require("acp_nvim.chat.table_layout")
local views = require("acp_nvim.chat.views")

local api = vim.api
local M = {}

local QUIET_MS = 120
local HIDES_LINES = vim.fn.has("nvim-0.11") == 1 -- extmarks of earlier ones cannot hide a line

---@class acp.DrawnTable
---@field bytes integer    the size of the table then: it grows
---@field columns integer  of the text; 0: nothing is drawn
---@field may_hide boolean
---@field rows? [string, string][][][]  of each line; none: the table is not drawn
---@field blank [string, string][]  a row of the window for which there is none
---@field begins integer[][]  of each line, see overlaid_rows.lua
---@field heights integer[]  rows of the window that are to be filled
---@field hides? boolean    some of its lines are hidden
---@field has_cursor? boolean  it is laid out otherwise around the cursor's line
---@field cursor? integer   row of the block that the cursor was in, if so
---@field lines table<integer, acp.OverlaidRow[]>  by row of the block: its rows

---@class acp.TableFit
---@field win integer
---@field columns integer  of the text; 0: the window shows lines as they came
---@field may_hide boolean  lines

---@class acp.WantedTable
---@field win integer
---@field chat acp.Chat
---@field buf integer
---@field id integer  of the block's extmark
---@field found acp.Table
---@field columns integer
---@field may_hide boolean

local wanted = {} ---@type table<acp.Table, acp.WantedTable>
local timer ---@type uv.uv_timer_t?

--- Lays the rows of a group over its first line and below it, and hides its other lines.
---@param want acp.WantedTable
---@param row integer  of the buffer
---@param group acp.LineGroup
---@param blank [string, string][]
---@param begins integer[]  none: the line stands as it is
---@return acp.OverlaidRow[]
local function lay_over(want, row, group, blank, begins)
  if #group.rows > #begins then
    local rest = vim.list_slice(group.rows, #begins + 1)
    api.nvim_buf_set_extmark(want.buf, marks.TABLES, row, 0, { virt_lines = rest })
  end
  for hidden = row + 1, row + group.last - group.first do
    api.nvim_buf_set_extmark(want.buf, marks.TABLES, hidden, 0, { end_row = hidden, conceal_lines = "" })
  end
  return overlaid_rows.of(begins, group.rows, blank, want.columns)
end

--- Whether the second line parts a heading from a body.
---@param lines string[]
---@return boolean
local function is_table(lines)
  return lines[2] ~= nil and lines[2]:find("^[%s>]*|[%s:|]*%-[%s:|%-]*$") ~= nil
end

--- The line of a table in which the cursor is, by row of the block. Every window sees the same: what the lines of the
--- table are replaced by is the buffer's.
---@param buf integer
---@param start integer
---@param found acp.Table
---@return integer?
local function cursor_in(buf, start, found)
  if api.nvim_get_current_buf() ~= buf then
    return nil
  end
  local row = api.nvim_win_get_cursor(0)[1] - 1 - start
  return row >= found.first and row <= found.last and row or nil
end

---@param buf integer
---@param start integer
---@param found acp.Table
---@return integer
local function bytes_of(buf, start, found)
  return api.nvim_buf_get_offset(buf, start + found.last + 1) - api.nvim_buf_get_offset(buf, start + found.first)
end

---@param drawn acp.DrawnTable
---@param fit acp.TableFit|acp.WantedTable
---@param bytes integer
---@return boolean
local function is_as_wanted(drawn, fit, bytes)
  return drawn.bytes == bytes and drawn.columns == fit.columns and drawn.may_hide == fit.may_hide
end

--- Lays out a line with a long link. Nothing is kept in the buffer, where rows of a table may stand above the line.
---@param want acp.WantedTable
---@param row integer
---@param line? string
---@return acp.OverlaidRow[]?
local function lay_out_link(want, row, line)
  local rows = line and link_lines.rows(line, want.columns)
  local begins = rows and overlaid_rows.beginnings(want.win, row, want.columns)
  return rows and #rows <= #begins and overlaid_rows.of(begins, rows, {}, want.columns) or nil
end

--- Measures a table: the rows of each line, and where the rows of the window begin that the line takes anyway.
---@param want acp.WantedTable
---@param first integer  row of the buffer
---@param lines string[]
---@param drawn acp.DrawnTable
local function measure(want, first, lines, drawn)
  local rows, blank = nil, nil
  if is_table(lines) then
    rows, blank = table_layout.of(lines, want.columns, want.may_hide)
  end
  drawn.rows, drawn.begins, drawn.heights = rows or {}, {}, {}
  for index, of_line in ipairs(drawn.rows) do
    drawn.begins[index] = overlaid_rows.beginnings(want.win, first + index - 1, want.columns)
    drawn.heights[index] = want.may_hide and #drawn.begins[index] or 0
    drawn.hides = drawn.hides or #of_line < drawn.heights[index]
    drawn.has_cursor = drawn.has_cursor or drawn.hides or #of_line > #drawn.begins[index]
  end
  drawn.blank = not drawn.hides and blank or {}
end

--- Places the rows of a table that has been measured.
---@param want acp.WantedTable
---@param start integer  row of the block
---@param drawn acp.DrawnTable
local function place(want, start, drawn)
  local first = want.found.first
  drawn.cursor = drawn.has_cursor and cursor_in(want.buf, start, want.found) or nil
  local cursor = drawn.cursor and drawn.cursor - first + 1
  for _, group in ipairs(table_groups.of(drawn.rows, drawn.heights, cursor)) do
    local row = first + group.first - 1
    local begins = group.first == cursor and {} or drawn.begins[group.first]
    drawn.lines[row] = lay_over(want, start + row, group, drawn.blank, begins)
  end
end

---@param want acp.WantedTable
local function lay_out(want)
  local found, start = want.found, marks.row(want.chat, want.id)
  if not start or start + found.last >= api.nvim_buf_line_count(want.buf) then
    return
  end
  local first, bytes = start + found.first, bytes_of(want.buf, start, found)
  local kept = found.drawn
  local is_measured = kept and kept.rows and is_as_wanted(kept, want, bytes) -- only the cursor has moved
  local is_small = bytes <= limits.TABLE_BYTES and not is_measured
  local lines = is_small and api.nvim_buf_get_lines(want.buf, first, start + found.last + 1, false) or {}
  local drawn = is_measured and kept or { bytes = bytes, columns = want.columns, may_hide = want.may_hide }
  drawn.lines, found.drawn = {}, drawn
  if found.is_link then
    drawn.lines[found.first] = lay_out_link(want, first, lines[1])
    return
  end
  api.nvim_buf_clear_namespace(want.buf, marks.TABLES, first, start + found.last + 1)
  if not is_measured then
    measure(want, first, lines, drawn)
  end
  place(want, start, drawn)
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

--- The window for which tables are laid out: the narrowest on the screen. A wider one shows the first lines of tables
--- as they came, so no line may be hidden beside it.
---@param buf integer
---@return acp.TableFit
local function fit_of(buf)
  local fit = { win = 0, columns = math.huge, may_hide = HIDES_LINES }
  for _, win in ipairs(api.nvim_tabpage_list_wins(0)) do
    if api.nvim_win_get_buf(win) == buf then
      local info = vim.fn.getwininfo(win)[1]
      local columns = info.width - info.textoff
      fit.may_hide = fit.may_hide and (fit.win == 0 or columns == fit.columns)
      if columns < fit.columns then
        fit.win, fit.columns = win, columns
      end
    end
  end
  fit.columns = vim.wo[fit.win].conceallevel > 0 and fit.columns or 0
  return fit
end

--- Notes that a table is on the screen. One that still grows waits until nothing has come for a moment.
---@param view acp.Drawn
---@param block acp.Block
---@param found acp.Table
---@param fit acp.TableFit
---@param is_whole boolean
local function want_layout(view, block, found, fit, is_whole)
  local is_heading = found.last == found.first and not found.is_link
  if wanted[found] or is_heading or found.last - found.first >= limits.TABLE_ROWS then
    return
  end
  wanted[found] = {
    win = fit.win,
    chat = view.chat,
    buf = view.buf,
    id = block.id,
    found = found,
    columns = fit.columns,
    may_hide = fit.may_hide,
  }
  timer = timer or assert(vim.uv.new_timer())
  if is_whole or not timer:is_active() then
    timer:start(is_whole and 0 or QUIET_MS, 0, vim.schedule_wrap(work))
  end
end

--- Whether a table stands as it was laid out last.
---@param view acp.Drawn
---@param block acp.Block
---@param found acp.Table
---@param fit acp.TableFit
---@return boolean
local function is_laid_out(view, block, found, fit)
  local drawn = found.drawn
  if not drawn or not is_as_wanted(drawn, fit, bytes_of(view.buf, block.row, found)) then
    return false
  end
  return not drawn.has_cursor or drawn.cursor == cursor_in(view.buf, block.row, found)
end

--- Looks at the tables in the block's rows first..last before they are drawn.
---@param view acp.Drawn
---@param block acp.Block
---@param first integer
---@param last integer
function M.prepare(view, block, first, last)
  -- One that ends above has its rows above the first line of the window.
  local fences, row = block.mark.fences, math.max(0, first - block.row - 1)
  local fit = #fences.tables > 0 and fit_of(view.buf)
  while fit and row <= last - block.row do
    local found = fence_index.table_at(fences, row)
    local is_whole = found ~= nil and fences.scanned > found.last + 1
    if found and not is_laid_out(view, block, found, fit) then
      want_layout(view, block, found, fit, is_whole)
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
