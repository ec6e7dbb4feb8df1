-- `:Acp {subcommand}[!] [args]`: one table of subcommands, each with what it does and how its arguments complete.
local acp = require("acp_nvim")
local agents = require("acp_nvim.agents")
local backend = require("acp_nvim.backend")
local nearest = require("acp_nvim.nearest")
local scratch = require("acp_nvim.scratch")
local state = require("acp_nvim.state")

local M = {}

---@class acp.Call
---@field bang boolean
---@field rest string      all after the subcommand
---@field words string[]
---@field range? { first: integer, last: integer }

---@class acp.Subcommand
---@field doc string      for the help
---@field args? string    for the help
---@field run fun(call: acp.Call): any, string?  nil and a message: it failed
---@field bang? boolean   it takes one
---@field range? boolean
---@field complete? fun(words: string[], lead: string): string[]  the words before the one at the cursor

local subcommands = {} ---@type table<string, acp.Subcommand>
M.subcommands = subcommands

---@return integer? n
---@return string? message
local function current()
  local n = state.current()
  return n, not n and "there is no session: :Acp new starts one" or nil
end

--- A subcommand that only passes a verb on to the backend.
---@param verb string
---@return fun(): any, string?
local function passes(verb)
  return function()
    local n, message = current()
    if not n then
      return nil, message
    end
    return acp._send(n, verb)
  end
end

-- windows and sessions

subcommands.open = {
  args = "[n]",
  doc = "opens the chat, of session n or the current one; without a session the default agent is started",
  complete = function(words)
    return #words == 0 and vim.tbl_map(tostring, state.numbers()) or {}
  end,
  run = function(call)
    if call.rest == "" then
      return acp.open()
    elseif not state.exists(tonumber(call.rest) or 0) then
      local known = table.concat(vim.tbl_map(tostring, state.numbers()), ", ")
      return nil, ("there is no session %s%s"):format(call.rest, known ~= "" and (", but " .. known) or "")
    end
    return acp.open({ session = tonumber(call.rest) })
  end,
}

subcommands.close = {
  doc = "closes the windows of the chat; the session goes on",
  run = function()
    return acp.close()
  end,
}

subcommands.toggle = {
  doc = "opens the chat, or closes it if it is open",
  run = function()
    return acp.toggle()
  end,
}

---@param words string[]
---@param lead string
---@return string[]
local function complete_new(words, lead)
  return #words == 0 and agents.all() or vim.fn.getcompletion(lead, "dir")
end

---@param n? integer
---@param message? string
---@return any, string?
local function opened(n, message)
  if not n then
    return nil, message
  end
  return acp.open({ session = n })
end

local function new(call)
  local agent = call.words[1]
  local roots = vim.list_slice(call.words, 2)
  if agent then
    return opened(acp.new_session({ agent = agent, roots = roots }))
  end
  local default, message, choices = agents.default()
  if default then
    return opened(acp.new_session({ agent = default }))
  elseif not choices then
    return nil, message
  end
  scratch.select(choices, "Which agent?", function(choice)
    opened(acp.new_session({ agent = choice }))
  end)
  return true
end

subcommands.new = {
  args = "[agent] [dir…]",
  doc = "starts a session beside those that run; the folders are further roots",
  run = new,
  complete = complete_new,
}
subcommands.start = vim.tbl_extend("force", subcommands.new, { doc = "the same as `new`" })

subcommands.load = {
  args = "{id}",
  doc = "opens a session that the agent has saved, as a session of its own",
  run = function(call)
    return opened(acp.load(call.rest))
  end,
  complete = function()
    return vim.tbl_map(function(status)
      return status.session_id
    end, acp.sessions())
  end,
}

-- prompts and turns

---@param words string[]
---@return string[]
local function complete_prompt(words)
  if #words > 0 then
    return {}
  end
  return vim.tbl_map(function(command)
    return "/" .. command.name
  end, acp.commands() or {})
end

subcommands.prompt = {
  args = "{text}",
  doc = "sends a prompt, with a range the lines too; while a turn runs it is queued, with ! the turn is cancelled first",
  bang = true,
  range = true,
  complete = complete_prompt,
  run = function(call)
    local context
    if call.range then
      local item = { buffer = vim.api.nvim_get_current_buf(), first = call.range.first, last = call.range.last }
      context = { item }
    end
    local fresh = not state.current()
    local ok, message = acp.prompt(call.rest, { context = context, first = call.bang })
    if ok and fresh then
      require("acp_nvim.window").open(assert(state.current())) -- beside the file that the user is in
    end
    return ok, message
  end,
}

subcommands.cancel = {
  doc = "ends the running turn and holds the queue; with ! the queue also moves into the prompt history",
  bang = true,
  run = function(call)
    return acp.cancel({ clear = call.bang })
  end,
}

subcommands.queue = {
  doc = "edits the queued prompts in a buffer; with ! lets a held queue go on",
  bang = true,
  run = function(call)
    return passes(call.bang and "queue_release" or "queue_open")()
  end,
}

-- questions

--- The question of this buffer, else the oldest open one of the current session, if the user has seen it as it is now.
---@return table? question
---@return string? message
local function visible_question()
  local question
  if vim.b.acp_question then
    local message
    question, message = state.question(vim.b.acp_question)
    if not question then
      return nil, message
    end
  else
    local n = state.current()
    question = n and state.questions(n)[1]
  end
  if not question then
    local elsewhere = state.questions()[1]
    local where = elsewhere and ("session %d asks: :Acp open %d"):format(elsewhere.session, elsewhere.session)
    return nil, "there is no open question" .. (where and (" here; " .. where) or "")
  end
  local screen = require("acp_nvim.question")
  if not vim.b.acp_question and not screen.can_answer(question) then
    screen.show(question)
    return nil, "look at the question first: nothing was sent"
  end
  return question
end

---@param question table
---@param kind string
---@return table? option
---@return string? message
local function first_of_kind(question, kind)
  for _, option in ipairs(question.options) do
    if option.kind == kind then
      return option
    end
  end
  return nil, ("no option of kind %s here: nothing was sent"):format(kind)
end

---@param base "allow"|"reject"
---@param call acp.Call
---@return any, string?
local function decide(base, call)
  local question, message = visible_question()
  if not question then
    return nil, message
  end
  local option
  option, message = first_of_kind(question, base .. (call.bang and "_always" or "_once"))
  if not option then
    return nil, message
  end
  local ok
  ok, message = acp.answer(question.id, option.id)
  if ok and call.rest ~= "" then
    return acp.prompt(call.rest, { session = question.session, next = true })
  end
  return ok, message
end

subcommands.accept = {
  doc = "answers the oldest open question with its first option that allows once, with ! always",
  bang = true,
  run = function(call)
    if require("acp_nvim.merge").accept(vim.api.nvim_get_current_buf()) then
      return true
    end
    return decide("allow", call)
  end,
}

subcommands.reject = {
  args = "[text]",
  doc = "answers the oldest open question with its first option that rejects once, with ! always; the text is the next prompt",
  bang = true,
  run = function(call)
    return decide("reject", call)
  end,
}

---@param question table
---@param word string  a number, or an option's id
---@return table? option
---@return string? message
local function option_of(question, word)
  local option = question.options[tonumber(word) or 0]
  for _, candidate in ipairs(option and {} or question.options) do
    if candidate.id == word then
      option = candidate
    end
  end
  return option, not option and ("option 1 to %d, not '%s': nothing was sent"):format(#question.options, word) or nil
end

subcommands.answer = {
  args = "[n]",
  doc = "answers the oldest open question with option n; without a number the question is shown",
  bang = true,
  complete = function()
    local n = state.current()
    local question = n and state.questions(n)[1]
    local numbers = {}
    for i in ipairs(question and question.options or {}) do
      numbers[i] = tostring(i)
    end
    return numbers
  end,
  run = function(call)
    local question, message = visible_question()
    if not question then
      return nil, message
    elseif call.rest == "" then
      return require("acp_nvim.question").show(question) or true
    end
    local option
    option, message = option_of(question, call.rest)
    if option and call.bang then
      option, message = first_of_kind(question, (option.kind:gsub("_once$", "_always")))
    end
    if not option then
      return nil, message
    end
    return acp.answer(question.id, option.id)
  end,
}

-- the agent's process and what it said

subcommands.stop = {
  doc = "ends the agent's process, and with it the sessions that live in it",
  run = function()
    if not backend.is_running() then
      return nil, "no agent is running"
    end
    return passes("stop")()
  end,
}

subcommands.restart = {
  doc = "starts the agent's process anew; its sessions are loaded again where the agent can",
  run = passes("restart"),
}

subcommands.log = {
  doc = "what we told and what the agents wrote to stderr",
  run = function()
    -- ours at once: the backend may be what is broken
    scratch.show("acp://log", "acp_log", scratch.log_lines())
    return not backend.is_running() or backend.notify("log", {})
  end,
}

subcommands.trace = {
  args = "[on|off|save {file}]",
  doc = "the wire of the agent: shown, recorded or not, saved as one JSON object a line",
  complete = function(words, lead)
    if #words == 0 then
      return { "on", "off", "save" }
    end
    return words[1] == "save" and vim.fn.getcompletion(lead, "file") or {}
  end,
  run = function(call)
    local mode, file = call.words[1], call.rest:match("^%S+%s+(.+)$")
    if mode and not vim.list_contains({ "on", "off", "save" }, mode) then
      return nil, ("trace takes on, off or save {file}, not '%s'"):format(mode)
    elseif mode == "save" and not file then
      return nil, "trace save needs a file"
    end
    local n, message = current()
    if not n then
      return nil, message
    end
    file = file and vim.fn.fnamemodify(vim.fs.normalize(file), ":p")
    return acp._send(n, "trace", { mode = mode, file = file })
  end,
}

subcommands.replay = {
  args = "{file}",
  doc = "plays a saved wire file as a session, without an agent",
  complete = function(words, lead)
    return #words == 0 and vim.fn.getcompletion(lead, "file") or {}
  end,
  run = function(call)
    if call.rest == "" then
      return nil, "replay needs a file"
    end
    return opened(acp.replay(call.rest))
  end,
}

subcommands.follow = {
  args = "[off]",
  doc = "show the files the agent works on in this window; `off` ends it",
  complete = function(words)
    return #words == 0 and { "off" } or {}
  end,
  run = function(call)
    local n, message = current()
    if not n then
      return nil, message
    elseif call.rest == "off" then
      require("acp_nvim.follow").off(n)
      return true
    elseif call.rest ~= "" then
      return nil, ("follow takes 'off' or nothing, not '%s'"):format(call.rest)
    end
    return require("acp_nvim.follow").on(n)
  end,
}

subcommands.terminals = {
  args = "[n]",
  doc = "the agents' terminals; with a number that one is opened live",
  complete = function()
    return vim.tbl_map(function(terminal)
      return tostring(terminal.number)
    end, require("acp_nvim.terminal").list())
  end,
  run = function(call)
    local terminal = require("acp_nvim.terminal")
    if call.rest == "" then
      return terminal.pick()
    end
    return terminal.open(tonumber(call.rest) or call.rest)
  end,
}

subcommands.agents = {
  doc = "the agents that may be started, and where their commands are",
  run = function()
    return scratch.show("acp://agents", "acp_agents", agents.describe())
  end,
}

subcommands.install = {
  doc = "makes the plugin's own Python environment",
  run = function()
    return require("acp_nvim.install").run()
  end,
}

---@return string[]
local function names()
  local sorted = vim.tbl_keys(subcommands)
  table.sort(sorted)
  return sorted
end

---@param name string
---@return string
local function unknown(name)
  local near = nearest(names(), name)
  return ("no subcommand '%s'%s"):format(name, near and (": did you mean '%s'?"):format(near) or ": see :Acp <Tab>")
end

---@param args vim.api.keyset.create_user_command.command_args
---@return any, string?
local function dispatch(args)
  local name, bang, rest = vim.trim(args.args):match("^([^%s!]*)(!?)%s*(.*)$")
  local subcommand = subcommands[name == "" and "open" or name]
  if not subcommand then
    return nil, unknown(name)
  elseif bang ~= "" and not subcommand.bang then
    return nil, ("'%s' takes no !"):format(name)
  elseif args.range > 0 and not subcommand.range then
    return nil, ("'%s' takes no range"):format(name == "" and "open" or name)
  elseif rest ~= "" and not subcommand.args then
    return nil, ("'%s' takes no argument, and nothing was done"):format(name)
  end
  return subcommand.run({
    bang = bang ~= "",
    rest = rest,
    words = vim.split(rest, "%s+", { trimempty = true }),
    range = args.range > 0 and { first = args.line1, last = args.line2 } or nil,
  })
end

--- Runs `:Acp`; what fails is one line.
---@param args vim.api.keyset.create_user_command.command_args
function M.run(args)
  local ran, ok, message = xpcall(dispatch, debug.traceback, args)
  if not ran then
    scratch.log(tostring(ok))
    scratch.message("error", (tostring(ok):gsub("\n.*", "")))
  elseif not ok then
    scratch.message("error", message or "it did not work: see :Acp log")
  end
end

--- What may stand at the end of the command line.
---@param line string  up to the cursor
---@return string[]
function M.complete(line)
  local typed = line:match("^.-Acp%s+(.*)$") or ""
  local words = vim.split(typed, "%s+")
  local lead = table.remove(words)
  local candidates
  if #words == 0 then
    candidates = names()
    if subcommands[lead] and subcommands[lead].bang then
      table.insert(candidates, lead .. "!")
    end
  else
    local subcommand = subcommands[(table.remove(words, 1):gsub("!$", ""))]
    candidates = subcommand and subcommand.complete and subcommand.complete(words, lead) or {}
  end
  return vim.tbl_filter(function(candidate)
    return vim.startswith(candidate, lead)
  end, candidates)
end

return M
