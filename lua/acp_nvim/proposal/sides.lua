-- Fills the buffers of both sides of a file, and carries the user's edits over when the agent changes its question.
--
--   proposed before   a B c      the user has edited it   a B mine
--   proposed now      A B c      the right side becomes   A B mine; had both changed c, the user's line would stay
local buffers = require("acp_nvim.proposal.buffers")
local build = require("acp_nvim.proposal.build")
local follow_live = require("acp_nvim.proposal.follow_live")
local messages = require("acp_nvim.ui.messages")
local reload = require("acp_nvim.ui.reload")
local right_side = require("acp_nvim.proposal.right_side")
local set_aside = require("acp_nvim.proposal.set_aside")
local side_history = require("acp_nvim.proposal.side_history")
local side_text = require("acp_nvim.proposal.side_text")
local store = require("acp_nvim.proposal.store")

local api = vim.api
local M = {}

local GONE = "the proposal changed, and your edits do not fit any more; yours: :sbuffer %s"
local MET = "%s: the proposal changed in lines that you edited; yours stay (:edit! drops them)"

--- May the user refuse hunks? Not of a look, or of a part of a file.
---@param proposal acp.Proposal
---@param file acp.ProposalFile
---@return boolean
function M.can_refuse(proposal, file)
  return proposal.message.kind ~= "view" and file.sides.fits
end

--- May the user edit the right side? Of a file that is to be deleted only once that is refused.
---@param proposal acp.Proposal
---@param file acp.ProposalFile
---@return boolean
function M.is_editable(proposal, file)
  return M.can_refuse(proposal, file) and (file.sides.right ~= nil or store.edited_text(file) ~= nil)
end

--- Fills the buffer with the agent's text, and then, as an undo step, with the user's.
---@param file acp.ProposalFile
local function fill(file)
  local edited = file.right_side
  vim.bo[file.buf].modifiable = true
  buffers.fill(file.buf, store.proposed_text(file.sides))
  file.is_filled = true
  side_history.begin(file, side_history.proposed(file))
  if edited then
    side_history.put(file, edited)
  end
end

--- Builds both sides, if nobody has looked at the file before.
---@param file acp.ProposalFile
function M.build(file)
  file.sides = file.sides or build.sides(file.sent)
end

--- The user's buffer that holds the live text.
---@param file acp.ProposalFile
---@return integer? buf  none: the file is not loaded
function M.live_buffer(file)
  local sides = file.sides --[[@as acp.BuiltSides]]
  return sides.fits and sides.buf and api.nvim_buf_is_loaded(sides.buf) and sides.buf or nil
end

--- The buffer of the left side: the user's own where the file is loaded.
---@param proposal acp.Proposal
---@param file acp.ProposalFile
---@return integer? buf  none: the file is new, or to be deleted
function M.left(proposal, file)
  local sides = file.sides --[[@as acp.BuiltSides]]
  if store.is_one_hunk(sides) then
    return nil
  end
  local live = M.live_buffer(file)
  if live then
    return live
  end
  if not (file.left_buf and api.nvim_buf_is_loaded(file.left_buf)) then
    file.left_buf = buffers.new(buffers.name_of(proposal.message.question, file.path, "live/"), "nofile")
    reload.keep_text(file.left_buf)
  end
  buffers.fill(file.left_buf, sides.left)
  vim.bo[file.left_buf].modifiable = false
  return file.left_buf
end

--- Makes the buffer of a right side, if there is none yet.
---@param proposal acp.Proposal
---@param file acp.ProposalFile
---@return boolean is_new
function M.make_buffer(proposal, file)
  if file.buf and api.nvim_buf_is_loaded(file.buf) then
    return false
  end
  local question = proposal.message.question
  file.buf = buffers.new(buffers.name_of(question, file.path, ""), question and "acwrite" or "nofile")
  if question then
    vim.b[file.buf].acp_question, vim.b[file.buf].acp_session = question, proposal.message.session
  end
  return true
end

--- Fills the right side, before it is shown.
---@param proposal acp.Proposal
---@param file acp.ProposalFile
function M.fill(proposal, file)
  if not file.is_filled then
    M.build(file)
    fill(file)
  end
  file.changed = nil
  vim.bo[file.buf].modifiable = M.is_editable(proposal, file)
end

--- Fills the right side again with what the agent proposes, after `:edit` has emptied it.
---@param file acp.ProposalFile
function M.refill(file)
  side_history.begin(file, side_history.settle(file)) -- its undo tree has begun anew
  side_history.put(file, side_history.proposed(file))
end

-- Another version of the question -------------------------------------------------------------------------------------

--- Carries what the user has made of the old right side over to the new one. Where it does not fit any more it goes to
--- a buffer of its own.
---@param question integer
---@param file acp.ProposalFile
---@param old acp.ProposalFile
---@return acp.RightSide?  nil: the new right side stands alone
local function carry_edits(question, file, old)
  local before, after = old.sides, file.sides --[[@as acp.BuiltSides]]
  local fits = before.fits and after.fits and before.right and after.right
  if not fits or (before.left == nil) ~= (after.left == nil) then
    set_aside.put(question, { [file.path] = store.edited_text(old) }, GONE)
    return nil
  end
  local side, is_met = right_side.ask_again(old.right_side, side_text.lines(before.right), side_text.lines(after.right))
  if is_met then
    messages.show("warn", MET:format(file.name))
  end
  return side
end

--- Takes over what the user has made of a file before.
---@param question integer
---@param file acp.ProposalFile
---@param old acp.ProposalFile
---@param is_same? boolean  the version of the question
local function take_over_file(question, file, old, is_same)
  file.buf, file.left_buf = old.buf, old.left_buf
  file.decided, file.changed = is_same and old.decided or nil, old.changed
  if not old.sides then
    file.changed = file.changed or not is_same
    return
  end
  follow_live.catch_up(old) -- what is left to carry over is what the agent has changed
  M.build(file)
  local before, after = old.sides, file.sides --[[@as acp.BuiltSides]]
  if before.left and after.left and after.fits then
    follow_live.follow(old, after.left, after.left_final)
  end
  local is_edited = store.edited_text(old) ~= nil
  local is_filled = old.is_filled and api.nvim_buf_is_loaded(old.buf)
  if before.right ~= after.right then
    file.changed = true
    file.right_side = is_edited and carry_edits(question, file, old) or nil
    if is_filled then
      fill(file)
    end
  elseif is_filled then
    file.is_filled, file.right_side, file.history = true, old.right_side, old.history
  else
    file.right_side = is_edited and old.right_side or nil
  end
end

--- Takes over what the user has made of the files of an earlier version of the question, or before the windows were
--- closed; and of a right side that the backend has sent along.
---@param proposal acp.Proposal
---@param old acp.ProposalFile[]
---@param is_same? boolean  the version
function M.take_over(proposal, old, is_same)
  local known = {} ---@type table<string, acp.ProposalFile>
  for _, file in ipairs(old) do
    known[file.path] = file
  end
  for _, file in ipairs(proposal.files) do
    local begun = file.sent.begun
    if known[file.path] then
      take_over_file(proposal.key, file, known[file.path], is_same)
      known[file.path] = nil
    elseif #old > 0 then
      file.changed = true
    end
    if begun then
      M.build(file)
      local before, yours = side_text.split(begun.right), (side_text.split(begun.text))
      local merged, overlaps = side_text.merge(before, file.sides.right or "", yours)
      if overlaps then
        set_aside.put(proposal.key, { [file.path] = yours }, GONE)
      else
        file.right_side = right_side.typed(side_history.proposed(file), side_text.lines(merged))
      end
    end
  end
  for path, file in pairs(known) do -- which the agent leaves as it is now
    set_aside.put(proposal.key, { [path] = store.edited_text(file) }, GONE)
    buffers.wipe(file.buf)
    buffers.wipe(file.left_buf)
  end
end

return M
