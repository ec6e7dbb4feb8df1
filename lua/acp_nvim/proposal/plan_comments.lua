-- Knows the comments that the user has written on lines of a plan and not sent yet. With one of them the plan is
-- refused, and they go with it. Who keeps comments provides them.
local M = {}

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
