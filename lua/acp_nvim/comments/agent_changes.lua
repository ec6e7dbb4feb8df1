-- Marks comments as done that have been sent, once an agent has changed one of their lines.
local changes = require("acp_nvim.documents.changes")
local diff = require("acp_nvim.documents.diff")
local follow = require("acp_nvim.comments.follow")
local place = require("acp_nvim.comments.place")
local store = require("acp_nvim.comments.store")
local text = require("acp_nvim.documents.text")

local M = {}

local BY_AGENTS = { agent = true, ["one of two"] = true }

---@class acp.CommentRows
---@field comment acp.Comment
---@field first integer  from 0
---@field last integer
---@field is_touched? boolean

local before_changes = setmetatable({}, { __mode = "k" }) ---@type table<acp.BufferChange, acp.CommentRows[]>

--- The sent comments of a file, and where they stand.
---@param path string  resolved
---@return acp.CommentRows[]
local function rows_of(path)
  local list = {}
  for _, comment in ipairs(store.all()) do
    if comment.path == path and comment.state == "sent" and comment.side ~= "proposed" and not comment.moved then
      local first, last = comment.at or comment.first, comment.at or comment.last
      list[#list + 1] = { comment = comment, first = first - 1, last = last - 1 }
    end
  end
  return list
end

--- Moves the rows through edits, and marks those of which an agent has changed a line.
---@param list acp.CommentRows[]
---@param edits acp.Edit[]  ascending and disjoint, in the rows of before
---@param is_agents boolean
local function take(list, edits, is_agents)
  for i = #edits, 1, -1 do -- from the last on: the rows of the others stay
    local from, to, n = edits[i][1], edits[i][2], #edits[i][3]
    for _, rows in ipairs(list) do
      local is_within = from == to and from > rows.first and from <= rows.last
      local meets = is_within or (from <= rows.last and to > rows.first)
      rows.is_touched = rows.is_touched or (is_agents and meets)
      rows.first, rows.last = place.shift(rows.first, rows.last, from, to, n)
    end
  end
end

---@param list acp.CommentRows[]
local function finish(list)
  for _, rows in ipairs(list) do
    if rows.is_touched and rows.comment.state == "sent" then
      store.change(rows.comment, { state = "done" })
    end
  end
end

changes.subscribe({
  begins = function(change)
    follow.settle()
    local list = rows_of(change.path)
    before_changes[change] = #list > 0 and list or nil
  end,
  ended = function(change)
    local list = change.ok and before_changes[change]
    for _, step in ipairs(list and change.steps or {}) do
      take(list --[[@as acp.CommentRows[] ]], step.edits, step.by ~= nil and BY_AGENTS[step.by.kind] ~= nil)
    end
    finish(list or {})
  end,
})

--- Takes up a change on the disk of a file that no buffer holds.
---@param path string
---@param change acp.DiskChange
function M.changed_on_disk(path, change)
  local list = rows_of(path)
  if #list == 0 or not change.known then
    return
  end
  local before = text.split(change.before or "").lines
  local after = text.split(change.after or "").lines
  local edits = diff.edits(before, after)
  take(list, edits, BY_AGENTS[change.by] ~= nil)
  for _, comment in ipairs(store.all()) do
    if comment.path == path and comment.side == "live" and not follow.buffer_of(comment) then
      follow.follow_edits(comment, edits, after)
      store.moved(comment)
    end
  end
  finish(list)
end

return M
