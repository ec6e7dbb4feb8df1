-- Maps `do` on a right side: it refuses the whole hunk under the cursor. Neovim's own `do` takes back only a part of a
-- hunk where 'diffopt' has "linematch", as it has by default in newer versions: what is left is neither text.
--
--   left    a  b c    d        right   a  X Y Z  d        `do` on X, Y, Z or d      a b c d
--   left    a  b c    d        right   a         d        `do` on d: b c stood just above it
--
-- As in Neovim the hunk just above the cursor counts, too, and on the last line the one below. What the user has typed
-- in the hunk stays; where nothing is left but that, it goes. A file that is created or deleted is one hunk: once that
-- is refused, its window is empty.
local follow_live = require("acp_nvim.proposal.follow_live")
local messages = require("acp_nvim.ui.messages")
local right_side = require("acp_nvim.proposal.right_side")
local side_history = require("acp_nvim.proposal.side_history")
local sides = require("acp_nvim.proposal.sides")
local store = require("acp_nvim.proposal.store")

local api = vim.api
local M = {}

local NO_HUNK = "not refused: no hunk is under the cursor, ]c goes to the next"
local IN_ONE = "not refused: this change is taken or refused as a whole, :Acp reject refuses it"

--- Gives the rows of the hunk under the cursor the left side's text.
---@param file acp.ProposalFile
local function refuse(file)
  follow_live.catch_up(file)
  local side, row = side_history.settle(file), api.nvim_win_get_cursor(0)[1] - 1
  local refused = store.is_one_hunk(file.sides) and right_side.typed(side, {}) or right_side.refuse(side, row)
  if not refused then
    return messages.show("warn", NO_HUNK)
  end
  side_history.put(file, refused)
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
