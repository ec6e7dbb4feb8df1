-- The left side: the file as it is now, in the user's own buffer where it is loaded.
local buffers = require("acp_nvim.proposal.buffers")
local body = require("acp_nvim.proposal.body")
local build = require("acp_nvim.proposal.build")
local follow_live = require("acp_nvim.proposal.follow_live")
local store = require("acp_nvim.proposal.store")

local M = {}

---@param proposal acp.Proposal
---@param file acp.ProposalFile
---@return integer? buf  none: the file is new
function M.buffer(proposal, file)
  local sides = file.sides --[[@as acp.BuiltSides]]
  if not sides.left then
    return nil
  elseif sides.buf and sides.fits and vim.api.nvim_buf_is_loaded(sides.buf) then
    return sides.buf
  end
  if not (file.left_buf and vim.api.nvim_buf_is_loaded(file.left_buf)) then
    local name = buffers.name_of(proposal.message.question, file.path, "live/")
    file.left_buf = buffers.new(name, "nofile")
  end
  buffers.fill(file.left_buf, sides.left)
  vim.bo[file.left_buf].modifiable = false
  return file.left_buf
end

--- The right side takes up what the file has become.
---@param file acp.ProposalFile
function M.catch_up(file)
  local sides = file.sides
  if not sides or file.sent.left or file.sent.right or not sides.fits then
    return
  end
  local live, buf = build.live(file.sent)
  if live and buf then
    local live_body, final = body.split(live)
    sides.is_modified = vim.bo[buf].modified
    follow_live.follow(file, live_body, final)
  end
end

--- What the user changes in the file comes to be on both sides.
---@param proposal acp.Proposal
---@param file acp.ProposalFile
---@param left? integer  buffer
function M.follow(proposal, file, left)
  if proposal.follower then
    proposal.follower.stop()
    proposal.follower = nil
  end
  if left and left ~= file.left_buf and file.sides.right and not file.sent.plain then
    proposal.follower = follow_live.watch(left, file.buf, function()
      if store.is_open(proposal) then
        M.catch_up(file)
      end
    end)
  end
end

return M
