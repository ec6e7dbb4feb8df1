-- Fills the buffers of both sides of a file, and carries the user's edits over when the agent changes its question.
--
--   proposed before   a B c      the user has edited it   a B mine
--   proposed now      A B c      the right side becomes   A B mine; had both changed c, the user's text would go to a
--                                buffer of its own
local buffers = require("acp_nvim.proposal.buffers")
local build = require("acp_nvim.proposal.build")
local follow_live = require("acp_nvim.proposal.follow_live")
local reload = require("acp_nvim.ui.reload")
local set_aside = require("acp_nvim.proposal.set_aside")
local side_text = require("acp_nvim.proposal.side_text")
local store = require("acp_nvim.proposal.store")

local api = vim.api
local M = {}

local CHANGED = "the proposal changed in lines that you edited; yours: :sbuffer %s"

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
---@param text? string
local function fill(file, text)
  local right = store.proposed_text(file.sides)
  vim.bo[file.buf].modifiable = true
  buffers.fill(file.buf, right)
  if text and text ~= right then
    api.nvim_buf_set_lines(file.buf, 0, -1, false, vim.split(text, "\n", { plain = true }))
  end
  follow_live.begin(file, file.sides.left or "")
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
    fill(file, file.text)
    file.text, file.is_filled = nil, true
  end
  file.changed = nil
  vim.bo[file.buf].modifiable = M.is_editable(proposal, file)
end

--- Fills the right side again with what the agent proposes, after `:edit` has emptied it.
---@param file acp.ProposalFile
function M.refill(file)
  local text = store.proposed_text(file.sides)
  local modifiable = vim.bo[file.buf].modifiable
  vim.bo[file.buf].modifiable = true
  api.nvim_buf_set_lines(file.buf, 0, -1, false, vim.split(text, "\n", { plain = true }))
  vim.bo[file.buf].modifiable = modifiable
  follow_live.reloaded(file)
end

-- Another version of the question --------------------------------------------------------------------------------------

--- Carries the user's edits of the old right side over to the new one. Where the agent has changed the same lines, they
--- go to a buffer of their own.
---@param question integer
---@param path string
---@param before? string  the old right side
---@param yours string
---@param after? string   the new right side
---@return string? text  nil: the new right side stands alone
local function carry_edits(question, path, before, yours, after)
  local text, overlaps = side_text.merge(before or "", after or "", yours)
  if not after or overlaps then
    set_aside.put(question, { [path] = yours }, CHANGED)
    return nil
  end
  return text
end

--- Takes over what the user has made of a file before.
---@param question integer
---@param file acp.ProposalFile
---@param old acp.ProposalFile
---@param is_same? boolean  the version of the question
local function take_over_file(question, file, old, is_same)
  file.buf, file.left_buf, file.is_filled = old.buf, old.left_buf, old.is_filled
  file.decided, file.changed = is_same and old.decided or nil, old.changed
  if not old.sides then
    file.changed = file.changed or not is_same
    return
  end
  follow_live.catch_up(old) -- what is left to carry over is what the agent has changed
  M.build(file)
  local before, after = old.sides, file.sides --[[@as acp.BuiltSides]]
  local text, is_filled = store.edited_text(old), file.is_filled and api.nvim_buf_is_loaded(file.buf)
  if before.right ~= after.right then
    file.changed = true
    text = text and carry_edits(question, file.path, before.right, text, after.fits and after.right or nil)
    if is_filled then
      fill(file, text)
    end
  else
    file.bases = old.bases
  end
  if not is_filled then
    file.text, file.is_filled = text, nil
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
      file.text = carry_edits(proposal.key, file.path, before, yours, file.sides.right)
    end
  end
  for path, file in pairs(known) do -- which the agent leaves as it is now
    set_aside.put(proposal.key, { [path] = store.edited_text(file) }, CHANGED)
    buffers.wipe(file.buf)
    buffers.wipe(file.left_buf)
  end
end

return M
