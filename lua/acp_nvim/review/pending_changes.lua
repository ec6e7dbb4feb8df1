-- Models the text of one file under review: its lines, the agents' changes in it that wait for a decision, those that
-- were decided, and the lines that agents have lost.
--
--   lines             a X c d       an agent has made X of b, the user has added d
--   pending           row 1: b | X
--   undone            a b c d       decided: row 1, b | X, undone
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
---@field listed table<integer, true>  decided, and still listed: until their session's next turn
---@field moments { seq: integer, known: acp.Known }[]  the newest last

---@param lines string[]
---@return acp.Pending
function M.new(lines)
  local known = { blocks = attribution.none(), decided = {}, lost = {} }
  return { lines = lines, known = known, kept = {}, kept_ids = {}, listed = {}, moments = {} }
end

--- The newest of the decided changes, as many as are kept.
---@param list acp.DecidedChange[]
---@return acp.DecidedChange[]
function M.bounded(list)
  return #list > limits.DECIDED_CHANGES and vim.list_slice(list, #list - limits.DECIDED_CHANGES + 1) or list
end

--- The decided changes in the text with the edits: their rows follow it.
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

--- The blocks without these changes, and their rows once those are undone.
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

--- Carries out the edits. A change of the last newline holds as long as its line is the last one.
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
      known = vim.tbl_extend("force", known, { blocks = without(known.blocks, { [change.id] = true }, false) })
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

--- What is known once the edits of a user, or of nobody, are made.
---@param known acp.Known
---@param edits acp.Edit[]
---@param lost acp.Lost[]
---@return acp.Known  the same table if nothing of it changes
local function known_after(known, edits, lost)
  local blocks = attribution.user(known.blocks, edits)
  if blocks == known.blocks and #lost + #known.lost + #known.decided == 0 then
    return known
  end
  return { blocks = blocks, decided = moved(known.decided, edits), lost = lost }
end

--- The user has changed the text; or, where `is_answer` is false, a program of which no agent is told.
---@param text acp.Pending
---@param edits acp.Edit[]
---@param is_answer? boolean
function M.user(text, edits, is_answer)
  if #edits == 0 then
    return
  elseif is_answer == false then
    return replace(text, edits, M.known_with(text, edits))
  end
  local known = text.known
  local lost = lost_lines.user(known.lost, known.blocks, edits)
  replace(text, edits, known_after(known, edits, lost))
end

--- What would be known of the text with these edits, which are no answer to an agent.
---@param text acp.Pending
---@param edits acp.Edit[]
---@return acp.Known
function M.known_with(text, edits)
  return known_after(text.known, edits, lost_lines.written_over(text.known.lost, edits))
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

--- Keeps these changes: nobody has to decide on them any more.
---@param text acp.Pending
---@param ids table<integer, any>
---@return acp.AgentChange[]
function M.keep(text, ids)
  local chosen, kept = M.chosen(text, ids), {}
  local decided = vim.list_slice(text.known.decided)
  for n, placed in ipairs(chosen) do
    local change = placed.item
    kept[n], text.kept_ids[change.id], text.listed[change.id] = change, true, true
    for _, origin in ipairs({ changes.origin(change), unpack(change.melted) }) do
      text.kept[origin.born] = text.kept[origin.born] or {}
      table.insert(text.kept[origin.born], origin)
    end
    decided[#decided + 1] = { row = placed.row, change = change, is_kept = true }
  end
  if #chosen > 0 then
    text.known = {
      blocks = without(text.known.blocks, ids, false),
      decided = M.bounded(decided),
      lost = lost_lines.kept(text.known.lost, chosen),
    }
  end
  return kept
end

--- The edits that undo these changes.
---@param chosen acp.Placed[]
---@return acp.Edit[]
function M.undoing(chosen)
  return vim.tbl_map(function(placed)
    return { placed.row, placed.row + #placed.item.new, placed.item.old }
  end, chosen)
end

--- Undoes these changes: the agent's lines go, those before come back.
---@param text acp.Pending
---@param ids table<integer, any>
function M.undo(text, ids)
  local chosen = M.chosen(text, ids)
  local edits = M.undoing(chosen)
  if #chosen == 0 then
    return
  end
  local decided, shift = moved(text.known.decided, edits), 0
  for _, placed in ipairs(chosen) do
    decided[#decided + 1] = { row = placed.row + shift, change = placed.item, is_kept = false }
    text.listed[placed.item.id] = true
    shift = shift + #placed.item.old - #placed.item.new
  end
  replace(text, edits, {
    blocks = without(text.known.blocks, ids, true),
    decided = M.bounded(decided),
    lost = lost_lines.undone(text.known.lost, chosen, edits),
  })
end

return M
