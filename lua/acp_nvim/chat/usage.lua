-- Formats how full the agent's context window is and what the session has cost, in a few cells.
local printable = require("acp_nvim.ui.printable")

local M = {}

local MOONS = { "○", "◔", "◑", "◕", "●" }

---@param usage any
---@return number? share  0 to 1; nil: not known
function M.share(usage)
  if type(usage) ~= "table" or type(usage.used) ~= "number" or type(usage.size) ~= "number" or usage.size <= 0 then
    return nil
  end
  return math.max(0, math.min(1, usage.used / usage.size))
end

--- The share of the context window that is used, such as "◔ 21%".
---@param usage any
---@return string?
function M.text(usage)
  local share = M.share(usage)
  return share and ("%s %d%%"):format(MOONS[math.floor(share * 4 + 0.5) + 1], math.floor(share * 100 + 0.5))
end

--- The cost of the session, such as "0.42 USD".
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

return M
