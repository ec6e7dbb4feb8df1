-- Sends the user's decision: what the right sides hold. The answer may come from a write of a right side, a key, a
-- command or a script. For all of them the right side decides: what the user has made of it is sent or stays in a
-- buffer, and is never dropped.
--
--    an option that allows once    sends the right sides as they are, as `:w` there does
--    one that allows always        is refused: it would allow what the agent proposed, and more of the same
--    one that rejects, or none     sets the edits aside in a buffer
local answer = require("acp_nvim.proposal.answer")
local backend = require("acp_nvim.backend.process")
local follow_live = require("acp_nvim.proposal.follow_live")
local keys = require("acp_nvim.question.keys")
local messages = require("acp_nvim.ui.messages")
local open_questions = require("acp_nvim.question.open_questions")
local plan_comments = require("acp_nvim.proposal.plan_comments")
local session_store = require("acp_nvim.backend.session_store")
local set_aside = require("acp_nvim.proposal.set_aside")
local side_history = require("acp_nvim.proposal.side_history")
local side_text = require("acp_nvim.proposal.side_text")
local sides = require("acp_nvim.proposal.sides")
local store = require("acp_nvim.proposal.store")

local M = {}

local NO_REFUSAL = "not sent, your plan stays open: no option of the question refuses the agent's (:Acp answer {n})"
local EDITED_PLAN = "not sent, you edited the plan: :w there sends yours (:Acp diff)"
local COMMENTED_PLAN = "not sent, you commented on the plan: :w there sends that (:Acp diff)"
local PAUSE_MS = 150 -- in which edits pool
local LEAVING_MS = 1500 -- so long Neovim stays for what has been decided last

local sent = {} ---@type table<integer, integer>  question -> when a decision was sent whose effect is not seen yet
local decided = {} ---@type table<integer, true>  questions that the right side has answered

---@param question integer
---@return boolean
function M.is_decided(question)
  return decided[question] ~= nil
end

--- The backend has taken the user's decision as the answer.
---@param question integer
---@param done boolean  the files are as decided
function M.done(question, done)
  decided[question] = true
  if done then
    sent[question] = nil
  end
end

--- Waits, before Neovim leaves, until what has just been decided has reached the agent, and refused hunks are off the
--- disk: `:wqa` decides and leaves at once.
function M.wait_for_sent()
  for question, at in pairs(vim.deepcopy(sent)) do
    vim.wait(math.max(0, at + LEAVING_MS - vim.uv.now()), function()
      return not sent[question]
    end, 5)
  end
end

--- Sends the right sides of a question; their windows may be closed.
---@param proposal acp.Proposal
---@param option? string  which one the user took to allow it
local function send(proposal, option)
  local message = proposal.message
  if message.kind == "merge" then
    local file = proposal.files[1]
    file.decided = nil
    local side, final = side_history.settle(file), file.sides.right_final
    local text, mine = side_text.body(side.lines), side_text.body(side.mine)
    return backend.notify("merged", {
      question = message.question,
      version = message.version,
      text = side_text.join(text, final),
      mine = side_text.join(mine, final),
    })
  end
  if message.kind == "plan" then
    local file = proposal.files[1]
    file.decided, sent[proposal.key] = nil, vim.uv.now()
    return backend.notify("decide_plan", {
      question = proposal.key,
      version = message.version,
      text = store.edited_text(file),
      comments = plan_comments.of(proposal.key),
    })
  end
  for _, file in ipairs(proposal.files) do
    sides.build(file)
    follow_live.catch_up(file)
    file.decided = nil -- if the backend refuses the decision, the user begins again
  end
  sent[proposal.key] = vim.uv.now()
  local files = answer.of(proposal)
  backend.notify("decide", { question = proposal.key, version = message.version, files = files, option = option })
end

-- Has the user seen what is to be sent? -------------------------------------------------------------------------------

--- Why the question cannot be answered from its diff now. What the user has to see first is shown.
---@param question acp.Question
---@param is_merge boolean
---@return string? message
local function why_not_now(question, is_merge)
  if question.more and not open_questions.can_answer(question) then -- the call does more than its diff shows
    open_questions.show(question)
    return open_questions.why_unseen(question)
  end
  local _, why = keys.holds_back(question, { kind = "allow_once" }, is_merge and "merge" or "diff")
  return why
end

--- Whether what the user has made of a plan would refuse it, and no option of its question does.
---@param question acp.Question
---@return boolean
local function lacks_refusal(question)
  local is_changed = next(store.edited(question.id)) ~= nil or #plan_comments.of(question.id) > 0
  return question.plan
    and is_changed
    and not vim.iter(question.options):any(function(option)
      return option.kind == "reject_once"
    end)
end

---@param proposal acp.Proposal
---@return boolean
local function may_send(proposal)
  local question = session_store.question(proposal.key)
  local why = question and why_not_now(question, proposal.message.kind == "merge")
  why = why or question and lacks_refusal(question) and NO_REFUSAL or nil
  if why then
    messages.show("warn", why)
  end
  return not why
end

-- Deciding ------------------------------------------------------------------------------------------------------------

--- Takes the right side of one file as decided. The last one sends all.
---@param proposal acp.Proposal
---@param file acp.ProposalFile
---@return integer? index  of the file that is to be decided next, from the one that is shown on
function M.decide_file(proposal, file)
  file.decided = true
  for step = 0, #proposal.files - 1 do
    local index = (proposal.at - 1 + step) % #proposal.files + 1
    if not proposal.files[index].decided then
      return index
    end
  end
  send(proposal)
end

--- Sends the right sides as they are, all files of the question.
---@param proposal acp.Proposal
---@return integer? index  of a file that the agent has changed while the user was not looking at it
function M.accept(proposal)
  if not may_send(proposal) then
    return nil
  end
  for index, file in ipairs(proposal.files) do
    if file.changed then
      messages.show("warn", ("not sent: %s has changed, repeat to send it"):format(file.name))
      return index
    end
  end
  send(proposal)
end

--- Takes a right side that has been written as decided, if the user has had the time to see it.
---@param proposal acp.Proposal
---@param file acp.ProposalFile
---@return integer? index  of the file that is to be decided next
function M.submit(proposal, file)
  if not may_send(proposal) then
    return nil
  end
  vim.bo[file.buf].modified = false
  if store.is_one_decision(proposal) then
    return M.accept(proposal)
  end
  return M.decide_file(proposal, file)
end

--- Tells the question in the chat which files are edited or refused so far. Their texts go with the decision.
---@param proposal acp.Proposal
function M.tell_edits(proposal)
  local message, told = proposal.message, proposal.told_edits
  if message.kind ~= "proposal" or not session_store.question(proposal.key) or not backend.is_running() then
    return
  end
  local files = vim.empty_dict() ---@type table<string, acp.EditState>
  for _, file in ipairs(proposal.files) do
    files[file.path] = store.edit_state(file)
  end
  if not vim.deep_equal(files, told and told.version == message.version and told.files or {}) then
    proposal.told_edits = { version = message.version, files = files }
    backend.notify("edited", { question = proposal.key, version = message.version, files = files })
  end
end

--- Tells it after a pause, in which edits pool: most of them change nothing of it.
---@param proposal acp.Proposal
function M.tell_edits_soon(proposal)
  if proposal.tells_soon then
    return
  end
  proposal.tells_soon = true
  vim.defer_fn(function()
    proposal.tells_soon = nil
    if store.is_open(proposal) then -- when they close it is told
      M.tell_edits(proposal)
    end
  end, PAUSE_MS)
end

-- An answer from elsewhere --------------------------------------------------------------------------------------------

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
  local proposal = store.all[question.id]
  local is_edited = proposal ~= nil and next(store.edited(question.id)) ~= nil
  if rejects(option) then
    return nil
  elseif question.plan then
    return is_edited and EDITED_PLAN or #plan_comments.of(question.id) > 0 and COMMENTED_PLAN or nil
  elseif not proposal or not is_edited then
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

--- Sends edited right sides with the option, or sets them aside. `M.why_not` has allowed the option.
---@param question acp.Question
---@param option? table
---@return boolean sent  the right sides went out instead of the option
function M.answer(question, option)
  local texts = store.edited(question.id)
  if not next(texts) then
    return false
  elseif rejects(option) then
    local what = question.kind == "conflict" and "your merge"
      or question.plan and "your version of the plan"
      or "your version of the proposal"
    set_aside.put(question.id, texts, what .. " is kept: :sbuffer %s")
    return false
  elseif question.kind == "conflict" or option == nil then
    return false
  end
  send(store.all[question.id], option.id)
  return true
end

return M
