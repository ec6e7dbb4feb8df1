-- Lists the changes of one text that wait for a decision, each with the row where its new lines begin.
--
--   text      a X Y d      the changes: b c | X Y at row 1
--
-- They are made of the stack whenever it has changed. A change that is as it was is the same table, so that nothing is
-- drawn anew, and one that has become another keeps its id.
local stack = require("acp_nvim.review.stack")

local M = {}

---@class acp.AgentChange: acp.Author  never altered
---@field id integer
---@field earlier acp.Author[]  other turns whose pending lines it holds
---@field old string[]
---@field new string[]
---@field note? string    what has changed where that has no lines
---@field had_newline? boolean  the last line of the text is as it was but for its newline, which it had before

---@class acp.HunkList  ascending; never altered
---@field rows integer[]        where the new lines of each begin in the text, from 0
---@field changes acp.AgentChange[]
---@field made_of? string[][][]   the hunks of the turns of which they are made

---@class acp.Placed
---@field row integer
---@field item acp.AgentChange
---@field is_allowed? boolean  the user was asked about it

local NOBODY = {} ---@type acp.Author[]
local last_id = 0

--- Ids are unique over all files.
---@return integer
function M.new_id()
  last_id = last_id + 1
  return last_id
end

---@return acp.HunkList
function M.none()
  return { rows = {}, changes = {} }
end

---@param author acp.Author
---@param old string[]
---@param new string[]
---@param earlier? acp.Author[]
---@return acp.AgentChange
function M.change(author, old, new, earlier)
  return {
    id = 0,
    session = author.session,
    turn = author.turn,
    by = author.by,
    call = author.call,
    other = author.other,
    earlier = earlier or NOBODY,
    old = old,
    new = new,
  }
end

--- Whether two lists hold the same.
---@param some any[]
---@param others any[]
---@return boolean
function M.is_same(some, others)
  if #some ~= #others then
    return false
  end
  for i, each in ipairs(some ~= others and some or {}) do
    if each ~= others[i] then
      return false
    end
  end
  return true
end

--- How much two lists have in common where they begin, and where they end: an edit meets some hunks of thousands.
---@param before integer
---@param now integer
---@param is_same fun(i: integer, k: integer): boolean  an item of the one and of the other
---@return integer head
---@return integer tail
function M.in_common(before, now, is_same)
  local head, tail, most = 0, 0, math.min(before, now)
  while head < most and is_same(head + 1, head + 1) do
    head = head + 1
  end
  while tail < most - head and is_same(before - tail, now - tail) do
    tail = tail + 1
  end
  return head, tail
end

--- The hunks that overlap or touch these rows.
---@param hunks acp.HunkList
---@param first integer
---@param last integer
---@return integer from
---@return integer to
function M.near(hunks, first, last)
  local rows, changes = hunks.rows, hunks.changes
  local function first_from(row)
    local low, high = 1, #rows + 1
    while low < high do
      local middle = math.floor((low + high) / 2)
      if rows[middle] < row then
        low = middle + 1
      else
        high = middle
      end
    end
    return low
  end
  local from = first_from(first)
  while from > 1 and rows[from - 1] + #changes[from - 1].new >= first do
    from = from - 1
  end
  return from, first_from(last + 1) - 1
end

--- Those of the ids that are among the changes.
---@param hunks acp.HunkList
---@param ids table<integer, any>
---@return acp.Placed[]  ascending
function M.chosen(hunks, ids)
  local list = {}
  for i, change in ipairs(hunks.changes) do
    if ids[change.id] then
      list[#list + 1] = { row = hunks.rows[i], item = change }
    end
  end
  return list
end

---@param lines string[]
---@param row integer
---@param change acp.AgentChange
---@return boolean  its new lines are there
local function stands_at(lines, row, change)
  for n, line in ipairs(change.new) do
    if lines[row + n] ~= line then
      return false
    end
  end
  return true
end

---@param change acp.AgentChange
---@param authors acp.Author[]
---@return boolean
local function is_by(change, authors)
  if not stack.is_same(change, authors[1]) or #change.earlier ~= #authors - 1 then
    return false
  end
  for n, each in ipairs(change.earlier) do
    if not stack.is_same(each, authors[n + 1]) then
      return false
    end
  end
  return true
end

--- Gives ids to new changes: those of the changes that were there before them, in their order.
---@param made acp.AgentChange[]
---@param gone acp.AgentChange[]
---@param is_taken table<integer, any>
local function name(made, gone, is_taken)
  local n = 1
  for _, change in ipairs(made) do
    while gone[n] and (is_taken[gone[n].id] or gone[n].had_newline ~= nil) do
      n = n + 1
    end
    change.id, n = gone[n] and gone[n].id or M.new_id(), n + 1
  end
end

--- The hunks after an edit beside all of them.
---@param hunks acp.HunkList
---@param edit acp.Edit
---@return acp.HunkList
local function shifted(hunks, edit)
  local growth = #edit[3] - (edit[2] - edit[1])
  if growth == 0 then
    return hunks
  end
  local rows = {}
  for i, row in ipairs(hunks.rows) do
    rows[i] = row >= edit[2] and row + growth or row
  end
  return { rows = rows, changes = hunks.changes, made_of = hunks.made_of }
end

--- How many hunks of a single turn are the same where they begin, and where they end.
---@param before acp.HunkList
---@param turn? acp.Turn  the only one of which something waits
---@param is_taken table<integer, any>
---@return integer head
---@return integer tail
local function of_turn_in_common(before, turn, is_taken)
  local was, patch = before.made_of and before.made_of[1], turn and turn.patch
  if not was or not patch or #before.made_of > 1 then
    return 0, 0
  end
  return M.in_common(#was, #patch.old, function(i, k)
    local change = before.changes[i]
    return was[i] == patch.old[k] and #change.new == patch.n[k] and not is_taken[change.id]
  end)
end

--- The changes of a text by its stack.
---@param before acp.HunkList  those of the text before its last edits
---@param turns acp.Turn[]
---@param lines string[]
---@param is_taken table<integer, any>  ids that no other change may get
---@param edit? acp.Edit  the only one since
---@return acp.HunkList
function M.of(before, turns, lines, is_taken, edit)
  local made_of = stack.hunks_of(turns)
  if edit and before.made_of and M.is_same(made_of, before.made_of) then
    return shifted(before, edit)
  end
  local head, tail = of_turn_in_common(before, stack.only_waiting(turns), is_taken)
  local hunks, at = M.none(), head + 1 -- at: the first of those before that may still stay
  hunks.made_of = made_of
  local made, places_of = {}, {} ---@type acp.AgentChange[], table<string[], integer>
  for i = head + 1, #before.changes - tail do
    places_of[before.changes[i].old] = i
  end
  local function gone_until(i)
    if at < i or #made > 0 then
      name(made, vim.list_slice(before.changes, at, i - 1), is_taken)
      made = {}
    end
    at = i + 1
  end
  local count, total = 0, head + tail > 0 and #made_of[1] or 0
  stack.each_hunk(turns, lines, function(row, n, old, authors)
    count = count + 1
    if count <= head or (tail > 0 and count > total - tail) then
      local change = before.changes[count <= head and count or #before.changes - total + count]
      hunks.rows[count], hunks.changes[count] = row, change
      return
    end
    local i = places_of[old]
    local same = i and i >= at and before.changes[i] or nil ---@type acp.AgentChange?
    if same and not is_taken[same.id] and #same.new == n and is_by(same, authors) and stands_at(lines, row, same) then
      gone_until(i)
    else
      local new = vim.list_slice(lines, row + 1, row + n)
      same = M.change(authors[1], old, new, #authors > 1 and vim.list_slice(authors, 2) or nil)
      made[#made + 1] = same
    end
    hunks.rows[#hunks.rows + 1], hunks.changes[#hunks.changes + 1] = row, same
  end)
  gone_until(#before.changes - tail + 1)
  return hunks
end

--- The changes that turns have made, whether they wait or not, and whatever later turns have made of them.
---@param known acp.AgentChange[]  which stay what they are
---@param turns acp.Turn[]
---@param lines string[]
---@param is_meant fun(turn: acp.Turn): boolean
---@return acp.Placed[]  ascending
function M.of_turns(known, turns, lines, is_meant)
  local by_old, list = {}, {} ---@type table<string[], acp.AgentChange>, acp.Placed[]
  for _, change in ipairs(known) do
    by_old[change.old] = change
  end
  for i, turn in ipairs(turns) do
    for k, at in ipairs(is_meant(turn) and turn.patch.at or {}) do
      local row, old, n = stack.live_row(turns, i, at), turn.patch.old[k], turn.patch.n[k]
      local same = by_old[old] ---@type acp.AgentChange?
      if not (same and #same.new == n and stands_at(lines, row, same)) then
        local id = same and same.id or M.new_id()
        same = M.change(turn, old, vim.list_slice(lines, row + 1, row + n))
        same.id = id
      end
      list[#list + 1] = { row = row, item = same, is_allowed = turn.allowed }
    end
  end
  table.sort(list, function(one, other)
    return one.row < other.row or (one.row == other.row and one.item.id < other.item.id)
  end)
  return list
end

return M
