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
-- and edits. Rows count from 0, the last one is excluded; edits ascend, and all their rows are those before any of
-- them.
local diff = require("acp_nvim.documents.diff")
local text = require("acp_nvim.documents.text")

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
---@field gone? integer  how many of its old lines are dealt with

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
function M.first_from(patch, row)
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

--- The row of the text above for one of the text below; where lines differ, behind the hunks that end above it.
---@param patch acp.Patch
---@param row integer
---@return integer
function M.row_above(patch, row)
  local low, i = 1, #patch.at + 1
  while low < i do
    local middle = math.floor((low + i) / 2)
    if patch.from[middle] + #patch.old[middle] <= row then
      low = middle + 1
    else
      i = middle
    end
  end
  return i == 1 and row or row + patch.at[i - 1] + patch.n[i - 1] - patch.from[i - 1] - #patch.old[i - 1]
end

--- The edits that make of the text above the one below.
---@param patch acp.Patch
---@return acp.Edit[]
function M.undoing(patch)
  local edits = {}
  for i, at in ipairs(patch.at) do
    edits[i] = { at, at + patch.n[i], patch.old[i] }
  end
  return edits
end

--- The rows of the text below for rows beside the hunks of the text above; hunks at their edges are in them.
---@param patch acp.Patch
---@param first integer
---@param last integer
---@return integer first
---@return integer last
---@return integer i     the first hunk in them, if any is
---@return integer stop  the first hunk behind them
function M.span(patch, first, last)
  local i, offset = M.first_from(patch, first)
  local stop, behind = i, offset
  while patch.at[stop] and patch.at[stop] <= last do
    behind = patch.from[stop] + #patch.old[stop] - patch.at[stop] - patch.n[stop]
    stop = stop + 1
  end
  return first + offset, last + behind, i, stop
end

-- A walk along the hunks, which makes a patch of what is left of them -------------------------------------------------

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
  self.rest = self.rest or (p.at[i] and { at = p.at[i], n = p.n[i], from = p.from[i], old = p.old[i], gone = 0 })
  return self.rest
end

--- Goes behind the first rows of the hunk and the lines that they stand for, or behind all of it.
---@param is_kept boolean
---@param rows? integer
---@param lines? integer
function Walk:pass(is_kept, rows, lines)
  local rest = self.rest --[[@as acp.PatchHunk]]
  local old, gone = rest.old, rest.gone --[[@as integer]]
  if is_kept then
    local kept = (rows or gone > 0) and slice(old, gone + 1, rows and gone + lines or #old) or old
    add(self.new, rest.at + self.shift, rows or rest.n, rest.from + self.base_shift, kept)
  end
  if rows then ---@cast lines integer
    rest.at, rest.n, rest.from, rest.gone = rest.at + rows, rest.n - rows, rest.from + lines, gone + lines
  else
    self.rest, self.i, self.offset = nil, self.i + 1, rest.from + #old - gone - rest.at - rest.n
  end
end

--- Keeps the hunks that end above the row.
---@param row number
---@return acp.Patch
function Walk:keep_above(row)
  if self.rest and self.rest.at + self.rest.n < row then
    self:pass(true)
  end
  local p, new, stop, offset = self.patch, self.new, M.first_from(self.patch, row)
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

-- The text below takes edits ------------------------------------------------------------------------------------------

--- How many of a hunk's old lines its first rows stand for.
---@param hunk acp.PatchHunk
---@param row integer
---@return integer
local function pair(hunk, row)
  local rows, lines = row - hunk.at, #hunk.old - hunk.gone
  return rows == hunk.n and lines or math.min(rows, lines)
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
  return hunk and hunk.at == row and hunk.from or row + self.offset
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
  local rest = self.rest --[[@as acp.PatchHunk]]
  local old = rest.gone > 0 and slice(rest.old, rest.gone + 1) or rest.old
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
    local row, i = first, M.first_from(patch, first + 1)
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
    local i, offset = M.first_from(patch, first)
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

-- The text below does not take edits ----------------------------------------------------------------------------------

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

--- The lines as one edit, if they are not the same.
---@param old string[]
---@param new string[]
---@return acp.Edit[]
local function differing(old, new)
  return text.same_lines(old, new) and {} or { { 0, #old, new } }
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
    local is_alone = #met == 0 and #some == 1 -- an edit is what differs already
    for _, each in ipairs(is_alone and differing(old, new) or diff.edits(old, new)) do
      local row, stop, more = each[1], each[2], each[3]
      add(self.new, begin + self.shift + row + grown, #more, begin + offset + row, slice(old, row + 1, stop))
      grown = grown + #more - (stop - row)
    end
    self.shift = self.shift + #new - (last - begin)
  end
  return self:keep_above(math.huge)
end

--- Replaces what both texts have in these rows, whose edges no hunk crosses, and compares them again.
---@param patch acp.Patch
---@param first integer  rows of the text above
---@param last integer
---@param old string[]   what the text below has there now
---@param new string[]   what the text above has
---@return acp.Patch
function M.put(patch, first, last, old, new)
  local low, high, i, stop = M.span(patch, first, last)
  local result, grown = M.new(), 0
  for k = 1, i - 1 do
    add(result, patch.at[k], patch.n[k], patch.from[k], patch.old[k])
  end
  for _, each in ipairs(diff.edits(old, new)) do
    add(result, first + each[1] + grown, #each[3], low + each[1], slice(old, each[1] + 1, each[2]))
    grown = grown + #each[3] - (each[2] - each[1])
  end
  local shift, base_shift = #new - (last - first), #old - (high - low)
  for k = stop, #patch.at do
    add(result, patch.at[k] + shift, patch.n[k], patch.from[k] + base_shift, patch.old[k])
  end
  return result
end

-- The text below changes, and the one above keeps its own -------------------------------------------------------------

--- How many of an edit's lines stand for its first rows.
---@param edit acp.Edit
---@param row integer
---@return integer
local function paired(edit, row)
  return row == edit[2] and #edit[3] or math.min(row - edit[1], #edit[3])
end

--- Edits of the text below are carried up: what they change beside the hunks the text above takes; in a hunk they
--- change what its lines stand for.
---
---   above  a X c d      an edit makes of b c below: U V      above  a X V d
---   below  a b c d      X stands for b                       below  a U V d
---@param patch acp.Patch
---@param edits acp.Edit[]  of the text below
---@param lines string[]    above, before them
---@return acp.Edit[]  of the text above
---@return acp.Patch
function M.up(patch, edits, lines)
  local new, above, i = M.new(), {}, 1
  local shift, base_shift, offset = 0, 0, 0 -- offset: rows that the text above is further on
  local rest = nil ---@type acp.PatchHunk?

  local function above_lines(k)
    return slice(lines, patch.at[k] + 1, patch.at[k] + patch.n[k])
  end

  --- Puts away what has become of a hunk; its lines may be the same by now.
  local function finish()
    if rest then
      local news, grown = slice(lines, rest.at + 1, rest.at + rest.n), 0
      local at, from = rest.at + shift, rest.from
      for _, each in ipairs(diff.edits(rest.old, news)) do
        add(new, at + each[1] + grown, #each[3], from + each[1], slice(rest.old, each[1] + 1, each[2]))
        grown = grown + #each[3] - (each[2] - each[1])
      end
      rest = nil
    end
  end

  --- The next hunk that ends at the row or below it; those before are as they were.
  ---@param row number
  ---@param is_inclusive boolean  one that ends at the row has to come as well
  local function hunk_at(row, is_inclusive)
    while patch.at[i] do
      local stop = patch.from[i] + #patch.old[i]
      if stop > row or (is_inclusive and stop == row) then
        return i
      end
      if not rest then
        add(new, patch.at[i] + shift, patch.n[i], patch.from[i] + base_shift, patch.old[i])
      end
      finish()
      offset, i = patch.at[i] + patch.n[i] - stop, i + 1
    end
  end

  --- The text above takes a part of an edit.
  local function take(first, last, some)
    if first < last or #some > 0 then
      above[#above + 1] = { first + offset, last + offset, some }
    end
    shift, base_shift = shift + #some - (last - first), base_shift + #some - (last - first)
  end

  --- The hunk's old lines from one row to another become these.
  local function put_inside(k, first, last, some)
    if not rest then
      rest = { at = patch.at[k], n = patch.n[k], from = patch.from[k] + base_shift, old = slice(patch.old[k]) }
      rest.begin = patch.from[k] -- rows of the edits, less what came before in this hunk
    end
    local row = first - rest.begin
    local old = slice(rest.old, 1, row)
    vim.list_extend(vim.list_extend(old, some), rest.old, row + last - first + 1)
    rest.old, rest.begin = old, rest.begin - (#some - (last - first))
    base_shift = base_shift + #some - (last - first)
  end

  for _, edit in ipairs(edits) do
    local first, last, some = edit[1], edit[2], edit[3]
    local k = hunk_at(first, first == last)
    if first == last then
      local from = k and patch.from[k]
      local is_inside = k and from < first and first < from + #patch.old[k]
      local is_known = k and not is_inside and #patch.old[k] == 0 and found_in(above_lines(k), some)
      if is_inside or is_known then
        put_inside(k, first, first, some)
      else
        hunk_at(first, k and from == first and #patch.old[k] > 0 or false)
        take(first, first, some)
      end
    end
    local row, done = first, 0
    while first < last and row < last do
      k = hunk_at(row, false)
      local from = k and patch.from[k] or math.huge
      local stop = math.min(from, last)
      if row < stop then
        local n = paired(edit, stop)
        take(row, stop, slice(some, done + 1, n))
        row, done = stop, n
      end
      if k and row < last and from <= row then
        stop = math.min(from + #patch.old[k], last)
        local n = paired(edit, stop)
        put_inside(k, row, stop, slice(some, done + 1, n))
        row, done = stop, n
        if row == from + #patch.old[k] then
          hunk_at(row, false)
        end
      end
    end
  end
  hunk_at(math.huge, false)
  return above, new
end

-- A stack of texts, each a patch of the one above it ------------------------------------------------------------------

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
