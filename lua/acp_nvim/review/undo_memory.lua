-- Remembers the changes of a text by the states of the buffer's undo tree: when `u` and `<C-r>` lead to such a state,
-- its changes are pending again. What has been kept since stays kept.
--
--   state 1    a X c    the agent has made X of b: b | X is pending
--   state 2    a b c    the hunk is undone: nothing is pending
--   `u`        a X c    state 1 again, and b | X is pending
local block_list = require("acp_nvim.review.block_list")
local changes = require("acp_nvim.review.change")
local limits = require("acp_nvim.limits")
local pending_changes = require("acp_nvim.review.pending_changes")
local turn_layer = require("acp_nvim.review.turn_layer")

local M = {}

--- The pending changes of then, without those and the parts of those that have been kept since.
---@param text acp.Pending
---@param blocks acp.Blocks
---@return acp.Blocks
---@return acp.Placed[] kept  those of which a part is kept by now
local function still_pending(text, blocks)
  local parts, kept = {}, {}
  for i, row in ipairs(blocks.rows) do
    local change = blocks.changes[i]
    local rest = changes.minus(change, text.kept[change.born] or {})
    if #rest ~= 1 or rest[1] ~= change then
      kept[#kept + 1] = { row = row, item = change }
    end
    for _, part in ipairs(rest) do
      if text.kept_ids[part.id] then
        part = changes.with(part, { id = changes.new_id() })
      end
      parts[#parts + 1] = { row = row + part.new_at - change.new_at, item = part }
    end
  end
  return block_list.of(parts), kept
end

--- The decided changes of then, with those that have been kept since.
---@param text acp.Pending
---@param before acp.DecidedChange[]
---@return acp.DecidedChange[]
local function decided_by_now(text, before)
  local decided, is_told = {}, {}
  for _, each in ipairs(before) do
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
  return pending_changes.bounded(decided)
end

---@param text acp.Pending
---@param known acp.Known
---@return acp.Known
local function recalled(text, known)
  local blocks, kept = still_pending(text, known.blocks)
  local layers = #kept > 0 and turn_layer.without(known.layers, kept) or known.layers
  local decided = decided_by_now(text, known.decided)
  known = { blocks = blocks, decided = decided, lost = known.lost, layers = layers }
  return pending_changes.without_empty_layers(text, known)
end

--- The buffer is in that state of its undo tree now.
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

--- The user has gone back or forth to that state: what was known there is known again.
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

--- Whether `u` or `<C-r>` may lead to a state in which something is pending.
---@param text acp.Pending
---@return boolean
function M.has_pending(text)
  local seen = {} ---@type table<acp.AgentChange, true>  most states share theirs
  for _, moment in ipairs(text.moments) do
    for _, change in ipairs(moment.known.blocks.changes) do
      if not seen[change] and #changes.minus(change, text.kept[change.born] or {}) > 0 then
        return true
      end
      seen[change] = true
    end
  end
  return false
end

--- Nothing of that session is pending in any state: it has ended.
---@param text acp.Pending
---@param session integer
function M.forget_session(text, session)
  for _, moment in ipairs(text.moments) do
    local known, ids = moment.known, {}
    for _, change in ipairs(known.blocks.changes) do
      ids[change.id] = change.session == session or nil
    end
    if next(ids) then
      moment.known = vim.tbl_extend("force", known, {
        blocks = block_list.without(known.blocks, ids, false),
        layers = turn_layer.without(known.layers, block_list.chosen(known.blocks, ids)),
      })
    end
  end
end

--- A text that was known is there again by other means, such as `:edit!`.
---@param text acp.Pending
---@param lines string[]
---@param known acp.Known
function M.restore(text, lines, known)
  text.lines, text.known = lines, recalled(text, known)
end

--- Forgets all states: another buffer numbers its own.
---@param text acp.Pending
function M.forget(text)
  text.moments = {}
end

return M
