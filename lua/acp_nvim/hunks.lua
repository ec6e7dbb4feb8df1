-- The hunks of a loaded file on the screen. An extmark over the lines of each knows at any time where the hunk is; another
-- has its sign and the removed lines. Many are drawn a few at a time.
local words = require("acp_nvim.ui.printable")
require("acp_nvim.ui.highlight")

local api = vim.api
local M = {}

local MOST_LINES = 100 -- of the removed ones are shown
local MOST_BYTES = 1000 -- of each
local AT_ONCE = 50 -- hunks that are drawn in one go
local SIGNS = { added = "┃", changed = "┃", deleted = "▁" }
local GROUPS = { added = "AcpReviewAddedSign", changed = "AcpReviewChangedSign", deleted = "AcpReviewRemovedSign" }

local namespace = api.nvim_create_namespace("acp_nvim.hunks")
local beside = api.nvim_create_namespace("acp_nvim.hunks.beside")
local waiting = {} ---@type table<integer, table<integer, acp.Hunk>>  by buffer and id: to be drawn
local hidden = {} ---@type table<integer, true>  buffers in which nothing is drawn: the marks alone stay
local scheduled = false

---@param hunk acp.Hunk
---@return "added"|"changed"|"deleted"
local function kind(hunk)
  return hunk.n == 0 and "deleted" or #hunk.old == 0 and "added" or "changed"
end

--- A removed line as it can be shown between lines: tabs as wide as they were, nothing that controls a screen.
---@param line string
---@param width integer
---@param tabstop integer
---@return string[][]
local function virtual_line(line, width, tabstop)
  line = #line > MOST_BYTES and line:sub(1, MOST_BYTES + vim.str_utf_end(line, MOST_BYTES)) or line
  line = words.visible(words.expand(line, tabstop))
  local gap = width - vim.fn.strwidth(line)
  return { { line .. (" "):rep(gap), "AcpReviewRemoved" } }
end

---@param buf integer
---@param hunk acp.Hunk
---@return string[][][]
local function virtual_lines(buf, hunk)
  local width, tabstop, lines = vim.o.columns, vim.bo[buf].tabstop, {}
  if hunk.note then
    return { virtual_line(hunk.note, width, tabstop) }
  end
  for i = 1, math.min(#hunk.old, MOST_LINES) do
    lines[i] = virtual_line(hunk.old[i], width, tabstop)
  end
  if #hunk.old > MOST_LINES then
    lines[#lines + 1] = virtual_line(("… %d more"):format(#hunk.old - MOST_LINES), width, tabstop)
  end
  return lines
end

--- Above the first line there is room for virtual ones only where a window has scrolled up to it.
---@param buf integer
---@param count integer
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

--- Where a mark of the hunk belongs: what is deleted at the end stands below the last line.
---@param buf integer
---@param hunk acp.Hunk
---@return integer row
---@return integer end_row
local function place(buf, hunk)
  local count = api.nvim_buf_line_count(buf)
  local first = math.max(0, math.min(hunk.first, count))
  hunk.below = hunk.n == 0 and first >= count
  return math.min(first, count - 1), math.min(first + hunk.n, count)
end

---@param buf integer
---@param hunk acp.Hunk
local function draw(buf, hunk)
  local row, end_row = place(buf, hunk)
  local options = { id = hunk.id, right_gravity = true, strict = false }
  if hunk.n > 0 then
    options.end_row, options.end_col, options.end_right_gravity = end_row, 0, false
    options.hl_group, options.hl_eol, options.priority = "AcpReviewAdded", true, 90
  end
  api.nvim_buf_set_extmark(buf, namespace, row, 0, options)
  local look = { id = hunk.id, sign_text = SIGNS[kind(hunk)], sign_hl_group = GROUPS[kind(hunk)] }
  if #hunk.old > 0 then
    look.virt_lines, look.virt_lines_above = virtual_lines(buf, hunk), not hunk.below
  end
  api.nvim_buf_set_extmark(buf, beside, row, 0, look)
  if row == 0 and #hunk.old > 0 and not hunk.below then
    uncover(buf, #look.virt_lines)
  end
end

local function draw_some()
  scheduled = false
  local left = AT_ONCE
  for buf, hunks in pairs(waiting) do
    for id, hunk in pairs(api.nvim_buf_is_loaded(buf) and hunks or {}) do
      if left == 0 then
        return M.schedule()
      end
      left = left - 1
      hunks[id] = nil
      hunk.first = M.first(buf, hunk)
      draw(buf, hunk)
    end
    waiting[buf] = nil
  end
end

--- The next ones, once the editor has had time for its user.
function M.schedule()
  if not scheduled then
    scheduled = true
    vim.defer_fn(draw_some, 1)
  end
end

---@param buf integer
---@param hunk acp.Hunk
---@return integer row  from 0
---@return boolean marked
function M.first(buf, hunk)
  local mark = api.nvim_buf_get_extmark_by_id(buf, namespace, hunk.id, {})
  if #mark == 0 then
    return hunk.first, false
  end
  return mark[1] + (hunk.below and 1 or 0), true
end

--- The hunks whose marks touch these rows, or the ones beside them.
---@param buf integer
---@param from integer  row from 0
---@param to integer    the last
---@return integer[] ids
function M.near(buf, from, to)
  local first, last = { math.max(0, from - 1), 0 }, { to + 1, -1 }
  local marks = api.nvim_buf_get_extmarks(buf, namespace, first, last, { overlap = true })
  return vim.tbl_map(function(mark)
    return mark[1]
  end, marks)
end

--- The hunk is at `hunk.first` from now on; its mark goes with the text at once, how it looks may take a moment.
---@param buf integer
---@param hunk acp.Hunk
function M.put(buf, hunk)
  local row, end_row = place(buf, hunk)
  local options = { id = hunk.id, strict = false } ---@type vim.api.keyset.set_extmark
  if hunk.n > 0 then
    options.end_row, options.end_col, options.end_right_gravity = end_row, 0, false
  end
  api.nvim_buf_set_extmark(buf, namespace, row, 0, options)
  if hunk.state == "pending" and not hidden[buf] then
    waiting[buf] = waiting[buf] or {}
    waiting[buf][hunk.id] = hunk
    M.schedule()
  elseif waiting[buf] then
    waiting[buf][hunk.id] = nil
  end
end

--- All of the file is gone, and this buffer still has its text.
---@param buf integer
---@param by_agent boolean
function M.show_deletion(buf, by_agent)
  local who = by_agent and "deleted by the agent" or "deleted"
  M.clear(buf)
  if hidden[buf] then
    return
  end
  api.nvim_buf_set_extmark(buf, beside, 0, 0, {
    sign_text = SIGNS.deleted,
    sign_hl_group = GROUPS.deleted,
    virt_text = { { ("%s: :Acp undo brings it back"):format(who), "AcpReviewRemoved" } },
  })
end

---@param buf integer
---@return boolean
function M.is_hidden(buf)
  return hidden[buf] ~= nil
end

--- Draws nothing in the buffer, or draws these again; their marks go on knowing where they are.
---@param buf integer
---@param is_hidden boolean
---@param list table<integer, acp.Hunk>
function M.set_hidden(buf, is_hidden, list)
  hidden[buf] = is_hidden or nil
  if not api.nvim_buf_is_loaded(buf) then
    return
  elseif is_hidden then
    waiting[buf] = nil
    api.nvim_buf_clear_namespace(buf, beside, 0, -1)
  end
  for _, hunk in pairs(list) do
    if hunk.state == "pending" then
      hunk.first = M.first(buf, hunk)
      M.put(buf, hunk)
    end
  end
end

---@param buf integer
---@param id integer
function M.take(buf, id)
  if waiting[buf] then
    waiting[buf][id] = nil
  end
  api.nvim_buf_del_extmark(buf, namespace, id)
  api.nvim_buf_del_extmark(buf, beside, id)
end

--- The buffer is gone. Its marks go with it, but for a `:edit!`: one that is not drawn yet would count as drawn.
---@param buf integer
function M.forget(buf)
  for id in pairs(api.nvim_buf_is_valid(buf) and waiting[buf] or {}) do
    api.nvim_buf_del_extmark(buf, namespace, id)
  end
  waiting[buf] = nil
end

---@param buf integer
function M.clear(buf)
  waiting[buf] = nil
  if api.nvim_buf_is_loaded(buf) then
    api.nvim_buf_clear_namespace(buf, namespace, 0, -1)
    api.nvim_buf_clear_namespace(buf, beside, 0, -1)
  end
end

return M
