-- Carries out the keys of a chat buffer: jump, fold, open paths, answer options.
local backend = require("acp_nvim.backend.process")
local chats = require("acp_nvim.chat.buffer")
local file_window = require("acp_nvim.commands.file_window")
local key_help = require("acp_nvim.ui.key_help")
local marks = require("acp_nvim.chat.marks")
local messages = require("acp_nvim.ui.messages")
local path_under_cursor = require("acp_nvim.chat.path_under_cursor")
local question_keys = require("acp_nvim.question.keys")
local session_store = require("acp_nvim.backend.session_store")
local session_windows = require("acp_nvim.windows.session_windows")
local turn_changes = require("acp_nvim.chat.turn_changes")
local welcome = require("acp_nvim.chat.welcome")

local api = vim.api
local M = {}

---@return acp.Chat? chat
---@return integer row
local function here()
  return chats.of_buffer(api.nvim_get_current_buf()), api.nvim_win_get_cursor(0)[1] - 1
end

-- The kinds of marks that a jump stops at.
local STOPS = { user = { user = true }, tool = { tool = true, run = true } }

--- The next (previous) header of a turn or line of a tool call, `v:count1` times.
---@param kind "user"|"tool"
---@param step -1|1
function M.jump(kind, step)
  local chat, row = here()
  local count, target = vim.v.count1, nil
  local edge = chat and step > 0 and api.nvim_buf_line_count(chat.buf) or 0
  for _, found in ipairs(chat and marks.between(chat, row, edge) or {}) do
    if STOPS[kind][found.mark.kind] and found.row ~= row and count > 0 then
      target, count = found.row, count - 1
    end
  end
  if target then
    vim.cmd("normal! m'")
    api.nvim_win_set_cursor(0, { target + 1, 0 })
  end
end

--- The entry under the cursor.
---@return acp.Chat? chat
---@return integer? key
local function entry()
  local chat, row = here()
  if not chat then
    return nil
  end
  return chat, marks.entry_at(chat, row)
end

--- Whether the cursor is on the line of a run of calls.
---@return boolean
local function on_run()
  local chat, row = here()
  local mark = chat and marks.above(chat, row)
  return mark ~= nil and mark.kind == "run"
end

--- Asks the backend for something about an entry, or says why that is not possible.
---@param verb string
---@param payload table
---@return boolean sent
local function ask(verb, payload)
  local ok, message = backend.notify(verb, payload)
  if not ok then
    messages.show("warn", message or "the backend has ended")
  end
  return ok == true
end

--- Folds or unfolds what is under the cursor.
---@param open? boolean  nil: the other way round
function M.fold(open)
  local chat, key = entry()
  if chat and key then
    ask("toggle", { session = chat.session, key = key, open = open, run = on_run() and "line" or nil })
  end
end

--- Folds or unfolds all that folds.
---@param open boolean
function M.fold_all(open)
  local chat = here()
  if chat then
    ask("toggle_all", { session = chat.session, open = open })
  end
end

--- The n-th open question of the current session that has a diff.
---@param n integer
---@return table?
local function with_diff(n)
  local session = session_store.current()
  local questions = vim.tbl_filter(function(asked)
    return asked.has_diff
  end, session and session_store.questions(session) or {})
  return questions[n]
end

--- Shows as a diff what the tool call under the cursor changes, else what the n-th question wants to change.
---@param n? integer
---@return boolean? ok
---@return string? message
function M.diff(n)
  local chat, key = nil, nil
  if not n and here() then
    chat, key = entry()
  end
  if chat and key then
    return backend.notify("diff_entry", { session = chat.session, key = key, focus = true })
  end
  local asked = with_diff(n or 1)
  if not asked then
    return nil, n and ("there is no question %d with a diff"):format(n) or "no open question has a diff"
  end
  return backend.notify("diff", { question = asked.id, focus = true })
end

--- Shows the diff of the entry under the cursor; an entry without one unfolds.
function M.show_diff()
  if on_run() then
    M.fold()
  else
    local ok, message = M.diff()
    if not ok then
      messages.show("info", message or "no diff here")
    end
  end
end

--- The details of what is under the cursor, in a float. A run of calls unfolds: they have theirs.
function M.details()
  local chat, key = entry()
  if on_run() then
    M.fold()
  elseif chat and key then
    ask("details", { session = chat.session, key = key })
  end
end

-- Paths ---------------------------------------------------------------------------------------------------------------

--- On an option's line answers with the option; an empty chat continues what it offers; else opens the file under the
--- cursor in the window that the user came from.
function M.open_path()
  if question_keys.take_here() then
    return
  end
  local chat, row = here()
  if not chat or welcome.continue(chat.session) then
    return
  elseif turn_changes.turn_here() then
    return vim.cmd("Acp review")
  elseif on_run() then
    return M.fold()
  end
  local cwd = (session_store.look(chat.session) or {}).cwd or vim.fn.getcwd()
  local path, line = path_under_cursor.under_cursor(chat, row, cwd)
  if not path then
    return messages.show("info", "no file under the cursor")
  end
  file_window.open(path, line)
end

--- Goes to the prompt, ready to type.
function M.to_prompt()
  local chat = here()
  if chat and session_windows.open(chat.session, { focus = true }) then
    vim.cmd("startinsert!")
  end
end

---@param chat acp.Chat
---@param row integer
---@return integer? key  of what the user said there
local function own_words(chat, row)
  local key
  for _, found in ipairs(marks.between(chat, row, 0, 4)) do -- upwards
    key = key or found.mark.key
    if found.mark.kind == "user" then
      return key --[[@as integer]]
    elseif found.mark.kind ~= "text" then
      return nil
    end
  end
end

--- Puts what the user said under the cursor back into the prompt; elsewhere the key is Vim's.
function M.recall()
  local chat, row = here()
  local key = chat and own_words(chat, row)
  if chat and key then
    ask("recall", { session = chat.session, key = key })
    return
  end
  api.nvim_feedkeys(vim.v.count1 .. "e", "n", false)
end

--- Lists the buffer's mappings in a float.
function M.help()
  key_help.show()
end

return M
