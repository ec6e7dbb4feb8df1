-- Writes the report with which an agent's next prompt begins: what has become of its lines, as a unified diff from them
-- to the text in their place.
--
--   the agent wrote   a B c d          @@ -1,4 +1,4 @@
--   the text is       a x c d           a
--   gone: B at row 1                   -B
--                                      +x
--                                       c
--                                       d
local limits = require("acp_nvim.limits")

local M = {}

local CONTEXT = 2 -- lines

---@class acp.ToldLines
---@field undone integer   changes that are as if the agent had not made them
---@field changed integer
---@field lines string[]   a unified diff, or the beginning of one
---@field more integer     lines that it has beyond those

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

--- What an agent is to be told of its lines.
---@param parts acp.LostPart[]  ascending
---@param lines string[]         the text
---@return acp.ToldLines?
function M.report(parts, lines)
  local said = { undone = 0, changed = 0, lines = {}, more = 0 }
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
