-- Highlights the code in the lines of a diff, and of a file that an agent has read: those that are drawn are read as
-- fenced code is, each side as one text.
--
--     12   def total():         before the change: lines 1 2, after it: lines 1 3
--     13 -     return 0
--     13 +     return sum()
local ephemeral_marks = require("acp_nvim.chat.ephemeral_marks")
local fenced_code = require("acp_nvim.chat.fenced_code")
local limits = require("acp_nvim.limits")

local api = vim.api
local M = {}

---@class acp.CodeLine  a line of a text that is read
---@field code acp.Code
---@field at integer  from 0

---@param name string  of a file
---@return string  empty: not known
local function filetype(name)
  -- vim.filetype.add() takes functions of the user's and of plugins: an error in one costs this diff its colours
  local ok, found = pcall(vim.filetype.match, { filename = name })
  return ok and found or ""
end

---@param view acp.Drawn
---@param lines acp.Block[]  of one file, below each other
---@param gone string  the ground of the lines that the text is without
local function read_side(view, lines, gone)
  local texts, code = {}, { lang = filetype(lines[1].mark.code[3]), text = "", met = {} } ---@type string[], acp.Code
  for _, block in ipairs(lines) do
    if block.mark.line_hl ~= gone then
      local first, last = unpack(block.mark.code)
      block.mark.code_line = { code = code, at = #texts }
      texts[#texts + 1] = api.nvim_buf_get_lines(view.buf, block.row, block.row + 1, false)[1]:sub(first + 1, last)
    end
  end
  code.text = table.concat(texts, "\n")
  if code.lang == "" or #code.text > limits.CODE_BYTES then
    code.spans, code.text = {}, ""
  elseif code.text ~= "" then
    fenced_code.request_for(view, code)
  end
end

--- Whether a line is to be read, or read again: its text has left the screen, or its colours are no longer kept.
---@param view acp.Drawn
---@param mark acp.Mark
---@return boolean
local function is_unread(view, mark)
  local code = mark.code_line and mark.code_line.code
  if code then
    code.met[view.win] = view.drawings[view.win]
  end
  return not code or (not code.spans and code.text == "")
end

---@param view acp.Drawn
---@param lines acp.Block[]
local function read(view, lines)
  local unread = vim.iter(lines):any(function(block)
    return is_unread(view, block.mark)
  end)
  if unread then
    read_side(view, lines, "AcpDiffAdded")
    read_side(view, lines, "AcpDiffRemoved") -- later: lines that stay have the colours of the new text
  end
end

--- Looks at the rows up to `view.last` before they are drawn.
---@param view acp.Drawn
function M.prepare(view)
  local lines = {} ---@type acp.Block[]
  for _, block in ipairs(view.blocks) do
    local code, above = block.row <= view.last and block.mark.code, lines[#lines]
    if above and not (code and block.row == above.row + 1 and code[3] == above.mark.code[3]) then
      read(view, lines)
      lines = {}
    end
    if code then
      lines[#lines + 1] = block
    end
  end
  if lines[1] then
    read(view, lines)
  end
end

--- Paints the code of a row.
---@param buf integer
---@param row integer
---@param mark acp.Mark
function M.paint(buf, row, mark)
  local line = mark.code_line
  for index, span in ipairs(line and line.code.spans and line.code.spans[line.at] or {}) do
    ephemeral_marks.span(buf, row, mark.code[1] + span[1], mark.code[1] + span[2], span[3], index)
  end
end

return M
