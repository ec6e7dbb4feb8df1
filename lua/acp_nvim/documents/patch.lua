-- Says how one text differs from another one: a text is kept as a patch of the text above it.
--
--   above   a X Y c d      below   a b c d      the patch: rows 1 and 2 stand for { b }, which is at row 1 below
--
-- Edits of the text above are carried down: the text below takes them (`down`), or it stays as it is, and differs by
-- them as well (`absorb`). Where lines differ they pair by position: old lines beyond the new ones belong to the last
-- pair, new ones beyond the old have no partner.
--
-- Which lines stand for which is remembered: only a place that an agent has written is compared again. A patch is never
-- altered, so that states of the undo tree share it, and most of it is shared with the next one. All is linear in hunks
-- and edits. Rows count from 0, the last one is excluded; edits ascend, and all their rows are those before any of them.
local diff = require("acp_nvim.documents.diff")

local M = {}

---@class acp.Patch  hunks, ascending; no two of them touch
---@field at integer[]     where a hunk begins in the text above
---@field n integer[]      how many lines it has there
---@field from integer[]   where it begins in the text below
---@field old string[][]   its lines there

---@class acp.PatchHunk
---@field at integer
---@field n integer
---@field from integer
---@field old string[]

local slice = vim.list_slice

---@return acp.Patch
function M.new()
  return { at = {}, n = {}, from = {}, old = {} }
end

--- The first hunk that ends at the row or below it, and how many rows further on the text below is above that.
---@param patch acp.Patch
---@param row number
---@return integer
---@return integer offset
local function first_from(patch, row)
  local low, i = 1, #patch.at + 1
  while low < i do
    local middle = math.floor((low + i) / 2)
    if patch.at[middle] + patch.n[middle] < row then
      low = middle + 1
    else
      i = middle
    end
  end
  return i, i == 1 and 0 or patch.from[i - 1] + #patch.old[i - 1] - patch.at[i - 1] - patch.n[i - 1]
end

--- Adds a hunk. Hunks that touch are one.
---@param patch acp.Patch  under construction
---@param at integer
---@param n integer
---@param from integer
---@param old string[]
local function add(patch, at, n, from, old)
  local i = #patch.at
  if i > 0 and patch.at[i] + patch.n[i] == at then
    patch.n[i], patch.old[i] = patch.n[i] + n, vim.list_extend(slice(patch.old[i]), old)
  elseif n + #old > 0 then
    patch.at[i + 1], patch.n[i + 1], patch.from[i + 1], patch.old[i + 1] = at, n, from, old
  end
end

--- The text below.
---@param patch acp.Patch
---@param lines string[]  above
---@return string[]
function M.below(patch, lines)
  local result, row = {}, 0
  for i, at in ipairs(patch.at) do
    vim.list_extend(result, lines, row + 1, at)
    vim.list_extend(result, patch.old[i])
    row = at + patch.n[i]
  end
  return vim.list_extend(result, lines, row + 1)
end

--- The patch of two texts, found by comparing them.
---@param above string[]
---@param below string[]
---@return acp.Patch
function M.between(above, below)
  local new, grown = M.new(), 0
  for _, edit in ipairs(diff.edits(above, below)) do
    add(new, edit[1], edit[2] - edit[1], edit[1] + grown, edit[3])
    grown = grown + #edit[3] - (edit[2] - edit[1])
  end
  return new
end

-- A walk along the hunks, which makes a patch of what is left of them ---------------------------------------------------

---@class acp.PatchWalk
---@field patch acp.Patch
---@field new acp.Patch
---@field i integer           the next hunk
---@field rest? acp.PatchHunk  what is left of it
---@field shift integer       rows that the text above has gained
---@field base_shift integer  rows that the text below has gained
---@field offset integer      rows that the text below is further on, where the walk is
local Walk = {}
Walk.__index = Walk

---@param patch acp.Patch
---@return acp.PatchWalk
local function walk(patch)
  return setmetatable({ patch = patch, new = M.new(), i = 1, shift = 0, base_shift = 0, offset = 0 }, Walk)
end

--- The next hunk, or what is left of it.
---@return acp.PatchHunk?
function Walk:hunk()
  local p, i = self.patch, self.i
  self.rest = self.rest or (p.at[i] and { at = p.at[i], n = p.n[i], from = p.from[i], old = p.old[i] })
  return self.rest
end

--- Goes behind the first rows of the hunk and the lines that they stand for, or behind all of it.
---@param is_kept boolean
---@param rows? integer
---@param lines? integer
function Walk:pass(is_kept, rows, lines)
  local at, n, from, old = self.rest.at, self.rest.n, self.rest.from, self.rest.old
  if is_kept then
    add(self.new, at + self.shift, rows or n, from + self.base_shift, lines and slice(old, 1, lines) or old)
  end
  if rows then ---@cast lines integer
    self.rest = { at = at + rows, n = n - rows, from = from + lines, old = slice(old, lines + 1) }
  else
    self.rest, self.i, self.offset = nil, self.i + 1, from + #old - at - n
  end
end

--- Keeps the hunks that end above the row.
---@param row number
---@return acp.Patch
function Walk:keep_above(row)
  if self.rest and self.rest.at + self.rest.n < row then
    self:pass(true)
  end
  local p, new, stop, offset = self.patch, self.new, first_from(self.patch, row)
  if not self.rest and self.i < stop then
    self:hunk()
    self:pass(true) -- it may touch what is left of the last one
    local grown = #new.at + 1 - self.i
    for i = self.i, stop - 1 do
      new.at[i + grown], new.from[i + grown] = p.at[i] + self.shift, p.from[i] + self.base_shift
      new.n[i + grown], new.old[i + grown] = p.n[i], p.old[i]
    end
    self.i, self.offset = stop, offset
  end
  return new
end

-- The text below takes edits --------------------------------------------------------------------------------------------

--- How many of a hunk's old lines its first rows stand for.
---@param hunk acp.PatchHunk
---@param row integer
---@return integer
local function pair(hunk, row)
  local rows = row - hunk.at
  return rows == hunk.n and #hunk.old or math.min(rows, #hunk.old)
end

--- The row of the text below where an edit begins. What a hunk has above is kept.
---@param self acp.PatchWalk
---@param row integer
---@param is_closed? boolean
---@return integer
local function begin_at(self, row, is_closed)
  local hunk = self:hunk()
  if hunk and hunk.at <= row and hunk.n == 0 and is_closed then
    self:pass(false)
    return hunk.from
  elseif hunk and hunk.at + hunk.n == row and hunk.at <= row then
    self:pass(true)
  elseif hunk and hunk.at < row then
    self:pass(true, row - hunk.at, pair(hunk, row))
  end
  return self.rest and self.rest.at == row and self.rest.from or row + self.offset
end

--- The row of the text below where an edit ends. What hunks have above is gone.
---@param self acp.PatchWalk
---@param row integer
---@param is_closed? boolean
---@return integer
local function end_at(self, row, is_closed)
  local hunk = self:hunk()
  while hunk and (hunk.at < row or (is_closed and hunk.at == row and hunk.n == 0)) do
    if hunk.at + hunk.n > row then
      self:pass(false, row - hunk.at, pair(hunk, row))
      return self.rest.from
    end
    self:pass(false)
    hunk = self:hunk()
  end
  return row + self.offset
end

--- Where the lines are among the hidden ones.
---@param hidden string[]
---@param lines string[]
---@return integer?
local function found_in(hidden, lines)
  for i = 0, #hidden - #lines do
    local same = 0
    while same < #lines and hidden[i + same + 1] == lines[same + 1] do
      same = same + 1
    end
    if same == #lines then
      return i
    end
  end
end

--- What is typed where lines are hidden comes below them, unless it is some of them, typed again.
---@param self acp.PatchWalk
---@param lines string[]
---@param below acp.Edit[]
local function type_behind(self, lines, below)
  local old = self.rest.old
  local found = found_in(old, lines)
  self:pass(true, 0, found or #old)
  self.shift = self.shift + #lines
  if found then
    self:pass(false, 0, #lines)
    self:pass(true)
  else
    below[#below + 1] = { self.rest.from, self.rest.from, lines }
    self.base_shift = self.base_shift + #lines
    self:pass(false)
  end
end

--- n lines for n are n edits, so that what is hidden between them stays. Beside hunks that makes no difference.
---@param patch acp.Patch
---@param edits acp.Edit[]
---@return acp.Edit[]
local function split(patch, edits)
  local parts = {}
  for _, edit in ipairs(edits) do
    local first, last, lines = edit[1], edit[2], edit[3]
    local row, i = first, first_from(patch, first + 1)
    local function cut(stop)
      parts[#parts + 1] = stop > row and { row, stop, slice(lines, row - first + 1, stop - first) } or nil
      row = math.max(row, stop)
    end
    while last - first == #lines and patch.at[i] and patch.at[i] < last do
      for stop = patch.at[i], math.min(last, patch.at[i] + patch.n[i]) do
        cut(stop)
      end
      i = i + 1
    end
    if row == first then
      parts[#parts + 1] = edit
    else
      cut(last)
    end
  end
  return parts
end

--- The patch with the hunks from `i` on shifted. Most of it is shared.
---@param patch acp.Patch
---@param i integer
---@param by integer
---@return acp.Patch
local function shifted(patch, i, by)
  if by == 0 or i > #patch.at then
    return patch
  end
  local new = { at = {}, n = patch.n, from = {}, old = patch.old }
  for k = 1, #patch.at do
    new.at[k], new.from[k] = patch.at[k] + (k < i and 0 or by), patch.from[k] + (k < i and 0 or by)
  end
  return new
end

--- Both texts take edits of the one above.
---@param patch acp.Patch
---@param edits acp.Edit[]
---@param is_closed? boolean  they decide on hunks, whose hidden lines are their business
---@return acp.Patch
---@return acp.Edit[]  of the text below
function M.down(patch, edits, is_closed)
  local below, self = {}, walk(patch)
  for _, edit in ipairs(is_closed and edits or split(patch, edits)) do
    local first, last, lines = edit[1], edit[2], edit[3]
    local i, offset = first_from(patch, first)
    if #edits == 1 and (not patch.at[i] or patch.at[i] > last) then -- most keys of a user
      return shifted(patch, i, #lines - (last - first)), { { first + offset, last + offset, lines } }
    end
    self:keep_above(first)
    local hunk = self:hunk()
    if hunk and hunk.at == first and hunk.n == 0 and first == last and not is_closed then
      type_behind(self, lines, below)
    else
      local low = begin_at(self, first, is_closed)
      local high = (first < last or is_closed) and end_at(self, last, is_closed) or low
      below[#below + 1] = { low, high, lines }
      self.shift, self.base_shift = self.shift + #lines - (last - first), self.base_shift + #lines - (high - low)
    end
  end
  return self:keep_above(math.huge), below
end

-- The text below does not take edits ------------------------------------------------------------------------------------

--- The lines, from one row to another, with edits carried out.
---@param lines string[]
---@param first integer
---@param last integer
---@param edits acp.Edit[]
---@return string[]
local function with(lines, first, last, edits)
  local result = {}
  for _, edit in ipairs(edits) do
    vim.list_extend(vim.list_extend(result, lines, first + 1, edit[1]), edit[3])
    first = edit[2]
  end
  return vim.list_extend(result, lines, first + 1, last)
end

--- Only the text above takes its edits.
---@param patch acp.Patch
---@param edits acp.Edit[]
---@param lines string[]  above, before the edits
---@return acp.Patch
function M.absorb(patch, edits, lines)
  local self, e = walk(patch), 1
  while edits[e] do
    self:keep_above(edits[e][1])
    local hunk, some, met, last, offset = self:hunk(), {}, {}, edits[e][2], self.offset
    local begin = math.min(edits[e][1], hunk and hunk.at or math.huge)
    while (hunk and hunk.at <= last) or (edits[e] and edits[e][1] <= last) do
      if hunk and hunk.at <= last then
        last, met[#met + 1] = math.max(last, hunk.at + hunk.n), { hunk.at, hunk.at + hunk.n, hunk.old }
        self:pass(false)
        hunk = self:hunk()
      else
        last, some[#some + 1], e = math.max(last, edits[e][2]), edits[e], e + 1
      end
    end
    local old, new, grown = with(lines, begin, last, met), with(lines, begin, last, some), 0
    for _, each in ipairs(diff.edits(old, new)) do
      local row, stop, more = each[1], each[2], each[3]
      add(self.new, begin + self.shift + row + grown, #more, begin + offset + row, slice(old, row + 1, stop))
      grown = grown + #more - (stop - row)
    end
    self.shift = self.shift + #new - (last - begin)
  end
  return self:keep_above(math.huge)
end

-- The text above takes edits of the one below --------------------------------------------------------------------------

--- The row above where lines are inserted that the text below gets at this row.
---@param patch acp.Patch
---@param i integer        the first hunk that ends there or further down
---@param offset integer   rows that the text above is further on, above that hunk
---@param row integer
---@param new string[]
---@param lines string[]   above
---@return integer?  nil: nowhere, as it is in the middle of a hunk, or the hunk has these lines
local function insertion_row(patch, i, offset, row, new, lines)
  local at, from = patch.at[i], patch.from[i]
  local stop = at and from + #patch.old[i]
  if not at or row < from or (row == from and from < stop) then
    return row + offset
  elseif row < stop or (from == stop and found_in(slice(lines, at + 1, at + patch.n[i]), new)) then
    return nil
  end
  return at + patch.n[i]
end

--- Edits of the text below, as edits of the one above. What that has of its own stays: only the parts of an edit beside
--- the hunks count.
---
---   below  a b c d     above  a X c d     B C of b c makes of the text above  a X C d
---@param patch acp.Patch
---@param edits acp.Edit[]
---@param lines string[]  above
---@return acp.Edit[]
function M.up(patch, edits, lines)
  local above, i, offset = {}, 1, 0
  local function stop_of(hunk)
    return patch.from[hunk] + #patch.old[hunk]
  end
  for _, edit in ipairs(edits) do
    local first, last, new = edit[1], edit[2], edit[3]
    while patch.at[i] and stop_of(i) < first do
      i, offset = i + 1, patch.at[i] + patch.n[i] - stop_of(i)
    end
    if first == last then
      local row = insertion_row(patch, i, offset, first, new, lines)
      above[#above + 1] = row and { row, row, new }
    else
      local row, k, shift = first, i, offset
      local function keep_to(stop)
        if row < stop then
          local rest = stop == last and #new or math.min(stop - first, #new)
          above[#above + 1] = { row + shift, stop + shift, slice(new, math.min(row - first, #new) + 1, rest) }
        end
      end
      while patch.at[k] and patch.from[k] < last do
        if stop_of(k) > first then
          keep_to(patch.from[k])
          row = stop_of(k)
        end
        k, shift = k + 1, patch.at[k] + patch.n[k] - stop_of(k)
      end
      keep_to(last)
    end
  end
  return above
end

-- A stack of texts, each a patch of the one above it --------------------------------------------------------------------

--- The highest text takes edits, and those below it, down to one that does not.
---@param patches acp.Patch[]  the highest last
---@param edits acp.Edit[]
---@param stays? integer  the patch whose text below does not take them; nil: all take them
---@param lines? string[]  above that patch, before the edits
---@param is_closed? boolean
---@return acp.Patch[]
function M.edit(patches, edits, stays, lines, is_closed)
  local new = slice(patches)
  for i = #patches, stays and stays + 1 or 1, -1 do
    new[i], edits = M.down(patches[i], edits, is_closed)
  end
  if stays then
    new[stays] = M.absorb(patches[stays], edits, lines --[[@as string[] ]])
  end
  return new
end

return M
