-- Keeps the height of a prompt, as we or the user have set it, while other windows come and go.
local pairs_of = require("acp_nvim.windows.pair")
local tabpage = require("acp_nvim.ui.tabpage")

local api = vim.api
local M = {}

---@param pair acp.Pair
---@return boolean  one below the other, and not floating
local function is_stacked(pair)
  return pairs_of.is_complete(pair) and not tabpage.is_float(pair.prompt)
end

---@param pair acp.Pair
---@return integer prompt
---@return integer both
local function heights(pair)
  local height = api.nvim_win_get_height(pair.prompt)
  return height, height + api.nvim_win_get_height(pair.chat)
end

--- Remembers the heights of the pair as they are wanted.
---@param pair acp.Pair
function M.record(pair)
  if is_stacked(pair) and pair.fitted ~= ("%d of %d"):format(heights(pair)) then
    pair.height, pair.both = heights(pair)
    pair.fitted = nil
  end
end

--- Gives the prompt its height, and with it the chat what is left.
---@param pair acp.Pair
local function restore(pair)
  pair.disturbed = false
  if not is_stacked(pair) or not pair.height then
    return
  end
  local height, both = heights(pair)
  local wanted = both < pair.both and math.max(1, math.min(pair.height, math.floor(both / 3))) or pair.height
  if height ~= wanted then
    api.nvim_win_set_height(pair.prompt, wanted --[[@as integer]])
  end
  pair.fitted = ("%d of %d"):format(heights(pair))
end

--- Sizes have changed. If the user has changed them they count from now on; if windows came or went they are restored.
---@param pair acp.Pair
---@param windows integer[]
function M.resized(pair, windows)
  if pair.disturbed then
    restore(pair)
  elseif vim.list_contains(windows, pair.chat) or vim.list_contains(windows, pair.prompt) then
    M.record(pair)
  end
end

return M
