-- Finds the lines of a question in its chat, and which of its rows the windows show now.
local chats = require("acp_nvim.chat.buffer")
local hidden_lines = require("acp_nvim.question.hidden_lines")
local limits = require("acp_nvim.limits")
local marks = require("acp_nvim.chat.marks")

local api = vim.api
local M = {}

local SPEAKERS = { user = true, agent = true }

---@class acp.QuestionLines
---@field chat acp.Chat
---@field first integer
---@field last integer

--- Skips the header with the name of the speaker, which is not part of the question.
---@param chat acp.Chat
---@param row integer
---@return integer
local function behind_speaker(chat, row)
  local top = marks.between(chat, row, row)[1]
  return top and SPEAKERS[top.mark.kind] and row + 1 or row
end

--- Returns the question's lines: the line of its tool call, what must be seen, the options.
---@param question acp.Question
---@return acp.QuestionLines?
function M.lines_of(question)
  local chat = chats.get(question.session)
  local first = chat and question.key and marks.row_of(chat, question.key)
  if not chat or not first then
    return nil
  end
  first = behind_speaker(chat, first)
  local last ---@type integer?
  for _, found in ipairs(marks.between(chat, first + 1, first + limits.QUESTION_ROWS)) do
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

--- Measures lines, without the virtual rows above the first one: the end of a table that stands there.
---@param win integer
---@param first integer
---@param last integer
---@return integer rows
function M.height(win, first, last)
  local range = { start_row = first, end_row = last, start_vcol = 0 }
  return last < first and 0 or api.nvim_win_text_height(win, range).all
end

--- Returns which rows the window shows. Neovim draws "<<<" and "@@@" over the ends of a line that does not fit: such a
--- row does not count, unless the window has hardly another.
---@param win integer
---@param lines acp.QuestionLines
---@return integer from
---@return integer to
---@return integer room
function M.rows_in(win, lines)
  local info = vim.fn.getwininfo(win)[1]
  local top, bottom = info.topline - 1, math.max(info.botline, info.topline) - 1
  local room, skip, from = info.height, 0, 0
  if top >= lines.first then
    local view = api.nvim_win_call(win, vim.fn.winsaveview)
    local skipped = math.floor(view.skipcol / math.max(1, info.width - info.textoff)) -- of the topmost line
    room = room - view.topfill
    skip = M.height(win, top, top) > room and skipped or 0
    from = M.height(win, lines.first, top - 1) + skip
  end
  local covered = room > 2 and 1 or 0
  local to = M.height(win, lines.first, math.min(bottom, lines.last))
  if top == bottom and top >= lines.first and to > from + room then
    to = from + room - covered
  end
  return skip > 0 and top >= lines.first and from + covered or from, to, room
end

---@param win integer
---@param question acp.Question
---@param lines acp.QuestionLines
---@return acp.Part? part  nil: nothing of it is in the window, or something hides it there
function M.part_in(win, question, lines)
  local from, to, room = M.rows_in(win, lines)
  if from >= to or hidden_lines.what_hides(win, lines) then
    return nil
  end
  local text = api.nvim_buf_get_lines(lines.chat.buf, lines.first, lines.last + 1, false)
  local look = ("%s\n%d\n%s"):format(question.version, api.nvim_win_get_width(win), table.concat(text, "\n"))
  local total = M.height(win, lines.first, lines.last)
  return { win = win, look = look, from = from, to = to, total = total, room = room }
end

--- The parts of the question that the windows of the current tabpage show.
---@param question acp.Question
---@return acp.Part[]
function M.visible_parts(question)
  local lines, list = M.lines_of(question), {}
  for _, win in ipairs(lines and api.nvim_tabpage_list_wins(0) or {}) do
    if lines and api.nvim_win_get_buf(win) == lines.chat.buf then
      list[#list + 1] = M.part_in(win, question, lines)
    end
  end
  return list
end

---@param part acp.Part
---@return boolean
function M.is_whole(part)
  return part.from == 0 and part.to == part.total
end

--- The entries of which a window shows at least one line.
---@param win integer
---@param chat acp.Chat
---@return table<integer|string, true>  keys of tool calls, and of questions by their options
function M.entries_in(win, chat)
  local info = vim.fn.getwininfo(win)[1]
  local top, keys = info.topline - 1, {}
  local above = marks.above(chat, top)
  keys[above and above.key or 0] = true
  for _, found in ipairs(marks.between(chat, top, math.max(info.botline, info.topline) - 1)) do
    keys[found.mark.key or 0] = true
  end
  return keys
end

--- Is the user in a float in front of the question?
---@param question acp.Question
---@return boolean
function M.is_covered(question)
  local lines = M.lines_of(question)
  for _, win in ipairs(lines and api.nvim_tabpage_list_wins(0) or {}) do
    if lines and api.nvim_win_get_buf(win) == lines.chat.buf and hidden_lines.what_hides(win, lines) == "float" then
      return true
    end
  end
  return false
end

--- Does some window show the whole question?
---@param question acp.Question
---@return boolean
function M.is_visible(question)
  return vim.iter(M.visible_parts(question)):any(M.is_whole)
end

return M
