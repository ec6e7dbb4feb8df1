-- Maps `do` on a right side: it refuses the whole hunk under the cursor. Neovim's own `do` takes back only a part of a
-- hunk where 'diffopt' has "linematch", as it has by default in newer versions: what is left is neither text.
--
--   left    a  b c    d        right   a  X Y Z  d        `do` on X, Y, Z or d      a b c d
--   left    a  b c    d        right   a         d        `do` on d: b c stood just above it
--
-- As in Neovim the hunk just above the cursor counts, too, and on the last line the one below. A file that is created or
-- deleted is one hunk: once that is refused, its window is empty.
local diff = require("acp_nvim.documents.diff")
local follow_live = require("acp_nvim.proposal.follow_live")
local messages = require("acp_nvim.ui.messages")
local sides = require("acp_nvim.proposal.sides")
local store = require("acp_nvim.proposal.store")

local api = vim.api
local M = {}

local NO_HUNK = "not refused: no hunk is under the cursor, ]c goes to the next"
local IN_ONE = "not refused: this change is taken or refused as a whole, :Acp reject refuses it"

---@class acp.SideHunk
---@field row integer     where it begins on the right side, 0-based
---@field stop integer    behind its last row there
---@field left string[]   what the left side has in its place

---@param left string[]
---@param right string[]
---@return acp.SideHunk[]
local function hunks_of(left, right)
  local growth = 0
  return vim
    .iter(diff.edits(left, right))
    :map(function(edit)
      local row = edit[1] + growth
      growth = growth + #edit[3] - (edit[2] - edit[1])
      return { row = row, stop = row + #edit[3], left = vim.list_slice(left, edit[1] + 1, edit[2]) }
    end)
    :totable()
end

---@param hunks acp.SideHunk[]
---@param row integer   of the cursor, 0-based
---@param last integer  row of the last line
---@return acp.SideHunk?
local function hunk_at(hunks, row, last)
  local above
  for _, hunk in ipairs(hunks) do
    if hunk.row <= row and row < hunk.stop then
      return hunk
    elseif hunk.stop == row or (row == last and hunk.row > last) then
      above = above or hunk
    end
  end
  return above
end

--- Gives the rows of the hunk under the cursor the left side's text.
---@param file acp.ProposalFile
local function refuse(file)
  follow_live.catch_up(file)
  local built, buf = file.sides, file.buf --[[@as integer]]
  if store.is_one_hunk(built) then
    vim.bo[buf].modifiable = true
    return api.nvim_buf_set_lines(buf, 0, -1, false, {})
  end
  local lines = api.nvim_buf_get_lines(buf, 0, -1, false)
  local row = api.nvim_win_get_cursor(0)[1] - 1
  local hunk = hunk_at(hunks_of(vim.split(built.left, "\n", { plain = true }), lines), row, #lines - 1)
  if not hunk then
    return messages.show("warn", NO_HUNK)
  end
  api.nvim_buf_set_lines(buf, hunk.row, hunk.stop, false, hunk.left)
end

---@param proposal acp.Proposal
---@param buf integer  of a right side
function M.map(proposal, buf)
  vim.keymap.set("n", "do", function()
    local file = vim.iter(proposal.files):find(function(each)
      return each.buf == buf
    end)
    if not file then
      return
    elseif sides.can_refuse(proposal, file) then
      return refuse(file)
    end
    messages.show("warn", IN_ONE)
  end, { buffer = buf, desc = "Refuse the hunk under the cursor" })
end

return M
