-- Closes proposals, for the user or because their question is no longer asked. What the user has made of them stays.
local buffers = require("acp_nvim.proposal.buffers")
local decision = require("acp_nvim.proposal.decision")
local diff_windows = require("acp_nvim.proposal.diff_windows")
local follow_live = require("acp_nvim.proposal.follow_live")
local messages = require("acp_nvim.ui.messages")
local session_store = require("acp_nvim.backend.session_store")
local set_aside = require("acp_nvim.proposal.set_aside")
local side_history = require("acp_nvim.proposal.side_history")
local store = require("acp_nvim.proposal.store")
local unsaved_lines = require("acp_nvim.proposal.unsaved_lines")

local api = vim.api
local M = {}

local GONE = "the question is gone: nothing here will be sent"
local KEPT = "the question is gone; your edits are kept in :sbuffer %s"

--- Goes back to the user's quickfix list, which is the one before ours.
---@param id? integer  of ours
local function leave_list(id)
  if id and vim.fn.getqflist({ id = 0 }).id == id and vim.fn.getqflist({ nr = 0 }).nr > 1 then
    vim.cmd("silent! colder")
  end
end

--- Deletes the buffers of a file; what the user has made of the right side stays as text.
---@param file acp.ProposalFile
---@return boolean  there is something to keep
local function release(file)
  local is_edited = store.edited_text(file) ~= nil
  if is_edited and file.sides.left then
    follow_live.follow(file, file.sides.left, file.sides.left_final) -- `u` may have led below an edit of the file
  end
  file.right_side = is_edited and side_history.settle(file) or nil
  buffers.wipe(file.buf)
  buffers.wipe(file.left_buf)
  file.buf, file.left_buf, file.is_filled, file.history = nil, nil, nil, nil
  return is_edited or file.decided == true
end

--- Deletes the buffers of a proposal whose windows are closed.
---@param proposal acp.Proposal
function M.windows_gone(proposal)
  if not proposal.windows then
    return
  end
  proposal.windows = nil
  if proposal.stop_following then
    proposal.stop_following()
  end
  unsaved_lines.forget(proposal)
  local keeps = false
  for _, file in ipairs(proposal.files) do
    keeps = release(file) or keeps
  end
  store.all[proposal.key] = keeps and proposal.key ~= store.VIEW and proposal or nil
  decision.tell_edits(proposal)
  leave_list(proposal.list)
end

--- Closes the windows; what the user has made of it is there again when they are opened.
---@param proposal acp.Proposal
function M.close(proposal)
  if proposal.windows then
    diff_windows.close(proposal.windows)
    M.windows_gone(proposal)
  end
end

--- Closes the windows of a question, if there are any; nothing of it is kept.
---@param key integer
function M.drop(key)
  if store.all[key] then
    M.close(store.all[key])
    store.all[key] = nil
  end
end

local cancelled = {} ---@type table<integer, true>  questions whose turn the user has given up

--- The user gives up all questions of a session: the windows close, wherever that was typed.
---@param questions acp.Question[]
function M.cancelled(questions)
  for _, question in ipairs(questions) do
    cancelled[question.id] = true
  end
end

--- Makes a right side a text that answers no question.
---@param buf integer
---@param is_edited boolean
local function detach(buf, is_edited)
  api.nvim_clear_autocmds({ buffer = buf, event = { "BufReadCmd", "BufUnload", "BufWriteCmd", "BufWinEnter" } })
  vim.b[buf].acp_question = nil
  set_aside.allow_copies(buf)
  vim.bo[buf].modified = is_edited -- also where `:w` has decided this file and others were still undecided
end

--- Leaves the windows open, without their question: no key that is meant for them hits another window.
---@param proposal acp.Proposal
local function leave_open(proposal)
  local file, windows = store.current_file(proposal), proposal.windows --[[@as acp.DiffWindows]]
  local buf = file.buf --[[@as integer]]
  local left_buf = file.left_buf
  local was_edited = store.edited_text(file) ~= nil
  file.buf, file.left_buf, file.sides = nil, nil, nil
  detach(buf, was_edited)
  diff_windows.set_bars(windows, { name = "now" }, { name = GONE })
  windows.on_closed = function()
    buffers.wipe(left_buf)
    if api.nvim_buf_is_valid(buf) and (was_edited or vim.bo[buf].modified) then
      messages.show("warn", KEPT:format(buf))
    else
      buffers.wipe(buf)
    end
  end
  M.windows_gone(proposal)
  messages.show("warn", was_edited and KEPT:format(buf) or GONE)
end

--- Is the user on one of the sides, or has the user changed the right one?
---@param proposal acp.Proposal
---@return boolean
local function is_in_use(proposal)
  local is_here = store.under_cursor() == proposal
  if cancelled[proposal.key] and not (is_here and api.nvim_get_mode().mode:find("^[^n]")) then
    return false -- who gives up the turn types nothing that could hit another window
  end
  return is_here or store.edited_text(store.current_file(proposal)) ~= nil
end

--- Closes the proposal of a question that has ended. If the user has not answered it, their edits stay in buffers.
---@param question integer
local function finish(question)
  cancelled[question] = nil
  local texts = session_store.is_answered(question) and {} or store.edited(question)
  M.drop(question)
  vim.schedule(function() -- behind the frame, which also tells of decisions
    if not decision.is_decided(question) then
      set_aside.put(question, texts, KEPT)
    end
  end)
end

--- The question is no longer open. The windows close, unless the user is in one of them or has changed the right side.
---@param question integer
function M.ended(question)
  local proposal = store.all[question]
  local answered = decision.is_decided(question) or session_store.is_answered(question)
  if not proposal or answered or not diff_windows.is_open(proposal.windows) or not is_in_use(proposal) then
    return finish(question)
  end
  vim.schedule(function() -- behind the frame, which also tells of decisions
    if not decision.is_decided(question) and diff_windows.is_open(proposal.windows) then
      leave_open(proposal)
    end
    finish(question)
  end)
end

return M
