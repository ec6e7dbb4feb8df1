-- Runs the backend's process: started on first use, called by notifications only, ended with Neovim.
local available_agents = require("acp_nvim.config.available_agents")
local config = require("acp_nvim.config.settings")
local environment = require("acp_nvim.backend.python_environment")
local event = require("acp_nvim.system.event")
local deferred_calls = require("acp_nvim.backend.deferred_calls")
local launch = require("acp_nvim.backend.launch")
local leftover_processes = require("acp_nvim.backend.leftover_processes")
local leftover_sockets = require("acp_nvim.backend.leftover_sockets")
local messages = require("acp_nvim.ui.messages")
local question_versions = require("acp_nvim.backend.question_versions")
local session_store = require("acp_nvim.backend.session_store")
local state_folder = require("acp_nvim.backend.state_folder")
local stderr = require("acp_nvim.backend.stderr")
local user_events = require("acp_nvim.backend.user_events")

local on_call = event.new()
local on_lost = event.new()
local on_questions_gone = event.new()
local on_ready = event.new()
local on_session_lost = event.new()
local on_setup = event.new()
local on_shutdown = event.new()

local M = {
  on_call = on_call.add, -- fn(): the backend calls; what is said now it hears before it has its answer
  on_lost = on_lost.add, -- fn(): the backend has ended, or could not be started
  on_questions_gone = on_questions_gone.add, -- fn(n): the questions of session `n` have ended
  on_ready = on_ready.add, -- fn(): the backend has heard its configuration
  on_session_lost = on_session_lost.add, -- fn(n, why): session `n` has ended with its backend
  on_setup = on_setup.add, -- fn(payload): adds what the backend has to know before anything else
  on_shutdown = on_shutdown.add, -- fn(): Neovim exits; the backend can still be notified
}

--- The folder of the plugin.
M.root = environment.root

local GOODBYE_MS = 1500
local ENDED = "the backend has ended: a prompt or :Acp restart starts it again"

local channel ---@type integer?
-- Verbs with their payloads, to be sent once the process runs; nil: it runs, or none is wanted.
local pending ---@type any[][]?
local in_host = false -- the channel is that of the python3 host, which other plugins use too
local has_answered = false -- the backend has said that it is ready
local generation = 0 -- which start of the backend this is
local leaders ---@type string? the file in which the backend lists the processes it has started
local is_over = false -- the backend in the host has ended, and all that it had started
-- What this half says while it carries out a call of the backend: it goes along with the answer.
local along ---@type any[][]?

--- Ends a session whose backend has died: changes its status and fires the events as the backend would have done.
---@param n integer
---@param why string
local function end_session(n, why)
  local session = assert(session_store.session(n))
  local was = session.status.state
  local open = session.questions
  local turn = session.turn
  session.turn, session.turn_began = nil, nil
  local held = session_store.hold_unsent(n)
  session_store.patch(n, { queue = held, held = held > 0 })
  if was == "stopped" or was == "failed" then
    return
  end
  session.orphaned = true
  session_store.patch(n, { state = "failed", error = why, pid = vim.NIL })
  session_store.set_questions(n, {})
  on_questions_gone.call(n)
  for _, question in ipairs(open) do
    user_events.fire("AcpAnswered", { session = n, id = question.id, by = "exit" })
  end
  if turn then
    user_events.fire("AcpTurnEnded", { session = n, turn = turn, error = why })
  end
  user_events.fire("AcpSessionEnded", { session = n, reason = was == "starting" and "failed" or "exited" })
end

--- Ends every session with `why`, because the backend has ended or could not be started.
---@param why string
local function end_all_sessions(why)
  channel, pending, along, has_answered = nil, nil, nil, false
  leftover_processes.kill_listed()
  leftover_sockets.remove()
  on_lost.call()
  if vim.v.exiting ~= vim.NIL then
    return
  end
  messages.show("error", why)
  deferred_calls.after_all(function()
    for _, n in ipairs(session_store.numbers()) do
      end_session(n, why)
      on_session_lost.call(n, why)
    end
  end)
end

---@param id integer
---@param code integer
local function on_exit(id, code)
  if id == channel then
    end_all_sessions(stderr.why_it_ended(code, has_answered))
  end
end

---@param verb string
---@param payload table
---@return boolean ok
local function send(verb, payload)
  if along then
    along[#along + 1] = { verb, vim.deepcopy(payload) }
    return true
  end
  local ok = pcall(vim.rpcnotify, channel, "acp_nvim", verb, payload)
  if not ok and in_host then
    -- a host that others own tells us nothing when it ends; for a job `on_exit` is about to be called
    end_all_sessions("the python3 host has ended: restart Neovim")
  end
  return ok
end

---@return table payload  of "setup"
local function setup_payload()
  local payload = {
    config = config.export(available_agents.specs()),
    next_question = question_versions.next_id(),
    leaders = leaders,
    log = vim.fn.stdpath("log"),
    state = state_folder.path(),
    run = leftover_sockets.folder(),
  }
  on_setup.call(payload)
  return payload
end

--- Sends the pending verbs, after the configuration, to the process that has been started.
---@param message? string  why there is no process
local function send_pending(message)
  if not pending then
    return -- the process has ended in the meantime, or Neovim exits
  end
  local ok, first = pcall(setup_payload)
  if not (ok and channel) then
    if channel and not in_host then
      vim.fn.jobstop(channel)
    end
    return end_all_sessions(message or tostring(first))
  end
  local verbs = pending
  pending = nil
  table.insert(verbs, 1, { "setup", first })
  for _, verb in ipairs(verbs) do
    if not send(unpack(verb)) then
      return
    end
  end
end

--- Starts the backend if it does not run.
---@return true? ok
---@return string? message
function M.start()
  if M.is_running() then
    return true
  end
  local python, message = launch.python()
  if not python then
    return nil, message
  end
  pending = {}
  stderr.begin()
  leaders = leftover_processes.open_list()
  in_host = config.get().backend == "rplugin"
  generation = generation + 1
  if not in_host then
    channel, message = launch.start_job(python, stderr.take, on_exit) -- it imports while the windows are drawn
  end
  -- later: the configuration takes a while to collect, and the host to start
  vim.schedule(function()
    if in_host then
      channel, message = launch.start_in_host(python)
    end
    send_pending(message)
  end)
  return true
end

--- Sends the configuration to the backend again, after a later call of `setup()`.
---@return true? ok
---@return string? message
function M.setup()
  return pending and true or M.notify("setup", setup_payload())
end

--- Sends a verb to the backend if it runs. Only what the user asks for starts it, by `start`: a key in the chat of an
--- ended backend would else start one that knows none of its sessions.
---@param verb string
---@param payload table
---@return true? ok
---@return string? message
function M.notify(verb, payload)
  if not M.is_running() then
    return nil, generation > 0 and ENDED or "nothing is running: :Acp starts an agent"
  elseif pending then
    -- a copy: the caller may change the payload before it is sent
    pending[#pending + 1] = { verb, vim.deepcopy(payload) }
  elseif not send(verb, payload) then
    return nil, ENDED
  end
  return true
end

--- Sends the notifications that were held back for an answer.
---@param verbs any[][]
local function send_all(verbs)
  along = nil
  for i, verb in ipairs(verbs) do
    verbs[i] = nil
    send(unpack(verb))
  end
end

---@param fn fun(...: any): any
---@param ... any
---@return any answer
local function carry_out(fn, ...)
  on_call.call()
  return fn(...)
end

--- Carries out a call of the backend. Notifications that it causes go along with the answer, in their order.
---@param fn fun(...: any): any
---@param ... any
---@return any[] answer  what `fn` returns, then the verbs with their payloads
function M.answer(fn, ...)
  send_all(along or {}) -- of a call that has not ended yet, since an autocommand of it waits
  local mine = {} ---@type any[][]
  along = mine
  local ok, answer = pcall(carry_out, fn, ...)
  if along == mine then
    along = nil
  end
  if not ok then
    send_all(mine)
    error(answer, 0)
  elseif answer == nil then
    answer = vim.NIL
  end
  return { answer, unpack(mine) }
end

available_agents.on_changed(function()
  if M.is_running() then
    M.setup()
  end
end)

---@return boolean
function M.is_running()
  return channel ~= nil or pending ~= nil
end

---@return boolean  a call of the backend is carried out: it tells nothing more before it has its answer
function M.is_answering()
  return along ~= nil
end

---@return boolean  the backend has answered
function M.is_ready()
  return has_answered
end

--- Returns how often the backend has been started: a new backend knows nothing of the one before.
---@return integer
function M.generation()
  return generation
end

--- Called by the backend when it has received its configuration.
function M.ready()
  has_answered = true
  on_ready.call()
end

--- Called by the backend in the python3 host when nothing of it is left: Neovim may close the channel.
function M.host_has_ended()
  is_over = true
end

--- Called when Neovim exits: asks the backend to end, waits a bounded time, then kills what is left.
function M.shutdown()
  pending = nil
  if not channel then
    return
  end
  local id = channel
  on_shutdown.call()
  pcall(vim.rpcnotify, id, "acp_nvim", "shutdown", vim.empty_dict())
  if in_host then
    -- the host serves others too and stays: wait for what it started for us
    vim.wait(GOODBYE_MS, function()
      return is_over
    end, 10)
  elseif vim.fn.jobwait({ id }, GOODBYE_MS)[1] == -1 then
    vim.uv.kill(vim.fn.jobpid(id), "sigkill")
  end
  leftover_processes.kill_listed()
end

vim.api.nvim_create_autocmd("VimLeavePre", {
  group = vim.api.nvim_create_augroup("acp_nvim.process", {}),
  callback = M.shutdown,
})

return M
