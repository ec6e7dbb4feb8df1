-- Closes a pair, and leaves the user's windows as they were.
local pairs_of = require("acp_nvim.windows.window_pair")
local safe_windows = require("acp_nvim.ui.safe_windows")
local tabpage = require("acp_nvim.ui.tabpage")

local api = vim.api
local M = {}

--- Turns a window of the pair into one of the user's, where no other is left: the last window cannot be closed.
---@param pair acp.Pair
local function leave_one_window(pair)
  local win = (pairs_of.is_open(pair.chat) and pair.chat or pair.prompt) --[[@as integer]]
  local listed = vim.tbl_filter(function(buf)
    return vim.bo[buf].buflisted
  end, api.nvim_list_bufs())
  local own = { win = win, scope = "local" }
  api.nvim_set_option_value("winfixbuf", false, own)
  api.nvim_set_option_value("winbar", "", own)
  api.nvim_win_set_buf(win, listed[1] or api.nvim_create_buf(true, false))
  pair[win == pair.chat and "chat" or "prompt"] = nil
end

--- Returns the further windows on the pair's buffers that the user has made, as by :split.
---@param pair acp.Pair
---@return integer[]
local function copies(pair)
  return vim.tbl_filter(function(win)
    local buf = api.nvim_win_get_buf(win)
    local is_ours = vim.b[buf].acp_session == pair.session
      and vim.list_contains({ "acp_chat", "acp_prompt" }, vim.bo[buf].filetype)
    return is_ours and not pairs_of.holds(pair, win)
  end, api.nvim_tabpage_list_wins(0))
end

---@param pair acp.Pair
local function close_windows(pair)
  for _, name in ipairs({ "queue", "plan", "prompt", "chat" }) do
    local win = pair[name]
    pair[name] = nil
    if pairs_of.is_open(win) then
      api.nvim_win_close(win, true)
    end
  end
end

---@param pair acp.Pair  of this tabpage
local function close(pair)
  pairs_of.by_tab[api.nvim_get_current_tabpage()] = nil
  local further, here = copies(pair), api.nvim_get_current_win()
  local inside = pairs_of.holds(pair, here) or vim.list_contains(further, here)
  for _, win in ipairs(further) do
    api.nvim_win_close(win, true)
  end
  if #pairs_of.users_windows(pair) == 0 and #api.nvim_list_tabpages() == 1 then
    leave_one_window(pair)
  end
  close_windows(pair)
  if inside and pairs_of.is_open(pair.origin) then
    api.nvim_set_current_win(pair.origin)
  end
  tabpage.restore(pair.layout)
end

--- Closes the pair of this tabpage; the session goes on.
function M.close()
  local pair = pairs_of.current()
  if pair and vim.fn.getcmdwintype() == "" then
    safe_windows.run(function()
      close(pair)
    end)
  end
end

--- Closes every pair that shows a session which is about to go.
---@param n integer
function M.close_session(n)
  local here = api.nvim_get_current_tabpage()
  for tab, pair in pairs(pairs_of.by_tab) do
    if pair.session == n and tab == here then
      M.close()
    elseif pair.session == n then
      pairs_of.by_tab[tab] = nil
      safe_windows.run(function()
        close_windows(pair)
      end)
    end
  end
end

--- Whether one of the pair is all that is left in a tabpage that has to stay.
---@param tab integer
---@param pair acp.Pair
---@return boolean
local function is_last(tab, pair)
  local left = tabpage.windows(tab)
  return #left == 1 and pairs_of.holds(pair, left[1]) and (not pair.own_tab or #api.nvim_list_tabpages() == 1)
end

--- Closes the other window of a pair after one has been closed, unless it is the last of its tabpage.
---@param tab integer
---@param pair acp.Pair
function M.close_partner(tab, pair)
  local partner = pairs_of.is_open(pair.chat) or pairs_of.is_open(pair.prompt)
  if pairs_of.by_tab[tab] ~= pair or not partner or pairs_of.is_complete(pair) or is_last(tab, pair) then
    return
  end
  pairs_of.by_tab[tab] = nil
  close_windows(pair)
  if tab == api.nvim_get_current_tabpage() then
    tabpage.restore(pair.layout)
  end
end

return M
