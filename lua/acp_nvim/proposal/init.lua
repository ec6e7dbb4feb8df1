-- What an agent wants to do to a file, as a diff: left the file as it is now, right as it shall become. The text of the
-- right side is the decision; the backend makes of it what goes to the agent.
local answer_delay = require("acp_nvim.question.answer_delay")
local answer_elsewhere = require("acp_nvim.proposal.answer_elsewhere")
local backend = require("acp_nvim.backend.process")
local build = require("acp_nvim.proposal.build")
local close = require("acp_nvim.proposal.close")
local config = require("acp_nvim.config.settings")
local decision = require("acp_nvim.proposal.decision")
local diff_windows = require("acp_nvim.proposal.diff_windows")
local focus = require("acp_nvim.ui.focus")
local held_back = require("acp_nvim.proposal.held_back")
local open_questions = require("acp_nvim.question.open_questions")
local right_side = require("acp_nvim.proposal.right_side")
local show = require("acp_nvim.proposal.show")
local state = require("acp_nvim.backend.session_store")
local store = require("acp_nvim.proposal.store")

local api = vim.api
local M = {
  answer = answer_elsewhere.answer,
  cancelled = close.cancelled,
  done = decision.done,
  ended = close.ended,
  preview = build.preview,
  settle = decision.settle,
  why_not = answer_elsewhere.why_not,
}

-- Is there room for it ------------------------------------------------------------------------------------------------

---@return boolean  the user is doing nothing that windows could disturb
local function idle()
  local mode = api.nvim_get_mode()
  local busy = vim.fn.getcmdwintype() ~= "" or vim.fn.reg_recording() ~= "" or vim.fn.reg_executing() ~= ""
  local floats = api.nvim_win_get_config(0).relative ~= ""
  return mode.mode == "n" and not mode.blocking and not busy and not floats and vim.fn.state("moS") == ""
end

---@param session integer
---@return boolean
local function may_open_itself(session)
  local taken = vim.iter(vim.tbl_values(store.open)):any(store.is_here)
  return not taken and idle() and diff_windows.has_room() and state.current() == session
end

--- The windows of one tabpage show one proposal.
---@param key integer
local function make_room(key)
  for other, proposal in pairs(store.open) do
    if other ~= key and store.is_here(proposal) then
      close.close(other)
    end
  end
end

-- What the backend sends ----------------------------------------------------------------------------------------------

---@param message acp.ProposalMessage
---@return acp.Proposal
local function new_proposal(message)
  local files = vim.tbl_map(function(sent)
    return { sent = sent, path = sent.path, name = sent.name, bases = {} }
  end, message.files)
  return { key = message.question or store.VIEW, message = message, files = files, at = 1 }
end

--- The file of the same path as the one that is before the user.
---@param proposal acp.Proposal
---@param old acp.Proposal
---@return integer index
local function same_file(proposal, old)
  local path = store.current_file(old).path
  for index, file in ipairs(proposal.files) do
    if file.path == path then
      return index
    end
  end
  return 1
end

--- Another version takes the place of the one that is open, or of the one that is kept.
---@param message acp.ProposalMessage
---@param old acp.Proposal
local function renew(message, old)
  local proposal, key = new_proposal(message), old.key
  for _, name in ipairs({ "windows", "follower", "list", "told", "told_unsent", "marked" }) do
    proposal[name] = old[name]
  end
  proposal.at = same_file(proposal, old)
  right_side.take_over(proposal, old)
  right_side.take_over_begun(proposal)
  if not store.open[key] then
    store.kept[key] = next(store.edited_of(proposal)) and proposal or nil
    return
  end
  store.open[key] = proposal
  show.show(proposal, message.focus or false)
end

---@param message acp.ProposalMessage
local function open(message)
  local proposal = new_proposal(message)
  local kept = store.kept[proposal.key]
  if kept then
    proposal.at = same_file(proposal, kept)
    right_side.take_over(proposal, kept)
    store.kept[proposal.key] = nil
  end
  right_side.take_over_begun(proposal)
  store.open[proposal.key] = proposal
  show.show_file(proposal, proposal.at, message.focus or false)
end

---@param question acp.Question
---@return boolean asked_for  false: it may not open now
local function open_by_itself(question)
  if focus.is_away() or not may_open_itself(question.session) then
    return false
  end
  backend.notify("diff", { question = question.id, auto = true })
  return true
end

--- May it not open by itself now? Then it is announced, and opens once the user is idle.
---@param message acp.ProposalMessage
---@return boolean
local function is_held_back(message)
  local plain = message.files[1].plain
  if not message.auto or store.open[message.question] or (not plain and may_open_itself(message.session)) then
    return false
  end
  if not plain then
    held_back.add(message.question, open_by_itself)
  end
  open_questions.announce(message.question)
  return true
end

--- Opens the diff, or shows in the open one what is new.
---@param message acp.ProposalMessage
function M.show(message)
  local key = message.question or store.VIEW
  if message.question and not state.question(message.question) then
    return close.close(key, true)
  elseif message.renews and not store.find(key) or is_held_back(message) then
    return
  end
  held_back.remove(key)
  if key == store.VIEW then
    close.close(key)
  end
  if message.renews or store.open[key] then
    renew(message, store.find(key) --[[@as acp.Proposal]])
  else
    make_room(key)
    open(message)
  end
  local question = state.question(key)
  if question and question.version == message.version and store.open[key] then
    answer_delay.shown(question)
  end
end

--- A question has come: its diff opens by itself before a user who is idle, else once the user is.
---@param question acp.Question
---@return boolean taken  false: it is to be announced
function M.offer(question)
  local fits = question.kind == "permission" and question.has_diff
  if not config.get().review.auto_open or not fits then
    return false
  elseif open_by_itself(question) then
    return true
  end
  held_back.add(question.id, open_by_itself)
  return false
end

-- What others ask -----------------------------------------------------------------------------------------------------

--- The question on one of whose sides the user is.
---@return integer?
function M.question_here()
  local proposal = store.under_cursor()
  return proposal and proposal.message.question or vim.b.acp_question
end

--- Sends the right sides as they are; false where there is none here.
---@return boolean
function M.accept()
  local proposal = store.under_cursor()
  local index = proposal and decision.accept(proposal)
  if proposal and index then
    show.show_file(proposal, index, true)
  end
  return proposal ~= nil
end

--- Is the diff of the question as it is now before the user, and have all its files been?
---@param question acp.Question
---@return boolean
function M.is_shown(question)
  local proposal = store.open[question.id]
  if not proposal or not store.is_here(proposal) or proposal.message.version ~= question.version then
    return false
  end
  return vim.iter(proposal.files):all(function(file)
    return file.is_filled == true and not file.changed
  end)
end

return M
