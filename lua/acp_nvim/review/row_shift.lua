-- Moves places in a text with its edits: the changes of agents, and the lines that they have lost.
--
--   places    rows 1 and 5                     edits    { 0, 0, { x } } and { 5, 6, {} }
--   row 1 is beside both edits: it moves to 2; row 5 is met by the second: `remake` says what is left of it
local M = {}

--- The first place that begins at the row or behind it.
---@param rows integer[]  ascending
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

--- The places that overlap or touch these rows.
---@param rows integer[]
---@param items any[]
---@param size fun(item: any): integer  in lines
---@param first integer
---@param last integer
---@return integer from
---@return integer to
function M.near(rows, items, size, first, last)
  local from = first_from(rows, first)
  while from > 1 and rows[from - 1] + size(items[from - 1]) >= first do
    from = from - 1
  end
  return from, first_from(rows, last + 1) - 1
end

--- Replaces the places that overlap or touch an edit by what `remake` has for them; those behind move. The edits are
--- carried out from the last to the first, so that the rows of the others hold, in time that is linear in both lists.
---@generic T
---@param rows integer[]
---@param items T[]
---@param size fun(item: T): integer
---@param edits acp.Edit[]
---@param remake fun(near: { row: integer, item: T }[], edit: acp.Edit): { row: integer, item: T }[]  rows in the text without and with the edit
---@return integer[] rows
---@return T[] items
function M.carry(rows, items, size, edits, remake)
  local left = #rows -- places that no edit has come to yet are 1 to `left`
  local later_rows, later = {}, {} -- the others, the last one first; rows less `shift`, to which every edit adds
  local shift = 0
  for e = #edits, 1, -1 do
    local edit = edits[e]
    local from, to = M.near(rows, items, size, edit[1], edit[2])
    for i = left, to + 1, -1 do
      later_rows[#later_rows + 1], later[#later + 1] = rows[i] - shift, items[i]
    end
    local near = {}
    for i = from, math.min(to, left) do
      near[#near + 1] = { row = rows[i], item = items[i] }
    end
    local above = {} -- a part of what a later edit has met: it may end before this one
    while #later_rows > 0 and later_rows[#later_rows] + shift <= edit[2] do
      local place = { row = table.remove(later_rows) + shift, item = table.remove(later) }
      table.insert(place.row + size(place.item) < edit[1] and above or near, place)
    end
    left = math.min(left, from - 1)
    local parts = vim.list_extend(above, remake(near, edit))
    shift = shift + #edit[3] - (edit[2] - edit[1])
    for i = #parts, 1, -1 do
      later_rows[#later_rows + 1], later[#later + 1] = parts[i].row - shift, parts[i].item
    end
  end
  local new_rows, new_items = vim.list_slice(rows, 1, left), vim.list_slice(items, 1, left)
  for i = #later_rows, 1, -1 do
    new_rows[#new_rows + 1], new_items[#new_items + 1] = later_rows[i] + shift, later[i]
  end
  return new_rows, new_items
end

return M
