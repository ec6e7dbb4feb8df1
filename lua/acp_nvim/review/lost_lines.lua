-- Lines of an agent that the user has changed, deleted or undone, and where the lines are that stand in their place.
-- The agent's next prompt begins with a report of them. Lines that the user writes beside them are not reported.
--
--   the agent      a B c d      (it wrote B)
--   the user       a x c d e    lost: B, in whose place stands x; of e nothing is told
--
-- Invariant: a lost line was the agent's alone, and the agent does not know yet that it is gone.
local attribution = require("acp_nvim.review.attribution")
local places = require("acp_nvim.review.places")

local M = {}

---@class acp.Lost
---@field session integer
---@field row integer       where the lines begin that stand in their place
---@field count integer     how many those are
---@field was string[]      what the agent wrote there
---@field undone? string[]  the change was undone: the lines that have come back
---@field restored? boolean  the file was deleted, and is back
---@field told? boolean     the agent knows by now; also where the undo memory still has it

---@param lost acp.Lost
---@param first integer
---@param last integer
---@return boolean  the rows are among its own, or between which its own were, if none is left
local function meets(lost, first, last)
  if lost.count == 0 then
    return first <= lost.row and lost.row <= last
  end
  return first < lost.row + lost.count and last > lost.row
end

---@param lost acp.Lost
---@param first integer
---@param last integer
---@return boolean
local function is_inside(lost, first, last)
  return meets(lost, first, last) and (lost.count > 0 or (first < lost.row and lost.row < last))
end

---@param lost acp.Lost
---@param row integer
---@param count? integer
---@return acp.Lost
local function at(lost, row, count)
  if lost.row == row and (count or lost.count) == lost.count then
    return lost
  end
  return vim.tbl_extend("force", lost, { row = row, count = count or lost.count })
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

---@param list acp.Lost[]  of one session
---@param edits acp.Edit[]
---@param remake fun(near: { row: integer, item: acp.Lost }[], edit: acp.Edit): { row: integer, item: acp.Lost }[]
---@return acp.Lost[]
local function carried(list, edits, remake)
  table.sort(list, is_above)
  local rows = vim.tbl_map(function(lost)
    return lost.row
  end, list)
  local new_rows, items = places.carry(rows, list, size, edits, remake)
  for i, lost in ipairs(items) do
    items[i] = at(lost, new_rows[i])
  end
  return items
end

---@param all acp.Lost[]
---@return table<integer, acp.Lost[]>
local function by_session(all)
  local lists = {}
  for _, lost in ipairs(all) do
    lists[lost.session] = lists[lost.session] or {}
    table.insert(lists[lost.session], lost)
  end
  return lists
end

--- The entries beside an edit, moved by it, and those that it meets.
---@param near { row: integer, item: acp.Lost }[]
---@param edit acp.Edit
---@param is_met fun(lost: acp.Lost, first: integer, last: integer): boolean
---@return { row: integer, item: acp.Lost }[] above
---@return { row: integer, item: acp.Lost }[] below
---@return { row: integer, item: acp.Lost }[] met
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
---@param near { row: integer, item: acp.Lost }[]
---@param edit acp.Edit
---@param session integer
---@param taken { row: integer, lines: string[] }[]  by this edit, ascending
---@return { row: integer, item: acp.Lost }[]
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
  local from, to = attribution.near(blocks, edit[1], edit[2])
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
  local lists, taken, result = by_session(all), {}, {}
  for _, edit in ipairs(edits) do
    taken[edit] = taken_by(blocks, edit)
    for session in pairs(taken[edit]) do
      lists[session] = lists[session] or {}
    end
  end
  for session, list in pairs(lists) do
    local left = carried(list, edits, function(found, edit)
      return joined(found, edit, session, taken[edit][session] or {})
    end)
    vim.list_extend(result, left)
  end
  return result
end

--- The lost lines after edits that are no answer to an agent: an agent has written over them, or the file was read
--- again.
---@param all acp.Lost[]
---@param edits acp.Edit[]
---@return acp.Lost[]
function M.written_over(all, edits)
  local result = {}
  for _, list in pairs(by_session(all)) do
    local left = carried(list, edits, function(near, edit)
      local above, below = parted(near, edit, is_inside)
      return vim.list_extend(above, below)
    end)
    vim.list_extend(result, left)
  end
  return result
end

--- The lost lines after changes were undone or kept. Kept lines are followed, too: the user may edit them later.
---@param all acp.Lost[]
---@param decided acp.Placed[]  ascending, where their lines begin in the text with them
---@param is_undone boolean
---@return acp.Lost[]
function M.decided(all, decided, is_undone)
  local result, edits = {}, {}
  for i, placed in ipairs(is_undone and decided or {}) do
    edits[i] = { placed.row, placed.row + #placed.item.new, placed.item.old }
  end
  vim.list_extend(result, M.written_over(all, edits))
  local shift = 0
  for _, placed in ipairs(decided) do
    local change = placed.item
    if not change.mixed and (is_undone or #change.new > 0) then
      result[#result + 1] = {
        session = change.session,
        row = placed.row + shift,
        count = is_undone and #change.old or #change.new,
        was = change.new,
        undone = is_undone and change.old or nil,
      }
    end
    shift = shift + (is_undone and #change.old - #change.new or 0)
  end
  return result
end

return M
