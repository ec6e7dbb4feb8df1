-- Maps the backend's calls to functions: a table for each kind of call.
-- `frame` carries out a batch of calls that nobody answers, `call` answers one.
local backend = require("acp_nvim.backend.process")
local chats = require("acp_nvim.chat.buffer")
local comments = require("acp_nvim.comments")
local config = require("acp_nvim.config.settings")
local deferred_calls = require("acp_nvim.backend.deferred_calls")
local disk_into_buffer = require("acp_nvim.documents.disk_into_buffer")
local doctor = require("acp_nvim.agents.doctor")
local earlier_session = require("acp_nvim.chat.earlier_session")
local editor_tools = require("acp_nvim.editor_tools")
local entry_details = require("acp_nvim.chat.entry_details")
local file_changed_prompt = require("acp_nvim.documents.file_changed_prompt")
local follow = require("acp_nvim.follow.pinned_window")
local form = require("acp_nvim.form.window")
local json_null = require("acp_nvim.backend.json_null")
local log_window = require("acp_nvim.ui.log_window")
local login = require("acp_nvim.agents.login")
local merge = require("acp_nvim.documents.merge")
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
local session_store = require("acp_nvim.backend.session_store")
local session_windows = require("acp_nvim.windows.session_windows")
local state_folder = require("acp_nvim.backend.state_folder")
local terminal = require("acp_nvim.terminal.buffer")
local unasked_message = require("acp_nvim.ui.unasked_message")
local user_events = require("acp_nvim.backend.user_events")
local welcome = require("acp_nvim.chat.welcome")
local write = require("acp_nvim.documents.write")
require("acp_nvim.wiring")

local M = {}

---@param n integer
---@param patch table
local function status(n, patch)
  session_store.patch(n, patch)
  if patch.usage then
    session_notices.usage_changed(n)
  end
end

---@param name string
---@param data table
---@return true fired
local function event(name, data)
  local session = session_store.session(data.session)
  if session and name == "AcpTurnStarted" then
    session.turn, session.turn_began = data.turn, vim.uv.now()
    file_changed_prompt.turn_began(data.session)
  elseif session and name == "AcpTurnEnded" then
    session.turn, session.turn_began = nil, nil
    review.turn_ended(data.session, data.turn, data.stop_reason, data.tokens)
    file_changed_prompt.turn_ended(data.session)
  end
  user_events.fire(name, data)
  if name == "AcpSessionStarted" and config.get().follow then
    follow.on(data.session)
  elseif name == "AcpTurnEnded" then
    session_notices.turn_ended(data)
  end
  return true
end

---@param path string
---@param change acp.DiskChange
local function changed(path, change)
  review.changed(path, change)
  comments.changed_on_disk(path, change)
end

---@param n integer
local function ended(n)
  review.session_ended(n)
  session_end.remove(n)
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
  session_store.set_questions(n, list)
  file_changed_prompt.update(n, list)
  open_questions.update(n, list)
end

---@param level "info"|"warn"|"error"
---@param text string
---@param path? string  the text's end
local function message(level, text, path)
  unasked_message.show(level, path and text .. printable.short(path, text) or text)
end

---@param name string
---@param filetype string
---@param lines string[]
local function show(name, filetype, lines)
  if name == log_window.NAME then
    return log_window.show_with_backend(lines)
  end
  panes.show(name, filetype, lines)
end

-- What a frame may hold.
---@type acp.message.Calls
local calls = {
  changed = changed,
  chat = chat,
  commands = session_store.set_commands,
  comments_sent = comments.sent,
  comments_written = session_store.set_prompt_text,
  earlier_found = earlier_session.deliver,
  ended = ended,
  event = event,
  first_words_found = session_list.show_first_words,
  form_errors = form.show_errors,
  history = prompt.history_add,
  listed = session_list.show_saved,
  message = message,
  proposal_done = proposal.done,
  questions = questions,
  ready = backend.ready,
  reported = review.reported,
  reset = chats.reset,
  show_place = follow.show,
  stands = review.stands,
  status = status,
  terminal_exit = terminal.exited,
  terminal_open = terminal.opened,
  turn_begins = review.turn_begins,
  turn_over = review.turn_over,
  unkept = state_folder.warn,
  visit = form.visit,
}

-- These open windows, which the command-line window forbids; nothing that comes after depends on them.
---@type acp.message.WindowCalls
local window_calls = {
  doctored = doctor.deliver,
  fill_prompt = session_windows.recall,
  float = entry_details.show,
  form = form.open,
  login_choose = login.choose,
  login_run = login.run,
  proposal = proposal.show,
  queue = queue.open,
  show = show,
}

-- What is answered.
---@type acp.message.Questions
local answers = {
  ask_editor = editor_tools.ask,
  document_merge = merge.strings,
  document_read = read.read,
  document_sync = disk_into_buffer.sync,
  document_write = function(request)
    local answer = write.write(request)
    if answer.written then
      user_events.fire("AcpFileWritten", { session = request.by.session, path = request.by.given })
    end
    return answer
  end,
  event = event,
  proposal_sides = proposal.preview,
  terminal_feed = terminal.feed,
}

local UNKNOWN = "the editor has no '%s': restart Neovim after an update"

---@param entry any[]  { name, args… }
---@return acp.FrameEntry
local function as_step(entry)
  local name, count = entry[1], #entry
  -- nulls at the top of a status patch say that a key goes
  for i = 2, name == "status" and 2 or count do
    entry[i] = json_null.clean(entry[i])
  end
  return {
    name = tostring(name),
    opens_window = window_calls[name] ~= nil,
    run = function()
      local fn = calls[name] or window_calls[name]
      if not fn then
        return message("error", UNKNOWN:format(name))
      end
      fn(unpack(entry, 2, count))
    end,
  }
end

--- Carries out a batch of the backend: `{ name, args… }` each, in order.
---@param batch any[][]
---@return string[] errors  one for each entry that failed; what the editor's state forbids is done later, in order
function M.frame(batch)
  local errors = deferred_calls.run(vim.tbl_map(as_step, batch))
  session_store.publish_changes()
  return errors
end

--- Answers a question of the backend.
---@param name string
---@param ... any
---@return any
function M.call(name, ...)
  local arguments = { n = select("#", ...), ... }
  for i = 1, arguments.n do
    arguments[i] = json_null.clean(arguments[i])
  end
  local fn = answers[name] or error(UNKNOWN:format(name), 0)
  return fn(unpack(arguments, 1, arguments.n))
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
