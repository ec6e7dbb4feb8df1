-- Offers saved conversations in the Lua API: those of the agents, and traces.
local available_agents = require("acp_nvim.config.available_agents")
local backend = require("acp_nvim.backend.process")
local chats = require("acp_nvim.chat.buffer")
local first_file = require("acp_nvim.first_file")
local marks = require("acp_nvim.chat.marks")
local project = require("acp_nvim.project")
local printable = require("acp_nvim.ui.printable")
local requests = require("acp_nvim.backend.session_requests")
local review = require("acp_nvim.review")
local session_store = require("acp_nvim.backend.session_store")

local M = {}

---@param agent string
---@param id string
---@return integer? n  the session that it is here
local function open_session(agent, id)
  for _, n in ipairs(session_store.numbers()) do
    local status = session_store.get(n) or {}
    local ended = status.state == "stopped" or status.state == "failed"
    if status.agent == agent and status.session_id == id and not ended then
      return n
    end
  end
end

--- The agent that is named, else that of the current session, else the default one.
---@param named? string
---@return string? agent
---@return string? message
local function agent_of(named)
  local current = session_store.current()
  local last = current and session_store.session(current).origin.agent
  if named ~= nil then
    return available_agents.find(named)
  elseif last and available_agents.find(last) then
    return last
  end
  return available_agents.default()
end

---@return string
local function folder()
  local current = session_store.current()
  return current and session_store.session(current).origin.cwd or vim.fn.getcwd()
end

---@param n? integer
---@param message? string
---@return integer?
---@return string? message
local function focused(n, message)
  if n then
    session_store.focus(n)
  end
  return n, message
end

---@alias acp.Reopening { agent?: string, cwd?: string, roots?: string[] }

---@param verb "load"|"resume"|"reopen"|"fork"
---@param id any
---@param options? acp.Reopening
---@param more? table  further keys of the payload
---@return integer? session
---@return string? message
local function from_saved(verb, id, options, more)
  options = options or {}
  if type(id) ~= "string" or id == "" then
    return nil, ("%s needs the id of a session: :Acp sessions shows them"):format(verb)
  end
  local agent, message = agent_of(options.agent)
  if not agent then
    return nil, message or ""
  end
  local n = verb ~= "fork" and open_session(agent, id)
  if n then
    return focused(n)
  end
  local fields = { agent = agent, cwd = options.cwd or folder(), roots = options.roots }
  local payload = vim.tbl_extend("error", { id = id }, more or {})
  if verb ~= "fork" then
    first_file.here()
    review.load_turns(project.of_folder(fields.cwd))
    payload.turns = review.turns_so_far(agent, id)
  end
  return focused(requests.begin(verb, fields, payload))
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

--- Opens a saved session as |acp.load()| does, without what was said in it: for agents that cannot send that.
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
--- With `here` it remembers only the conversation above the cursor in the chat, with `turn` only what was said before
--- that turn, where the agent can do that.
---@param options? { session?: integer, id?: string, agent?: string, cwd?: string, here?: boolean, turn?: integer }
--- id: of a saved one
---@return integer? session
---@return string? message
function M.fork(options)
  options = options or {}
  if options.id ~= nil and options.session == nil then
    return from_saved("fork", options.id, options)
  end
  local n, message = requests.session_of(options)
  if not n then
    return nil, message
  end
  local id = (session_store.get(n) or {}).session_id
  message = requests.why_not_a_replay(n, "forked")
  if message then
    return nil, message
  elseif not id then
    return nil, ("session %d is not ready to fork yet"):format(n)
  end
  local chat = options.here and chats.get(n)
  if options.here and (not chat or chat.buf ~= vim.api.nvim_get_current_buf()) then
    return nil, "not forked: put the cursor in a chat, below what the fork should remember"
  end
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  local more = chat and { of = n, key = marks.entry_at(chat, row) }
    or options.turn and { of = n, turn = options.turn }
    or nil
  return from_saved("fork", id, session_store.session(n).origin, more)
end

--- Deletes a saved session permanently.
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
  local current = session_store.current()
  local agent = options and options.agent or (current and session_store.session(current).origin.agent)
  return backend.notify("delete", { id = id, agent = agent })
end

---@param file string
---@return string? path
---@return string? message
local function recording(file)
  if type(file) ~= "string" then
    return nil, "replay needs a file name"
  end
  local path = vim.fn.fnamemodify(vim.fs.normalize(file), ":p")
  local there = vim.uv.fs_stat(path)
  if not there or there.type == "directory" then
    local lead = there and "that is a folder: " or "no such file: "
    return nil, lead .. printable.short(path, lead)
  elseif there.size == 0 then
    local lead = "the file is empty: "
    return nil, lead .. printable.short(path, lead)
  end
  return path
end

--- Replays a saved trace as a session of its own, without an agent; without a file the last finished conversation of
--- this folder.
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
  return focused(requests.begin("replay", { agent = "replay", cwd = vim.fn.getcwd() }, { file = path }))
end

return M
