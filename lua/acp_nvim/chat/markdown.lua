-- Draws Markdown in the chat: the text of agents and of prompts. Where its code fences begin and end is noted once for
-- each line, as it comes.
local closing_fences = require("acp_nvim.chat.closing_fences")
local ephemeral_marks = require("acp_nvim.chat.ephemeral_marks")
local fence_index = require("acp_nvim.chat.fence_index")
local fenced_code = require("acp_nvim.chat.fenced_code")
local inline_markdown = require("acp_nvim.chat.inline_markdown")
local limits = require("acp_nvim.limits")
local tables = require("acp_nvim.chat.tables")

local api = vim.api
local M = {}

-- The lines of a diff stand on a ground of their own.
local SIGNS = { ["+"] = "AcpDiffAdded", ["-"] = "AcpDiffRemoved" }

---@param buf integer
---@param row integer
---@param spans? acp.Span[]
local function paint_spans(buf, row, spans)
  for index, span in ipairs(spans or {}) do
    ephemeral_marks.span(buf, row, span[1], span[2], span[3], index)
  end
end

---@param view acp.Drawn
---@param start integer
---@param fence acp.Fence
local function want_colours(view, start, fence)
  if fence.spans or not fence.last or fence.lang == "" then
    return
  end
  fence.met[view.win] = view.drawings[view.win]
  if fence.text ~= "" then
    return
  end
  local buf, first, last = view.buf, start + fence.first + 1, start + fence.last
  if api.nvim_buf_get_offset(buf, last) - api.nvim_buf_get_offset(buf, first) > limits.CODE_BYTES then
    fence.spans = {}
    return
  end
  fence.text = table.concat(api.nvim_buf_get_lines(buf, first, last, false), "\n")
  fenced_code.request_for(view, fence)
end

--- Looks at the block's rows first..last before they are drawn: most of them will not be drawn again when a fence
--- closes.
---@param view acp.Drawn
---@param block acp.Block
---@param first integer
---@param last integer
function M.prepare(view, block, first, last)
  local fences = block.mark.fences or fence_index.new()
  block.mark.fences = fences
  fence_index.learn(view.buf, block.row, fences, last - block.row)
  fence_index.learn_end(view.buf, block.row, fences)
  local _, place = fence_index.at(fences, first - block.row)
  while fences.list[place] and fences.list[place].first <= last - block.row do
    want_colours(view, block.row, fences.list[place])
    place = place + 1
  end
  if block.mark.by ~= "user" then
    closing_fences.hide_new(view, block)
    tables.prepare(view, block, first, math.min(last, view.last))
  end
end

--- Hides the marks of a line of the agent's; the words of the user stand as they were typed.
---@param view acp.Drawn
---@param block acp.Block
---@param row integer
---@param hidden acp.Hidden[]
local function hide(view, block, row, hidden)
  for _, part in ipairs(block.mark.by ~= "user" and hidden or {}) do
    ephemeral_marks.hide(view.buf, row, part.first, part.last, part.sign, part.hl)
  end
end

--- Whether the line shows what its marks mean: the user reads the chat so, and the cursor is elsewhere.
---@param view acp.Drawn
---@param block acp.Block
---@param row integer
---@return boolean
local function is_drawn(view, block, row)
  return view.conceals and view.cursor ~= row and block.mark.by ~= "user"
end

---@param view acp.Drawn
---@param block acp.Block
---@param fence acp.Fence
---@param row integer
---@param line string
local function paint_code(view, block, fence, row, line)
  local sign = fence.lang == "diff" and line:sub(fence.indent + 1, fence.indent + 1)
  local ground = sign and SIGNS[sign] or "AcpCode"
  if block.mark.by ~= "user" or ground ~= "AcpCode" then
    ephemeral_marks.line(view.buf, row, ground)
    ephemeral_marks.beginning(view, row, line, ground)
  end
  local inside = row - block.row - fence.first
  if inside == 0 or row - block.row == fence.last then
    local blanks, ticks = line:match("^%s*()[`~]+()")
    hide(view, block, row, blanks and { { first = blanks - 1, last = ticks - 1 } } or {})
    return ephemeral_marks.span(view.buf, row, 0, #line, "AcpRule")
  end
  paint_spans(view.buf, row, fence.spans and fence.spans[inside - 1])
end

--- Paints the Markdown within a line of ours, such as a step of a plan.
---@param buf integer
---@param row integer
---@param line string
function M.paint_words(buf, row, line)
  local found = inline_markdown.read_part(line)
  paint_spans(buf, row, found.spans)
  for _, part in ipairs(found.hidden) do
    ephemeral_marks.hide(buf, row, part.first, part.last)
  end
end

--- Paints a row of a text.
---@param view acp.Drawn
---@param block acp.Block
---@param row integer
---@param line string
function M.paint(view, block, row, line)
  local fence = fence_index.at(block.mark.fences, row - block.row)
  if fence then
    paint_code(view, block, fence, row, line)
  elseif line:find("^%s*```") then -- the last line, as it begins to be a fence
    ephemeral_marks.line(view.buf, row, "AcpCode")
  else
    if is_drawn(view, block, row) and tables.paint(view, block, row) then
      return
    end
    local found = inline_markdown.read(line)
    paint_spans(view.buf, row, found.spans)
    hide(view, block, row, found.hidden)
    if found.is_quote and is_drawn(view, block, row) then
      ephemeral_marks.further_rows(view, row, line, inline_markdown.QUOTE.sign, inline_markdown.QUOTE.hl)
    end
    if found.is_rule and is_drawn(view, block, row) then
      ephemeral_marks.over(view.buf, row, 0, { { ("─"):rep(view.columns - 1), "AcpRule" } })
    end
  end
end

return M
