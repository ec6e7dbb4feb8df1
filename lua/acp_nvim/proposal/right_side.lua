-- Models the right side of a proposal: a review before the fact. What the user types there is the user's at once, and
-- what is left of the agent's can be refused hunk by hunk.
--
--   left    a b c      the live text, as the right side knows it
--   mine    a b c U    that with what the user has typed on the right
--   lines   a X c U    the right side; its hunks are those against `mine`: b | X
--
-- Invariant: `mine` has no line of the agent and all of the user's. A side is never altered, so that states of the undo
-- tree can hold one.
local diff = require("acp_nvim.documents.diff")
local patch = require("acp_nvim.documents.patch")
local text = require("acp_nvim.documents.text")

local M = {}

---@class acp.RightSide
---@field left string[]
---@field mine string[]
---@field lines string[]
---@field patch acp.Patch  from `lines` down to `mine`

---@param left string[]
---@param mine string[]
---@param lines string[]
---@return acp.RightSide
local function compared(left, mine, lines)
  return { left = left, mine = mine, lines = lines, patch = patch.between(lines, mine) }
end

--- What an agent has proposed, and nobody has touched.
---@param left string[]
---@param lines string[]
---@return acp.RightSide
function M.new(left, lines)
  return compared(left, left, lines)
end

--- The user has made these lines of the right side.
---@param side acp.RightSide
---@param lines string[]
---@return acp.RightSide
function M.typed(side, lines)
  local below, mine = patch.down(side.patch, diff.edits(side.lines, lines))
  return { left = side.left, mine = diff.apply(side.mine, mine), lines = lines, patch = below }
end

--- The hunk under the cursor, or just above it; on the last line also the one below it.
---@param one acp.Patch
---@param row integer   of the cursor, from 0
---@param last integer  row of the last line
---@return integer? index
local function hunk_at(one, row, last)
  local above
  for i, at in ipairs(one.at) do
    local stop = at + one.n[i]
    if at <= row and row < stop then
      return i
    elseif stop == row or (row == last and at > last) then
      above = above or i
    end
  end
  return above
end

--- Refuses the hunk at the row. Where all is the user's, that is taken back.
---@param side acp.RightSide
---@param row integer
---@return acp.RightSide?  nil: there is none
function M.refuse(side, row)
  local last = math.max(#side.lines, 1) - 1
  local i = hunk_at(side.patch, row, last)
  if i then
    local at, old = side.patch.at[i], side.patch.old[i]
    local edits = { { at, at + side.patch.n[i], old } }
    return {
      left = side.left,
      mine = side.mine,
      lines = diff.apply(side.lines, edits),
      patch = patch.down(side.patch, edits, true),
    }
  end
  local whole = patch.between(side.lines, side.left)
  i = hunk_at(whole, row, last)
  return i and M.typed(side, diff.apply(side.lines, { { whole.at[i], whole.at[i] + whole.n[i], whole.old[i] } }))
end

--- The file has changed. Where the right side has lines of its own, these stay.
---@param side acp.RightSide
---@param live string[]
---@return acp.RightSide
function M.follow(side, live)
  local below = patch.between(side.mine, side.left)
  local edits = patch.up(below, diff.edits(side.left, live), side.mine)
  local above, new = patch.up(side.patch, edits, side.lines)
  return { left = live, mine = diff.apply(side.mine, edits), lines = diff.apply(side.lines, above), patch = new }
end

--- Is the right side as the left one where the edit is, and beside it?
---@param edit acp.Edit
---@param whole acp.Patch  from the right side down to the left one
---@return boolean
local function is_refused(edit, whole)
  for i, from in ipairs(whole.from) do
    if from <= edit[2] and from + #whole.old[i] >= edit[1] then
      return false
    end
  end
  return true
end

--- Those of the edits that are not among others of the same text.
---@param edits acp.Edit[]
---@param others acp.Edit[]
---@return acp.Edit[]
local function without(edits, others)
  local known = {}
  for _, edit in ipairs(others) do
    known[edit[1]] = edit
  end
  return vim.tbl_filter(function(edit)
    local other = known[edit[1]]
    return not (other and other[2] == edit[2] and text.same_lines(other[3], edit[3]))
  end, edits)
end

--- The agent has changed its question. What is refused stays refused where the agent proposes it again; what the user
--- has typed stays, also where the agent proposes something else now.
---
---   proposed before A b C, right A b c U, so C is refused      proposed now A B C      the right side is A B c U
---@param side acp.RightSide
---@param before string[]    what the agent has proposed
---@param proposed string[]  what it proposes now
---@return acp.RightSide
---@return boolean is_met  the user's lines are where the agent proposes something else
function M.ask_again(side, before, proposed)
  local whole = patch.between(side.lines, side.left)
  local dropped = without(diff.edits(side.left, before), diff.edits(side.left, proposed))
  dropped = vim.tbl_filter(function(edit)
    return is_refused(edit, whole)
  end, dropped)
  local lines = diff.apply(side.lines, patch.up(whole, dropped, side.lines))
  local edits = diff.edits(before, proposed)
  local above = patch.up(patch.between(lines, before), edits, lines)
  local is_met = #above ~= #edits
  for i, edit in ipairs(is_met and {} or edits) do
    is_met = is_met or #edit[3] ~= #above[i][3] or edit[2] - edit[1] ~= above[i][2] - above[i][1]
  end
  return compared(side.left, side.mine, diff.apply(lines, above)), is_met
end

return M
