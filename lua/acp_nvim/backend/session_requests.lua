-- Sends requests about a session: finds the session that is meant, begins sessions, and tells a new backend of a
-- session before the first request about it.
local backend = require("acp_nvim.backend.process")
local session_store = require("acp_nvim.backend.session_store")

local M = {}

local BEGINS = { prompt = true, send_comments = true, restart = true, retry = true } -- also in a new backend

---@class acp.Options
---@field session? integer  default: the current one

--- Why something cannot be done with a session that is a replay.
---@param n integer
---@param what "restarted"|"forked"
---@return string? message  nil: it is none
function M.why_not_a_replay(n, what)
  if not session_store.has_agent(n) then
    local whose = session_store.session(n).origin.agent == "replay" and "a replay" or "what you have taken"
    return ("%s cannot be %s: :Acp new starts a session"):format(whose, what)
  end
end

---@param options? acp.Options
---@return integer? n
---@return string? message
function M.session_of(options)
  local n = options and options.session
  if n == nil then
    n = session_store.current()
    return n, not n and "there is no session: :Acp new starts one" or nil
  elseif type(n) ~= "number" or not session_store.exists(n) then
    return nil, ("there is no session %s"):format(tostring(n))
  end
  return n
end

--- Creates a session and sends the verb that begins it.
---@param verb "new"|"load"|"resume"|"reopen"|"fork"|"replay"|"take"
---@param fields { agent: string, cwd: string, roots?: string[] }
---@param more? table  further keys of the payload
---@return integer? n
---@return string? message
function M.begin(verb, fields, more)
  local ok, message = backend.start()
  if not ok then
    return nil, message
  end
  local n = session_store.new(fields)
  session_store.session(n).generation = backend.generation()
  if verb ~= "fork" then -- a fork has an id of its own
    session_store.session(n).origin.id = more and more.id
  end
  backend.notify(verb, vim.tbl_extend("error", { session = n }, fields, more or {}))
  return n
end

--- Has the backend that knew the session ended?
---@param n integer
---@return boolean
function M.has_lost_backend(n)
  return not backend.is_running() or assert(session_store.session(n)).generation ~= backend.generation()
end

--- Begins the session again in a new backend, which does not know it.
---@param n integer
local function begin_again(n)
  local session = assert(session_store.session(n))
  session.generation, session.orphaned = backend.generation(), nil
  local status = session.status
  local id = status.turn > 0 and status.session_id or session.origin.id
  local more = { session = n, id = id, transcript = status.transcript, title = status.title, about = status.about }
  more.queue = session_store.unsent(n)
  backend.notify("new", vim.tbl_extend("force", session.origin, more))
  session_store.patch(n, { state = "starting", error = vim.NIL })
end

--- Begins all sessions again that have ended with the last backend.
local function begin_all_again()
  for _, n in ipairs(session_store.numbers()) do
    if session_store.session(n).orphaned and session_store.has_agent(n) then
      begin_again(n)
    end
  end
end

--- Sends a verb about session `n`. A backend that was started since then is told of the session first.
---@param n integer
---@param verb string
---@param payload? table
---@return true? ok
---@return string? message
function M.send(n, verb, payload)
  local message = verb == "restart" and M.why_not_a_replay(n, "restarted") or nil
  if message then
    return nil, message
  end
  if not BEGINS[verb] and M.has_lost_backend(n) then
    return nil, ("session %d has ended: a prompt or :Acp restart reconnects"):format(n)
  end
  local ok
  ok, message = backend.start()
  if not ok then
    return nil, message
  end
  if M.has_lost_backend(n) then
    begin_again(n)
    if verb == "restart" then
      begin_all_again()
      return true
    end
  end
  return backend.notify(verb, vim.tbl_extend("error", { session = n }, payload or {}))
end

return M
