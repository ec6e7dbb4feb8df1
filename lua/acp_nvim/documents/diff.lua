-- The line edits that make one list of lines of another, in bounded time: Neovim's own diff may take seconds for two texts
-- of many equal lines, and nobody can interrupt it.
--
--   old  a b c d e       common head: a, common tail: e; between them b c d | b X d
--   new  a b X d e       edits: { { 2, 3, { "X" } } }, rows from 0, ends exclusive
--
-- Invariant: applied to `old`, the edits make `new`; they ascend and do not touch each other.
local M = {}

---@class acp.Edit
---@field [1] integer   first row, 0-based
---@field [2] integer   behind the last row
---@field [3] string[]  the lines that take their place

local XDIFF_LINES = 8000 -- of both sides; Neovim compares so many in 10 ms, whatever they are
local xdiff = vim.text and vim.text.diff or vim.diff

--- The lines as one text. Neovim holds a NUL byte of a file as a line break within a line: it is a NUL here, else the
--- rows of the edits would be those of other lines.
---@param lines string[]
---@param first integer  1-based
---@param last integer
---@return string
local function joined(lines, first, last)
  if last < first then
    return ""
  end
  local text = table.concat(lines, "\n", first, last)
  if select(2, text:gsub("\n", "")) > last - first then
    local escaped = {}
    for i = first, last do
      escaped[i - first + 1] = lines[i]:gsub("\n", "\0")
    end
    text = table.concat(escaped, "\n")
  end
  return text .. "\n"
end

---@param edits acp.Edit[]
---@param new string[]
---@param a1 integer  first of the old lines, 1-based
---@param a2 integer  last of them
---@param b1 integer  the same of the new ones
---@param b2 integer
local function add(edits, new, a1, a2, b1, b2)
  local lines = {}
  for i = b1, b2 do
    lines[i - b1 + 1] = new[i]
  end
  edits[#edits + 1] = { a1 - 1, a2, lines }
end

--- The stretch without the lines that are the same at both ends.
---@param old string[]
---@param new string[]
---@param a1 integer
---@param a2 integer
---@param b1 integer
---@param b2 integer
---@return integer a1
---@return integer a2
---@return integer b1
---@return integer b2
local function trimmed(old, new, a1, a2, b1, b2)
  while a1 <= a2 and b1 <= b2 and old[a1] == new[b1] do
    a1, b1 = a1 + 1, b1 + 1
  end
  while a1 <= a2 and b1 <= b2 and old[a2] == new[b2] do
    a2, b2 = a2 - 1, b2 - 1
  end
  return a1, a2, b1, b2
end

--- A stretch that is small enough to be compared as it is; else it is one edit.
---@param edits acp.Edit[]
---@param old string[]
---@param new string[]
---@param a1 integer
---@param a2 integer
---@param b1 integer
---@param b2 integer
local function compare(edits, old, new, a1, a2, b1, b2)
  a1, a2, b1, b2 = trimmed(old, new, a1, a2, b1, b2)
  local gone, come = a2 - a1 + 1, b2 - b1 + 1
  if gone == 0 and come == 0 then
    return
  elseif gone == 0 or come == 0 or (gone == 1 and come == 1) or gone + come > XDIFF_LINES then
    return add(edits, new, a1, a2, b1, b2)
  end
  local options = { result_type = "indices" } ---@type table
  local hunks = xdiff(joined(old, a1, a2), joined(new, b1, b2), options) --[[@as integer[][] ]]
  for _, hunk in ipairs(hunks) do
    local first, some, start, others = unpack(hunk)
    -- where nothing is replaced, xdiff names the line before
    first, start = some == 0 and first + 1 or first, others == 0 and start + 1 or start
    local from, to = a1 + first - 1, b1 + start - 1
    add(edits, new, from, from + some - 1, to, to + others - 1)
  end
end

--- The lines that stand once in the stretch, by their text.
---@param lines string[]
---@param first integer
---@param last integer
---@return table<string, integer>  0: more than once
local function places(lines, first, last)
  local found = {} ---@type table<string, integer>
  for i = first, last do
    local line = lines[i]
    found[line] = found[line] and 0 or i
  end
  return found
end

--- The longest part of the numbers that ascends.
---@param numbers integer[]
---@return integer[]  their places in the list
local function ascending(numbers)
  local tops, before = {}, {} ---@type integer[], integer[]
  for i, number in ipairs(numbers) do
    local low, high = 1, #tops + 1
    if #tops == 0 or numbers[tops[#tops]] < number then
      low = high
    end
    while low < high do
      local middle = math.floor((low + high) / 2)
      if numbers[tops[middle]] < number then
        low = middle + 1
      else
        high = middle
      end
    end
    tops[low], before[i] = i, tops[low - 1] or 0
  end
  local found, i = {}, tops[#tops] or 0
  for n = #tops, 1, -1 do
    found[n], i = i, before[i]
  end
  return found
end

--- Lines that both sides hold exactly once, in the same order: they tell which stretches belong together.
---@param old string[]
---@param new string[]
---@param a1 integer
---@param a2 integer
---@param b1 integer
---@param b2 integer
---@return integer[] olds
---@return integer[] news
local function anchors(old, new, a1, a2, b1, b2)
  local once, others = places(old, a1, a2), places(new, b1, b2)
  local olds, news = {}, {}
  for i = a1, a2 do
    local other = others[old[i]]
    if other and other > 0 and once[old[i]] > 0 then
      olds[#olds + 1], news[#news + 1] = i, other
    end
  end
  local kept, kept_olds, kept_news = ascending(news), {}, {}
  for n, at in ipairs(kept) do
    kept_olds[n], kept_news[n] = olds[at], news[at]
  end
  return kept_olds, kept_news
end

---@param old string[]
---@param new string[]
---@return acp.Edit[]
function M.edits(old, new)
  local edits = {} ---@type acp.Edit[]
  local a1, a2, b1, b2 = trimmed(old, new, 1, #old, 1, #new)
  if a2 - a1 + b2 - b1 + 2 <= XDIFF_LINES then
    compare(edits, old, new, a1, a2, b1, b2)
    return edits
  end
  local olds, news = anchors(old, new, a1, a2, b1, b2)
  for n, at in ipairs(olds) do
    if at > a1 or news[n] > b1 then
      compare(edits, old, new, a1, at - 1, b1, news[n] - 1)
    end
    a1, b1 = at + 1, news[n] + 1
  end
  compare(edits, old, new, a1, a2, b1, b2)
  return edits
end

--- The same in the rows of a buffer. One without any line shows an empty one, which goes when a line comes.
---@param old string[]
---@param new string[]
---@return acp.Edit[]
function M.of_buffer(old, new)
  if #old == 0 then
    return #new > 0 and { { 0, 1, new } } or {}
  end
  return M.edits(old, new)
end

---@param lines string[]
---@param edits acp.Edit[]
---@return string[]
function M.apply(lines, edits)
  local result, done = {}, 0
  for _, edit in ipairs(edits) do
    for i = done + 1, edit[1] do
      result[#result + 1] = lines[i]
    end
    vim.list_extend(result, edit[3])
    done = edit[2]
  end
  for i = done + 1, #lines do
    result[#result + 1] = lines[i]
  end
  return result
end

return M
