-- Applies edits of agents to the text of a file in review, whether they were made in its buffer or on disk.
local attached_buffers = require("acp_nvim.review.attached_buffers")
local decided_edits = require("acp_nvim.review.decided_edits")
local diff = require("acp_nvim.documents.diff")
local messages = require("acp_nvim.ui.messages")
local pending_changes = require("acp_nvim.review.pending_changes")

local M = {}

---@param by acp.By|acp.DiskChange
---@return acp.Author
function M.author_of(by)
  return { session = by.session, turn = by.turn, by = by.kind or by.by, call = by.call, other = by.other }
end

--- Tells which edits are not the agent's alone: the user has merged them, or taken a part of a proposal.
---@param own? acp.OwnEdit[]  nil: all are the agent's
---@return nil|fun(old: string[], new: string[]): boolean
local function mixed_by(own)
  if own == nil then
    return nil
  end
  local known = {}
  local function key(old, new)
    return ("%d\n%s\n%s"):format(#old, table.concat(old, "\n"), table.concat(new, "\n"))
  end
  for _, pair in ipairs(own) do
    known[key(pair[1], pair[2])] = true
  end
  return function(old, new)
    return not known[key(old, new)]
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
  local users = {} ---@type acp.Edit[]
  if by.own and #by.own > 0 and not is_capped then
    edits, users = decided_edits.parted(file.text.lines, edits, by.own)
  end
  pending_changes.agent(file.text, edits, M.author_of(by), mixed_by(by.own))
  pending_changes.user(file.text, users, false) -- the agent is told of the decision
end

--- An agent has made `lines` of the text of the file.
---@param file acp.ReviewedFile
---@param lines string[]
---@param by acp.By|acp.DiskChange
function M.take(file, lines, by)
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
    file.turn_shapes[by.session] = { turn = by.turn, shape = shape }
  end
  if not file.has_begun then
    file.has_begun, file.created, file.made = true, not was_there, by.made
    if was_there then
      file.shape = vim.tbl_extend("force", file.shape, shape)
    end
  end
end

return M
