-- Offers the changes in review in the Lua API: list, keep, undo.
local requests = require("acp_nvim.backend.session_requests")
local review = require("acp_nvim.review")
local session_store = require("acp_nvim.backend.session_store")
local takes = require("acp_nvim.api.takes")

local M = {}

--- The changes that agents have made, file by file: those that are pending, and those decided since the turn began.
---@param options? { session?: integer, all?: boolean }  default: of the current session, and what was taken
---@return table[]? changes
---@return string? message
function M.changes(options)
  if options and options.all then
    return review.changes()
  elseif not (options and options.session) then
    local meant = takes.with_taken(session_store.current())
    if #meant < 2 then
      return meant[1] and review.changes(meant[1]) or {}
    end
    return vim.tbl_filter(function(file)
      return vim.list_contains(meant, file.session)
    end, review.changes())
  end
  local n, message = requests.session_of(options)
  if not n then
    return nil, message
  end
  return review.changes(n)
end

---@param verb "keep"|"undo"
---@param id integer
---@return true? ok
---@return string? message
local function decide(verb, id)
  local hunk = review.hunk(id)
  if not hunk then
    return nil, ("no change has the id %s"):format(tostring(id))
  elseif hunk.state ~= "pending" and not (hunk.asked and verb == "undo") then
    return nil, ("change %d is already %s"):format(id, hunk.state)
  end
  return review.decide(verb, { hunk })
end

--- Keeps the change.
---@param hunk_id integer
---@return true? ok
---@return string? message
function M.keep(hunk_id)
  return decide("keep", hunk_id)
end

--- Undoes the change, in the buffer and on the disk.
---@param hunk_id integer
---@return true? ok
---@return string? message
function M.undo(hunk_id)
  return decide("undo", hunk_id)
end

--- Undoes all changes of a turn, in every file.
---@param turn? integer  default: the newest that has left something
---@param options? { session?: integer, unknown?: boolean }  `unknown`: also changes that no call can have made
---@return true? ok
---@return string? message
function M.undo_turn(turn, options)
  local n, message
  if turn or options and options.session then
    n, message = requests.session_of(options)
  else
    n, message = takes.newest(session_store.current(), true)
  end
  if not n then
    return nil, message
  end
  turn = turn or review.newest_turn(n, true)
  if not turn then
    return nil, "nothing left to undo in this session"
  end
  local is_known = not (options and options.unknown)
  local ok, left = review.undo_turn({ session = n, turn = turn, is_known = is_known })
  return ok, left or (not ok and ("nothing left to undo in turn %d"):format(turn)) or nil
end

--- Brings back the turn that was undone last, in all its files.
---@return true? ok
---@return string? message  why it cannot be brought back
function M.redo()
  return review.redo()
end

return M
