-- Brings files of a project into review again that an earlier Neovim has left there. What has changed in a file since
-- is somebody else's edit; if a turn was still open when that Neovim ended, nobody knows whose it is, and it waits.
local attached_buffers = require("acp_nvim.review.attached_buffers")
local diff = require("acp_nvim.documents.diff")
local disk_file = require("acp_nvim.review.disk_file")
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

--- Brings one file into review again.
---@param one acp.FileRecord
---@param found acp.Recalled
local function enter(one, found)
  local name = vim.fs.basename(one.path)
  local here = disk_file.read(one.path)
  if not here and not (one.facts.deleted or one.facts.removed) then
    found.gone[#found.gone + 1] = name
    return
  end
  local now = here and here.lines or {}
  local lines = one.lines or (record.stamp(one.path) == one.stamp and now or nil)
  if not lines then
    found.changed[#found.changed + 1] = name
    return
  end
  local sessions = vim.tbl_map(owners.number, one.owners)
  local file = record.enter(one, lines, sessions)
  file.is_recalled = true
  file.writer = remember.is_elsewhere(one.writer) and one.writer or nil
  local edits = diff.edits(lines, now)
  if one.open and not file.writer and #edits > 0 then
    found.unknown[#found.unknown + 1] = name
    reviewed_text.agent(file.text, edits, { session = sessions[one.open.owner], turn = one.open.turn, by = "unknown" })
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
  local found = { gone = {}, changed = {}, unknown = {} }
  for _, name in ipairs(records.names(root, remember.PREFIX)) do
    local which = { name = name, version = record.VERSION }
    local one = records.read(root, which)
    if one and not record.is_record(one) then
      records.set_aside(root, which, "it has not what a record has")
    elseif one and not reviewed_files.files[one.path] and record.is_in_review(one) then
      enter(one, found)
    end
  end
  tell(found)
end

-- A session is loaded, resumed or replayed: what it has left is its own again.
session_store.on_change(function(n)
  local earlier = owners.adopt(n)
  if earlier then
    reviewed_files.renumber(earlier, n)
    refresh.all()
  end
end)

return M
