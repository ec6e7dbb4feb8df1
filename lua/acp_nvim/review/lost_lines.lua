-- Keeps the lines of an agent that the user has changed, deleted or undone, and where the lines in their place are. The
-- agent's next prompt begins with a report of them. Lines that the user writes beside them are not reported.
--
--   the agent      a B c d      (it wrote B)
--   the user       a x c d e    lost: B, in whose place stands x; of e nothing is told
--
-- Invariant: a lost line was the agent's alone, and the agent does not know yet that it is gone.
local block_list = require("acp_nvim.review.block_list")
local row_shift = require("acp_nvim.review.row_shift")

local M = {}

---@class acp.Lost
---@field session integer
---@field row integer       where the lines begin that stand in their place
---@field count integer     how many those are
---@field was string[]      what the agent wrote there
---@field undone? string[]  the change was undone: the lines that have come back
---@field restored? boolean  the file was deleted, and is back
---@field told? boolean     the agent knows by now; also where the undo memory still has it

---@alias acp.LostPlace { row: integer, item: acp.Lost }

---@param lost acp.Lost
---@param first integer
---@param last integer
---@return boolean  the rows are among its own
local function is_inside(lost, first, last)
  return first < lost.row + lost.count and last > lost.row
end

---@param lost acp.Lost
---@param first integer
---@param last integer
---@return boolean  the rows are among its own, or where its own were, if none is left
local function meets(lost, first, last)
  return is_inside(lost, first, last) or (lost.count == 0 and first <= lost.row and lost.row <= last)
end

---@param lost acp.Lost
---@param row integer
---@return acp.Lost
local function at(lost, row)
  return lost.row == row and lost or vim.tbl_extend("force", lost, { row = row })
end

---@param lost acp.Lost
---@return integer
local function size(lost)
  return lost.count
end

---@param one { row: integer }
---@param other { row: integer }
---@return boolean
local function is_above(one, other)
  return one.row < other.row
end

--- The lost lines after edits. Those of each session are a list of their own: they do not overlap.
---@param all acp.Lost[]
---@param edits acp.Edit[]
---@param sessions table<integer, any>  that may lose lines by the edits
---@param remake fun(near: acp.LostPlace[], edit: acp.Edit, session: integer): acp.LostPlace[]
---@return acp.Lost[]
local function carried(all, edits, sessions, remake)
  local lists = vim.tbl_map(function()
    return {}
  end, sessions) ---@type table<integer, acp.Lost[]>
  for _, lost in ipairs(all) do
    lists[lost.session] = lists[lost.session] or {}
    table.insert(lists[lost.session], lost)
  end
  local result = {}
  for session, list in pairs(lists) do
    table.sort(list, is_above)
    local rows = vim.tbl_map(function(lost)
      return lost.row
    end, list)
    local new_rows, items = row_shift.carry(rows, list, size, edits, function(near, edit)
      return remake(near, edit, session)
    end)
    for i, lost in ipairs(items) do
      result[#result + 1] = at(lost, new_rows[i])
    end
  end
  return result
end

--- The entries beside an edit, moved by it, and those that it meets.
---@param near acp.LostPlace[]
---@param edit acp.Edit
---@param is_met fun(lost: acp.Lost, first: integer, last: integer): boolean
---@return acp.LostPlace[] above
---@return acp.LostPlace[] below
---@return acp.LostPlace[] met
local function parted(near, edit, is_met)
  local above, below, met = {}, {}, {}
  for _, place in ipairs(near) do
    local growth = #edit[3] - (edit[2] - edit[1])
    if is_met(at(place.item, place.row), edit[1], edit[2]) then
      met[#met + 1] = place
    elseif place.row >= edit[2] then
      below[#below + 1] = { row = place.row + growth, item = place.item }
    else
      above[#above + 1] = place
    end
  end
  return above, below, met
end

--- The lost lines that an edit meets, and the agent's lines that it takes, become one entry.
---@param near acp.LostPlace[]
---@param edit acp.Edit
---@param session integer
---@param taken { row: integer, lines: string[] }[]  by this edit, ascending
---@return acp.LostPlace[]
local function joined(near, edit, session, taken)
  local above, below, met = parted(near, edit, meets)
  local low, high, pieces = edit[1], edit[2], vim.list_slice(taken)
  for _, place in ipairs(met) do
    if not place.item.told then
      pieces[#pieces + 1] = { row = place.row, lines = place.item.was }
      low, high = math.min(low, place.row), math.max(high, place.row + place.item.count)
    end
  end
  if #pieces > 0 then
    table.sort(pieces, is_above)
    local was = {}
    for _, piece in ipairs(pieces) do
      vim.list_extend(was, piece.lines)
    end
    local count = high - low + #edit[3] - (edit[2] - edit[1])
    above[#above + 1] = { row = low, item = { session = session, row = low, count = count, was = was } }
  end
  return vim.list_extend(above, below)
end

--- The agents' lines that an edit of the user replaces.
---@param blocks acp.Blocks  before it
---@param edit acp.Edit
---@return table<integer, { row: integer, lines: string[] }[]>  by session
local function taken_by(blocks, edit)
  local found = {}
  local from, to = block_list.near(blocks, edit[1], edit[2])
  for i = from, to do
    local row, change = blocks.rows[i], blocks.changes[i]
    local first = math.max(edit[1] - row, 0)
    local last = math.min(edit[2] - row, #change.new)
    if first < last and not change.mixed then
      found[change.session] = found[change.session] or {}
      table.insert(found[change.session], { row = row + first, lines = vim.list_slice(change.new, first + 1, last) })
    end
  end
  return found
end

--- The lost lines after edits of the user.
---@param all acp.Lost[]
---@param blocks acp.Blocks  before the edits
---@param edits acp.Edit[]
---@return acp.Lost[]
function M.user(all, blocks, edits)
  local taken, sessions = {}, {}
  for _, edit in ipairs(edits) do
    taken[edit] = taken_by(blocks, edit)
    sessions = vim.tbl_extend("force", sessions, taken[edit])
  end
  return carried(all, edits, sessions, function(near, edit, session)
    return joined(near, edit, session, taken[edit][session] or {})
  end)
end

--- The lost lines after edits that are no answer to an agent: an agent has written over them, or the file was read
--- again.
---@param all acp.Lost[]
---@param edits acp.Edit[]
---@return acp.Lost[]
function M.written_over(all, edits)
  return carried(all, edits, {}, function(near, edit)
    local above, below = parted(near, edit, is_inside)
    return vim.list_extend(above, below)
  end)
end

--- The lost lines after changes were kept: their lines are followed from now on, for the user may edit them later.
---@param all acp.Lost[]
---@param chosen acp.Placed[]
---@return acp.Lost[]
function M.kept(all, chosen)
  local result = vim.list_slice(all)
  for _, placed in ipairs(chosen) do
    local change = placed.item
    if not change.mixed and #change.new > 0 then
      local lost = { session = change.session, row = placed.row, count = #change.new, was = change.new }
      result[#result + 1] = lost
    end
  end
  return result
end

--- The lost lines after changes were undone.
---@param all acp.Lost[]
---@param chosen acp.Placed[]  ascending
---@param edits acp.Edit[]     which undo them
---@return acp.Lost[]
function M.undone(all, chosen, edits)
  local result, shift = M.written_over(all, edits), 0
  for _, placed in ipairs(chosen) do
    local change = placed.item
    if not change.mixed then
      local lost = { session = change.session, row = placed.row + shift, count = #change.old, was = change.new }
      lost.undone = change.old
      result[#result + 1] = lost
    end
    shift = shift + #change.old - #change.new
  end
  return result
end

return M
