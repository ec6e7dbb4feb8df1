-- Marks everything open in a chat as ended when the backend has died: no message of the backend will do that any more.
local chat_marks = require("acp_nvim.chat.marks")
local chats = require("acp_nvim.chat.buffer")

local api = vim.api
local M = {}

local ASKED = { question = true, option = true }
local OVER = { text = "⊘ ", hl = "AcpCancelled" }

--- Behind the last line of a question that begins in row `first`: the blank line that parts it from the next is not
--- its.
---@param buf integer
---@param first integer
---@param behind integer  the row of the next mark that is none of a question's
---@return integer
local function end_of(buf, first, behind)
  local lines = api.nvim_buf_get_lines(buf, first, behind, true)
  while #lines > 0 and lines[#lines] == "" do
    lines[#lines] = nil
  end
  return first + #lines
end

--- Removes open questions, from below, so that no change moves the rows of the next. Calls that are open stay as ended.
---@param chat acp.Chat
---@return table[] operations
local function operations(chat)
  local buf = chat.buf --[[@as integer]]
  local count = api.nvim_buf_line_count(buf)
  local by_row, rows = {}, {} ---@type table<integer, acp.Mark[]>, integer[]
  for _, found in ipairs(chat_marks.between(chat, 0, count - 1)) do
    if not by_row[found.row] then
      by_row[found.row] = {}
      rows[#rows + 1] = found.row
    end
    table.insert(by_row[found.row], found.mark)
    if found.mark.open and not ASKED[found.mark.kind] then
      chat_marks.close(chat, found.id, OVER)
    end
  end
  local ops, below = {}, count
  local last_asked ---@type integer?  the end of the lines of a question
  for i = #rows, 1, -1 do
    local row = rows[i]
    local marks = by_row[row]
    if ASKED[marks[1].kind] then
      last_asked = last_asked or below
      local above = rows[i - 1]
      if not above or not ASKED[by_row[above][1].kind] then
        ops[#ops + 1] = { "splice", row, end_of(buf, row, last_asked), {}, {} }
        last_asked = nil
      end
    end
    below = row
  end
  return ops
end

--- Marks everything open in the chat as ended, and appends the reason.
---@param n integer
---@param why string
function M.mark_all_ended(n, why)
  local chat = chats.get(n)
  if not chat or chat.stale then
    return
  end
  local ops = operations(chat)
  chats.amend(n, ops)
  local mark = {
    row = api.nvim_buf_line_count(chat.buf),
    kind = "error",
    icon = { text = "✗ ", hl = "AcpError" },
    line_hl = "AcpError",
  }
  chats.amend(n, { { "append", "\n  " .. why, { mark } } })
end

return M
