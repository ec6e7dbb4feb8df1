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
---@field kind string
---@field title string
---@field has_diff boolean
---@field options { id: string, name: string, kind: string }[]
---@field version integer
---@field key? integer   its entry in the chat

---@class acp.OnScreen
---@field look string
---@field rows table<integer, true>  from 0, of `look` wrapped as the window wraps it

local SPEAKERS = { user = true, agent = true }
-- More lines than a question can have.
local MOST_LINES = 5000
-- What options need in a message, to be of use.
local LEAST_OPTIONS = 8

local open = {} ---@type table<integer, acp.Question>
local announced = {} ---@type table<integer, true>
local seen = {} ---@type table<integer, table<integer, acp.OnScreen>>  question -> window -> what of it has been on screen
local being_drawn = {} ---@type table<integer, integer>  window -> session
local away = false

-- Where it is ---------------------------------------------------------------------------------------------------------

---@class acp.QuestionLines
---@field chat acp.Chat
---@field first integer
---@field last integer

--- The question's lines: its tool call's line, what one must have seen, the options.
---@param question acp.Question
---@return acp.QuestionLines?
local function lines_of(question)
  local chat = chats.get(question.session)
  local first = chat and question.key and chats.row_of(chat, question.key)
  if not chat or not first then
    return nil
  end
  local top = chats.marks(chat, first, first)[1]
  if top and SPEAKERS[top.mark.kind] then -- who speaks is none of it
    first = first + 1
  end
  local last ---@type integer?
  for _, found in ipairs(chats.marks(chat, first + 1, first + MOST_LINES)) do
    local mark = found.mark
    local ours = mark.key == question.id and (mark.kind == "question" or mark.kind == "option")
    if not ours and last then
      return { chat = chat, first = first, last = found.row - 1 }
    end
    last = ours and found.row or last
  end
  return last and { chat = chat, first = first, last = last }
end

---@class acp.Part
---@field win integer
---@field look string
---@field from integer   the first of its rows that the window shows
---@field to integer     the row behind the last one
---@field total integer
---@field room integer

---@param win integer
---@param first integer
---@param last integer
---@return integer rows
local function height(win, first, last)
  return last < first and 0 or api.nvim_win_text_height(win, { start_row = first, end_row = last }).all
end

--- How many rows of its topmost line a window has scrolled away.
---@param win integer
---@param width integer
---@return integer
local function skipped(win, width)
  local view = api.nvim_win_call(win, vim.fn.winsaveview)
  return math.floor(view.skipcol / math.max(1, width))
end

--- Which rows the window shows. Neovim covers the ends of a line that is cut off with "<<<" and "@@@": such a row
--- counts only where there is hardly another.
---@param win integer
---@param lines acp.QuestionLines
---@return integer from
---@return integer to
---@return integer room
local function rows_in(win, lines)
  local info = vim.fn.getwininfo(win)[1]
  local top, bottom = info.topline - 1, math.max(info.botline, info.topline) - 1
  local room = info.height - (info.winbar or 0)
  local covered = room > 2 and 1 or 0
  local skip = height(win, top, top) > room and skipped(win, info.width - info.textoff) or 0
  local from = top < lines.first and 0 or height(win, lines.first, top - 1) + skip
  local to = height(win, lines.first, math.min(bottom, lines.last))
  if top == bottom and top >= lines.first and to > from + room then
    to = from + room - covered
  end
  return skip > 0 and top >= lines.first and from + covered or from, to, room
end

---@param win integer
---@param question acp.Question
---@param lines acp.QuestionLines
---@return acp.Part? part  nil: nothing of it is in the window
local function part_in(win, question, lines)
  local from, to, room = rows_in(win, lines)
  if from >= to then
    return nil
  end
  local text = api.nvim_buf_get_lines(lines.chat.buf, lines.first, lines.last + 1, false)
  local look = ("%s\n%d\n%s"):format(question.version, api.nvim_win_get_width(win), table.concat(text, "\n"))
  local total = height(win, lines.first, lines.last)
  return { win = win, look = look, from = from, to = to, total = total, room = room }
end

--- What the windows of the current tabpage show of it.
---@param question acp.Question
---@return acp.Part[]
local function parts(question)
  local lines, list = lines_of(question), {}
  for _, win in ipairs(lines and api.nvim_tabpage_list_wins(0) or {}) do
    if lines and api.nvim_win_get_buf(win) == lines.chat.buf then
      list[#list + 1] = part_in(win, question, lines)
    end
  end
  return list
end

---@param part acp.Part
---@return boolean
local function is_whole(part)
  return part.from == 0 and part.to == part.total
end

--- Is it in a window, all of it?
---@param question acp.Question
---@return boolean
local function visible(question)
  return vim.iter(parts(question)):any(is_whole)
end

-- What has been drawn -------------------------------------------------------------------------------------------------

--- A window on a chat is being drawn.
---@param session integer
---@param win integer
function M.drawing(session, win)
  being_drawn[win] = session
end

---@param question acp.Question
local function note_parts(question)
  local windows = seen[question.id] or {}
  seen[question.id] = windows
  for _, part in ipairs(parts(question)) do
    local before = windows[part.win]
    local known = before and before.look == part.look and before or { look = part.look, rows = {} }
    windows[part.win] = known
    for row = part.from, part.to - 1 do
      known.rows[row] = true
    end
  end
end

--- The first row that has not been on screen since the question is as it is.
---@param question acp.Question
---@param part acp.Part
---@return integer? row
local function unseen(question, part)
  local known = (seen[question.id] or {})[part.win]
  for row = 0, part.total - 1 do
    if not known or known.look ~= part.look or not known.rows[row] then
      return row
    end
  end
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
  for _, question in pairs(open) do
    if not away and sessions[question.session] then
      note_parts(question)
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

--- May it be answered? Only if it is on screen as it now is, or what it wants to change is as a diff, and the user has
--- not turned away since. One higher than its window must have been there row by row, and some of it still be.
---@param question acp.Question
---@return boolean
function M.can_answer(question)
  question = open[question.id] or question
  if away then
    return false
  elseif require("acp_nvim.proposal").is_shown(question) then
    return true
  elseif #api.nvim_list_uis() == 0 then -- nobody draws
    note_parts(question)
  end
  return vim.iter(parts(question)):any(function(part)
    return (is_whole(part) or part.total > part.room) and not unseen(question, part)
  end)
end

-- Showing it ----------------------------------------------------------------------------------------------------------

---@param win integer
---@param row integer
---@param command string
local function scroll(win, row, command)
  api.nvim_win_call(win, function()
    api.nvim_win_set_cursor(win, { row + 1, 0 })
    vim.cmd("normal! " .. command)
  end)
end

--- Puts a row of a question to the window's top, be it amid a line.
---@param win integer
---@param lines acp.QuestionLines
---@param row integer
local function scroll_to_row(win, lines, row)
  local line = lines.first
  while line < lines.last and row >= height(win, line, line) do
    row, line = row - height(win, line, line), line + 1
  end
  vim.wo[win][0].scrolloff, vim.wo[win][0].smoothscroll = 0, true
  scroll(win, line, "zt")
  if row > 0 then
    local info = vim.fn.getwininfo(win)[1]
    local width = info.width - info.textoff
    local skip = (row - (info.height - info.winbar > 2 and 1 or 0)) * width
    local col = vim.fn.virtcol2col(win, line + 1, skip + 2 * width)
    api.nvim_win_call(win, function()
      vim.fn.winrestview({ lnum = line + 1, col = math.max(0, col - 1), topline = line + 1, skipcol = skip })
    end)
  end
end

---@param part acp.Part?
local function tell_part(part)
  if part and not is_whole(part) then
    local now = part.to < part.total and "say it again for its next lines" or "say it again to answer"
    scratch.message("warn", ("%s (%d to %d of %d)"):format(now, part.from + 1, part.to, part.total))
  end
end

--- Shows what has not been seen of a question that is higher than its window.
---@param win integer
---@param question acp.Question
---@param lines acp.QuestionLines
local function show_next(win, question, lines)
  local part = part_in(win, question, lines)
  local row = part and unseen(question, part) or not part and 0
  if row then
    scroll_to_row(win, lines, row)
  end
  vim.schedule(function() -- behind what the command itself says
    local now = api.nvim_win_is_valid(win) and lines_of(question)
    tell_part(now and part_in(win, question, now) or nil)
  end)
end

---@param win integer
---@param question acp.Question
---@param lines acp.QuestionLines
local function show_in(win, question, lines)
  local total = height(win, lines.first, lines.last)
  local _, _, room = rows_in(win, lines)
  if total > room then
    require("acp_nvim.window").enlarge(win, total - room)
    _, _, room = rows_in(win, lines)
  end
  local part = part_in(win, question, lines)
  if total > room then
    show_next(win, question, lines)
  elseif not part or not is_whole(part) then
    vim.wo[win][0].scrolloff = 0
    scroll(win, lines.first, "zt")
    require("acp_nvim.tail").lower(win)
  end
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
      show_in(win, question, lines)
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
  local room = vim.v.echospace - vim.fn.strwidth(("acp_nvim:    %s"):format(how)) -- the way to answer fits, too
  local asks = scratch.cut(("%s asks: %s"):format(who, scratch.visible(question.title)), math.max(room, 10))
  local text = ("%s   %s"):format(asks, how)
  if vim.fn.strwidth(asks) + LEAST_OPTIONS <= room then
    text = ("%s  (%s)"):format(text, table.concat(names, ", "))
  end
  require("acp_nvim.announce").say("warn", text, function()
    return open[question.id] ~= nil and (away or not visible(question))
  end)
end

--- Tells of a question that is out of sight, once.
---@param id integer
local function announce_unseen(id)
  local question = open[id]
  if question and not announced[id] and config.get().notify and (away or not visible(question)) then
    announced[id] = true
    announce(question)
  end
end

M.announce = announce_unseen

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
        if away or not require("acp_nvim.proposal").offer(question) then
          announce_unseen(question.id)
        end
      end)
    end
  end
  for id in pairs(before) do
    if not open[id] then
      announced[id], seen[id] = nil, nil
      require("acp_nvim.proposal").ended(id)
      require("acp_nvim.form").ended(id)
      require("acp_nvim.window").settle(before[id].session)
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
