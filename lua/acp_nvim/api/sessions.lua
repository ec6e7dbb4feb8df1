-- The Lua API of windows and sessions.
local agents = require("acp_nvim.agents")
local gauge = require("acp_nvim.gauge")
local backend = require("acp_nvim.backend")
local reach = require("acp_nvim.api.reach")
local scratch = require("acp_nvim.scratch")
local state = require("acp_nvim.state")

local M = {}

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
    local n, message = reach.session_of(options)
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
  return reach.begin("new", { agent = agent, cwd = cwd, roots = roots })
end

--- What the agent was last heard to offer; nil: nothing is known.
---@param agent string
---@return table? capabilities
local function capabilities_of(agent)
  for _, n in ipairs(state.numbers()) do
    local status = state.session(n).status
    if status.agent == agent and status.capabilities then
      return status.capabilities
    end
  end
end

---@param agent string
---@param verb "load"|"resume"|"reopen"|"fork"
---@return string? why_not
local function cannot(agent, verb)
  local capabilities = capabilities_of(agent)
  local more = capabilities and capabilities.sessionCapabilities or {}
  local has = capabilities and (verb == "load" and capabilities.loadSession or more[verb])
  if capabilities and verb ~= "reopen" and (not has or has == vim.NIL) then
    return ("%s cannot %s sessions"):format(agent, verb == "load" and "load earlier" or verb)
  end
end

---@param agent string
---@param id string
---@return integer? n  the session that it is here
local function living(agent, id)
  for _, n in ipairs(state.numbers()) do
    local status = state.get(n) or {}
    local ended = status.state == "stopped" or status.state == "failed"
    if status.agent == agent and status.session_id == id and not ended then
      return n
    end
  end
end

---@param options { agent?: string, cwd?: string }
---@return string? agent
---@return string cwd_or_message
local function place_of(options)
  local current = state.current()
  local origin = current and state.session(current).origin or {}
  local cwd = options.cwd or origin.cwd or vim.fn.getcwd()
  local agent, message
  if options.agent ~= nil then
    agent, message = agents.find(options.agent)
  elseif origin.agent and agents.find(origin.agent) then
    agent = origin.agent
  else
    agent, message = agents.default()
  end
  return agent, agent and cwd or message or ""
end

---@param verb "load"|"resume"|"reopen"|"fork"
---@param id any
---@param options? { agent?: string, cwd?: string, roots?: string[] }
---@return integer? session
---@return string? message
local function from_saved(verb, id, options)
  options = options or {}
  if type(id) ~= "string" or id == "" then
    return nil, ("%s needs the id of a session: :Acp sessions shows them"):format(verb)
  end
  local agent, cwd = place_of(options)
  local n = agent and verb ~= "fork" and living(agent, id)
  if n then
    state.focus(n)
    return n
  end
  local message = not agent and cwd or cannot(agent --[[@as string]], verb) ---@type string?
  if message then
    return nil, message
  end
  n, message = reach.begin(verb, {
    agent = agent --[[@as string]],
    cwd = cwd,
    roots = options.roots,
  }, { id = id })
  if n then
    state.focus(n)
  end
  return n, message
end

--- Opens a session that the agent has saved, as a session here, and makes it the current one. What was said in it is
--- shown.
---@param id string  the agent's id of the session
---@param options? { agent?: string, cwd?: string }
---@return integer? session
---@return string? message
function M.load(id, options)
  return from_saved("load", id, options)
end

--- As |acp.load()|, without what was said before: for agents that cannot tell it.
---@param id string  the agent's id of the session
---@param options? { agent?: string, cwd?: string }
---@return integer? session
---@return string? message
function M.resume(id, options)
  return from_saved("resume", id, options)
end

--- Loads a saved session where the agent can, else resumes it.
---@param id string  the agent's id of the session
---@param options? { agent?: string, cwd?: string }
---@return integer? session
---@return string? message
function M.reopen(id, options)
  return from_saved("reopen", id, options)
end

--- A new session that remembers what has been said in another; it becomes the current one.
---@param options? { session?: integer, id?: string, agent?: string, cwd?: string }  id: of a saved one
---@return integer? session
---@return string? message
function M.fork(options)
  options = options or {}
  if options.id ~= nil and options.session == nil then
    return from_saved("fork", options.id, options)
  end
  local n, message = reach.session_of(options)
  if not n then
    return nil, message
  end
  local id = (state.get(n) or {}).session_id
  message = reach.replayed(n, "forked")
  if message then
    return nil, message
  elseif not id then
    return nil, ("session %d is not ready to be forked"):format(n)
  end
  return from_saved("fork", id, state.session(n).origin)
end

--- Ends a session here; the agent is told where it can be.
---@param options? acp.Options
---@return true? ok
---@return string? message
function M.close_session(options)
  local n, message = reach.session_of(options)
  if not n then
    return nil, message
  elseif backend.is_running() and state.session(n).generation == backend.generation() then
    return reach.send(n, "close")
  end
  require("acp_nvim.editor").frame({ { "ended", n } })
  return true
end

--- Gives a session a title of the user's own.
---@param title string
---@param options? acp.Options
---@return true? ok
---@return string? message
function M.rename(title, options)
  local n, message = reach.session_of(options)
  if not n then
    return nil, message
  elseif type(title) ~= "string" or vim.trim(title) == "" then
    return nil, "rename needs a title"
  end
  local ok
  ok, message = reach.send(n, "rename", { title = vim.trim(title) })
  if ok then
    state.session(n).origin.name = vim.trim(title)
  end
  return ok, message
end

--- Has the agent delete a session for good.
---@param id string  the agent's id of the session
---@param options? { agent?: string }
---@return true? ok
---@return string? message
function M.delete(id, options)
  if type(id) ~= "string" or id == "" then
    return nil, "delete needs the id of a session: :Acp sessions shows them"
  elseif not backend.is_running() then
    return nil, "no agent is running: :Acp sessions starts one"
  end
  local current = state.current()
  local agent = options and options.agent or (current and state.session(current).origin.agent)
  return backend.notify("delete", { id = id, agent = agent })
end

--- Logs in, by the method with that id, by the configured one, or by the one that the user chooses.
---@param method? string
---@param options? acp.Options
---@return true? ok
---@return string? message
function M.login(method, options)
  local n, message = reach.session_of(options)
  if not n then
    return nil, message
  elseif method ~= nil and type(method) ~= "string" then
    return nil, "the method must be a string"
  end
  return reach.send(n, "login", { method = method })
end

--- Logs out, where the agent can.
---@param options? acp.Options
---@return true? ok
---@return string? message
function M.logout(options)
  local n, message = reach.session_of(options)
  if not n then
    return nil, message
  end
  return reach.send(n, "logout")
end

---@param file string
---@return string? path
---@return string? message
local function recording(file)
  if type(file) ~= "string" then
    return nil, "replay needs the name of a file"
  end
  local path = vim.fn.fnamemodify(vim.fs.normalize(file), ":p")
  local there = vim.uv.fs_stat(path)
  if not there or there.type == "directory" then
    local lead = there and "that is a folder: " or "no such file: "
    return nil, lead .. scratch.short(path, lead)
  elseif there.size == 0 then
    local lead = "the file is empty: "
    return nil, lead .. scratch.short(path, lead)
  end
  return path
end

--- Plays a saved wire file as a session of its own, without an agent; without one the last conversation of this
--- folder that is over.
---@param file? string
---@return integer? session
---@return string? message
function M.replay(file)
  local path, wrong
  if file ~= nil then
    path, wrong = recording(file)
    if not path then
      return nil, wrong
    end
  end
  local n, message = reach.begin("replay", { agent = "replay", cwd = vim.fn.getcwd() }, { file = path })
  if n then
    state.focus(n)
  end
  return n, message
end

--- What is known of a session.
---@param options? acp.Options
---@return table? status
---@return string? message
function M.status(options)
  local n, message = reach.session_of(options)
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

---@param n integer?
---@return string
local function statusline_of(n)
  local status = n and state.get(n)
  if not status then
    return ""
  end
  local parts = { scratch.cut(scratch.visible(status.agent_title or status.agent), 16), status.state }
  if status.questions > 0 then
    parts[2] = "asks " .. status.questions
  end
  if status.queue > 0 then
    parts[#parts + 1] = ("%d %s"):format(status.queue, status.held and "held" or "queued")
  end
  parts[#parts + 1] = gauge.text(status.usage)
  local text = scratch.cut(table.concat(parts, " "), 50)
  return (text:gsub("%%", "%%%%"))
end

local NONE = 0
local drawn = {} ---@type table<integer, string> session -> what a statusline shows of it
local is_due = false

--- Neovim draws a statusline anew when something happens in its window, and an agent is in none.
local function redraw()
  if vim.fn.wildmenumode() == 1 then -- that may be in its place
    return vim.defer_fn(redraw, 100)
  end
  is_due, drawn = false, {}
  vim.cmd.redrawstatus({ bang = true })
end

state.on_change(function(n)
  local shown = drawn[n] or drawn[NONE]
  if shown and not is_due and shown ~= statusline_of(n) then
    is_due = true
    vim.schedule(redraw)
  end
end)

--- A short text about the current session for a statusline, which is drawn anew when the text has changed; empty without
--- a session. Nothing in it is an item of a statusline.
---@return string
function M.statusline()
  local n = state.current()
  local text = statusline_of(n)
  drawn[n or NONE] = text
  return text
end

return M
