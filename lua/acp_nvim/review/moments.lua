-- Remembers what was known of a text by the states of the buffer's undo tree: when `u` and `<C-r>` lead to such a
-- state, its turns are there again, and what waited waits again. What has been kept since stays kept.
--
--   state 1    a X c    the agent has made X of b: b | X is pending
--   state 2    a b c    the hunk is undone: nothing is pending
--   `u`        a X c    state 1 again, and b | X is pending
--
-- The texts that there have been are a tree, as the states are: each has been made of another one by edits. What was
-- kept since is followed along them, line by line, when a state comes again.
local limits = require("acp_nvim.limits")
local patches = require("acp_nvim.documents.patch")
local stack = require("acp_nvim.review.stack")

local M = {}

---@class acp.KeptHunk
---@field row integer  of the text when it was kept
---@field old string[]
---@field new string[]

---@class acp.TextVersion
---@field number integer       later ones have higher numbers
---@field parent? acp.TextVersion  nil: it is the first, or those before are forgotten
---@field before? acp.Patch    the parent's text, of this one
---@field after? acp.Patch     this text, of the parent's

---@class acp.Moment
---@field seq integer
---@field text acp.TextVersion
---@field keeps integer  how often something had been kept
---@field known acp.Known

---@class acp.Memory
---@field text acp.TextVersion  the present one
---@field keeps { text: acp.TextVersion, hunks: acp.KeptHunk[] }[]
---@field moments acp.Moment[]  the newest last
---@field since? acp.Patch      the text of the newest moment, of the present one; nil: not only the user has edited it

---@return acp.Memory
function M.new()
  return { text = { number = 0 }, keeps = {}, moments = {}, since = patches.new() }
end

--- The text is edited.
---@param memory acp.Memory
---@param lines string[]  before the edits
---@param edits acp.Edit[]
---@param is_users boolean  whose edits `u` takes back
function M.edited(memory, lines, edits, is_users)
  if #memory.moments == 0 or #edits == 0 then
    return
  end
  local before, after, shift = patches.new(), patches.new(), 0
  for i, edit in ipairs(edits) do
    local first, size, news = edit[1], edit[2] - edit[1], edit[3]
    before.at[i], before.n[i], before.from[i] = first + shift, #news, first
    before.old[i] = vim.list_slice(lines, first + 1, edit[2])
    after.at[i], after.n[i], after.from[i], after.old[i] = first, size, first + shift, news
    shift = shift + #news - size
  end
  memory.text = { number = memory.text.number + 1, parent = memory.text, before = before, after = after }
  memory.since = is_users and memory.since and patches.absorb(memory.since, edits, lines) or nil
end

--- Hunks are kept: those of the present text, or of one below it, where later turns have changed their lines.
---@param memory acp.Memory
---@param lines string[]  the present text
---@param kept acp.KeptText
function M.kept(memory, lines, kept)
  local text = memory.text
  if kept.lines ~= lines then
    local before, after = patches.between(kept.lines, lines), patches.between(lines, kept.lines)
    text = { number = text.number, parent = text, before = before, after = after }
  end
  memory.keeps[#memory.keeps + 1] = { text = text, hunks = kept.hunks }
end

--- What is known has changed without the text: the same text is not the same state any more.
---@param memory acp.Memory
function M.differs(memory)
  memory.since = nil
end

-- What was kept, in another text --------------------------------------------------------------------------------------

---@class acp.KeptRows  rows of a text that stand for lines of a kept hunk; without any, the place of a deletion
---@field row integer
---@field n integer
---@field k integer      the first of them in the hunk, from 0
---@field text? string   of a single one: another text than the hunk's
---@field hunk acp.KeptHunk

--- The rows in the text below a patch. Where texts differ, lines pair by position.
---@param list acp.KeptRows[]
---@param patch acp.Patch
---@return acp.KeptRows[]
local function below(list, patch)
  local result = {}
  for _, rows in ipairs(list) do
    local row, stop, hunk = rows.row, rows.row + rows.n, rows.hunk
    local i, offset = patches.first_from(patch, row)
    local function put(at, n, text)
      result[#result + 1] = { row = at, n = n, k = rows.k + row - rows.row, text = text, hunk = hunk }
    end
    if rows.n == 0 then
      local from = patch.at[i] and patch.at[i] < row and patch.at[i] or nil
      if not from then
        put(row + offset, 0)
      elseif from + patch.n[i] == row then
        put(patch.from[i] + #patch.old[i], 0)
      end
    end
    while row < stop do
      local at = patch.at[i] or math.huge
      local last = at + (patch.n[i] or 0)
      if last <= row then
        offset, i = patch.from[i] + #patch.old[i] - last, i + 1
      elseif at <= row then
        local text = patch.old[i][row - at + 1]
        if text then
          put(patch.from[i] + row - at, 1, text ~= hunk.new[rows.k + row - rows.row + 1] and text or nil)
        end
        row = row + 1
      else
        local n = math.min(stop, at) - row
        put(row + offset, n, rows.text)
        row = row + n
      end
    end
  end
  return result
end

--- Rows of one hunk that follow each other, with the lines that it has.
---@param list acp.KeptRows[]
---@param places acp.StackPlace[]  of the text
---@return acp.Edit[]
local function decided(list, places)
  local edits = {}
  table.sort(list, function(one, other)
    return one.row < other.row
  end)
  local p = 1
  for _, rows in ipairs(list) do
    local first, last, before = rows.row, rows.row + rows.n, edits[#edits]
    while places[p] and places[p].at + places[p].n < first do
      p = p + 1
    end
    local place = places[p]
    local is_there = place and place.at <= last and (place.at < last or rows.n == 0)
    if rows.n == 0 then
      is_there = is_there and place.n == 0 and vim.deep_equal(place.old, rows.hunk.old)
    end
    if is_there and not rows.text and before and before[2] == first then
      before[2] = last
      vim.list_extend(before[3], rows.hunk.new, rows.k + 1, rows.k + rows.n)
    elseif is_there and not rows.text and (not before or before[2] < first) then
      edits[#edits + 1] = { first, last, vim.list_slice(rows.hunk.new, rows.k + 1, rows.k + rows.n) }
    end
  end
  return edits
end

--- The turns once hunks are kept: each of their texts that has the lines over the reviewed ones has them in all below.
---@param turns acp.Turn[]
---@param list acp.KeptRows[]  of the live text
---@return acp.Turn[]
local function keep_in(turns, list)
  local i = #turns
  while i > 0 and not turns[i].allowed do
    local lower = vim.list_slice(turns, 1, i)
    local edits = decided(list, stack.places(lower))
    list = below(list, turns[i].patch)
    if #edits > 0 then
      lower = stack.take(lower, edits, true)
      turns = vim.list_extend(vim.list_slice(lower), turns, i + 1)
      i = math.min(i, #lower)
    end
    i = i - 1
  end
  return turns
end

---@param kept acp.KeptHunk[]
---@return acp.KeptRows[]
local function rows_of(kept)
  return vim.tbl_map(function(hunk)
    return { row = hunk.row, n = #hunk.new, k = 0, hunk = hunk }
  end, kept)
end

--- The turns of another text that is known, without what was kept here.
---@param turns acp.Turn[]
---@param kept acp.KeptHunk[]
---@param patch acp.Patch  the other text, of this one
---@return acp.Turn[]
function M.without(turns, kept, patch)
  return keep_in(turns, below(rows_of(kept), patch))
end

--- The rows in another text of the tree.
---@param list acp.KeptRows[]
---@param from acp.TextVersion
---@param to acp.TextVersion
---@return acp.KeptRows[]
local function along(list, from, to)
  local down, above = {}, {} ---@type acp.TextVersion[], table<acp.TextVersion, true>
  local text = from ---@type acp.TextVersion?
  while text do
    above[text], text = true, text.parent
  end
  text = to
  while text and not above[text] do
    down[#down + 1], text = text, text.parent
  end
  if not text then
    return {} -- what is between them is forgotten
  end
  while from ~= text do
    list, from = below(list, from.before), from.parent --[[@as acp.TextVersion]]
  end
  for i = #down, 1, -1 do
    list = below(list, down[i].after)
  end
  return list
end

--- The turns of a state, without what was kept since.
---@param memory acp.Memory
---@param moment acp.Moment
---@return acp.Turn[]
local function by_now(memory, moment)
  local turns = moment.known.turns
  for i = moment.keeps + 1, #memory.keeps do
    local keep = memory.keeps[i]
    turns = #turns > 0 and keep_in(turns, along(rows_of(keep.hunks), keep.text, moment.text)) or turns
  end
  return turns
end

-- States --------------------------------------------------------------------------------------------------------------

--- Forgets the oldest states, and the texts before all that are left.
---@param memory acp.Memory
local function prune(memory)
  local moments, hunks, first = memory.moments, 0, 1
  local seen = {} ---@type table<table, true>  most states share theirs
  for i = #moments, 1, -1 do
    for _, turn in ipairs(moments[i].known.turns) do
      hunks = hunks + (seen[turn.patch.at] and 0 or #turn.patch.at)
      seen[turn.patch.at] = true
    end
    if i <= #moments - limits.UNDO_STATES or (hunks > limits.UNDO_STATES_CHANGES and i < #moments) then
      first = i + 1
      break
    end
  end
  if first == 1 then
    return
  end
  memory.moments = vim.list_slice(moments, first)
  local oldest, keeps, met = math.huge, math.huge, {} ---@type number, number, table<acp.TextVersion, true>
  for _, moment in ipairs(memory.moments) do
    oldest, keeps = math.min(oldest, moment.text.number), math.min(keeps, moment.keeps)
  end
  memory.keeps = vim.list_slice(memory.keeps, keeps + 1)
  for _, moment in ipairs(memory.moments) do
    moment.keeps = moment.keeps - keeps
    local text = moment.text ---@type acp.TextVersion?
    while text and not met[text] do
      met[text] = true
      text.parent = text.number > oldest and text.parent or nil
      text = text.parent
    end
  end
end

--- The buffer is in that state of its undo tree now.
---@param memory acp.Memory
---@param seq integer
---@param known acp.Known
function M.remember(memory, seq, known)
  local moments = memory.moments
  for i = #moments, math.max(1, #moments - 1), -1 do
    if moments[i].seq == seq then
      table.remove(moments, i)
    end
  end
  moments[#moments + 1] = { seq = seq, text = memory.text, keeps = #memory.keeps, known = known }
  memory.since = patches.new()
  prune(memory)
end

--- The text is that of the state: what is known of it.
---@param memory acp.Memory
---@param seq integer
---@return acp.Known?
---@return acp.Turn[]?  without what was kept since
function M.recall(memory, seq)
  for i = #memory.moments, 1, -1 do
    local moment = memory.moments[i]
    if moment.seq == seq then
      memory.text, memory.since = moment.text, patches.new()
      return moment.known, by_now(memory, moment)
    end
  end
end

--- Whether the text is that of the state that was remembered last.
---@param memory acp.Memory
---@return boolean
function M.is_back(memory)
  return #memory.moments > 0 and memory.since ~= nil and #memory.since.at == 0
end

--- Whether `u` or `<C-r>` may lead to a state in which something is pending.
---@param memory acp.Memory
---@return boolean
function M.has_pending(memory)
  local seen = {} ---@type table<acp.Turn[], true>
  for i = #memory.moments, 1, -1 do
    local moment = memory.moments[i]
    local turns = moment.known.turns
    if #turns > 0 and not seen[turns] and #stack.places(by_now(memory, moment)) > 0 then
      return true
    end
    seen[turns] = true
  end
  return false
end

--- Nothing of that session is pending in any state: it has ended.
---@param memory acp.Memory
---@param session integer
function M.forget_session(memory, session)
  for _, moment in ipairs(memory.moments) do
    local edits, known = {}, moment.known
    for i, change in ipairs(known.waiting and known.waiting.changes or {}) do
      local row = known.waiting.rows[i]
      edits[#edits + 1] = change.session == session and { row, row + #change.new, change.new } or nil
    end
    if #edits > 0 then
      local turns = stack.take(known.turns, edits, true)
      moment.known = vim.tbl_extend("force", known, { turns = turns, before = known.waiting })
      moment.known.waiting, moment.known.edit = nil, nil
    end
  end
end

return M
