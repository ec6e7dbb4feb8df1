-- Undoes changes in one file, and takes the undo of a turn back: the agent's lines go, those before come back, in the
-- buffer and on the disk, and nothing else changes. All of it happens here, with or without a backend.
--
--   the file       a b c      an agent has made a B c of it: the hunk is b | B
--   the buffer     a B c d    d is the user's, unsaved
--   the file       a b c      its own text without the hunk: unsaved lines are never saved
--   the buffer     a b c d    still modified
--
-- From the key to the text: `keys.operate` runs `:Acp undo`, `decisions` goes over the files that have the hunks.
-- `undo_of` and `redo_of` say what the file's text shall be, and `file_text` gives it that. What stands at the path
-- beside lines is put back by `put_standing`. Where there is no file, none is made, unless an agent has deleted it.
local attached_buffers = require("acp_nvim.review.attached_buffers")
local backend_reports = require("acp_nvim.review.backend_reports")
local diff = require("acp_nvim.documents.diff")
local disk_file = require("acp_nvim.review.disk_file")
local disk_into_buffer = require("acp_nvim.documents.disk_into_buffer")
local edit = require("acp_nvim.documents.edit")
local file_text = require("acp_nvim.review.file_text")
local file_timestamp = require("acp_nvim.documents.file_timestamp")
local find = require("acp_nvim.documents.find")
local reviewed_files = require("acp_nvim.review.reviewed_files")
local reviewed_text = require("acp_nvim.review.reviewed_text")
local snapshots = require("acp_nvim.review.snapshots")
local standing = require("acp_nvim.review.standing")
local text = require("acp_nvim.documents.text")

local api = vim.api
local M = {}

local ELSEWHERE = "not undone: a link has come into its path"
local BUFFER_UNSAVED = "its buffer has unsaved lines, :w or :e! first"
local CHANGED = "changed since"

---@class acp.StandingBefore: acp.Snapshot  what stood there before an undo
---@field removed boolean

---@class acp.UndoneFile
---@field file acp.ReviewedFile
---@field before? acp.FileBefore        where the undo has changed lines
---@field standing? acp.StandingBefore  where it has put something else back
---@field lines string[]     what the undo has left
---@field turns acp.Turn[]   that had written by then
---@field left integer       hunks of the turn that were left
---@field count integer      changes that were undone

--- What undoing changes makes of the text.
---@param file acp.ReviewedFile
---@param what acp.UndoChoice
---@return acp.TextUndo
local function undo_of(file, what)
  local plan, author = reviewed_text.plan_undo(file.text, what), what.written_by
  local turn = author and not plan.is_all and file.turn_shapes[author.session]
  return {
    file = file,
    shape = turn and turn.turn == author.turn and turn.shape or file.shape,
    what = what,
    plan = plan,
    wanted = diff.apply(file.text.lines, plan.edits),
    is_whole = plan.is_all or author ~= nil,
    record = function()
      reviewed_text.undo(file.text, plan)
      file.deleted = false
    end,
  }
end

--- What the text is with the turn again: the text of before takes what the user has written since.
---
---   before the undo   a X c
---   undone            a b c
---   the user adds     a b c d
---   redone            a X c d
---@param one acp.UndoneFile
---@return acp.TextUndo
local function redo_of(one)
  local file, before = one.file, one.before --[[@as acp.FileBefore]]
  local plan = snapshots.plan_redo(file.text.lines, before.text, one.lines)
  local lines, newline = plan.after.lines, plan.after.known.newline
  return {
    file = file,
    shape = before.shape,
    has_newline = newline ~= nil and newline.new[1] == lines[#lines],
    what = { ids = {} },
    plan = { edits = plan.edits, chosen = {}, turns = plan.after.known.turns, is_all = false },
    wanted = plan.after.lines,
    saved = before.saved,
    is_whole = true,
    record = function()
      snapshots.redo(file.text, plan)
      file_text.restore_facts(file, before)
    end,
  }
end

--- Deletes a file again that the undo has made, if it is as the undo has left it.
---@param one acp.UndoneFile
---@return acp.UndoAnswer
local function delete(one)
  local file = one.file
  local disk = disk_file.read(file.path, file.shape)
  local is_same = disk and text.same_lines(disk.lines, one.lines) and text.same_lines(file.text.lines, one.lines)
  if not is_same then
    return { why = CHANGED }
  end
  local ok, why = vim.uv.fs_unlink(file.path)
  if not ok then
    return { why = why }
  elseif file.buf then
    attached_buffers.leave(file.buf)
  end
  snapshots.take(file.text, "undeleted")
  file_text.record(redo_of(one))
  disk_file.remove_folders(one.before.missing)
  if file.link then
    vim.uv.fs_symlink(file.link, file.path)
  end
  return { count = 1 }
end

-- What stands at the path ---------------------------------------------------------------------------------------------

--- The loaded buffer of what stands there; that of a link's target is another one.
local function buffer_of(path)
  local buf = find.find(path)
  return buf and find.resolve(api.nvim_buf_get_name(buf)) == path and buf or nil
end

---@param file acp.ReviewedFile
---@param wanted string[]
---@return string? why  it was not done
local function put_standing(file, wanted)
  local here, buf = file.text.standing.lines, buffer_of(file.path)
  local is_gone = wanted[1] == standing.NOTHING
  if buf and vim.bo[buf].modified and wanted[1] ~= here[1] and not is_gone then
    return BUFFER_UNSAVED
  elseif not is_gone then
    disk_file.make_folders(file.path, file.folders)
  end
  local now, content = standing.content(file.standings, here), standing.content(file.standings, wanted)
  local why = disk_file.put(file.path, now, content)
  if why then
    return why
  end
  backend_reports.undone(file.path)
  disk_file.remove_folders(is_gone and file.made or nil)
  if buf and is_gone then
    file_timestamp.forget_file(buf)
  elseif buf then
    disk_into_buffer.sync({ path = file.path })
  end
end

---@param file acp.ReviewedFile
---@param plan acp.UndoPlan
---@return acp.UndoAnswer
local function undo_standing(file, plan)
  local here = file.text.standing --[[@as acp.ReviewedText]]
  local before = vim.tbl_extend("error", snapshots.of(here), { removed = file.removed })
  local why = put_standing(file, diff.apply(here.lines, plan.edits))
  if why then
    return { why = why }
  end
  reviewed_text.undo(here, plan)
  file.removed = false
  return { count = #plan.chosen, standing = before }
end

---@param file acp.ReviewedFile
---@param before acp.StandingBefore
---@return acp.UndoAnswer
local function redo_standing(file, before)
  local here = file.text.standing
  local why = not here and CHANGED or put_standing(file, before.lines)
  if why or not here then
    return { why = why }
  end
  here.lines, here.known, file.removed = before.lines, before.known, before.removed
  return { count = 1 }
end

-- One file ------------------------------------------------------------------------------------------------------------

---@param undo acp.TextUndo
---@return acp.UndoAnswer
local function carry_out(undo)
  local file = undo.file
  if file.deleted and file.created and #undo.wanted == 0 then -- a later turn has deleted what this one has made
    undo.record()
    return { count = #undo.plan.chosen }
  elseif file.deleted then
    return file_text.create(undo, undo.wanted)
  end
  local stat = vim.uv.fs_lstat(file.path)
  if find.resolve(file.path) ~= file.path then
    return { why = ELSEWHERE }
  elseif stat and stat.type ~= "file" then
    return { why = "not undone: it is a " .. stat.type }
  elseif file.buf then
    return stat and file_text.in_buffer(undo, file.buf) or file_text.remove(undo, file.buf, true)
  elseif stat then
    return file_text.in_new_buffer(file, function(buf)
      local again = undo_of(file, undo.what) -- the file may hold something else than was known of it
      return #again.plan.chosen > 0 and file_text.in_buffer(again, buf) or {}
    end)
  end
  local gone = {} -- whoever has deleted the file wants nothing of it back
  for _, change in ipairs(reviewed_text.waiting(file.text).changes) do
    gone[change.id] = undo.what.written_by ~= nil or undo.what.ids[change.id]
  end
  reviewed_text.keep(file.text, gone)
  return {}
end

--- Undoes those of the changes that are in the file.
---@param file acp.ReviewedFile
---@param what acp.UndoChoice
---@return acp.UndoAnswer
function M.file(file, what)
  attached_buffers.settle()
  local undo = undo_of(file, what)
  local ok, answer, notes = true, {}, undo.plan.standing ---@type boolean, acp.UndoAnswer, acp.UndoPlan?
  local left = what.written_by and reviewed_files.left_of_turn(file, what.written_by) - (notes and #notes.chosen or 0)
    or 0
  if #undo.plan.chosen > 0 or left > 0 then
    ok, answer = pcall(carry_out, undo)
  end
  if ok and notes and not answer.locked then
    local lines = answer
    ok, answer = pcall(undo_standing, file, notes)
    if ok and (lines.count or lines.why) then
      answer.count, answer.before = (answer.count or 0) + (lines.count or 0), lines.before
      answer.why = lines.why or answer.why
    end
  end
  return ok and answer or { why = "not undone: " .. edit.one_line(answer) }
end

---@param one acp.UndoneFile
---@return acp.UndoAnswer
local function carry_out_redo(one)
  local file, before, stat = one.file, one.before, vim.uv.fs_lstat(one.file.path)
  if before.facts.deleted then
    return delete(one)
  elseif not before.shape then
    return { why = CHANGED }
  elseif not stat then
    local redo, has_lines = redo_of(one), #file.text.lines > 0 -- which the user has left in its buffer, unsaved
    return file_text.create(
      redo,
      has_lines and snapshots.plan_redo({}, before.text, one.lines).after.lines or redo.wanted
    )
  elseif stat.type ~= "file" then
    return { why = ("a %s now"):format(stat.type == "directory" and "folder" or stat.type) }
  elseif file.buf then
    return file_text.in_buffer(redo_of(one), file.buf)
  end
  return file_text.in_new_buffer(file, function(buf)
    return file_text.in_buffer(redo_of(one), buf)
  end)
end

--- What a redo needs of a file in which a turn has been undone.
---@param file acp.ReviewedFile
---@param by acp.WrittenBy
---@param answer acp.UndoAnswer
---@param count integer  changes that were undone in it
---@return acp.UndoneFile
function M.remember(file, by, answer, count)
  return {
    file = file,
    before = answer.before,
    standing = answer.standing,
    lines = vim.list_slice(file.text.lines),
    turns = reviewed_text.turns(file.text),
    left = reviewed_files.left_of_turn(file, by),
    count = count,
  }
end

--- Why the turn cannot be brought back in this file.
---@param one acp.UndoneFile
---@param what acp.WrittenBy
---@return string?
function M.redo_refusal(one, what)
  local name = vim.fs.basename(one.file.given)
  if reviewed_files.left_of_turn(one.file, what) > one.left then
    return ("%s has changes of turn %d again"):format(name, what.turn)
  end
  local later = reviewed_text.written_since(one.file.text, one.turns)
  return later and ("turn %d has written %s since"):format(later.turn, name) or nil
end

--- Takes the undo of a turn back in one file. One that the turn had made is made again, and one that it had deleted is
--- deleted again.
---@param one acp.UndoneFile
---@return acp.UndoAnswer
function M.redo(one)
  attached_buffers.settle()
  local ok, answer = true, {} ---@type boolean, acp.UndoAnswer
  if one.before then
    ok, answer = pcall(carry_out_redo, one)
  end
  if ok and one.standing and not (answer.locked or answer.why) then
    ok, answer = pcall(redo_standing, one.file, one.standing)
  end
  return ok and answer or { why = edit.one_line(answer) }
end

return M
