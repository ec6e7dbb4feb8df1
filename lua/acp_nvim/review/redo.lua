-- Takes the undo of a turn back in one file: the text of before takes what the user has written since. A file that the
-- turn had made is made again, and one that it had deleted is deleted again, if it is as the undo has left it.
--
--   before the undo   a X c
--   undone            a b c
--   the user adds     a b c d
--   redone            a X c d
local attached_buffers = require("acp_nvim.review.attached_buffers")
local backend_reports = require("acp_nvim.review.backend_reports")
local disk_file = require("acp_nvim.review.disk_file")
local edit = require("acp_nvim.documents.edit")
local file_before = require("acp_nvim.review.file_before")
local find = require("acp_nvim.documents.find")
local reviewed_text = require("acp_nvim.review.reviewed_text")
local snapshots = require("acp_nvim.review.snapshots")
local store = require("acp_nvim.review.store")
local sync = require("acp_nvim.documents.sync")
local text = require("acp_nvim.documents.text")
local undo = require("acp_nvim.review.undo")
local undo_standing = require("acp_nvim.review.undo_standing")

local M = {}

---@class acp.UndoneFile
---@field file acp.ReviewedFile
---@field before? acp.FileBefore         where the undo has changed lines
---@field standing? acp.StandingBefore  where it has put something else back
---@field lines string[]     what the undo has left
---@field turns acp.Turn[]   that had written by then
---@field left integer       hunks of the turn that were left
---@field count integer      changes that were undone

--- Records that the turn is back.
---@param one acp.UndoneFile
---@param plan acp.RedoPlan
local function record(one, plan)
  local file = one.file
  snapshots.redo(file.text, plan)
  file_before.restore(file, one.before)
  backend_reports.undone(file.path)
end

--- Deletes a file that the undo has made.
---@param one acp.UndoneFile
---@return acp.UndoAnswer
local function delete(one)
  local file = one.file
  local disk = disk_file.read(file.path)
  local is_same = disk and text.same_lines(disk.lines, one.lines) and text.same_lines(file.text.lines, one.lines)
  if not is_same then
    return { why = "changed since" }
  end
  local ok, why = vim.uv.fs_unlink(file.path)
  if not ok then
    return { why = why }
  elseif file.buf then
    attached_buffers.leave(file.buf)
  end
  snapshots.take(file.text, "undeleted")
  record(one, snapshots.plan_redo(file.text.lines, one.before.text, one.lines))
  for _, folder in ipairs(one.before.missing) do
    vim.uv.fs_rmdir(folder) -- unless something else is in it
  end
  if file.link then
    vim.uv.fs_symlink(file.link, file.path)
  end
  return { count = 1 }
end

--- Makes a file that the undo has deleted. Lines that the user has left in its buffer stay unsaved.
---@param one acp.UndoneFile
---@return acp.UndoAnswer
local function create(one)
  local file, before = one.file, one.before
  local shape = before.shape --[[@as acp.FileShape]]
  local plan = snapshots.plan_redo(file.text.lines, before.text, one.lines)
  local saved = #file.text.lines > 0 and snapshots.plan_redo({}, before.text, one.lines).after.lines or plan.after.lines
  vim.fn.mkdir(vim.fs.dirname(file.path), "p")
  local why = find.resolve(file.path) ~= file.path and "the path leads elsewhere now"
    or disk_file.create(file.path, saved, shape, shape.mode)
  if why then
    return { why = why }
  end
  local buf = file.buf
  local said = not buf and { ok = true }
    or attached_buffers.without_attribution(buf, function()
      return sync.put(buf, saved, plan.after.lines, { kind = "undo" })
    end)
  record(one, plan)
  if not said.ok then
    attached_buffers.compare(file)
    return { count = 1, why = "its buffer keeps its lines: " .. said.error }
  end
  attached_buffers.in_step(file, true)
  if not (buf and vim.bo[buf].modified) then
    snapshots.take(file.text, "saved")
  end
  return { count = 1 }
end

--- Gives a file that is there the text with the turn, as an undo does: the plan is another one, and is recorded here.
---@param one acp.UndoneFile
---@param buf integer
---@return acp.UndoAnswer
local function in_buffer(one, buf)
  local file = one.file
  local plan = snapshots.plan_redo(file.text.lines, one.before.text, one.lines)
  local answer = undo.in_buffer({
    file = file,
    shape = one.before.shape,
    what = { ids = {} },
    plan = { edits = plan.edits, chosen = {}, turns = plan.after.known.turns, is_all = false },
    wanted = plan.after.lines,
    saved = one.before.saved,
    is_whole = true,
    record = function()
      record(one, plan)
    end,
  }, buf)
  return { count = answer.count and 1, why = answer.why, locked = answer.locked }
end

---@param one acp.UndoneFile
---@return acp.UndoAnswer
local function carry_out(one)
  local file, stat = one.file, vim.uv.fs_lstat(one.file.path)
  if one.before.facts.deleted then
    return delete(one)
  elseif not one.before.shape then
    return { why = "changed since" }
  elseif not stat then
    return create(one)
  elseif stat.type ~= "file" then
    return { why = ("a %s now"):format(stat.type == "directory" and "folder" or stat.type) }
  elseif file.buf then
    return in_buffer(one, file.buf)
  end
  return undo.in_new_buffer(file, function(buf)
    return in_buffer(one, buf)
  end)
end

--- Why the turn cannot be brought back in this file.
---@param one acp.UndoneFile
---@param what acp.WrittenBy
---@return string?
function M.refusal(one, what)
  local name = vim.fs.basename(one.file.given)
  if store.left_of_turn(one.file, what) > one.left then
    return ("%s has changes of turn %d again"):format(name, what.turn)
  end
  local later = reviewed_text.written_since(one.file.text, one.turns)
  return later and ("turn %d has written %s since"):format(later.turn, name) or nil
end

---@param one acp.UndoneFile
---@return acp.UndoAnswer  `count`: 1, if it is done
function M.file(one)
  attached_buffers.settle()
  local ok, answer = true, {} ---@type boolean, acp.UndoAnswer
  if one.before then
    ok, answer = pcall(carry_out, one)
  end
  if ok and one.standing and not (answer.locked or answer.why) then
    local done, why = pcall(undo_standing.redo, one.file, one.standing)
    ok, answer = done, done and { count = not why and 1 or nil, why = why } or why
  end
  return ok and answer or { why = edit.one_line(answer) }
end

return M
