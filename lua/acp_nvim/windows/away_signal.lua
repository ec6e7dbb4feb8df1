-- Rings once while the user is in another program: when a turn has ended, or an agent asks.
local config = require("acp_nvim.config.settings")
local focus = require("acp_nvim.ui.focus")
local printable = require("acp_nvim.ui.printable")
local session_store = require("acp_nvim.backend.session_store")

local M = {}

local MOST_CELLS = 80 -- of a notification
local BEL, OSC9 = "\7", "\27]9;%s\7"

local last = {} ---@type table<integer, string>  session -> its state when it was looked at last
local has_rung = false

focus.on_gained(function()
  has_rung = false
end)

---@param text string
local function send(text)
  if vim.api.nvim_ui_send then
    vim.api.nvim_ui_send(text)
  else
    io.stdout:write(text) -- of Neovim 0.10, whose standard output is the terminal
    io.stdout:flush()
  end
end

---@param words string
local function ring(words)
  local how = config.get().away
  if has_rung or how == "none" or not config.get().notify or not focus.is_away() then
    return
  end
  has_rung = true
  send(how == "osc9" and OSC9:format(printable.cut(printable.visible(words), MOST_CELLS)) or BEL)
end

--- What has happened, in words; nil: nothing that the user waits for.
---@param before? string
---@param status table
---@return string?
local function news(before, status)
  local now, who = status.state, status.agent_title or status.agent
  if now == "asking" and before ~= "asking" then
    return who .. " needs you"
  elseif before ~= "running" and before ~= "asking" then
    return nil
  elseif now == "failed" or now == "idle" and status.error then
    return who .. ": the turn failed"
  end
  return now == "idle" and status.stop_reason ~= "cancelled" and who .. " is done" or nil
end

session_store.on_change(function(n)
  local status = session_store.look(n)
  if not status then
    last[n] = nil
    return
  end
  local words = news(last[n], status)
  last[n] = status.state
  if words then
    ring(words)
  end
end)

return M
