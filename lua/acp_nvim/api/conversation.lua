-- Offers prompts, turns and questions in the Lua API.
local backend = require("acp_nvim.backend.process")
local requests = require("acp_nvim.backend.session_requests")
local send_answer = require("acp_nvim.question.send_answer")
local sending = require("acp_nvim.prompt.send")
local session_store = require("acp_nvim.backend.session_store")
local sessions = require("acp_nvim.api.sessions")

local M = {}

--- Sends a prompt; while a turn runs it is queued. Without any session the default agent is started.
---@param text string
---@param options? { session?: integer, context?: acp.ContextItem[], first?: boolean, next?: boolean }
---  first: cancel the running turn, wait for its answer, send this; next: ahead of the queue
---@return true? ok
---@return string? message
function M.prompt(text, options)
  options = options or {}
  local n
  local given, message = sending.check(text, options.context)
  if not given then
    return nil, message
  elseif options.session == nil and not session_store.current() then
    n, message = sessions.new_session()
  else
    n, message = requests.session_of(options)
  end
  if not n then
    return nil, message
  end
  return sending.send_checked(n, text, given, options)
end

--- Puts a text into the running turn, where the agent takes that; else it is queued, and without a turn it is sent as a
--- prompt. The event AcpSteered always says what has become of it.
---@param text string
---@param options? { session?: integer, context?: acp.ContextItem[], next?: boolean }
---  next: ahead of the queue, if it is queued
---@return true? ok
---@return string? message
function M.steer(text, options)
  options = options or {}
  local given, message = sending.check(text, options.context)
  if not given then
    return nil, message
  end
  local n
  n, message = requests.session_of(options)
  if not n then
    return nil, message
  end
  return sending.send_checked(n, text, given, { steer = true, next = options.next })
end

--- Ends the running turn and holds the queue; without one, gives up what else the agent is asked. `clear` also empties
--- the queue into the prompt history.
---@param options? { session?: integer, clear?: boolean }
---@return true? ok
---@return string? message
function M.cancel(options)
  local n, message = requests.session_of(options)
  if not n then
    return nil, message
  end
  local status = assert(session_store.get(n))
  local at_rest = status.state == "idle" or status.state == "stopped" or status.state == "failed"
  if not backend.is_running() or (at_rest and status.queue == 0 and not status.changing) then
    return nil, "nothing is running"
  end
  return requests.send(n, "cancel", { clear = options ~= nil and options.clear == true })
end

--- The open questions, oldest first.
---@param options? { session?: integer, all?: boolean }
---@return table[]? questions
---@return string? message
function M.questions(options)
  if options and options.all then
    return (vim.deepcopy(session_store.questions()))
  elseif options == nil and not session_store.current() then
    return {}
  end
  local n, message = requests.session_of(options)
  if not n then
    return nil, message
  end
  return (vim.deepcopy(session_store.questions(n)))
end

M.answer = send_answer.answer

--- The agent's slash commands.
---@param options? acp.Options
---@return table[]? commands
---@return string? message
function M.commands(options)
  local n, message = requests.session_of(options)
  if not n then
    return nil, message
  end
  return (vim.deepcopy(session_store.session(n).commands))
end

return M
