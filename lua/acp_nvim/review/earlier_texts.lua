-- Remembers texts that a file in review has had: as it was saved, and as it was before an agent deleted it. When such a
-- text comes back, by `:edit!` say, the changes that were pending in it are pending again.
--
--   saved     a X c      an agent has made X of b: b | X is pending
--   the user  a c        deletes X, and the change with it
--   :edit!    a X c      the saved text: b | X is pending again
--
-- These stacks are kept, as no edit leads to such a text: to compare would pair equal lines anew, and would count what
-- comes back as the user's.
local diff = require("acp_nvim.documents.diff")
local pending_changes = require("acp_nvim.review.pending_changes")

local M = {}

--- Remembers the text of the file as the saved one.
---@param file acp.ReviewedFile
function M.remember_saved(file)
  pending_changes.take_snapshot(file.text, "saved")
end

--- Remembers the text of the file before it is deleted.
---@param file acp.ReviewedFile
function M.remember_undeleted(file)
  pending_changes.take_snapshot(file.text, "undeleted")
end

--- Takes `lines` as the text of the file. Nobody has told how it has become that.
---@param file acp.ReviewedFile
---@param lines string[]
---@param is_reread boolean  from the disk: what differs is no answer of the user's
function M.take(file, lines, is_reread)
  local edits = diff.edits(file.text.lines, lines)
  local saved = file.text.snapshots.saved
  if #edits > 0 and is_reread and saved and #diff.edits(saved.lines, lines) == 0 then
    pending_changes.restore(file.text, "saved")
  elseif is_reread then
    pending_changes.others(file.text, edits)
  else
    pending_changes.user(file.text, edits)
  end
end

--- Somebody has made a deleted file again: the text before the deletion holds, and nobody decides on the deletion.
---@param file acp.ReviewedFile
function M.restore_undeleted(file)
  if file.deleted then
    file.deleted = false
    pending_changes.restore(file.text, "undeleted")
  end
end

return M
