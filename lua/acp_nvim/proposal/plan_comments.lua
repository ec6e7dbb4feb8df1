-- Knows the comments that the user has written on lines of a plan and not sent yet. With one of them the plan is
-- refused, and they go with it. Who keeps comments provides them.
local event = require("acp_nvim.system.event")

local on_change = event.new()

local M = {
  changed = on_change.call, -- (question): tells that its comments have changed
  on_change = on_change.add, -- fn(question)
}

---@class acp.PlanComment
---@field id integer
---@field first integer  line, from 1
---@field last integer
---@field text string

---@type fun(question: integer): acp.PlanComment[]
local provider = function()
  return {}
end

---@param comments_on fun(question: integer): acp.PlanComment[]  the drafts on the proposed side of a question
function M.provide(comments_on)
  provider = comments_on
end

---@param question integer
---@return acp.PlanComment[]
function M.of(question)
  return provider(question)
end

return M
