-- Represents a change of an agent: old lines for new ones, and what is left of it when the user changes some of the new
-- ones.
--
-- Lines pair by position, and what one side has more belongs to the last pair. A line that the user changes or deletes
-- leaves together with its partner: both are the user's business then.
--
--   old    new            the user changes y        what is left
--   a      x                                        a | x       keeps the id
--   b      y              U                         U           is the user's, and b is gone
--   c      z                                        c | z       gets an id of its own
--
-- A change is never altered: the undo memory shares it with the present.
local M = {}

---@class acp.Author
---@field session integer
---@field turn integer
---@field by acp.ChangedBy
---@field call? acp.message.CallName    the command that has made it
---@field other? acp.message.OtherTurn  of "one of two"

---@class acp.Origin  lines of one edit of an agent: what tells that an earlier block holds lines of a later one
---@field born integer
---@field old integer[]  first line and behind the last, in the edit that made them
---@field new integer[]

---@class acp.AgentChange
---@field id integer
---@field session integer
---@field turn integer
---@field by acp.ChangedBy
---@field call? acp.message.CallName
---@field other? acp.message.OtherTurn
---@field mixed? boolean  the user has had a hand in it (a merge): its agent is told nothing of these lines
---@field earlier acp.Author[]  turns whose pending lines melted into it: undoing it takes those back, too
---@field old string[]
---@field new string[]
---@field had_newline? boolean  the last line of the text is as it was but for its newline, which it had before
---@field loose? boolean  the last pair is gone: new lines beyond the old ones have no partner
---@field born integer    the edit that has made it
---@field old_at integer  where its lines begin in that edit
---@field new_at integer
---@field melted acp.Origin[]  what a later edit of the agent has put into this one

local NOBODY = {} ---@type acp.Author[]
local last_id, last_birth = 0, 0

--- Ids are unique over all files.
---@return integer
function M.new_id()
  last_id = last_id + 1
  return last_id
end

---@param author acp.Author
---@param old string[]
---@param new string[]
---@param mixed? boolean
---@return acp.AgentChange
function M.new(author, old, new, mixed)
  last_birth = last_birth + 1
  return {
    id = M.new_id(),
    session = author.session,
    turn = author.turn,
    by = author.by,
    call = author.call,
    other = author.other,
    mixed = mixed or nil,
    old = old,
    new = new,
    born = last_birth,
    old_at = 0,
    new_at = 0,
    melted = {},
    earlier = NOBODY,
  }
end

---@param author { session: integer, turn: integer }
---@param other { session: integer, turn: integer }
---@return boolean
function M.is_same_turn(author, other)
  return author.session == other.session and author.turn == other.turn
end

---@param change acp.AgentChange
---@param differing table
---@return acp.AgentChange
function M.with(change, differing)
  return vim.tbl_extend("force", change, differing)
end

---@param change acp.AgentChange
---@return acp.Origin
function M.origin(change)
  return {
    born = change.born,
    old = { change.old_at, change.old_at + #change.old },
    new = { change.new_at, change.new_at + #change.new },
  }
end

--- The parts before and after what is taken out. The first of them keeps the id.
---@param change acp.AgentChange
---@param olds integer[]  first line and behind the last one that go, from 0
---@param news integer[]
---@param loose? boolean
---@return acp.AgentChange[]
local function apart(change, olds, news, loose)
  local parts = {}
  if olds[1] > 0 or news[1] > 0 then
    parts[1] = M.with(change, {
      old = vim.list_slice(change.old, 1, olds[1]),
      new = vim.list_slice(change.new, 1, news[1]),
      loose = change.loose or loose or nil,
    })
  end
  if olds[2] < #change.old or news[2] < #change.new then
    parts[#parts + 1] = M.with(change, {
      id = #parts > 0 and M.new_id() or change.id,
      old = vim.list_slice(change.old, olds[2] + 1),
      new = vim.list_slice(change.new, news[2] + 1),
      old_at = change.old_at + olds[2],
      new_at = change.new_at + news[2],
    })
  end
  return parts
end

--- What is left when the user changes the new lines `first` to `last` (from 0, the end exclusive), or begins to write
--- before `first`.
---@param change acp.AgentChange
---@param first integer
---@param last integer
---@return acp.AgentChange[]
function M.without(change, first, last)
  local olds = #change.old
  if first == last then
    return apart(change, { math.min(first, olds), math.min(first, olds) }, { first, last })
  end
  local is_shared = 0 < olds and olds <= first and not change.loose
  local low = is_shared and olds - 1 or math.min(first, olds)
  local high = last == #change.new and olds or math.min(last, olds)
  return apart(change, { low, high }, { first, last }, is_shared or change.loose)
end

---@param span integer[]
---@param at integer
---@param size integer
---@return integer[]
local function inside(span, at, size)
  return { math.min(math.max(span[1] - at, 0), size), math.min(math.max(span[2] - at, 0), size) }
end

--- What is left once lines of the same edit have been kept.
---@param change acp.AgentChange
---@param kept acp.Origin[]
---@return acp.AgentChange[]
function M.minus(change, kept)
  local parts = { change }
  for _, origin in ipairs(kept) do
    local rest = {}
    for _, part in ipairs(parts) do
      local olds = inside(origin.old, part.old_at, #part.old)
      local news = inside(origin.new, part.new_at, #part.new)
      local is_met = olds[1] < olds[2] or news[1] < news[2]
      vim.list_extend(rest, is_met and apart(part, olds, news, part.loose) or { part })
    end
    parts = rest
  end
  return parts
end

return M
