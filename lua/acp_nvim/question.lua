-- The open questions as the user sees them: what is on screen may be answered, anything else is shown first.
local chats = require("acp_nvim.chat")
local config = require("acp_nvim.config")
local scratch = require("acp_nvim.scratch")
local state = require("acp_nvim.state")

local api = vim.api
local M = {}

---@class acp.Question
---@field id integer
---@field session integer
---@field title string
---@field options { id: string, name: string, kind: string }[]
---@field version integer
---@field key? integer   its entry in the chat

-- More lines than a question can have.
local MOST_LINES = 5000

local open = {} ---@type table<integer, acp.Question>
local announced = {} ---@type table<integer, true>
local seen = {} ---@type table<integer, string>  question -> what of it has been on screen
local being_drawn = {} ---@type table<integer, integer>  window -> session
local away = false

-- Where it is ---------------------------------------------------------------------------------------------------------

---@class acp.QuestionLines
---@field chat acp.Chat
---@field first integer
---@field last integer
---@field options [integer, integer]

--- The question's lines: its tool call's line, what one must have seen, the options.
---@param question acp.Question
---@return acp.QuestionLines?
local function lines_of(question)
  local chat = chats.get(question.session)
  local first = chat and question.key and chats.row_of(chat, question.key)
  if not chat or not first then
    return nil
  end
  local last, options = nil, nil
  for _, found in ipairs(chats.marks(chat, first + 1, first + MOST_LINES)) do
    local mark = found.mark
    local ours = mark.key == question.id and (mark.kind == "question" or mark.kind == "option")
    if not ours and last then
      return { chat = chat, first = first, last = found.row - 1, options = options or { last, last } }
    elseif ours then
      last = found.row
      options = mark.kind == "option" and { options and options[1] or found.row, found.row } or options
    end
  end
  return last and { chat = chat, first = first, last = last, options = options or { last, last } }
end

--- Are all its lines in the window? Of more than the window can hold: the options, and nothing but the question.
---@param win integer
---@param lines acp.QuestionLines
---@return boolean
local function fits(win, lines)
  local info = vim.fn.getwininfo(win)[1]
  local top, bottom = info.topline - 1, info.botline - 1
  if top <= lines.first and lines.last <= bottom then
    return true
  end
  local height = api.nvim_win_text_height(win, { start_row = lines.first, end_row = lines.last }).all
  local room = api.nvim_win_get_height(win) - (vim.wo[win].winbar ~= "" and 1 or 0)
  return height > room
    and (top >= lines.first and bottom <= lines.last)
    and (top <= lines.options[1] and lines.options[2] <= bottom)
end

--- What is to be seen of a question, if all of it is in a window of the current tabpage.
---@param question acp.Question
---@return string? look
local function visible(question)
  local lines = lines_of(question)
  for _, win in ipairs(lines and api.nvim_tabpage_list_wins(0) or {}) do
    if lines and api.nvim_win_get_buf(win) == lines.chat.buf and fits(win, lines) then
      local text = api.nvim_buf_get_lines(lines.chat.buf, lines.first, lines.last + 1, false)
      return question.version .. "\n" .. table.concat(text, "\n")
    end
  end
end

-- What has been drawn -------------------------------------------------------------------------------------------------

--- A window on a chat is being drawn.
---@param session integer
---@param win integer
function M.drawing(session, win)
  being_drawn[win] = session
end

--- The screen has been drawn: the questions on it have been seen.
function M.drawn()
  if not next(being_drawn) then
    return
  end
  local sessions = {}
  for win, session in pairs(being_drawn) do
    sessions[session], being_drawn[win] = true, nil
  end
  for id, question in pairs(open) do
    if not away and sessions[question.session] then
      seen[id] = visible(question) or seen[id]
    end
  end
end

---@param session integer
local function draw_again(session)
  local chat = chats.get(session)
  if chat then
    -- Without `flush = false` Neovim 0.12 draws at once, in the middle of a frame.
    api.nvim__redraw({ buf = chat.buf, valid = false, flush = false })
  end
end

--- Has the user turned to another program?
---@return boolean
function M.is_away()
  return away
end

--- May it be answered? Only if it is on screen as it now is, and the user has not turned away since.
---@param question acp.Question
---@return boolean
function M.can_answer(question)
  question = open[question.id] or question
  local look = not away and visible(question)
  return look and (#api.nvim_list_uis() == 0 or seen[question.id] == look) or false
end

-- Showing it ----------------------------------------------------------------------------------------------------------

---@param win integer
---@param lines acp.QuestionLines
local function scroll_to(win, lines)
  if fits(win, lines) then
    return
  end
  local room = api.nvim_win_get_height(win) - 1
  local height = api.nvim_win_text_height(win, { start_row = lines.first, end_row = lines.last }).all
  local to_options = api.nvim_win_text_height(win, { start_row = lines.first, end_row = lines.options[2] }).all
  local at_top = height <= room or to_options <= room
  local cursor = at_top and lines.first or lines.last
  api.nvim_win_call(win, function()
    api.nvim_win_set_cursor(win, { cursor + 1, 0 })
    vim.cmd("normal! " .. (at_top and "zt" or "zb"))
  end)
end

--- Brings the question on screen; the user's window, cursor and mode stay.
---@param question acp.Question
function M.show(question)
  question = open[question.id] or question
  if not require("acp_nvim.window").open(question.session) then
    return
  end
  away = false -- who asks to see it is here
  local lines = lines_of(question)
  for _, win in ipairs(lines and vim.fn.win_findbuf(lines.chat.buf) or {}) do
    if lines and api.nvim_win_get_tabpage(win) == api.nvim_get_current_tabpage() then
      scroll_to(win, lines)
    end
  end
  draw_again(question.session)
end

---@param question acp.Question
local function announce(question)
  local names = {}
  for index, option in ipairs(question.options) do
    names[#names + 1] = ("%d %s"):format(index, option.name)
  end
  local status = state.get(question.session) or {}
  local who = status.agent_title or status.agent or "an agent"
  local how = ":Acp answer {n}"
  if question.session ~= state.current() then
    who, how = ("%s (session %d)"):format(who, question.session), (":Acp open %d"):format(question.session)
  end
  scratch.message("warn", ("%s asks: %s   %s  (%s)"):format(who, question.title, how, table.concat(names, ", ")))
end

---@param id integer
local function announce_unseen(id)
  local question = open[id]
  if question and not announced[id] and config.get().notify and (away or not visible(question)) then
    announced[id] = true
    announce(question)
  end
end

-- The seam ------------------------------------------------------------------------------------------------------------

--- All open questions of a session.
---@param n integer
---@param list acp.Question[]
function M.update(n, list)
  local before = open
  open = {}
  for id, question in pairs(before) do
    if question.session ~= n then
      open[id] = question
    end
  end
  for _, question in ipairs(list) do
    open[question.id] = question
    if not before[question.id] then
      vim.schedule(function()
        announce_unseen(question.id)
      end)
    end
  end
  for id in pairs(before) do
    if not open[id] then
      announced[id], seen[id] = nil, nil
      require("acp_nvim.merge").close(id)
    end
  end
  draw_again(n)
end

--- The question whose lines contain the row.
---@param n integer
---@param row integer
---@return acp.Question?
function M.at(n, row)
  for _, question in pairs(open) do
    local lines = question.session == n and lines_of(question)
    if lines and lines.first <= row and row <= lines.last then
      return question
    end
  end
end

local group = api.nvim_create_augroup("acp_nvim.question", {})

api.nvim_create_autocmd("FocusLost", {
  group = group,
  callback = function()
    away, seen = true, {}
  end,
})

api.nvim_create_autocmd("FocusGained", {
  group = group,
  callback = function()
    away = false
    for _, question in pairs(open) do
      draw_again(question.session)
    end
  end,
})

return M
