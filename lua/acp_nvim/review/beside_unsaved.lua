-- Takes hunks out of a text that has lines of its own, or lacks some: out of the file on disk under unsaved lines.
--
--   buffer   a X mine c     X is a hunk over b, `mine` is unsaved
--   disk     a X c          gets a b c: where the lines of a hunk are as they were, what is beside them hides nothing
--
-- A hunk that the other text lacks already is left alone. Where it is not certain, nothing is done:
--
--   buffer   a X c          X is a hunk over b
--   disk     a mine c       `mine` is no line of the hunk: the user decides by `:w`
--
-- Carrying the edits by a patch (`documents/patch`) always gives a text: where both have changed a place it pairs lines
-- by their position. In a file on disk that would be a guess, so rows are looked up strictly here, or not at all.
local diff = require("acp_nvim.documents.diff")
local patches = require("acp_nvim.documents.patch")

local M = {}

--- The rows of the text below for rows of the one above, if no difference touches them.
---@param patch acp.Patch
---@param first integer
---@param last integer
---@return integer? first
---@return integer? last
local function unchanged(patch, first, last)
  local i, offset = patches.first_from(patch, first + 1)
  if first < last and (patch.at[i] or math.huge) >= last then
    return first + offset, last + offset
  end
end

--- The row of the text below for a place between two lines of the one above, one of which may differ there.
---@param patch acp.Patch
---@param row integer
---@return integer? row
local function between(patch, row)
  local i, offset = patches.first_from(patch, row)
  local at, n, from, old = patch.at[i], patch.n[i], patch.from[i], patch.old[i]
  if not at or at > row then
    return row + offset
  elseif #old == 0 or (n > 0 and row == at) then
    return from
  end
  return n > 0 and row == at + n and from + #old or nil
end

--- The lines without the hunks that the edits `undoing` take out of `rows`. Some may be out of `lines` already.
---@param rows string[]
---@param undoing acp.Edit[]
---@param lines string[]
---@return string[]?  nil: it is not certain
function M.without(rows, undoing, lines)
  local has, lacks = patches.between(rows, lines), patches.between(diff.apply(rows, undoing), lines)
  local found, shift = {}, 0
  for _, edit in ipairs(undoing) do
    local begin, stop = edit[1] + shift, edit[1] + shift + #edit[3]
    local first, last = unchanged(has, edit[1], edit[2])
    if not first and not unchanged(lacks, begin, stop) then
      first = edit[1] == edit[2] and between(has, edit[1]) or nil
      last = first
      if not first and not (begin == stop and between(lacks, begin)) then
        return nil
      end
    end
    if first then
      found[#found + 1] = { first, last, edit[3] }
    end
    shift = shift + #edit[3] - (edit[2] - edit[1])
  end
  return diff.apply(lines, found)
end

return M
