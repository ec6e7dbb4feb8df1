-- Finds the loaded buffers of files in review: when a buffer is read, made, renamed, written or unloaded, and when a
-- file comes into review.
local attached_buffers = require("acp_nvim.review.attached_buffers")
local changes = require("acp_nvim.documents.changes")
local disk_file = require("acp_nvim.review.disk_file")
local find = require("acp_nvim.documents.find")
local refresh = require("acp_nvim.review.refresh")
local snapshots = require("acp_nvim.review.snapshots")
local state = require("acp_nvim.backend.session_store")
local store = require("acp_nvim.review.store")
local text = require("acp_nvim.documents.text")
local turn_bases = require("acp_nvim.review.turn_bases")

local api = vim.api
local M = {}

--- Follows the buffer if it is that of a file in review, by its name of now.
---@param buf integer
local function meet(buf)
  local file = store.by_name(buf)
  local followed = attached_buffers.file_of(buf)
  if followed and followed ~= file then
    attached_buffers.leave(buf)
  end
  if not (file and find.is_file(buf)) then
    return
  elseif file.deleted and not vim.uv.fs_stat(file.path) then
    refresh.file(file, 0, 0) -- the buffer still has the text of the deleted file
  elseif not file.buf then
    snapshots.restore_undeleted(file)
    attached_buffers.follow(file, buf)
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
  local file, path = attached_buffers.file_of(buf), find.resolve(api.nvim_buf_get_name(buf))
  if not file or store.files[path] or vim.uv.fs_stat(file.path) then
    return
  end
  attached_buffers.settle()
  local there, saved = disk_file.read(path), vim.bo[buf].modified and snapshots.saved(file.text) or file.text
  if there and text.same_lines(there.lines, saved.lines) then
    store.move(file, path)
  end
end

local group = api.nvim_create_augroup("acp_nvim.review", {})

-- To write a deleted file is to bring it back.
api.nvim_create_autocmd({ "BufReadPost", "BufNewFile", "BufFilePost", "BufWritePost" }, {
  group = group,
  callback = function(event)
    if next(store.files) == nil then
      return
    end
    if event.event == "BufFilePost" then
      move_along(event.buf)
      for _, file in pairs(store.files) do
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
    local file = attached_buffers.file_of(event.buf)
    local is_saved = event.event == "BufWritePost" and not vim.bo[event.buf].modified -- it comes after a failure, too
    if file and is_saved and not change then
      attached_buffers.settle()
      snapshots.take(file.text, "saved")
      for _, n in ipairs(state.numbers()) do
        turn_bases.save_in_turn(file.text, n, state.session(n).turn)
      end
    end
  end,
})

api.nvim_create_autocmd("BufUnload", {
  group = group,
  callback = function(event)
    if not changes.under_way(event.buf) then
      attached_buffers.leave(event.buf)
    end
    for _, file in pairs(store.files) do
      if file.buf_of_deleted == event.buf then
        file.buf_of_deleted = nil
        refresh.gone(file, event.buf)
      end
    end
  end,
})

return M
