-- Refuses a whole file of a proposal, wherever the user is: the one whose diff is shown, else the first that is
-- undecided. It stands as refused in the question. With the last one all of them are sent: if each is refused that is
-- the agent's reject option.
local backend = require("acp_nvim.backend.process")
local decision = require("acp_nvim.proposal.decision")
local follow_live = require("acp_nvim.proposal.follow_live")
local messages = require("acp_nvim.ui.messages")
local right_side = require("acp_nvim.proposal.right_side")
local show = require("acp_nvim.proposal.show")
local side_history = require("acp_nvim.proposal.side_history")
local sides = require("acp_nvim.proposal.sides")
local store = require("acp_nvim.proposal.store")

local M = {}

---@param proposal acp.Proposal
---@return acp.ProposalFile?
local function next_file(proposal)
  if store.is_here(proposal) then
    return store.current_file(proposal)
  end
  return vim.iter(proposal.files):find(function(file)
    return not file.decided
  end)
end

--- Returns the path of the file that the key would refuse, where the question is about several.
---@param question acp.Question
---@return string?
function M.path_of(question)
  local proposal = store.all[question.id]
  local file = proposal and proposal.message.version == question.version and next_file(proposal)
  return #question.files > 1 and (file and file.path or question.files[1]) or nil
end

--- Gives the right side the text that refuses the file.
---@param file acp.ProposalFile
local function refuse(file)
  local side = side_history.settle(file)
  local is_alone = store.is_one_hunk(file.sides)
  side_history.put(file, is_alone and right_side.typed(side, {}) or right_side.new(side.left, side.left))
  if file.is_filled then
    vim.bo[file.buf].modified = false
  end
end

--- Refuses the file of a proposal whose texts are known.
---@param proposal acp.Proposal
function M.refuse_in(proposal)
  local file = next_file(proposal)
  if not file then
    return
  end
  sides.build(file)
  if not sides.can_refuse(proposal, file) then
    return messages.show("warn", ("not refused: %s cannot be refused alone"):format(file.name))
  end
  follow_live.catch_up(file)
  refuse(file)
  store.all[proposal.key] = proposal
  local following = decision.decide_file(proposal, file)
  decision.tell_edits(proposal)
  if following and store.is_here(proposal) then
    show.show_file(proposal, following, false)
  end
end

--- Refuses the next file of a question; its texts are fetched first, if nobody has looked at them yet.
---@param question acp.Question
---@return boolean? ok
---@return string? message
function M.refuse(question)
  local proposal = store.all[question.id]
  if proposal and proposal.message.version == question.version then
    M.refuse_in(proposal)
    return true
  end
  return backend.notify("diff", { question = question.id, refuse = true })
end

return M
