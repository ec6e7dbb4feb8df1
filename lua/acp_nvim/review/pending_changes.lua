-- Models the text of one file under review: its lines, the agents' changes in it that wait for a decision, those that
-- were decided, and the lines that agents have lost.
--
--   lines             a X c d       an agent has made X of b, the user has added d
--   pending           row 1: b | X
--   undone            a b c d       decided: row 1, b | X, undone
--
-- Every line has one owner. What the user writes is the user's at once, wherever it stands: undoing a change takes back
-- what is left of the agent's lines in it, and nothing else.
local block_list = require("acp_nvim.review.block_list")
local limits = require("acp_nvim.limits")
local attribution = require("acp_nvim.review.attribution")
local changes = require("acp_nvim.review.change")
local diff = require("acp_nvim.documents.diff")
local last_newline = require("acp_nvim.review.last_newline")
local lost_lines = require("acp_nvim.review.lost_lines")
local turn_layer = require("acp_nvim.review.turn_layer")

local M = {}

---@class acp.DecidedChange
---@field row integer
---@field change acp.AgentChange
---@field is_kept boolean

---@class acp.Known  what there is to know of a text beside its lines; never altered
---@field blocks acp.Blocks
---@field decided acp.DecidedChange[]
---@field lost acp.Lost[]
---@field layers acp.TurnLayer[]

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
  local known = { blocks = block_list.none(), decided = {}, lost = {}, layers = {} }
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

--- Drops layers without any change. What the turn has left in its hunks are lines of earlier turns.
---@param text acp.Pending
---@param known acp.Known
---@return acp.Known
function M.without_empty_layers(text, known)
  for i = #known.layers, 1, -1 do
    local layer = known.layers[i]
    if #layer.blocks.rows == 0 then
      local layers = vim.list_slice(known.layers)
      table.remove(layers, i)
      local blocks = turn_layer.undo(layer, known.blocks, text.lines, {})
      known = vim.tbl_extend("force", known, { blocks = blocks, layers = layers })
    end
  end
  return known
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
  local function of_last_line(blocks)
    return last_newline.of_last_line(blocks, #text.lines - 1)
  end
  local blocks, layers = of_last_line(known.blocks), turn_layer.map(known.layers, of_last_line)
  local is_same = blocks == known.blocks and layers == known.layers
  known = is_same and known or vim.tbl_extend("force", known, { blocks = blocks, layers = layers })
  text.known = M.without_empty_layers(text, known)
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
      layers = turn_layer.agent(known.layers, known.blocks, text.lines, edits, author, is_mixed),
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
  local function changed(blocks)
    return last_newline.changed(blocks, row, text.lines[row + 1], had_newline, has_newline, author)
  end
  local layers = turn_layer.map(known.layers, function(blocks, layer)
    return changes.is_same_turn(layer, author) and changed(blocks) or blocks
  end)
  text.known = vim.tbl_extend("force", known, { blocks = changed(known.blocks), layers = layers })
end

--- What is known once the edits of a user, or of nobody, are made.
---@param known acp.Known
---@param edits acp.Edit[]
---@param lost acp.Lost[]
---@return acp.Known  the same table if nothing of it changes
local function known_after(known, edits, lost)
  local blocks, layers = attribution.user(known.blocks, edits), turn_layer.user(known.layers, edits)
  local is_same = blocks == known.blocks and layers == known.layers
  if is_same and #lost + #known.lost + #known.decided == 0 then
    return known
  end
  return { blocks = blocks, decided = moved(known.decided, edits), lost = lost, layers = layers }
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

--- Those of the ids that are pending: hunks, or what a turn alone has changed in them.
---@param text acp.Pending
---@param ids table<integer, any>
---@return acp.Placed[]  ascending
---@return acp.TurnLayer?  of which they are
function M.chosen(text, ids)
  local list = block_list.chosen(text.known.blocks, ids)
  if #list == 0 then
    return turn_layer.chosen(text.known.layers, ids)
  end
  return list
end

--- Keeps these changes: nobody has to decide on them any more.
---@param text acp.Pending
---@param ids table<integer, any>
---@return acp.AgentChange[]
function M.keep(text, ids)
  local chosen, kept = block_list.chosen(text.known.blocks, ids), {}
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
    text.known = M.without_empty_layers(text, {
      blocks = block_list.without(text.known.blocks, ids, false),
      decided = M.bounded(decided),
      lost = lost_lines.kept(text.known.lost, chosen),
      layers = turn_layer.without(text.known.layers, chosen),
    })
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

--- The hunks that are left once these changes are undone.
---@param text acp.Pending
---@param ids table<integer, any>
---@return acp.Blocks
function M.left_by_undo(text, ids)
  local blocks, chosen, layer = text.known.blocks, M.chosen(text, ids)
  if not layer then
    return block_list.without(blocks, ids, true)
  end
  local edits = M.undoing(chosen)
  local lines = diff.apply(text.lines, edits)
  blocks = turn_layer.undo(layer, blocks, text.lines, edits)
  for _, change in ipairs(layer.before) do
    if change.had_newline ~= nil and change.new[1] == lines[#lines] then
      local was, is = change.had_newline, not change.had_newline
      blocks = last_newline.changed(blocks, #lines - 1, lines[#lines], was, is, change)
    end
  end
  return blocks
end

--- What waits for a decision, as each turn has made it. A hunk may hold lines of several turns: what the newest has
--- changed in it is its own, and what would be left without it is of the earlier one.
---@param text acp.Pending
---@return acp.AgentChange[]
function M.by_turn(text)
  local list, rest = {}, text
  for _ = 1, #text.known.layers do
    local layer, ids = rest.known.layers[1], {}
    for _, change in ipairs(layer and layer.blocks.changes or {}) do
      ids[change.id], list[#list + 1] = true, change
    end
    rest = { lines = vim.list_slice(rest.lines), known = rest.known, kept_ids = text.kept_ids, listed = {} }
    M.undo(rest, ids)
  end
  return vim.list_extend(list, rest.known.blocks.changes)
end

--- Undoes these changes: the agent's lines go, those before come back.
---@param text acp.Pending
---@param ids table<integer, any>
function M.undo(text, ids)
  local chosen, own = M.chosen(text, ids)
  local edits = M.undoing(chosen)
  if #chosen == 0 then
    return
  end
  local layers = turn_layer.map(
    own and text.known.layers or turn_layer.without(text.known.layers, chosen),
    function(blocks, layer)
      return layer == own and block_list.without(blocks, ids, true) or attribution.user(blocks, edits)
    end
  )
  local known, shift = text.known, 0
  local decided = moved(known.decided, edits)
  for _, placed in ipairs(chosen) do
    decided[#decided + 1] = { row = placed.row + shift, change = placed.item, is_kept = false }
    text.listed[placed.item.id] = true
    shift = shift + #placed.item.old - #placed.item.new
  end
  replace(text, edits, {
    blocks = M.left_by_undo(text, ids),
    decided = M.bounded(decided),
    lost = lost_lines.undone(known.lost, chosen, edits),
    layers = layers,
  })
end

return M
