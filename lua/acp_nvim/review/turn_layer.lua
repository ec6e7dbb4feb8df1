-- Knows what a turn alone has changed, where it has changed pending lines of earlier turns: beside the hunks, which are
-- against the text before all turns, there are changes against the text before this turn.
--
--   before      b c
--   turn 1      X c      hunk: b | X
--   turn 2      Y Z      hunk: b c | Y Z, of turn 2 over turn 1      layer of turn 2: X c | Y Z
--   undo it     X c      hunk: b | X, of turn 1 again
--
-- There is no layer while a turn meets no earlier one: its hunks say the same. A session has one layer at most, that of
-- its newest turn which needs one. Layers are never altered, for the undo memory holds them.
--
-- Invariant: the text with `new` of every change of a layer replaced by its `old` holds no line of that turn, and all
-- lines of others that it has replaced and nobody has touched since.
local block_list = require("acp_nvim.review.block_list")
local attribution = require("acp_nvim.review.attribution")
local changes = require("acp_nvim.review.change")

local M = {}

---@class acp.TurnLayer
---@field session integer
---@field turn integer
---@field blocks acp.Blocks         what the turn has changed; ids are those of no hunk
---@field before acp.AgentChange[]  hunks of other turns, as they were when the layer was made

---@param layers acp.TurnLayer[]
---@param turn { session: integer, turn: integer }
---@return acp.TurnLayer?
function M.of(layers, turn)
  for _, layer in ipairs(layers) do
    if changes.is_same_turn(layer, turn) then
      return layer
    end
  end
end

--- The changes of a layer that have these ids.
---@param layers acp.TurnLayer[]
---@param ids table<integer, any>
---@return acp.Placed[]
---@return acp.TurnLayer?
function M.chosen(layers, ids)
  for _, layer in ipairs(layers) do
    local list = block_list.chosen(layer.blocks, ids)
    if #list > 0 then
      return list, layer
    end
  end
  return {}
end

--- The layers with other blocks.
---@param layers acp.TurnLayer[]
---@param fn fun(blocks: acp.Blocks, layer: acp.TurnLayer): acp.Blocks
---@return acp.TurnLayer[]  the same table if all blocks are the same
function M.map(layers, fn)
  local result, is_same = {}, true
  for _, layer in ipairs(layers) do
    local blocks = fn(layer.blocks, layer)
    is_same = is_same and blocks == layer.blocks
    result[#result + 1] = blocks == layer.blocks and layer or vim.tbl_extend("force", layer, { blocks = blocks })
  end
  return is_same and layers or result
end

--- The layers after edits of anybody but an agent.
---@param layers acp.TurnLayer[]
---@param edits acp.Edit[]
---@return acp.TurnLayer[]
function M.user(layers, edits)
  return M.map(layers, function(blocks)
    return attribution.user(blocks, edits)
  end)
end

-- An agent's edits -------------------------------------------------------------------------------------------------------

---@param blocks acp.Blocks
---@param edits acp.Edit[]
---@param author acp.Author
---@return boolean  they change lines of other turns
local function meets_others(blocks, edits, author)
  for _, edit in ipairs(edits) do
    local from, to = block_list.near(blocks, edit[1], edit[2])
    for i = from, to do
      local row, change = blocks.rows[i], blocks.changes[i]
      local overlaps = row < edit[2] and row + #change.new > edit[1]
      if not changes.is_same_turn(change, author) and (overlaps or #change.new == 0) then
        return true
      end
    end
  end
  return false
end

--- A layer of what the turn has changed so far, which is no more than its hunks.
---@param blocks acp.Blocks
---@param author acp.Author
---@return acp.TurnLayer
local function new_layer(blocks, author)
  local own, before = {}, {}
  for i, change in ipairs(blocks.changes) do
    if not changes.is_same_turn(change, author) then
      before[#before + 1] = change
    elseif #change.earlier == 0 then
      own[#own + 1] = { row = blocks.rows[i], item = changes.with(change, { id = changes.new_id() }) }
    end
  end
  return { session = author.session, turn = author.turn, blocks = block_list.of(own), before = before }
end

--- The layers after edits of an agent. To a layer of another turn they are as a user's.
---@param layers acp.TurnLayer[]
---@param blocks acp.Blocks  the hunks before the edits
---@param lines string[]     the text before them
---@param edits acp.Edit[]
---@param author acp.Author
---@param is_mixed? fun(old: string[], new: string[]): boolean
---@return acp.TurnLayer[]
function M.agent(layers, blocks, lines, edits, author, is_mixed)
  if not M.of(layers, author) and meets_others(blocks, edits, author) then
    layers = vim.tbl_filter(function(layer)
      return layer.session ~= author.session
    end, layers)
    layers[#layers + 1] = new_layer(blocks, author)
  end
  return M.map(layers, function(own, layer)
    local is_own = changes.is_same_turn(layer, author)
    return is_own and attribution.agent(own, lines, edits, author, is_mixed) or attribution.user(own, edits)
  end)
end

-- Decisions -------------------------------------------------------------------------------------------------------------

--- The layers without what is in the place of these changes, on which the user has decided.
---@param layers acp.TurnLayer[]
---@param chosen acp.Placed[]
---@return acp.TurnLayer[]
function M.without(layers, chosen)
  local edits = {}
  for _, placed in ipairs(chosen) do
    if #placed.item.new > 0 then
      edits[#edits + 1] = { placed.row, placed.row + #placed.item.new, placed.item.new }
    end
  end
  return M.map(layers, function(blocks)
    local deletions = {}
    for _, placed in ipairs(chosen) do
      local from, to = block_list.near(blocks, placed.row, placed.row + #placed.item.new)
      for i = from, to do
        deletions[blocks.changes[i].id] = #blocks.changes[i].new == 0 or nil
      end
    end
    blocks = next(deletions) and block_list.without(blocks, deletions, false) or blocks
    return attribution.user(blocks, edits)
  end)
end

---@param authors acp.Author[]
---@return acp.Author?
local function newest(authors)
  local found = nil
  for _, each in ipairs(authors) do
    found = found and found.turn >= each.turn and found or each
  end
  return found
end

--- The hunks once changes of the layer are undone. If nothing of the turn is left, its hunks hold lines of earlier turns
--- alone: they are the newest one's of those.
---@param layer acp.TurnLayer
---@param blocks acp.Blocks
---@param lines string[]
---@param edits acp.Edit[]  which undo the changes
---@return acp.Blocks
function M.undo(layer, blocks, lines, edits)
  local melted = attribution.agent(blocks, lines, edits, { session = layer.session, turn = layer.turn, by = "agent" })
  local is_whole, is_untouched = #edits == #layer.blocks.rows, {}
  for _, change in ipairs(blocks.changes) do
    is_untouched[change] = not (is_whole and changes.is_same_turn(change, layer) and #change.earlier > 0)
  end
  melted.changes = vim.tbl_map(function(change)
    local owner = not is_untouched[change] and (newest(change.earlier) or newest(layer.before))
    local earlier = vim.tbl_filter(function(each)
      return owner and not changes.is_same_turn(each, owner)
    end, change.earlier)
    local author = owner and { session = owner.session, turn = owner.turn, by = owner.by, earlier = earlier }
    return author and changes.with(change, author) or change
  end, melted.changes)
  return melted
end

return M
