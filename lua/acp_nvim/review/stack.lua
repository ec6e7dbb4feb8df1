-- A file in review is a stack of texts, the live one on top. Each is the one above it without what one turn has
-- written. Whoever edits, each text takes the edit or does not; a hunk is what differs between two of them.
--
--   live       a X Y c d     turn 2 has added d
--   below 2    a X Y c       turn 1 has made X Y of b
--   reviewed   a b   c       what has been decided on; the hunks are b | X Y and nothing | d
--
-- Turns that the user was asked about and allowed lie below the reviewed text: nothing waits, and they can be undone.
-- Here are the turns, each with the patch of the text above it that is the text below it, the lowest first. A list of
-- them is never altered, so that states of the undo tree share it.
local diff = require("acp_nvim.documents.diff")
local limits = require("acp_nvim.limits")
local patches = require("acp_nvim.documents.patch")

local M = {}

---@class acp.Author
---@field session integer
---@field turn integer
---@field by acp.ChangedBy
---@field call? acp.message.CallName    the command that has made it
---@field other? acp.message.OtherTurn  of "one of two"
---@field answer? acp.Answered         the user was asked about what is allowed of it

---@class acp.Answered
---@field option string
---@field call? acp.message.CallName

---@class acp.WrittenBy  all that a turn has written
---@field session integer
---@field turn integer
---@field is_known? boolean  but for what no call of an agent can have made

---@class acp.Turn: acp.Author
---@field allowed boolean
---@field patch acp.Patch

---@class acp.StackPlace  where texts differ, from the reviewed one up
---@field at integer       rows of the live text
---@field n integer
---@field from integer     where it begins in the reviewed text
---@field old string[]     its lines there
---@field turns table<acp.Turn, true>  which have a hand in it

---@param one acp.Author
---@param other acp.Author
---@return boolean
function M.is_same(one, other)
  local is_turn = one.session == other.session and one.turn == other.turn and one.by == other.by
  return is_turn and (one.call and one.call.id) == (other.call and other.call.id)
end

--- Of what one of two turns has made both have written it.
---@param author acp.Author
---@param what acp.WrittenBy
---@return boolean
function M.is_of(author, what)
  local other = author.other
  local is_turn = author.session == what.session and author.turn == what.turn
  local is_other = other and other.session == what.session and other.turn == what.turn or false
  return (is_turn or is_other) and not (what.is_known and author.by == "unknown")
end

---@param turn acp.Turn
---@param patch acp.Patch
---@return acp.Turn
local function with(turn, patch)
  if turn.patch == patch then
    return turn
  end
  return vim.tbl_extend("force", turn, { patch = patch })
end

--- The turns with other patches; those that have left no difference are gone.
---@param turns acp.Turn[]
---@param new acp.Patch[]
---@return acp.Turn[]
local function rebuilt(turns, new)
  local result, is_same = {}, true
  for i, turn in ipairs(turns) do
    is_same = is_same and turn.patch == new[i]
    if #new[i].at > 0 then
      result[#result + 1] = with(turn, new[i])
    end
  end
  return is_same and turns or result
end

---@param turns acp.Turn[]
---@return acp.Patch[]
local function patches_of(turns)
  local list = {}
  for i, turn in ipairs(turns) do
    list[i] = turn.patch
  end
  return list
end

--- How many turns are below the reviewed text.
local function floor_of(turns)
  local floor = 0
  while turns[floor + 1] and turns[floor + 1].allowed do
    floor = floor + 1
  end
  return floor
end

--- The text above the patch of a turn.
---@param turns acp.Turn[]
---@param i integer
---@param lines string[]  the live one
---@return string[]
local function text_above(turns, i, lines)
  for k = #turns, i + 1, -1 do
    lines = patches.below(turns[k].patch, lines)
  end
  return lines
end

--- The text below all turns; a table of its own.
---@param turns acp.Turn[]
---@param lines string[]  the live one
---@return string[]
function M.lowest(turns, lines)
  return #turns > 0 and text_above(turns, 0, lines) or vim.list_slice(lines)
end

--- All texts take edits of the live one: by the user, by a program, or a decision to keep.
---@param turns acp.Turn[]
---@param edits acp.Edit[]
---@param is_closed? boolean  the edits decide on hunks
---@return acp.Turn[]
function M.take(turns, edits, is_closed)
  return #turns == 0 and turns or rebuilt(turns, patches.edit(patches_of(turns), edits, nil, nil, is_closed))
end

-- What waits ----------------------------------------------------------------------------------------------------------

---@param place acp.StackPlace
---@return integer  behind its lines in the text that it stands on
local function stop_of(place)
  return place.from + #place.old
end

--- Lines of the text between two patches: those that stand in places above it.
---@param places acp.StackPlace[]  ascending; together they have all these rows
---@param first integer
---@param last integer
---@return string[]
local function lines_in(places, first, last)
  local lines = {}
  for _, place in ipairs(places) do
    local low, high = math.max(first, place.from), math.min(last, stop_of(place))
    vim.list_extend(lines, place.old, low - place.from + 1, high - place.from)
  end
  return lines
end

--- One place of what overlaps or touches.
---@param turn acp.Turn
---@param some acp.StackPlace[]  of the text above the turn's patch
---@param hunks integer[]   of the patch
---@param first integer     rows of that text
---@param last integer
---@return string[] old
---@return table<acp.Turn, true> turns
local function joined(turn, some, hunks, first, last)
  local old, turns = {}, { [turn] = #hunks > 0 or nil }
  for _, k in ipairs(hunks) do
    vim.list_extend(old, lines_in(some, first, turn.patch.at[k]))
    vim.list_extend(old, turn.patch.old[k])
    first = turn.patch.at[k] + turn.patch.n[k]
  end
  for _, place in ipairs(some) do
    turns = vim.tbl_extend("force", turns, place.turns)
  end
  return vim.list_extend(old, lines_in(some, first, last)), turns
end

--- The places where the text below a patch differs from the live one.
---@param turn acp.Turn
---@param above acp.StackPlace[]  where the text above the patch does
---@return acp.StackPlace[]
local function composed(turn, above)
  local patch, found, alone, a, k = turn.patch, {}, { [turn] = true }, 1, 1
  local shift, offset = 0, 0 -- rows that the live text, and the one below, are further on than the one between
  while above[a] or patch.at[k] do
    local first = math.min(above[a] and above[a].from or math.huge, patch.at[k] or math.huge)
    local at, from, last, some, hunks = first + shift, first + offset, first, {}, {}
    while true do
      if above[a] and above[a].from <= last then
        last, some[#some + 1], shift =
          math.max(last, stop_of(above[a])), above[a], above[a].at + above[a].n - stop_of(above[a])
        a = a + 1
      elseif patch.at[k] and patch.at[k] <= last then
        local stop = patch.at[k] + patch.n[k]
        last, hunks[#hunks + 1], offset = math.max(last, stop), k, patch.from[k] + #patch.old[k] - stop
        k = k + 1
      else
        break
      end
    end
    local place = { at = at, n = last + shift - at, from = from, turns = alone }
    if #hunks == 1 and #some == 0 then
      place.old = patch.old[hunks[1]]
    elseif #hunks == 0 then
      place.old, place.turns = some[1].old, some[1].turns
    else
      place.old, place.turns = joined(turn, some, hunks, first, last)
    end
    found[#found + 1] = place
  end
  return found
end

--- The turn of which something waits, if there is just one.
---@param turns acp.Turn[]
---@return acp.Turn?
function M.only_waiting(turns)
  local last, before = turns[#turns], turns[#turns - 1]
  return last and not last.allowed and (not before or before.allowed) and last or nil
end

--- The places in which something waits for a decision, ascending.
---@param turns acp.Turn[]
---@return acp.StackPlace[]
function M.places(turns)
  local found = {}
  for i = #turns, floor_of(turns) + 1, -1 do
    found = composed(turns[i], found)
  end
  return found
end

--- The turns that have a hand in a place, the newest first; one may have written twice, with another one between.
---@param turns acp.Turn[]
---@param among table<acp.Turn, true>
---@return acp.Author[]
---@return boolean is_shared  what differs is not remembered as one hunk
local function authors_of(turns, among)
  local list, count = {}, 0
  for i = #turns, 1, -1 do
    local turn = turns[i]
    local is_known = false
    for _, each in ipairs(among[turn] and list or {}) do
      is_known = is_known or M.is_same(each, turn)
    end
    count = count + (among[turn] and 1 or 0)
    list[#list + 1] = among[turn] and not is_known and turn or nil
  end
  return list, count > 1
end

--- The lines below of all hunks of turns that wait: as long as these tables are the same an edit has met none of them.
---@param turns acp.Turn[]
---@return string[][][]
function M.hunks_of(turns)
  local list = {}
  for i = floor_of(turns) + 1, #turns do
    list[#list + 1] = turns[i].patch.old
  end
  return list
end

--- Goes over the hunks that wait: of a place that several turns have written what differs in the end.
---@param turns acp.Turn[]
---@param lines string[]  the live text
---@param fn fun(row: integer, n: integer, old: string[], authors: acp.Author[])
function M.each_hunk(turns, lines, fn)
  local only = M.only_waiting(turns)
  if only then
    local patch, authors = only.patch, { only }
    for i, at in ipairs(patch.at) do
      fn(at, patch.n[i], patch.old[i], authors)
    end
    return
  end
  local known, authors, is_shared = nil, {}, false ---@type table<acp.Turn, true>?, acp.Author[], boolean
  for _, place in ipairs(M.places(turns)) do
    if place.turns ~= known then
      known, authors, is_shared = place.turns, authors_of(turns, place.turns)
    end
    if not is_shared then
      fn(place.at, place.n, place.old, authors)
    else
      local shift = place.at
      for _, edit in ipairs(diff.edits(place.old, vim.list_slice(lines, place.at + 1, place.at + place.n))) do
        fn(edit[1] + shift, #edit[3], vim.list_slice(place.old, edit[1] + 1, edit[2]), authors)
        shift = shift + #edit[3] - (edit[2] - edit[1])
      end
    end
  end
end

-- An agent writes -----------------------------------------------------------------------------------------------------

--- Whether edits of the text above a patch overlap or touch its hunks.
local function touches(patch, edits)
  for _, edit in ipairs(edits) do
    local i = patches.first_from(patch, edit[1])
    if patch.at[i] and patch.at[i] <= edit[2] then
      return true
    end
  end
  return false
end

--- n lines for n are n edits.
---@param edit acp.Edit
---@return acp.Edit[]
local function by_line(edit)
  local parts, first = {}, edit[1]
  for n, line in ipairs(edit[2] - first == #edit[3] and edit[3] or {}) do
    parts[n] = { first + n - 1, first + n, { line } }
  end
  return #parts > 0 and parts or { edit }
end

--- The text of the turn, and those below it, do not take the turn's edits. Where these touch lines of a later turn,
--- they come on top of it, so that the later turn's lines come back with its undo.
---@param turns acp.Turn[]
---@param lines string[]  the live text before the edits
---@param edits acp.Edit[]
---@param author acp.Author
---@param is_allowed boolean
---@return acp.Turn[]
local function written(turns, lines, edits, author, is_allowed)
  local list, floor, below = patches_of(turns), floor_of(turns), edits
  local top = is_allowed and floor or #turns -- where a new turn is put
  for i = #turns, top + 1, -1 do
    local _, carried = patches.down(list[i], below)
    below = carried
  end
  for i = top, is_allowed and 1 or floor + 1, -1 do
    if M.is_same(turns[i], author) then
      return rebuilt(turns, patches.edit(list, edits, i, text_above(turns, i, lines)))
    elseif touches(list[i], below) then
      break
    end
    local _, carried = patches.down(list[i], below)
    below = carried
  end
  local turn = vim.tbl_extend("force", author, { allowed = is_allowed, patch = patches.new() })
  turns = vim.list_slice(turns)
  table.insert(turns, top + 1, turn)
  list = patches.edit(patches_of(turns), edits, top + 1, text_above(turns, top + 1, lines))
  return rebuilt(turns, list)
end

--- The newest turns, as far as nothing of the older ones waits.
---@param turns acp.Turn[]
---@return acp.Turn[]
local function bounded(turns)
  local first = math.max(1, math.min(#turns - limits.TURNS_OF_FILE, floor_of(turns)) + 1)
  return first > 1 and vim.list_slice(turns, first) or turns
end

--- An agent has made edits. Those the user was asked about, and has allowed, go below the reviewed text. Where they
--- touch lines that are still pending they wait with these, on which nobody has decided.
---@param turns acp.Turn[]
---@param lines string[]  the live text before them
---@param edits acp.Edit[]
---@param author acp.Author
---@param is_allowed? fun(edit: acp.Edit): boolean  the user was asked about it; nil: about none
---@return acp.Turn[]
function M.write(turns, lines, edits, author, is_allowed)
  if not is_allowed then
    return bounded(written(turns, lines, edits, author, false))
  end
  local shown, waiting, rest, shift = patches.new(), {}, {}, 0
  M.each_hunk(turns, lines, function(row, n)
    local i = #shown.at + 1
    shown.at[i], shown.n[i], shown.from[i], shown.old[i] = row, n, row, {}
  end)
  for _, edit in ipairs(edits) do
    local was_asked = is_allowed(edit)
    for _, each in ipairs(was_asked and touches(shown, { edit }) and by_line(edit) or { edit }) do
      if not was_asked or touches(shown, { each }) then
        waiting[#waiting + 1], shift = each, shift + #each[3] - (each[2] - each[1])
      else
        rest[#rest + 1] = { each[1] + shift, each[2] + shift, each[3] }
      end
    end
  end
  if #waiting > 0 then
    turns = written(turns, lines, waiting, author, false)
    lines = diff.apply(lines, waiting)
  end
  return bounded(#rest > 0 and written(turns, lines, rest, author, true) or turns)
end

--- The turns without those of a session that has ended and that lie lowest, as far as nothing of them waits.
---@param turns acp.Turn[]
---@param session integer
---@return acp.Turn[]
function M.without_allowed(turns, session)
  local first = 1
  while turns[first] and turns[first].allowed and turns[first].session == session do
    first = first + 1
  end
  return first > 1 and vim.list_slice(turns, first) or turns
end

--- The row of the live text for one above the patch of a turn.
---@param turns acp.Turn[]
---@param i integer
---@param row integer
---@return integer
function M.live_row(turns, i, row)
  for k = i + 1, #turns do
    row = patches.row_above(turns[k].patch, row)
  end
  return row
end

-- Decisions -----------------------------------------------------------------------------------------------------------

--- To decide on a part of a place that several turns have written, all of it is made the newest one's.
---@param turns acp.Turn[]
---@param lines string[]  the live text
---@param place acp.StackPlace
---@return acp.Turn[]
function M.owned(turns, lines, place)
  local list, low, high = {}, place.at, place.at + place.n
  local new = vim.list_slice(lines, low + 1, high)
  for i = #turns, 1, -1 do
    if turns[i].allowed then
      list[i] = turns[i].patch
    else
      local first, last = patches.span(turns[i].patch, low, high)
      list[i] = patches.put(turns[i].patch, low, high, place.old, new)
      low, high, new = first, last, place.old
    end
  end
  return rebuilt(turns, list)
end

---@class acp.KeptText  what a decision has kept in a text of the stack
---@field lines string[]
---@field hunks acp.KeptHunk[]

--- The texts below a turn take what it has written, while later turns may have written over it.
---
---   live      a Y c     turn 2 has made Y of X
---   below 2   a X c     turn 1 has made X of b, and is kept: the hunk is X | Y
---@param turns acp.Turn[]
---@param lines string[]  the live text
---@param what acp.WrittenBy
---@return acp.Turn[]
---@return acp.KeptText[]
function M.keep_turn(turns, lines, what)
  local kept, i = {}, #turns
  while i > 0 and not turns[i].allowed do
    if M.is_of(turns[i], what) then
      local above, edits, patch, hunks = text_above(turns, i, lines), {}, turns[i].patch, {}
      for k, at in ipairs(patch.at) do
        local new = vim.list_slice(above, at + 1, at + patch.n[k])
        edits[k], hunks[k] = { at, at + patch.n[k], new }, { row = at, old = patch.old[k], new = new }
      end
      local lower = M.take(vim.list_slice(turns, 1, i), edits, true)
      turns, kept[#kept + 1] = vim.list_extend(vim.list_slice(lower), turns, i + 1), { lines = above, hunks = hunks }
      i = math.min(i, #lower + 1)
    end
    i = i - 1
  end
  return turns, kept
end

--- All texts get what is reviewed: the edits of the live text undo hunks.
---@param turns acp.Turn[]
---@param lines string[]  the live text before them
---@param edits acp.Edit[]
---@return acp.Turn[]
function M.undo(turns, lines, edits)
  local stays = floor_of(turns) + 1
  if #edits == 0 or stays > #turns then
    return turns
  end
  return rebuilt(turns, patches.edit(patches_of(turns), edits, stays, text_above(turns, stays, lines), true))
end

--- The texts above a turn get what is below it, in these of its hunks. What later turns have made of its lines stays.
---@param turns acp.Turn[]
---@param lines string[]  the live text
---@param is_meant fun(turn: acp.Turn, old: string[]): boolean  a hunk of a turn
---@return acp.Turn[]
---@return acp.Edit[][] steps  of the live text, one after the other
function M.undo_written(turns, lines, is_meant)
  local steps, list = {}, patches_of(turns)
  for i = #turns, 1, -1 do
    local edits = vim.tbl_filter(function(edit)
      return is_meant(turns[i], edit[3])
    end, patches.undoing(list[i]))
    if #edits > 0 then
      local texts = {}
      texts[#turns] = lines
      for k = #turns - 1, i, -1 do
        texts[k] = patches.below(list[k + 1], texts[k + 1])
      end
      list[i] = patches.absorb(list[i], edits, texts[i])
      for k = i + 1, #turns do
        edits, list[k] = patches.up(list[k], edits, texts[k])
      end
      lines = diff.apply(lines, edits)
      steps[#steps + 1] = edits
    end
  end
  return rebuilt(turns, list), steps
end

return M
