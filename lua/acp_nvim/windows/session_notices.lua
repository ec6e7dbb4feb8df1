-- Messages about a session whose chat the user does not see: a turn has ended, the agent's memory runs full.
local config = require("acp_nvim.config.settings")
local focus = require("acp_nvim.ui.focus")
local messages = require("acp_nvim.ui.messages")
local review = require("acp_nvim.review")
local session_store = require("acp_nvim.backend.session_store")
local session_windows = require("acp_nvim.windows.session_windows")
local unasked_message = require("acp_nvim.ui.unasked_message")
local usage = require("acp_nvim.chat.usage")

local M = {}

local warned = {} ---@type table<integer, true>  by session: that its memory runs full

--- Whether the user can see the session's chat: it is in the current tabpage, and Neovim has the focus.
---@param n integer
---@return boolean
local function is_watched(n)
  return session_windows.is_open(n) and not focus.is_away()
end

--- How many files a turn has changed, for the announcement of its end; empty: none.
---@param session integer
---@param turn integer
---@return string
local function changed(session, turn)
  local count = review.turn_files(session, turn)
  return count > 0 and (" (%d file%s changed)"):format(count, count == 1 and "" or "s") or ""
end

--- A turn has ended: its user is told, unless the user has seen it or ended it. What it has changed on disk is known
--- some milliseconds later.
---@param data { session: integer, turn: integer, stop_reason?: string, error?: string }
function M.turn_ended(data)
  local session = session_store.session(data.session)
  local by_user = data.stop_reason == "cancelled" or data.stop_reason == "taken" or (session and session.status.closing)
  if not session or by_user or not config.get().notify or is_watched(data.session) then
    return
  end
  local status = session.status
  local who, how = status.agent_title or status.agent, ":Acp"
  if data.session ~= session_store.current() then
    who, how = ("%s (session %d)"):format(who, data.session), (":Acp open %d"):format(data.session)
  end
  local function still()
    return session_store.exists(data.session) and not is_watched(data.session)
  end
  if data.error then
    return unasked_message.show("error", ("%s: the turn failed: %s"):format(who, data.error), still)
  end
  local before = messages.shown_so_far()
  review.when_known(data.session, data.turn, function()
    if still() and not messages.would_hide_warning(before) then
      unasked_message.show("info", ("%s is done%s · %s"):format(who, changed(data.session, data.turn), how), still)
    end
  end)
end

--- The session's usage has changed: that the memory runs full is said once, where the chat does not say it already.
---@param n integer
function M.usage_changed(n)
  local status = session_store.look(n) or {}
  local share = usage.share(status.usage)
  if not status.full or not share or warned[n] then
    return
  end
  warned[n] = true
  if config.get().notify and not is_watched(n) then
    local who = status.agent_title or status.agent
    if n ~= session_store.current() then
      who = ("%s (session %d)"):format(who, n)
    end
    messages.show(
      "warn",
      ("%s: %d %% of the context window is used; :Acp new starts fresh"):format(who, share * 100 + 0.5)
    )
  end
end

return M
