-- Defines the subcommands of `:Acp` for changes in review: list, keep, undo.
local changes_quickfix = require("acp_nvim.commands.changes_quickfix")
local key_names = require("acp_nvim.review.key_names")
local messages = require("acp_nvim.ui.messages")
local next_file = require("acp_nvim.commands.next_file")
local requests = require("acp_nvim.backend.session_requests")
local review = require("acp_nvim.review")
local review_keys = require("acp_nvim.review.keys")
local session_store = require("acp_nvim.backend.session_store")
local turn_changes = require("acp_nvim.chat.turn_changes")

local api = vim.api
local subcommands = {} ---@type table<string, acp.Subcommand>

--- The turn that is meant: of whose line in the chat is under the cursor, else the newest that has something pending.
---@param n integer
---@param undoable? boolean
---@return integer? turn
---@return integer session  n, or one of nobody's
local function turn_of(n, undoable)
  local turn, session = turn_changes.turn_here()
  if session == n and turn then
    return turn, n
  end
  return review.newest_turn(n, undoable)
end

--- The current session, or 0 where there is none and what waits may be nobody's.
---@return integer? n
---@return string? message
local function session_here()
  local n, message = requests.session_of()
  if not n and review.has_ownerless() then
    return 0
  end
  return n, message
end

--- The turn of that number, or the newest that has left something.
---@param n integer
---@param word? string
---@return integer? turn
---@return integer|string|nil session  or a message: it is no number
local function turn_named(n, word)
  if not word then
    return turn_of(n, true)
  end
  local turn = tonumber(word)
  local is_number = turn and turn > 0 and turn == math.floor(turn)
  if not is_number then
    return nil, ("'%s' is not the number of a turn"):format(word)
  end
  return turn, review.session_of_turn(n, turn)
end

--- "3 pending in session 1", or nil.
---@param but integer  what is meant by that session does not count
---@return string?
local function pending_elsewhere(but)
  local found, meant = {}, review.sessions_meant(but)
  for n, count in vim.spairs(review.pending_by_session()) do
    if not vim.list_contains(meant, n) then
      found[#found + 1] = ("%d pending in session %d"):format(count, n)
    end
  end
  return #found > 0 and table.concat(found, ", ") or nil
end

--- Nothing is left to decide: what else is there?
---@param verb "keep"|"undo"|"review"
---@param n? integer|integer[]  nil: in all sessions
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

--- What waits beside the changes that are meant, and the command that lists it: "3 in other turns: :Acp review
--- session", "3 pending in session 1: :Acp review all". Nil if nothing does.
---@param n? integer|integer[]  nil: all sessions are meant
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

-- The list ------------------------------------------------------------------------------------------------------------

--- "change 1 of 3 · ,k keep · ,u undo · ]h next · :copen list". What else waits elsewhere stands before the keys: a
--- narrow screen cuts the end off, and the hunk names its keys.
---@param items table[]
---@param count integer  of the changes among them
---@param what acp.Reviewed
---@return string
local function how_to_go_on(items, count, what)
  local told = key_names.in_buffer(api.nvim_get_current_buf())
  local is_one_file = vim.iter(items):all(function(item)
    return item.filename == items[1].filename
  end)
  local beside = waiting_beside(what.session, what.turn)
  local parts = { ("change 1 of %d"):format(count), beside }
  vim.list_extend(parts, {
    key_names.phrase(told.keep, "keep"),
    key_names.phrase(told.undo, "undo"),
    is_one_file and key_names.phrase(told.next, "next") or ":cnext next",
    ":copen list",
  })
  return table.concat(parts, " · ")
end

---@param word string
---@return integer? n
---@return string? message
local function session_named(word)
  local n = tonumber(word)
  if n and session_store.exists(n) then
    return n
  end
  local open = #session_store.numbers() > 0 and table.concat(session_store.numbers(), ", ") or "none"
  return nil, ("no session %s. Open: %s"):format(word, open)
end

--- What a turn has changed, whether it waits, was asked about or is kept.
---@param n integer
---@param turn integer
---@return acp.Reviewed
local function whole_turn(n, turn)
  return { session = n, turn = turn, is_whole = true, title = ("turn %d"):format(turn) }
end

--- What `:Acp review` is asked to list, by the first word behind it; a number alone is a session.
---@type table<string, fun(n: integer, word?: string): acp.Reviewed?, string?>
local ASKED = {
  all = function()
    return { title = "all sessions" }
  end,
  session = function(n, word)
    local named, message = n, nil
    if word then
      named, message = session_named(word)
    end
    return named and { session = named, title = ("session %d"):format(named) } or nil, message
  end,
  since = function(n)
    return whole_turn(n, (session_store.look(n) or {}).turn or 0)
  end,
  turn = function(n, word)
    local turn, session = turn_named(n, word)
    local last = (session_store.look(n) or {}).turn or 0
    if not turn and not word and last > 0 then -- all of it is decided
      turn, session = last, n
    elseif not turn then
      return nil, type(session) == "string" and session or nothing_left("review", n)
    end
    return whole_turn(session --[[@as integer]], turn)
  end,
}

---@param words string[]
---@return acp.Reviewed? what
---@return string? message
local function asked_for(words)
  local first = words[1]
  local take = ASKED[first]
  if tonumber(first) and #words == 1 then
    return ASKED.session(0, first)
  elseif first == "all" and #words == 1 then
    return ASKED.all(0)
  elseif (first and not take) or #words > 2 or (#words == 2 and first ~= "turn" and first ~= "session") then
    return nil, "usage: :Acp review [turn [n]|session [n]|all|since]"
  end
  local n, message = session_here()
  if not n then
    return nil, message
  elseif take then
    return take(n, words[2])
  end
  local turn, session = turn_of(n)
  local title = turn and ("turn %d"):format(turn) or n > 0 and ("session %d"):format(n) or "all sessions"
  return { session = session, turn = turn, title = title }
end

---@return string[]
local function session_numbers()
  return vim.tbl_map(tostring, session_store.numbers())
end

--- The turns of the current session that have left something.
---@return string[]
local function turn_numbers()
  local n = requests.session_of()
  return n and vim.tbl_map(tostring, review.turns_of(n)) or {}
end

subcommands.review = {
  args = "[turn [n]|session [n]|all|since]",
  doc = "puts pending changes into the quickfix list and shows the first: those of the newest turn that has any, of a "
    .. "session (a number alone names one, too), or of all sessions; with `turn` all that a turn has changed, also "
    .. "what you have allowed or kept; with `since` that of your last prompt",
  complete = function(words)
    if #words == 0 then
      return vim.list_extend({ "turn", "session", "all", "since" }, session_numbers())
    elseif #words == 1 and words[1] == "turn" then
      return turn_numbers()
    end
    return #words == 1 and words[1] == "session" and session_numbers() or {}
  end,
  run = function(call)
    review.wait_for_disk()
    local what, message = asked_for(call.words)
    if not what then
      return nil, message
    end
    local items, sum, count = changes_quickfix.items_of(what)
    if #items == 0 then
      messages.show("info", nothing_left("review", what.session, what.turn))
      return true
    end
    vim.fn.setqflist({}, " ", { title = ("%s: %s"):format(what.title, sum), items = items })
    changes_quickfix.show_first(items)
    messages.show("info", how_to_go_on(items, count, what)) -- the cursor may stand on the first one already
    return true
  end,
}

-- Decisions -----------------------------------------------------------------------------------------------------------

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
---@field session? integer   nil: all sessions
---@field turn? integer      keep: nil: all of the session's

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
  local chosen = vim.tbl_filter(function(hunk)
    return not turn or hunk.turn == turn
  end, found)
  local left, is_below = {}, #chosen < #found -- a later turn has written over some of it
  if verb == "undo" and #unknown > 0 then
    local names = vim.tbl_map(vim.fs.basename, unknown)
    left[#left + 1] = ("earlier text unknown: %s"):format(table.concat(names, ", "))
  end
  if #found == 0 and (verb == "undo" or #unknown == 0) then
    return nil,
      #left > 0 and ("nothing undone · left: %s"):format(table.concat(left, "; ")) or nothing_left(verb, n, turn)
  end
  return review.decide(verb, chosen, {
    unknown_of = verb == "keep" and review.sessions_meant(n, turn) or nil,
    left = left,
    aloud = true,
    turn = turn,
    whole_turn = is_below and { session = n, turn = turn } or nil,
    still_waiting = function()
      return waiting_beside(n, turn)
    end,
  })
end

--- Keeps or undoes all of a turn, of the newest one that has left something.
---@param verb "keep"|"undo"
---@param call acp.Call
---@return true?, string?
local function decide_turn(verb, call)
  local here, message = session_here()
  if not here then
    return nil, message
  end
  local turn, n = turn_named(here, call.words[2])
  if not turn then
    return nil, type(n) == "string" and n or nothing_left(verb, here)
  elseif verb == "keep" then
    return decide_all(verb, { session = n, turn = turn })
  end
  local ok, left = review.undo_turn({ session = n, turn = turn, is_known = not call.bang }, function()
    return waiting_beside(n, turn)
  end)
  return ok, left or nothing_left(verb, n, turn)
end

---@param verb "keep"|"undo"
---@param call acp.Call
---@return true?, string?
local function decide(verb, call)
  local what, is_long = call.words[1], #call.words > 1
  if what == nil and not call.bang then
    local found, message = hunks_here(call.range)
    if not found then
      return nil, message
    end
    local n, turn = found[#found].session, found[#found].turn
    return review.decide(verb, found, {
      after = next_file.after(found),
      still_waiting = function()
        return waiting_after(n, turn)
      end,
    })
  elseif what == "all" and call.bang and not is_long then
    review.wait_for_disk()
    return decide_all(verb, {})
  elseif what == "all" and not is_long then
    local n, message = session_here()
    if not n then
      return nil, message
    end
    review.wait_for_disk()
    return decide_all(verb, { session = n })
  elseif what == "turn" and #call.words < 3 then
    review.wait_for_disk()
    return decide_turn(verb, call)
  end
  return nil, ("usage: :Acp %s [all|turn [n]]%s"):format(verb, verb == "undo" and ", or :Acp undo! turn [n]" or "")
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

--- Completes `all`, `turn` and the number of a turn.
---@param words string[]
---@return string[]
local function complete_decision(words)
  if #words == 0 then
    return { "all", "turn" }
  end
  return #words == 1 and words[1] == "turn" and turn_numbers() or {}
end

subcommands.keep = {
  args = "[all|turn [n]]",
  doc = "keeps the change under the cursor, those in the range, or all of the session or of a turn: the newest that "
    .. "has any; all with ! are those of every session",
  range = true,
  bang = true,
  complete = complete_decision,
  run = function(call)
    return decide("keep", call)
  end,
}

subcommands.undo = {
  args = "[all|turn [n]]",
  doc = "undoes the change under the cursor, those in the range, or all of the session or of a turn: the newest that "
    .. "has left something; with ! also changes that no call can have made, and all are those of every session",
  range = true,
  bang = true,
  complete = complete_decision,
  run = function(call)
    return decide("undo", call)
  end,
}

subcommands.redo = {
  doc = "brings back the turn that was undone last, in all its files, if you have decided on nothing else and no "
    .. "later turn has written one of them since",
  run = function()
    return review.redo()
  end,
}

return subcommands
