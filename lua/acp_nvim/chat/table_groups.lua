-- Parts the lines of a table into groups. Only the first line of a group is not hidden: the rows of the whole group
-- stand over the rows of the window that this line takes, and below it. So no row of the window stays empty, and
-- Neovim, which scrolls over hidden lines without a stop, comes past every row of a table that is higher than the
-- window.
--
--   six lines of two rows each, whose cells take one       the same, the cursor in d
--       a    a b over it                                       a    a b over it, c below it
--       c    c d over it                                       d    as the agent wrote it
--       e    e f over it                                       e    e f over it
local M = {}

---@class acp.LineGroup
---@field first integer  of its lines, the one that is not hidden
---@field last integer
---@field rows [string, string][][]

--- Adds the newest group to the one above it if it would leave rows empty.
---@param groups acp.LineGroup[]
---@param heights integer[]
---@param cursor? integer
local function close(groups, heights, cursor)
  local group, above = groups[#groups], groups[#groups - 1]
  if above and group.first ~= cursor and #group.rows < heights[group.first] then
    above.last = group.last
    vim.list_extend(above.rows, group.rows)
    groups[#groups] = nil
  end
end

--- The groups of a table. The cursor's line begins one and has no rows: it stands as it is.
---@param rows [string, string][][][]  of each line
---@param heights integer[]  rows of the window that each line takes
---@param cursor? integer  the line of the cursor
---@return acp.LineGroup[]
function M.of(rows, heights, cursor)
  local groups = {} ---@type acp.LineGroup[]
  for index, of_line in ipairs(rows) do
    local group = groups[#groups]
    local is_full = not group or group.first == cursor or #group.rows >= heights[group.first]
    if is_full or index == cursor then
      close(groups, heights, cursor)
      group = { first = index, last = index, rows = {} }
      groups[#groups + 1] = group
    end
    group.last = index
    vim.list_extend(group.rows, index ~= cursor and of_line or {})
  end
  close(groups, heights, cursor)
  return groups
end

return M
