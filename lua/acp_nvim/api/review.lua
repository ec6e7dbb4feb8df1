-- Offers the changes in review in the Lua API: list, keep, undo.
local first_file = require("acp_nvim.first_file")
local project = require("acp_nvim.project")
local requests = require("acp_nvim.backend.session_requests")
local review = require("acp_nvim.review")
local session_store = require("acp_nvim.backend.session_store")

local M = {}

--- The changes that agents have made, file by file: those that are pending, and those decided since the turn began.
---@param options? { session?: integer, all?: boolean }  default: of the current session, and those of nobody's
---@return table[]? changes
---@return string? message
function M.changes(options)
  first_file.here()
  if options and options.all then
    return review.changes()
  elseif not (options and options.session) then
    return review.changes(session_store.current() or 0, true)
  end
  local n, message = requests.session_of(options)
  if not n then
    return nil, message
  end
  return review.changes(n)
end

--- The turns of a session, oldest first, each with its prompt and the files that it has changed.
---@param options? { session?: integer }  default: the current session's, and those that no open session has
---@return table[]? turns
---@return string? message
function M.turns(options)
  first_file.here()
  review.load_turns(project.here())
  if not (options and options.session) then
    return review.turns(session_store.current(), true)
  end
  local n, message = requests.session_of(options)
  if not n then
    return nil, message
  end
  return review.turns(n)
end

--- Whose a line is: the session and the turn that have written it, their prompt, and what was decided.
---@param buf? integer   default: the current one
---@param line? integer  default: the cursor's
---@return table? blamed  nil: the line is no agent's
function M.blame(buf, line)
  buf = (buf == nil or buf == 0) and vim.api.nvim_get_current_buf() or buf
  if not vim.api.nvim_buf_is_valid(buf) then
    return nil, ("there is no buffer %s"):format(tostring(buf))
  end
  first_file.here()
  return review.blame(buf, line or vim.api.nvim_win_get_cursor(0)[1])
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
  local n, message = requests.session_of(options)
  if not n and (options and options.session or not review.has_ownerless()) then
    return nil, message
  end
  if not turn then
    turn, n = review.newest_turn(n or 0, true)
  end
  if not turn then
    return nil, "nothing left to undo in this session"
  end
  local is_known = not (options and options.unknown)
  local ok, left = review.undo_turn({ session = n, turn = turn, is_known = is_known })
  return ok, left or (not ok and ("nothing left to undo in turn %d"):format(turn)) or nil
end

--- The sessions that may change files of the projects of session `n`.
---@param n integer
---@return integer[]
local function of_project(n)
  local roots = project.of_session(n)
  return vim.tbl_filter(function(each)
    return vim.iter(project.of_session(each)):any(function(root)
      return roots[root]
    end)
  end, session_store.numbers())
end

---@param plan acp.Restoring
---@return string
local function note_on(plan)
  local parts = {}
  if plan.yours > 0 then
    local stays = plan.yours == 1 and "line of yours stays" or "lines of yours stay"
    parts[1] = ("%d later %s"):format(plan.yours, stays)
  end
  parts[#parts + 1] = #plan.left > 0 and ("left: %s"):format(table.concat(plan.left, "; ")) or nil
  return table.concat(parts, " · ")
end

--- Goes back to before a turn: asks whether all files that it and later turns of the project have changed shall be as
--- they were when it began, with the user's own lines. Allowed, it is a turn of its own.
---@param turn? integer  default: the newest
---@param options? { session?: integer }  whose turn; default: the current session's
---@return true? ok  the question is asked
---@return string? message
function M.restore(turn, options)
  local n, message = requests.session_of(options)
  if not n then
    return nil, message
  end
  review.load_turns(project.here())
  turn = turn or (session_store.look(n) or {}).turn
  local others = of_project(n)
  for _, each in ipairs(others) do
    local running = session_store.session(each).turn
    if running then
      return nil, ("not restored: turn %d runs, :Acp cancel ends it"):format(running)
    end
  end
  review.wait_for_disk()
  local of = review.turn_of(n, turn)
  if not of then
    return nil, ("nothing is known of turn %s in this session: :Acp timeline lists them"):format(tostring(turn))
  end
  local plan
  plan, message = review.restoring(of)
  if not plan then
    return nil, "not restored: " .. message
  elseif #plan.files == 0 then
    local note = note_on(plan)
    return nil,
      ("nothing to restore: the files are as before turn %d%s"):format(turn, note == "" and "" or " · " .. note)
  end
  return requests.send(n, "restore", {
    turn = turn,
    prompt = of.prompt,
    note = note_on(plan),
    files = plan.files,
    others = vim.tbl_keys(plan.sessions),
    project = others,
  })
end

--- Brings back the turn that was undone last, in all its files.
---@return true? ok
---@return string? message  why it cannot be brought back
function M.redo()
  return review.redo()
end

return M
