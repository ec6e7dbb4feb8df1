-- A word about what ends where the user does not see it.
local config = require("acp_nvim.config")
local scratch = require("acp_nvim.scratch")
local state = require("acp_nvim.state")

local M = {}

--- Is the session's chat in a window of the current tabpage, before a user who has not turned away?
---@param n integer
---@return boolean
function M.watched(n)
  return require("acp_nvim.window").is_open(n) and not require("acp_nvim.question").is_away()
end

--- A turn has ended: its user is told, unless the user has seen it or ended it.
---@param data { session: integer, stop_reason?: string, error?: string }
function M.turn_ended(data)
  local status = state.get(data.session)
  if not status or not config.get().notify or data.stop_reason == "cancelled" or M.watched(data.session) then
    return
  end
  local who, how = status.agent_title or status.agent, ":Acp"
  if data.session ~= state.current() then
    who, how = ("%s (session %d)"):format(who, data.session), (":Acp open %d"):format(data.session)
  end
  if data.error then
    scratch.message("warn", ("%s: the turn failed: %s"):format(who, data.error))
  else
    scratch.message("info", ("%s has finished   %s shows it"):format(who, how))
  end
end

return M
