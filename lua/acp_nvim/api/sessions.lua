-- Offers windows and sessions in the Lua API.
local available_agents = require("acp_nvim.config.available_agents")
local backend = require("acp_nvim.backend.process")
local default_agent = require("acp_nvim.api.default_agent")
local folder = require("acp_nvim.api.folder")
local requests = require("acp_nvim.backend.session_requests")
local session_end = require("acp_nvim.windows.session_end")
local session_store = require("acp_nvim.backend.session_store")
local session_windows = require("acp_nvim.windows.session_windows")

local M = {}

---@param folders any
---@return string[]? paths
---@return string? message
local function folders_of(folders)
  if type(folders) ~= "table" then
    return nil, "roots must be a list of folders"
  end
  local paths = {}
  for _, each in ipairs(folders) do
    local path, message = folder.path(each)
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
  session_store.focus(n)
  session_windows.open(n, { focus = true })
  return n
end

--- The newest session with that agent, the current one first.
---@param agent string
---@return integer?
local function session_with(agent)
  local numbers = session_store.numbers()
  table.insert(numbers, session_store.current())
  for i = #numbers, 1, -1 do
    if session_store.session(numbers[i]).origin.agent == agent then
      return numbers[i]
    end
  end
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
    local n, message = requests.session_of(options)
    return n and show(n), message
  elseif options.agent ~= nil then
    local n = session_with(options.agent)
    if n then
      return show(n)
    end
    return start(options.agent)
  end
  local n = session_store.current()
  if n then
    return show(n)
  end
  return default_agent(start)
end

--- Closes the chat's windows; the session goes on.
---@return true
function M.close()
  session_windows.close()
  return true
end

--- Opens the chat, or closes it if it is open.
---@return integer|true|nil
---@return string? message
function M.toggle()
  local n = session_store.current()
  if n and session_windows.is_open(n) then
    return M.close()
  end
  return M.open()
end

--- The folders of a new session.
---@param options { cwd?: string, roots?: string[] }
---@return { cwd: string, roots: string[] }? places
---@return string? message
local function places_of(options)
  local cwd, roots, message
  cwd, message = folder.path(options.cwd or vim.fn.getcwd())
  if cwd then
    roots, message = folders_of(options.roots or {})
  end
  return roots and { cwd = cwd, roots = roots }, message
end

--- A new session beside those that run. Its number is known at once; the agent starts in the background.
---@param options? { agent?: string, cwd?: string, roots?: string[] }
---@return integer? session
---@return string? message
function M.new_session(options)
  options = options or {}
  local agent, places, message
  if options.agent == nil then
    agent, message = available_agents.default()
  else
    agent, message = available_agents.find(options.agent)
  end
  if agent then
    places, message = places_of(options)
  end
  if not places then
    return nil, message
  end
  return requests.begin("new", {
    agent = agent --[[@as string]],
    cwd = places.cwd,
    roots = places.roots,
  })
end

--- Closes a session; the agent is notified if it offers that.
---@param options? acp.Options
---@return true? ok
---@return string? message
function M.close_session(options)
  local n, message = requests.session_of(options)
  if not n then
    return nil, message
  elseif backend.is_running() and session_store.session(n).generation == backend.generation() then
    return requests.send(n, "close")
  end
  session_end.remove(n)
  session_store.publish_changes()
  return true
end

--- Gives a session a title of the user's own.
---@param title string
---@param options? acp.Options
---@return true? ok
---@return string? message
function M.rename(title, options)
  local n, message = requests.session_of(options)
  if not n then
    return nil, message
  elseif type(title) ~= "string" or vim.trim(title) == "" then
    return nil, "rename needs a title"
  end
  local ok
  ok, message = requests.send(n, "rename", { title = vim.trim(title) })
  if ok then
    session_store.session(n).origin.name = vim.trim(title)
  end
  return ok, message
end

--- Logs in, by the method with that id, by the configured one, or by the one that the user chooses.
---@param method? string
---@param options? acp.Options
---@return true? ok
---@return string? message
function M.login(method, options)
  local n, message = requests.session_of(options)
  if not n then
    return nil, message
  elseif method ~= nil and type(method) ~= "string" then
    return nil, "the method must be a string"
  end
  return requests.send(n, "login", { method = method })
end

--- Logs out, where the agent can.
---@param options? acp.Options
---@return true? ok
---@return string? message
function M.logout(options)
  local n, message = requests.session_of(options)
  if not n then
    return nil, message
  end
  return requests.send(n, "logout")
end

--- Returns the status of a session.
---@param options? acp.Options
---@return table? status
---@return string? message
function M.status(options)
  local n, message = requests.session_of(options)
  if not n then
    return nil, message
  end
  return session_store.get(n)
end

--- The statuses of all sessions, oldest first.
---@return table[]
function M.sessions()
  return vim.tbl_map(session_store.get, session_store.numbers())
end

return M
