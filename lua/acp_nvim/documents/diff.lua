-- Computes the line edits that make one list of lines of another, in bounded time.
--
--   old  a b c d e       common head: a, common tail: e; between them b c d | b X d
--   new  a b X d e       edits: { { 2, 3, { "X" } } }, rows from 0, ends exclusive
--
-- Neovim's own diff compares the lines between head and tail. For large texts that would take up to a second, which
-- nobody can interrupt, so `search` walks through both texts instead. At each difference it does one of two things:
--
--   gap      both texts are equal again a few lines further down: the few lines before are compared alone
--   window   they are not: the next lines of both, up to a limit, are compared, and the last difference in them is left
--            for the next window, as it may go on there
--
-- The number of windows and of edits is limited. Above the limit one edit stands for all.
--
-- Invariant: applied to `old`, the edits make `new`; they ascend and do not touch each other.
local limits = require("acp_nvim.limits")

local M = {}

---@class acp.Edit
---@field [1] integer   first row, 0-based
---@field [2] integer   behind the last row
---@field [3] string[]  the lines that take their place

local NEAR = 12 -- lines of both sides within which a small change is over
local SURE = 4 -- lines that must be the same there
local xdiff = vim.text and vim.text.diff or vim.diff

--- Joins lines to one text. Vim's functions, unlike the API, have a NUL byte as a line break within a line. It becomes
--- a NUL again: else the rows of the edits would be those of other lines, and a merge would lose text.
---@param lines string[]
---@param first integer  1-based
---@param last integer
---@return string
local function joined(lines, first, last)
  local part = {}
  for i = first, last do
    local line = lines[i]
    part[i - first + 1] = line:find("\n", 1, true) and line:gsub("\n", "\0") or line
  end
  return table.concat(part, "\n") .. "\n"
end

--- Returns the stretches in which two ranges of lines differ, found by Neovim's diff.
---@param old string[]
---@param new string[]
---@param a1 integer  first of the old lines, 1-based
---@param a2 integer  last of them
---@param b1 integer  the same of the new ones
---@param b2 integer
---@return integer[][]  { a1, a2, b1, b2 } each; where one side has no line, its last is before its first
local function stretches(old, new, a1, a2, b1, b2)
  if a1 > a2 or b1 > b2 or (a1 == a2 and b1 == b2) then
    return { { a1, a2, b1, b2 } }
  end
  local hunks = xdiff(joined(old, a1, a2), joined(new, b1, b2), { result_type = "indices" }) --[[@as integer[][] ]]
  for _, hunk in ipairs(hunks) do
    local first, some, start, others = hunk[1], hunk[2], hunk[3], hunk[4]
    -- where nothing is replaced, xdiff names the line before
    first, start = some == 0 and first + 1 or first, others == 0 and start + 1 or start
    hunk[1], hunk[2] = a1 + first - 1, a1 + first + some - 2
    hunk[3], hunk[4] = b1 + start - 1, b1 + start + others - 2
  end
  return hunks
end

--- Finds where both texts are equal again for SURE lines, at most NEAR lines further down. Returns the lines before it.
---
---   old  a b c d e …    from a and X on: skipping 1 old and 2 new lines, b c d e is in both
---   new  X Y b c d e    returns the rows of a and of Y
---@param old string[]
---@param new string[]
---@param a integer
---@param last_a integer
---@param b integer
---@param last_b integer
---@return integer? end_a  nil: they do not
---@return integer? end_b
local function before_meeting(old, new, a, last_a, b, last_b)
  for far = 1, NEAR do
    for skipped = 0, far do
      local i, j, same = a + skipped, b + far - skipped, 0
      local most = math.min(SURE, last_a - i + 1, last_b - j + 1)
      while same < most and old[i + same] == new[j + same] do
        same = same + 1
      end
      if same == SURE then
        return i - 1, j - 1
      end
    end
  end
end

--- Returns the stretches of two ranges of any size that begin with different lines.
---@param old string[]
---@param new string[]
---@param a integer
---@param last_a integer
---@param b integer
---@param last_b integer
---@return integer[][]? found  nil: there are too many, or the search takes too long
local function search(old, new, a, last_a, b, last_b)
  local found, windows, size = {}, 0, limits.DIFF_LINES / 2
  while a <= last_a or b <= last_b do
    local end_a, end_b = before_meeting(old, new, a, last_a, b, last_b)
    local is_window = not end_a
    if is_window then
      windows, end_a, end_b = windows + 1, math.min(last_a, a + size - 1), math.min(last_b, b + size - 1)
    end
    local some = stretches(old, new, a, end_a, b, end_b)
    if windows > limits.DIFF_WINDOWS or #found + #some > limits.DIFF_EDITS then
      return nil
    end
    local last = some[#some]
    local is_cut = is_window and last[2] == end_a and (end_a < last_a or end_b < last_b)
    if is_cut and last[1] == a and last[3] == b then -- nothing in common: no window further down would say more
      found[#found + 1] = { a, last_a, b, last_b }
      return found
    elseif is_cut then
      some[#some] = nil
      a, b = last[1], last[3]
    else
      a, b = end_a + 1, end_b + 1
    end
    vim.list_extend(found, some)
    while a <= last_a and b <= last_b and old[a] == new[b] do
      a, b = a + 1, b + 1
    end
  end
  return found
end

--- Returns the edits that make `new` of `old`.
---@param old string[]
---@param new string[]
---@return acp.Edit[]
---@return boolean? is_capped  there are too many: one edit stands for all
function M.edits(old, new)
  local a, b, last_a, last_b = 1, 1, #old, #new
  while a <= last_a and b <= last_b and old[a] == new[b] do
    a, b = a + 1, b + 1
  end
  while a <= last_a and b <= last_b and old[last_a] == new[last_b] do
    last_a, last_b = last_a - 1, last_b - 1
  end
  if a > last_a and b > last_b then
    return {}
  end
  local is_small = last_a - a + last_b - b + 2 <= limits.DIFF_LINES
  local found = (is_small and stretches or search)(old, new, a, last_a, b, last_b)
  local edits = {} ---@type acp.Edit[]
  for i, each in ipairs(found or { { a, last_a, b, last_b } }) do
    local lines = {}
    for row = each[3], each[4] do
      lines[row - each[3] + 1] = new[row]
    end
    edits[i] = { each[1] - 1, each[2], lines }
  end
  return edits, not found or nil
end

--- Returns the edits in rows of a buffer. A buffer without lines shows an empty row, which the first line replaces.
---@param old string[]
---@param new string[]
---@return acp.Edit[]
---@return boolean? is_capped
function M.of_buffer(old, new)
  if #old == 0 then
    return #new > 0 and { { 0, 1, new } } or {}
  end
  return M.edits(old, new)
end

--- Splits a line into words, and what stands between them character by character.
---@param line string
---@return string[] words
---@return integer[] starts  the bytes before each, and the length of the line
local function words_of(line)
  local words, starts, at = {}, { 0 }, 1
  while at <= #line do
    words[#words + 1] = line:match("^[%w_\128-\255]+", at) or line:sub(at, at)
    at = at + #words[#words]
    starts[#words + 1] = at - 1
  end
  return words, starts
end

--- Counts the bytes that are equal at the start and, behind those, at the end of two texts, in whole characters.
---@param old string
---@param new string
---@return integer head
---@return integer tail
local function common(old, new)
  local head, tail, least = 0, 0, math.min(#old, #new)
  while head < least and old:byte(head + 1) == new:byte(head + 1) do
    head = head + 1
  end
  head = head + math.min(vim.str_utf_start(old .. "\n", head + 1), vim.str_utf_start(new .. "\n", head + 1))
  while tail < least - head and old:byte(#old - tail) == new:byte(#new - tail) do
    tail = tail + 1
  end
  while tail > 0 and vim.str_utf_start(old, #old - tail + 1) ~= 0 do
    tail = tail - 1
  end
  return head, tail
end

--- Returns the bytes of a line that change, word by word, so that what stands between two changed words can stay.
---
---   old  sum = price * rate     { { 6, 11, "cost" }, { 18, 18, "s" } }     of rate only the end differs
---   new  sum = cost * rates
---@param old string
---@param new string
---@return [integer, integer, string][]  first byte from 0, behind the last one, the bytes that take their place
function M.of_line(old, new)
  local words, starts = { old }, { 0, #old }
  local news = { new }
  if math.max(#old, #new) <= limits.WORDS_LINE_BYTES then
    words, starts = words_of(old)
    news = words_of(new)
  end
  return vim.tbl_map(function(edit)
    local first, last, text = starts[edit[1] + 1], starts[edit[2] + 1], table.concat(edit[3])
    local head, tail = common(old:sub(first + 1, last), text)
    return { first + head, last - tail, text:sub(head + 1, #text - tail) }
  end, (M.edits(words, news)))
end

--- Splits an edit into smaller ones that leave out the lines it does not change. Rows are those of the whole text.
---@param lines string[]  the whole text before
---@param edit acp.Edit
---@return acp.Edit[]
function M.refined(lines, edit)
  local finer = M.edits(vim.list_slice(lines, edit[1] + 1, edit[2]), edit[3])
  for _, each in ipairs(finer) do
    each[1], each[2] = each[1] + edit[1], each[2] + edit[1]
  end
  return finer
end

--- Returns the lines with the edits carried out.
---@param lines string[]
---@param edits acp.Edit[]
---@return string[]
function M.apply(lines, edits)
  local result, done = {}, 0
  for _, edit in ipairs(edits) do
    for i = done + 1, edit[1] do
      result[#result + 1] = lines[i]
    end
    for _, line in ipairs(edit[3]) do
      result[#result + 1] = line
    end
    done = edit[2]
  end
  for i = done + 1, #lines do
    result[#result + 1] = lines[i]
  end
  return result
end

return M
