-- Answers questions by key, from the prompt, the chat or an option's line. A question must have been on the screen for
-- a moment first, and "always" takes a second press.
local answer_gate = require("acp_nvim.question.answer_gate")
local armed_option = require("acp_nvim.question.armed_option")
local backend = require("acp_nvim.backend.process")
local chats = require("acp_nvim.chat.buffer")
local diff_view = require("acp_nvim.question.diff_view")
local key_command = require("acp_nvim.ui.key_command")
local marks = require("acp_nvim.chat.marks")
local messages = require("acp_nvim.ui.messages")
local open_questions = require("acp_nvim.question.open_questions")
local option_labels = require("acp_nvim.question.option_labels")
local printable = require("acp_nvim.ui.printable")
local return_to_insert = require("acp_nvim.ui.return_to_insert")
local send_answer = require("acp_nvim.question.send_answer")
local session_store = require("acp_nvim.backend.session_store")
local session_windows = require("acp_nvim.windows.session_windows")

local api = vim.api
local M = {}

--- Must the key be pressed once more? So it is with options that count always.
---@param question acp.Question
---@param option table
---@param intent acp.Intent
---@return boolean
---@return string? message  nil: the prompt's bar says so
local function waits_for_again(question, option, intent)
  if not vim.endswith(option.kind, "_always") or armed_option.press(question, option, intent.key, intent.typed) then
    return false
  elseif session_windows.is_open(question.session) then
    return true
  end
  local name = printable.cut(printable.visible(option.name), 40)
  return true, ("%s = %s %s: press %s again"):format(intent.key, option_labels.SIGNS[option.kind], name, intent.key)
end

--- Returns why the key sends nothing now.
---@param question acp.Question
---@param option table
---@param intent acp.Intent
---@return string? message
local function why_not(question, option, intent)
  if not open_questions.can_answer(question) and not open_questions.can_refuse(question, option) then
    open_questions.show(question)
    return open_questions.why_unseen(question)
  end
  return open_questions.why_not(question, option) or answer_gate.why_not(question, intent)
end

---@param question acp.Question
---@param option table
---@param intent acp.Intent
local function answer(question, option, intent)
  local why = why_not(question, option, intent)
  if why then
    return open_questions.refuse(question, why)
  end
  local waits, again = waits_for_again(question, option, intent)
  if waits then
    return again and open_questions.refuse(question, again)
  end
  if open_questions.opens_form(question, option) or (question.kind == "conflict" and option.id == "merge") then
    return_to_insert.leave() -- the window that opens is for normal mode
  end
  local ok, problem = send_answer.answer(question.id, option.id)
  if not ok then
    messages.show("error", problem or "the answer was not sent")
  end
end

-- Commands by key ----------------------------------------------------------------------------------------------------

--- Must a command not answer now with that option? One that is typed says "always" itself, a key has to be pressed
--- twice.
---@param question acp.Question
---@param option table
---@param place "bar"|"diff"|"merge"
---@return boolean
---@return string? message  nil: the prompt's bar says why
function M.holds_back(question, option, place)
  local intent = { place = place, key = key_command.key() }
  local why = answer_gate.why_not(question, intent)
  if why or not intent.key then
    return why ~= nil, why
  end
  return waits_for_again(question, option, intent)
end

-- Keys ---------------------------------------------------------------------------------------------------------------

--- The question under the cursor, in a chat.
---@return acp.Question?
local function under_cursor()
  local chat = chats.of_buffer(api.nvim_get_current_buf())
  return chat and open_questions.at(chat.session, api.nvim_win_get_cursor(0)[1] - 1)
end

--- The question that keys are about: the one under the cursor, else the one of the bar.
---@return acp.Question?
---@return "bar"|"cursor"
local function question_of_key()
  local here = under_cursor()
  if here then
    return here, "cursor"
  end
  local n = vim.b.acp_session
  return n and session_store.questions(n)[1], --[[@as acp.Question?]]
    "bar"
end

--- Answers the key's question with the option of that number.
---@param number integer
---@param key string  that was pressed
---@param digit? { at: integer, typed: string }  a plain digit that no other key has followed
function M.answer(number, key, digit)
  local question, place = question_of_key()
  if not question then
    return messages.show("info", "there is no open question here")
  end
  local option = question.options[number]
  if not option then
    return messages.show("warn", ("not sent: choose an option from 1 to %d, not %d"):format(#question.options, number))
  end
  answer(question, option, vim.tbl_extend("keep", { place = place, key = key }, digit or {}))
end

--- Shows the question's change as a diff; the cursor goes there, in normal mode.
function M.diff()
  local question = question_of_key()
  if not question or not question.has_diff then
    return messages.show("info", "no open question here has a diff")
  end
  local ok, message = backend.notify("diff", { question = question.id, focus = true })
  if not ok then
    return messages.show("warn", message or "the backend has ended")
  end
  return_to_insert.leave()
end

local REFUSE = { id = "", name = "", kind = "reject_once" }

--- Refuses one file of the question's change: the one whose diff is shown, else the first that is undecided.
function M.refuse_file()
  local question, place = question_of_key()
  if not question or question.kind ~= "permission" or not question.has_diff then
    return messages.show("info", "no open question here changes a file")
  end
  local why = why_not(question, REFUSE, { place = place, key = "<M-x>" })
  if why then
    return open_questions.refuse(question, why)
  end
  local ok, message = diff_view.refuse_file(question)
  if not ok then
    messages.show("warn", message or "the backend has ended")
  end
end

-- Plain digits --------------------------------------------------------------------------------------------------------

local digits = api.nvim_create_namespace("acp_nvim.digit")

--- Calls `fn` unless another key follows soon. After a count Neovim waits for the next key and runs nothing else, so a
--- timer ends the count.
---@param fn fun()
local function unless_followed(fn)
  local timer, count = assert(vim.uv.new_timer()), 0
  vim.on_key(function()
    count = count + 1 -- the first is the digit itself
  end, digits)
  local wait = answer_gate.after_digit()
  timer:start(wait, 0, function()
    timer:close()
    local mode = api.nvim_get_mode()
    local is_alone = count == 1 and mode.mode == "n" and mode.blocking
    if is_alone then
      api.nvim_input("<C-\\><C-n>") -- ends a count and does nothing else
    end
    vim.schedule(function()
      vim.on_key(nil, digits)
      if is_alone then
        fn()
      end
    end)
  end)
end

--- The question that a plain digit is about: the one under the cursor, or that of the bar in an empty prompt.
---@return acp.Question?
---@return "bar"|"cursor"
local function question_of_digit()
  local question, place = question_of_key()
  local is_empty = api.nvim_buf_line_count(0) == 1 and api.nvim_get_current_line() == ""
  local is_here = place == "cursor" or vim.bo.filetype == "acp_prompt" and is_empty
  return is_here and question or nil, place
end

--- Handles a digit: it answers if no key follows, else it is a count (`2k`, `3G`, `1@q`), as it is in a macro.
---@param digit integer
---@return string keys
function M.digit(digit)
  local question, place = question_of_digit()
  local is_typed = vim.fn.reg_executing() == "" and vim.fn.reg_recording() == ""
  if question and question.options[digit] and vim.v.count == 0 and is_typed then
    local win, buf, at = api.nvim_get_current_win(), api.nvim_get_current_buf(), answer_gate.meant_at()
    unless_followed(function()
      local is_here = api.nvim_get_current_win() == win and api.nvim_get_current_buf() == buf
      local now, where = question_of_digit()
      if is_here and now and (now.id == question.id and where == place) then
        M.answer(digit, tostring(digit), { at = at, typed = tostring(digit) })
      end
    end)
  end
  return tostring(digit)
end

-- The options' lines --------------------------------------------------------------------------------------------------

--- The option at a place of the chat.
---@param row integer
---@param col integer  from 0, bytes
---@return acp.Question? question
---@return integer? number
---@return boolean on_line  the line has options, if none at that place
local function option_at(row, col)
  local chat = chats.of_buffer(api.nvim_get_current_buf())
  local found = chat and marks.between(chat, row, row)[1]
  local mark = found and found.mark
  if not chat or not mark or mark.kind ~= "option" or not mark.options then
    return nil, nil, false
  end
  local question = open_questions.at(chat.session, row)
  for _, place in ipairs(mark.options) do
    if #mark.options == 1 or (place[1] <= col and col < place[2]) then
      return question, place[3], true
    end
  end
  return question, nil, true
end

---@param row integer
---@param col integer
---@param key string
---@return boolean taken  the line has options
local function take(row, col, key)
  local question, number, on_line = option_at(row, col)
  if question and number then
    answer(question, question.options[number], { place = "cursor", key = key })
  elseif on_line then
    messages.show("info", "not sent: put the cursor on one of the answers")
  end
  return on_line
end

--- Answers with the option under the cursor.
---@return boolean taken  the cursor's line has options
function M.take_here()
  local at = api.nvim_win_get_cursor(0)
  return take(at[1] - 1, at[2], "<CR>")
end

--- A double click: on an option it answers, elsewhere it is Vim's own.
---@return string keys
function M.click()
  local at = vim.fn.getmousepos()
  if at.winid ~= api.nvim_get_current_win() or not option_at(at.line - 1, at.column - 1) then
    return "<2-LeftMouse>"
  end
  vim.schedule(function()
    take(at.line - 1, at.column - 1, "the mouse")
  end)
  return "<Ignore>"
end

return M
