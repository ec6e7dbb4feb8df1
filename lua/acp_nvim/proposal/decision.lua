-- The user has decided: what the right sides hold goes to the backend.
local answer = require("acp_nvim.proposal.answer")
local backend = require("acp_nvim.backend.process")
local body = require("acp_nvim.proposal.body")
local keys = require("acp_nvim.question.keys")
local left_side = require("acp_nvim.proposal.left_side")
local messages = require("acp_nvim.ui.messages")
local open_questions = require("acp_nvim.question.open_questions")
local right_side = require("acp_nvim.proposal.right_side")
local state = require("acp_nvim.backend.session_store")
local store = require("acp_nvim.proposal.store")
local typed_command = require("acp_nvim.question.typed_command")

local M = {}

local LEAVING_MS = 1500 -- so long Neovim stays for what has been decided last

local sent = {} ---@type table<integer, integer>  question -> when a decision was sent whose effect is not seen yet
local decided = {} ---@type table<integer, true>  questions that the right side has answered

---@param question integer
---@return boolean
function M.is_decided(question)
  return decided[question] ~= nil
end

--- The user's decision is the answer.
---@param question integer
---@param done boolean  and has come to be
function M.done(question, done)
  decided[question] = true
  if done then
    sent[question] = nil
  end
end

--- Neovim leaves: what has just been decided, by `:wqa` for one, shall reach the agent, and refused hunks no disk.
function M.settle()
  for question, at in pairs(vim.deepcopy(sent)) do
    vim.wait(math.max(0, at + LEAVING_MS - vim.uv.now()), function()
      return not sent[question]
    end, 5)
  end
end

--- Sends the right sides of a question, also where their windows are closed.
---@param question integer
---@param option? string  which one the user took to allow it
function M.send(question, option)
  local proposal = store.find(question) --[[@as acp.Proposal]]
  for _, file in ipairs(proposal.files) do
    right_side.build(file)
    left_side.catch_up(file)
    file.decided = nil -- if the backend refuses the decision, the user begins anew
  end
  sent[question] = vim.uv.now()
  local version = proposal.message.version
  backend.notify("decide", { question = question, version = version, files = answer.of(proposal), option = option })
end

---@param proposal acp.Proposal
---@param file acp.ProposalFile
local function send_merge(proposal, file)
  local message, text = proposal.message, body.join(store.text_of(file) or "", file.sides.right_final)
  backend.notify("merged", { question = message.question, version = message.version, text = text })
end

-- Has the user seen what is to be sent? -------------------------------------------------------------------------------

--- The call does more than its diff shows: the question has to have been seen, too. It comes into view.
---@param question acp.Question
---@return boolean
local function is_unseen(question)
  if not question.more or open_questions.can_answer(question) then
    return false
  end
  open_questions.show(question)
  messages.show("warn", open_questions.why_unseen(question))
  return true
end

--- The agent has changed the question while the command was typed. Neovim draws little meanwhile, so the user may not
--- have seen what the windows hold now.
---@param question acp.Question
---@return boolean
local function is_late(question)
  local is_late = typed_command.is_late(question)
  if is_late then
    messages.show("warn", "not sent: the proposal changed while you typed, repeat to send it")
  end
  return is_late
end

--- A key was pressed as the proposal appeared: it was meant for something else.
---@param question acp.Question
---@return boolean
local function is_too_soon(question)
  local why = keys.why_not_by_key(question, { kind = "allow_once" })
  if why then
    messages.show("warn", why)
  end
  return why ~= nil
end

--- A file that the agent has changed while the user was not looking at it.
---@param proposal acp.Proposal
---@return integer? index
local function unseen_file(proposal)
  for index, file in ipairs(proposal.files) do
    if file.changed then
      messages.show("warn", ("not sent: %s has changed, repeat to send it"):format(file.name))
      return index
    end
  end
end

-- Deciding ------------------------------------------------------------------------------------------------------------

--- The next file to decide, from the one that is shown on.
---@param proposal acp.Proposal
---@return integer? index
local function undecided(proposal)
  for step = 0, #proposal.files - 1 do
    local index = (proposal.at - 1 + step) % #proposal.files + 1
    if not proposal.files[index].decided then
      return index
    end
  end
end

--- The right side of one file is what the user wants.
---@param proposal acp.Proposal
---@param file acp.ProposalFile
---@return integer? index  of the file that the user has to see next
function M.submit(proposal, file)
  local question = state.question(proposal.key)
  if question and (is_late(question) or is_unseen(question)) then
    return nil
  end
  vim.bo[file.buf].modified = false
  if proposal.message.kind == "merge" then
    send_merge(proposal, file)
    return nil
  end
  file.decided = true
  local index = undecided(proposal)
  if not index then
    M.send(proposal.key)
  end
  return index
end

--- Sends the right sides as they are, all files of the question.
---@param proposal acp.Proposal
---@return integer? index  of a file that the user has to see first
function M.accept(proposal)
  local question = state.question(proposal.key)
  if question and (is_late(question) or is_unseen(question) or is_too_soon(question)) then
    return nil
  end
  local index = unseen_file(proposal)
  if not index and proposal.message.kind == "merge" then
    send_merge(proposal, proposal.files[1])
  elseif not index then
    M.send(proposal.key)
  end
  return index
end

return M
