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

local M = {}

---@class acp.Stretch  a difference, in rows of the second text and of the first
---@field [1] integer
---@field [2] integer
---@field [3] integer
---@field [4] integer

---@param first string[]
---@param second string[]
---@return acp.Stretch[]
local function stretches(first, second)
  local shift, list = 0, {}
  for i, edit in ipairs(diff.edits(first, second)) do
    local begin = edit[1] + shift
    list[i] = { begin, begin + #edit[3], edit[1], edit[2] }
    shift = shift + #edit[3] - (edit[2] - edit[1])
  end
  return list
end

--- The rows that these rows of the second text are in the first, if no difference touches them.
---@param list acp.Stretch[]
---@param first integer
---@param last integer
---@return integer? first
---@return integer? last
local function unchanged(list, first, last)
  local shift = 0
  for _, each in ipairs(list) do
    if each[1] >= last then
      break
    elseif each[2] > first then
      return nil
    end
    shift = each[4] - each[2]
  end
  if first < last then
    return first + shift, last + shift
  end
end

--- The row of the first text for a place between two lines of the second, one of which may differ there.
---@param list acp.Stretch[]
---@param row integer
---@return integer? row
local function between(list, row)
  local shift = 0
  for _, each in ipairs(list) do
    if each[1] > row then
      break
    elseif row <= each[2] then
      local has_lines = each[1] < each[2]
      if each[3] == each[4] or (has_lines and row == each[1]) then
        return each[3]
      end
      return has_lines and row == each[2] and each[4] or nil
    end
    shift = each[4] - each[2]
  end
  return row + shift
end

--- The lines without the hunks that the edits `undoing` take out of `rows`. Some may be out of `lines` already.
---@param rows string[]
---@param undoing acp.Edit[]
---@param lines string[]
---@return string[]?  nil: it is not certain
function M.without(rows, undoing, lines)
  local has, lacks = stretches(lines, rows), stretches(lines, diff.apply(rows, undoing))
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
