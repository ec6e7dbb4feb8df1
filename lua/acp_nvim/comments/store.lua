-- Keeps the comments of all projects that have been looked at, and their record on the disk. Of two Neovims in one
-- project each reads what the other has written before it writes: comment by comment the newest change wins.
local event = require("acp_nvim.system.event")
local limits = require("acp_nvim.limits")
local project = require("acp_nvim.project")
local records = require("acp_nvim.project.records")
local user_events = require("acp_nvim.backend.user_events")

local M = {}

---@alias acp.CommentSide "live"|"old"|"proposed"
---@alias acp.CommentState "draft"|"sent"|"done"

---@class acp.Comment: acp.CommentedLines
---@field id integer
---@field root string      its project
---@field path string      resolved
---@field side acp.CommentSide
---@field first integer    from 1; of an old side: in the text before the pending changes
---@field last integer
---@field at? integer      of an old side: the line beside which these lines were removed
---@field text string
---@field state acp.CommentState
---@field moved boolean    its lines are gone: it stands at the nearest line
---@field question? integer  an open one, with whose answer it goes to the agent
---@field time number      of its newest change by a user or an agent, in ms since 1970

local RECORD = { name = "comments", version = 1 } ---@type acp.RecordName
local KEPT_DELETED_MS = 30 * 24 * 60 * 60 * 1000 -- so long another Neovim may not have heard of it

local on_change = event.new()
M.on_change = on_change.add -- fn(comment, is_elsewhere?): it is new or gone, or has another text, state or place

local comments = {} ---@type table<integer, acp.Comment>
local deleted = {} ---@type table<string, table<string, number>>  root -> id -> when
local last_id = 0

---@return number
local function now()
  local seconds, microseconds = vim.uv.gettimeofday()
  return seconds * 1000 + math.floor(microseconds / 1000)
end

--- Returns an id that no other Neovim gives to a comment: the time and some of the process id. It has 14 digits, which
--- JSON keeps.
---@return integer
local function new_id()
  last_id = math.max(last_id + 8, now() * 8 + vim.uv.os_getpid() % 8)
  return last_id
end

-- The record --------------------------------------------------------------------------------------------------------

-- What is written of a comment. Questions are numbered anew by each backend.
local FIELDS = { "id", "side", "first", "last", "at", "lines", "before", "after", "text", "state", "moved", "time" }
local TYPES = { id = "number", side = "string", first = "number", last = "number", text = "string", state = "string" }

---@param root string
---@param path string
---@return string  relative to the project if it is in it
local function short(root, path)
  return vim.startswith(path, root .. "/") and path:sub(#root + 2) or path
end

---@param root string
---@param entry any  of a record
---@return acp.Comment?
local function from_record(root, entry)
  if type(entry) ~= "table" or type(entry.path) ~= "string" or type(entry.lines) ~= "table" then
    return nil
  end
  for field, kind in pairs(TYPES) do
    if type(entry[field]) ~= kind then
      return nil
    end
  end
  local comment = { root = root, moved = entry.moved == true, time = tonumber(entry.time) or 0 }
  for _, field in ipairs(FIELDS) do
    comment[field] = comment[field] == nil and entry[field] or comment[field]
  end
  comment.path = entry.path:sub(1, 1) == "/" and entry.path or root .. "/" .. entry.path
  comment.side = comment.side == "proposed" and "live" or comment.side -- its question is over
  return comment
end

---@param root string
---@return acp.Comment[]  oldest first
local function of_root(root)
  local list = vim.tbl_filter(function(comment)
    return comment.root == root
  end, vim.tbl_values(comments))
  table.sort(list, function(one, other)
    return one.id < other.id
  end)
  return list
end

--- Takes what stands on the disk: comment by comment the newest change wins.
---@param root string
---@param there table?
local function take(root, there)
  deleted[root] = deleted[root] or {}
  for id, time in pairs(there and type(there.deleted) == "table" and there.deleted or {}) do
    deleted[root][id] = math.max(tonumber(time) or 0, deleted[root][id] or 0)
  end
  for _, entry in ipairs(there and type(there.comments) == "table" and there.comments or {}) do
    local found = from_record(root, entry)
    local mine = found and comments[found.id]
    if found and (not mine or found.time > mine.time) then
      found.question = mine and mine.question
      comments[found.id] = found
      on_change.call(found, true)
    end
  end
  for id, time in pairs(deleted[root]) do
    local mine = comments[tonumber(id)]
    if mine and mine.root == root and mine.time <= time then
      comments[mine.id] = nil
      on_change.call(mine)
    end
  end
end

---@param root string
---@return table
local function to_record(root)
  local list, done = {}, 0
  local all = of_root(root)
  for i = #all, 1, -1 do
    done = done + (all[i].state == "done" and 1 or 0)
    if all[i].state ~= "done" or done <= limits.DONE_COMMENTS then
      local entry = { path = short(root, all[i].path) }
      for _, field in ipairs(FIELDS) do
        entry[field] = all[i][field]
      end
      table.insert(list, 1, entry)
    end
  end
  local gone = vim.empty_dict()
  for id, time in pairs(deleted[root] or {}) do
    gone[id] = time > now() - KEPT_DELETED_MS and time or nil
  end
  return { comments = list, deleted = gone }
end

--- Has the comments of a project written soon.
---@param root string
function M.save(root)
  records.write_soon(root, RECORD, function()
    take(root, records.read(root, RECORD))
    return to_record(root)
  end)
end

--- Reads the comments of a project, if they have changed on the disk since.
---@param root string
function M.load(root)
  deleted[root] = deleted[root] or {}
  if records.has_changed(root, RECORD) then
    take(root, records.read(root, RECORD))
  end
end

--- Reads the comments of all projects that have been looked at, where they have changed on the disk since.
function M.load_again()
  vim.iter(vim.tbl_keys(deleted)):each(M.load)
end

-- The comments ------------------------------------------------------------------------------------------------------

---@param comment acp.Comment
---@param state string
local function tell(comment, state)
  on_change.call(comment)
  user_events.fire("AcpComment", { id = comment.id, state = state })
end

---@param id any
---@return acp.Comment?
function M.get(id)
  return comments[id]
end

--- Returns all comments, in the order of their paths and lines.
---@return acp.Comment[]
function M.all()
  local list = vim.tbl_values(comments)
  table.sort(list, function(one, other)
    local a, b = one.at or one.first, other.at or other.first
    if one.path ~= other.path then
      return one.path < other.path
    elseif a ~= b then
      return a < b
    end
    return one.id < other.id
  end)
  return list
end

---@param fields table  of the comment, but for its id, project and state
---@return acp.Comment
function M.add(fields)
  local comment = vim.tbl_extend("force", { state = "draft", moved = false }, fields)
  comment.id, comment.root, comment.time = new_id(), project.of_file(fields.path), now()
  M.load(comment.root)
  comments[comment.id] = comment
  M.save(comment.root)
  tell(comment, comment.state)
  return comment
end

--- Changes a comment.
---@param comment acp.Comment
---@param changes table
function M.change(comment, changes)
  for field, value in pairs(changes) do
    comment[field] = value
  end
  comment.time = math.max(now(), comment.time + 1)
  M.save(comment.root)
  tell(comment, comment.state)
end

--- Notes that the lines of a comment have moved or changed: that is no change of the comment.
---@param comment acp.Comment
function M.moved(comment)
  M.save(comment.root)
end

--- Makes comments on a proposal that is decided or gone comments on the file.
---@param comment acp.Comment
function M.leave_question(comment)
  comment.question, comment.side = nil, "live"
  M.save(comment.root)
  on_change.call(comment, true)
end

--- Moves a comment to another file.
---@param comment acp.Comment
---@param path string  resolved
function M.move(comment, path)
  local before = comment.root
  local root = project.of_file(path)
  comment.path, comment.root, comment.time = path, root, math.max(now(), comment.time + 1)
  if root ~= before then
    deleted[before] = deleted[before] or {}
    deleted[before][tostring(comment.id)] = comment.time
    M.save(before)
  end
  M.save(root)
end

---@param comment acp.Comment
function M.remove(comment)
  comments[comment.id] = nil
  deleted[comment.root] = deleted[comment.root] or {}
  deleted[comment.root][tostring(comment.id)] = math.max(now(), comment.time)
  M.save(comment.root)
  tell(comment, "deleted")
end

return M
