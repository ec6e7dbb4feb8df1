-- Attributes an edit to the user or an agent: the user's edits take lines out of pending changes, an agent's edits
-- become part of them.
--
--   base            a b c
--   the agent       a X Y c      one change: b | X Y
--   the user        a X U c      Y is the user's now; b pairs with X: b | X
--   the agent       a Z U c      melts in: b | Z, for b was there before any agent
--   undo            a b U c      the agent's lines go, the user's stay
--
-- Invariant: the text with `new` of every change replaced by its `old` holds no line of an agent and all of the user's.
local block_list = require("acp_nvim.review.block_list")
local changes = require("acp_nvim.review.change")
local diff = require("acp_nvim.documents.diff")
local row_shift = require("acp_nvim.review.row_shift")

local M = {}

---@param row integer
---@param change acp.AgentChange
---@return integer  the row behind its lines
local function stop(row, change)
  return row + #change.new
end

---@param blocks acp.Blocks
---@param edits acp.Edit[]
---@param remake fun(near: acp.Placed[], edit: acp.Edit): acp.Placed[]
---@return acp.Blocks
local function carried(blocks, edits, remake)
  local rows, list = row_shift.carry(blocks.rows, blocks.changes, block_list.size, edits, remake)
  return { rows = rows, changes = list }
end

-- The user's ------------------------------------------------------------------------------------------------------------

--- What an edit of the user leaves of a change. New lines of the user come behind a deletion at the same row.
---@param placed acp.Placed
---@param edit acp.Edit
---@return acp.Placed[]
local function rest_of(placed, edit)
  local row, change, first, last = placed.row, placed.item, edit[1], edit[2]
  local behind = first + #edit[3]
  if stop(row, change) <= first then
    return { placed }
  elseif row >= last then
    return { { row = row - last + behind, item = change } }
  elseif #change.new == 0 then
    return { { row = math.min(row, behind), item = change } }
  end
  local parts = changes.without(change, math.max(first - row, 0), math.min(last, stop(row, change)) - row)
  local result = {}
  for n, part in ipairs(parts) do
    result[n] = { row = (row < first and n == 1) and row or behind, item = part }
  end
  return result
end

--- Does the edit leave all changes as they are, where they are? Most keys do that, also between thousands of changes.
---@param blocks acp.Blocks
---@param edit acp.Edit
---@return boolean
local function leaves_all(blocks, edit)
  if #edit[3] ~= edit[2] - edit[1] then
    return false
  end
  local from, to = block_list.near(blocks, edit[1], edit[2])
  for i = from, to do
    local row, change = blocks.rows[i], blocks.changes[i]
    if #change.new > 0 and stop(row, change) > edit[1] and row < edit[2] then
      return false
    end
  end
  return true
end

--- The changes after edits of the user: lines that the user replaces leave their change, together with their partners.
---@param blocks acp.Blocks
---@param edits acp.Edit[]
---@return acp.Blocks  the same table if no change is met and none moves
function M.user(blocks, edits)
  local is_same = true
  for _, edit in ipairs(edits) do
    is_same = is_same and leaves_all(blocks, edit)
  end
  return is_same and blocks
    or carried(blocks, edits, function(near, edit)
      local parts = {}
      for _, placed in ipairs(near) do
        vim.list_extend(parts, rest_of(placed, edit))
      end
      return parts
    end)
end

-- An agent's ------------------------------------------------------------------------------------------------------------

--- The changes into which an edit of an agent melts: those that it overlaps; of those that it only touches, deletions
--- and changes of the same author.
---@param near acp.Placed[]
---@param edit acp.Edit
---@param author acp.Author
---@return integer from
---@return integer to
local function met(near, edit, author)
  local function meets(placed)
    local change = placed.item
    local is_mine = change.session == author.session and change.turn == author.turn and change.by == author.by
    local overlaps = placed.row < edit[2] and stop(placed.row, change) > edit[1]
    return overlaps or (is_mine and change.had_newline == nil) or #change.new == 0
  end
  local from, to = 1, #near
  while from <= to and not meets(near[from]) and stop(near[from].row, near[from].item) <= edit[1] do
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
    for _, origin in ipairs({ changes.origin(placed.item), unpack(placed.item.melted) }) do
      local key = table.concat({ origin.born, origin.old[1], origin.old[2], origin.new[1], origin.new[2] }, " ")
      if not seen[key] then
        seen[key] = true
        list[#list + 1] = origin
      end
    end
  end
  return list
end

--- The other turns that have a hand in these changes.
---@param found acp.Placed[]
---@param author acp.Author
---@return acp.Author[]
local function earlier_turns(found, author)
  local list = {}
  for _, placed in ipairs(found) do
    for _, other in ipairs({ placed.item, unpack(placed.item.earlier) }) do
      local is_known = changes.is_same_turn(other, author)
      for _, each in ipairs(list) do
        is_known = is_known or changes.is_same_turn(other, each)
      end
      if not is_known then
        list[#list + 1] = { session = other.session, turn = other.turn, by = other.by }
      end
    end
  end
  return list
end

--- A melt as two texts, whose difference are the new changes: the lines before any of the changes that the edit meets,
--- and the same place with the edit.
---
---   text    a X Y c      a change at row 1: b | X Y
---   edit    rows 2 to 4, which hold Y and c, become Z c
---   old     b c          from row 1 on, before the agent
---   new     X Z c        what the change still has above the edit, and the edit: b | X Z
---@class acp.Melting
---@field old string[]    what was there before any of the changes that are met
---@field new string[]    what is there with the edit
---@field low integer     the row where both begin
---@field spans { [1]: integer, [2]: integer, id: integer }[]  where `old` has the old lines of each change

---@param lines string[]  the text without this edit and those above it; what is behind the edit may have changed
---@param found acp.Placed[]
---@param edit acp.Edit
---@return acp.Melting
local function melting(lines, found, edit)
  local first, last = edit[1], edit[2]
  local low = math.min(first, found[1].row)
  local old, new, spans, at = {}, {}, {}, low
  for n, placed in ipairs(found) do
    local row, change = placed.row, placed.item
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

--- The changes that the melt makes. One that replaces old lines of an earlier change keeps its id.
---@param made acp.Melting
---@param author acp.Author
---@param melted acp.Origin[]
---@param is_mixed boolean
---@param earlier acp.Author[]
---@return acp.Placed[]
local function remade(made, author, melted, is_mixed, earlier)
  local result, row = {}, made.low
  for _, edit in ipairs(diff.edits(made.old, made.new)) do
    local change = changes.new(author, vim.list_slice(made.old, edit[1] + 1, edit[2]), edit[3], is_mixed)
    change.melted, change.earlier = melted, earlier
    for n, span in ipairs(made.spans) do
      if span[1] <= edit[2] and span[2] >= edit[1] then
        change.id = span.id
        made.spans = vim.list_slice(made.spans, n + 1)
        break
      end
    end
    result[#result + 1] = { row = row + edit[1], item = change }
    row = row + #edit[3] - (edit[2] - edit[1])
  end
  return result
end

--- The changes after edits of an agent: each edit is a change of the lines that stood there before any agent.
---@param blocks acp.Blocks
---@param lines string[]  the text before
---@param edits acp.Edit[]
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
      parts[#parts + 1] = { row = edit[1], item = changes.new(author, old, edit[3], mixed) }
    else
      local found = vim.list_slice(near, from, to)
      for _, placed in ipairs(found) do -- lines of several authors are nobody's alone
        mixed = mixed or placed.item.mixed or placed.item.session ~= author.session
      end
      local made = melting(lines, found, edit)
      vim.list_extend(parts, remade(made, author, origins(found), mixed, earlier_turns(found, author)))
    end
    for at = math.max(to, from - 1) + 1, #near do
      local growth = #edit[3] - (edit[2] - edit[1])
      parts[#parts + 1] = { row = near[at].row + growth, item = near[at].item }
    end
    return parts
  end)
end

return M
