-- Steps a prompt through the history of its project; the text being written stays at the end of the history.
local buffer_text = require("acp_nvim.prompt.buffer_text")
local history = require("acp_nvim.prompt.history")

local M = {}

---@class acp.HistoryWalk
---@field buf integer
---@field cwd string         whose project's history it has
---@field at? integer       where in the history; nil: at the text being written
---@field draft? string     the text being written, while another one is shown

--- Does the prompt show an earlier one that has not been edited?
---@param prompt acp.HistoryWalk
---@return boolean
function M.is_at_earlier(prompt)
  return prompt.at ~= nil and history.of(prompt.cwd)[prompt.at] == buffer_text.get(prompt.buf)
end

--- Shows the previous or the next prompt.
---@param prompt acp.HistoryWalk
---@param step -1|1
---@return boolean moved  false: there is none
function M.step(prompt, step)
  local list = history.of(prompt.cwd)
  local at = (prompt.at or #list + 1) + step
  if at < 1 or at > #list + 1 then
    return false
  end
  if not prompt.at then
    prompt.draft = buffer_text.get(prompt.buf)
  end
  local is_draft = at == #list + 1
  buffer_text.set(prompt.buf, is_draft and prompt.draft or list[at])
  prompt.at = not is_draft and at or nil
  return true
end

return M
