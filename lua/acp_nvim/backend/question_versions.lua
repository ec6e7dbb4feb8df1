-- Remembers the version of every question, and which version the user has answered.
local M = {}

---@class acp.Asked
---@field version integer
---@field answered? integer  the version to which an answer has been sent

local known = {} ---@type table<integer|string, acp.Asked>

--- Records the current versions of the open questions.
---@param list table[]
function M.record(list)
  for _, question in ipairs(list) do
    question.version = question.version or 1
    known[question.id] = { version = question.version, answered = (known[question.id] or {}).answered }
  end
end

---@param question table
---@return boolean  no answer to it is on its way
function M.is_open(question)
  return known[question.id].answered ~= question.version
end

---@param question table
function M.answer(question)
  known[question.id].answered = question.version
end

--- The first number for questions of the next backend. Numbers are never used twice: users and scripts name questions
--- by them.
---@return integer
function M.next_id()
  local last = 0
  for id in pairs(known) do
    last = type(id) == "number" and math.max(last, id) or last
  end
  return last + 1
end

---@param id integer|string
---@return boolean  the user has sent an answer to it as it is now
function M.is_answered(id)
  return known[id] ~= nil and known[id].answered == known[id].version
end

---@param id integer|string
---@return string message
function M.why_closed(id)
  if not known[id] then
    return ("there is no question %s"):format(tostring(id))
  end
  return ("question %s %s"):format(id, known[id].answered and "was answered already" or "is no longer open")
end

return M
