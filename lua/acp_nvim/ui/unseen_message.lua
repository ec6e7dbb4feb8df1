-- A word about what the user does not see: a turn that ends elsewhere, and what the mode's name has covered.
local config = require("acp_nvim.config.settings")
local is_covered = require("acp_nvim.ui.insert_mode_message").is_covered
local messages = require("acp_nvim.ui.messages")
local state = require("acp_nvim.backend.session_store")

local M = {}

---@class acp.Missed
---@field level "info"|"warn"|"error"
---@field text string
---@field still? fun(): boolean

local missed ---@type acp.Missed?  the newest

---@param said integer  messages when the mode was left: one that has come since answers a key, and stays
local function say_again(said)
  local again = missed
  if not again or is_covered() then
    return
  end
  missed = nil
  if messages.count() == said and (not again.still or again.still()) then
    messages.show(again.level, again.text, true)
  end
end

--- Tells what nobody has asked for. Where it is covered at once it is told a second time in normal mode, if it is
--- `still` so; the newest only, but a question rather than what asks for nothing.
---@param level "info"|"warn"|"error"
---@param text string
---@param still? fun(): boolean
function M.say(level, text, still)
  messages.show(level, text)
  if not messages.is_echoed() or not is_covered() or (level == "info" and not still) then
    return
  end
  local waits = missed and missed.still and missed.level == "warn" and missed.still()
  if still or not waits then
    missed = { level = level, text = text, still = still }
  end
end

vim.api.nvim_create_autocmd("ModeChanged", {
  group = vim.api.nvim_create_augroup("acp_nvim.announce", {}),
  pattern = "*:n*",
  callback = function()
    if missed then
      local said = messages.count()
      vim.schedule(function() -- behind what Neovim clears
        say_again(said)
      end)
    end
  end,
})

--- Is the session's chat in a window of the current tabpage, before a user who has not turned away?
---@param n integer
---@return boolean
function M.watched(n)
  return require("acp_nvim.windows.session_windows").is_open(n)
    and not require("acp_nvim.question.answerable").is_away()
end

--- A turn has ended: its user is told, unless the user has seen it or ended it.
---@param data { session: integer, stop_reason?: string, error?: string }
function M.turn_ended(data)
  local session = state.session(data.session)
  local by_user = data.stop_reason == "cancelled" or (session and session.status.closing)
  if not session or by_user or not config.get().notify or M.watched(data.session) then
    return
  end
  local status = session.status
  local who, how = status.agent_title or status.agent, ":Acp"
  if data.session ~= state.current() then
    who, how = ("%s (session %d)"):format(who, data.session), (":Acp open %d"):format(data.session)
  end
  local function still()
    return state.exists(data.session) and not M.watched(data.session)
  end
  if data.error then
    M.say("error", ("%s: the turn failed: %s"):format(who, data.error), still)
  else
    M.say("info", ("%s has finished   %s shows it"):format(who, how), still)
  end
end

return M
