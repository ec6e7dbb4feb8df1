-- Undoes hunks of a file: the agent's lines go, those before come back, in the buffer and on the disk, and nothing else
-- changes. All of it happens here, with or without a backend.
--
--   the file       a b c      an agent has made a B c of it: the hunk is b | B
--   the buffer     a B c d    d is the user's, unsaved
--   the file       a b c      its own text without the hunk: unsaved lines are never saved
--   the buffer     a b c d    still modified
--
-- From the key to the text: `keys.operate` runs `:Acp undo`, `keep_or_undo` goes over the files that have the hunks,
-- `look` plans, `carry_out` finds the buffer, or loads the file for a moment, `in_buffer` finds what the file shall
-- hold, `rewrite` edits and saves the buffer, `rewrite_under_unsaved` does so and puts the unsaved lines back. `change`
-- records what has come of it. A turn goes the same way from `undo_turn`, and so does a redo from `redo`, which brings
-- its own plan. Where there is no file, none is made, unless an agent has deleted it.
local attached_buffers = require("acp_nvim.review.attached_buffers")
local backend_reports = require("acp_nvim.review.backend_reports")
local beside_unsaved = require("acp_nvim.review.beside_unsaved")
local cursors = require("acp_nvim.documents.cursors")
local diff = require("acp_nvim.documents.diff")
local edit = require("acp_nvim.documents.edit")
local edit_and_save = require("acp_nvim.documents.edit_and_save")
local encoding = require("acp_nvim.documents.encoding")
local file_before = require("acp_nvim.review.file_before")
local find = require("acp_nvim.documents.find")
local origin = require("acp_nvim.documents.origin")
local remove = require("acp_nvim.documents.remove")
local reviewed_text = require("acp_nvim.review.reviewed_text")
local settings = require("acp_nvim.config.settings")
local snapshots = require("acp_nvim.review.snapshots")
local standing = require("acp_nvim.review.standing")
local store = require("acp_nvim.review.store")
local text = require("acp_nvim.documents.text")
local undo_deletion = require("acp_nvim.review.undo_deletion")
local undo_standing = require("acp_nvim.review.undo_standing")
local undo_step = require("acp_nvim.documents.undo_step")

local api = vim.api
local M = {}

local TOUCHED = "your unsaved lines touch the change, :w first"
local UNSAVED = "gone, and the rest is unsaved, :w creates it"
local UNREAD = "the file has changed on disk, :e reads it"
local BEHIND = "the file changed on disk and the buffer has unsaved lines, :w or :e first"
local ELSEWHERE = "not undone: a link has come into its path"
local NO_TEXT = "not undone: the file is no longer text in the buffer's encoding"

---@class acp.HunkUndo
---@field file acp.ReviewedFile
---@field shape acp.FileShape   before what is undone
---@field what acp.UndoChoice
---@field plan acp.UndoPlan
---@field wanted string[]      the text without the changes
---@field saved? acp.Snapshot  the file under unsaved lines, as a redo puts it back
---@field saved_plan? acp.UndoPlan  which takes the changes out of the saved text, under unsaved lines
---@field record fun()         once the text is that
---@field is_whole boolean     nothing is left of whose lines those are: of a turn, or of all agents

---@class acp.UndoAnswer
---@field count? integer   hunks that are undone
---@field why? string      nothing is done, or not all
---@field locked? boolean  try again
---@field before? acp.FileBefore  of a turn: where lines were changed
---@field standing? acp.StandingBefore  where something else was put back

---@param file acp.ReviewedFile
---@param what acp.UndoChoice
---@return acp.HunkUndo
local function look(file, what)
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
    end,
  }
end

--- How the file is saved. The line end of the last line and the byte order mark go with the hunk that touches them;
--- once no hunk is left, all is as before the agent, or before the turn. Line ends and mark that were changed without
--- lines have a hunk of their own, and stay.
---@param undo acp.HunkUndo
---@param buf integer
---@param saved string[]  what the file shall hold
---@return acp.EditOptions
local function save_options(undo, buf, saved)
  local was, edits, chosen = undo.shape, undo.plan.edits, undo.plan.chosen
  local options = { by = { kind = "undo" }, autocmds = settings.get().fs.autocmds } ---@type acp.EditOptions
  options.before, options.after = text.rows(undo.file.text.lines), saved
  options.final = text.is_final(buf) and not text.is_void(buf)
  local last = chosen[#chosen]
  local had_newline = last and last.item.had_newline
  if had_newline ~= nil then
    options.final = had_newline
  elseif was.final ~= nil and (undo.is_whole or edits[#edits][2] == #undo.file.text.lines) then
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
---@param undo acp.HunkUndo
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
---@param undo acp.HunkUndo
---@param buf integer
---@param fn fun(): table  answers as `edit_and_save.run` does
---@param disk string[]  what the file holds then
---@param marks_lost? boolean  marks in the buffer may have lost their places
---@return acp.UndoAnswer
local function change(undo, buf, fn, disk, marks_lost)
  local file = undo.file
  local before = undo.what.written_by and file_before.look(file, buf) or nil -- for `:Acp redo`
  local said = attached_buffers.without_attribution(buf, fn)
  if not said.ok then
    attached_buffers.compare(file)
    return { why = "not undone: " .. said.error, locked = said.locked }
  end
  undo.record()
  attached_buffers.note_rows(file, undo.plan.edits)
  backend_reports.undone(file.path)
  if not said.saved or said.saved.changed then -- a formatter has run as it was saved
    snapshots.take_lines(file.text, text.of_buffer(buf).lines, true)
  end
  attached_buffers.in_step(file, marks_lost)
  remember_saved(undo, buf, disk)
  local saved = undo.saved_plan
  return { count = math.max(#undo.plan.chosen, saved and #saved.chosen or 0), before = before }
end

--- Deletes the file, or leaves it deleted. What the buffer holds beyond the hunks stays there, unsaved.
---@param undo acp.HunkUndo
---@param buf integer
---@param is_gone boolean
---@return acp.UndoAnswer
local function remove_file(undo, buf, is_gone)
  local answer = change(undo, buf, function()
    local edits = diff.of_buffer(undo.file.text.lines, undo.wanted)
    return remove.remove(buf, edits, { by = { kind = "undo" }, is_gone = is_gone })
  end, {}, true)
  for _, folder in ipairs(not answer.why and undo.file.made or {}) do
    vim.uv.fs_rmdir(folder) -- unless something else is in it
  end
  answer.why = answer.why or (#undo.wanted > 0 and UNSAVED or nil)
  return answer
end

--- Edits and saves a buffer without unsaved lines.
---@param undo acp.HunkUndo
---@param buf integer
---@return acp.UndoAnswer
local function rewrite(undo, buf)
  return change(undo, buf, function()
    local lines = undo.file.text.lines
    local edits = #lines > 0 and undo.plan.edits or diff.of_buffer(lines, undo.wanted)
    return edit_and_save.run(buf, edits, save_options(undo, buf, undo.wanted))
  end, undo.wanted)
end

--- Saves what the file shall hold; then the buffer gets its unsaved lines back, in the same undo step.
---@param undo acp.HunkUndo
---@param buf integer
---@param saved string[]
---@return acp.UndoAnswer
local function rewrite_under_unsaved(undo, buf, saved)
  local options = save_options(undo, buf, saved)
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

--- What the file shall hold, which has other lines than the buffer. Of what a turn has written nothing stays there, also
--- where the user has changed it in the buffer; a hunk that the user has changed there is not touched.
---@param undo acp.HunkUndo
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
---@param undo acp.HunkUndo
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
    return remove_file(undo, buf, false)
  elseif is_saved then
    return rewrite(undo, buf)
  elseif is_modified and origin.is_ahead(buf) then
    return { why = BEHIND }
  end
  return rewrite_under_unsaved(undo, buf, saved)
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

---@param undo acp.HunkUndo
---@return acp.UndoAnswer
local function carry_out(undo)
  local file = undo.file
  if file.deleted then
    return undo_deletion.undo(undo)
  end
  local stat = vim.uv.fs_lstat(file.path)
  if find.resolve(file.path) ~= file.path then
    return { why = ELSEWHERE }
  elseif stat and stat.type ~= "file" then
    return { why = "not undone: it is a " .. stat.type }
  elseif file.buf then
    return stat and M.in_buffer(undo, file.buf) or remove_file(undo, file.buf, true)
  elseif stat then
    return M.in_new_buffer(file, function(buf)
      local again = look(file, undo.what) -- the file may hold something else than was known of it
      return #again.plan.chosen > 0 and M.in_buffer(again, buf) or {}
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
  local undo = look(file, what)
  local ok, answer, notes = true, {}, undo.plan.standing ---@type boolean, acp.UndoAnswer, acp.UndoPlan?
  local left = what.written_by and store.left_of_turn(file, what.written_by) - (notes and #notes.chosen or 0) or 0
  if #undo.plan.chosen > 0 or left > 0 then
    ok, answer = pcall(carry_out, undo)
  end
  if ok and notes and not answer.locked then
    local lines = answer
    ok, answer = pcall(undo_standing.undo, file, notes)
    if ok and (lines.count or lines.why) then
      answer.count, answer.before = (answer.count or 0) + (lines.count or 0), lines.before
      answer.why = lines.why or answer.why
    end
  end
  return ok and answer or { why = "not undone: " .. edit.one_line(answer) }
end

return M
