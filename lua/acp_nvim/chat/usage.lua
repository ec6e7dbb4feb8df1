-- How full the agent's memory is and what the session has cost, in a few cells.
local messages = require("acp_nvim.ui.messages")
local printable = require("acp_nvim.ui.printable")
local state = require("acp_nvim.backend.session_store")

local M = {}

local MOONS = { "○", "◔", "◑", "◕", "●" }
local FULL = 0.8 -- from here on the user is warned

local warned = {} ---@type table<integer, true>  by session

---@param usage any
---@return number? share  0 to 1; nil: not known
local function share_of(usage)
  if type(usage) ~= "table" or type(usage.used) ~= "number" or type(usage.size) ~= "number" or usage.size <= 0 then
    return nil
  end
  return math.max(0, math.min(1, usage.used / usage.size))
end

--- As "◔ 21%".
---@param usage any
---@return string?
function M.text(usage)
  local share = share_of(usage)
  return share and ("%s %d%%"):format(MOONS[math.floor(share * 4 + 0.5) + 1], math.floor(share * 100 + 0.5))
end

--- As "0.42 USD".
---@param usage any
---@return string?
function M.cost(usage)
  local cost = type(usage) == "table" and usage.cost
  if type(cost) ~= "table" or type(cost.amount) ~= "number" then
    return nil
  end
  local currency = type(cost.currency) == "string" and printable.visible(cost.currency):sub(1, 8) or ""
  return vim.trim(("%.2f %s"):format(cost.amount, currency))
end

--- The session's usage has changed: that the memory runs full is said once, where the chat does not say it already.
---@param n integer
function M.watch(n)
  local status = state.look(n) or {}
  local share = share_of(status.usage)
  if not share or share < FULL or warned[n] then
    return
  end
  warned[n] = true
  if require("acp_nvim.config.settings").get().notify and not require("acp_nvim.ui.unseen_message").watched(n) then
    local who = status.agent_title or status.agent
    if n ~= state.current() then
      who = ("%s (session %d)"):format(who, n)
    end
    messages.show("warn", ("%s: its memory is %d %% full; :Acp new begins anew"):format(who, share * 100 + 0.5))
  end
end

return M
