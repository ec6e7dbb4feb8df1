-- Brings a change on disk into the loaded buffer of the file, and keeps the user's changes. An unmodified buffer gets
-- the disk's text; into a modified one the change is merged, and it stays modified. If both have changed the same
-- lines, nothing is done: the user has to be asked.
--
--   the buffer was read as  a b c;  the user has  a b c d, unsaved;  the disk has  a B c
--   the buffer becomes a B c, which is what Neovim then knows the file by, and a B c d: one undo step, modified
local changes = require("acp_nvim.documents.changes")
local cursors = require("acp_nvim.documents.cursors")
local diff = require("acp_nvim.documents.diff")
local edit = require("acp_nvim.documents.edit")
local encoding = require("acp_nvim.documents.encoding")
local file_timestamp = require("acp_nvim.documents.file_timestamp")
local find = require("acp_nvim.documents.find")
local locked = require("acp_nvim.documents.locked")
local merge = require("acp_nvim.documents.merge")
local origin = require("acp_nvim.documents.origin")
local patches = require("acp_nvim.documents.patch")
local text = require("acp_nvim.documents.text")
local undo_step = require("acp_nvim.documents.undo_step")

local api = vim.api
local M = {}

local TRIES = 5 -- each finds a disk that has changed once more

---@class acp.KnownText        what the disk held when the backend last looked
---@field text? string         of a write: without it the file is as it was, and the stamp tells
---@field stamp? acp.Stamp
---@field asked? acp.Stamp     of the file that an open question is about: what was saved since is the user's
---@field others? boolean      no call of an agent can have changed it since

---@class acp.Settled
---@field live string       the buffer's text as the user was asked
---@field text string       what the user wants in the place of both
---@field disk acp.Stamp    of the file that the question was about

---@class acp.SyncRequest
---@field path string       resolved
---@field by? acp.By        who has changed the disk
---@field known? acp.KnownText
---@field echoes? string[]  if the disk holds one of them, the buffer has taken it up before, by a write of the agent's
---@field settled? acp.Settled
---@field waits? boolean    do not take up an empty file: whoever writes one empties it first
---@field typed? acp.TypedLines

---@class acp.SyncPlan
---@field live acp.Text
---@field disk acp.Text
---@field wanted acp.Text
---@field fenc string
---@field edits acp.Edit[]    from the live text to the disk's
---@field is_capped? boolean  they are one, as there would be too many
---@field steps acp.Step[]

--- Gives the buffer the disk's text, then the user's unsaved lines again. If there are too many edits, Neovim reads the
--- text by itself.
---@param buf integer
---@param plan acp.SyncPlan
---@return boolean same  false: the disk has another text by now
local function change_and_agree(buf, plan)
  local is_behind = not vim.bo[buf].modified and not text.same_lines(plan.live.lines, plan.disk.lines)
  if not is_behind and not origin.is_ahead(buf) and text.same_lines(plan.live.lines, plan.wanted.lines) then
    return true -- the buffer has taken this up before: an empty undo step would swallow the user's next `u`
  end
  local rows, list = text.rows(plan.disk.lines), plan.edits
  local after = diff.of_buffer(plan.disk.lines, plan.wanted.lines)
  local differed = vim.bo[buf].modified or #list > 0
  local put_cursors_back = #after > 0 and cursors.hold(buf, text.rows(plan.live.lines))
  local disk = plan.disk
  undo_step.break_undo(buf)
  if not plan.is_capped then
    edit.apply(buf, list)
  end
  local final = disk.final and #disk.lines > 0
  edit.set_format(
    buf,
    disk.binary and { final = final } or { final = final, bomb = disk.bom, ff = disk.ff, fenc = plan.fenc }
  )
  if not file_timestamp.agree(buf, differed, rows, plan.is_capped) then
    return false
  end
  if #after > 0 then
    if #list > 0 then
      api.nvim_buf_call(buf, function()
        vim.cmd("silent! undojoin")
      end)
    end
    edit.apply(buf, after)
  end
  if put_cursors_back then
    put_cursors_back(text.rows(plan.wanted.lines))
  end
  undo_step.break_undo(buf)
  return true
end

--- Returns the text that the unsaved lines build on.
---@param buf integer
---@param request acp.SyncRequest
---@param disk acp.Text
---@return acp.Text? base  nil: nobody can tell
---@return boolean is_echo
local function base_of(buf, request, disk)
  for _, echo in ipairs(request.echoes or {}) do
    if text.same_lines(text.split(echo, disk.ff, disk.binary).lines, disk.lines) then
      return disk, true
    end
  end
  if request.known and request.known.stamp then
    origin.recognise(buf, request.known.stamp, request.known.text)
  end
  local data = origin.data(buf)
  return data and encoding.text(buf, data) or nil, false -- whose line ends may be others than the disk's
end

--- Returns the steps of the change, by author. The buffer may be behind what the disk held before the agent's write.
---@param buf integer
---@param request acp.SyncRequest
---@param base? acp.Text
---@param plan acp.SyncPlan
---@return acp.Step[]
local function steps_of(buf, request, base, plan)
  local known, live, wanted = request.known, plan.live, plan.wanted
  local edits, is_capped = plan.edits, plan.is_capped
  if wanted ~= plan.disk then
    edits, is_capped = diff.of_buffer(live.lines, wanted.lines)
  end
  local all = { { by = request.by, edits = edits, capped = is_capped } }
  if request.typed and #edits > 0 then
    all = changes.steps(live.lines, live.lines, wanted.lines, request.by, request.typed)
  end
  if
    not known
    -- one of the two has read the file while it was written, half or empty: the buffer has gone on since then
    or origin.is_attributed(buf, known.stamp)
    or origin.is_saved_since(buf, known.asked or known.stamp)
    or origin.is_saved_unnoticed(buf, #plan.edits == 0)
  then
    return all
  end
  local before = text.split(known.text, plan.disk.ff == "mac" and "mac" or nil)
  if vim.bo[buf].modified then
    before = text.split(known.text, plan.disk.ff)
    local ahead, apart = merge.texts(base, live, before)
    if apart then -- the user has typed over what the agent has made: the lines stand beside its change
      local disk, lines = plan.disk.lines, wanted.lines
      local earlier = patches.up(patches.between(lines, disk), diff.edits(disk, before.lines), lines)
      ahead = text.with(before, { lines = diff.apply(lines, earlier) })
    end
    before = ahead
  end
  return changes.steps(live.lines, before.lines, wanted.lines, request.by, #edits > 0 and request.typed or nil)
end

---@param mine acp.Text
---@param agents acp.Text
---@param live acp.Text
---@param disk acp.Text
---@param stamp acp.Stamp
---@param is_coarse? boolean
---@return table
local function overlap(mine, agents, live, disk, stamp, is_coarse)
  return {
    overlap = {
      mine = text.whole(mine),
      agents = text.whole(agents),
      live = text.whole(live),
      disk_text = text.whole(disk),
      disk = stamp,
      coarse = is_coarse or nil,
    },
  }
end

---@param buf integer
---@param request acp.SyncRequest
---@return acp.SyncPlan?
---@return table? answer
local function plan_of(buf, request)
  local data, stamp = origin.read(buf)
  if not data then
    return nil, { gone = true }
  end
  local disk, fenc = encoding.text(buf, data)
  if not disk then
    return nil, { missed = "it is no longer text in the buffer's encoding" }
  end
  local live = text.with(text.of_buffer(buf), { ff = disk.ff })
  if request.waits and data == "" and #live.lines > 0 then
    return nil, { emptied = true }
  end
  local base, is_echo = base_of(buf, request, disk)
  local edits, is_capped = diff.of_buffer(live.lines, disk.lines)
  local plan =
    { live = live, disk = disk, wanted = disk, fenc = fenc, edits = edits, is_capped = is_capped, steps = {} }
  if vim.bo[buf].modified or is_echo then
    local from, theirs, settled = base, disk, request.settled
    if settled and vim.deep_equal(settled.disk, stamp) then
      from, theirs = text.split(settled.live, disk.ff, disk.binary), text.split(settled.text, disk.ff, disk.binary)
    end
    local mine, agents, is_coarse = merge.texts(from, live, theirs)
    if agents then
      return nil, overlap(mine, agents, live, disk, stamp, is_coarse)
    end
    plan.wanted = mine
  end
  plan.steps = steps_of(buf, is_echo and vim.tbl_extend("force", request, { known = false }) or request, base, plan)
  return plan
end

---@param buf integer
---@param plan acp.SyncPlan
---@param by? acp.By
---@return table? answer  nil: the disk has changed once more
local function carry_out(buf, plan, by)
  local before = undo_step.remember(buf)
  local tick = api.nvim_buf_get_changedtick(buf)
  local change = changes.begin({
    buf = buf,
    path = find.resolve(api.nvim_buf_get_name(buf)),
    by = by,
    before = text.rows(plan.live.lines),
    marks_lost = true,
    disk = plan.wanted ~= plan.disk and text.rows(plan.disk.lines) or nil,
  })
  local ok, same = pcall(change_and_agree, buf, plan)
  if ok and same then
    local record = by and by.kind ~= "undo" and origin.record_attributed or origin.record
    record(buf)
    changes.applied(change, plan.steps)
    changes.finish(change, true, true)
    return { ok = true }
  end
  if api.nvim_buf_get_changedtick(buf) ~= tick then
    undo_step.take_back(buf, before)
  end
  changes.finish(change, false)
  return not ok and { missed = edit.one_line(same) } or nil
end

---@param buf integer
---@param request acp.SyncRequest
---@return table? answer  nil: the disk has changed once more
local function sync_once(buf, request)
  local plan, answer = plan_of(buf, request)
  if not plan then
    return answer
  end
  return carry_out(buf, plan, request.by)
end

--- Gives the buffer the text of its file, and on top of it lines that stay unsaved.
---@param buf integer
---@param lines string[]   of the file
---@param wanted string[]  of the buffer
---@param by acp.By
---@return table answer  { ok } | { error }
function M.put(buf, lines, wanted, by)
  local why = locked.why_not_read(buf)
  if why then
    return { error = "it waits until you " .. why, locked = true }
  end
  local live = text.of_buffer(buf)
  local disk = text.with(live, { lines = lines })
  local plan = { live = live, disk = disk, fenc = vim.bo[buf].fileencoding } ---@type table
  plan.wanted = text.with(disk, { lines = wanted })
  plan.edits, plan.is_capped = diff.of_buffer(live.lines, lines)
  plan.steps = { { by = by, edits = diff.of_buffer(live.lines, wanted) } }
  local answer = carry_out(buf, plan, by) or { missed = "its file has changed again" }
  return { ok = answer.ok, error = answer.missed }
end

--- Lets a loaded buffer take up what its file holds.
---@param request acp.SyncRequest
---@return table answer  { ok } | { not_loaded } | { gone } | { locked } | { missed = why } | { overlap } | { emptied }
function M.sync(request)
  local buf = find.find(request.path)
  if not buf then
    return { not_loaded = true }
  elseif not origin.stamp(buf) then
    return { gone = true }
  elseif not vim.bo[buf].modifiable then
    return { missed = "E21: Cannot make changes, 'modifiable' is off" }
  end
  local why = locked.why_not_read(buf)
  if why then
    locked.wait_for(buf, request.path)
    return { locked = why }
  end
  for _ = 1, TRIES do
    local answer = sync_once(buf, request)
    if answer then
      return answer
    end
  end
  return { missed = "it changes faster than it can be read" }
end

return M
