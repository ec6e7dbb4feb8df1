-- Marks unsaved lines of the user that a proposal would replace as "yours, unsaved": on the left side they look like
-- any old line. The marks go once the lines are saved, or the proposal is closed.
--
--    disk       live      proposed      marked
--    a          a         a
--    b          mine      B             mine
--    c          c         C                     (the user has not touched it)
--    d          also      also                  (the agent leaves it)
local limits = require("acp_nvim.limits")
local side_text = require("acp_nvim.proposal.side_text")

local api = vim.api
local M = {}

local WORDS = " yours, unsaved "

local namespace = api.nvim_create_namespace("acp_nvim.proposal.unsaved")

---@param file acp.ProposalFile
---@return integer[] rows  of the left side, from 0
local function unsaved_rows(file)
  local sides, found = file.sides, {} ---@type acp.BuiltSides, integer[]
  if not (sides.is_modified and sides.fits and sides.left and file.sent.disk) then
    return found
  end
  local mine, shift = {}, 0
  for _, change in ipairs(side_text.edits((side_text.split(file.sent.disk)), sides.left)) do
    for row = change[1] + shift, change[1] + shift + #change[3] - 1 do
      mine[row] = true
    end
    shift = shift + #change[3] - (change[2] - change[1])
  end
  for _, change in ipairs(side_text.edits(sides.left, sides.right or "")) do
    for row = change[1], change[2] - 1 do
      found[#found + 1] = mine[row] and #found < limits.UNSAVED_LINES_MARKED and row or nil
    end
  end
  return found
end

--- Behind the line, or over its end where that is beyond the window's edge.
---@param win integer
---@param row integer
---@return "eol"|"right_align"
local function place(win, row)
  local info = vim.fn.getwininfo(win)[1]
  local used = vim.fn.virtcol({ row + 1, "$" }, false, win) - 1
  return used + #WORDS < info.width - info.textoff and "eol" or "right_align"
end

--- Marks the lines of a file that is shown; `M.forget` takes the marks away.
---@param proposal acp.Proposal
---@param file acp.ProposalFile
---@param buf integer  with the lines that would go
function M.mark(proposal, file, buf)
  M.forget(proposal)
  local win = proposal.windows.left or proposal.windows.right
  local rows = api.nvim_win_is_valid(win) and unsaved_rows(file) or {}
  if #rows == 0 then
    return
  end
  for _, row in ipairs(rows) do
    local options = { virt_text = { { WORDS, "AcpReviewYours" } }, virt_text_pos = place(win, row), strict = false }
    api.nvim_buf_set_extmark(buf, namespace, row, 0, options)
  end
  proposal.marked = buf
  api.nvim_create_autocmd("BufWritePost", {
    buffer = file.sides.buf,
    once = true,
    callback = function()
      if proposal.marked == buf then
        M.forget(proposal)
      end
    end,
  })
end

---@param proposal acp.Proposal
function M.forget(proposal)
  local buf = proposal.marked
  if buf and api.nvim_buf_is_loaded(buf) then
    api.nvim_buf_clear_namespace(buf, namespace, 0, -1)
  end
  proposal.marked = nil
end

return M
