-- Formats what a session has taken: how full the context window is and the cost in a few cells, all of it in a float.
local panes = require("acp_nvim.ui.panes")
local printable = require("acp_nvim.ui.printable")
local session_store = require("acp_nvim.backend.session_store")

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
  local currency = type(cost.currency) == "string" and cost.currency or ""
  return vim.trim(("%.2f %s"):format(cost.amount, currency))
end

---@param count integer
---@return string  such as "950", "12.3k", "1.2M"
local function short(count)
  if count < 1000 then
    return ("%d"):format(count)
  end
  local unit = count < 999950 and { 1e3, "k" } or { 1e6, "M" }
  return ("%.1f%s"):format(count / unit[1], unit[2])
end

--- How many tokens the session has taken, such as "12.3k tokens".
---@param tokens any
---@return string?
function M.total(tokens)
  local session = type(tokens) == "table" and tokens.session
  local total = type(session) == "table" and session.total
  return type(total) == "number" and short(total) .. " tokens" or nil
end

local COUNTS = {
  { "input", "input" },
  { "output", "output" },
  { "thought", "thought" },
  { "cached_read", "read from cache" },
  { "cached_write", "written to cache" },
  { "total", "total" },
}

---@param count any
---@return string  with commas between thousands
local function long(count)
  local digits = type(count) == "number" and ("%d"):format(count) or "-"
  return (digits:reverse():gsub("(%d%d%d)(%d)", "%1,%2"):gsub("(%d%d%d)(%d)", "%1,%2"):reverse())
end

---@param tokens any
---@return string[]
local function table_of(tokens)
  if type(tokens) ~= "table" then
    return {}
  end
  local lines = { ("%-18s%14s%16s"):format("tokens", "this turn", "this session") }
  for _, count in ipairs(COUNTS) do
    local turn, session = (tokens.turn or {})[count[1]], (tokens.session or {})[count[1]]
    if turn or session then
      lines[#lines + 1] = ("%-18s%14s%16s"):format(count[2], long(turn), long(session))
    end
  end
  return lines
end

--- All that is known of what the session has taken, for `:Acp usage`.
---@param status table
---@return string[]  empty if the agent tells nothing
function M.lines(status)
  local lines = table_of(status.tokens)
  local share = M.share(status.usage)
  if share then
    local used, size = long(status.usage.used), long(status.usage.size)
    lines[#lines + 1] = ("%-18s%s of %s (%d%%)"):format("context window", used, size, math.floor(share * 100 + 0.5))
  end
  local cost = M.cost(status.usage)
  if cost then
    lines[#lines + 1] = ("%-18s%s"):format("cost", cost)
  end
  if status.limit then
    lines[#lines + 1] = printable.visible(status.limit)
  end
  return lines
end

--- Shows in a float what the session has taken.
---@param n integer
---@return true? ok
---@return string? message
function M.show(n)
  local status = session_store.look(n) or {}
  local lines = M.lines(status)
  if #lines == 0 then
    local agent = printable.visible(status.agent_title or status.agent or "the agent")
    return nil, ("%s has not reported tokens, context or cost yet"):format(agent)
  end
  panes.float(lines, "acp_details", "usage")
  return true
end

return M
