-- Shows proposals, what an agent wants to do to files, as a diff. The left side is the file as it is now, the right
-- side as it will be. The text of the right side is the decision, from which the backend makes the answer to the agent.
--
--   the model       store (proposals by question) > build (both texts), right_side (the agent's lines apart from the
--                   user's), side_history (states of `u`), follow_live (edits of the file)
--   on the screen   show > sides (the buffers), diff_windows, bars, unsaved_lines; auto_open; close > set_aside
--   is decided      refuse_hunk (`do`), refuse_file, on_write (`:w`) > write_intent > decision > answer
local answer_gate = require("acp_nvim.question.answer_gate")
local auto_open = require("acp_nvim.proposal.auto_open")
local build = require("acp_nvim.proposal.build")
local close = require("acp_nvim.proposal.close")
local decision = require("acp_nvim.proposal.decision")
local messages = require("acp_nvim.ui.messages")
local refuse_file = require("acp_nvim.proposal.refuse_file")
local session_store = require("acp_nvim.backend.session_store")
local saved_edits = require("acp_nvim.proposal.saved_edits")
local show = require("acp_nvim.proposal.show")
local sides = require("acp_nvim.proposal.sides")
local store = require("acp_nvim.proposal.store")

local M = {
  answer = decision.answer,
  cancelled = close.cancelled,
  done = decision.done,
  ended = close.ended,
  file_to_refuse = refuse_file.path_of,
  offer = auto_open.offer,
  preview = build.preview,
  refuse_file = refuse_file.refuse,
  save_edits = saved_edits.save,
  side_of = store.side_of,
  wait_for_sent = decision.wait_for_sent,
  why_not = decision.why_not,
}

-- What the backend sends ----------------------------------------------------------------------------------------------

--- Takes another version of the question, or the same again, and keeps what the user has made of the files.
---@param proposal acp.Proposal
---@param message acp.ProposalMessage
local function update(proposal, message)
  local old, is_same = proposal.files, proposal.message and proposal.message.version == message.version
  local before = old[proposal.at] and old[proposal.at].path
  proposal.message, proposal.files, proposal.at = message, {}, 1
  local is_new, is_restored = #old == 0 and message.question ~= nil and message.kind ~= "merge", false
  for index, sent in ipairs(message.files) do
    local saved = is_new and saved_edits.take(message.session, sent.path) or nil
    sent.begun, is_restored = saved or sent.begun, is_restored or saved ~= nil
    proposal.files[index] = { sent = sent, path = sent.path, name = sent.name }
    proposal.at = sent.path == before and index or proposal.at
  end
  sides.take_over(proposal, old, is_same)
  if is_restored and vim.iter(proposal.files):any(store.edited_text) then
    messages.show("info", "your edits from before Neovim ended are back (:edit! drops them)")
  end
  decision.tell_edits(proposal)
end

--- Closes the proposals of this tabpage: its windows show one at a time.
local function make_room()
  for _, other in pairs(vim.tbl_values(store.all)) do
    if store.is_here(other) then
      close.close(other)
    end
  end
end

--- Opens the diff, or shows in the open one what is new.
---@param message acp.ProposalMessage
function M.show(message)
  local key = message.question or store.VIEW
  if message.question and not session_store.question(message.question) then
    return close.drop(key)
  elseif message.renews and not store.all[key] or auto_open.is_announced(message) then
    return
  end
  auto_open.forget(key)
  if key == store.VIEW then
    close.drop(key)
  end
  local proposal = store.all[key] or { key = key, files = {}, at = 1 }
  local was_open = proposal.windows ~= nil
  update(proposal, message)
  if message.refuse then
    return refuse_file.refuse_in(proposal)
  elseif was_open then
    show.show(proposal, message.focus or false)
  elseif message.renews then
    store.all[key] = next(store.edited(key)) and proposal or nil
    return
  else
    make_room()
    store.all[key] = proposal
    show.show_file(proposal, proposal.at, message.focus or false)
  end
  local question = session_store.question(key)
  if question and question.version == message.version and proposal.windows then
    answer_gate.shown(question)
  end
end

-- What others ask -----------------------------------------------------------------------------------------------------

--- The question on one of whose sides the user is.
---@param win? integer  where the user is; default: the current window
---@return integer?
function M.question_here(win)
  local proposal = store.under_cursor(win)
  return proposal and proposal.message.question or vim.b[vim.api.nvim_win_get_buf(win or 0)].acp_question
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

--- Is the diff of the question's present version before the user, and have all its files been?
---@param question acp.Question
---@return boolean
function M.is_shown(question)
  local proposal = store.all[question.id]
  if not proposal or not store.is_here(proposal) or proposal.message.version ~= question.version then
    return false
  end
  return vim.iter(proposal.files):all(function(file)
    return file.is_filled == true and not file.changed
  end)
end

return M
