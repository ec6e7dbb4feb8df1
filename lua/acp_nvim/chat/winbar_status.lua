-- Builds the segments of a chat's winbar in their order: agent, model, mode, usage and state.
local bar_segments = require("acp_nvim.ui.bar_segments")
local printable = require("acp_nvim.ui.printable")
local session_store = require("acp_nvim.backend.session_store")
local spinner = require("acp_nvim.ui.spinner")
local usage = require("acp_nvim.chat.usage")

local M = {}

local RETRY_WIDTH = 30 -- of the reason

local REMARKS = { recommended = true, default = true }

--- The name of a mode or a model, without the remark that is for those who choose: "Default (recommended)".
---@param list? { id: string, name: string }[]
---@param id? string
---@return string?
local function name_of(list, id)
  for _, item in ipairs(list or {}) do
    if item.id == id then
      local name, remark = item.name:match("^(.+) %((%a+)%)$")
      return REMARKS[remark or ""] and name or item.name
    end
  end
  return id
end

--- The names of the current model and mode. Where both have the same name, each says what it is.
---@param status table
---@return string? model
---@return string? mode
function M.choices(status)
  local model, mode = name_of(status.models, status.model), name_of(status.modes, status.mode)
  if model and model == mode then
    return "model " .. model, "mode " .. mode
  end
  return model, mode
end

--- How long the turn has run.
---@param n integer
---@return string
function M.elapsed(n)
  local session = session_store.session(n)
  local began = session and session.turn_began or vim.uv.now() -- a prompt that is on its way has no turn yet
  local seconds = math.floor((vim.uv.now() - began) / 1000)
  return seconds < 60 and ("%ds"):format(seconds) or ("%dm%02ds"):format(math.floor(seconds / 60), seconds % 60)
end

---@param status table
---@return string text
---@return string hl
local function state_text(status)
  local now = status.state
  if not now then
    return "✗ gone", "AcpError"
  elseif now == "running" and status.retrying then
    local why = printable.cut(bar_segments.clean(status.retrying), RETRY_WIDTH)
    return ("%s retrying: %s"):format(spinner.frame(), why), "AcpWarning"
  elseif now == "running" then
    return spinner.frame() .. " running", "AcpSpinner" -- the heading and the prompt's bar say how long
  elseif now == "starting" then
    return spinner.frame() .. " starting", "AcpSpinner"
  elseif now == "asking" then
    return "? needs you", "AcpQuestion"
  elseif now == "auth" then
    return "needs login", "AcpWarning"
  elseif now == "failed" then
    return "✗ failed", "AcpError"
  elseif now == "stopped" then
    return "stopped", "AcpCancelled"
  end
  return status.error and "✗ error" or "", "AcpError"
end

--- How far the agent's plan is.
---@param status table
---@return string? count  nil: there is no plan, or all of it is done
---@return string? step   the one under way
function M.plan(status)
  local plan = status.plan
  if not plan or (plan.total or 0) <= (plan.done or 0) then
    return nil
  end
  return ("%d/%d"):format(plan.done, plan.total), plan.current and bar_segments.clean((plan.current:gsub("`", "")))
end

---@param status table
---@return string?
local function queue_text(status)
  local queue = status.queue or 0
  return queue > 0 and ("%d %s"):format(queue, status.held and "paused" or "queued") or nil
end

--- The segments that show the status of session `n`. What is narrow keeps the mode, which is safety, and the state,
--- then agent and model; the usage goes first.
---@param n integer
---@param status table
---@param more boolean  below the end of the window
---@return acp.Segment[]
function M.of(n, status, more)
  local list = {} ---@type acp.Segment[]
  local function add(text, hl, rank, gap)
    if text and text ~= "" then
      list[#list + 1] = { text = text, hl = hl, rank = rank, gap = list[1] and (gap or "  ") or " " }
    end
  end
  local model, mode = M.choices(status)
  local doing, hl = state_text(status)
  local count, step = M.plan(status)
  add(bar_segments.clean(status.agent_title or status.agent or ("session %d"):format(n)), "AcpWinbarTitle", 2)
  add(model and bar_segments.clean(model), "AcpWinbar", 3, " · ")
  add(mode and bar_segments.clean(mode), "AcpWinbar", 0, " · ")
  add(usage.text(status.usage), "AcpCount", 11)
  add(usage.cost(status.usage), "AcpCount", 12, " ")
  add(usage.total(status.tokens), "AcpCount", 13, " ")
  add(doing, hl, 1)
  add(queue_text(status), status.held and "AcpWarning" or "AcpCount", 5)
  add((status.pending or 0) > 0 and ("±%d"):format(status.pending) or nil, "AcpCount", 7)
  add(status.paused and "following paused" or status.following and "following", "AcpCount", 6)
  add(count, "AcpPlanCurrent", 8)
  add(count and step, "AcpPlanCurrent", bar_segments.STEP, " ")
  add(more and "↓ more" or nil, "AcpMore", 4)
  return list
end

return M
