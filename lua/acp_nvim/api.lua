-- The Lua API behind require("acp_nvim"). Nothing here blocks or raises: what can fail returns true or a value, or nil and a message.
local agents = require("acp_nvim.agents")
local backend = require("acp_nvim.backend")
local scratch = require("acp_nvim.scratch")
local state = require("acp_nvim.state")
require("acp_nvim.highlight")

---@class acp
local M = {}

---@class acp.Options
---@field session? integer  default: the current one

---@param options? acp.Options
---@return integer? n
---@return string? message
local function session_of(options)
  local n = options and options.session
  if n == nil then
    n = state.current()
    return n, not n and "there is no session: :Acp new starts one" or nil
  elseif type(n) ~= "number" or not state.exists(n) then
    return nil, ("there is no session %s"):format(tostring(n))
  end
  return n
end

---@param folder any
---@return string? path  absolute
---@return string? message
local function folder_of(folder)
  if type(folder) ~= "string" then
    return nil, "a folder must be a string"
  end
  local path = vim.fn.fnamemodify(vim.fs.normalize(folder), ":p")
  if vim.fn.isdirectory(path) == 0 then
    return nil, ("no such folder: %s"):format(folder)
  end
  return #path > 1 and (path:gsub("/+$", "")) or path
end

---@param folders any
---@return string[]? paths
---@return string? message
local function folders_of(folders)
  if type(folders) ~= "table" then
    return nil, "roots must be a list of folders"
  end
  local paths = {}
  for _, folder in ipairs(folders) do
    local path, message = folder_of(folder)
    if not path then
      return nil, message
    end
    paths[#paths + 1] = path
  end
  return paths
end

--- Allots a session and has the backend begin it with `verb`.
---@param verb "new"|"load"|"replay"
---@param fields { agent: string, cwd: string, roots?: string[] }
---@param more? table  further keys of the payload
---@return integer? n
---@return string? message
local function begin(verb, fields, more)
  local ok, message = backend.start()
  if not ok then
    return nil, message
  end
  local n = state.new(fields)
  state.session(n).generation = backend.generation()
  backend.notify(verb, vim.tbl_extend("error", { session = n }, fields, more or {}))
  return n
end

--- Sends a verb about session `n`; a backend that was started since then is told of the session first.
---@param n integer
---@param verb string
---@param payload? table
---@return true? ok
---@return string? message
function M._send(n, verb, payload)
  local ok, message = backend.start()
  if not ok then
    return nil, message
  end
  local session = assert(state.session(n))
  if session.generation ~= backend.generation() then
    if verb ~= "prompt" and verb ~= "restart" then
      return nil, ("session %d has ended: a prompt or :Acp restart starts it anew"):format(n)
    end
    session.generation = backend.generation()
    local status = session.status
    local can_load = status.turn > 0 and (status.capabilities or {}).loadSession == true
    local id = verb == "restart" and can_load and status.session_id or nil
    backend.notify("new", vim.tbl_extend("error", { session = n, id = id }, session.origin))
    if verb == "restart" then
      return true
    end
  end
  return backend.notify(verb, vim.tbl_extend("error", { session = n }, payload or {}))
end

---@param n integer
---@return integer n
local function show(n)
  state.focus(n)
  require("acp_nvim.window").open(n, { focus = true })
  return n
end

--- The newest session with that agent, the current one first.
---@param agent string
---@return integer?
local function session_with(agent)
  local numbers = state.numbers()
  table.insert(numbers, state.current())
  for i = #numbers, 1, -1 do
    if state.session(numbers[i]).origin.agent == agent then
      return numbers[i]
    end
  end
end

---@param start fun(agent: string): integer?, string?
---@return integer|true|nil n  true: the user is being asked which agent
---@return string? message
local function with_default_agent(start)
  local agent, message, choices = agents.default()
  if agent then
    return start(agent)
  elseif not choices then
    return nil, message
  end
  scratch.select(choices, "Which agent?", function(choice)
    local n, why = start(choice)
    if not n then
      scratch.message("error", why or "")
    end
  end)
  return true
end

--- Opens the chat; without a session the default agent is started, with `agent` one of its sessions or a new one.
---@param options? { agent?: string, session?: integer }
---@return integer|true|nil session
---@return string? message
function M.open(options)
  options = options or {}
  local start = function(agent)
    local n, message = M.new_session({ agent = agent })
    return n and show(n), message
  end
  if options.session ~= nil then
    local n, message = session_of(options)
    return n and show(n), message
  elseif options.agent ~= nil then
    local n = session_with(options.agent)
    if n then
      return show(n)
    end
    return start(options.agent)
  end
  local n = state.current()
  if n then
    return show(n)
  end
  return with_default_agent(start)
end

--- Closes the chat's windows; the session goes on.
---@return true
function M.close()
  require("acp_nvim.window").close()
  return true
end

--- Opens the chat, or closes it if it is open.
---@return integer|true|nil
---@return string? message
function M.toggle()
  local n = state.current()
  if n and require("acp_nvim.window").is_open(n) then
    return M.close()
  end
  return M.open()
end

--- A new session beside those that run. Its number is known at once; the agent starts in the background.
---@param options? { agent?: string, cwd?: string, roots?: string[] }
---@return integer? session
---@return string? message
function M.new_session(options)
  options = options or {}
  local agent, message
  if options.agent == nil then
    agent, message = agents.default()
  else
    agent, message = agents.find(options.agent)
  end
  if not agent then
    return nil, message
  end
  local cwd, roots
  cwd, message = folder_of(options.cwd or vim.fn.getcwd())
  if not cwd then
    return nil, message
  end
  roots, message = folders_of(options.roots or {})
  if not roots then
    return nil, message
  end
  return begin("new", { agent = agent, cwd = cwd, roots = roots })
end

--- Opens a session that the agent has saved, as a new session here, and makes it the current one.
---@param id string  the agent's id of the session
---@param options? { agent?: string, cwd?: string }
---@return integer? session
---@return string? message
function M.load(id, options)
  options = options or {}
  if type(id) ~= "string" or id == "" then
    return nil, "load needs the id of a session"
  end
  local current = state.current()
  local origin = current and state.session(current).origin or {}
  local agent, message
  if options.agent ~= nil then
    agent, message = agents.find(options.agent)
  elseif origin.agent and agents.find(origin.agent) then
    agent = origin.agent
  else
    agent, message = agents.default()
  end
  if not agent then
    return nil, message
  end
  local n
  n, message = begin("load", { agent = agent, cwd = options.cwd or origin.cwd or vim.fn.getcwd() }, { id = id })
  if n then
    state.focus(n)
  end
  return n, message
end

--- Plays a saved wire file as a session of its own, without an agent.
---@param file string
---@return integer? session
---@return string? message
function M.replay(file)
  if type(file) ~= "string" then
    return nil, "replay needs the name of a file"
  end
  local path = vim.fn.fnamemodify(vim.fs.normalize(file), ":p")
  if vim.fn.filereadable(path) == 0 then
    return nil, ("no such file: %s"):format(file)
  end
  local n, message = begin("replay", { agent = "replay", cwd = vim.fn.getcwd() }, { file = path })
  if n then
    state.focus(n)
  end
  return n, message
end

--- Sends a prompt; while a turn runs it is queued. Without any session the default agent is started.
---@param text string
---@param options? { session?: integer, context?: table[], first?: boolean, next?: boolean }
---  first: cancel the running turn, wait for its answer, send this; next: ahead of the queue
---@return true? ok
---@return string? message
function M.prompt(text, options)
  options = options or {}
  if type(text) ~= "string" or vim.trim(text) == "" then
    return nil, "there is nothing to send: a prompt needs a text"
  end
  local context, message = require("acp_nvim.context").read(options.context or {})
  if not context then
    return nil, message
  end
  local n
  if options.session == nil and not state.current() then
    n, message = M.new_session()
  else
    n, message = session_of(options)
  end
  if n and state.session(n).origin.agent == "replay" then
    return nil, "a replay takes no prompts: :Acp new starts a session"
  end
  local ok
  if n then
    ok, message = backend.start()
  end
  if not n or not ok then
    return nil, message
  end
  local payload = { seq = state.sent(n), text = text, context = context, first = options.first, next = options.next }
  payload.loaded = require("acp_nvim.files").loaded()
  ok, message = M._send(n, "prompt", payload)
  if ok then
    require("acp_nvim.prompt").history_add(n, { text })
  end
  return ok, message
end

--- Ends the running turn and holds the queue; `clear` also empties the queue into the prompt history.
---@param options? { session?: integer, clear?: boolean }
---@return true? ok
---@return string? message
function M.cancel(options)
  local n, message = session_of(options)
  if not n then
    return nil, message
  end
  local status = assert(state.get(n))
  local at_rest = status.state == "idle" or status.state == "stopped" or status.state == "failed"
  if not backend.is_running() or (at_rest and status.queue == 0) then
    return nil, "nothing is running"
  end
  return M._send(n, "cancel", { clear = options ~= nil and options.clear == true })
end

--- The open questions, oldest first.
---@param options? { session?: integer, all?: boolean }
---@return table[]? questions
---@return string? message
function M.questions(options)
  if options and options.all then
    return vim.deepcopy(state.questions())
  elseif options == nil and not state.current() then
    return {}
  end
  local n, message = session_of(options)
  if not n then
    return nil, message
  end
  return vim.deepcopy(state.questions(n))
end

--- Answers a question with one of its options; without one it is answered as cancelled.
---@param id integer  the question
---@param option_id? string
---@param content? string|table  a free answer, or an elicitation's form
---@return true? ok
---@return string? message
function M.answer(id, option_id, content)
  local question, message = state.question(id)
  if not question then
    return nil, message
  end
  local known = vim.tbl_map(function(option)
    return option.id
  end, question.options)
  if option_id ~= nil and not vim.list_contains(known, option_id) then
    return nil, ("question %s has the options %s, not %s"):format(id, table.concat(known, ", "), tostring(option_id))
  elseif content ~= nil and type(content) ~= "string" and type(content) ~= "table" then
    return nil, "the content of an answer must be a string or a table"
  elseif not backend.is_running() then
    return nil, "nothing is running"
  end
  state.answered(question)
  return backend.notify("answer", { question = id, option = option_id, content = content })
end

--- What is known of a session.
---@param options? acp.Options
---@return table? status
---@return string? message
function M.status(options)
  local n, message = session_of(options)
  if not n then
    return nil, message
  end
  return state.get(n)
end

--- The statuses of all sessions, oldest first.
---@return table[]
function M.sessions()
  return vim.tbl_map(state.get, state.numbers())
end

--- The agent's slash commands.
---@param options? acp.Options
---@return table[]? commands
---@return string? message
function M.commands(options)
  local n, message = session_of(options)
  if not n then
    return nil, message
  end
  return vim.deepcopy(state.session(n).commands)
end

--- A short text about the current session for a statusline; empty without one.
---@return string
function M.statusline()
  local n = state.current()
  local status = n and state.get(n)
  if not status then
    return ""
  end
  local parts = { status.agent_title or status.agent, status.state }
  if status.questions > 0 then
    parts[2] = "asks " .. status.questions
  end
  if status.queue > 0 then
    parts[#parts + 1] = ("%d %s"):format(status.queue, status.held and "held" or "queued")
  end
  local text = scratch.cut(scratch.visible(table.concat(parts, " ")), 40)
  return (text:gsub("%%", "%%%%"))
end

-- Where the options stand among the arguments; 1 if nothing else is said.
local OPTIONS = { prompt = 2, load = 2, setup = false, answer = false, replay = false, _send = false }

--- Whatever goes wrong in `fn` becomes a message.
---@param fn function
---@param options_at integer|false
---@return function
local function guarded(fn, options_at)
  return function(...)
    local options = options_at and select(options_at, ...) or nil
    if options ~= nil and type(options) ~= "table" then
      return nil, "the options must be a table"
    end
    local results = vim.F.pack_len(xpcall(fn, debug.traceback, ...))
    if results[1] then
      return unpack(results, 2, results.n)
    end
    scratch.log(tostring(results[2]))
    return nil, (tostring(results[2]):gsub("\n.*", ""))
  end
end

for name, fn in pairs(M) do
  M[name] = guarded(fn, OPTIONS[name] == nil and 1 or OPTIONS[name])
end

return M
