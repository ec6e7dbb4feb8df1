-- Answers questions by key, from the prompt, the chat or an option's line. A question must have been on the screen for
-- a moment first, and "always" takes a second press.
local answer_delay = require("acp_nvim.question.answer_delay")
local backend = require("acp_nvim.backend.process")
local chats = require("acp_nvim.chat.buffer")
local key_command = require("acp_nvim.ui.key_command")
local marks = require("acp_nvim.chat.marks")
local messages = require("acp_nvim.ui.messages")
local open_questions = require("acp_nvim.question.open_questions")
local option_labels = require("acp_nvim.question.option_labels")
local printable = require("acp_nvim.ui.printable")
local send_answer = require("acp_nvim.question.send_answer")
local state = require("acp_nvim.backend.session_store")

local api = vim.api
local M = {}

local AGAIN_MS = 8000 -- so long the first of two presses is remembered
local TOO_SOON = "the question has just appeared: press %s again"

---@class acp.Pressed
---@field question integer
---@field version integer
---@field option string
---@field at integer

local pressed ---@type acp.Pressed?  an option that counts always waits for its key once more

---@param question acp.Question
---@param option table
---@return boolean
local function is_pressed_again(question, option)
  local now = { question = question.id, version = question.version, option = option.id, at = vim.uv.now() }
  local first = pressed
  pressed = nil
  if
    first
    and first.question == now.question
    and first.version == now.version
    and first.option == now.option
    and now.at - first.at < AGAIN_MS
  then
    return true
  end
  pressed = now
  return false
end

---@param option table  counts always
---@param key string
---@return string message
local function ask_to_repeat(option, key)
  local name = printable.cut(printable.visible(option.name), 40)
  return ("%s = %s %s: press %s again"):format(key, option_labels.SIGNS[option.kind], name, key)
end

--- Returns why the key sends nothing now.
---@param question acp.Question
---@param option table
---@param key string
---@param by_bar boolean
---@return string? message
local function why_not(question, option, key, by_bar)
  if not open_questions.can_answer(question) and not open_questions.can_refuse(question, option) then
    open_questions.show(question)
    return open_questions.why_unseen(question)
  elseif not answer_delay.may_answer(question, by_bar) then
    answer_delay.came_too_soon(question.session)
    return TOO_SOON:format(key)
  end
  local why = open_questions.why_not(question, option)
  if not why and vim.endswith(option.kind, "_always") and not is_pressed_again(question, option) then
    return ask_to_repeat(option, key)
  end
  return why
end

---@param question acp.Question
---@param option table
---@param key string
---@param by_bar boolean
local function answer(question, option, key, by_bar)
  local why = why_not(question, option, key, by_bar)
  if why then
    return open_questions.refuse(question, why)
  end
  if open_questions.opens_form(question, option) or (question.kind == "conflict" and option.id == "merge") then
    vim.cmd.stopinsert() -- the window that opens is for normal mode
  end
  local ok, problem = send_answer.answer(question.id, option.id)
  if not ok then
    messages.show("error", problem or "the answer was not sent")
  end
end

-- Commands by key ----------------------------------------------------------------------------------------------------

--- Why the command must not answer now with that option, if a key has given it.
---@param question acp.Question
---@param option table
---@return string? message
function M.why_not_by_key(question, option)
  local key = key_command.key()
  if not key then
    return nil
  elseif not answer_delay.may_answer(question, false) then
    if open_questions.is_shown_as_diff(question) then
      answer_delay.shown(question) -- its chat may be closed, and is not drawn
    end
    answer_delay.came_too_soon(question.session)
    return TOO_SOON:format(key)
  elseif vim.endswith(option.kind, "_always") and not is_pressed_again(question, option) then
    return ask_to_repeat(option, key)
  end
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
---@return boolean by_bar
local function question_of_key()
  local here = under_cursor()
  if here then
    return here, false
  end
  local n = vim.b.acp_session
  return n and state.questions(n)[1], --[[@as acp.Question?]]
    true
end

--- Answers the key's question with the option of that number.
---@param number integer
---@param key string  that was pressed
function M.answer(number, key)
  local question, by_bar = question_of_key()
  if not question then
    return messages.show("info", "there is no open question here")
  end
  local option = question.options[number]
  if not option then
    return messages.show("warn", ("not sent: choose an option from 1 to %d, not %d"):format(#question.options, number))
  end
  answer(question, option, key, by_bar)
end

--- Shows the question's change as a diff; the cursor goes there, in normal mode.
function M.diff()
  local question = question_of_key()
  if not question or not question.has_diff then
    return messages.show("info", "no open question here has a diff")
  end
  vim.cmd.stopinsert()
  local ok, message = backend.notify("diff", { question = question.id, focus = true })
  if not ok then
    messages.show("warn", message or "the backend has ended")
  end
end

-- Plain digits --------------------------------------------------------------------------------------------------------

--- Handles a digit in the prompt: in an empty prompt it answers, else it is a count.
---@param digit integer
---@return string keys
function M.digit_in_prompt(digit)
  local is_empty = api.nvim_buf_line_count(0) == 1 and api.nvim_get_current_line() == ""
  local n = vim.b.acp_session
  if vim.v.count > 0 or not is_empty or not (n and state.questions(n)[1]) then
    return tostring(digit)
  end
  vim.schedule(function()
    M.answer(digit, tostring(digit))
  end)
  return "<Ignore>"
end

local digits = api.nvim_create_namespace("acp_nvim.digit")

--- Calls `fn` unless another key follows soon. After a count Neovim waits for the next key and runs nothing else, so a
--- timer ends the count.
---@param fn fun()
local function unless_followed(fn)
  local timer, count = assert(vim.uv.new_timer()), 0
  vim.on_key(function()
    count = count + 1 -- the first is the digit itself
  end, digits)
  local wait = answer_delay.after_digit()
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

--- Handles a digit in the chat: on a question's lines it answers if no key follows (`2k` is a motion), else it is a
--- count.
---@param digit integer
---@return string keys
function M.digit_in_chat(digit)
  local question = vim.v.count == 0 and under_cursor()
  local is_typed = vim.fn.reg_executing() == "" and vim.fn.reg_recording() == ""
  if question and question.options[digit] and is_typed then
    local win, buf = api.nvim_get_current_win(), api.nvim_get_current_buf()
    unless_followed(function()
      local now = api.nvim_get_current_win() == win and api.nvim_get_current_buf() == buf and under_cursor()
      if now and now.id == question.id then
        answer(question, question.options[digit], tostring(digit), false)
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
    answer(question, question.options[number], key, false)
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
