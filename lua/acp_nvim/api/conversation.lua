-- The Lua API of prompts, turns and questions.
local backend = require("acp_nvim.backend.process")
local reach = require("acp_nvim.api.session_argument")
local state = require("acp_nvim.backend.session_store")

local M = {}

local MOST = 2 ^ 20 -- bytes of a text

---@param text any
---@return string? message  why it cannot be sent
local function unfit(text)
  if type(text) ~= "string" or vim.trim(text) == "" then
    return "there is nothing to send: a prompt needs a text"
  elseif #text > MOST then
    return ("the prompt has %.1f MB, at most 1 MB is sent: put it in a file and add that"):format(#text / 2 ^ 20)
  end
end

--- What goes along: what the caller gives, what chips in the text stand for, and what it names with `@`.
---@param n integer
---@param text string
---@param given table[]  ready for the backend
---@return string text  with every chip as it is by now
---@return table[] context
local function gathered(n, text, given)
  local origin = state.session(n).origin
  local folders = vim.list_extend({ origin.cwd }, origin.roots)
  folders[#folders + 1] = vim.fn.getcwd()
  local named = require("acp_nvim.prompt.mentions").find(text, folders)
  local shown, chips = require("acp_nvim.prompt.chips").resolve(n, text)
  local context = vim.list_extend(vim.list_extend({}, given), chips)
  return shown, vim.list_extend(context, require("acp_nvim.prompt.context").read_all(named))
end

--- Sends a prompt; while a turn runs it is queued. Without any session the default agent is started.
---@param text string
---@param options? { session?: integer, context?: acp.ContextItem[], first?: boolean, next?: boolean }
---  first: cancel the running turn, wait for its answer, send this; next: ahead of the queue
---@return true? ok
---@return string? message
function M.prompt(text, options)
  options = options or {}
  local message = unfit(text)
  if message then
    return nil, message
  end
  local given, n
  given, message = require("acp_nvim.prompt.context").read(options.context or {})
  if not given then
    return nil, message
  end
  if options.session == nil and not state.current() then
    n, message = require("acp_nvim.api.sessions").new_session()
  else
    n, message = reach.session_of(options)
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
  local shown, context = gathered(n, text, given)
  for _, item in ipairs(context) do
    if item.late then -- it will be there in a moment: the prompt stays until then
      return nil, item.late
    end
  end
  local payload = { text = shown, context = context, first = options.first, next = options.next }
  payload.seq, payload.loaded = state.sent(n, payload), require("acp_nvim.files").loaded()
  ok, message = reach.send(n, "prompt", payload)
  if ok then
    require("acp_nvim.prompt.buffer").history_add(n, { shown })
  end
  return ok, message
end

--- Ends the running turn and holds the queue; without one, gives up what else the agent is asked. `clear` also empties the queue into the prompt history.
---@param options? { session?: integer, clear?: boolean }
---@return true? ok
---@return string? message
function M.cancel(options)
  local n, message = reach.session_of(options)
  if not n then
    return nil, message
  end
  local status = assert(state.get(n))
  local at_rest = status.state == "idle" or status.state == "stopped" or status.state == "failed"
  if not backend.is_running() or (at_rest and status.queue == 0 and not status.changing) then
    return nil, "nothing is running"
  end
  return reach.send(n, "cancel", { clear = options ~= nil and options.clear == true })
end

--- The open questions, oldest first.
---@param options? { session?: integer, all?: boolean }
---@return table[]? questions
---@return string? message
function M.questions(options)
  if options and options.all then
    return (vim.deepcopy(state.questions()))
  elseif options == nil and not state.current() then
    return {}
  end
  local n, message = reach.session_of(options)
  if not n then
    return nil, message
  end
  return (vim.deepcopy(state.questions(n)))
end

--- Answers a question with one of its options; without one it is answered as cancelled. Where the user has edited the
--- right side of its diff, an option that allows once sends that text; none that allows always is taken.
---@param id integer  the question
---@param option_id? string
---@param content? string|table  a free answer, or an elicitation's form
---@return true? ok  nil where the content is not what the form takes: the question stays open
---@return string? message
function M.answer(id, option_id, content)
  local question, message = state.question(id)
  if not question then
    return nil, message
  end
  local option, known = nil, {}
  for index, each in ipairs(question.options) do
    option, known[index] = each.id == option_id and each or option, each.id
  end
  if option_id ~= nil and not option then
    return nil, ("question %s has the options %s, not %s"):format(id, table.concat(known, ", "), tostring(option_id))
  elseif content ~= nil and type(content) ~= "string" and type(content) ~= "table" then
    return nil, "the content of an answer must be a string or a table"
  elseif option_id == "answer" and content ~= nil and #(question.fields or {}) > 0 then
    local problem = require("acp_nvim.form.validation").problem(question.fields, content)
    if problem then
      return nil, "nothing was sent: " .. problem
    end
  end
  if not backend.is_running() then
    return nil, "nothing is running"
  end
  local proposal = require("acp_nvim.proposal")
  local why = proposal.why_not(question, option)
  if why then
    return nil, why
  elseif proposal.answer(question, option) then
    return true
  end
  state.answered(question)
  local answer = { question = id, version = question.version, option = option_id, content = content }
  return backend.notify("answer", answer)
end

--- The agent's slash commands.
---@param options? acp.Options
---@return table[]? commands
---@return string? message
function M.commands(options)
  local n, message = reach.session_of(options)
  if not n then
    return nil, message
  end
  return (vim.deepcopy(state.session(n).commands))
end

return M
