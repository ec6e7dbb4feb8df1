-- Sends the answer to a question.
local backend = require("acp_nvim.backend.process")
local diff_view = require("acp_nvim.question.diff_view")
local session_store = require("acp_nvim.backend.session_store")
local validation = require("acp_nvim.form.validation")

local M = {}

--- Answers a question with one of its options; without an option it is cancelled. If the user has edited the right side
--- of its diff, an option that allows once sends that text, and one that allows always is refused.
---@param id integer  the question
---@param option_id? string
---@param content? string|table  a free answer, or an elicitation's form
---@return true? ok  nil where the content is not what the form takes: the question stays open
---@return string? message
function M.answer(id, option_id, content)
  local question, message = session_store.question(id)
  if not question then
    return nil, message
  end
  local option, known = nil, {}
  for index, each in ipairs(question.options) do
    option, known[index] = each.id == option_id and each or option, each.id
  end
  if option_id ~= nil and not option then
    return nil, ("question %s has the options %s, not %s"):format(id, table.concat(known, ", "), tostring(option_id))
  elseif content ~= nil and type(content) ~= "string" and type(content) ~= "table" then
    return nil, "the content of an answer must be a string or a table"
  elseif option_id == "answer" and content ~= nil and #(question.fields or {}) > 0 then
    local problem = validation.problem(question.fields, content)
    if problem then
      return nil, "not sent: " .. problem
    end
  end
  if not backend.is_running() then
    return nil, "nothing is running"
  end
  local why = diff_view.why_not(question, option)
  if why then
    return nil, why
  elseif diff_view.answer(question, option) then
    return true
  end
  session_store.answered(question)
  local answer = { question = id, version = question.version, option = option_id, content = content }
  return backend.notify("answer", answer)
end

return M
