-- The loaded buffers of files in review: every edit is attributed as it happens. What the user types is the user's; what
-- the documents room does for an agent is the agent's; `u` and `<C-r>` go to a text that is known.
--
-- A key costs a comparison of two lines. What else follows from an edit (signs, counts, events) is done once, when the
-- event loop turns, or before anybody asks: `settle`.
local limits = require("acp_nvim.limits")
local attribution = require("acp_nvim.review.attribution")
local changes = require("acp_nvim.documents.changes")
local disk_file = require("acp_nvim.review.disk_file")
local find = require("acp_nvim.documents.find")
local diff = require("acp_nvim.documents.diff")
local pending_changes = require("acp_nvim.review.pending_changes")
local undo_memory = require("acp_nvim.review.undo_memory")
local text = require("acp_nvim.documents.text")
local refresh = require("acp_nvim.review.refresh")
local signs = require("acp_nvim.review.signs")
local store = require("acp_nvim.review.store")

local api = vim.api
local M = {}

---@class acp.FollowedBuffer  what has happened to a followed buffer since it was settled
---@field file acp.ReviewedFile
---@field seq integer       the state of the undo tree, as it was last known
---@field newest integer    of those: a new edit has a number that none has had before
---@field edits integer     how many since then
---@field stale? boolean    the lines are to be compared with the buffer's
---@field reread? boolean   Neovim has read the file again: these lines are nobody's answer
---@field from integer      rows that have changed
---@field to integer
---@field scheduled? boolean
---@field shown? acp.Known   what was last told everybody
---@field deaf? boolean     undo of hunks tells what it does

local followers = {} ---@type table<integer, acp.FollowedBuffer> by buffer

---@param buf integer
---@return integer
function M.undo_state(buf)
  return api.nvim_buf_call(buf, vim.fn.changenr)
end

---@param file acp.ReviewedFile
---@param lines? string[]  nil: those of now
function M.remember_saved(file, lines)
  file.saved = { lines = lines or vim.list_slice(file.text.lines), known = file.text.known }
end

--- The text has become `lines`, and nobody has told how.
---@param file acp.ReviewedFile
---@param lines string[]
---@param is_reread boolean  from the disk
function M.became(file, lines, is_reread)
  local edits = diff.edits(file.text.lines, lines)
  if #edits > 0 and is_reread and file.saved and #diff.edits(file.saved.lines, lines) == 0 then
    undo_memory.restore(file.text, lines, file.saved.known)
  else
    pending_changes.user(file.text, edits, not is_reread)
  end
end

---@param buf integer
---@param one acp.FollowedBuffer
local function settle(buf, one)
  local file, seq = one.file, M.undo_state(buf)
  local is_back = seq ~= one.seq and seq <= one.newest and undo_memory.recall(file.text, seq)
  if is_back and one.stale then
    file.text.lines = text.of_buffer(buf).lines
  elseif one.stale then
    M.became(file, text.of_buffer(buf).lines, one.reread or false)
  end
  if is_back or one.stale then
    one.from, one.to = 0, #file.text.lines
  end
  undo_memory.remember(file.text, seq)
  one.seq, one.newest = seq, math.max(seq, one.newest)
  local from, to, was = one.from, one.to, one.shown
  one.shown = file.text.known
  one.edits, one.stale, one.reread, one.from, one.to = 0, nil, nil, math.huge, -1
  local blocks = file.text.known.blocks
  local first, last = attribution.near(blocks, from, to)
  if was ~= one.shown or first <= last then
    refresh.file(file, from, to)
  end
end

--- Everything that has happened so far is known then.
function M.settle()
  for buf, one in pairs(followers) do
    if (one.edits > 0 or one.stale) and api.nvim_buf_is_loaded(buf) and not changes.under_way(buf) then
      settle(buf, one)
    end
  end
end

---@param buf integer
---@param one acp.FollowedBuffer
local function schedule(buf, one)
  if not one.scheduled then
    one.scheduled = true
    vim.schedule(function()
      one.scheduled = nil
      if followers[buf] == one then
        M.settle()
      end
    end)
  end
end

---@param buf integer
---@param one acp.FollowedBuffer
---@param first integer
---@param last integer
---@param new_last integer
local function on_lines(buf, one, first, last, new_last)
  schedule(buf, one)
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
  pending_changes.user(one.file.text, diff.refined(one.file.text.lines, { first, last, lines }))
  local growth = new_last - last
  one.from = math.min(one.from, first)
  one.to = math.max(one.to >= last and one.to + growth or one.to, new_last)
end

---@param buf integer
---@param one acp.FollowedBuffer
local function attach(buf, one)
  api.nvim_buf_attach(buf, false, {
    on_lines = function(_, _, _, first, last, new_last)
      if followers[buf] ~= one then
        return true
      elseif not (one.deaf or changes.under_way(buf)) then
        on_lines(buf, one, first, last, new_last)
      end
    end,
    on_reload = function()
      if followers[buf] == one and not (one.deaf or changes.under_way(buf)) then
        one.stale, one.reread = true, true
        schedule(buf, one)
      end
    end,
    on_detach = function()
      if followers[buf] == one and not (one.deaf or changes.under_way(buf)) then
        M.leave(buf)
      elseif followers[buf] == one then
        vim.schedule(function()
          if followers[buf] == one and api.nvim_buf_is_loaded(buf) then
            attach(buf, one)
            one.stale = true
            schedule(buf, one)
          end
        end)
      end
    end,
  })
end

--- The buffer is that of the file, and is followed from now on.
---@param file acp.ReviewedFile
---@param buf integer
---@param is_known? boolean  the lines of the file are the buffer's
function M.follow(file, buf, is_known)
  local seq = M.undo_state(buf)
  local has_tree = #api.nvim_buf_call(buf, vim.fn.undotree).entries > 0 -- `:edit!` keeps it, `:bdelete` does not
  if file.last_buf ~= buf or not has_tree then
    undo_memory.forget(file.text)
  end
  if file.buf and file.buf ~= buf then
    M.leave(file.buf)
  end
  local one = { file = file, seq = seq, newest = seq, edits = 0, from = math.huge, to = -1 }
  followers[buf], file.buf = one, buf
  attach(buf, one)
  one.stale, one.reread = not is_known, true
  settle(buf, one)
  if not has_tree then
    undo_memory.remember(file.text, 0) -- changenr() may still be that of the tree before, `u` goes to 0
  end
end

---@param file acp.ReviewedFile
local function read_disk(file)
  if not file.buf and not file.deleted and vim.v.exiting == vim.NIL then
    local found = disk_file.read(file.path)
    M.became(file, found and found.lines or {}, true)
    refresh.file(file, 0, 0)
  end
end

--- The buffer is gone, or that of the file no longer: the text is what is on disk.
---@param buf integer
function M.leave(buf)
  local one = followers[buf]
  if one then
    local file = one.file
    followers[buf], file.buf = nil, nil
    file.last_buf = buf
    signs.clear(buf)
    refresh.gone(file, buf)
    vim.schedule(function()
      read_disk(file)
    end)
  end
end

--- `fn` changes the text of the followed buffer, and says itself whose lines those are.
---@generic R
---@param buf integer
---@param fn fun(): R
---@return R
function M.deafly(buf, fn)
  local one = followers[buf]
  if one then
    one.deaf = true
  end
  local result = fn()
  if one and followers[buf] == one then
    one.deaf = nil
    one.edits = one.edits + 1
  end
  return result
end

--- These edits have been carried out in the file's text: marks beside them may not be where they were.
---@param file acp.ReviewedFile
---@param edits acp.Edit[]  rows before them
function M.touched(file, edits)
  local one = file.buf and followers[file.buf]
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

--- What the documents room has done to the buffer is known by now.
---@param file acp.ReviewedFile
---@param anew? boolean  marks may have lost their places
function M.settled(file, anew)
  local one = file.buf and followers[file.buf]
  if one then
    one.stale, one.reread = nil, nil
    if anew then
      one.from, one.to = 0, math.huge
    end
    settle(file.buf, one)
  end
end

--- The buffer may hold something else by now.
---@param file acp.ReviewedFile
function M.compare(file)
  local one = file.buf and followers[file.buf]
  if one and api.nvim_buf_is_loaded(file.buf) then
    one.stale = true
    settle(file.buf, one)
  end
end

--- Nothing of the file is left to decide, or to list.
---@param file acp.ReviewedFile
function M.drop(file)
  if file.buf then
    followers[file.buf] = nil
  end
  refresh.over(file)
  file.buf = nil
end

--- What is known at the present state of the undo tree is another by now.
---@param file acp.ReviewedFile
function M.note_state(file)
  local one = file.buf and followers[file.buf]
  if one then
    undo_memory.remember(file.text, one.seq)
  end
end

---@param buf integer
---@return boolean
local function is_file(buf)
  local kind = api.nvim_buf_is_loaded(buf) and vim.bo[buf].buftype
  return kind == "" or kind == "acwrite"
end

--- A buffer is there, or has another name.
---@param buf integer
local function meet(buf)
  local real, file = store.find(api.nvim_buf_get_name(buf))
  local one = followers[buf]
  if one and one.file ~= file then
    M.leave(buf)
  end
  if not (file and is_file(buf)) then
    return
  elseif
    file.deleted and not vim.uv.fs_stat(real --[[@as string]])
  then
    refresh.file(file, 0, 0)
  elseif not file.buf then
    M.come_back(file)
    M.follow(file, buf)
  end
end

--- Somebody has made the deleted file again: what was known of it before holds, and nobody decides on the deletion.
---@param file acp.ReviewedFile
function M.come_back(file)
  if file.deleted then
    file.deleted = false
    undo_memory.restore(file.text, vim.list_slice(file.undeleted.lines), file.undeleted.known)
  end
end

--- The loaded buffer of a file that has come into review.
---@param file acp.ReviewedFile
function M.meet_loaded(file)
  local buf = not file.buf and find.find(file.path)
  if buf then
    meet(buf)
  end
end

local group = api.nvim_create_augroup("acp_nvim.review", {})

-- To write a deleted file is to bring it back.
api.nvim_create_autocmd({ "BufReadPost", "BufNewFile", "BufFilePost", "BufWritePost" }, {
  group = group,
  callback = function(event)
    if next(store.files) then
      meet(event.buf)
      local one = followers[event.buf]
      if one and event.event == "BufWritePost" and not changes.under_way(event.buf) then
        M.settle()
        M.remember_saved(one.file)
      end
    end
  end,
})

api.nvim_create_autocmd("BufUnload", {
  group = group,
  callback = function(event)
    if followers[event.buf] and not changes.under_way(event.buf) then
      M.leave(event.buf)
    end
    for _, file in pairs(store.files) do
      if file.left == event.buf then
        file.left = nil
        refresh.gone(file, event.buf)
      end
    end
  end,
})

return M
