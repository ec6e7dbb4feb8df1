-- Puts back what stood at a path beside its lines, and takes such an undo back.
local api = vim.api
local backend_reports = require("acp_nvim.review.backend_reports")
local diff = require("acp_nvim.documents.diff")
local disk_file = require("acp_nvim.review.disk_file")
local file_timestamp = require("acp_nvim.documents.file_timestamp")
local find = require("acp_nvim.documents.find")
local reviewed_text = require("acp_nvim.review.reviewed_text")
local snapshots = require("acp_nvim.review.snapshots")
local standing = require("acp_nvim.review.standing")
local sync = require("acp_nvim.documents.sync")

local M = {}

local UNSAVED = "its buffer has unsaved lines, :w or :e! first"

---@class acp.StandingBefore: acp.Snapshot  what stood there before an undo
---@field removed boolean

--- The loaded buffer of what stands there; that of a link's target is another one.
---@param path string
---@return integer?
local function buffer_of(path)
  local buf = find.find(path)
  return buf and find.resolve(api.nvim_buf_get_name(buf)) == path and buf or nil
end

---@param file acp.ReviewedFile
---@param wanted string[]
---@return string? why  it was not done
local function put(file, wanted)
  local here, buf = file.text.standing.lines, buffer_of(file.path)
  local is_gone = wanted[1] == standing.NOTHING
  if buf and vim.bo[buf].modified and wanted[1] ~= here[1] and not is_gone then
    return UNSAVED
  elseif not is_gone then
    disk_file.make_folders(file.path, file.folders)
  end
  local why = standing.put(file.standings, file.path, here, wanted)
  if why then
    return why
  end
  backend_reports.undone(file.path)
  for _, folder in ipairs(is_gone and file.made or {}) do
    vim.uv.fs_rmdir(folder) -- unless something else is in it
  end
  if buf and is_gone then
    file_timestamp.forget_file(buf)
  elseif buf then
    sync.sync({ path = file.path })
  end
end

---@param file acp.ReviewedFile
---@param plan acp.UndoPlan
---@return acp.UndoAnswer
function M.undo(file, plan)
  local here = file.text.standing --[[@as acp.ReviewedText]]
  local before = vim.tbl_extend("error", snapshots.of(here), { removed = file.removed })
  local why = put(file, diff.apply(here.lines, plan.edits))
  if why then
    return { why = why }
  end
  reviewed_text.undo(here, plan)
  file.removed = false
  return { count = #plan.chosen, standing = before }
end

--- Takes the undo of a turn back.
---@param file acp.ReviewedFile
---@param before acp.StandingBefore
---@return string? why  it was not done
function M.redo(file, before)
  local here = file.text.standing
  local why = here and put(file, before.lines) or nil
  if why or not here then
    return why or "changed since"
  end
  here.lines, here.known, file.removed = before.lines, before.known, before.removed
end

return M
