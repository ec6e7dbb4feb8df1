-- Shows the file and line that an agent touches in a window of the user's (follow-along). The window never takes the
-- focus, never moves while it is the current one, and pauses as soon as the user acts in it.
local jump = require("acp_nvim.follow.jump")
local session_store = require("acp_nvim.backend.session_store")
local user_moves = require("acp_nvim.follow.user_moves")
local window_choice = require("acp_nvim.follow.window_choice")

local api = vim.api

local M = {}

---@class acp.Follower
---@field win integer
---@field paused boolean
---@field seen? acp.Seen            what we have set, or found; nil while the user is there since it was pinned
---@field wanted? acp.Place         the newest place, if the window does not show it yet

local followers = {} ---@type table<integer, acp.Follower>
local newest = {} ---@type table<integer, acp.Place>

--- Puts what the bar says of it into the status.
---@param n integer
---@param is_following boolean
---@param is_paused boolean
local function tell(n, is_following, is_paused)
  session_store.patch(n, { following = is_following, paused = is_paused })
end

---@param follower acp.Follower
local function remember(follower)
  user_moves.forget(follower.seen)
  follower.seen = user_moves.record(follower.win)
end

--- Pauses if the user has moved in the window.
---@param n integer
local function check(n)
  local follower = followers[n]
  if not follower or follower.paused or jump.is_under_way() then
    return
  elseif not api.nvim_win_is_valid(follower.win) then
    M.off(n)
  elseif not follower.seen then
    return
  elseif user_moves.was_moved(follower.seen, follower.win) then
    follower.paused = true
    tell(n, false, true)
  else
    remember(follower)
  end
end

--- Shows the newest place in the window, unless the command-line window is open.
---@param n integer
---@return boolean moved
local function catch_up(n)
  local follower = followers[n]
  local place = follower.wanted
  if not place or vim.fn.getcmdwintype() ~= "" then
    return false
  end
  follower.wanted = nil
  jump.show(follower.win, place)
  if not api.nvim_win_is_valid(follower.win) then
    M.off(n)
    return false
  end
  remember(follower)
  return true
end

--- Shows the newest place. Only the current session moves a window, and never the one where the user is.
---@param n integer
---@return boolean moved
local function follow(n)
  check(n)
  local follower = followers[n]
  if not follower or follower.paused or session_store.current() ~= n or follower.win == api.nvim_get_current_win() then
    return false
  end
  return catch_up(n)
end

-- What others call ----------------------------------------------------------------------------------------------------

--- Ends the following of other sessions in this window: it shows the places of one.
---@param n integer
---@param win integer
local function take_from_others(n, win)
  for other, follower in pairs(followers) do
    if other ~= n and follower.win == win then
      M.off(other)
    end
  end
end

---@param n integer
---@param win integer
local function pin(n, win)
  local before = followers[n]
  user_moves.forget(before and before.seen)
  followers[n] = { win = win, paused = false, wanted = before and newest[n] }
  if win ~= api.nvim_get_current_win() then
    remember(followers[n])
  end
end

--- Pins a window. Where the user has paused it, that window shows the newest place at once: they have asked for it.
---@param n integer
---@return true? ok
---@return string? message
function M.on(n)
  local before = followers[n]
  local win = window_choice.choose(before and before.win)
  if not win then
    return nil, "no window here shows a file"
  end
  take_from_others(n, win)
  local resumed = before ~= nil and before.paused
  if not before or resumed or before.win ~= win then
    pin(n, win)
  end
  if resumed and before.win == win then
    catch_up(n)
  end
  if followers[n] then
    tell(n, true, false)
  end
  return true
end

---@param n integer
function M.off(n)
  local follower = followers[n]
  if follower then
    user_moves.forget(follower.seen)
    followers[n] = nil
    tell(n, false, false)
  end
end

--- Records the view that we have given the window, so that it does not count as a move of the user's.
---@param win integer
function M.record_view(win)
  for _, follower in pairs(followers) do
    if follower.win == win and follower.seen and not follower.paused then
      remember(follower)
    end
  end
end

--- Forgets a session that has ended.
---@param n integer
function M.drop(n)
  M.off(n)
  newest[n] = nil
end

--- Called by the backend when the agent of session `n` is at another place.
---@param n integer
---@param path string    absolute
---@param line? integer  from 1; nil: wherever the cursor was last
---@return boolean moved
function M.show(n, path, line)
  newest[n] = { path = path, line = line }
  if not followers[n] then
    return false
  end
  followers[n].wanted = newest[n]
  return follow(n)
end

-- Autocommands --------------------------------------------------------------------------------------------------------

local group = api.nvim_create_augroup("acp_nvim.follow", {})

api.nvim_create_autocmd({ "CursorMoved", "CursorMovedI", "WinScrolled", "BufWinEnter", "WinResized" }, {
  group = group,
  callback = function()
    for _, n in ipairs(vim.tbl_keys(followers)) do
      check(n)
    end
  end,
})

-- A user who is in the window when it is pinned may move in it until they leave it.
api.nvim_create_autocmd("WinLeave", {
  group = group,
  callback = function()
    for _, follower in pairs(followers) do
      local is_left = follower.win == api.nvim_get_current_win()
      if is_left and not follower.seen and window_choice.is_normal(follower.win) then
        remember(follower)
      end
    end
  end,
})

api.nvim_create_autocmd("WinClosed", {
  group = group,
  callback = function(closed)
    for _, n in ipairs(vim.tbl_keys(followers)) do
      if followers[n].win == tonumber(closed.match) then
        M.off(n)
      end
    end
  end,
})

-- The user has left the window, or has come to another session
api.nvim_create_autocmd({ "WinEnter", "TabEnter" }, {
  group = group,
  callback = vim.schedule_wrap(function()
    for _, n in ipairs(vim.tbl_keys(followers)) do
      follow(n)
    end
  end),
})

return M
