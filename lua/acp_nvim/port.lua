-- The port: what the backend asks of the editor. `frame` carries out a batch, `call` answers a question.
local backend = require("acp_nvim.backend.process")
local chats = require("acp_nvim.chat.buffer")
local config = require("acp_nvim.config.settings")
local doctor = require("acp_nvim.agents.doctor")
local earlier_session = require("acp_nvim.chat.earlier_session")
local file_changed_prompt = require("acp_nvim.documents.file_changed_prompt")
local follow = require("acp_nvim.follow.pinned_window")
local form = require("acp_nvim.form.window")
local frame_queue = require("acp_nvim.backend.frame_queue")
local merge = require("acp_nvim.documents.merge")
local log = require("acp_nvim.ui.log")
local login = require("acp_nvim.agents.login")
local open_questions = require("acp_nvim.question.open_questions")
local panes = require("acp_nvim.ui.panes")
local printable = require("acp_nvim.ui.printable")
local prompt = require("acp_nvim.prompt.buffer")
local proposal = require("acp_nvim.proposal")
local queue = require("acp_nvim.prompt.queue")
local read = require("acp_nvim.documents.read")
local review = require("acp_nvim.review")
local session_end = require("acp_nvim.windows.session_end")
local session_list = require("acp_nvim.sessions.list")
local session_notices = require("acp_nvim.windows.session_notices")
local session_windows = require("acp_nvim.windows.session_windows")
local state = require("acp_nvim.backend.session_store")
local sync = require("acp_nvim.documents.sync")
local state_folder = require("acp_nvim.backend.state_folder")
local terminal = require("acp_nvim.terminal.buffer")
local unseen_message = require("acp_nvim.ui.unseen_message")
local user_events = require("acp_nvim.backend.user_events")
local write = require("acp_nvim.documents.write")
local welcome = require("acp_nvim.chat.welcome")
require("acp_nvim.wiring")

local M = {}

local unheard = {} ---@type table<string, true>  events of this frame that come by the dozen and that no autocommand hears

---@param n integer
---@param patch table
local function status(n, patch)
  state.patch(n, patch)
  if patch.usage then
    session_notices.usage_changed(n)
  end
end

---@param name string
---@param data table
local function event(name, data)
  local session = state.session(data.session)
  if session and name == "AcpTurnStarted" then
    session.turn, session.turn_began = data.turn, vim.uv.now()
  elseif session and name == "AcpTurnEnded" then
    session.turn, session.turn_began = nil, nil
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

---@param n integer
local function ended(n)
  review.session_ended(n)
  session_end.take(n)
end

---@param n integer
---@param ops table[]
---@param total integer
local function chat(n, ops, total)
  chats.apply(n, ops, total)
  welcome.text_has_come(n)
end

---@param n integer
---@param list acp.Question[]
local function questions(n, list)
  state.set_questions(n, list)
  file_changed_prompt.update(n, list)
  open_questions.update(n, list)
end

---@param level "info"|"warn"|"error"
---@param text string
---@param path? string  the text's end
local function message(level, text, path)
  unseen_message.show(level, path and text .. printable.short(path, text) or text)
end

---@param name string
---@param filetype string
---@param lines string[]
local function show(name, filetype, lines)
  if name == "acp://log" then
    if #vim.fn.win_findbuf(vim.fn.bufnr("^acp://log$")) == 0 then
      return -- the user has closed it before the backend's part came
    end
    lines = log.with_backend_lines(lines)
  end
  panes.show(name, filetype, lines)
end

-- What a frame may hold: the name of each entry, and who carries it out.
---@type acp.message.PortCalls
local ports = {
  changed = review.changed,
  chat = chat,
  commands = state.set_commands,
  doctored = doctor.deliver,
  earlier = earlier_session.deliver,
  ended = ended,
  event = event,
  float = panes.float,
  follow = follow.show,
  form = form.open,
  form_errors = form.show_errors,
  history = prompt.history_add,
  listed = session_list.show_saved,
  login_choose = login.choose,
  login_run = login.run,
  message = message,
  proposal = proposal.show,
  proposal_done = proposal.done,
  questions = questions,
  queue = queue.open,
  ready = backend.ready,
  recall = session_windows.recall,
  reported = review.reported,
  reset = chats.reset,
  show = show,
  status = status,
  terminal_exit = terminal.exited,
  terminal_open = terminal.opened,
  turn_begins = review.turn_begins,
  turn_over = review.turn_over,
  unkept = state_folder.warn,
  visit = form.visit,
}

-- These open windows, which the command-line window forbids; nothing that comes after depends on them.
local WINDOWS = {
  doctored = true,
  float = true,
  form = true,
  login_choose = true,
  login_run = true,
  proposal = true,
  queue = true,
  recall = true,
  show = true,
}

local UNKNOWN = "the editor knows no '%s'; restart Neovim after an update"
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
      if not ports[name] then
        return message("error", UNKNOWN:format(name))
      end
      ports[name](unpack(entry, 2, count))
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
  state.publish_changes()
  return errors
end

-- What the backend may ask, and who answers.
---@type acp.message.PortQuestions
local calls = {
  event = function(name, data)
    user_events.fire(name, data)
    return true
  end,
  document_merge = merge.strings,
  document_read = read.read,
  document_sync = sync.sync,
  document_write = function(request)
    local answer = write.write(request)
    if answer.written then
      user_events.fire("AcpFileWritten", { session = request.by.session, path = request.by.given })
    end
    return answer
  end,
  proposal_sides = proposal.preview,
  terminal_feed = terminal.feed,
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
  local answer = calls[name] or error(UNKNOWN:format(name), 0)
  return answer(unpack(arguments, 1, arguments.n))
end

-- The same for the backend itself, to which the answer also brings what Lua has said meanwhile.
M.rpc = {
  frame = function(batch)
    return backend.answer(M.frame, batch)
  end,
  call = function(...)
    return backend.answer(M.call, ...)
  end,
}

return M
