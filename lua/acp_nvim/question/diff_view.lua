-- Tells whether a question's change is on the screen as a diff. The proposal room, which is above this one, installs
-- its functions with `provide`.
local M = {}

---@class acp.DiffView
---@field is_shown fun(question: acp.Question): boolean  the diff of the question as it is now is before the user
---@field question_here fun(win?: integer): integer?  on one of whose sides the user is
---@field why_not fun(question: acp.Question, option?: table): string?  why that answer would drop the user's edits
---@field answer fun(question: acp.Question, option?: table): boolean  it has sent the answer, with the edited text
---@field offer fun(question: acp.Question): boolean  a question has come: the diff opens, so that no message is needed
---@field ended fun(id: integer)  the question has ended
---@field file_to_refuse fun(question: acp.Question): string?  the path, where the question is about several files
---@field refuse_file fun(question: acp.Question): boolean?, string?

local view ---@type acp.DiffView?

---@param functions acp.DiffView
function M.provide(functions)
  view = functions
end

---@param question acp.Question
---@return boolean
function M.is_shown(question)
  return view ~= nil and view.is_shown(question)
end

---@param win? integer  where the user is; default: the current window
---@return integer? id
function M.question_here(win)
  return view and view.question_here(win)
end

---@param question acp.Question
---@param option? table
---@return string? message
function M.why_not(question, option)
  return view and view.why_not(question, option)
end

---@param question acp.Question
---@param option? table
---@return boolean
function M.answer(question, option)
  return view ~= nil and view.answer(question, option)
end

---@param question acp.Question
---@return boolean
function M.offer(question)
  return view ~= nil and view.offer(question)
end

--- Returns the path of the file that `refuse_file` would refuse, where the question is about several.
---@param question acp.Question
---@return string?
function M.file_to_refuse(question)
  return view and view.file_to_refuse(question)
end

--- Refuses the file whose diff is shown, else the first that is undecided.
---@param question acp.Question
---@return boolean? ok
---@return string? message
function M.refuse_file(question)
  return view and view.refuse_file(question)
end

---@param id integer
function M.ended(id)
  if view then
    view.ended(id)
  end
end

return M
