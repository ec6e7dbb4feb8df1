-- Knows what each agent knows of a text, and which of its lines the user has changed since. The agent's next prompt
-- begins with a report of that.
--
--   live       a x c d e     the user has made x of B, and added e
--   known      a B c d       what the agent knows: what agents and programs write is known at once
--   without    a   c         the same without its own lines, B and d
--
-- Reported is what differs between the known and the live text in lines of the agent's own: B. Of e nothing is told.
-- Once it is told both texts catch up.
local limits = require("acp_nvim.limits")
local patches = require("acp_nvim.documents.patch")

local M = {}

local CONTEXT = 2 -- lines

---@class acp.ToldTexts
---@field known acp.Patch    of the live text
---@field without acp.Patch  of the known one

---@class acp.Told  of one session
---@field now acp.ToldTexts
---@field sent? acp.ToldTexts  what will be known once the report that was sent last has arrived
---@field has_deleted? boolean  the agent has deleted the file, and does not know that it is back

---@alias acp.ToldSessions table<integer, acp.Told>

---@class acp.LostPart  lines of an agent's that are gone, or lines that are back
---@field row integer     of the text
---@field was string[]    the agent's
---@field now string[]    what stands there
---@field is_undone boolean  it is as if the agent had not made the change

---@class acp.ToldLines
---@field undone integer   changes that are as if the agent had not made them
---@field changed integer
---@field lines string[]   a unified diff, or the beginning of one
---@field more integer     lines that it has beyond those

--- Changes what is known, and what will be.
---@param told acp.ToldSessions
---@param fn fun(texts: acp.ToldTexts, session: integer): acp.ToldTexts
local function each(told, fn)
  for session, one in pairs(told) do
    one.now, one.sent = fn(one.now, session), one.sent and fn(one.sent, session)
  end
end

--- The user edits the text: no agent knows.
---@param told acp.ToldSessions
---@param lines string[]  before the edits
---@param edits acp.Edit[]
function M.user(told, lines, edits)
  each(told, function(texts)
    return { known = patches.absorb(texts.known, edits, lines), without = texts.without }
  end)
end

--- An agent or a program edits it: everybody knows. What an agent writes is its own.
---@param told acp.ToldSessions
---@param lines string[]  before the edits
---@param edits acp.Edit[]
---@param writer? integer  the session
function M.others(told, lines, edits, writer)
  if writer and not told[writer] then
    told[writer] = { now = { known = patches.new(), without = patches.new() } }
  end
  each(told, function(texts, session)
    local known, carried = patches.down(texts.known, edits)
    local without ---@type acp.Patch
    if session == writer then
      without = patches.absorb(texts.without, carried, patches.below(texts.known, lines))
    else
      without = patches.down(texts.without, carried)
    end
    return { known = known, without = without }
  end)
end

--- An agent has deleted the file.
---@param told acp.ToldSessions
---@param session integer
function M.deleted(told, session)
  if told[session] then
    told[session].has_deleted = true
  end
end

--- What the agent knows catches up with the text.
---@param texts acp.ToldTexts
---@param lines string[]
---@return acp.ToldTexts
local function caught_up(texts, lines)
  local edits, known = {}, texts.known
  for i, at in ipairs(known.at) do
    local now = vim.list_slice(lines, at + 1, at + known.n[i])
    edits[i] = { known.from[i], known.from[i] + #known.old[i], now }
  end
  return { known = patches.new(), without = (patches.down(texts.without, edits)) }
end

--- The report about the session's lines was sent: what it says will be known.
---@param told acp.ToldSessions
---@param session integer
---@param lines string[]
function M.sent(told, session, lines)
  if told[session] then
    told[session].sent = caught_up(told[session].now, lines)
  end
end

--- The agent has got it.
---@param told acp.ToldSessions
---@param session integer
function M.arrived(told, session)
  local one = told[session]
  if one and one.sent then
    one.now, one.sent, one.has_deleted = one.sent, nil, nil
  end
end

--- The stretches of a hunk that are about the agent's own lines. n lines for n pair by position.
---@param known acp.PatchHunk  of the live text
---@param own acp.Patch        the text without the agent's lines
---@return { [1]: integer, [2]: integer }[]  rows of its old lines, from 0
local function own_stretches(known, own)
  local first, last, pairs_up = known.from, known.from + #known.old, known.n == #known.old
  local found = {}
  for i = patches.first_from(own, first), #own.at do
    local low, high = math.max(own.at[i], first), math.min(own.at[i] + own.n[i], last)
    if own.at[i] > last then
      break
    elseif low < high then
      found[#found + 1] = { low - first, high - first }
    end
  end
  return pairs_up and found or { { 0, #known.old } }
end

--- The agent's own lines in a stretch of a hunk.
---@param hunk acp.PatchHunk
---@param own acp.Patch
---@param stretch { [1]: integer, [2]: integer }
---@return string[]
local function own_lines(hunk, own, stretch)
  local found = {}
  for row = stretch[1], stretch[2] - 1 do
    local i = patches.first_from(own, hunk.from + row + 1)
    local is_own = own.at[i] and own.at[i] <= hunk.from + row and hunk.from + row < own.at[i] + own.n[i]
    found[#found + 1] = is_own and hunk.old[row + 1] or nil
  end
  return found
end

--- Whether the part is as if the agent had not made the change of these rows.
---@param texts acp.ToldTexts
---@param part acp.LostPart
---@param first integer  rows of the known text
---@param last integer
---@return boolean
local function is_undone(texts, part, first, last)
  local own = texts.without
  local i = patches.first_from(own, first)
  while own.at[i] and own.at[i] + own.n[i] <= first and own.n[i] > 0 do
    i = i + 1
  end
  return own.at[i] == first and own.at[i] + own.n[i] == last and vim.deep_equal(own.old[i], part.now)
end

--- Lines that the agent has deleted at the hunk, and that are among those there now.
---@param hunk acp.PatchHunk
---@param own acp.Patch
---@param lines string[]
---@param parts acp.LostPart[]
local function put_back(hunk, own, lines, parts)
  local deleted, is_whole = {}, false ---@type table<string, true>
  local now = vim.list_slice(lines, hunk.at + 1, hunk.at + hunk.n)
  for i = patches.first_from(own, hunk.from), #own.at do
    if own.at[i] > hunk.from + #hunk.old then
      break
    end
    for _, line in ipairs(own.n[i] == 0 and own.old[i] or {}) do
      deleted[line] = true
    end
    is_whole = is_whole or (own.n[i] == 0 and vim.deep_equal(own.old[i], now))
  end
  local part = nil ---@type acp.LostPart?
  for n, line in ipairs(now) do
    if deleted[line] then
      part = part or { row = hunk.at + n - 1, was = {}, now = {}, is_undone = is_whole }
      table.insert(part.now, line)
    end
    if part and (not deleted[line] or n == #now) then
      parts[#parts + 1], part = part, nil
    end
  end
end

--- What has become of the lines of a session's agent, ascending.
---@param told acp.ToldSessions
---@param session integer
---@param lines string[]
---@return acp.LostPart[]
function M.parts(told, session, lines)
  local parts, texts = {}, told[session] and told[session].now
  for i, at in ipairs(texts and texts.known.at or {}) do
    local known, count = texts.known, #parts
    local hunk = { at = at, n = known.n[i], from = known.from[i], old = known.old[i] }
    for _, stretch in ipairs(own_stretches(hunk, texts.without)) do
      local is_whole = stretch[1] == 0 and stretch[2] == #hunk.old
      local row, stop = at + stretch[1], is_whole and at + hunk.n or at + stretch[2]
      local part = { row = row, now = vim.list_slice(lines, row + 1, stop) }
      part.was = own_lines(hunk, texts.without, stretch)
      part.is_undone = is_undone(texts, part, hunk.from + stretch[1], hunk.from + stretch[2])
      parts[#parts + 1] = #part.was > 0 and part or nil
    end
    if #parts == count then
      put_back(hunk, texts.without, lines, parts)
    end
  end
  return parts
end

-- The report ----------------------------------------------------------------------------------------------------------

---@param out string[]
---@param prefix string
---@param lines string[]
---@param first integer  from 1
---@param last integer
local function put(out, prefix, lines, first, last)
  for i = math.max(first, 1), math.min(last, #lines) do
    out[#out + 1] = prefix .. lines[i]
  end
end

---@param from integer  row
---@param count integer
---@return string
local function range(from, count)
  return ("%d,%d"):format(from + (count > 0 and 1 or 0), count)
end

--- A hunk for each part, with lines around it; no line stands in two of them.
---@param lines string[]
---@param parts acp.LostPart[]  ascending
---@return string[][]
local function hunks_of(lines, parts)
  local hunks, done, shift = {}, 0, 0 -- shift: how many lines the text has more than the agent's
  for n, part in ipairs(parts) do
    local stop, following = part.row + #part.now, parts[n + 1]
    local first = math.max(done, part.row - CONTEXT)
    done = math.min(stop + CONTEXT, following and following.row or #lines, #lines)
    local news = done - first
    local olds = news - #part.now + #part.was
    local hunk = { ("@@ -%s +%s @@"):format(range(first - shift, olds), range(first, news)) }
    put(hunk, " ", lines, first + 1, part.row)
    put(hunk, "-", part.was, 1, #part.was)
    put(hunk, "+", part.now, 1, #part.now)
    put(hunk, " ", lines, stop + 1, done)
    hunks[n] = hunk
    shift = shift + #part.now - #part.was
  end
  return hunks
end

--- What the agent of a session is to be told of its lines, as a unified diff from them to the text in their place.
---
---   the agent wrote   a B c d          @@ -1,4 +1,4 @@
---   the text is       a x c d           a
---   gone: B at row 1                   -B
---                                      +x
---                                       c
---                                       d
---@param told acp.ToldSessions
---@param session integer
---@param lines string[]
---@return acp.ToldLines?
function M.report(told, session, lines)
  local parts, said = M.parts(told, session, lines), { undone = 0, changed = 0, lines = {}, more = 0 }
  for _, part in ipairs(parts) do
    local what = part.is_undone and "undone" or "changed"
    said[what] = said[what] + 1
  end
  for _, hunk in ipairs(hunks_of(lines, parts)) do
    local fitting = math.min(#hunk, limits.LOST_LINES - #said.lines)
    vim.list_extend(said.lines, hunk, 1, fitting)
    said.more = said.more + #hunk - fitting
  end
  return #parts > 0 and said or nil
end

return M
