-- Follows the lines of comments through the edits of their buffers. A comment whose lines are deleted stands at the
-- nearest line, and goes back to them where they appear again: by undo, or pasted elsewhere.
local marks = require("acp_nvim.comments.marks")
local place = require("acp_nvim.comments.place")
local store = require("acp_nvim.comments.store")
local subject = require("acp_nvim.comments.subject")

local api = vim.api
local M = {}

---@class acp.CommentedBuffer
---@field shown acp.Commentable
---@field comments acp.Comment[]
---@field places table<integer, table>  where they stood when they were drawn last, by id
---@field came? integer[]     rows that have been added since it was looked at: the first and the last
---@field is_due? boolean    it is looked at in a moment
---@field is_dirty? boolean  it has to be drawn
---@field is_stale? boolean  its comments have to be found by their text

local followed = {} ---@type table<integer, acp.CommentedBuffer>

---@param shown acp.Commentable
---@return acp.Comment[]
local function comments_in(shown)
  return vim.tbl_filter(function(comment)
    return subject.holds(shown, comment)
  end, store.all())
end

---@param buf integer
---@return string[]
local function text_of(buf)
  return api.nvim_buf_get_lines(buf, 0, -1, false)
end

--- Puts the comment on rows of the text.
---@param comment acp.Comment
---@param row integer   from 0
---@param count integer
local function put(comment, row, count)
  comment.first, comment.last, comment.moved = row + 1, row + count, false
end

--- The lines of the comment are gone: it stands at the nearest one.
---@param comment acp.Comment
---@param text string[]
local function lose(comment, text)
  local row = place.nearest(text, comment, comment.first - 1)
  comment.first, comment.last, comment.moved = row + 1, row + 1, true
end

--- Finds the lines of a comment in a text of which nobody knows how it came about.
---@param comment acp.Comment
---@param text string[]
function M.find_again(comment, text)
  if comment.side == "old" then
    return
  end
  local row = comment.first - 1
  local is_there = not comment.moved and vim.deep_equal(vim.list_slice(text, row + 1, comment.last), comment.lines)
  local found = not is_there and place.find(text, comment, row) or nil
  if found then
    put(comment, found, #comment.lines)
  elseif not is_there then
    lose(comment, text)
  end
end

--- Moves a comment through edits of a file that no buffer holds.
---@param comment acp.Comment
---@param edits acp.Edit[]  ascending and disjoint, in the rows of before
---@param text string[]     what the edits have made
function M.follow_edits(comment, edits, text)
  local first, last, is_rewritten = comment.first - 1, comment.last - 1, false
  for i = #edits, 1, -1 do
    local from, to, n = edits[i][1], edits[i][2], #edits[i][3]
    local is_covered
    first, last, is_covered = place.shift(first, last, from, to, n)
    is_rewritten = is_rewritten or (is_covered and n ~= to - from)
  end
  comment.first, comment.last = first + 1, last + 1
  if is_rewritten or comment.moved then
    M.find_again(comment, text)
  else
    comment.lines = vim.list_slice(text, comment.first, comment.last)
    comment.before, comment.after = text[comment.first - 1], text[comment.last + 1]
  end
end

--- Takes the text of the lines and their neighbours as they are now.
---@param buf integer
---@param comment acp.Comment
local function take_lines(buf, comment)
  if comment.side ~= "live" or comment.moved then
    return -- of a proposal the agent is told what it has proposed
  end
  local count = api.nvim_buf_line_count(buf)
  comment.last = math.min(comment.last, count)
  comment.first = math.min(comment.first, comment.last)
  local from = math.max(0, comment.first - 2)
  local around = api.nvim_buf_get_lines(buf, from, comment.last + 1, false)
  local at = comment.first - from
  comment.lines = vim.list_slice(around, at, at + comment.last - comment.first)
  comment.before, comment.after = around[at - 1], around[at + #comment.lines]
end

---@param comment acp.Comment
---@return table
local function place_of(comment)
  return { comment.first, comment.last, comment.at or false, comment.moved, comment.lines }
end

---@param buf integer
local function settle(buf)
  local each = followed[buf]
  if not each or not api.nvim_buf_is_loaded(buf) then
    return
  end
  local text, has_changed = each.is_stale and text_of(buf), each.is_stale or each.is_dirty
  each.is_due, each.is_stale, each.is_dirty, each.came = nil, nil, nil, nil
  for _, comment in ipairs(each.comments) do
    if text then
      M.find_again(comment, text)
    end
    take_lines(buf, comment)
    local now = place_of(comment)
    if not vim.deep_equal(each.places[comment.id], now) then
      has_changed = true
      if each.places[comment.id] then
        store.moved(comment)
      end
      each.places[comment.id] = now
    end
  end
  if has_changed then
    marks.draw(buf, each.comments)
  end
end

---@param buf integer
local function settle_soon(buf)
  local each = followed[buf]
  if each and not each.is_due then
    each.is_due = true
    vim.schedule(function()
      settle(buf)
    end)
  end
end

--- Finds the lines of a comment among rows that have come into the buffer.
---@param buf integer
---@param comment acp.Comment
---@param near integer
---@param from integer
---@param to integer  behind the last of these rows
---@return integer? row
local function find_in(buf, comment, near, from, to)
  local size = #comment.lines
  local first = math.max(0, from - size)
  local text = api.nvim_buf_get_lines(buf, first, to + size, false)
  local row = place.find(text, comment, near - first, from - first - size + 1, to - first - 1)
  return row and row + first
end

--- Moves a comment through an edit that replaces rows from..to-1 by n rows. `:move` and filters add lines first, and
--- then delete the old ones: so a deleted line is looked for among those that have come with the same command.
---@param buf integer
---@param each acp.CommentedBuffer
---@param comment acp.Comment
---@param from integer
---@param to integer
---@param n integer
local function shift(buf, each, comment, from, to, n)
  if comment.side == "old" then
    comment.at = place.shift(comment.at - 1, comment.at - 1, from, to, n) + 1
    return
  end
  local near = comment.first - 1
  local first, last, is_covered = place.shift(near, comment.last - 1, from, to, n)
  comment.first, comment.last = first + 1, last + 1
  local is_rewritten = is_covered and (to - from > 1 or n ~= 1)
  local found = n > 0 and (is_rewritten or comment.moved) and find_in(buf, comment, near, from, from + n)
  if not found and is_rewritten and each.came then
    found = find_in(buf, comment, near, each.came[1], each.came[2] + 1)
  end
  if found then
    put(comment, found, #comment.lines)
  elseif is_rewritten and n ~= to - from and not comment.moved then
    lose(comment, text_of(buf))
  end
end

---@param buf integer
---@param shown acp.Commentable
local function begin(buf, shown)
  ---@type acp.CommentedBuffer
  local each = { shown = shown, comments = comments_in(shown), places = {}, is_stale = true }
  local function is_over()
    return followed[buf] ~= each
  end
  followed[buf] = each
  api.nvim_buf_attach(buf, false, {
    on_lines = function(_, _, _, from, to, to_new)
      if is_over() then
        return true
      end
      local n = to_new - from
      if each.came then
        each.came = { place.shift(each.came[1], each.came[2], from, to, n) }
      end
      for _, comment in ipairs(each.comments) do
        shift(buf, each, comment, from, to, n)
      end
      if n > to - from then
        each.came = { from, from + n - 1 }
      end
      settle_soon(buf)
    end,
    on_reload = function()
      each.is_stale = true
      settle_soon(buf)
    end,
    on_detach = function()
      if not is_over() then
        followed[buf] = nil
        vim.schedule(function()
          M.meet(buf) -- it may have been read again
        end)
      end
    end,
  })
  settle_soon(buf)
end

--- Takes the comments of a buffer along that has been renamed to where its file was moved.
---@param each acp.CommentedBuffer
---@param shown? acp.Commentable
local function move_along(each, shown)
  local is_moved = shown and shown.path ~= each.shown.path and each.shown.side == "live" and shown.side == "live"
  if not is_moved or vim.uv.fs_lstat(each.shown.path) or not vim.uv.fs_lstat(shown.path) then
    return
  end
  for _, comment in ipairs(each.comments) do
    store.move(comment, shown.path)
  end
end

--- Follows the buffer if it has comments.
---@param buf integer
function M.meet(buf)
  if not api.nvim_buf_is_loaded(buf) then
    return
  end
  local shown, each = subject.of(buf), followed[buf]
  if each and vim.deep_equal(each.shown, shown) then
    return settle_soon(buf)
  end
  if each then
    move_along(each, shown)
  end
  followed[buf] = nil
  if shown and #comments_in(shown) > 0 then
    begin(buf, shown)
  elseif each then
    marks.draw(buf, {})
  end
end

--- Returns the comments of a buffer that stand in these lines.
---@param buf integer
---@param first integer  from 1
---@param last integer
---@return acp.Comment[]
function M.in_lines(buf, first, last)
  local count = api.nvim_buf_line_count(buf)
  return vim.tbl_filter(function(comment)
    local from, to = marks.rows(comment, count)
    return from < last and to >= first - 1
  end, followed[buf] and followed[buf].comments or {})
end

--- Brings what edits of this tick have moved up to date at once.
function M.settle()
  for buf, each in pairs(followed) do
    if each.is_due then
      settle(buf)
    end
  end
end

--- Returns the buffer that shows a comment's lines.
---@param comment acp.Comment
---@return integer?
function M.buffer_of(comment)
  for buf, each in pairs(followed) do
    if subject.holds(each.shown, comment) then
      return buf
    end
  end
end

local is_looking = false

--- Looks at all buffers: a comment is new, is another one, or is gone.
local function look_soon()
  if not is_looking then
    is_looking = true
    vim.schedule(function()
      is_looking = false
      vim.iter(api.nvim_list_bufs()):each(M.meet)
    end)
  end
end

store.on_change(function(comment, is_elsewhere)
  for buf, each in pairs(followed) do
    if subject.holds(each.shown, comment) then
      each.comments, each.is_dirty = comments_in(each.shown), true
      each.is_stale = each.is_stale or is_elsewhere
    end
  end
  look_soon()
end)

local group = api.nvim_create_augroup("acp_nvim.comments", {})

api.nvim_create_autocmd({ "BufReadPost", "BufNewFile", "BufFilePost", "BufWinEnter" }, {
  group = group,
  callback = function(event)
    M.meet(event.buf)
  end,
})

local function draw_all()
  for buf, each in pairs(followed) do
    each.is_dirty = true
    settle_soon(buf)
  end
end

api.nvim_create_autocmd("WinResized", { group = group, callback = draw_all })
api.nvim_create_autocmd("OptionSet", { group = group, pattern = "diff", callback = draw_all })

return M
