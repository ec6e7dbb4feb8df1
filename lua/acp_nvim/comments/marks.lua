-- Draws the comments of a buffer: a sign beside their lines, and their text behind the first of these, or below the
-- last where that has no room for it.
local limits = require("acp_nvim.limits")
local printable = require("acp_nvim.ui.printable")
require("acp_nvim.ui.highlight")

local api = vim.api
local M = {}

local LEAST_CELLS = 16 -- a shorter beginning of a text tells nothing
local MOST_ROWS = 6 -- of one text below its line
local SIGNS = { draft = "●", sent = "○", done = "✓" }
local GROUPS = { draft = "AcpComment", sent = "AcpCommentSent", done = "AcpCommentDone" }

local namespace = api.nvim_create_namespace("acp_nvim.comments")

--- The text of a comment with what must be known of its lines.
---@param comment acp.Comment
---@return string
function M.words(comment)
  local text = printable.visible((vim.trim(comment.text):gsub("%s*\n%s*", " ")))
  if comment.moved then
    local line = vim.trim(printable.visible(comment.lines[1] or ""))
    return ("was at: %s · %s"):format(printable.cut(line, 40), text)
  elseif comment.side == "old" then
    local lines = comment.last > comment.first and ("old lines %d-%d"):format(comment.first, comment.last)
    return ("%s: %s"):format(lines or ("old line %d"):format(comment.first), text)
  end
  return text
end

--- The rows of the buffer beside which a comment stands.
---@param comment acp.Comment
---@param count integer  of the buffer's lines
---@return integer first  from 0
---@return integer last
function M.rows(comment, count)
  local first, last = comment.at or comment.first, comment.at or comment.last
  first = math.max(1, math.min(first, count))
  return first - 1, math.max(first, math.min(last, count)) - 1
end

--- The narrowest window that shows the buffer, and whether one of them is in diff mode, where a line more on one side
--- parts both.
---@param buf integer
---@return integer? width  of its text; nil: none shows it
---@return boolean is_diff
local function windows_of(buf)
  local width, is_diff = nil, false
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    local info = vim.fn.getwininfo(win)[1]
    width = math.min(width or math.huge, info.width - math.max(info.textoff, 2))
    is_diff = is_diff or vim.wo[win].diff
  end
  return width, is_diff
end

---@param buf integer
---@param row integer
---@param words string
---@return boolean
local function fits(buf, row, words)
  local width, is_diff = windows_of(buf)
  local line = api.nvim_buf_get_lines(buf, row, row + 1, false)[1] or ""
  local used = api.nvim_strwidth(printable.expand(line:sub(1, limits.REMOVED_LINE_BYTES), vim.bo[buf].tabstop))
  return not width or is_diff or used + api.nvim_strwidth(words) + 3 <= width
end

--- Breaks a text between words into rows, as many as are shown.
---@param text string
---@param width integer
---@return string[]
local function wrapped(text, width)
  local rows = { "" }
  for word in text:gmatch("%S+") do
    local joined = rows[#rows] == "" and word or rows[#rows] .. " " .. word
    if rows[#rows] == "" or api.nvim_strwidth(joined) <= width then
      rows[#rows] = joined
    else
      rows[#rows + 1] = word
    end
  end
  for i, row in ipairs(rows) do
    rows[i] = printable.cut(row, width)
  end
  if #rows > MOST_ROWS then
    rows[MOST_ROWS] = printable.cut(rows[MOST_ROWS] .. " …", width)
  end
  return vim.list_slice(rows, 1, MOST_ROWS)
end

---@param buf integer
---@param comment acp.Comment
local function draw(buf, comment)
  local first, last = M.rows(comment, api.nvim_buf_line_count(buf))
  local sign, group = SIGNS[comment.state], GROUPS[comment.state]
  local words = ("%s %s"):format(sign, M.words(comment))
  for row = first, math.min(last, first + limits.COMMENTED_LINES) do
    api.nvim_buf_set_extmark(buf, namespace, row, 0, {
      sign_text = row == first and sign or "│",
      sign_hl_group = group .. "Sign",
      priority = 4097, -- above the sign of a hunk
    })
  end
  if fits(buf, first, words) then
    api.nvim_buf_set_extmark(buf, namespace, first, 0, {
      virt_text = { { words, group } },
      virt_text_pos = "eol",
      hl_mode = "combine",
      priority = 200,
    })
    return
  end
  local rows = wrapped(words, math.max(windows_of(buf) - 2, LEAST_CELLS))
  for i, row in ipairs(rows) do
    rows[i] = { { (i > 1 and "  " or "") .. row, group } }
  end
  api.nvim_buf_set_extmark(buf, namespace, last, 0, { virt_lines = rows })
end

--- Draws these comments in the buffer, and no others.
---@param buf integer
---@param comments acp.Comment[]
function M.draw(buf, comments)
  api.nvim_buf_clear_namespace(buf, namespace, 0, -1)
  for _, comment in ipairs(comments) do
    draw(buf, comment)
  end
end

return M
