-- The right sides: a buffer for each file, and what stands in it.
local body = require("acp_nvim.proposal.body")
local buffers = require("acp_nvim.proposal.buffers")
local build = require("acp_nvim.proposal.build")
local follow_live = require("acp_nvim.proposal.follow_live")
local left_side = require("acp_nvim.proposal.left_side")
local set_aside = require("acp_nvim.proposal.set_aside")
local store = require("acp_nvim.proposal.store")

local api = vim.api
local M = {}

local CHANGED = "the proposal changed in lines that you edited; yours: :sbuffer %d"

--- What the user may edit: all of a file, if it is to be there.
---@param proposal acp.Proposal
---@param file acp.ProposalFile
---@return boolean
function M.is_editable(proposal, file)
  local sides = file.sides --[[@as acp.BuiltSides]]
  return proposal.message.kind ~= "view" and sides.fits and sides.right ~= nil
end

--- Fills the buffer with the agent's text, and over that, as an undo step, with the user's.
---@param file acp.ProposalFile
---@param text? string
local function fill(file, text)
  local right = file.sides.right or ""
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
  if not file.sides then
    file.sides = build.sides(file.sent)
  end
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

--- Fills the right side that comes before the user.
---@param proposal acp.Proposal
---@param file acp.ProposalFile
function M.show(proposal, file)
  if not file.is_filled then
    M.build(file)
    fill(file, file.text)
    file.text, file.is_filled = nil, true
  end
  file.changed = nil
  vim.bo[file.buf].modifiable = M.is_editable(proposal, file)
end

-- Another version of the question --------------------------------------------------------------------------------------

--- The user's edits of the old right side, carried over to the new one; where both have changed the same lines they go
--- to a buffer of their own.
---@param question integer
---@param path string
---@param before? string  the old right side
---@param yours string
---@param after? string   the new right side
---@return string? text  nil: the new right side stands alone
local function carry_edits(question, path, before, yours, after)
  local text, overlaps = body.merge(before or "", after or "", yours)
  if not after or overlaps then
    set_aside.put_all(question, { [path] = yours }, CHANGED)
    return nil
  end
  return text
end

--- Takes over what the user has made of a file in an earlier version of the question, or before its windows were closed.
---@param proposal acp.Proposal  the new one
---@param file acp.ProposalFile
---@param old acp.ProposalFile
---@param is_same boolean        the version
local function take_over(proposal, file, old, is_same)
  file.buf, file.left_buf, file.is_filled = old.buf, old.left_buf, old.is_filled
  file.decided = is_same and old.decided or nil
  if not old.sides then
    file.changed = old.changed or not is_same
    return
  end
  left_side.catch_up(old) -- what is left to carry over is what the agent has changed
  M.build(file)
  local before, after = old.sides, file.sides --[[@as acp.BuiltSides]]
  local text = store.edited_text(old)
  file.changed = old.changed or before.right ~= after.right or nil
  if text and before.right ~= after.right then
    text = carry_edits(proposal.key, file.path, before.right, text, after.fits and after.right or nil)
  end
  if file.is_filled and api.nvim_buf_is_loaded(file.buf) then
    if before.right ~= after.right then
      fill(file, text)
    else
      file.bases = old.bases
    end
    vim.bo[file.buf].modifiable = M.is_editable(proposal, file)
  else
    file.text, file.is_filled = text, nil
  end
end

--- Another version of the question takes the place of `old`; what the user has made of that stays.
---@param proposal acp.Proposal
---@param old acp.Proposal
function M.take_over(proposal, old)
  local known, is_same = {}, proposal.message.version == old.message.version
  for _, file in ipairs(proposal.files) do
    known[file.path] = file
    file.changed = not is_same or nil
  end
  for _, file in ipairs(old.files) do
    local text = store.edited_text(file)
    if known[file.path] then
      known[file.path].changed = nil
      take_over(proposal, known[file.path], file, is_same)
    else
      set_aside.put_all(proposal.key, { [file.path] = text }, CHANGED)
      buffers.wipe(file.buf)
      buffers.wipe(file.left_buf)
    end
  end
end

--- What the user had made of another right side than the one that the backend has sent now.
---@param proposal acp.Proposal
function M.take_over_begun(proposal)
  for _, file in ipairs(proposal.files) do
    local begun = file.sent.begun
    if begun then
      M.build(file)
      local before, yours = body.split(begun.right), (body.split(begun.text))
      file.text = carry_edits(proposal.key, file.path, before, yours, file.sides.right)
    end
  end
end

return M
