-- Remembers what turns have found in a text, so that it can be told which lines the user has written since.
--
--   found      a b c
--   the turn   a X c
--   the user   a X c mine
--   undone     a b c mine     one line of the user's is left
--
-- It is the text below all turns without what the user has edited since: other programs' edits, and those that decide
-- to keep a change, are carried into it.
local diff = require("acp_nvim.documents.diff")
local limits = require("acp_nvim.limits")
local patches = require("acp_nvim.documents.patch")
local stack = require("acp_nvim.review.stack")

local M = {}

---@class acp.TurnBase
---@field session integer
---@field turn integer
---@field lines string[]

---@param text acp.ReviewedText
---@param of { session: integer, turn: integer }
---@return acp.TurnBase?
local function base_of(text, of)
  return vim.iter(text.bases):find(function(base)
    return base.session == of.session and base.turn == of.turn
  end)
end

--- A turn has made an edit: what it has found is remembered with its first one.
---@param text acp.ReviewedText
---@param author acp.Author
function M.remember(text, author)
  for _, of in ipairs({ author, author.other }) do
    if not base_of(text, of) then
      local is_full = #text.known.turns >= limits.TURNS_OF_FILE -- the lowest turns may be forgotten with this one
      local lines = stack.lowest(text.known.turns, text.lines)
      text.bases = is_full and {} or text.bases
      table.insert(text.bases, { session = of.session, turn = of.turn, lines = lines })
    end
  end
end

--- Another program has edited the text, or the user keeps a change.
---@param text acp.ReviewedText
---@param edits acp.Edit[]
---@param is_closed? boolean  they decide on hunks
---@param lines? string[]     of these lines, which are not the live ones
function M.edit(text, edits, is_closed, lines)
  for _, base in ipairs(#edits > 0 and text.bases or {}) do
    local _, below = patches.down(patches.between(lines or text.lines, base.lines), edits, is_closed)
    base.lines = diff.apply(base.lines, below)
  end
end

--- What the user saves while the turn runs counts as found by it.
---@param text acp.ReviewedText
---@param session integer
---@param turn? integer  which runs
function M.save_in_turn(text, session, turn)
  local base = turn and base_of(text, { session = session, turn = turn })
  if base then
    base.lines = stack.lowest(text.known.turns, text.lines)
  end
end

--- How many lines the user has written or deleted since the turn.
---@param text acp.ReviewedText
---@param what acp.WrittenBy
---@return integer
function M.users_lines(text, what)
  local base, count = base_of(text, what), 0
  for _, edit in ipairs(base and diff.edits(base.lines, stack.lowest(text.known.turns, text.lines)) or {}) do
    count = count + math.max(edit[2] - edit[1], #edit[3])
  end
  return count
end

return M
