-- Whose lines an edit makes of a text with pending changes: the user's take lines out of them, an agent's melt in.
--
--   base            a b c
--   the agent       a X Y c      one change: b | X Y
--   the user        a X U c      Y is the user's now; b pairs with X: b | X
--   the agent       a Z U c      melts in: b | Z, for b was there before any agent
--   undo            a b U c      the agent's lines go, the user's stay
--
-- Invariant: the text with `new` of every change replaced by its `old` holds no line of an agent and all of the user's.
local changes = require("acp_nvim.review.change")
local line_diff = require("acp_nvim.review.line_diff")

local M = {}

---@class acp.Blocks  the changes of one text, ascending; never altered, for the undo memory holds them
---@field rows integer[]        where the new lines of each begin in the text, from 0
---@field changes acp.AgentChange[]

---@class acp.Placed
---@field row integer
---@field change acp.AgentChange

---@return acp.Blocks
function M.none()
  return { rows = {}, changes = {} }
end

---@param placed acp.Placed[]
---@return acp.Blocks
function M.blocks(placed)
  local blocks = M.none()
  for i, each in ipairs(placed) do
    blocks.rows[i], blocks.changes[i] = each.row, each.change
  end
  return blocks
end

---@param row integer
---@param change acp.AgentChange
---@return integer  the row behind its lines
local function stop(row, change)
  return row + #change.new
end

--- The first block that begins at the row or behind it.
---@param rows integer[]
---@param row integer
---@return integer
local function first_from(rows, row)
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

--- The blocks that overlap or touch these rows.
---@param blocks acp.Blocks
---@param first integer
---@param last integer
---@return integer from
---@return integer to
function M.near(blocks, first, last)
  local from = first_from(blocks.rows, first)
  while from > 1 and stop(blocks.rows[from - 1], blocks.changes[from - 1]) >= first do
    from = from - 1
  end
  return from, first_from(blocks.rows, last + 1) - 1
end

--- Replaces the blocks that overlap or touch an edit by what `remake` has for them; those behind move. The edits are
--- carried out from the last to the first, so that the rows of the others hold, in time that is linear in both lists.
---@param blocks acp.Blocks
---@param edits acp.LineEdit[]
---@param remake fun(near: acp.Placed[], edit: acp.LineEdit): acp.Placed[]  rows in the text without and with the edit
---@return acp.Blocks
local function carried(blocks, edits, remake)
  local left = #blocks.rows -- blocks that no edit has come to yet are 1 to `left`
  local rows, list = {}, {} -- the others, the last one first; rows less `shift`, to which every edit adds
  local shift = 0
  local function push(row, change)
    rows[#rows + 1], list[#list + 1] = row - shift, change
  end
  for e = #edits, 1, -1 do
    local edit = edits[e]
    local from, to = M.near(blocks, edit[1], edit[2])
    for i = left, to + 1, -1 do
      push(blocks.rows[i], blocks.changes[i])
    end
    local near = {}
    for i = from, math.min(to, left) do
      near[#near + 1] = { row = blocks.rows[i], change = blocks.changes[i] }
    end
    while #rows > 0 and rows[#rows] + shift <= edit[2] do
      near[#near + 1] = { row = table.remove(rows) + shift, change = table.remove(list) }
    end
    left = math.min(left, from - 1)
    local parts = remake(near, edit)
    shift = shift + #edit[3] - (edit[2] - edit[1])
    for i = #parts, 1, -1 do
      push(parts[i].row, parts[i].change)
    end
  end
  local result = { rows = vim.list_slice(blocks.rows, 1, left), changes = vim.list_slice(blocks.changes, 1, left) }
  for i = #rows, 1, -1 do
    result.rows[#result.rows + 1], result.changes[#result.changes + 1] = rows[i] + shift, list[i]
  end
  return result
end

-- The user's ------------------------------------------------------------------------------------------------------------

--- New lines of the user come behind lines that are hidden at the same row.
---@param placed acp.Placed
---@param edit acp.LineEdit
---@return acp.Placed[]
local function left(placed, edit)
  local row, change, first, last = placed.row, placed.change, edit[1], edit[2]
  local behind = first + #edit[3]
  if stop(row, change) <= first then
    return { placed }
  elseif row >= last then
    return { { row = row - last + behind, change = change } }
  elseif #change.new == 0 then
    return { { row = math.min(row, behind), change = change } }
  end
  local parts = changes.without(change, math.max(first - row, 0), math.min(last, stop(row, change)) - row)
  local result = {}
  for n, part in ipairs(parts) do
    result[n] = { row = (row < first and n == 1) and row or behind, change = part }
  end
  return result
end

--- The user's lines belong to no change: what they replace leaves together with its partners.
---@param blocks acp.Blocks
---@param edits acp.LineEdit[]
---@return acp.Blocks  the same table if no change is met and none moves
function M.user(blocks, edits)
  if #edits == 1 and #edits[1][3] == edits[1][2] - edits[1][1] then
    local from, to = M.near(blocks, edits[1][1], edits[1][2])
    if from > to then
      return blocks -- a key typed beside them all
    end
  end
  local is_same = true
  local result = carried(blocks, edits, function(near, edit)
    local parts = {}
    for _, placed in ipairs(near) do
      vim.list_extend(parts, left(placed, edit))
    end
    is_same = is_same and #edit[3] == edit[2] - edit[1] and #parts == #near
    for n, part in ipairs(is_same and parts or {}) do
      is_same = is_same and part.change == near[n].change and part.row == near[n].row
    end
    return parts
  end)
  return is_same and blocks or result
end

-- An agent's ------------------------------------------------------------------------------------------------------------

--- Of neighbours that only touch, those of the same author melt, and lines that are hidden there.
---@param near acp.Placed[]
---@param edit acp.LineEdit
---@param author acp.Author
---@return integer from
---@return integer to
local function met(near, edit, author)
  local function meets(placed)
    local change = placed.change
    local is_mine = change.session == author.session and change.turn == author.turn and change.by == author.by
    local overlaps = placed.row < edit[2] and stop(placed.row, change) > edit[1]
    return overlaps or is_mine or #change.new == 0
  end
  local from, to = 1, #near
  while from <= to and not meets(near[from]) and stop(near[from].row, near[from].change) <= edit[1] do
    from = from + 1
  end
  while from <= to and not meets(near[to]) do
    to = to - 1
  end
  return from, to
end

---@param found acp.Placed[]
---@return acp.Origin[]
local function origins(found)
  local list, seen = {}, {}
  for _, placed in ipairs(found) do
    for _, origin in ipairs({ changes.origin(placed.change), unpack(placed.change.melted) }) do
      local key = table.concat({ origin.born, origin.old[1], origin.old[2], origin.new[1], origin.new[2] }, " ")
      if not seen[key] then
        seen[key] = true
        list[#list + 1] = origin
      end
    end
  end
  return list
end

---@class acp.Melting
---@field old string[]    what was there before any of the changes that are met
---@field new string[]    what is there with the edit
---@field low integer     the row where both begin
---@field spans { [1]: integer, [2]: integer, id: integer }[]  where the old lines of the changes are

---@param lines string[]  the text without this edit and those above it; what is behind the edit may have changed
---@param found acp.Placed[]
---@param edit acp.LineEdit
---@return acp.Melting
local function melting(lines, found, edit)
  local first, last = edit[1], edit[2]
  local low = math.min(first, found[1].row)
  local old, new, spans, at = {}, {}, {}, low
  for n, placed in ipairs(found) do
    local row, change = placed.row, placed.change
    vim.list_extend(old, lines, at + 1, math.max(at, row))
    if n == 1 then
      vim.list_extend(new, change.new, 1, math.max(0, math.min(first - row, #change.new)))
      vim.list_extend(new, edit[3])
    end
    if stop(row, change) > last then
      vim.list_extend(new, change.new, math.max(0, last - row) + 1)
    end
    spans[n] = { #old, #old + #change.old, id = change.id }
    vim.list_extend(old, change.old)
    at = stop(row, change)
  end
  vim.list_extend(old, lines, at + 1, math.max(at, last))
  return { old = old, new = new, low = low, spans = spans }
end

---@param made acp.Melting
---@param author acp.Author
---@param melted acp.Origin[]
---@param is_mixed boolean
---@return acp.Placed[]
local function remade(made, author, melted, is_mixed)
  local result, row = {}, made.low
  for _, edit in ipairs(line_diff.edits(made.old, made.new)) do
    local change = changes.new(author, vim.list_slice(made.old, edit[1] + 1, edit[2]), edit[3], is_mixed)
    change.melted = melted
    for n, span in ipairs(made.spans) do
      if span[1] <= edit[2] and span[2] >= edit[1] then
        change.id = span.id
        made.spans = vim.list_slice(made.spans, n + 1)
        break
      end
    end
    result[#result + 1] = { row = row + edit[1], change = change }
    row = row + #edit[3] - (edit[2] - edit[1])
  end
  return result
end

--- The agent's lines are a change over the lines that were there before any change that they meet.
---@param blocks acp.Blocks
---@param lines string[]  the text before
---@param edits acp.LineEdit[]
---@param author acp.Author
---@param is_mixed? fun(old: string[], new: string[]): boolean  the user has had a hand in that edit
---@return acp.Blocks
function M.agent(blocks, lines, edits, author, is_mixed)
  return carried(blocks, edits, function(near, edit)
    local old = vim.list_slice(lines, edit[1] + 1, edit[2])
    local mixed = is_mixed ~= nil and is_mixed(old, edit[3])
    local from, to = met(near, edit, author)
    local parts = vim.list_slice(near, 1, from - 1)
    if from > to then
      parts[#parts + 1] = { row = edit[1], change = changes.new(author, old, edit[3], mixed) }
    else
      local found = vim.list_slice(near, from, to)
      for _, placed in ipairs(found) do -- lines of several authors are nobody's alone
        mixed = mixed or placed.change.mixed or placed.change.session ~= author.session
      end
      vim.list_extend(parts, remade(melting(lines, found, edit), author, origins(found), mixed))
    end
    for at = math.max(to, from - 1) + 1, #near do
      local growth = #edit[3] - (edit[2] - edit[1])
      parts[#parts + 1] = { row = near[at].row + growth, change = near[at].change }
    end
    return parts
  end)
end

return M
