-- Finds the bytes of a line that change, word by word, so that cursors, marks and extmarks between two changed words stay.
--
--   old  sum = price * rate
--   new  sum = cost * rates
--   parts  { 6, 11, "cost" }  price becomes cost        { 18, 18, "s" }  of rate only the end differs
--
-- Invariant: applied from the last part to the first, they make `new` of `old`; no part cuts a character in two.
local limits = require("acp_nvim.limits")

local M = {}

---@class acp.LinePart
---@field [1] integer  first byte, from 0
---@field [2] integer  behind the last byte
---@field [3] string   the bytes that take their place

local xdiff = vim.text and vim.text.diff or vim.diff

--- Counts the bytes that are equal at the start, without a character that is only begun.
---@param old string
---@param new string
---@return integer
local function common_start(old, new)
  local n, least = 0, math.min(#old, #new)
  while n < least and old:byte(n + 1) == new:byte(n + 1) do
    n = n + 1
  end
  return n + math.min(vim.str_utf_start(old .. "\n", n + 1), vim.str_utf_start(new .. "\n", n + 1))
end

--- Counts the bytes that are equal at the end, behind `start`, without the rest of a character.
---@param old string
---@param new string
---@param start integer
---@return integer
local function common_end(old, new, start)
  local n, least = 0, math.min(#old, #new) - start
  while n < least and old:byte(#old - n) == new:byte(#new - n) do
    n = n + 1
  end
  while n > 0 and vim.str_utf_start(old, #old - n + 1) ~= 0 do
    n = n - 1
  end
  return n
end

--- Splits a text into words, and what stands between them character by character.
---@param text string
---@return string[]
local function tokens(text)
  local found = {}
  for word, other in text:gmatch("([%w_\128-\255]*)([^%w_\128-\255]?)") do
    found[#found + 1] = word ~= "" and word or nil
    found[#found + 1] = other ~= "" and other or nil
  end
  return found
end

--- Returns how many bytes are before each token, and before one more.
---@param list string[]
---@return integer[]
local function offsets(list)
  local sums = { 0 }
  for i, token in ipairs(list) do
    sums[i + 1] = sums[i] + #token
  end
  return sums
end

--- Returns the stretches of tokens that differ.
---@param old string
---@param new string
---@return integer[][]  { start, end of the old, start, end of the new }: bytes, ends exclusive
local function differing_words(old, new)
  local olds, news = tokens(old), tokens(new)
  local function one_per_line(list)
    return #list > 0 and table.concat(list, "\n") .. "\n" or ""
  end
  local hunks = xdiff(one_per_line(olds), one_per_line(news), { result_type = "indices" }) --[[@as integer[][] ]]
  local before, after = offsets(olds), offsets(news)
  return vim.tbl_map(function(hunk)
    -- where nothing is replaced, xdiff names the token before
    local from = hunk[2] == 0 and hunk[1] + 1 or hunk[1]
    local to = hunk[4] == 0 and hunk[3] + 1 or hunk[3]
    return { before[from], before[from + hunk[2]], after[to], after[to + hunk[4]] }
  end, hunks)
end

--- Returns the parts of a line that change.
---@param old string
---@param new string
---@param by_words boolean  false: one part, from the first change to the last
---@return acp.LinePart[]
function M.parts(old, new, by_words)
  if old == new then
    return {}
  end
  local is_long = math.max(#old, #new) > limits.WORDS_LINE_BYTES
  local stretches = (by_words and not is_long) and differing_words(old, new) or { { 0, #old, 0, #new } }
  return vim.tbl_map(function(stretch)
    local mine, theirs = old:sub(stretch[1] + 1, stretch[2]), new:sub(stretch[3] + 1, stretch[4])
    local start = common_start(mine, theirs)
    local rest = common_end(mine, theirs, start)
    return { stretch[1] + start, stretch[2] - rest, theirs:sub(start + 1, #theirs - rest) }
  end, stretches)
end

return M
