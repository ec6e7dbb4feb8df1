-- Gives a file in review the text that it shall have, for an undo or a redo: by its buffer, which is loaded for a
-- moment if need be, and on the disk. Unsaved lines stay unsaved.
--
--   in_buffer   the file is there: `rewrite` edits and saves it, and `rewrite_under_unsaved` puts unsaved lines back
--   remove      an agent has made the file, and nothing of its text is left
--   create      there is no file: an agent has deleted it, or an undo has
--
-- `change` records what has come of it.
local attached_buffers = require("acp_nvim.review.attached_buffers")
local backend_reports = require("acp_nvim.review.backend_reports")
local beside_unsaved = require("acp_nvim.review.beside_unsaved")
local bit = require("bit")
local cursors = require("acp_nvim.documents.cursors")
local diff = require("acp_nvim.documents.diff")
local disk_file = require("acp_nvim.review.disk_file")
local disk_into_buffer = require("acp_nvim.documents.disk_into_buffer")
local edit = require("acp_nvim.documents.edit")
local edit_and_save = require("acp_nvim.documents.edit_and_save")
local encoding = require("acp_nvim.documents.encoding")
local find = require("acp_nvim.documents.find")
local origin = require("acp_nvim.documents.origin")
local remove = require("acp_nvim.documents.remove")
local reviewed_text = require("acp_nvim.review.reviewed_text")
local settings = require("acp_nvim.config.settings")
local snapshots = require("acp_nvim.review.snapshots")
local standing = require("acp_nvim.review.standing")
local text = require("acp_nvim.documents.text")
local undo_step = require("acp_nvim.documents.undo_step")

local api = vim.api
local M = {}

local TOUCHED = "your unsaved lines touch the change, :w first"
local UNSAVED = "gone, and the rest is unsaved, :w creates it"
local UNREAD = "the file has changed on disk, :e reads it"
local BEHIND = "the file changed on disk and the buffer has unsaved lines, :w or :e first"
local NO_TEXT = "not undone: the file is no longer text in the buffer's encoding"
local BY = { kind = "undo" } ---@type acp.By
local FACTS = { "created", "deleted", "folders", "has_begun", "link", "made", "shape" } -- which a redo brings back

---@class acp.TextUndo  what the text of a file shall be: without changes, or with those of a turn again
---@field file acp.ReviewedFile
---@field shape acp.FileShape   before what is undone
---@field what acp.UndoChoice
---@field plan acp.UndoPlan
---@field wanted string[]      the text
---@field saved? acp.Snapshot  the file under unsaved lines, as a redo puts it back
---@field saved_plan? acp.UndoPlan  which takes the changes out of the saved text, under unsaved lines
---@field record fun()         once the text is that
---@field is_whole boolean     nothing is left of whose lines those are: of a turn, or of all agents
---@field has_newline? boolean  of a redo: the newline of the last line comes back with the turn, or goes

---@class acp.UndoAnswer
---@field count? integer   hunks that are undone
---@field why? string      nothing is done, or not all
---@field locked? boolean  try again
---@field before? acp.FileBefore  of a turn: where lines were changed
---@field standing? acp.StandingBefore  where something else was put back

---@class acp.FileBefore  a file before a turn is undone in it: all that a redo has to bring back
---@field text acp.TextBefore
---@field shape? acp.FileShape  of the file on disk; nil: there is none
---@field saved? acp.Snapshot   what was saved, under unsaved lines
---@field missing string[]      folders above it that are not there, from the innermost on
---@field facts table           what review knows of the file beside its text

--- Says of the file what was known of it then.
---@param file acp.ReviewedFile
---@param before acp.FileBefore
function M.restore_facts(file, before)
  for _, name in ipairs(FACTS) do
    file[name] = before.facts[name]
  end
end

--- Records that the text is that, and for the backend that its file was written.
---@param undo acp.TextUndo
function M.record(undo)
  undo.record()
  backend_reports.undone(undo.file.path)
end

--- How the file is before a turn is undone in it.
---@param undo acp.TextUndo
---@param buf? integer  which has the file; nil: there is no file
---@return acp.FileBefore?  nil: it is no turn that is undone
local function look(undo, buf)
  local file = undo.file
  if not undo.what.written_by then
    return nil
  end
  local before, stat = { text = snapshots.of(file.text), facts = {} }, vim.uv.fs_stat(file.path)
  for _, name in ipairs(FACTS) do
    before.facts[name] = file[name]
  end
  before.missing = disk_file.missing_folders(file.path)
  before.saved = buf and vim.bo[buf].modified and file.text.snapshots.saved or nil
  if buf and stat then
    local bo = vim.bo[buf]
    before.shape = { ff = bo.fileformat, bomb = bo.bomb, fenc = bo.fileencoding, mode = bit.band(stat.mode, 4095) }
    before.shape.final = text.is_final(buf) and not text.is_void(buf)
  end
  return before
end

-- By the buffer -------------------------------------------------------------------------------------------------------

--- How the file is saved. The line end of the last line and the byte order mark go with the hunk that touches them;
--- once no hunk is left, the mark and the rest of the format are as before the agent, or before the turn. Line ends and
--- mark that were changed without lines have a hunk of their own, and stay.
---
---   before the agent   a          no newline at the end
---   the agent          A\n
---   the user           A\n x\n
---   undone             a\n x\n    the last line is the user's, and so is its end
---@param undo acp.TextUndo
---@param buf integer
---@param saved string[]  what the file shall hold
---@param has_end boolean  the last line of the file is among those that change
---@return acp.EditOptions
local function save_options(undo, buf, saved, has_end)
  local was, edits, chosen = undo.shape, undo.plan.edits, (undo.saved_plan or undo.plan).chosen
  local options = { by = BY, autocmds = settings.get().fs.autocmds } ---@type acp.EditOptions
  options.before, options.after = text.rows(undo.file.text.lines), saved
  options.final = text.is_final(buf) and not text.is_void(buf)
  local last = chosen[#chosen]
  local had_newline = last and last.item.had_newline
  if had_newline ~= nil then
    options.final = had_newline
  elseif was.final ~= nil and (has_end or undo.has_newline) then
    options.final = was.final
  end
  local beside = undo.file.text.standing
  local has_format = beside ~= nil and standing.has_format(beside.lines)
  if not has_format and was.bomb ~= nil and (undo.is_whole or (was.bomb and edits[1][1] == 0)) then
    options.bomb = was.bomb
  end
  if undo.is_whole then
    options.ff, options.fenc = not has_format and was.ff or nil, was.fenc ~= "" and was.fenc or nil
  end
  options.final = options.final and #saved > 0 -- no line, no end
  return options
end

--- Remembers what the file holds now: with unsaved lines that is another text than the buffer's.
---@param undo acp.TextUndo
---@param buf integer
---@param disk string[]
local function remember_saved(undo, buf, disk)
  local review = undo.file.text
  if not vim.bo[buf].modified then
    snapshots.take(undo.file.text, "saved")
  elseif undo.saved then
    review.snapshots.saved = undo.saved
  elseif undo.saved_plan then
    snapshots.undo_saved(review, undo.saved_plan)
  else -- what it held before is not known: what is not in the buffer is nobody's
    snapshots.take(review, "saved", diff.edits(review.lines, disk))
  end
end

--- Changes the buffer by `fn`, and records the hunks as undone.
---@param undo acp.TextUndo
---@param buf integer
---@param fn fun(): table  answers as `edit_and_save.run` does
---@param disk string[]  what the file holds then
---@param marks_lost? boolean  marks in the buffer may have lost their places
---@return acp.UndoAnswer
local function change(undo, buf, fn, disk, marks_lost)
  local file = undo.file
  local before = look(undo, buf)
  local said = attached_buffers.without_attribution(buf, fn)
  if not said.ok then
    attached_buffers.compare(file)
    return { why = "not undone: " .. said.error, locked = said.locked }
  end
  M.record(undo)
  attached_buffers.note_rows(file, undo.plan.edits)
  if not said.saved or said.saved.changed then -- a formatter has run as it was saved
    snapshots.take_lines(file.text, text.of_buffer(buf).lines, true)
  end
  attached_buffers.in_step(file, marks_lost)
  remember_saved(undo, buf, disk)
  local saved = undo.saved_plan
  return { count = math.max(#undo.plan.chosen, saved and #saved.chosen or 0), before = before }
end

--- Deletes the file, or leaves it deleted. What the buffer holds beyond the hunks stays there, unsaved.
---@param undo acp.TextUndo
---@param buf integer
---@param is_gone boolean
---@return acp.UndoAnswer
function M.remove(undo, buf, is_gone)
  local answer = change(undo, buf, function()
    local edits = diff.of_buffer(undo.file.text.lines, undo.wanted)
    return remove.remove(buf, edits, { by = BY, is_gone = is_gone })
  end, {}, true)
  disk_file.remove_folders(not answer.why and undo.file.made or nil)
  answer.why = answer.why or (#undo.wanted > 0 and UNSAVED or nil)
  return answer
end

---@param edits acp.Edit[]
---@param lines string[]
---@return boolean
local function reach_end(edits, lines)
  local last = edits[#edits]
  return last ~= nil and last[2] == #lines
end

--- Edits and saves a buffer without unsaved lines.
---@param undo acp.TextUndo
---@param buf integer
---@return acp.UndoAnswer
local function rewrite(undo, buf)
  return change(undo, buf, function()
    local lines, edits = undo.file.text.lines, undo.plan.edits
    local options = save_options(undo, buf, undo.wanted, reach_end(edits, lines))
    return edit_and_save.run(buf, #lines > 0 and edits or diff.of_buffer(lines, undo.wanted), options)
  end, undo.wanted)
end

--- Saves what the file shall hold; then the buffer gets its unsaved lines back, in the same undo step.
---@param undo acp.TextUndo
---@param buf integer
---@param disk string[]
---@param saved string[]
---@return acp.UndoAnswer
local function rewrite_under_unsaved(undo, buf, disk, saved)
  local edits = undo.saved_plan and undo.saved_plan.edits or diff.edits(disk, saved)
  local options = save_options(undo, buf, saved, undo.saved ~= nil or reach_end(edits, disk))
  options.autocmds = false -- a formatter would not see the user's lines
  local put_cursors_back = cursors.hold(buf, text.rows(undo.file.text.lines))
  return change(undo, buf, function()
    local said = edit_and_save.run(buf, diff.of_buffer(undo.file.text.lines, saved), options)
    if said.ok then
      api.nvim_buf_call(buf, function()
        vim.cmd("silent! undojoin")
      end)
      edit.apply(buf, diff.of_buffer(saved, undo.wanted))
      put_cursors_back(text.rows(undo.wanted))
      undo_step.break_undo(buf)
    end
    return said
  end, saved, true)
end

--- The lines of the buffer's file, which is read only if it may hold something else than the buffer.
---@param buf integer
---@param lines string[]  of the buffer
---@return string[]?  nil: it is no text in the buffer's encoding
local function disk_lines(buf, lines)
  if not vim.bo[buf].modified and not origin.is_ahead(buf) then
    return lines
  end
  local data = origin.read(buf)
  local disk = data and encoding.text(buf, data, vim.bo[buf].fileformat)
  return disk and disk.lines
end

--- What the file shall hold, which has other lines than the buffer. Of what a turn has written nothing stays there,
--- also where the user has changed it in the buffer; a hunk that the user has changed there is not touched.
---@param undo acp.TextUndo
---@param disk string[]
---@return string[]?  nil: it is not certain
local function saved_without(undo, disk)
  if undo.saved then
    return undo.saved.lines
  end
  local saved, known = snapshots.saved(undo.file.text), nil ---@type acp.ReviewedText?, string[]?
  if saved and text.same_lines(saved.lines, disk) then
    undo.saved_plan = reviewed_text.plan_undo(saved, undo.what)
    known = diff.apply(disk, undo.saved_plan.edits)
  end
  if known and undo.what.written_by then
    return known
  end
  local lines = beside_unsaved.without(undo.file.text.lines, undo.plan.edits, disk)
  if not (lines and known and text.same_lines(lines, known)) then
    undo.saved_plan = nil
  end
  return lines
end

--- Finds what the file shall hold, and gives it that by its buffer.
---@param undo acp.TextUndo
---@param buf integer
---@return acp.UndoAnswer
function M.in_buffer(undo, buf)
  local file, lines = undo.file, undo.file.text.lines
  local disk = disk_lines(buf, lines)
  if not disk then
    return { why = NO_TEXT }
  end
  local is_saved = text.same_lines(disk, lines) and not undo.saved
  local saved = is_saved and undo.wanted or saved_without(undo, disk)
  local is_modified = vim.bo[buf].modified
  if not saved then
    return { why = not is_modified and UNREAD or origin.is_ahead(buf) and BEHIND or TOUCHED }
  elseif file.created and undo.plan.is_all and #saved == 0 then
    return M.remove(undo, buf, false)
  elseif is_saved then
    return rewrite(undo, buf)
  elseif is_modified and origin.is_ahead(buf) then
    return { why = BEHIND }
  end
  return rewrite_under_unsaved(undo, buf, disk, saved)
end

--- Loads the file for a moment; for good if the undo deletes it: `u` and `:w` bring it back then.
---@param file acp.ReviewedFile
---@param fn fun(buf: integer): acp.UndoAnswer
---@return acp.UndoAnswer
function M.in_new_buffer(file, fn)
  local buf = remove.load(file.path)
  if not buf then
    return { why = "not undone: it cannot be read" }
  end
  attached_buffers.follow(file, buf)
  local answer = fn(buf)
  if vim.uv.fs_stat(file.path) and #vim.fn.win_findbuf(buf) == 0 and not vim.bo[buf].modified then
    vim.cmd(("noautocmd bwipeout! %d"):format(buf))
  end
  return answer
end

-- Without a file ------------------------------------------------------------------------------------------------------

--- Makes the file, which is not there, as it was. A loaded buffer gets its lines, and keeps what the user has changed
--- in it since.
---@param undo acp.TextUndo
---@param saved string[]  what the file shall hold
---@return acp.UndoAnswer
function M.create(undo, saved)
  local file, path, before, lines = undo.file, undo.file.path, look(undo), undo.wanted
  disk_file.make_folders(path, file.folders)
  if file.link and vim.uv.fs_readlink(path) == file.link then
    vim.uv.fs_unlink(path) -- the turn has put it there
  end
  local is_elsewhere = find.resolve(path) ~= path
  local why = is_elsewhere and "the path leads elsewhere now" or disk_file.create(path, saved, undo.shape)
  if why and file.deleted and vim.uv.fs_stat(path) then -- somebody else has made the file
    snapshots.restore_undeleted(file)
    snapshots.take_lines(file.text, (disk_file.read(path, file.shape) or { lines = {} }).lines, true)
    return {}
  elseif why then
    return { why = "not undone: " .. why }
  end
  local buf = file.buf or find.find(path)
  if buf and file.deleted and vim.bo[buf].modified then
    local undeleted = file.text.snapshots.undeleted.lines
    local edits = diff.edits(undeleted, undo.wanted)
    lines = beside_unsaved.without(undeleted, edits, text.of_buffer(buf).lines) or lines
  end
  M.record(undo)
  if text.same_lines(saved, file.text.lines) then
    snapshots.take(file.text, "saved")
  end
  local said = buf
      and attached_buffers.without_attribution(buf, function()
        return disk_into_buffer.put(buf, saved, lines, BY)
      end)
    or { ok = true }
  if buf and file.buf ~= buf then
    attached_buffers.follow(file, buf)
  elseif said.ok then
    attached_buffers.in_step(file, true)
  else
    attached_buffers.compare(file)
  end
  return {
    count = math.max(1, #undo.plan.chosen),
    before = before,
    why = not said.ok and ("its buffer keeps its lines: %s"):format(said.error or "it has changed") or nil,
  }
end

return M
