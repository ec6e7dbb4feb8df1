-- Opens the windows of a diff where there is room: across the top of the tabpage; where that would leave a chat too few
-- lines, in the place of the user's windows beside it; else, or where a chat floats above, in a tabpage of their own.
local file_changed_prompt = require("acp_nvim.documents.file_changed_prompt")
local layout = require("acp_nvim.ui.tabpage")
local pairs_of = require("acp_nvim.windows.window_pair")

local api = vim.api
local M = {}

---@class acp.Spot
---@field win integer     above which they are; -1: above all
---@field width integer
---@field height integer  of the right side, before the left one takes its share

local LEAST_WIDTH = 80 -- below it one stands above the other
local LEAST_LINES = 14 -- of the screen: below it they have a tabpage of their own
local LEAST_HEIGHT = 4 -- of a side, with its bar
local READABLE_HEIGHT = 10 -- the same, of one that opens by itself
local READABLE_WIDTH = 40 -- of both, one above the other
local LEAST_ACROSS = 13 -- of both across the top
local CHAT = 14 -- lines that they leave to a chat and its prompt there
local SHARE = 0.55 -- of the screen
local KEPT = 0.125 -- of the user's windows, in whose place they are

---@return boolean
local function has_diff()
  return vim.iter(layout.windows()):any(function(win)
    return vim.wo[win].diff
  end)
end

--- The pair whose chat is in this tabpage.
---@return acp.Pair?
local function chat_here()
  local pair = pairs_of.current()
  return pair and pairs_of.is_open(pair.chat) and pair or nil
end

-- The user's windows beside a chat ------------------------------------------------------------------------------------

---@param node any[]  of winlayout()
---@return integer[]
local function windows_in(node)
  if node[1] == "leaf" then
    return { node[2] }
  end
  return vim.iter(node[2]):map(windows_in):flatten():totable()
end

--- Windows one below the other.
---@param node any[]
---@return integer[]?
local function column_of(node)
  local is_column = node[1] == "leaf" or vim.iter(node[2]):all(function(child)
    return child[1] == "leaf"
  end)
  return node[1] ~= "row" and is_column and windows_in(node) or nil
end

--- The user's windows in the tabpage, by columns.
---@param pair acp.Pair
---@return integer[][]
local function users_columns(pair)
  local tree = vim.fn.winlayout() ---@type any[]
  local columns = {}
  if tree[1] == "col" then -- the chat is below them
    local users = pairs_of.users_windows(pair)
    local are_above = vim.deep_equal(column_of({ "col", vim.list_slice(tree[2], 1, #users) }), users)
    return are_above and #users > 0 and { users } or {}
  end
  for _, node in ipairs(tree[1] == "row" and tree[2] or {}) do
    local column = column_of(node)
    local is_ours = column and vim.iter(column):any(function(win)
      return pairs_of.holds(pair, win)
    end)
    columns[#columns + 1] = not is_ours and column or nil
  end
  return columns
end

---@param column integer[]
---@return integer rows  with their statuslines
local function rows_of(column)
  return vim.iter(column):fold(0, function(rows, win)
    return rows + api.nvim_win_get_height(win) + 1
  end)
end

---@param width integer
---@param height integer
---@return integer
local function height_of_side(width, height)
  return width >= LEAST_WIDTH and height or math.floor((height - 1) / 2)
end

---@param column integer[]
---@return acp.Spot?
local function above(column)
  local rows, width = rows_of(column), api.nvim_win_get_width(column[1])
  local height = rows - math.max(2 * #column, math.floor(rows * KEPT)) - 1
  local fits = height_of_side(width, height) >= LEAST_HEIGHT
  return fits and { win = column[1], width = width, height = height } or nil
end

---@param pair acp.Pair
---@return acp.Spot?
local function beside(pair)
  local spots = vim.iter(users_columns(pair)):map(above):totable()
  table.sort(spots, function(one, other)
    return one.width > other.width
  end)
  return spots[1]
end

-- The spot ------------------------------------------------------------------------------------------------------------

---@param pair? acp.Pair
---@return acp.Spot?
local function across(pair)
  local room = vim.o.lines - vim.o.cmdheight
  local height = math.floor(room * SHARE)
  if pair then
    height = math.min(height, room - CHAT - 2)
  end
  return (not pair or height >= LEAST_ACROSS) and { win = -1, width = vim.o.columns, height = height } or nil
end

---@return acp.Spot?
local function find()
  if vim.o.lines < LEAST_LINES or has_diff() then
    return nil
  end
  local pair = chat_here()
  if pair and layout.is_float(pair.chat) then
    return nil
  end
  return across(pair) or pair and beside(pair)
end

--- Is there room in this tabpage for two sides that can be read, and no diff of the user's that they would mix with?
---@return boolean
function M.is_there()
  local spot = find()
  if not spot or spot.width < READABLE_WIDTH then
    return false
  end
  return height_of_side(spot.width, spot.height) >= READABLE_HEIGHT
end

--- A window for the left side, which takes its share of the right one's.
---@param right_win integer
---@param left integer  buffer
---@return integer left_win
function M.open_left(right_win, left)
  local width, height = api.nvim_win_get_width(right_win), api.nvim_win_get_height(right_win)
  local where = width >= LEAST_WIDTH and { split = "left", win = right_win, width = math.floor((width - 1) / 2) }
    or { split = "above", win = right_win, height = math.floor(height / 2) }
  local win ---@type integer
  file_changed_prompt.without(left, function()
    win = api.nvim_open_win(left, false, where)
  end)
  return win
end

---@param spot acp.Spot
---@param right integer  buffer
---@return integer right_win
local function split(spot, right)
  local right_win = api.nvim_open_win(right, false, { split = "above", win = spot.win, height = spot.height })
  api.nvim_win_set_height(right_win, spot.height) -- if need be of the windows below that one, too
  return right_win
end

--- Opens the windows.
---@param left? integer  buffer
---@param right integer  buffer
---@return integer? left_win
---@return integer right_win
---@return boolean own_tab
function M.open(left, right)
  local spot = find()
  local right_win
  if spot then
    right_win = split(spot, right)
  else
    layout.new_tab(right)
    right_win = api.nvim_get_current_win()
  end
  return left and M.open_left(right_win, left), right_win, spot == nil
end

return M
