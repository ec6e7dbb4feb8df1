-- Proposals that could not open by themselves because the user was typing, or was in a window that must not be disturbed.
-- The oldest opens at the first second in which the user does nothing in normal mode.
local state = require("acp_nvim.backend.session_store")

local M = {}

local IDLE_MS = 1000
local LOOK_MS = 200 -- between two looks at whether the user is idle

local waiting = {} ---@type table<integer, true>  questions
local keys = vim.api.nvim_create_namespace("acp_nvim.held_back")
local timer ---@type uv.uv_timer_t?
local last_key = 0 -- when

local function stop()
  if timer then
    timer:close()
    timer = nil
    vim.on_key(nil, keys)
  end
end

--- The oldest of those that are still asked.
---@return acp.Question?
local function oldest()
  local found
  for id in pairs(waiting) do
    local question = state.question(id)
    if not question then
      waiting[id] = nil
    elseif not found or id < found.id then
      found = question
    end
  end
  return found
end

---@param open fun(question: acp.Question): boolean  false: not now
local function look(open)
  local question = oldest()
  if not question then
    return stop()
  elseif vim.uv.now() - last_key >= IDLE_MS and open(question) then
    waiting[question.id] = nil
  end
end

--- Tries again once the user is idle.
---@param id integer  the question
---@param open fun(question: acp.Question): boolean  opens it, if it may open now
function M.add(id, open)
  waiting[id] = true
  if timer then
    return
  end
  last_key = vim.uv.now()
  vim.on_key(function()
    last_key = vim.uv.now()
  end, keys)
  timer = assert(vim.uv.new_timer())
  timer:start(LOOK_MS, LOOK_MS, function()
    vim.schedule(function()
      if timer then
        look(open)
      end
    end)
  end)
end

--- It is shown, or nobody asks it any more.
---@param id integer
function M.remove(id)
  waiting[id] = nil
end

return M
