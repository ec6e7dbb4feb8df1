-- Merges in three ways: combines what two sides have made of the same lines. A line belongs to the side that has
-- changed it.
--
--   base    a b c d        mine  a B c d        theirs  a b c D E
--   edits of mine { 1, 2, B }, of theirs { 3, 4, D E }: nothing touches, the merge is a B c D E
--
--   base    a b c d        mine  a B c d        theirs  a X c D
--   both have changed b: an overlap, for the user to decide; D is taken over in either case
--
-- Edits that replace n lines by n pair them by position, so that neighbouring lines are disjoint. Invariant: without an
-- overlap the result holds each line that a side has made, and none that a side has taken out.
local diff = require("acp_nvim.documents.diff")
local text = require("acp_nvim.documents.text")

local M = {}

---@class acp.Overlap
---@field first integer  of the base, 0-based
---@field last integer   exclusive
---@field mine string[]
---@field theirs string[]

---@param edits acp.Edit[]
---@param is_capped? boolean  lines that are the same may be among those of the edit: their places tell nothing
---@param side "mine"|"theirs"
---@param into table[]
local function by_line(edits, is_capped, side, into)
  for _, edit in ipairs(edits) do
    local first, last, lines = edit[1], edit[2], edit[3]
    if last - first == #lines and #lines > 1 and not is_capped then
      for n, line in ipairs(lines) do
        into[#into + 1] = { first + n - 1, first + n, { line }, side = side }
      end
    else
      into[#into + 1] = { first, last, lines, side = side }
    end
  end
end

---@param edit acp.Edit
---@return boolean
local function grows(edit)
  return #edit[3] > edit[2] - edit[1]
end

--- Whether two edits touch; `one` begins first. New lines of both sides in one gap touch, as nobody knows their order.
--- A changed line beside a new one does not.
---@param one acp.Edit
---@param other acp.Edit
---@return boolean
local function touch(one, other)
  if one[2] ~= other[1] then
    return one[2] > other[1]
  end
  local inserts = one[1] == one[2] or other[1] == other[2]
  return inserts and grows(one) and grows(other)
end

--- A place where edits of both sides touch, or one edit alone.
---@class acp.MergePlace
---@field first integer
---@field last integer
---@field mine acp.Edit[]
---@field theirs acp.Edit[]

---@param edits table[]  of both sides, ascending
---@return acp.MergePlace[]
local function places(edits)
  local found = {} ---@type acp.MergePlace[]
  local place ---@type acp.MergePlace?
  for _, edit in ipairs(edits) do
    local others = place and place[edit.side == "mine" and "theirs" or "mine"]
    if not place or not (#others > 0 and touch(others[#others], edit)) then
      place = { first = edit[1], last = edit[2], mine = {}, theirs = {} }
      found[#found + 1] = place
    end
    table.insert(place[edit.side], edit)
    place.last = math.max(place.last, edit[2])
  end
  return found
end

--- Returns the lines that one side has made of the place.
---@param base string[]
---@param place acp.MergePlace
---@param side acp.Edit[]
---@return string[]
local function made(base, place, side)
  local moved = vim.tbl_map(function(edit)
    return { edit[1] - place.first, edit[2] - place.first, edit[3] }
  end, side)
  return diff.apply(vim.list_slice(base, place.first + 1, place.last), moved)
end

---@param one acp.Edit
---@param other acp.Edit
---@return boolean
local function comes_first(one, other)
  return one[1] < other[1] or (one[1] == other[1] and one[2] <= other[2])
end

--- Merges two ascending lists of edits. Of two that begin at the same line the insertion comes first.
---@param some table[]
---@param others table[]
---@return table[]
local function joined(some, others)
  local found, i, j = {}, 1, 1
  while some[i] or others[j] do
    if not others[j] or (some[i] and comes_first(some[i], others[j])) then
      found[#found + 1], i = some[i], i + 1
    else
      found[#found + 1], j = others[j], j + 1
    end
  end
  return found
end

---@param base string[]
---@param mine string[]
---@param theirs string[]
---@return acp.Edit[] clean  of the base: what needs no decision
---@return acp.Overlap[] overlaps
---@return boolean is_coarse  a side has changed too much to be compared line by line
local function merge(base, mine, theirs)
  local clean, overlaps = {}, {} ---@type acp.Edit[], acp.Overlap[]
  local some, others = {}, {} ---@type table[], table[]
  local my_edits, is_capped = diff.edits(base, mine)
  local their_edits, are_capped = diff.edits(base, theirs)
  by_line(my_edits, is_capped, "mine", some)
  by_line(their_edits, are_capped, "theirs", others)
  for _, place in ipairs(places(joined(some, others))) do
    local one, other = place.mine, place.theirs
    if #one == 0 or #other == 0 then
      vim.list_extend(clean, #one > 0 and one or other)
    else
      local one_made, other_made = made(base, place, one), made(base, place, other)
      if text.same_lines(one_made, other_made) then
        clean[#clean + 1] = { place.first, place.last, one_made }
      else
        overlaps[#overlaps + 1] = { first = place.first, last = place.last, mine = one_made, theirs = other_made }
      end
    end
  end
  return clean, overlaps, is_capped or are_capped or false
end

---@param base string[]
---@param clean acp.Edit[]
---@param overlaps acp.Overlap[]
---@param side "mine"|"theirs"
---@return string[]
local function chosen(base, clean, overlaps, side)
  local decided = vim.tbl_map(function(overlap)
    return { overlap.first, overlap.last, overlap[side] }
  end, overlaps)
  return diff.apply(base, joined(clean, decided))
end

--- Merges three lists of lines.
---@param base string[]
---@param mine string[]
---@param theirs string[]
---@return string[] mine       the merge, with my lines where both overlap
---@return string[]? theirs    the same with theirs; nil: nothing overlaps
---@return boolean? is_coarse   they may overlap only because a side has changed too much to be compared line by line
function M.lines(base, mine, theirs)
  if text.same_lines(base, mine) or text.same_lines(mine, theirs) then
    return theirs
  elseif text.same_lines(base, theirs) then
    return mine
  end
  local clean, overlaps, is_coarse = merge(base, mine, theirs)
  if #overlaps == 0 then
    return chosen(base, clean, overlaps, "mine")
  end
  return chosen(base, clean, overlaps, "mine"), chosen(base, clean, overlaps, "theirs"), is_coarse
end

--- Merges texts. The file keeps its line ends, and its last newline unless the other side has changed that.
---@param base? acp.Text  nil: nobody knows what both have in common, so whatever differs overlaps
---@param mine acp.Text
---@param theirs acp.Text
---@return acp.Text mine     the merge, with my lines where both overlap
---@return acp.Text? theirs  the same with theirs; nil: nothing overlaps
---@return boolean? is_coarse
function M.texts(base, mine, theirs)
  local lines, others, is_coarse = M.lines(base and base.lines or {}, mine.lines, theirs.lines)
  local is_kept = base and base.final == theirs.final
  local shape = { bom = mine.bom or theirs.bom, final = theirs.final }
  if is_kept then
    shape.final = mine.final
  end
  local merged = text.with(mine, shape)
  return text.with(merged, { lines = lines }), others and text.with(merged, { lines = others }) or nil, is_coarse
end

--- Merges the texts of a file that is not loaded.
---@param base? string
---@param mine string
---@param theirs string
---@return { text?: string, mine?: string, agents?: string, coarse?: true }  the merge, or both sides if they overlap
function M.strings(base, mine, theirs)
  local ff = text.format_of((mine == "" and (base or "") == "") and theirs or mine)
  local split = text.split(mine, ff)
  local merged, others, is_coarse = M.texts(base and text.split(base, ff), split, text.split(theirs, ff))
  if others then
    return { mine = text.whole(merged), agents = text.whole(others), coarse = is_coarse or nil }
  end
  return { text = text.whole(merged) }
end

return M
