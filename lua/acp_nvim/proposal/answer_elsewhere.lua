-- An answer comes from anywhere: a key, a command, a script. The right side is the decision for all of them: what the user
-- has made of it is sent or stays in a buffer, and is never dropped.
--
--    an option that allows once    sends the right sides as they are, as `:w` there does
--    one that allows always        is refused: it would allow what the agent proposed, and more of the same
--    one that rejects, or none     sets the edits aside in a buffer
local decision = require("acp_nvim.proposal.decision")
local set_aside = require("acp_nvim.proposal.set_aside")
local store = require("acp_nvim.proposal.store")

local M = {}

---@param option? table
---@return boolean
local function rejects(option)
  return option == nil or vim.startswith(option.kind, "reject")
end

--- Why the option cannot be the answer: edits of the user's would be lost.
---@param question acp.Question
---@param option? table
---@return string? message
function M.why_not(question, option)
  local proposal = store.find(question.id)
  if rejects(option) or not proposal or not next(store.edited(question.id)) then
    return nil
  elseif question.kind == "conflict" then
    local merges = option ~= nil and option.id == "merge" -- opens it again
    return not merges and "not sent: :w in the merge takes what you merged (:Acp answer 3)" or nil
  elseif option == nil or option.kind ~= "allow_once" then
    return "not sent, you edited the diff: :w there sends yours once (:Acp diff)"
  elseif proposal.message.version ~= question.version then
    return "not sent: the proposal has changed since you edited it, see :Acp diff"
  end
end

--- The option is the answer, and `M.why_not` has nothing against it.
---@param question acp.Question
---@param option? table
---@return boolean sent  the right sides went out instead of the option
function M.answer(question, option)
  local texts = store.edited(question.id)
  if not next(texts) then
    return false
  elseif rejects(option) then
    local what = question.kind == "conflict" and "your merge" or "what you made of the proposal"
    set_aside.put_all(question.id, texts, what .. " is kept: :sbuffer %d")
    return false
  elseif question.kind == "conflict" or option == nil then
    return false
  end
  decision.send(question.id, option.id)
  return true
end

return M
