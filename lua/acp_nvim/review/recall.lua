-- Brings files of a project into review again that an earlier Neovim has left there. What has changed in a file since
-- is somebody else's edit; if a turn was still open when that Neovim ended, nobody knows whose it is, and it waits.
local attached_buffers = require("acp_nvim.review.attached_buffers")
local diff = require("acp_nvim.documents.diff")
local disk_file = require("acp_nvim.review.disk_file")
local find = require("acp_nvim.documents.find")
local limits = require("acp_nvim.limits")
local owners = require("acp_nvim.review.owners")
local record = require("acp_nvim.review.record")
local records = require("acp_nvim.project.records")
local refresh = require("acp_nvim.review.refresh")
local remember = require("acp_nvim.review.remember")
local reviewed_text = require("acp_nvim.review.reviewed_text")
local snapshots = require("acp_nvim.review.snapshots")
local session_store = require("acp_nvim.backend.session_store")
local reviewed_files = require("acp_nvim.review.reviewed_files")
local unasked_message = require("acp_nvim.ui.unasked_message")

local M = {}

---@class acp.Recalled  what became of the records of a project
---@field gone string[]     files that are not there any more
---@field changed string[]  files too large to be followed that have changed since
---@field unknown string[]  files that have changed while a turn was open

--- The text of a file that a record is about. Nothing is done where a link or a folder has come to stand.
---@param one acp.FileRecord
---@return acp.Text?  nil: there is no such file
local function text_of(one)
  local stat, folder = vim.uv.fs_lstat(one.path), vim.fs.dirname(one.path)
  local is_there = stat and (one.standing or stat.type == "file") and find.resolve(folder) == folder
  return is_there and disk_file.read(one.path, one.facts.shape) or nil
end

--- Brings one file into review again.
---@param root string
---@param one acp.FileRecord
---@param cut acp.RecordedTurn?  a turn that was cut short: what has changed since may be its
---@param found acp.Recalled
local function enter(root, one, cut, found)
  local name = vim.fs.basename(one.path)
  local here = text_of(one)
  if not here and record.is_in_review(one) and not (one.facts.deleted or one.facts.removed) then
    found.gone[#found.gone + 1] = name
    return remember.let_go(root, one)
  end
  local now = here and here.lines or {}
  local lines = one.lines or (record.stamp(one.path) == one.stamp and now or nil)
  local edits = lines and diff.edits(lines, now)
  if not edits then
    found.changed[#found.changed + 1] = name
    return remember.let_go(root, one)
  elseif not record.is_in_review(one) and (#edits == 0 or not here or not cut) then
    return
  end
  local file = record.enter(one, lines, vim.tbl_map(owners.number, one.owners))
  remember.has_read(file, root, one)
  if cut and #edits > 0 and not remember.is_elsewhere(one.writer) then
    found.unknown[#found.unknown + 1] = name
    local author = { session = owners.number(cut.owner), turn = cut.turn, by = "unknown" }
    reviewed_text.agent(file.text, edits, author)
  else
    reviewed_text.others(file.text, edits)
  end
  file.deleted = file.deleted and not here
  snapshots.take(file.text, file.deleted and "undeleted" or "saved")
  attached_buffers.meet(file)
  refresh.file(file, 0, #file.text.lines)
end

---@param names string[]
---@return string
local function listed(names)
  return #names > 3 and ("%s and %d more"):format(table.concat(names, ", ", 1, 3), #names - 3)
    or table.concat(names, ", ")
end

---@param found acp.Recalled
local function tell(found)
  local function show(names, format)
    if #names > 0 then
      unasked_message.show("warn", format:format(listed(names)))
    end
  end
  show(found.gone, "review: %s: gone since, with the changes that waited")
  show(found.changed, "review: %s: changed since, the earlier text is not known any more")
  show(found.unknown, "review: a turn was cut short, what has changed since waits: %s")
end

--- Reads what waits in a project.
---@param root string
function M.load(root)
  local decided = {} ---@type string[]  records of files in which nothing waits
  local found, cut_short = { gone = {}, changed = {}, unknown = {} }, remember.cut_short(root)
  for _, name in ipairs(records.names(root, remember.PREFIX)) do
    local which = { name = name, version = record.VERSION }
    local one = records.read(root, which)
    if one and not record.is_record(one) then
      records.set_aside(root, which, "it has not what a record has")
    elseif one and one.gone then
      decided[#decided + 1] = name
    elseif one and not reviewed_files.files[one.path] then
      enter(root, one, cut_short[#cut_short], found)
    end
  end
  records.prune(root, decided, limits.TURN_SECONDS, limits.DECIDED_RECORDS_BYTES)
  if #cut_short > 0 then
    remember.close_cut_short(root)
  end
  tell(found)
end

remember.on_taken_up.add(function(file)
  refresh.file(file, 0, #file.text.lines)
end)

-- A session is loaded, resumed or replayed: what it has left is its own again.
session_store.on_change(function(n)
  local earlier = owners.adopt(n)
  if earlier then
    reviewed_files.renumber(earlier, n)
    refresh.all()
  end
end)

return M
