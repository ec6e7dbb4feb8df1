-- Defines the subcommands of `:Acp` for changes in review: list, keep, undo.
local changes_quickfix = require("acp_nvim.commands.changes_quickfix")
local key_names = require("acp_nvim.review.key_names")
local messages = require("acp_nvim.ui.messages")
local requests = require("acp_nvim.backend.session_requests")
local review = require("acp_nvim.review")
local review_keys = require("acp_nvim.review.keys")
local state = require("acp_nvim.backend.session_store")
local turn_changes = require("acp_nvim.chat.turn_changes")

local api = vim.api
local subcommands = {} ---@type table<string, acp.Subcommand>

--- The turn that is meant: of whose line in the chat is under the cursor, else the newest that has something pending.
---@param n integer
---@param undoable? boolean
---@return integer?
local function turn_of(n, undoable)
  local turn, session = turn_changes.turn_here()
  return session == n and turn or review.newest_turn(n, undoable)
end

--- "3 pending in session 1", or nil.
---@param but integer  this session does not count
---@return string?
local function pending_elsewhere(but)
  local found = {}
  for n, count in vim.spairs(review.pending_by_session()) do
    if n ~= but then
      found[#found + 1] = ("%d pending in session %d"):format(count, n)
    end
  end
  return #found > 0 and table.concat(found, ", ") or nil
end

--- Nothing is left to decide: what else is there?
---@param verb "keep"|"undo"|"review"
---@param n? integer     nil: in all sessions
---@param turn? integer  of which nothing is left; nil: of the session
---@return string
local function nothing_left(verb, n, turn)
  local text = ("nothing left to %s"):format(verb)
  local rest = turn and review.pending_by_session()[n]
  local others = n and not rest and pending_elsewhere(n)
  if not n then
    return text
  elseif rest then
    local all = verb == "review" and "review session" or verb .. " all"
    return ("%s in this turn (%d pending in the session: :Acp %s)"):format(text, rest, all)
  end
  return ("%s in this session%s"):format(text, others and (" (%s: :Acp review all)"):format(others) or "")
end

--- What waits beside the changes that are meant, and the command that lists it: "3 in other turns: :Acp review session",
--- "3 pending in session 1: :Acp review all". Nil if nothing does.
---@param n? integer     nil: all sessions are meant
---@param turn? integer  nil: all of the session
---@return string?
local function waiting_beside(n, turn)
  if not n then
    return nil
  end
  local beside = #review.pending(n) - #review.pending(n, turn)
  local others = pending_elsewhere(n)
  if others then
    return ("%s%s: :Acp review all"):format(beside > 0 and ("%d in other turns, "):format(beside) or "", others)
  end
  return beside > 0 and ("%d in other turns: :Acp review session"):format(beside) or nil
end

-- The list -------------------------------------------------------------------------------------------------------------

--- "change 1 of 3 · ,k keep · ,u undo · ]h next · :copen list". What else waits elsewhere stands before the keys: a narrow
--- screen cuts the end off, and the hunk names its keys.
---@param items table[]
---@param what acp.Reviewed
---@return string
local function how_to_go_on(items, what)
  local told = key_names.told(api.nvim_get_current_buf())
  local is_one_file = vim.iter(items):all(function(item)
    return item.filename == items[1].filename
  end)
  local beside = waiting_beside(what.session, what.turn)
  local parts = { ("change 1 of %d"):format(#items), beside }
  vim.list_extend(parts, {
    key_names.phrase(told.keep, "keep"),
    key_names.phrase(told.undo, "undo"),
    is_one_file and key_names.phrase(told.next, "next") or ":cnext next",
    ":copen list",
  })
  return table.concat(parts, " · ")
end

---@param word? string
---@return acp.Reviewed? what
---@return string? message
local function asked_for(word)
  if word == "all" then
    return { title = "all sessions" }
  elseif word and word ~= "session" then
    local n = tonumber(word)
    if n and state.exists(n) then
      return { session = n, title = ("session %d"):format(n) }
    end
    local open = #state.numbers() > 0 and table.concat(state.numbers(), ", ") or "none"
    return nil, ("no session %s. Open: %s"):format(word, open)
  end
  local n, message = requests.session_of()
  if not n then
    return nil, message
  end
  local turn = not word and turn_of(n) or nil
  return { session = n, turn = turn, title = turn and ("turn %d"):format(turn) or ("session %d"):format(n) }
end

subcommands.review = {
  args = "[session|session-number|all]",
  doc = "puts pending changes into the quickfix list and shows the first: those of the newest turn that has any, of this session (`session`), of another one, or of all sessions",
  complete = function(words)
    return #words == 0 and vim.list_extend({ "session", "all" }, vim.tbl_map(tostring, state.numbers())) or {}
  end,
  run = function(call)
    review.wait_for_disk()
    local what, message = asked_for(call.words[1])
    if not what then
      return nil, message
    end
    local items, sum = changes_quickfix.items_of(what)
    if #items == 0 then
      messages.show("info", nothing_left("review", what.session, what.turn))
      return true
    end
    vim.fn.setqflist({}, " ", { title = ("%s: %s"):format(what.title, sum), items = items })
    changes_quickfix.show_first()
    messages.show("info", how_to_go_on(items, what)) -- the cursor may stand on the first one already
    return true
  end,
}

-- Decisions ------------------------------------------------------------------------------------------------------------

---@param range? { first: integer, last: integer }
---@return acp.Hunk[]? hunks
---@return string? message
local function hunks_here(range)
  if range then
    local found = review.touching(api.nvim_get_current_buf(), range.first - 1, range.last - 1)
    return #found > 0 and found or nil, #found == 0 and "no pending change in these lines" or nil
  end
  local hunk = review.hunk_at_cursor()
  if not hunk then
    local any = review.of_buffer(api.nvim_get_current_buf())
    return nil, "no pending change under the cursor" .. (any and "" or ": :Acp review lists them")
  end
  return { hunk }
end

---@class acp.Decided
---@field session integer
---@field turn? integer      nil: all of the session's
---@field unknown? boolean   also what nobody has announced

--- What still waits once the last change of a turn is decided; nil while the turn has others.
---@param n integer
---@param turn integer
---@return string?
local function waiting_after(n, turn)
  local is_over = #review.pending(n, turn) == 0
  local waits = is_over and waiting_beside(n, turn)
  return waits and ("turn %d reviewed · %s"):format(turn, waits) or nil
end

---@param verb "keep"|"undo"
---@param what acp.Decided
---@return true?, string?
local function decide_all(verb, what)
  local n, turn = what.session, what.turn
  local found, unknown = review.pending(n, turn)
  local is_turn, later = verb == "undo" and turn ~= nil, 0
  if is_turn then
    found = review.of_turn_alone(n, turn)
  elseif turn then
    local all = #found
    found = vim.tbl_filter(function(hunk)
      return hunk.turn == turn
    end, found)
    later = all - #found
  end
  local left, chosen = {}, {}
  for _, hunk in ipairs(found) do
    chosen[#chosen + 1] = (what.unknown or hunk.by ~= "unknown") and hunk or nil
  end
  if #chosen < #found then
    left[1] = ("%d that may not be the agent's: :Acp undo! turn"):format(#found - #chosen)
  end
  if later > 0 then
    left[#left + 1] = ("%d also changed by a later turn: decide on that one first"):format(later)
  end
  if verb == "undo" and #unknown > 0 then
    local names = vim.tbl_map(vim.fs.basename, unknown)
    left[#left + 1] = ("earlier text unknown: %s"):format(table.concat(names, ", "))
  end
  if #chosen == 0 and (verb == "undo" or #unknown == 0) then
    return nil,
      #left > 0 and ("nothing undone · left: %s"):format(table.concat(left, "; ")) or nothing_left(verb, n, turn)
  end
  local all = verb == "keep" and n or nil
  return review.decide(verb, chosen, {
    all = all,
    left = left,
    aloud = true,
    session = n,
    turn = turn,
    written_by = is_turn and { session = n, turn = turn, is_known = not what.unknown } or nil,
    still_waiting = function()
      return waiting_beside(n, turn)
    end,
  })
end

--- Keeps or undoes all of the newest turn that has something pending.
---@param verb "keep"|"undo"
---@param with_unknown boolean
---@return true?, string?
local function decide_turn(verb, with_unknown)
  local n, message = requests.session_of()
  if not n then
    return nil, message
  end
  local turn = turn_of(n, true)
  if not turn then
    return nil, nothing_left(verb, n)
  end
  return decide_all(verb, { session = n, turn = turn, unknown = with_unknown })
end

---@param verb "keep"|"undo"
---@param call acp.Call
---@return true?, string?
local function decide(verb, call)
  local what = call.words[1]
  if what == nil and not call.bang then
    local found, message = hunks_here(call.range)
    if not found then
      return nil, message
    end
    local n, turn = found[#found].session, found[#found].turn
    return review.decide(verb, found, {
      still_waiting = function()
        return waiting_after(n, turn)
      end,
    })
  elseif what == "all" and not call.bang then
    local n, message = requests.session_of()
    if not n then
      return nil, message
    end
    review.wait_for_disk()
    return decide_all(verb, { session = n, unknown = true })
  elseif what == "turn" then
    review.wait_for_disk()
    return decide_turn(verb, call.bang or verb == "keep")
  end
  return nil, ("usage: :Acp %s [all|turn]%s"):format(verb, verb == "undo" and ", or :Acp undo! turn" or "")
end

subcommands.hunk = {
  args = "{next|previous}",
  doc = "goes to the next or previous pending change of this buffer",
  complete = function(words)
    return #words == 0 and { "next", "previous" } or {}
  end,
  run = function(call)
    if call.rest ~= "next" and call.rest ~= "previous" then
      return nil, "usage: :Acp hunk next|previous"
    end
    review_keys.jump(call.rest == "next" and 1 or -1)
    return true
  end,
}

subcommands.keep = {
  args = "[all|turn]",
  doc = "keeps the change under the cursor, those in the range, or all of the session or of the newest turn that has any",
  range = true,
  complete = function(words)
    return #words == 0 and { "all", "turn" } or {}
  end,
  run = function(call)
    return decide("keep", call)
  end,
}

subcommands.undo = {
  args = "[all|turn]",
  doc = "undoes the change under the cursor, those in the range, or all of the session or of the newest turn that has any; with ! also changes that no call can have made",
  range = true,
  bang = true,
  complete = function(words)
    return #words == 0 and { "all", "turn" } or {}
  end,
  run = function(call)
    return decide("undo", call)
  end,
}

return subcommands
