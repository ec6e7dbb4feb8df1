-- Notes how a file in review is before a turn is undone in it: all that a redo has to bring back.
local bit = require("bit")
local snapshots = require("acp_nvim.review.snapshots")
local text = require("acp_nvim.documents.text")

local M = {}

---@class acp.FileBefore
---@field text acp.TextBefore
---@field shape? acp.FileShape  of the file on disk; nil: there is none
---@field saved? acp.Snapshot   what was saved, under unsaved lines
---@field missing string[]      folders above it that are not there, from the innermost on
---@field facts table           what review knows of the file beside its text

local FACTS = { "created", "deleted", "folders", "has_begun", "link", "made", "shape" }

---@param path string
---@return string[]
local function missing_folders(path)
  local list = {}
  for folder in vim.fs.parents(path) do
    if vim.uv.fs_stat(folder) then
      break
    end
    list[#list + 1] = folder
  end
  return list
end

---@param file acp.ReviewedFile
---@param buf? integer  which has the file; nil: there is no file
---@return acp.FileBefore
function M.look(file, buf)
  local before, stat = { text = snapshots.of(file.text), facts = {} }, vim.uv.fs_stat(file.path)
  for _, name in ipairs(FACTS) do
    before.facts[name] = file[name]
  end
  before.missing = missing_folders(file.path)
  before.saved = buf and vim.bo[buf].modified and file.text.snapshots.saved or nil
  if buf and stat then
    local bo = vim.bo[buf]
    before.shape = { ff = bo.fileformat, bomb = bo.bomb, fenc = bo.fileencoding, mode = bit.band(stat.mode, 4095) }
    before.shape.final = text.is_final(buf) and not text.is_void(buf)
  end
  return before
end

--- Says of the file what was known of it then.
---@param file acp.ReviewedFile
---@param before acp.FileBefore
function M.restore(file, before)
  for _, name in ipairs(FACTS) do
    file[name] = before.facts[name]
  end
end

return M
