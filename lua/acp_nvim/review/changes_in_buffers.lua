-- Takes up changes that the documents room makes in loaded buffers, for an agent or for another program that has
-- changed the disk. The room reports each before and after, and whose edits it is made of.
local agent_edits = require("acp_nvim.review.agent_edits")
local attached_buffers = require("acp_nvim.review.attached_buffers")
local changes = require("acp_nvim.documents.changes")
local diff = require("acp_nvim.documents.diff")
local disk_file = require("acp_nvim.review.disk_file")
local patches = require("acp_nvim.documents.patch")
local refresh = require("acp_nvim.review.refresh")
local remember = require("acp_nvim.review.remember")
local reviewed_files = require("acp_nvim.review.reviewed_files")
local reviewed_text = require("acp_nvim.review.reviewed_text")
local snapshots = require("acp_nvim.review.snapshots")
local text = require("acp_nvim.documents.text")
local turns = require("acp_nvim.review.turns")

local api = vim.api

---@class acp.BufferBefore  a buffer before a change for an agent
---@field lines string[]
---@field shape acp.FileShape
---@field seq integer  the state of its undo tree
---@field reread? boolean  Neovim has read the file again, after the edits were made

local before_changes = {} ---@type table<acp.BufferChange, acp.BufferBefore>

-- Before --------------------------------------------------------------------------------------------------------------

---@param change acp.BufferChange
---@return acp.BufferBefore
local function look(change)
  local buf = change.buf
  local bo, is_void = vim.bo[buf], text.is_void(buf)
  local final = is_void or text.is_final(buf)
  local shape = { final = final, ff = bo.fileformat, bomb = bo.bomb, fenc = bo.fileencoding }
  return { lines = is_void and {} or change.before, shape = shape, seq = attached_buffers.undo_state(buf) }
end

--- Notices that an autocommand has the file written by another program and opens it again.
---@param change acp.BufferChange
---@param before acp.BufferBefore
local function notice_rereading(change, before)
  local function reread()
    before.reread = before.reread or change.phase == "applied"
  end
  api.nvim_buf_attach(change.buf, false, {
    on_lines = function()
      return change.phase == "ended"
    end,
    on_reload = reread,
    on_detach = reread,
  })
end

--- A file as the disk has it, before a turn writes it first.
---@param path string
---@return acp.ReviewedFile
local function of_disk(path)
  local found = disk_file.read(path)
  local file = reviewed_files.new(path, path, found and found.lines or {})
  file.shape = found and { final = found.final, ff = found.ff, bomb = found.bom } or {}
  file.created, file.made = not found, not found and disk_file.missing_folders(path) or nil
  return file
end

local function on_begins(change)
  if change.by and change.by.kind ~= "undo" then
    attached_buffers.settle()
    turns.begin(change.by.session, change.by.turn)
    before_changes[change] = look(change)
    remember.before_write(change.path, change.by, function()
      local before = before_changes[change]
      if vim.bo[change.buf].modified or change.created then
        return of_disk(change.path)
      end
      local file = reviewed_files.new(change.path, change.path, before.lines)
      file.shape = before.shape
      return file
    end)
    notice_rereading(change, before_changes[change])
  elseif reviewed_files.files[change.path] then
    attached_buffers.settle()
  end
end

-- After ---------------------------------------------------------------------------------------------------------------

--- What a step makes of a text without any line, or leaves as one: its rows are those of a buffer, which has an empty
--- one.
local function take_rows(file, change, step)
  local lines = diff.apply(text.rows(file.text.lines), step.edits)
  lines = #lines == 1 and lines[1] == "" and text.of_buffer(change.buf).lines or lines
  if step.by then
    agent_edits.take(file, lines, step.by)
  else
    reviewed_text.others(file.text, diff.edits(file.text.lines, lines))
  end
end

---@param file acp.ReviewedFile
---@param change acp.BufferChange
---@param is_reread? boolean
local function take_steps(file, change, is_reread)
  for _, step in ipairs(change.steps or {}) do
    if #file.text.lines == 0 or #change.before == 1 then
      take_rows(file, change, step)
    elseif step.by then
      agent_edits.add(file, step.edits, step.capped, step.by)
    else
      reviewed_text.others(file.text, step.edits)
      attached_buffers.note_rows(file, step.edits)
    end
  end
  if change.exact then
    return
  end
  local lines = text.of_buffer(change.buf).lines
  if change.by and not is_reread then
    agent_edits.take(file, lines, change.by) -- what an autocommand has made of it as it was saved
  else
    snapshots.take_lines(file.text, lines, true)
  end
end

--- Takes over what the backend knows of the file, before and after the change.
local function take_facts(file, by, before)
  file.given = by.given or file.given
  if by.was_there ~= nil then
    local on_disk = { final = by.was_final, ff = by.was_dos and "dos" or "unix", mode = by.mode }
    agent_edits.begin(file, by, by.was_there, vim.tbl_extend("force", before.shape, on_disk))
  end
  if by.is_final ~= nil then
    reviewed_text.last_newline(file.text, by.was_final, by.is_final, agent_edits.author_of(by))
  end
end

--- The saved text, of the present one: what it holds under unsaved lines is not what these were typed over.
---@param file acp.ReviewedFile
---@param change acp.BufferChange
---@return acp.Patch?  nil: it is not known, or an empty file was written
local function saved_text(file, change)
  local saved, is_void = file.text.snapshots.saved, #file.text.lines == 0 or #change.before == 1
  return change.disk and saved and not is_void and patches.between(file.text.lines, saved.lines) or nil
end

---@param file acp.ReviewedFile
---@param change acp.BufferChange
---@param under? acp.Patch  the saved text, of the one before the change
local function remember_saved(file, change, under)
  if change.disk and under then
    local steps = vim.tbl_map(function(step)
      local by = step.by
      return {
        edits = step.edits,
        author = by and agent_edits.author_of(by),
        is_allowed = by and function(lines)
          return agent_edits.allowed(by.asked, lines)
        end,
      }
    end, change.steps or {})
    snapshots.write_saved(file.text, under, steps, change.disk)
  elseif change.disk then
    snapshots.take(file.text, "saved", diff.edits(file.text.lines, change.disk))
  elseif not vim.bo[change.buf].modified then
    snapshots.take(file.text, "saved")
  end
end

--- The file of the change, with the text of before.
---@param change acp.BufferChange
---@param before acp.BufferBefore
---@return acp.ReviewedFile
local function enter(change, before)
  local file = reviewed_files.files[change.path]
  if not file then
    file = reviewed_files.enter(change.path, change.path, before.lines)
    file.created, file.shape = change.created or false, before.shape
  end
  snapshots.restore_undeleted(file)
  if file.buf ~= change.buf then
    snapshots.take_lines(file.text, before.lines, true)
    reviewed_text.forget_moments(file.text)
    reviewed_text.remember(file.text, before.seq)
    file.last_buf = change.buf
  end
  return file
end

---@param change acp.BufferChange
local function on_ended(change)
  local before, file = before_changes[change], reviewed_files.files[change.path]
  before_changes[change] = nil
  local is_undo = change.by and change.by.kind == "undo" -- who undoes hunks says so
  local was_deleted = file ~= nil and file.deleted
  if is_undo or not change.ok or not api.nvim_buf_is_loaded(change.buf) then
    return
  elseif before then
    file = enter(change, before)
  elseif not file then
    return
  elseif file.buf ~= change.buf then
    return attached_buffers.meet(file)
  else
    snapshots.restore_undeleted(file)
  end
  local under = saved_text(file, change)
  if before and was_deleted then -- to the steps the file was empty, but its deletion was the agent's, too
    agent_edits.take(file, text.of_buffer(change.buf).lines, change.by)
  else
    take_steps(file, change, before and before.reread)
  end
  if before then
    take_facts(file, change.by, before)
  end
  if file.buf == change.buf then
    attached_buffers.in_step(file, change.marks_lost)
  else
    attached_buffers.follow(file, change.buf, true)
  end
  refresh.file(file, 0, -1) -- the end of the file may be all that is another
  remember_saved(file, change, not was_deleted and under or nil)
end

---@param path string
---@param by acp.By
local function on_unloaded(path, by)
  attached_buffers.settle()
  turns.begin(by.session, by.turn)
  remember.before_write(path, by, function()
    return of_disk(path)
  end)
end

changes.subscribe({ begins = on_begins, ended = on_ended, unloaded = on_unloaded })
