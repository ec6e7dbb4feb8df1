-- Decorates the chat while Neovim redraws it: visible lines only, nothing kept in the buffer.
local chats = require("acp_nvim.chat.buffer")
local diff_code = require("acp_nvim.chat.diff_code")
local ephemeral_marks = require("acp_nvim.chat.ephemeral_marks")
local event = require("acp_nvim.system.event")
local headings = require("acp_nvim.chat.headings")
local limits = require("acp_nvim.limits")
local log = require("acp_nvim.ui.log")
local margin = require("acp_nvim.chat.margin")
local markdown = require("acp_nvim.chat.markdown")
local marks = require("acp_nvim.chat.marks")
require("acp_nvim.ui.highlight")

local api = vim.api
local on_drawn = event.new()
local on_window = event.new()

local M = {
  on_drawn = on_drawn.add, -- fn(): Neovim has drawn the screen
  on_window = on_window.add, -- fn(session, win): Neovim begins to draw a window that shows the session's chat
}

-- Lines without spans of their own look like what they belong to.
local PLAIN = {
  thought = "AcpThought",
  body = "AcpBody",
  step = "AcpBody",
  note = "AcpNote",
  question = "AcpCode",
  option = "AcpCode",
}

-- The agent's words in lines of ours.
local WORDS = { plan = true, step = true }

---@class acp.Block
---@field row integer
---@field mark acp.Mark
---@field id integer  of its extmark

-- The window being drawn: its chat and the blocks from its first line on.
---@class acp.Drawn
---@field win integer
---@field chat acp.Chat
---@field buf integer
---@field blocks acp.Block[]
---@field at integer  which of them was asked for last
---@field columns integer  of the text
---@field last integer     the last row that is drawn
---@field conceals boolean  marks are hidden
---@field cursor? integer  the row that the user edits or reads: it shows all of its text
---@field drawings table<integer, integer>  by window: how often it has been drawn

local drawn ---@type acp.Drawn
local drawings = {} ---@type table<integer, integer>

---@param row integer
---@return acp.Block?
local function block_of(row)
  local blocks = drawn.blocks
  if drawn.at > 1 and blocks[drawn.at].row > row then
    drawn.at = 1
  end
  while blocks[drawn.at + 1] and blocks[drawn.at + 1].row <= row do
    drawn.at = drawn.at + 1
  end
  local block = blocks[drawn.at]
  return block and block.row <= row and block or nil
end

---@param win integer
---@return integer
local function columns(win)
  local info = vim.fn.getwininfo(win)[1]
  return info.width - info.textoff
end

---@param win integer
---@param buf integer
---@param first integer
---@param last integer
local function on_win(_, win, buf, first, last)
  local chat = chats.of_buffer(buf)
  if not chat then
    return false
  end
  on_window.call(chat.session, win)
  last = math.min(last, api.nvim_buf_line_count(buf) - 1)
  drawn = { win = win, chat = chat, buf = buf, blocks = {}, at = 1, drawings = drawings, columns = columns(win) }
  drawn.last = last
  drawn.conceals = vim.wo[win].conceallevel > 0
  drawn.cursor = win == api.nvim_get_current_win() and api.nvim_win_get_cursor(win)[1] - 1 or nil
  drawings[win] = (drawings[win] or 0) + 1
  if api.nvim_buf_get_offset(buf, last + 1) - api.nvim_buf_get_offset(buf, first) > limits.MARKDOWN_BYTES then
    return false
  end
  local mark, row, id = marks.above(chat, first)
  local blocks = marks.between(chat, first, last + limits.FENCE_ROWS)
  if mark and row < first then
    table.insert(blocks, 1, { row = row, mark = mark, id = id })
  end
  drawn.blocks = blocks
  diff_code.prepare(drawn)
  for index, block in ipairs(blocks) do
    if block.mark.kind == "text" and block.row <= last then
      local below = blocks[index + 1]
      markdown.prepare(drawn, block, math.max(first, block.row), below and below.row - 1 or last + limits.FENCE_ROWS)
    end
  end
end

--- Whether a line belongs to the words of the user: the empty one that parts them from what follows does not.
---@param block acp.Block
---@param row integer
---@param line string
---@return boolean
local function is_users(block, row, line)
  local below = drawn.blocks[drawn.at + 1]
  return block.mark.by == "user" and (line ~= "" or not below or row + 1 < below.row)
end

---@param row integer
local function on_line(_, _, buf, row)
  local block = block_of(row)
  local bar = block and block.row == row and headings.BARS[block.mark.kind]
  margin.set(row, bar)
  if not block then
    return
  end
  local line = api.nvim_buf_get_lines(buf, row, row + 1, false)[1] or ""
  if is_users(block, row, line) then
    margin.set(row, headings.BARS.user)
    ephemeral_marks.line(buf, row, "AcpPrompt")
    ephemeral_marks.beginning(drawn, row, line, "AcpPrompt")
  end
  if WORDS[block.mark.kind] and block.row == row then
    markdown.paint_words(buf, row, line)
  end
  if bar then
    headings.paint(drawn.chat, row, line, block.mark, drawn.columns)
  elseif block.mark.kind == "text" then
    markdown.paint(drawn, block, row, line)
  elseif block.row == row and marks.GROUNDS[block.mark.line_hl] then
    ephemeral_marks.line(buf, row, block.mark.line_hl)
    ephemeral_marks.beginning(drawn, row, line, block.mark.line_hl)
  elseif PLAIN[block.mark.kind] then
    ephemeral_marks.line(buf, row, PLAIN[block.mark.kind])
    ephemeral_marks.beginning(drawn, row, line, PLAIN[block.mark.kind])
  end
  if block.row == row then
    diff_code.paint(buf, row, block.mark)
  end
end

--- An error in a redraw raises the hit-enter prompt, at which Neovim answers nobody: it is logged, and that line or
--- window stays plain.
---@param fn function
---@return function
local function guarded(fn)
  return function(...)
    local ok, result = pcall(fn, ...)
    if ok then
      return result
    end
    log.add("drawing the chat: " .. tostring(result))
    return false
  end
end

--- Begins to draw; called when the first chat is made.
function M.attach()
  api.nvim_set_decoration_provider(ephemeral_marks.NAMESPACE, {
    on_win = guarded(on_win),
    on_line = guarded(on_line),
    on_end = guarded(on_drawn.call),
  })
end

return M
