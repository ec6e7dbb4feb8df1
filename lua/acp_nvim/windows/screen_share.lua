-- Keeps the share of the screen that a pair has when the screen is resized, until the user resizes the pair by hand.
local config = require("acp_nvim.config.settings")
local neighbours = require("acp_nvim.windows.neighbours")
local pairs_of = require("acp_nvim.windows.window_pair")
local placement = require("acp_nvim.windows.placement")
local tabpage = require("acp_nvim.ui.tabpage")

local api = vim.api
local M = {}

---@param pair acp.Pair
---@return "width"|"height"|"float"|nil side  of the screen that it has a share of
local function side_of(pair)
  local position = pair.position
  if pair.own_tab or not pairs_of.is_complete(pair) then
    return nil
  elseif tabpage.is_float(pair.chat) then
    return "float"
  elseif position == "bottom" then
    return "height"
  end
  local beside = position == "right" or position == "left"
  return beside and config.get().chat.width < 1 and api.nvim_win_get_width(pair.chat) < vim.o.columns and "width" or nil
end

---@param pair acp.Pair
---@param side "width"|"height"
---@return integer
local function size_of(pair, side)
  if side == "width" then
    return api.nvim_win_get_width(pair.chat)
  end
  return api.nvim_win_get_height(pair.chat) + api.nvim_win_get_height(pair.prompt)
end

---@param pair acp.Pair
local function record_users(pair)
  pair.users = { screen = tabpage.screen(), sizes = neighbours.sizes_of(pairs_of.users_windows(pair)) }
end

--- Returns the sizes that the user's windows had on the screen of before: on another one Neovim takes all from the
--- last.
---@param pair acp.Pair
---@return acp.WindowSizes
function M.users_sizes(pair)
  local sizes = neighbours.sizes_of(pairs_of.users_windows(pair))
  for side, known in pairs(pair.users and pair.users.sizes or {}) do
    sizes[side] = vim.tbl_extend("force", sizes[side], known)
  end
  return sizes
end

--- The pair has been opened, or has its share: another size later on is the user's.
---@param pair acp.Pair
function M.record(pair)
  local side = side_of(pair)
  record_users(pair)
  pair.share = side and { size = side ~= "float" and size_of(pair, side) or nil, screen = tabpage.screen() } or nil
end

--- Sizes have changed: because windows came or went, or by the user's hand.
---@param pair acp.Pair
function M.resized(pair)
  if pair.users and pair.users.screen == tabpage.screen() then
    record_users(pair)
  end
  local side, given = side_of(pair), pair.share
  if not given or not given.size or not side or side == "float" or given.screen ~= tabpage.screen() then
    return
  end
  local size = size_of(pair, side)
  given.by_hand = given.by_hand or (not pair.disturbed and size ~= given.size)
  given.size = size
end

--- The screen may have another size than when the pair was given its share.
---@param pair acp.Pair
function M.follow_screen(pair)
  local side, given = side_of(pair), pair.share
  if not side or not given or given.by_hand or given.screen == tabpage.screen() then
    return
  elseif side == "float" then
    placement.float_anew(pair)
  elseif side == "width" then
    local before = M.users_sizes(pair)
    api.nvim_win_set_width(pair.chat, placement.width())
    neighbours.share(before, "width")
  else
    local before = M.users_sizes(pair)
    local height = placement.height() - api.nvim_win_get_height(pair.prompt) - 1
    api.nvim_win_set_height(pair.chat, math.max(1, height))
    neighbours.share(before, "height")
  end
  M.record(pair)
end

return M
