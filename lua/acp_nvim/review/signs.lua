-- Draws the hunks of a loaded file. Each has an extmark over its lines, which moves with the text. The sign and the
-- removed lines have an extmark of their own: a sign of the range would stand beside each of its lines. Colours and
-- signs are drawn a moment later, and those of many hunks a few at a time.
local code_colours = require("acp_nvim.ui.code_colours")
local hunk_list = require("acp_nvim.review.hunk_list")
local limits = require("acp_nvim.limits")
local printable = require("acp_nvim.ui.printable")
require("acp_nvim.ui.highlight")

local api = vim.api
local M = {}

local SIGNS = { added = "┃", changed = "┃", deleted = "▁" }
local GROUPS = { added = "AcpReviewAddedSign", changed = "AcpReviewChangedSign", deleted = "AcpReviewRemovedSign" }

local namespace = api.nvim_create_namespace("acp_nvim.hunks")
local beside = api.nvim_create_namespace("acp_nvim.hunks.beside")

---@class acp.ShownHunks  of a buffer
---@field changes acp.AgentChange[]       those that have a mark
---@field at_end table<integer, true>     deleted behind the last line: the mark is on that line
---@field waiting table<integer, acp.AgentChange>  to be drawn

local shown = {} ---@type table<integer, acp.ShownHunks>
local hidden = {} ---@type table<integer, true>  buffers in which nothing is drawn: the marks alone stay
local scheduled = false

-- The colours of removed lines, by line from 0; none: they are being read.
local colours = setmetatable({}, { __mode = "k" }) ---@type table<acp.AgentChange, table<integer, acp.Span[]>>

--- A removed line as it can be shown between lines: tabs as wide as they were, control characters made visible.
local function visible(line, tabstop)
  line = #line > limits.REMOVED_LINE_BYTES
      and line:sub(1, limits.REMOVED_LINE_BYTES + vim.str_utf_end(line, limits.REMOVED_LINE_BYTES))
    or line
  return printable.visible(printable.expand(line, tabstop))
end

--- Parts a line where its colours change; of two for one byte the later counts.
---     "return 0", { 0, 6, "@keyword" }, { 7, 8, "@number" }   "return", " ", "0", and blanks up to the window's edge
---@param line string
---@param spans? acp.Span[]
---@return [string, string|string[]][]
local function virtual_line(line, spans)
  local chunks, by_byte, from = {}, {}, 1
  for _, span in ipairs(spans or {}) do
    for byte = span[1] + 1, math.min(span[2], #line) do
      by_byte[byte] = span[3]
    end
  end
  for byte = 1, spans and #line or 0 do
    if byte == #line or by_byte[byte + 1] ~= by_byte[from] then
      local hl = by_byte[from]
      chunks[#chunks + 1] = { line:sub(from, byte), hl and { "AcpReviewRemoved", hl } or "AcpReviewRemoved" }
      from = byte + 1
    end
  end
  local blanks = (" "):rep(vim.o.columns - vim.fn.strwidth(line))
  chunks[#chunks + 1] = { line:sub(from) .. blanks, "AcpReviewRemoved" }
  return chunks
end

---@param buf integer
---@param change acp.AgentChange
---@return [string, string|string[]][][]
local function virtual_lines(buf, change)
  local tabstop, lines = vim.bo[buf].tabstop, {}
  if change.note then
    return { virtual_line(change.note) }
  elseif change.had_newline ~= nil then
    return { virtual_line("no newline at end " .. (change.had_newline and "now" or "before")) }
  end
  for i = 1, math.min(#change.old, limits.REMOVED_LINES) do
    lines[i] = virtual_line(visible(change.old[i], tabstop), (colours[change] or {})[i - 1])
  end
  if #change.old > limits.REMOVED_LINES then
    lines[#lines + 1] = virtual_line(("… %d more"):format(#change.old - limits.REMOVED_LINES))
  end
  return lines
end

--- Above the first line there is room for virtual ones only where a window has scrolled up to it.
local function uncover(buf, count)
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    api.nvim_win_call(win, function()
      local view = vim.fn.winsaveview()
      if view.topline == 1 and view.topfill < count then
        vim.fn.winrestview({ topfill = math.min(count, api.nvim_win_get_height(win) - 1) })
      end
    end)
  end
end

--- Sets the mark of a change.
---@param buf integer
---@param change acp.AgentChange
---@param row integer  where its lines begin
---@param highlight? string
---@return integer row  of the mark
local function mark(buf, change, row, highlight)
  local count = api.nvim_buf_line_count(buf)
  local first = math.max(0, math.min(row, count))
  local options = { id = change.id, strict = false } ---@type vim.api.keyset.set_extmark
  if #change.new > 0 then
    options.end_row, options.end_col, options.end_right_gravity = math.min(first + #change.new, count), 0, false
    options.hl_group, options.hl_eol, options.priority = highlight, highlight and true, 90
  end
  shown[buf].at_end[change.id] = #change.new == 0 and first >= count or nil
  api.nvim_buf_set_extmark(buf, namespace, math.min(first, count - 1), 0, options)
  return math.min(first, count - 1)
end

--- The row in which the change begins, by its mark.
---@param buf integer
---@param id integer
---@return integer?  row from 0; nil: it has none
local function marked_row(buf, id)
  local row = api.nvim_buf_get_extmark_by_id(buf, namespace, id, {})[1]
  return row and row + (shown[buf].at_end[id] and 1 or 0)
end

local draw

--- Has the removed lines read in the buffer's language, and drawn again with its colours.
---@param buf integer
---@param change acp.AgentChange
local function colour(buf, change)
  local filetype, tabstop = vim.bo[buf].filetype, vim.bo[buf].tabstop
  if colours[change] or change.had_newline ~= nil or filetype == "" or #shown[buf].changes > limits.COLOURED_HUNKS then
    return
  end
  colours[change] = {}
  local lines = vim.tbl_map(function(line)
    return visible(line, tabstop)
  end, vim.list_slice(change.old, 1, limits.REMOVED_LINES))
  local text = table.concat(lines, "\n")
  if #text > limits.CODE_BYTES then
    return
  end
  code_colours.read(filetype, text, function(spans)
    colours[change] = spans
    local is_shown = shown[buf] and not hidden[buf] and vim.list_contains(shown[buf].changes, change)
    if is_shown and next(spans) and api.nvim_buf_is_loaded(buf) then
      draw(buf, change)
    end
  end)
end

---@param buf integer
---@param change acp.AgentChange
draw = function(buf, change)
  local row = marked_row(buf, change.id)
  if not row then
    return
  end
  local has_above = #change.old > 0 or change.note ~= nil
  local kind = change.note and "changed" or #change.new == 0 and "deleted" or #change.old == 0 and "added" or "changed"
  local look = { id = change.id, sign_text = SIGNS[kind], sign_hl_group = GROUPS[kind] }
  row = mark(buf, change, row, "AcpReviewAdded")
  local is_above = not shown[buf].at_end[change.id]
  if has_above then
    look.virt_lines, look.virt_lines_above = virtual_lines(buf, change), is_above
    colour(buf, change)
  end
  api.nvim_buf_set_extmark(buf, beside, row, 0, look)
  if row == 0 and has_above and is_above then
    uncover(buf, #look.virt_lines)
  end
end

local schedule

local function draw_some()
  scheduled = false
  local left = limits.HUNKS_AT_ONCE
  for buf, each in pairs(shown) do
    for id, change in pairs(api.nvim_buf_is_loaded(buf) and each.waiting or {}) do
      if left == 0 then
        return schedule()
      end
      left = left - 1
      each.waiting[id] = nil
      draw(buf, change)
    end
  end
end

--- Draws the next ones once the editor has had time for its user.
schedule = function()
  if not scheduled then
    scheduled = true
    vim.defer_fn(draw_some, 1)
  end
end

--- Marks a change, and has it drawn soon. The mark moves with the text.
local function put(buf, change, row)
  mark(buf, change, row)
  if not hidden[buf] then
    shown[buf].waiting[change.id] = change
    schedule()
  end
end

local function take_away(buf, id)
  shown[buf].waiting[id], shown[buf].at_end[id] = nil, nil
  api.nvim_buf_del_extmark(buf, namespace, id)
  api.nvim_buf_del_extmark(buf, beside, id)
end

--- Shows these changes, and no others.
---@param buf integer
---@param hunks acp.HunkList
---@param from integer  rows in which a mark may not be where its lines are: beside an edit they may end up elsewhere
---@param to integer
function M.show(buf, hunks, from, to)
  shown[buf] = shown[buf] or { changes = {}, at_end = {}, waiting = {} }
  local before, now = shown[buf].changes, hunks.changes
  local head, tail = hunk_list.in_common(#before, #now, function(i, k)
    return before[i] == now[k]
  end)
  local stays, had = {}, {} ---@type table<integer, true>, table<acp.AgentChange, true>
  for i = head + 1, #now - tail do
    stays[now[i].id] = true
  end
  for i = head + 1, #before - tail do
    had[before[i]] = true
    if not stays[before[i].id] then
      take_away(buf, before[i].id)
    end
  end
  for i = head + 1, #now - tail do
    if not had[now[i]] then
      put(buf, now[i], hunks.rows[i])
    end
  end
  shown[buf].changes = now
  local first, last = hunk_list.near(hunks, from, to)
  for i = first, last do
    if marked_row(buf, now[i].id) ~= hunks.rows[i] then
      put(buf, now[i], hunks.rows[i])
    end
  end
end

--- Shows in a buffer that still has the text of a deleted file that it is deleted.
---@param buf integer
---@param by_agent boolean
function M.show_deletion(buf, by_agent)
  local who = by_agent and "deleted by the agent" or "deleted"
  M.clear(buf)
  if not hidden[buf] then
    api.nvim_buf_set_extmark(buf, beside, 0, 0, {
      sign_text = SIGNS.deleted,
      sign_hl_group = GROUPS.deleted,
      virt_text = { { ("%s: :Acp undo brings it back"):format(who), "AcpReviewRemoved" } },
    })
  end
end

---@param buf integer
---@return boolean
function M.is_hidden(buf)
  return hidden[buf] ~= nil
end

--- Draws nothing in the buffer from now on, or draws these changes again.
---@param buf integer
---@param is_hidden boolean
---@param hunks? acp.HunkList
function M.set_hidden(buf, is_hidden, hunks)
  hidden[buf] = is_hidden or nil
  M.clear(buf)
  if hunks then
    M.show(buf, hunks, 0, -1)
  end
end

---@param buf integer
function M.clear(buf)
  shown[buf] = nil
  if api.nvim_buf_is_loaded(buf) then
    api.nvim_buf_clear_namespace(buf, namespace, 0, -1)
    api.nvim_buf_clear_namespace(buf, beside, 0, -1)
  end
end

return M
