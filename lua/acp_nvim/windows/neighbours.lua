-- Shares the room beside a chat among the user's windows in the proportions that they had before. Neovim itself takes
-- all the room of a new window from the one next to it:
--
--   80 | 79         a chat of 64 columns opens
--   80 | 14 | 64    as Neovim makes it
--   47 | 47 | 64    shared
--
-- A window with 'winfixwidth', such as a file tree, keeps its width as long as the others keep a third of theirs.
local api = vim.api
local M = {}

---@alias acp.Side "width"|"height"

---@class acp.WindowSizes
---@field width table<integer, integer>   by window
---@field height table<integer, integer>

---@class acp.FramePart
---@field node table      as winlayout() returns it
---@field before integer
---@field is_fixed boolean
---@field is_ours boolean

local ALONG = { width = "row", height = "col" } ---@type table<acp.Side, string>  where sizes of that side add up
local FIX = { width = "winfixwidth", height = "winfixheight" } ---@type table<acp.Side, string>
local SIZE_OF = { width = api.nvim_win_get_width, height = api.nvim_win_get_height }
local RESIZE = { width = api.nvim_win_set_width, height = api.nvim_win_set_height }

--- Returns the sizes of these windows as they are now.
---@param windows integer[]
---@return acp.WindowSizes
function M.sizes_of(windows)
  local sizes = { width = {}, height = {} }
  for _, win in ipairs(windows) do
    sizes.width[win], sizes.height[win] = SIZE_OF.width(win), SIZE_OF.height(win)
  end
  return sizes
end

--- Returns the size of a frame of the layout; a separator or a statusline stands between two windows.
---@param node table  as winlayout() returns it
---@param side acp.Side
---@param size fun(win: integer): integer
---@return integer
local function extent(node, side, size)
  if node[1] == "leaf" then
    return size(node[2])
  end
  local sum, largest = #node[2] - 1, 0
  for _, child in ipairs(node[2]) do
    local one = extent(child, side, size)
    sum, largest = sum + one, math.max(largest, one)
  end
  return node[1] == ALONG[side] and sum or largest
end

--- Whether all windows of a frame meet the condition, or in a stack of them one does.
---@param node table
---@param side acp.Side
---@param condition fun(win: integer): boolean
---@return boolean
local function holds(node, side, condition)
  if node[1] == "leaf" then
    return condition(node[2])
  end
  local count = 0
  for _, child in ipairs(node[2]) do
    count = count + (holds(child, side, condition) and 1 or 0)
  end
  return node[1] == ALONG[side] and count == #node[2] or node[1] ~= ALONG[side] and count > 0
end

--- Returns the new sizes of the parts in `room`: those that are kept, and the others in proportion.
---@param parts acp.FramePart[]
---@param room integer
---@param keeps fun(part: acp.FramePart): boolean
---@return integer[] sizes
---@return boolean is_enough  the others keep a third of what they had
local function divide(parts, room, keeps)
  local total = 0
  for _, part in ipairs(parts) do
    total = total + (keeps(part) and 0 or part.before)
    room = room - (keeps(part) and part.before or 0)
  end
  local sizes, before, edge = {}, 0, 0
  for index, part in ipairs(parts) do
    if keeps(part) then
      sizes[index] = part.before
    else
      before = before + part.before
      local next_edge = math.floor(room * before / total + 0.5)
      sizes[index], edge = math.max(1, next_edge - edge), next_edge
    end
  end
  return sizes, 3 * room >= total
end

--- Collects the size of each window in a frame that is to have the size `room`.
---@param node table
---@param side acp.Side
---@param before table<integer, integer>
---@param room integer
---@param wanted [integer, integer][]  window and size, in the order of the layout
local function collect(node, side, before, room, wanted)
  if node[1] == "leaf" then
    wanted[#wanted + 1] = { node[2], room }
    return
  elseif node[1] ~= ALONG[side] then
    for _, child in ipairs(node[2]) do
      collect(child, side, before, room, wanted)
    end
    return
  end
  local parts = vim.tbl_map(function(child)
    return {
      node = child,
      before = extent(child, side, function(win)
        return before[win] or SIZE_OF[side](win)
      end),
      is_fixed = holds(child, side, function(win)
        return vim.wo[win][FIX[side]]
      end),
      is_ours = holds(child, side, function(win)
        return before[win] == nil
      end),
    }
  end, node[2]) ---@type acp.FramePart[]
  local inside = room - (#parts - 1)
  local sizes, is_enough = divide(parts, inside, function(part)
    return part.is_ours or part.is_fixed
  end)
  if not is_enough then
    sizes = divide(parts, inside, function(part)
      return part.is_ours
    end)
  end
  for index, part in ipairs(parts) do
    if not part.is_ours then
      collect(part.node, side, before, sizes[index], wanted)
    end
  end
end

--- Shares the room of the user's windows in the proportions that they had. All other windows are ours and keep the size
--- that they have.
---@param before acp.WindowSizes
---@param side acp.Side
function M.share(before, side)
  local layout, wanted = vim.fn.winlayout(), {} ---@type table, [integer, integer][]
  collect(layout, side, before[side], extent(layout, side, SIZE_OF[side]), wanted)
  for _ = 1, 2 do -- in a nested layout the first pass also moves windows that have their size already
    for _, one in ipairs(wanted) do
      RESIZE[side](one[1], one[2])
    end
  end
end

return M
