-- Lists the changes of one text, each with the row where its new lines begin.
--
--   text      a X Y d      the changes: b c | X Y at row 1
local row_shift = require("acp_nvim.review.row_shift")

local M = {}

---@class acp.Blocks  the changes of one text, ascending; never altered, for the undo memory holds them
---@field rows integer[]        where the new lines of each begin in the text, from 0
---@field changes acp.AgentChange[]

---@class acp.Placed
---@field row integer
---@field item acp.AgentChange

---@param change acp.AgentChange
---@return integer  lines in the text
function M.size(change)
  return #change.new
end

---@return acp.Blocks
function M.none()
  return { rows = {}, changes = {} }
end

---@param placed acp.Placed[]
---@return acp.Blocks
function M.of(placed)
  local blocks = M.none()
  for i, each in ipairs(placed) do
    blocks.rows[i], blocks.changes[i] = each.row, each.item
  end
  return blocks
end

--- The blocks that overlap or touch these rows.
---@param blocks acp.Blocks
---@param first integer
---@param last integer
---@return integer from
---@return integer to
function M.near(blocks, first, last)
  return row_shift.near(blocks.rows, blocks.changes, M.size, first, last)
end

--- Those of the ids that are among the changes.
---@param blocks acp.Blocks
---@param ids table<integer, any>
---@return acp.Placed[]  ascending
function M.chosen(blocks, ids)
  local list = {}
  for i, change in ipairs(blocks.changes) do
    if ids[change.id] then
      list[#list + 1] = { row = blocks.rows[i], item = change }
    end
  end
  return list
end

--- The blocks without these changes, and their rows once those are undone.
---@param blocks acp.Blocks
---@param ids table<integer, any>
---@param are_undone boolean
---@return acp.Blocks
function M.without(blocks, ids, are_undone)
  local rest, shift = M.none(), 0
  for i, change in ipairs(blocks.changes) do
    if not ids[change.id] then
      local at = #rest.rows + 1
      rest.rows[at], rest.changes[at] = blocks.rows[i] + shift, change
    elseif are_undone then
      shift = shift + #change.old - #change.new
    end
  end
  return rest
end

return M
