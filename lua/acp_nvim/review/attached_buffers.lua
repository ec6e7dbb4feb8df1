-- Finds the loaded buffers of files in review and follows them: every edit is attributed when it happens. What the user
-- types is the user's, what the documents room does for an agent is said by that room, `u` and `<C-r>` lead to a text
-- that is known.
--
-- A key costs a comparison of two lines. What else follows from an edit (signs, counts, events) is done once, when the
-- event loop turns, or before anybody asks: `settle`.
local changes = require("acp_nvim.documents.changes")
local diff = require("acp_nvim.documents.diff")
local disk_file = require("acp_nvim.review.disk_file")
local find = require("acp_nvim.documents.find")
local hunk_list = require("acp_nvim.review.hunk_list")
local limits = require("acp_nvim.limits")
local moments = require("acp_nvim.review.moments")
local refresh = require("acp_nvim.review.refresh")
local remember = require("acp_nvim.review.remember")
local reviewed_files = require("acp_nvim.review.reviewed_files")
local reviewed_text = require("acp_nvim.review.reviewed_text")
local session_store = require("acp_nvim.backend.session_store")
local signs = require("acp_nvim.review.signs")
local snapshots = require("acp_nvim.review.snapshots")
local text = require("acp_nvim.documents.text")
local turn_bases = require("acp_nvim.review.turn_bases")

local api = vim.api
local M = {}

---@class acp.FollowedBuffer  what has happened to a buffer since it was settled
---@field file acp.ReviewedFile
---@field seq integer       the state of the undo tree, as it was last known
---@field newest integer    of those: a new edit has a number that none has had before
---@field edits integer     how many since then
---@field stale? boolean    the text is to be compared with the buffer
---@field reread? boolean   Neovim has read the file again: what differs is no answer of the user's
---@field from integer      rows that have changed
---@field to integer
---@field scheduled? boolean
---@field shown? acp.Known   what was last drawn and told
---@field has_author? boolean  whoever edits it now says whose edits these are

local followed = {} ---@type table<integer, acp.FollowedBuffer> by buffer

local function file_of(buf)
  return followed[buf] and followed[buf].file
end

---@param buf integer
---@return integer
function M.undo_state(buf)
  return api.nvim_buf_call(buf, vim.fn.changenr)
end

-- Settling ------------------------------------------------------------------------------------------------------------

---@param buf integer
---@param one acp.FollowedBuffer
local function settle(buf, one)
  local file, seq = one.file, M.undo_state(buf)
  if one.stale then
    snapshots.take_lines(file.text, text.of_buffer(buf).lines, one.reread or false)
  end
  local is_same = not one.stale and moments.is_back(file.text.memory) -- by `u` and `<C-r>` at once
  local may_be_back = seq <= one.newest and (seq ~= one.seq or is_same)
  local is_back = may_be_back and reviewed_text.recall(file.text, seq)
  file.has_begun = file.has_begun or (is_back and reviewed_files.has_pending(file))
  if is_back or one.stale then
    one.from, one.to = 0, #file.text.lines
  end
  reviewed_text.remember(file.text, seq)
  one.seq, one.newest = seq, math.max(seq, one.newest)
  local from, to, before = one.from, one.to, one.shown
  one.shown = file.text.known
  one.edits, one.stale, one.reread, one.from, one.to = 0, nil, nil, math.huge, -1
  local first, last = hunk_list.near(reviewed_text.waiting(file.text), from, to)
  if before ~= one.shown or first <= last then
    refresh.file(file, from, to)
  end
end

--- Brings what is known up to date with all that has happened so far.
function M.settle()
  for buf, one in pairs(followed) do
    if (one.edits > 0 or one.stale) and api.nvim_buf_is_loaded(buf) and not changes.under_way(buf) then
      settle(buf, one)
    end
  end
end

---@param buf integer
---@param one acp.FollowedBuffer
local function settle_soon(buf, one)
  if not one.scheduled then
    one.scheduled = true
    vim.schedule(function()
      one.scheduled = nil
      if followed[buf] == one then
        M.settle()
      end
    end)
  end
end

-- Following -----------------------------------------------------------------------------------------------------------

--- Attributes one edit to the user.
---@param buf integer
---@param one acp.FollowedBuffer
---@param first integer
---@param last integer
---@param new_last integer
local function on_lines(buf, one, first, last, new_last)
  settle_soon(buf, one)
  one.edits = one.edits + 1
  if one.stale or one.edits > limits.EDITS_AT_ONCE or last > #one.file.text.lines then
    one.stale = true
    return
  end
  local lines = api.nvim_buf_get_lines(buf, first, new_last, false)
  if #lines <= 1 and (lines[1] or "") == "" and api.nvim_buf_line_count(buf) == 1 then
    one.stale = true -- the text may have no line at all
    return
  end
  reviewed_text.user(one.file.text, diff.refined(one.file.text.lines, { first, last, lines }))
  local growth = new_last - last
  one.from = math.min(one.from, first)
  one.to = math.max(one.to >= last and one.to + growth or one.to, new_last)
end

---@param buf integer
---@param one acp.FollowedBuffer
local function attach(buf, one)
  local function has_author()
    return one.has_author or changes.under_way(buf) ~= nil
  end
  local function compare_soon()
    one.stale = true
    settle_soon(buf, one)
  end
  api.nvim_buf_attach(buf, false, {
    on_lines = function(_, _, _, first, last, new_last)
      if followed[buf] ~= one then
        return true
      elseif not has_author() then
        on_lines(buf, one, first, last, new_last)
      end
    end,
    on_reload = function()
      if followed[buf] == one and not has_author() then
        one.reread = true
        compare_soon()
      end
    end,
    on_detach = function()
      if followed[buf] ~= one then
        return
      elseif not has_author() then
        return M.leave(buf)
      end
      vim.schedule(function() -- an autocommand has read the file again while it was written for an agent
        if followed[buf] == one and api.nvim_buf_is_loaded(buf) then
          attach(buf, one)
          compare_soon()
        end
      end)
    end,
  })
end

--- Follows the buffer of the file from now on.
---@param file acp.ReviewedFile
---@param buf integer
---@param is_known? boolean  the lines of the file are the buffer's
function M.follow(file, buf, is_known)
  local seq = M.undo_state(buf)
  local has_tree = #api.nvim_buf_call(buf, vim.fn.undotree).entries > 0 -- `:edit!` keeps it, `:bdelete` does not
  if file.last_buf ~= buf or not has_tree then
    reviewed_text.forget_moments(file.text)
  end
  if file.buf and file.buf ~= buf then
    M.leave(file.buf)
  end
  local one = { file = file, seq = seq, newest = seq, edits = 0, from = math.huge, to = -1 }
  followed[buf], file.buf = one, buf
  attach(buf, one)
  one.stale, one.reread = not is_known, true
  settle(buf, one)
  if not has_tree then
    reviewed_text.remember(file.text, 0) -- changenr() may still be that of the tree before, `u` goes to 0
  end
end

--- Leaves a buffer that is unloaded or has another name: the text of the file is what is on disk.
---@param buf integer
function M.leave(buf)
  local one = followed[buf]
  if not one then
    return
  end
  local file = one.file
  followed[buf], file.buf, file.last_buf = nil, nil, buf
  signs.clear(buf)
  refresh.gone(file, buf)
  vim.schedule(function()
    if not file.buf and not file.deleted and vim.v.exiting == vim.NIL then
      local found = disk_file.read(file.path, file.shape)
      snapshots.take_lines(file.text, found and found.lines or {}, true)
      refresh.file(file, 0, 0)
    end
  end)
end

--- Refreshes a file of which something was decided. One of which nothing is left to decide or to list leaves the
--- review, unless `u` in its buffer or a redo may bring a change back. What agents change in such a file begins anew.
---@param file acp.ReviewedFile
function M.refresh_or_leave(file)
  local is_over = reviewed_files.is_over(file)
  local may_come_back = file.undos > 0 or (file.buf and moments.has_pending(file.text.memory))
  if not is_over or may_come_back then
    file.has_begun = file.has_begun and not is_over
    return refresh.file(file, 0, -1)
  elseif file.buf then
    followed[file.buf] = nil
  end
  refresh.over(file)
  file.buf = nil
end

-- Edits whose maker says whose they are -------------------------------------------------------------------------------

--- Calls `fn`, which changes the text of the buffer; its caller says whose lines those are.
---@generic R
---@param buf integer
---@param fn fun(): R
---@return R
function M.without_attribution(buf, fn)
  local one = followed[buf]
  if one then
    one.has_author = true
  end
  local result = fn()
  if one and followed[buf] == one then
    one.has_author = nil
    one.edits = one.edits + 1
  end
  return result
end

--- Notes the rows of edits that were carried out in the file's text: marks beside them may not be where they were.
---@param file acp.ReviewedFile
---@param edits acp.Edit[]  rows before them
function M.note_rows(file, edits)
  local one = file.buf and followed[file.buf]
  if not one or #edits == 0 then
    return
  end
  local growth = 0
  for _, edit in ipairs(edits) do
    growth = growth + #edit[3] - (edit[2] - edit[1])
  end
  one.from = math.min(one.from, edits[1][1])
  one.to = math.max(one.to, edits[#edits][2] + growth, edits[#edits][2])
end

--- The text of the file is that of its buffer: all of its changes have been told.
---@param file acp.ReviewedFile
---@param marks_lost? boolean  marks may have lost their places
function M.in_step(file, marks_lost)
  local one = file.buf and followed[file.buf]
  if one then
    one.stale, one.reread = nil, nil
    if marks_lost then
      one.from, one.to = 0, math.huge
    end
    settle(file.buf, one)
  end
end

--- Compares the text of the file with its buffer, which may hold something else by now.
---@param file acp.ReviewedFile
function M.compare(file)
  local one = file.buf and followed[file.buf]
  if one and api.nvim_buf_is_loaded(file.buf) then
    one.stale = true
    settle(file.buf, one)
  end
end

--- Remembers what is known by now for the present state of the undo tree.
---@param file acp.ReviewedFile
function M.remember_state(file)
  local one = file.buf and followed[file.buf]
  if one then
    reviewed_text.remember(file.text, one.seq)
  end
end

-- Which buffers -------------------------------------------------------------------------------------------------------

--- Follows the buffer if it is that of a file in review, by its name of now.
---@param buf integer
local function meet(buf)
  local file = reviewed_files.by_name(buf)
  local before = file_of(buf)
  if before and before ~= file then
    M.leave(buf)
  end
  if not (file and find.is_file(buf)) then
    return
  elseif file.deleted and not vim.uv.fs_stat(file.path) then
    refresh.file(file, 0, 0) -- the buffer still has the text of the deleted file
  elseif not file.buf then
    snapshots.restore_undeleted(file)
    M.follow(file, buf)
  end
end

--- Follows the loaded buffer of a file that has come into review, if there is one.
---@param file acp.ReviewedFile
function M.meet(file)
  local buf = not file.buf and find.find(file.path)
  if buf then
    meet(buf)
  end
end

--- Takes a file along to where it was moved, with its buffer, which has been renamed: the file there has the same text,
--- and at the old place there is none. So it goes where a plugin follows `git mv`.
---@param buf integer
local function move_along(buf)
  local file, path = file_of(buf), find.resolve(api.nvim_buf_get_name(buf))
  if not file or reviewed_files.files[path] or vim.uv.fs_stat(file.path) then
    return
  end
  M.settle()
  local there, saved =
    disk_file.read(path, file.shape), vim.bo[buf].modified and snapshots.saved(file.text) or file.text
  if there and text.same_lines(there.lines, saved.lines) then
    remember.forget(file)
    reviewed_files.move(file, path)
    remember.note(file)
  end
end

local group = api.nvim_create_augroup("acp_nvim.review", {})

-- To write a deleted file is to bring it back.
api.nvim_create_autocmd({ "BufReadPost", "BufNewFile", "BufFilePost", "BufWritePost" }, {
  group = group,
  callback = function(event)
    if next(reviewed_files.files) == nil then
      return
    end
    if event.event == "BufFilePost" then
      move_along(event.buf)
      for _, file in pairs(reviewed_files.files) do
        if file.buf_of_deleted == event.buf then
          refresh.file(file, 0, 0) -- the buffer may have another name than the deleted file
        end
      end
    end
    local change = changes.under_way(event.buf)
    if change and event.event == "BufWritePost" and change.by and change.by.kind ~= "undo" then
      return -- the end of the change takes it up, with the text of before: here the agent's lines are in the buffer
    end
    meet(event.buf)
    local file = file_of(event.buf)
    local is_saved = event.event == "BufWritePost" and not vim.bo[event.buf].modified -- it comes after a failure, too
    if file and is_saved and not change then
      M.settle()
      snapshots.take(file.text, "saved")
      remember.note(file)
      for _, n in ipairs(session_store.numbers()) do
        turn_bases.save_in_turn(file.text, n, session_store.session(n).turn)
      end
    end
  end,
})

api.nvim_create_autocmd("BufUnload", {
  group = group,
  callback = function(event)
    if not changes.under_way(event.buf) then
      M.leave(event.buf)
    end
    for _, file in pairs(reviewed_files.files) do
      if file.buf_of_deleted == event.buf then
        file.buf_of_deleted = nil
        refresh.gone(file, event.buf)
      end
    end
  end,
})

return M
