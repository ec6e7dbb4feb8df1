-- The port: what the backend asks of the editor. `frame` carries out a batch, `call` answers a question.
local backend = require("acp_nvim.backend.process")
local config = require("acp_nvim.config.settings")
local frame_queue = require("acp_nvim.backend.frame_queue")
local lazy = require("acp_nvim.system.lazy")
local log = require("acp_nvim.ui.log")
local panes = require("acp_nvim.ui.panes")
local printable = require("acp_nvim.ui.printable")
local state = require("acp_nvim.backend.session_store")
local unseen_message = require("acp_nvim.ui.unseen_message")
local user_events = require("acp_nvim.backend.user_events")
require("acp_nvim.wiring")

local answerable = lazy("acp_nvim.question.answerable")
local busy = lazy("acp_nvim.busy")
local chats = lazy("acp_nvim.chat.buffer")
local doctor = lazy("acp_nvim.agents.doctor")
local earlier_session = lazy("acp_nvim.chat.earlier_session")
local files = lazy("acp_nvim.files")
local follow = lazy("acp_nvim.follow.pinned_window")
local form = lazy("acp_nvim.form.window")
local login = lazy("acp_nvim.agents.login")
local prompt = lazy("acp_nvim.prompt.buffer")
local proposal = lazy("acp_nvim.proposal")
local queue = lazy("acp_nvim.prompt.queue")
local reload = lazy("acp_nvim.reload")
local review = lazy("acp_nvim.review")
local review_key_hint = lazy("acp_nvim.review.key_hint")
local review_keys = lazy("acp_nvim.review.keys")
local save = lazy("acp_nvim.save")
local session_end = lazy("acp_nvim.windows.session_end")
local session_list = lazy("acp_nvim.sessions.list")
local session_notices = lazy("acp_nvim.windows.session_notices")
local session_windows = lazy("acp_nvim.windows.session_windows")
local state_folder = lazy("acp_nvim.backend.state_folder")
local terminal = lazy("acp_nvim.terminal.buffer")
local unasked = lazy("acp_nvim.unasked")
local welcome = lazy("acp_nvim.chat.welcome")

local M = {}

local ports = {} ---@type table<string, fun(...)>  what a frame may hold
local unheard = {} ---@type table<string, true>  events of this frame that come by the dozen and that no autocommand hears

function ports.ready()
  backend.ready()
end

function ports.status(n, patch)
  state.patch(n, patch)
  if patch.usage then
    session_notices.usage_changed(n)
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
    user_events.fire(name, data)
  end
  if name == "AcpSessionStarted" and config.get().follow then
    follow.on(data.session)
  elseif name == "AcpTurnEnded" then
    session_notices.turn_ended(data)
  end
end

function ports.chat(n, ops, total)
  chats.apply(n, ops, total)
  welcome.written(n)
end

function ports.reset(n)
  chats.reset(n)
end

function ports.questions(n, list)
  state.set_questions(n, list)
  unasked.update(n, list)
  answerable.update(n, list)
end

function ports.commands(n, list)
  state.set_commands(n, list)
end

---@param level "info"|"warn"|"error"
---@param text string
---@param path? string  the text's end
function ports.message(level, text, path)
  unseen_message.say(level, path and text .. printable.short(path, text) or text)
end

--- Something was not written to the state folder.
---@param text string
function ports.unkept(text)
  state_folder.warn(text)
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
  queue.open(n, items, attached)
end

function ports.recall(n, text)
  session_windows.recall(n, text)
end

function ports.history(n, items)
  prompt.history_add(n, items)
end

function ports.terminal_open(n, id, command)
  terminal.opened(n, id, command)
end

function ports.terminal_exit(n, id, status)
  terminal.exited(n, id, status)
end

function ports.follow(n, path, line)
  follow.show(n, path, line)
end

function ports.proposal(shown)
  proposal.show(shown)
end

function ports.proposal_aside(question, path, text)
  proposal.keep_aside(question, path, text)
end

function ports.proposal_done(...)
  proposal.done(...)
end

function ports.hunks(...)
  review_keys.attend()
  review_key_hint.attend()
  review.update(...)
end

function ports.form(...)
  form.open(...)
end

function ports.form_errors(question, errors)
  form.errors(question, errors)
end

function ports.visit(url)
  form.visit(url)
end

function ports.listed(list)
  session_list.listed(list)
end

function ports.earlier(cwd, kept)
  earlier_session.told(cwd, kept)
end

function ports.doctored(...)
  doctor.told(...)
end

function ports.login_choose(n, methods)
  login.choose(n, methods)
end

function ports.login_run(n, what)
  login.run(n, what)
end

function ports.ended(n)
  session_end.take(n)
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

local MANY = 20

--- The events of the batch that come by the dozen and that no autocommand hears: each would cost a search for one.
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
    found[name] = count > MANY and not user_events.is_heard(name) or nil
  end
  return found
end

---@param entry any[]  { name, args… }
---@return acp.FrameEntry
local function as_step(entry)
  local name, count = entry[1], #entry
  -- nulls at the top of a status patch say that a key goes
  for i = 2, name == "status" and 2 or count do
    entry[i] = state.clean(entry[i])
  end
  return {
    name = tostring(name),
    opens_window = WINDOWS[name],
    run = function()
      local port = ports[name] or error(("no such function: %s"):format(tostring(name)), 0)
      port(unpack(entry, 2, count))
    end,
  }
end

--- Carries out a batch of the backend: `{ name, args… }` each, in order.
---@param batch any[][]
---@return string[] errors  one for each entry that failed; what the editor's state forbids is done later, in order
function M.frame(batch)
  local steps = vim.tbl_map(as_step, batch)
  unheard = to_nobody(batch)
  local errors = frame_queue.run(steps)
  unheard = {}
  state.settle()
  return errors
end

local calls = {
  event = function(name, data)
    user_events.fire(name, data)
    return true
  end,
  terminal_feed = function(...)
    return terminal.feed(...)
  end,
  proposal_texts = function(...)
    return proposal.texts(...)
  end,
  file_look = function(...)
    return files.look(...)
  end,
  file_lines = function(...)
    return files.lines(...)
  end,
  file_busy = function(...)
    return busy.look(...)
  end,
  file_apply = function(...)
    return save.apply(...)
  end,
  file_load = function(...)
    return reload.load(...)
  end,
  file_remove = function(...)
    return reload.remove(...)
  end,
  file_reload = function(...)
    return reload.reload(...)
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

return M
