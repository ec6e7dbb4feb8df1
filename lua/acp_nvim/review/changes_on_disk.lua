-- Takes up changes on disk that the backend reports: an agent has written, created or deleted a file that no buffer
-- holds, or a program has changed it that no tool call has announced.
local agent_edits = require("acp_nvim.review.agent_edits")
local attached_buffers = require("acp_nvim.review.attached_buffers")
local disk_file = require("acp_nvim.review.disk_file")
local refresh = require("acp_nvim.review.refresh")
local reviewed_files = require("acp_nvim.review.reviewed_files")
local reviewed_text = require("acp_nvim.review.reviewed_text")
local snapshots = require("acp_nvim.review.snapshots")
local standing = require("acp_nvim.review.standing")
local text = require("acp_nvim.documents.text")
local told = require("acp_nvim.review.told")
local turns = require("acp_nvim.review.turns")

local M = {}

---@class acp.DiskChange  what the backend tells of one file
---@field given string      as it was named
---@field session integer
---@field turn integer
---@field by acp.ChangedBy
---@field call? acp.message.CallName
---@field other? acp.message.OtherTurn
---@field known boolean     somebody has seen what the file held before
---@field before? string    its text; nil: there was no file, or a buffer has taken the change up
---@field after? string     nil: there is none now, or a buffer has it
---@field deleted? boolean
---@field link? string      of a deleted file: where the link leads that stands in its place
---@field bom boolean       it began with a byte order mark before
---@field encoding "utf-8"|"latin1"  of the text before
---@field mode? integer     before
---@field folders [string, integer][]  above a deleted file, from the outermost on, and their modes
---@field made string[]     folders above it that the turn has made, from the innermost on
---@field asked? acp.message.AskedTexts[]
---@field typed? acp.TypedLines  what of the change is the user's

--- How the file was before, in bytes.
---@param news acp.DiskChange
---@param before acp.Text
---@return acp.FileShape
local function shape_of(news, before)
  return { final = before.final, ff = before.ff, bomb = news.bom, fenc = news.encoding, mode = news.mode }
end

--- Whether Neovim reads bytes that are no UTF-8 as latin1, as the backend does: 'fileencodings' may say otherwise.
local function reads_latin1()
  for name in vim.gsplit(vim.o.fileencodings, ",", { trimempty = true }) do
    if not vim.list_contains({ "ucs-bom", "utf-8", "default" }, name) then
      return name == "latin1"
    end
  end
  return false
end

---@param real string
---@param news acp.DiskChange
local function deleted(real, news)
  local known, before = reviewed_files.files[real], text.split(news.before or "")
  local file = known or reviewed_files.enter(real, news.given, before.lines)
  if news.before or not known then
    agent_edits.begin(file, news, true, shape_of(news, before))
    snapshots.take_lines(file.text, before.lines, true) -- without what was not saved
  end
  if not known and not news.known then
    table.insert(file.unknown, agent_edits.author_of(news))
  end
  if file.buf then
    attached_buffers.leave(file.buf)
  end
  snapshots.take(file.text, "undeleted")
  agent_edits.take(file, {}, news)
  file.deleted, file.given = #reviewed_text.turns(file.text) > 0, news.given
  file.folders, file.link = news.folders, news.link
  told.deleted(file.text.told, news.session)
  refresh.file(file, 0, 0)
end

---@param real string
---@param news acp.DiskChange
local function written(real, news)
  local file, after = reviewed_files.files[real], text.split(news.after or "")
  if not news.known then
    file = file or reviewed_files.enter(real, news.given, after.lines)
    table.insert(file.unknown, agent_edits.author_of(news))
    snapshots.take_lines(file.text, after.lines, true)
  else
    local before = text.split(news.before or "")
    file = file or reviewed_files.enter(real, news.given, before.lines)
    agent_edits.begin(file, news, news.before ~= nil, shape_of(news, before))
    snapshots.take_lines(file.text, before.lines, true)
    agent_edits.take(file, after.lines, news)
    if before.lines[#before.lines] == after.lines[#after.lines] then
      reviewed_text.last_newline(file.text, before.final, after.final, agent_edits.author_of(news))
    end
  end
  file.given, file.deleted = news.given, false
  snapshots.take(file.text, "saved")
  attached_buffers.meet(file)
  attached_buffers.compare(file)
  refresh.file(file, 0, #file.text.lines)
end

---@param real string  resolved
---@param news acp.DiskChange
function M.changed(real, news)
  attached_buffers.settle()
  turns.begin(news.session, news.turn)
  if news.encoding == "latin1" and not reads_latin1() then
    news.known, news.before = false, nil
  end
  local take = news.deleted and deleted or written
  take(real, news)
end

--- What stood at the path before and what stands there now, as lines. What the change does not tell is as it was.
---@param file acp.ReviewedFile
---@param news acp.message.WholeChange
---@return string[]? before  nil: there is no room for it
---@return string[]? after
local function standings_of(file, news)
  local before, after = standing.lines(file.standings, news.before), standing.lines(file.standings, news.after)
  if before and after then
    local here = file.text.standing
    if news.before.kind == "file" then
      local what = here and here.lines[1] or before[1]
      before[1], after[1] = what, what
    end
    before[3] = before[3] ~= "" and before[3] or after[3]
    after[3] = after[3] ~= "" and after[3] or before[3]
    local shape = #reviewed_text.turns(file.text) > 0 and file.shape or nil
    standing.complete_format(here and here.lines, before, after, news.has_lines, shape)
  end
  return before, after
end

--- Takes up a change that has no lines.
---@param real string  resolved but for its name
---@param news acp.message.WholeChange
function M.stands(real, news)
  attached_buffers.settle()
  turns.begin(news.session, news.turn)
  local is_gone, author = news.after.kind == standing.NOTHING, agent_edits.author_of(news)
  local file = reviewed_files.files[real]
  if not file then
    local is_text = news.after.kind == "file" or news.after.kind == "text"
    local found = is_text and disk_file.read(real)
    file = reviewed_files.enter(real, news.given, found and found.lines or {})
  end
  local before, after = standings_of(file, news)
  if before and after then
    local turn = file.turn_shapes[news.session]
    local is_made_by_it = file.created and turn ~= nil and turn.turn == news.turn and not is_gone
    reviewed_text.stands(file.text, before, after, author, is_made_by_it)
  else
    table.insert(file.unknown, author)
  end
  if news.before.kind == standing.NOTHING and not file.has_begun then
    file.created, file.made = true, news.made
  end
  file.given, file.removed = news.given, is_gone
  file.folders = is_gone and news.folders or file.folders
  attached_buffers.meet(file)
  refresh.file(file, 0, #file.text.lines)
end

return M
