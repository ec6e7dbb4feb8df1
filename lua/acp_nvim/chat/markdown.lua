-- Highlights the chat while Neovim redraws it: visible lines only, nothing kept in the buffer. Text behind a mark of
-- kind "text" is Markdown; where its code fences begin and end is noted once for each line, as it comes.
local chats = require("acp_nvim.chat.buffer")
local event = require("acp_nvim.system.event")
local fence_index = require("acp_nvim.chat.fence_index")
local fenced_code = require("acp_nvim.chat.fenced_code")
local inline_markdown = require("acp_nvim.chat.inline_markdown")
local limits = require("acp_nvim.limits")
local log = require("acp_nvim.ui.log")
local marks = require("acp_nvim.chat.marks")
require("acp_nvim.ui.highlight")

local api = vim.api
local on_drawn = event.new()
local on_window = event.new()

local M = {
  on_drawn = on_drawn.add, -- fn(): Neovim has drawn the screen
  on_window = on_window.add, -- fn(session, win): Neovim begins to draw a window that shows the session's chat
}

local NAMESPACE = api.nvim_create_namespace("acp_nvim.markdown")
local UNDER = 90 -- the ground on which everything else is painted
local BESIDE = 110

-- Lines without spans of their own look like what they belong to.
local PLAIN = {
  user = "AcpUser",
  agent = "AcpAgent",
  thought = "AcpThought",
  body = "AcpBody",
  note = "AcpNote",
  question = "AcpCode",
  option = "AcpCode",
}

-- The lines of a diff stand on a ground of their own.
local SIGNS = { ["+"] = "AcpDiffAdded", ["-"] = "AcpDiffRemoved" }
local GROUNDS = { AcpDiffAdded = true, AcpDiffRemoved = true }

-- The window being drawn: its chat and the blocks from its first line on.
---@class acp.Drawn
---@field win integer
---@field chat acp.Chat
---@field buf integer
---@field blocks { row: integer, mark: acp.Mark }[]
---@field at integer  which of them was asked for last

local drawn ---@type acp.Drawn
local drawings = {} ---@type table<integer, integer>  by window: how often it has been drawn

---@param row integer
---@param first integer
---@param last integer
---@param hl string

---@param priority integer
local function paint(row, first, last, hl, priority)
  local opts = { end_col = last, hl_group = hl, priority = priority, ephemeral = true, strict = false }
  api.nvim_buf_set_extmark(drawn.buf, NAMESPACE, row, first, opts)
end

---@param row integer
---@param hl string
local function paint_line(row, hl)
  local opts = { end_row = row + 1, hl_group = hl, hl_eol = true, priority = UNDER, ephemeral = true, strict = false }
  api.nvim_buf_set_extmark(drawn.buf, NAMESPACE, row, 0, opts)
end

---@param row integer
---@param spans? acp.Span[]
local function paint_spans(row, spans)
  for index, span in ipairs(spans or {}) do
    paint(row, span[1], span[2], span[3], BESIDE + index)
  end
end

---@param first integer
---@param last integer
---@return integer
local function bytes(first, last)
  return api.nvim_buf_get_offset(drawn.buf, last) - api.nvim_buf_get_offset(drawn.buf, first)
end

--- Whether a window has come upon it when it was drawn last.
---@param fence acp.Fence
---@return boolean
local function is_seen(fence)
  for win, drawing in pairs(fence.met) do
    if drawings[win] == drawing then
      return true
    end
  end
  return false
end

---@param start integer
---@param fence acp.Fence
local function want_colours(start, fence)
  if fence.spans or not fence.last or fence.lang == "" then
    return
  end
  fence.met[drawn.win] = drawings[drawn.win]
  if fence.text ~= "" then
    return
  end
  local buf, first, last = drawn.buf, start + fence.first + 1, start + fence.last
  if bytes(first, last) > limits.CODE_BYTES then
    fence.spans = {}
    return
  end
  fence.text = table.concat(api.nvim_buf_get_lines(buf, first, last, false), "\n")
  fenced_code.request(fence, function()
    return is_seen(fence)
  end, function()
    if api.nvim_buf_is_loaded(buf) then
      api.nvim__redraw({ buf = buf, valid = false, flush = false })
    end
  end)
end

---@param fence acp.Fence
---@param row integer
---@return string
local function ground_of(fence, row)
  local sign = fence.lang == "diff" and api.nvim_buf_get_lines(drawn.buf, row, row + 1, false)[1]:sub(1, 1)
  return SIGNS[sign] or "AcpCode"
end

---@param start integer  the block's first row
---@param fence acp.Fence
---@param row integer
local function paint_code(start, fence, row)
  paint_line(row, ground_of(fence, row))
  local inside = row - start - fence.first
  if inside == 0 or row - start == fence.last then
    return paint(row, 0, limits.MARKDOWN_LINE_BYTES, "AcpRule", BESIDE)
  end
  paint_spans(row, fence.spans and fence.spans[inside - 1])
end

---@param row integer
---@param start integer
---@param mark acp.Mark
local function paint_text(row, start, mark)
  local fence = fence_index.at(mark.fences, row - start)
  local line = api.nvim_buf_get_lines(drawn.buf, row, row + 1, false)[1] or ""
  if fence then
    paint_code(start, fence, row)
  elseif line:find("^%s*```") then -- the last line, as it begins to be a fence
    paint_line(row, "AcpCode")
  else
    paint_spans(row, inline_markdown.spans(line))
  end
end

---@param row integer
---@return { row: integer, mark: acp.Mark }?
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

--- Looks at the block's rows first..last before they are drawn: most of them will not be drawn again when a fence closes.
---@param block { row: integer, mark: acp.Mark }
---@param first integer
---@param last integer
local function prepare(block, first, last)
  local fences = block.mark.fences or { scanned = 0, list = {} }
  block.mark.fences = fences
  fence_index.learn(drawn.buf, block.row, fences, last - block.row)
  local _, place = fence_index.at(fences, first - block.row)
  while fences.list[place] and fences.list[place].first <= last - block.row do
    want_colours(block.row, fences.list[place])
    place = place + 1
  end
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
  drawn = { win = win, chat = chat, buf = buf, blocks = {}, at = 1 }
  drawings[win] = (drawings[win] or 0) + 1
  if bytes(first, last + 1) > limits.MARKDOWN_BYTES then
    return false
  end
  local mark, row = marks.above(chat, first)
  local blocks = marks.between(chat, first, last + limits.FENCE_ROWS)
  if mark and row < first then
    table.insert(blocks, 1, { row = row, mark = mark })
  end
  drawn.blocks = blocks
  for index, block in ipairs(blocks) do
    if block.mark.kind == "text" and block.row <= last then
      local below = blocks[index + 1]
      prepare(block, math.max(first, block.row), below and below.row - 1 or last + limits.FENCE_ROWS)
    end
  end
end

---@param row integer
local function on_line(_, _, _, row)
  local block = block_of(row)
  if not block then
    return
  elseif block.mark.kind == "text" then
    paint_text(row, block.row, block.mark)
  elseif block.row == row and GROUNDS[block.mark.line_hl] then
    paint_line(row, block.mark.line_hl)
  elseif PLAIN[block.mark.kind] then
    paint_line(row, PLAIN[block.mark.kind])
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
  api.nvim_set_decoration_provider(NAMESPACE, {
    on_win = guarded(on_win),
    on_line = guarded(on_line),
    on_end = guarded(on_drawn.call),
  })
end

return M
