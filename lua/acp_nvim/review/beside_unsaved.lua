-- Hunks taken out of a text that has lines of its own, or lacks some: out of the disk under unsaved lines, say.
--
--   buffer   a X mine c     X is a hunk over b, `mine` is unsaved
--   disk     a X c          gets a b c: where the lines of a hunk are as they were, what is beside them hides nothing
--
-- A hunk that the other text lacks already is left alone. Where it cannot be told, nothing is guessed.
local line_diff = require("acp_nvim.review.line_diff")

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
  for i, edit in ipairs(line_diff.edits(first, second)) do
    local begin = edit[1] + shift
    list[i] = { begin, begin + #edit[3], edit[1], edit[2] }
    shift = shift + #edit[3] - (edit[2] - edit[1])
  end
  return list
end

--- Where these rows of the second text are in the first; nil: not as they are.
---@param list acp.Stretch[]
---@param first integer
---@param last integer
---@return integer? first
---@return integer? last
local function place(list, first, last)
  local shift = 0
  for _, each in ipairs(list) do
    if first == last and each[1] <= first and first <= each[2] then -- between two lines, one of which is another
      if each[3] == each[4] or (each[1] < each[2] and first == each[1]) then
        return each[3], each[3]
      elseif each[1] < each[2] and first == each[2] then
        return each[4], each[4]
      end
      return nil
    elseif each[1] < last and each[2] > first then
      return nil
    elseif each[1] >= last then
      break
    end
    shift = each[4] - each[2]
  end
  return first + shift, last + shift
end

--- `undoing` takes the hunks out of `rows`; some may be out of `lines` already.
---@param rows string[]
---@param undoing acp.LineEdit[]
---@param lines string[]
---@return string[]?  nil: it cannot be told
function M.without(rows, undoing, lines)
  local has, lacks = stretches(lines, rows), nil
  local found, shift = {}, 0
  for _, edit in ipairs(undoing) do
    local first, last = place(has, edit[1], edit[2])
    if first then
      found[#found + 1] = { first, last, edit[3] }
    else
      lacks = lacks or stretches(lines, line_diff.apply(rows, undoing))
      if not place(lacks, edit[1] + shift, edit[1] + shift + #edit[3]) then
        return nil
      end
    end
    shift = shift + #edit[3] - (edit[2] - edit[1])
  end
  return line_diff.apply(lines, found)
end

return M
