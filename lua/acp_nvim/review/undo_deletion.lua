-- Undoes the deletion of a file by an agent: the file is made again as it was. A loaded buffer that still has its text
-- gets the file's lines, and keeps what the user has changed in it since. It is apart from `undo`, which needs a file to
-- read, to merge with and to save: here there are folders, a mode or a link to care for instead.
local attached_buffers = require("acp_nvim.review.attached_buffers")
local backend_reports = require("acp_nvim.review.backend_reports")
local beside_unsaved = require("acp_nvim.review.beside_unsaved")
local diff = require("acp_nvim.documents.diff")
local disk_file = require("acp_nvim.review.disk_file")
local file_before = require("acp_nvim.review.file_before")
local find = require("acp_nvim.documents.find")
local reviewed_text = require("acp_nvim.review.reviewed_text")
local snapshots = require("acp_nvim.review.snapshots")
local sync = require("acp_nvim.documents.sync")
local text = require("acp_nvim.documents.text")

local M = {}

---@param undo acp.HunkUndo
---@return string? why  there is still no file
local function create(undo)
  local file = undo.file
  disk_file.make_folders(file.path, file.folders)
  if file.link and vim.uv.fs_readlink(file.path) == file.link then
    vim.uv.fs_unlink(file.path) -- the turn has put it there
  end
  if find.resolve(file.path) ~= file.path then
    return "the path leads elsewhere now"
  end
  return disk_file.create(file.path, undo.wanted, undo.shape, undo.shape.mode)
end

--- Records the hunks as undone, and for the agent that its file is back.
---@param undo acp.HunkUndo
local function record(undo)
  local file = undo.file
  reviewed_text.undo(file.text, undo.plan)
  file.deleted = false
  backend_reports.undone(file.path)
  snapshots.take(file.text, "saved")
end

---@param undo acp.HunkUndo  of a file that is deleted
---@return acp.UndoAnswer
function M.undo(undo)
  local file, before = undo.file, undo.what.written_by and file_before.look(undo.file) or nil
  local why = create(undo)
  if why and vim.uv.fs_stat(file.path) then -- somebody else has made the file
    snapshots.restore_undeleted(file)
    snapshots.take_lines(file.text, (disk_file.read(file.path) or { lines = {} }).lines, true)
    return {}
  elseif why then
    return { why = "not undone: " .. why }
  end
  record(undo)
  local buf, lines = find.find(file.path), file.text.snapshots.undeleted.lines
  if not buf then
    return { count = #undo.plan.chosen, before = before }
  end
  local edits = vim.bo[buf].modified and diff.edits(lines, undo.wanted)
  local unsaved = edits and beside_unsaved.without(lines, edits, text.of_buffer(buf).lines)
  local said = sync.put(buf, undo.wanted, unsaved or undo.wanted, { kind = "undo" })
  attached_buffers.follow(file, buf)
  return {
    count = #undo.plan.chosen,
    before = before,
    why = not said.ok and ("its buffer keeps its lines: %s"):format(said.error or "it has changed") or nil,
  }
end

return M
