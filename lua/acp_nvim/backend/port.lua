-- The port: what the backend asks of the editor, one batch a frame, each entry on its own so that none breaks the rest.
local busy = require("acp_nvim.busy")
local log = require("acp_nvim.ui.log")
local messages = require("acp_nvim.ui.messages")
local panes = require("acp_nvim.ui.panes")
local printable = require("acp_nvim.ui.printable")
local state = require("acp_nvim.backend.session_store")

local M = {}

local ports = {}
local unheard = {} ---@type table<string, true>  events of the frame under way that come by the dozen, to nobody

function ports.ready()
  require("acp_nvim.backend.process").ready()
end

function ports.status(n, patch)
  state.patch(n, patch)
  if patch.usage then
    require("acp_nvim.chat.usage").watch(n)
  end
end

function ports.event(name, data)
  local session = state.session(data.session)
  if session and name == "AcpTurnStarted" then
    session.turn = data.turn
  elseif session and name == "AcpTurnEnded" then
    session.turn = nil
  end
  if not unheard[name] then
    M.fire(name, data)
  end
  if name == "AcpSessionStarted" and require("acp_nvim.config.settings").get().follow then
    require("acp_nvim.follow.pinned_window").on(data.session)
  elseif name == "AcpTurnEnded" then
    require("acp_nvim.ui.unseen_message").turn_ended(data)
  end
end

function ports.chat(n, ops, total)
  require("acp_nvim.chat.buffer").apply(n, ops, total)
  if package.loaded["acp_nvim.chat.welcome"] then
    require("acp_nvim.chat.welcome").written(n)
  end
end

function ports.reset(n)
  require("acp_nvim.chat.buffer").reset(n)
end

function ports.questions(n, list)
  state.set_questions(n, list)
  require("acp_nvim.unasked").update(n, list)
  require("acp_nvim.question.answerable").update(n, list)
end

function ports.commands(n, list)
  state.set_commands(n, list)
end

---@param level "info"|"warn"|"error"
---@param text string
---@param path? string  the text's end
function ports.message(level, text, path)
  require("acp_nvim.ui.unseen_message").say(level, path and text .. printable.short(path, text) or text)
end

--- Something was not written to the state folder.
---@param text string
function ports.unkept(text)
  require("acp_nvim.system.state_folder").warn(text)
end

function ports.show(name, filetype, lines)
  if name == "acp://log" then
    if #vim.fn.win_findbuf(vim.fn.bufnr("^acp://log$")) == 0 then
      return -- the user has closed it before the backend's part came
    end
    lines = log.with_backend_lines(lines)
  end
  panes.show(name, filetype, lines)
end

function ports.float(lines, filetype)
  panes.float(lines, filetype)
end

function ports.queue(n, items, attached)
  require("acp_nvim.prompt.queue").open(n, items, attached)
end

function ports.recall(n, text)
  require("acp_nvim.prompt.buffer").recall(n, text)
end

function ports.history(n, items)
  require("acp_nvim.prompt.buffer").history_add(n, items)
end

function ports.terminal_open(n, id, command)
  require("acp_nvim.terminal.buffer").opened(n, id, command)
end

function ports.terminal_exit(n, id, status)
  require("acp_nvim.terminal.buffer").exited(n, id, status)
end

function ports.follow(n, path, line)
  require("acp_nvim.follow.pinned_window").show(n, path, line)
end

function ports.proposal(shown)
  require("acp_nvim.proposal").show(shown)
end

function ports.proposal_aside(question, path, text)
  require("acp_nvim.proposal").keep_aside(question, path, text)
end

function ports.proposal_done(...)
  require("acp_nvim.proposal").done(...)
end

function ports.hunks(...)
  require("acp_nvim.review.keys")
  require("acp_nvim.review.key_hint")
  require("acp_nvim.review").update(...)
end

function ports.form(...)
  require("acp_nvim.form.window").open(...)
end

function ports.form_errors(question, errors)
  require("acp_nvim.form.window").errors(question, errors)
end

function ports.at_its_end(fn)
  fn()
end

function ports.visit(url)
  require("acp_nvim.form.window").visit(url)
end

function ports.listed(list)
  require("acp_nvim.sessions.list").listed(list)
end

function ports.earlier(cwd, kept)
  require("acp_nvim.sessions.continue").told(cwd, kept)
end

function ports.doctored(...)
  require("acp_nvim.agents.doctor").told(...)
end

function ports.login_choose(n, methods)
  require("acp_nvim.agents.login").choose(n, methods)
end

function ports.login_run(n, what)
  require("acp_nvim.agents.login").run(n, what)
end

function ports.ended(n)
  local session = state.session(n)
  local outlive = require("acp_nvim.prompt.without_session")
  local was_starting = session ~= nil and session.status.state == "starting"
  local is_held = outlive.holds(n, was_starting)
  state.drop(n)
  require("acp_nvim.sessions.list").ended(n, was_starting and not is_held)
  require("acp_nvim.unasked").update(n, {})
  require("acp_nvim.follow.pinned_window").drop(n)
  require("acp_nvim.terminal.buffer").ended(n)
  if is_held then
    return outlive.keep(n)
  end
  require("acp_nvim.chat.buffer").wipe(n)
end

-- These open windows, which the command-line window forbids; nothing that comes after depends on them.
local WINDOWS = {
  proposal = true,
  show = true,
  float = true,
  queue = true,
  doctored = true,
  login_choose = true,
  login_run = true,
  recall = true,
  form = true,
}

local waiting = {} ---@type table[] entries that the editor's state forbade, in their order
local blocked = false -- one of them must come before all that follow

---@param err string
---@return boolean  true if the same will work once the user is out of this state
local function passes(err)
  return err:find("E565:") ~= nil or err:find("E523:") ~= nil or err:find("E11:") ~= nil or err:find("E12:") ~= nil
end

---@param entry table  { name, args…, n = its length }
---@return string? err
local function perform(entry)
  local port = ports[entry[1]]
  if not port then
    return ("no such function: %s"):format(tostring(entry[1]))
  end
  local ok, err = xpcall(port, debug.traceback, unpack(entry, 2, entry.n))
  return not ok and ("%s: %s"):format(entry[1], err) or nil
end

local retry

---@param entry table
local function wait(entry)
  waiting[#waiting + 1] = entry
  blocked = blocked or not WINDOWS[entry[1]]
  if #waiting == 1 then
    vim.defer_fn(retry, 50)
  end
end

---@param entries table[]
---@return string[] errors
local function run(entries)
  local errors = {}
  blocked = blocked or (#entries > 0 and busy.is_locked())
  for _, entry in ipairs(entries) do
    local err = not blocked and perform(entry) or nil
    if blocked or (err and passes(err)) then
      wait(entry)
    elseif err then
      log.add(err)
      errors[#errors + 1] = err
    end
  end
  return errors
end

retry = function()
  local entries = waiting
  waiting, blocked = {}, false
  run(entries)
  M.settle()
end

--- `fn` comes behind what the editor's state has put off, or at once; windows that wait do not open any more. For the end
--- of the backend: what it has told before would else tell it again, and what stood open there would never end.
---@param fn fun()
function M.at_its_end(fn)
  waiting = vim.tbl_filter(function(entry)
    return not WINDOWS[entry[1]]
  end, waiting)
  if #waiting > 0 then
    return wait({ "at_its_end", fn, n = 2 })
  end
  fn()
end

local MANY = 20

---@param batch any[][]
---@return table<string, true>
local function to_nobody(batch)
  local counts, found = {}, {} ---@type table<string, integer>, table<string, true>
  for _, entry in ipairs(batch) do
    if entry[1] == "event" then
      counts[entry[2]] = (counts[entry[2]] or 0) + 1
    end
  end
  for name, count in pairs(counts) do
    found[name] = count > MANY and not M.is_heard(name) or nil
  end
  return found
end

--- Carries out a batch of the backend: `{ name, args… }` each, in order.
---@param batch any[][]
---@return string[] errors  one for each entry that failed; what the editor's state forbids is done later, in order
function M.frame(batch)
  for _, entry in ipairs(batch) do ---@cast entry { n: integer, [integer]: any }
    entry.n = #entry
    -- nulls at the top of a status patch say that a key goes
    for i = 2, entry[1] == "status" and 2 or entry.n do
      entry[i] = state.clean(entry[i])
    end
  end
  unheard = to_nobody(batch)
  local errors = run(batch)
  unheard = {}
  M.settle()
  return errors
end

local calls = {
  event = function(name, data)
    M.fire(name, data)
    return true
  end,
  terminal_feed = function(...)
    return require("acp_nvim.terminal.buffer").feed(...)
  end,
  proposal_texts = function(...)
    return require("acp_nvim.proposal").texts(...)
  end,
  file_look = function(...)
    return require("acp_nvim.files").look(...)
  end,
  file_lines = function(...)
    return require("acp_nvim.files").lines(...)
  end,
  file_busy = function(...)
    return require("acp_nvim.busy").look(...)
  end,
  file_apply = function(...)
    return require("acp_nvim.save").apply(...)
  end,
  file_load = function(...)
    return require("acp_nvim.reload").load(...)
  end,
  file_remove = function(...)
    return require("acp_nvim.reload").remove(...)
  end,
  file_reload = function(...)
    return require("acp_nvim.reload").reload(...)
  end,
}

--- Answers a question of the backend.
---@param name string
---@param ... any
---@return any
function M.call(name, ...)
  local arguments = { n = select("#", ...), ... }
  for i = 1, arguments.n do
    arguments[i] = state.clean(arguments[i])
  end
  return calls[name](unpack(arguments, 1, arguments.n))
end

local failing = {} ---@type table<string, true> events whose handlers have failed
local event = {} -- the autocommand that is about to be fired

--- For `fire`: called by Vim, whose error handling surrounds it there.
function M.fire_now()
  vim.api.nvim_exec_autocmds("User", { pattern = event.name, data = event.data, modeline = false })
end

--- Somebody may have an autocommand for `User {name}`: one that names it, or one with wildcards.
---@param name string
---@return boolean
function M.is_heard(name)
  return vim.iter(vim.api.nvim_get_autocmds({ event = "User" })):any(function(found)
    return found.pattern == name or found.pattern:find("[*?%[{\\]") ~= nil
  end)
end

--- Fires `User {name}`. A handler that fails gets one line: uncaught, its error would fill the screen and raise the
--- hit-enter prompt, at which Neovim answers nobody.
---@param name string
---@param data table
function M.fire(name, data)
  event = { name = name, data = data }
  local ok, err = pcall(vim.cmd --[[@as fun(command: string)]], "call v:lua.require'acp_nvim.backend.port'.fire_now()")
  if ok then
    return
  end
  log.add(("an autocommand for %s failed: %s"):format(name, tostring(err)))
  if not failing[name] then -- once: it may fire many times a second
    failing[name] = true
    local reason = tostring(err):gsub("\nstack traceback.*", ""):gsub("\n", " "):match(".*: (.+)$") or tostring(err)
    messages.show("error", ("an autocommand for %s failed: %s; see :Acp log"):format(name, reason))
  end
end

--- Tells of every session that has changed.
function M.settle()
  if busy.is_locked() then
    return vim.defer_fn(M.settle, 50)
  end
  local numbers, listeners = state.take_changed()
  for _, n in ipairs(numbers) do
    for _, listener in ipairs(listeners) do
      local ok, err = xpcall(listener, debug.traceback, n)
      if not ok then
        log.add(tostring(err))
      end
    end
    M.fire("AcpStatus", { session = n })
  end
end

return M
