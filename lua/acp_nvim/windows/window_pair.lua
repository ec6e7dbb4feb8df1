-- Keeps the pairs, a chat with its prompt below: at most one in each tabpage.
local tabpage = require("acp_nvim.ui.tabpage")

local api = vim.api
local M = {}

---@class acp.Pair
---@field session integer
---@field chat? integer
---@field prompt? integer
---@field plan? integer     the panel between them, while the plan is pinned
---@field queue? integer    the float with the queue above the prompt, where a winbar has no room for it
---@field origin? integer   the user's window, to which closing goes back
---@field file? integer     the last one of the user's that takes files
---@field lost_statuslines? boolean  a plugin gives every window a statusline of its own
---@field own_tab boolean
---@field position? string  where the chat was opened, as `chat.position` names it
---@field prompt_rows? integer  of text in the prompt, as we or the user made it
---@field both_rows? integer    the height of the two windows then
---@field disturbed boolean  windows have come or gone, or the screen has changed: sizes are not the user's wish
---@field fitted? integer[]  both heights as we have fitted them to the text, which are not the user's wish either
---@field share? { size?: integer, screen: string, by_hand?: boolean }  of the screen, as we gave it
---@field users? { screen: string, sizes: acp.WindowSizes }  the user's windows beside it, and the screen then
---@field layout acp.Layout  as it was before

M.by_tab = {} ---@type table<integer, acp.Pair>

---@param win? integer
---@return boolean
function M.is_open(win)
  return win ~= nil and api.nvim_win_is_valid(win)
end

--- The pair of this tabpage.
---@return acp.Pair?
function M.current()
  local tab = api.nvim_get_current_tabpage()
  local pair = M.by_tab[tab]
  if pair and not M.is_open(pair.chat) and not M.is_open(pair.prompt) then
    M.by_tab[tab] = nil
    return nil
  end
  return pair
end

-- Our window options that would hold the user back in a window that has become theirs.
local FREE = { winfixbuf = false, winfixheight = false, winfixwidth = false }

--- A window of a pair that has come to show a buffer of the user's is theirs: `:bdelete` of a prompt does not close the
--- last window, but shows a file in it.
---@param win integer
function M.give_back(win)
  local pair = M.by_tab[api.nvim_win_get_tabpage(win)]
  if not pair or not M.holds(pair, win) or vim.b[api.nvim_win_get_buf(win)].acp_session ~= nil then
    return
  end
  for _, name in ipairs({ "chat", "prompt", "plan" }) do
    pair[name] = pair[name] ~= win and pair[name] or nil
  end
  for name, value in pairs(FREE) do
    api.nvim_set_option_value(name, value, { win = win, scope = "local" })
  end
end

---@param pair acp.Pair
---@return boolean
function M.is_complete(pair)
  return M.is_open(pair.chat) and M.is_open(pair.prompt)
end

---@param pair acp.Pair
---@param win integer
---@return boolean
function M.holds(pair, win)
  return win == pair.chat or win == pair.prompt or win == pair.plan
end

---@param pair acp.Pair
---@return integer[]
function M.users_windows(pair)
  return vim.tbl_filter(function(win)
    return not M.holds(pair, win)
  end, tabpage.windows())
end

--- A pair that is not on the screen yet, before the user's windows as they are now.
---@return acp.Pair
function M.new()
  local pair = { session = 0, own_tab = false, disturbed = false, layout = tabpage.remember() }
  pair.origin = api.nvim_get_current_win()
  pair.file = pair.origin
  return pair
end

return M
