-- Applies edits of agents to the text of a file in review, whether they were made in its buffer or on disk. Those that
-- the user was asked about, and has answered with yes, are decided, and do not wait again.
local attached_buffers = require("acp_nvim.review.attached_buffers")
local changes = require("acp_nvim.documents.changes")
local diff = require("acp_nvim.documents.diff")
local messages = require("acp_nvim.ui.messages")
local patches = require("acp_nvim.documents.patch")
local reviewed_text = require("acp_nvim.review.reviewed_text")
local settings = require("acp_nvim.config.settings")
local text = require("acp_nvim.documents.text")

local M = {}

---@param by acp.By|acp.DiskChange
---@return acp.Author
function M.author_of(by)
  local asked = by.asked and by.asked[#by.asked]
  return {
    session = by.session,
    turn = by.turn,
    by = by.kind or by.by,
    call = by.call,
    other = by.other,
    answer = asked and { option = asked.option, call = asked.call },
  }
end

local function key(edit)
  return ("%d %d\n%s"):format(edit[1], edit[2], table.concat(edit[3], "\n"))
end

--- Tells of edits of these lines whether the user has allowed them.
---
---   shown    a b c | a B c      allowed
---   written  a b c | a B c d    b | B is decided, and d waits
---@param asked? acp.message.AskedTexts[]
---@param lines string[]
---@return nil|fun(edit: acp.Edit): boolean  nil: none of them
function M.allowed(asked, lines)
  if not asked or settings.get().review.asked ~= "keep" then
    return nil
  end
  local shown = {} ---@type table<string, true>
  for _, each in ipairs(asked) do
    local left, decided = text.split(each.left).lines, text.split(each.decided).lines
    for _, edit in ipairs((patches.up(patches.between(lines, left), diff.edits(left, decided), lines))) do
      shown[key(edit)] = true
    end
  end
  return function(edit)
    return shown[key(edit)] or false
  end
end

--- An agent has made these edits in the text of the file.
---@param file acp.ReviewedFile
---@param edits acp.Edit[]
---@param is_capped? boolean
---@param by acp.By|acp.DiskChange
function M.add(file, edits, is_capped, by)
  if is_capped then
    local name = vim.fs.basename(file.given)
    messages.show("info", ("%s: too many changes to show one by one, they count as one"):format(name))
  end
  attached_buffers.note_rows(file, edits)
  reviewed_text.agent(file.text, edits, M.author_of(by), M.allowed(by.asked, file.text.lines))
end

--- An agent has made `lines` of the text of the file. What the user has typed beside them comes first.
---@param file acp.ReviewedFile
---@param lines string[]
---@param by acp.By|acp.DiskChange
function M.take(file, lines, by)
  if by.typed then -- the agent is told of the decision
    local users = diff.edits(file.text.lines, changes.with_typed(by.typed, file.text.lines))
    reviewed_text.others(file.text, users)
  end
  local edits, is_capped = diff.edits(file.text.lines, lines)
  M.add(file, edits, is_capped, by)
end

--- Remembers what the disk held before the first change of an agent, and before the first of its turn.
---@param file acp.ReviewedFile
---@param by acp.By|acp.DiskChange
---@param was_there boolean
---@param shape acp.FileShape
function M.begin(file, by, was_there, shape)
  local turn = file.turn_shapes[by.session]
  if not turn or turn.turn ~= by.turn then
    file.turn_shapes[by.session] = { turn = by.turn, shape = shape, was_there = was_there }
  end
  local is_creator = reviewed_text.take_creation(file.text, M.author_of(by))
  if not file.has_begun then
    file.has_begun, file.created = true, not was_there or is_creator
    file.made = is_creator and file.made or by.made
    if was_there then
      file.shape = vim.tbl_extend("force", file.shape, shape)
    end
  end
end

return M
