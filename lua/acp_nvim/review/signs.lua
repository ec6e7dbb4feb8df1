-- The hunks of a loaded file on the screen. An extmark over the lines of each goes with the text; another has its sign and
-- the removed lines. Many are drawn a few at a time.
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
---@class acp.Shown
---@field change acp.AgentChange
---@field below? boolean  deleted behind the last line: its mark is on that line

local shown = {} ---@type table<integer, table<integer, acp.Shown>>  by buffer and id: what has a mark
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
---@return boolean is_below
local function place(buf, hunk)
  local count = api.nvim_buf_line_count(buf)
  local first = math.max(0, math.min(hunk.first, count))
  return math.min(first, count - 1), math.min(first + hunk.n, count), hunk.n == 0 and first >= count
end

---@param buf integer
---@param hunk acp.Hunk
---@param first integer
local function draw(buf, hunk, first)
  local row, end_row, is_below = place(buf, vim.tbl_extend("force", hunk, { first = first }))
  local options = { id = hunk.id, right_gravity = true, strict = false }
  if hunk.n > 0 then
    options.end_row, options.end_col, options.end_right_gravity = end_row, 0, false
    options.hl_group, options.hl_eol, options.priority = "AcpReviewAdded", true, 90
  end
  api.nvim_buf_set_extmark(buf, namespace, row, 0, options)
  local look = { id = hunk.id, sign_text = SIGNS[kind(hunk)], sign_hl_group = GROUPS[kind(hunk)] }
  if #hunk.old > 0 then
    look.virt_lines, look.virt_lines_above = virtual_lines(buf, hunk), not is_below
  end
  api.nvim_buf_set_extmark(buf, beside, row, 0, look)
  if row == 0 and #hunk.old > 0 and not is_below then
    uncover(buf, #look.virt_lines)
  end
end

--- Where the mark says that the hunk is; nil: it has none.
---@param buf integer
---@param id integer
---@return integer?  row from 0
local function marked_row(buf, id)
  local mark, known = api.nvim_buf_get_extmark_by_id(buf, namespace, id, {}), shown[buf] and shown[buf][id]
  return mark[1] and mark[1] + (known and known.below and 1 or 0) or nil
end

local schedule

local function draw_some()
  scheduled = false
  local left = AT_ONCE
  for buf, hunks in pairs(waiting) do
    for id, hunk in pairs(api.nvim_buf_is_loaded(buf) and hunks or {}) do
      if left == 0 then
        return schedule()
      end
      left = left - 1
      hunks[id] = nil
      draw(buf, hunk, marked_row(buf, id) or hunk.first)
    end
    waiting[buf] = nil
  end
end

--- The next ones, once the editor has had time for its user.
schedule = function()
  if not scheduled then
    scheduled = true
    vim.defer_fn(draw_some, 1)
  end
end

--- The mark goes with the text from now on, how the hunk looks may take a moment.
---@param buf integer
---@param hunk acp.Hunk
local function put(buf, hunk)
  local row, end_row, is_below = place(buf, hunk)
  local options = { id = hunk.id, strict = false } ---@type vim.api.keyset.set_extmark
  if hunk.n > 0 then
    options.end_row, options.end_col, options.end_right_gravity = end_row, 0, false
  end
  api.nvim_buf_set_extmark(buf, namespace, row, 0, options)
  shown[buf][hunk.id] = { change = hunk.change, below = is_below or nil }
  if not hidden[buf] then
    waiting[buf] = waiting[buf] or {}
    waiting[buf][hunk.id] = hunk
    schedule()
  end
end

---@param buf integer
---@param id integer
local function take(buf, id)
  shown[buf][id] = nil
  if waiting[buf] then
    waiting[buf][id] = nil
  end
  api.nvim_buf_del_extmark(buf, namespace, id)
  api.nvim_buf_del_extmark(buf, beside, id)
end

--- These hunks are shown, and no others.
---@param buf integer
---@param hunks acp.Hunk[]
---@param from integer  rows in which a mark may not be where its hunk is: beside an edit they may end up elsewhere
---@param to integer
function M.show(buf, hunks, from, to)
  shown[buf] = shown[buf] or {}
  local wanted = {}
  for _, hunk in ipairs(hunks) do
    if hunk.state == "pending" then
      wanted[hunk.id] = true
      local mark = shown[buf][hunk.id]
      local is_doubtful = hunk.first + hunk.n >= from and hunk.first <= to
      if not mark or mark.change ~= hunk.change or (is_doubtful and marked_row(buf, hunk.id) ~= hunk.first) then
        put(buf, hunk)
      end
    end
  end
  for id in pairs(shown[buf]) do
    if not wanted[id] then
      take(buf, id)
    end
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

--- Draws nothing in the buffer, or draws these; their marks go on knowing where they are.
---@param buf integer
---@param is_hidden boolean
---@param hunks acp.Hunk[]
function M.set_hidden(buf, is_hidden, hunks)
  hidden[buf] = is_hidden or nil
  if not api.nvim_buf_is_loaded(buf) then
    return
  elseif is_hidden then
    waiting[buf] = nil
    api.nvim_buf_clear_namespace(buf, beside, 0, -1)
  end
  shown[buf] = nil
  M.show(buf, hunks, 0, 0)
end

---@param buf integer
function M.clear(buf)
  waiting[buf], shown[buf] = nil, nil
  if api.nvim_buf_is_loaded(buf) then
    api.nvim_buf_clear_namespace(buf, namespace, 0, -1)
    api.nvim_buf_clear_namespace(buf, beside, 0, -1)
  end
end

return M
