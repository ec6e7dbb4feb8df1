-- Undoing hunks of a file: the agent's lines go, those before come back, in the buffer and on the disk, and nothing else
-- changes. All of it happens here, with or without a backend.
--
-- A buffer that is in step with its disk is edited and saved, as for an agent's write. Unsaved lines are never saved: the
-- disk gets its own text with the hunks undone, and the buffer stays modified. A file without a buffer gets one for a
-- moment. Where there is no file, none is made, unless an agent has deleted it.
local attach = require("acp_nvim.review.attach")
local beside_unsaved = require("acp_nvim.review.beside_unsaved")
local disk_text = require("acp_nvim.review.disk_text")
local edit = require("acp_nvim.documents.edit")
local edit_and_save = require("acp_nvim.documents.edit_and_save")
local find = require("acp_nvim.documents.find")
local diff = require("acp_nvim.documents.diff")
local pending_changes = require("acp_nvim.review.pending_changes")
local origin = require("acp_nvim.documents.origin")
local remove = require("acp_nvim.documents.remove")
local settings = require("acp_nvim.config.settings")
local store = require("acp_nvim.review.store")
local sync = require("acp_nvim.documents.sync")
local text = require("acp_nvim.documents.text")
local to_backend = require("acp_nvim.review.to_backend")
local undo_step = require("acp_nvim.documents.undo_step")

local api = vim.api
local M = {}

local TOUCHED = "unsaved lines touch it: :w first"
local UNSAVED = "the rest is unsaved, its file is gone: :w makes it"
local BEHIND = "its file has changed on disk, and it has unsaved lines: :w or :e first"

---@class acp.Undoing
---@field file acp.ReviewedFile
---@field chosen acp.Placed[]
---@field edits acp.Edit[]
---@field wanted string[]   the text without the hunks
---@field is_all boolean    nothing of an agent's is left

---@class acp.UndoAnswer
---@field count? integer   hunks that are undone
---@field why? string      nothing is done, or not all
---@field locked? boolean  try again

---@param file acp.ReviewedFile
---@param ids table<integer, any>
---@return acp.Undoing
local function undoing(file, ids)
  local chosen, edits = pending_changes.chosen(file.text, ids), pending_changes.undoing(file.text, ids)
  return {
    file = file,
    chosen = chosen,
    edits = edits,
    wanted = diff.apply(file.text.lines, edits),
    is_all = #chosen == #file.text.known.blocks.rows,
  }
end

--- Line ends as they are; with the last hunk as they were, and either end of the file with the hunk there.
---@param step acp.Undoing
---@param buf integer
---@return table
local function format(step, buf)
  local was, first, last = step.file.shape, step.edits[1], step.edits[#step.edits]
  local found = { by = { kind = "undo" }, autocmds = settings.get().fs.autocmds }
  local had_newline = step.chosen[#step.chosen].item.had_newline
  found.final = text.is_final(buf) and not text.is_void(buf)
  if had_newline ~= nil then
    found.final = had_newline
  elseif was.final ~= nil and (step.is_all or last[2] == #step.file.text.lines) then
    found.final = was.final
  end
  if was.bomb and (step.is_all or first[1] == 0) then
    found.bomb = true
  end
  if step.is_all then
    found.ff, found.fenc = was.ff, was.fenc ~= "" and was.fenc or nil
  end
  return found
end

--- The edits in rows of the buffer: a text without lines has one.
---@param lines string[]
---@param wanted string[]
---@param edits? acp.Edit[]
---@return acp.Edit[]
local function in_rows(lines, wanted, edits)
  if #lines == 0 or #wanted == 0 then
    return { { 0, math.max(#lines, 1), wanted } }
  end
  return edits or diff.edits(lines, wanted)
end

--- It is done: what that makes of what is known.
---@param step acp.Undoing
local function done(step)
  local file = step.file
  local ids = {}
  for _, placed in ipairs(step.chosen) do
    ids[placed.item.id], file.listed[placed.item.id] = true, true
  end
  pending_changes.undo(file.text, ids)
  attach.touched(file, step.edits)
  for _, lost in ipairs(file.deleted and file.text.known.lost or {}) do
    lost.restored = lost.undone ~= nil or nil
  end
  file.deleted = false
  to_backend.undone(file.path)
end

--- `fn` changes the buffer; what it has become is compared with what was wanted.
---@param step acp.Undoing
---@param buf integer
---@param fn fun(): table  as edit_and_save.run and the like answer
---@param anew? boolean
---@return acp.UndoAnswer
local function change(step, buf, fn, anew)
  local said = attach.deafly(buf, fn)
  if not said.ok then
    local why = said.error or "its buffer changes too fast"
    attach.compare(step.file)
    return { why = "not undone: " .. why, locked = said.locked }
  end
  done(step)
  if not said.saved or said.saved.changed then
    attach.became(step.file, attach.lines(buf), true) -- a formatter that runs as it is saved
  end
  attach.settled(step.file, anew)
  if not vim.bo[buf].modified then
    attach.remember_saved(step.file)
  end
  return { count = #step.chosen }
end

-- The disk's text -----------------------------------------------------------------------------------------------------

--- What the disk holds, in the encoding and line ends of the buffer.
---@param buf integer
---@param lines string[]
---@return string[]?  nil: it is no text in them; the same table if those are its lines
local function disk_lines(buf, lines)
  local bytes, ff = disk_text.bytes(api.nvim_buf_get_name(buf)), vim.bo[buf].fileformat
  local encoding = vim.bo[buf].fileencoding
  if bytes and encoding ~= "" and encoding ~= "utf-8" then
    bytes = vim.iconv(bytes, encoding, "utf-8")
  end
  if bytes and ff == "unix" and #lines > 0 then -- ten times as fast as to split it
    local text = table.concat(lines, "\n")
    if bytes == text .. "\n" or bytes == text then
      return lines
    end
  end
  return bytes and disk_text.rows(bytes, ff)
end

---@param one string[]
---@param other string[]
---@return boolean
local function is_same(one, other)
  return #diff.edits(one, other) == 0
end

--- The file goes, or is gone. What its buffer has beyond the hunks stays there, unsaved.
---@param step acp.Undoing
---@param buf integer
---@param is_gone boolean
---@return acp.UndoAnswer
local function remove_file(step, buf, is_gone)
  local list = in_rows(step.file.text.lines, step.wanted, step.edits)
  local answer = change(step, buf, function()
    return remove.remove(buf, list, { by = { kind = "undo" }, is_gone = is_gone })
  end, true)
  answer.why = answer.why or (#step.wanted > 0 and UNSAVED or nil)
  return answer
end

--- The buffer becomes the disk's text without the hunks, and is saved; then its unsaved lines come back.
---@param step acp.Undoing
---@param buf integer
---@param left string[]  of the disk's lines; the same table as `wanted`: nothing is unsaved
---@return acp.UndoAnswer
local function rewrite(step, buf, left)
  local rows, is_beside = step.file.text.lines, left ~= step.wanted
  local list, options = in_rows(rows, left, not is_beside and step.edits or nil), format(step, buf)
  options.autocmds = not is_beside and options.autocmds
  options.before, options.after = text.rows(rows), left
  local put_cursors_back = is_beside and sync.hold_cursors(buf, rows, step.wanted)
  return change(step, buf, function()
    local said = edit_and_save.run(buf, list, options)
    if said.ok and put_cursors_back then
      api.nvim_buf_call(buf, function()
        vim.cmd("silent! undojoin")
      end)
      edit.apply(buf, in_rows(left, step.wanted))
      put_cursors_back()
      undo_step.break_undo(buf)
    end
    return said
  end, is_beside)
end

---@param step acp.Undoing
---@param buf integer
---@return acp.UndoAnswer
local function in_buffer(step, buf)
  local file = step.file
  local stat = vim.uv.fs_stat(file.path)
  if not stat then
    return remove_file(step, buf, true)
  elseif stat.type ~= "file" then
    return { why = "not undone: it is a " .. stat.type }
  end
  local disk = disk_lines(buf, file.text.lines)
  if not disk then
    return { why = "not undone: it is no text in the buffer's encoding any more" }
  end
  local was_in_step = disk == file.text.lines or is_same(disk, file.text.lines)
  local left = was_in_step and step.wanted or beside_unsaved.without(file.text.lines, step.edits, disk)
  if not left then
    return { why = TOUCHED }
  elseif file.created and step.is_all and #left == 0 then
    return remove_file(step, buf, false)
  elseif not was_in_step and vim.bo[buf].modified and origin.is_ahead(buf) then
    return { why = BEHIND }
  end
  return rewrite(step, buf, left)
end

--- A file without a buffer: it gets one for a moment, or for good if it goes; then `u` and `:w` bring it back.
---@param file acp.ReviewedFile
---@param ids table<integer, any>
---@return acp.UndoAnswer
local function in_new_buffer(file, ids)
  local stat = vim.uv.fs_stat(file.path)
  if not stat then
    pending_changes.keep(file.text, ids) -- whoever has deleted the file wants nothing of it back
    return {}
  elseif stat.type ~= "file" then
    return { why = "not undone: " .. (stat.type == "directory" and "Is a directory" or "it is no file") }
  end
  local buf = remove.load(file.path)
  if not buf then
    return { why = "not undone: it cannot be read" }
  end
  attach.follow(file, buf)
  local step = undoing(file, ids)
  local answer = #step.chosen > 0 and in_buffer(step, buf) or {}
  if vim.uv.fs_stat(file.path) and #vim.fn.win_findbuf(buf) == 0 and not vim.bo[buf].modified then
    vim.cmd(("noautocmd bwipeout! %d"):format(buf))
  end
  return answer
end

--- An agent has deleted the file: it is made again, as it was.
---@param step acp.Undoing
---@return acp.UndoAnswer
local function bring_back(step)
  local file = step.file
  vim.fn.mkdir(vim.fs.dirname(file.path), "p")
  local why = find.resolve(file.path) ~= file.path and "its path leads elsewhere now"
    or disk_text.create(file.path, step.wanted, file.shape, file.mode)
  if why then
    if vim.uv.fs_stat(file.path) then -- somebody has made it
      attach.come_back(file)
      attach.became(file, (disk_text.read(file.path) or { lines = {} }).lines, true)
      return {}
    end
    return { why = "not undone: " .. why }
  end
  local buf, before = find.find(file.path), file.undeleted.lines
  done(step)
  attach.remember_saved(file)
  if not buf then
    return { count = #step.chosen }
  end
  local rows, disk = attach.lines(buf), step.wanted
  local own = vim.bo[buf].modified and beside_unsaved.without(before, diff.edits(before, disk), rows)
  local said = sync.put(buf, disk, own or disk, { kind = "undo" })
  attach.follow(file, buf)
  return {
    count = #step.chosen,
    why = not said.ok and ("its buffer keeps its lines: %s"):format(said.error or "it has changed") or nil,
  }
end

--- Undoes those of the hunks that are pending.
---@param file acp.ReviewedFile
---@param ids table<integer, any>
---@return acp.UndoAnswer
function M.file(file, ids)
  attach.settle()
  local step = undoing(file, ids)
  if #step.chosen == 0 then
    return {}
  end
  local ok, answer = pcall(function()
    if file.deleted then
      return bring_back(step)
    elseif file.buf then
      return in_buffer(step, file.buf)
    end
    return in_new_buffer(file, ids)
  end)
  return ok and answer or { why = "not undone: " .. edit.one_line(answer) }
end

return M
