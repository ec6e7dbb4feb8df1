-- Lines of an agent that are gone by the user's doing, and what stands in their place: what the agent's next prompt
-- begins with. Lines that the user writes beside them are no answer to the agent, and are not told.
--
--   the agent      a B c d      (it wrote B)
--   the user       a x c d e    lost: B, in whose place stands x; of e nothing is told
--
-- Invariant: a lost line was the agent's alone, and the agent does not know yet that it is gone.
local diff = require("acp_nvim.documents.diff")
local limits = require("acp_nvim.limits")
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
---@return boolean  the rows are among its own; a line that is written where all are gone takes their place
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

--- What stays beside an edit, moved by it.
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

--- What an edit meets and what it takes of the agent's lines become one.
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

--- The lines of changes that the user's edit replaces.
---@param blocks acp.Blocks  before it
---@param near fun(blocks: acp.Blocks, first: integer, last: integer): integer, integer
---@param edit acp.Edit
---@return table<integer, { row: integer, lines: string[] }[]>  by session
local function taken_by(blocks, near, edit)
  local found = {}
  local from, to = near(blocks, edit[1], edit[2])
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

--- After edits of the user.
---@param all acp.Lost[]
---@param blocks acp.Blocks  before the edits
---@param near fun(blocks: acp.Blocks, first: integer, last: integer): integer, integer
---@param edits acp.Edit[]
---@return acp.Lost[]
function M.user(all, blocks, near, edits)
  local lists, taken, result = by_session(all), {}, {}
  for _, edit in ipairs(edits) do
    taken[edit] = taken_by(blocks, near, edit)
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

--- After edits that are nobody's answer: an agent has written over what they meet, or the file was read again.
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

--- After changes were undone, or kept: lines that are kept and edited later are told of, too.
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

-- The report -------------------------------------------------------------------------------------------------------------

local CONTEXT = 2 -- lines

---@class acp.Told
---@field undone integer   changes that are as if the agent had not made them
---@field changed integer
---@field lines string[]   a unified diff, or the beginning of one
---@field more integer     lines that it has beyond those

---@param lines string[]
---@param lost acp.Lost
---@return acp.Edit[] edits  from the agent's lines to those in their place
---@return boolean is_undone
local function difference(lines, lost)
  local now = vim.list_slice(lines, lost.row + 1, lost.row + lost.count)
  return diff.edits(lost.was, now), lost.undone ~= nil and vim.deep_equal(now, lost.undone)
end

---@param out string[]
---@param prefix string
---@param lines string[]
---@param first integer  from 1
---@param last integer
local function put(out, prefix, lines, first, last)
  for i = math.max(first, 1), math.min(last, #lines) do
    out[#out + 1] = prefix .. lines[i]
  end
end

--- What session `session` is to be told, and which of `all` that is about.
---@param all acp.Lost[]
---@param lines string[]  the text
---@param session integer
---@return acp.Told?
---@return acp.Lost[] about
function M.report(all, lines, session)
  local told, about, parts = { undone = 0, changed = 0, lines = {}, more = 0 }, {}, {}
  for _, lost in ipairs(all) do
    if lost.session == session and not lost.told then
      local edits, is_undone = difference(lines, lost)
      about[#about + 1] = lost
      local what = is_undone and "undone" or "changed"
      told[what] = told[what] + (#edits > 0 and 1 or 0)
      parts[#parts + 1] = #edits > 0 and { lost = lost, edits = edits } or nil
    end
  end
  table.sort(parts, function(one, other)
    return one.lost.row < other.lost.row
  end)
  local done, shift = 0, 0
  for n, part in ipairs(parts) do
    local lost, after = part.lost, parts[n + 1]
    local first = math.max(done, lost.row - CONTEXT)
    local body, olds, at_line = {}, 0, 1
    put(body, " ", lines, first + 1, lost.row)
    for _, edit in ipairs(part.edits) do
      put(body, " ", lost.was, at_line, edit[1])
      put(body, "-", lost.was, edit[1] + 1, edit[2])
      put(body, "+", edit[3], 1, #edit[3])
      at_line = edit[2] + 1
    end
    put(body, " ", lost.was, at_line, #lost.was)
    local stop = lost.row + lost.count
    done = math.min(stop + CONTEXT, after and after.lost.row or #lines, #lines)
    put(body, " ", lines, stop + 1, done)
    local news = done - first
    olds = news - lost.count + #lost.was
    local function range(from, count)
      return ("%d,%d"):format(from + (count > 0 and 1 or 0), count)
    end
    table.insert(body, 1, ("@@ -%s +%s @@"):format(range(first - shift, olds), range(first, news)))
    local fitting = math.min(#body, limits.LOST_LINES - #told.lines)
    vim.list_extend(told.lines, body, 1, fitting)
    told.more = told.more + #body - fitting
    shift = shift + lost.count - #lost.was
  end
  return #parts > 0 and told or nil, about
end

return M
