-- Remembers other texts of a file in review, with what was known of them: as it was saved, as it was before an agent
-- deleted it, and as it was before a turn was undone. When such a text comes back, by `:edit!` say, the changes that
-- were pending in it are pending again.
--
--   saved     a X c      an agent has made X of b: b | X is pending
--   the user  a c        deletes X, and the change with it
--   :edit!    a X c      the saved text: b | X is pending again
--
-- These stacks are kept, as no edit leads to such a text: to compare would pair equal lines anew, and would count what
-- comes back as the user's.
local diff = require("acp_nvim.documents.diff")
local moments = require("acp_nvim.review.moments")
local patches = require("acp_nvim.documents.patch")
local reviewed_text = require("acp_nvim.review.reviewed_text")
local stack = require("acp_nvim.review.stack")
local told = require("acp_nvim.review.told")

local M = {}

---@class acp.TextBefore: acp.Snapshot
---@field memory acp.Memory
---@field text acp.TextVersion  of that memory

---@class acp.RedoPlan
---@field edits acp.Edit[]     which bring the turn back into the text
---@field before acp.TextBefore
---@field users acp.Edit[]     of that text, since
---@field after acp.Snapshot   with the turn

---@class acp.WrittenStep  an agent's edits, or those of another program
---@field edits acp.Edit[]
---@field author? acp.Author
---@field is_allowed? fun(lines: string[]): (fun(edit: acp.Edit): boolean)?

--- Remembers the text as the saved one, or as that before its deletion.
---@param text acp.ReviewedText
---@param name "saved"|"undeleted"
---@param edits? acp.Edit[]  which make it of the present text
function M.take(text, name, edits)
  reviewed_text.waiting(text)
  local is_other = edits and #edits > 0
  text.snapshots[name] = is_other and reviewed_text.edited(text, edits)
    or { lines = vim.list_slice(text.lines), known = text.known }
end

--- Returns the saved text as a text that answers and plans as the present one does. It is not to be edited: only
--- `undo_saved`, `write_saved` and `take` change the saved text.
---@param text acp.ReviewedText
---@return acp.ReviewedText?
function M.saved(text)
  local saved = text.snapshots.saved
  return saved and setmetatable({ lines = saved.lines, known = saved.known }, { __index = text }) or nil
end

--- The disk was written under lines that are not saved: the saved text takes that, as the text did.
---@param text acp.ReviewedText
---@param under acp.Patch  the saved text, of the one before the steps
---@param steps acp.WrittenStep[]
---@param disk string[]
function M.write_saved(text, under, steps, disk)
  local saved, edits = text.snapshots.saved, nil ---@type acp.Snapshot, acp.Edit[]
  for _, step in ipairs(steps) do
    under, edits = patches.down(under, step.edits)
    local is_allowed = step.is_allowed and step.is_allowed(saved.lines)
    local turns = step.author and stack.write(saved.known.turns, saved.lines, edits, step.author, is_allowed)
    saved = reviewed_text.edited(saved, edits, turns)
  end
  text.snapshots.saved = reviewed_text.edited(saved, diff.edits(saved.lines, disk))
end

--- The changes are undone in the saved text, under lines that are not saved.
---@param text acp.ReviewedText
---@param plan acp.UndoPlan  of the saved text
function M.undo_saved(text, plan)
  local saved = reviewed_text.edited(text.snapshots.saved, plan.edits, plan.turns)
  text.snapshots.saved, saved.known.newline = saved, plan.newline
end

--- That text is there again.
local function restore(text, name)
  local snapshot = text.snapshots[name]
  local edits = diff.edits(text.lines, snapshot.lines)
  if #edits > 0 then
    told.others(text.told, text.lines, edits)
    moments.edited(text.memory, text.lines, edits, false)
    text.lines = vim.list_slice(snapshot.lines)
  end
  text.known = snapshot.known
end

--- Takes `lines` as the text. Nobody has told how it has become that.
---@param text acp.ReviewedText
---@param lines string[]
---@param is_reread boolean  from the disk: what differs is no answer of the user's
function M.take_lines(text, lines, is_reread)
  local edits, saved = diff.edits(text.lines, lines), text.snapshots.saved
  if #edits > 0 and is_reread and saved and #diff.edits(saved.lines, lines) == 0 then
    restore(text, "saved")
  elseif is_reread then
    reviewed_text.others(text, edits)
  else
    reviewed_text.user(text, edits)
  end
end

--- Somebody has made a deleted file again: the text before the deletion holds, and nobody decides on the deletion.
---@param file acp.ReviewedFile
function M.restore_undeleted(file)
  if file.deleted then
    file.deleted = false
    restore(file.text, "undeleted")
  end
end

-- Before a turn was undone --------------------------------------------------------------------------------------------

--- The text as it is, and what is known of it.
---@param text acp.ReviewedText
---@return acp.TextBefore
function M.of(text)
  reviewed_text.waiting(text)
  return { lines = vim.list_slice(text.lines), known = text.known, memory = text.memory, text = text.memory.text }
end

--- What takes the undo of a turn back: the text of before takes what the user has written since.
---
---   before  a X c      after  a b c      now  a b c d      redone  a X c d
---@param lines string[]  now
---@param before acp.TextBefore
---@param after string[]   what the undo had left
---@return acp.RedoPlan
function M.plan_redo(lines, before, after)
  local _, users = patches.down(patches.between(after, before.lines), diff.edits(after, lines))
  local redone = reviewed_text.edited(before, users)
  return { edits = diff.edits(lines, redone.lines), before = before, users = users, after = redone }
end

---@param text acp.ReviewedText
---@param plan acp.RedoPlan
function M.redo(text, plan)
  if #plan.edits > 0 then
    told.user(text.told, text.lines, plan.edits)
  end
  local before = plan.before
  if before.memory == text.memory then -- what is kept from now on is followed along the text of before
    text.memory.text = before.text
    moments.edited(text.memory, before.lines, plan.users, false)
  else
    moments.edited(text.memory, text.lines, plan.edits, false)
  end
  text.lines, text.known = vim.list_slice(plan.after.lines), plan.after.known
  moments.differs(text.memory)
end

return M
