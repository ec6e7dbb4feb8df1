-- Writes the report with which an agent's next prompt begins: what has become of its lines, as a unified diff from them
-- to the text in their place.
--
--   the agent wrote   a B c d          @@ -1,4 +1,4 @@
--   the text is       a x c d           a
--   lost: B at row 1                   -B
--                                      +x
--                                       c
--                                       d
local diff = require("acp_nvim.documents.diff")
local limits = require("acp_nvim.limits")

local M = {}

local CONTEXT = 2 -- lines

---@class acp.Told
---@field undone integer   changes that are as if the agent had not made them
---@field changed integer
---@field lines string[]   a unified diff, or the beginning of one
---@field more integer     lines that it has beyond those

---@class acp.LostPart
---@field lost acp.Lost
---@field edits acp.Edit[]  from the agent's lines to those in their place

--- The lines of `lost` that differ from those in their place, and whether those are the ones before the agent.
---@param lines string[]
---@param lost acp.Lost
---@return acp.LostPart?  nil: the agent's lines are there again
---@return "undone"|"changed"
local function part_of(lines, lost)
  local now = vim.list_slice(lines, lost.row + 1, lost.row + lost.count)
  local edits = diff.edits(lost.was, now)
  local is_undone = lost.undone ~= nil and vim.deep_equal(now, lost.undone)
  return #edits > 0 and { lost = lost, edits = edits } or nil, is_undone and "undone" or "changed"
end

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

---@param body string[]
---@param part acp.LostPart
local function put_part(body, part)
  local was, at = part.lost.was, 1
  for _, edit in ipairs(part.edits) do
    put(body, " ", was, at, edit[1])
    put(body, "-", was, edit[1] + 1, edit[2])
    put(body, "+", edit[3], 1, #edit[3])
    at = edit[2] + 1
  end
  put(body, " ", was, at, #was)
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
    local lost, following = part.lost, parts[n + 1]
    local first, stop = math.max(done, lost.row - CONTEXT), lost.row + lost.count
    done = math.min(stop + CONTEXT, following and following.lost.row or #lines, #lines)
    local news = done - first
    local olds = news - lost.count + #lost.was
    local hunk = { ("@@ -%s +%s @@"):format(range(first - shift, olds), range(first, news)) }
    put(hunk, " ", lines, first + 1, lost.row)
    put_part(hunk, part)
    put(hunk, " ", lines, stop + 1, done)
    hunks[n] = hunk
    shift = shift + lost.count - #lost.was
  end
  return hunks
end

--- What an agent's session is to be told, and which of `all` that is about.
---@param all acp.Lost[]
---@param lines string[]  the text
---@param session integer
---@return acp.Told?
---@return acp.Lost[] about
function M.report(all, lines, session)
  local told, about, parts = { undone = 0, changed = 0, lines = {}, more = 0 }, {}, {}
  for _, lost in ipairs(all) do
    if lost.session == session and not lost.told then
      about[#about + 1] = lost
      local part, what = part_of(lines, lost)
      if part then
        parts[#parts + 1] = part
        told[what] = told[what] + 1
      end
    end
  end
  table.sort(parts, function(one, other)
    return one.lost.row < other.lost.row
  end)
  for _, hunk in ipairs(hunks_of(lines, parts)) do
    local fitting = math.min(#hunk, limits.LOST_LINES - #told.lines)
    vim.list_extend(told.lines, hunk, 1, fitting)
    told.more = told.more + #hunk - fitting
  end
  return #parts > 0 and told or nil, about
end

return M
