-- The text of one file under review: its lines, the agents' changes in it that nobody has decided on yet, and those that
-- were decided. What `u` and `<C-r>` go back to is known again: the numbers of the undo tree's states are the memory.
--
-- Every line has one owner. What the user writes is the user's at once, wherever it stands: undoing a change takes back
-- what is left of the agent's lines in it, and nothing else.
local limits = require("acp_nvim.limits")
local attribution = require("acp_nvim.review.attribution")
local changes = require("acp_nvim.review.change")
local diff = require("acp_nvim.documents.diff")
local lost_lines = require("acp_nvim.review.lost_lines")

local M = {}

---@class acp.DecidedChange
---@field row integer
---@field change acp.AgentChange
---@field is_kept boolean

---@class acp.Known  what there is to know of a text beside its lines; never altered
---@field blocks acp.Blocks
---@field decided acp.DecidedChange[]
---@field lost acp.Lost[]

---@class acp.Pending
---@field lines string[]
---@field known acp.Known
---@field kept table<integer, acp.Origin[]>  by the edit that they come from
---@field kept_ids table<integer, true>
---@field moments { seq: integer, known: acp.Known }[]  the newest last

---@param lines string[]
---@return acp.Pending
function M.new(lines)
  local known = { blocks = attribution.none(), decided = {}, lost = {} }
  return { lines = lines, known = known, kept = {}, kept_ids = {}, moments = {} }
end

---@param list acp.DecidedChange[]
---@return acp.DecidedChange[]
local function bounded(list)
  return #list > limits.DECIDED_CHANGES and vim.list_slice(list, #list - limits.DECIDED_CHANGES + 1) or list
end

--- Rows behind an edit follow it.
---@param decided acp.DecidedChange[]
---@param edits acp.Edit[]
---@return acp.DecidedChange[]
local function moved(decided, edits)
  return vim.tbl_map(function(each)
    local row, shift = each.row, 0
    for _, edit in ipairs(edits) do
      if edit[2] <= each.row then
        shift = shift + #edit[3] - (edit[2] - edit[1])
      elseif edit[1] < each.row then
        row = math.min(row, edit[1] + #edit[3])
      end
    end
    return row + shift == each.row and each or vim.tbl_extend("force", each, { row = row + shift })
  end, decided)
end

--- The blocks without these, and where they are once those are undone.
---@param blocks acp.Blocks
---@param ids table<integer, any>
---@param are_undone boolean
---@return acp.Blocks
local function without(blocks, ids, are_undone)
  local rest, shift = attribution.none(), 0
  for i, change in ipairs(blocks.changes) do
    if not ids[change.id] then
      local at = #rest.rows + 1
      rest.rows[at], rest.changes[at] = blocks.rows[i] + shift, change
    elseif are_undone then
      shift = shift + #change.old - #change.new
    end
  end
  return rest
end

--- Carries the edits out. A change of the last newline holds as long as its line is the last one.
---@param text acp.Pending
---@param edits acp.Edit[]
---@param known acp.Known
local function replace(text, edits, known)
  local edit = edits[1]
  if #edits == 1 and #edit[3] == edit[2] - edit[1] then
    for i, line in ipairs(edit[3]) do
      text.lines[edit[1] + i] = line
    end
  else
    text.lines = diff.apply(text.lines, edits)
  end
  for i, change in ipairs(known.blocks.changes) do
    if change.had_newline ~= nil and known.blocks.rows[i] ~= #text.lines - 1 then
      known.blocks = without(known.blocks, { [change.id] = true }, false)
      break
    end
  end
  text.known = known
end

--- An agent has changed the text.
---@param text acp.Pending
---@param edits acp.Edit[]
---@param author acp.Author
---@param is_mixed? fun(old: string[], new: string[]): boolean
function M.agent(text, edits, author, is_mixed)
  if #edits > 0 then
    local known = text.known
    replace(text, edits, {
      blocks = attribution.agent(known.blocks, text.lines, edits, author, is_mixed),
      decided = moved(known.decided, edits),
      lost = lost_lines.written_over(known.lost, edits),
    })
  end
end

--- An agent has changed whether the last line ends with a newline, and the line is as it was. No agent is told of what
--- becomes of it.
---@param text acp.Pending
---@param had_newline boolean
---@param has_newline boolean
---@param author acp.Author
function M.last_newline(text, had_newline, has_newline, author)
  local known, row = text.known, #text.lines - 1
  local blocks = known.blocks
  local last = #blocks.rows
  local change = blocks.changes[last]
  if change and change.had_newline ~= nil then
    if has_newline == change.had_newline then
      blocks = without(blocks, { [change.id] = true }, false)
    end
  elseif row >= 0 and had_newline ~= has_newline and (last == 0 or blocks.rows[last] + #change.new <= row) then
    local line = text.lines[row + 1]
    local new = changes.new(author, { line }, { line }, true)
    new.had_newline = had_newline
    blocks = { rows = vim.list_slice(blocks.rows), changes = vim.list_slice(blocks.changes) }
    blocks.rows[last + 1], blocks.changes[last + 1] = row, new
  end
  text.known = { blocks = blocks, decided = known.decided, lost = known.lost }
end

--- The user has, or somebody of whom nothing is known: `is_answer` false, and no agent is told of it.
---@param text acp.Pending
---@param edits acp.Edit[]
---@param is_answer? boolean
function M.user(text, edits, is_answer)
  if #edits > 0 then
    local known, lost = text.known, nil
    local blocks = attribution.user(known.blocks, edits)
    if is_answer == false then
      lost = lost_lines.written_over(known.lost, edits)
    else
      lost = lost_lines.user(known.lost, known.blocks, attribution.near, edits)
    end
    if blocks ~= known.blocks or #lost + #known.lost + #known.decided > 0 then
      known = { blocks = blocks, decided = moved(known.decided, edits), lost = lost }
    end
    replace(text, edits, known)
  end
end

--- What there would be to know without these edits of the user's.
---@param text acp.Pending
---@param edits acp.Edit[]  back to the text without them
---@return acp.Known
function M.without(text, edits)
  return #edits == 0 and text.known
    or {
      blocks = attribution.user(text.known.blocks, edits),
      decided = moved(text.known.decided, edits),
      lost = lost_lines.written_over(text.known.lost, edits),
    }
end

---@param text acp.Pending
---@param ids table<integer, any>
---@return acp.Placed[]  those of them that are pending, ascending
function M.chosen(text, ids)
  local blocks, list = text.known.blocks, {}
  for i, change in ipairs(blocks.changes) do
    if ids[change.id] then
      list[#list + 1] = { row = blocks.rows[i], item = change }
    end
  end
  return list
end

--- Nobody has to decide on these any more.
---@param text acp.Pending
---@param ids table<integer, any>
---@return acp.AgentChange[]
function M.keep(text, ids)
  local chosen, kept = M.chosen(text, ids), {}
  local decided = vim.list_slice(text.known.decided)
  for n, placed in ipairs(chosen) do
    local change = placed.item
    kept[n], text.kept_ids[change.id] = change, true
    for _, origin in ipairs({ changes.origin(change), unpack(change.melted) }) do
      text.kept[origin.born] = text.kept[origin.born] or {}
      table.insert(text.kept[origin.born], origin)
    end
    decided[#decided + 1] = { row = placed.row, change = change, is_kept = true }
  end
  if #chosen > 0 then
    text.known = {
      blocks = without(text.known.blocks, ids, false),
      decided = bounded(decided),
      lost = lost_lines.decided(text.known.lost, chosen, false),
    }
  end
  return kept
end

--- The edits that take these changes back.
---@param text acp.Pending
---@param ids table<integer, any>
---@return acp.Edit[]
function M.undoing(text, ids)
  return vim.tbl_map(function(placed)
    return { placed.row, placed.row + #placed.item.new, placed.item.old }
  end, M.chosen(text, ids))
end

--- They are taken back: the agent's lines go, those before come back.
---@param text acp.Pending
---@param ids table<integer, any>
function M.undo(text, ids)
  local chosen, edits = M.chosen(text, ids), M.undoing(text, ids)
  if #chosen == 0 then
    return
  end
  local decided, shift = moved(text.known.decided, edits), 0
  for _, placed in ipairs(chosen) do
    decided[#decided + 1] = { row = placed.row + shift, change = placed.item, is_kept = false }
    shift = shift + #placed.item.old - #placed.item.new
  end
  replace(text, edits, {
    blocks = without(text.known.blocks, ids, true),
    decided = bounded(decided),
    lost = lost_lines.decided(text.known.lost, chosen, true),
  })
end

-- The undo memory -----------------------------------------------------------------------------------------------------

--- What was known of a text, less what has been kept since.
---@param text acp.Pending
---@param known acp.Known
---@return acp.Known
local function recalled(text, known)
  local parts = {}
  for i, row in ipairs(known.blocks.rows) do
    local change = known.blocks.changes[i]
    for _, part in ipairs(changes.minus(change, text.kept[change.born] or {})) do
      if text.kept_ids[part.id] then
        part = changes.with(part, { id = changes.new_id() })
      end
      parts[#parts + 1] = { row = row + part.new_at - change.new_at, item = part }
    end
  end
  local decided, is_told = {}, {}
  for _, each in ipairs(known.decided) do
    if each.is_kept or not text.kept_ids[each.change.id] then
      decided[#decided + 1] = each
      is_told[each.change.id] = each.is_kept or nil
    end
  end
  for _, each in ipairs(text.known.decided) do
    if each.is_kept and not is_told[each.change.id] then
      decided[#decided + 1] = each
    end
  end
  return { blocks = attribution.blocks(parts), decided = bounded(decided), lost = known.lost }
end

--- The text stands after that change of the undo tree now.
---@param text acp.Pending
---@param seq integer
function M.remember(text, seq)
  local moments = text.moments
  for i = #moments, math.max(1, #moments - 1), -1 do
    if moments[i].seq == seq then
      table.remove(moments, i)
    end
  end
  moments[#moments + 1] = { seq = seq, known = text.known }
  local placed = 0
  for i = #moments, 1, -1 do
    placed = placed + #moments[i].known.blocks.rows
    if i <= #moments - limits.UNDO_STATES or (placed > limits.UNDO_STATES_CHANGES and i < #moments) then
      text.moments = vim.list_slice(moments, i + 1)
      return
    end
  end
end

--- The user has gone back or forth to that change: what was known there is known again.
---@param text acp.Pending
---@param seq integer
---@return boolean
function M.recall(text, seq)
  for i = #text.moments, 1, -1 do
    if text.moments[i].seq == seq then
      text.known = recalled(text, text.moments[i].known)
      return true
    end
  end
  return false
end

--- What was known of a text that is there again by other ways: read from the disk, say.
---@param text acp.Pending
---@param lines string[]
---@param known acp.Known
function M.restore(text, lines, known)
  text.lines, text.known = lines, recalled(text, known)
end

--- Another buffer has numbers of its own.
---@param text acp.Pending
function M.forget_moments(text)
  text.moments = {}
end

return M
