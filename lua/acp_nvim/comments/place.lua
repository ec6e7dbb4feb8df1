-- Finds the lines of a comment: through an edit, and in a text that has changed while nobody looked.
--
--   a comment on row 2 (from 0), and an edit that replaces rows from..to-1 by n rows:
--     from 2, to 2, n 1   a line is added above     row 3
--     from 2, to 3, n 1   the line is changed       row 2, covered
--     from 2, to 3, n 0   the line is deleted       covered: the comment stands where the line was
--     from 3, to 9, n 0   lines below are deleted   row 2
local limits = require("acp_nvim.limits")

local M = {}

local FAR_LINES = limits.COMMENT_MOVED_LINES

---@class acp.CommentedLines
---@field lines string[]   the commented ones
---@field before? string   the line above them; nil: they are the first
---@field after? string

--- Moves the rows `first..last` through an edit.
---@param first integer  from 0
---@param last integer   the last one itself
---@param from integer
---@param to integer     behind the last replaced row
---@param n integer      rows that stand there now
---@return integer first
---@return integer last
---@return boolean is_covered  the edit has replaced all of the rows
function M.shift(first, last, from, to, n)
  local by = n - (to - from)
  if to <= first then
    return first + by, last + by, false
  elseif from > last then
    return first, last, false
  elseif from <= first and to > last then
    if by == 0 then
      return first, last, true
    end
    local at = math.min(first, from + math.max(n - 1, 0))
    return at, math.max(at, math.min(last, from + n - 1)), true
  elseif by == 0 then
    return first, last, false
  elseif from <= first then -- the head is replaced
    return to + by, last + by, false
  elseif to > last then -- the tail is replaced
    return first, from - 1, false
  end
  return first, last + by, false
end

---@param text string[]
---@param at integer  index in `text`
---@param lines string[]
---@return boolean
local function stand_at(text, at, lines)
  for i, line in ipairs(lines) do
    if text[at + i - 1] ~= line then
      return false
    end
  end
  return true
end

--- Finds commented lines in a text. Of several places that with the same neighbours wins, then the nearest. Lines
--- without a word, such as `}`, need a neighbour: they stand everywhere.
---@param text string[]
---@param wanted acp.CommentedLines
---@param near integer   row from 0, where they stood
---@param from? integer  rows in which they may begin; default: all of them
---@param to? integer    the last of these rows
---@return integer? row
function M.find(text, wanted, near, from, to)
  local lines = wanted.lines
  if #lines == 0 then
    return nil
  end
  local best, best_score = nil, nil
  local has_word = table.concat(lines):find("[%w\128-\255]") ~= nil
  from, to = math.max(from or 0, near - FAR_LINES, 0), math.min(to or #text, near + FAR_LINES, #text - #lines)
  for row = from, to do
    if text[row + 1] == lines[1] and stand_at(text, row + 1, lines) then
      local neighbours = (text[row] == wanted.before and 1 or 0) + (text[row + #lines + 1] == wanted.after and 1 or 0)
      local score = neighbours * 2 * FAR_LINES - math.abs(row - near)
      if (neighbours > 0 or has_word) and (not best_score or score > best_score) then
        best, best_score = row, score
      end
    end
  end
  return best
end

--- The row at which a comment stands whose lines are gone: beside the nearest of its neighbours, else where it stood.
---@param text string[]
---@param wanted acp.CommentedLines
---@param near integer
---@return integer row  one that there is
function M.nearest(text, wanted, near)
  local above = wanted.before and M.find(text, { lines = { wanted.before } }, near - 1)
  local below = wanted.after and M.find(text, { lines = { wanted.after } }, near)
  local row = below or above or near
  return math.max(0, math.min(row, #text - 1))
end

return M
