-- Maps `do` on a right side: it refuses the whole hunk under the cursor. Neovim's own `do` takes back only a part of a
-- hunk where 'diffopt' has "linematch", as it has by default in newer versions: what is left is neither text.
--
--   left    a  b c    d        right   a  X Y Z  d        `do` on X, Y, Z or d      a b c d
--   left    a  b c    d        right   a         d        `do` on d: b c stood just above it
--
-- As in Neovim the hunk just above the cursor counts, too, and on the last line the one below.
local diff = require("acp_nvim.documents.diff")

local api = vim.api
local M = {}

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
---@param left integer   buffer
---@param right integer  buffer of the current window
local function refuse(left, right)
  local lines = api.nvim_buf_get_lines(right, 0, -1, false)
  local row = api.nvim_win_get_cursor(0)[1] - 1
  local hunk = hunk_at(hunks_of(api.nvim_buf_get_lines(left, 0, -1, false), lines), row, #lines - 1)
  if hunk then
    api.nvim_buf_set_lines(right, hunk.row, hunk.stop, false, hunk.left)
  end
end

---@param proposal acp.Proposal
---@param buf integer  of a right side
function M.map(proposal, buf)
  vim.keymap.set("n", "do", function()
    local windows = proposal.windows
    local is_beside = windows and windows.left and windows.right == api.nvim_get_current_win()
    if is_beside and vim.v.count == 0 and vim.bo[buf].modifiable then
      refuse(api.nvim_win_get_buf(windows.left), buf)
    else
      vim.cmd.normal({ (vim.v.count > 0 and vim.v.count or "") .. "do", bang = true })
    end
  end, { buffer = buf, desc = "Refuse the hunk under the cursor" })
end

return M
