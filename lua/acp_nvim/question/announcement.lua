-- Makes the message about a question that is not on the screen.
local printable = require("acp_nvim.ui.printable")
local session_store = require("acp_nvim.backend.session_store")

local M = {}

local LEAST_OPTIONS = 8 -- what options need in a message, to be of use
local LEAST_TITLE = 10

---@param question acp.Question
---@return string
local function options_of(question)
  local names = {}
  for index, option in ipairs(question.options) do
    names[#names + 1] = ("%d %s"):format(index, option.name)
  end
  return table.concat(names, ", ")
end

---@param question acp.Question
---@return string who
---@return string how  it is answered
local function whose(question)
  local status = session_store.look(question.session) or {}
  local who = status.agent_title or status.agent or "an agent"
  if question.session == session_store.current() then
    return who, ":Acp answer {n}"
  end
  return ("%s (session %d)"):format(who, question.session), (":Acp open %d"):format(question.session)
end

--- Makes the message. The title is cut, the way to answer never.
---@param question acp.Question
---@return string
function M.message(question)
  local who, how = whose(question)
  local room = vim.v.echospace - vim.fn.strwidth(("acp_nvim:    %s"):format(how))
  local words = ("%s asks: %s"):format(question.asked_by or who, printable.visible(question.title))
  local asks = printable.cut(words, math.max(room, LEAST_TITLE))
  local text = ("%s   %s"):format(asks, how)
  if vim.fn.strwidth(asks) + LEAST_OPTIONS <= room then
    text = ("%s  (%s)"):format(text, options_of(question))
  end
  return text
end

return M
