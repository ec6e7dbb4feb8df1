-- Remembers in which rows of a text its code blocks and tables begin and end. Each line is read once, when it is
-- complete.
--
--   row 0  Look:          list[1] = { first = 1, last = 3, lang = "lua", marker = "```" }
--   row 1  ```lua
--   row 2  local x = 1    a longer fence, or one of tildes, would not end the block
--   row 3  ```
--   row 4  | a | b |      tables[1] = { first = 4, last = 5 }
--   row 5  |---|---|
local limits = require("acp_nvim.limits")
local link_lines = require("acp_nvim.chat.link_lines")

local api = vim.api
local M = {}

---@class acp.Fence : acp.Code
---@field first integer  rows from the block's mark
---@field last? integer  nil: still open
---@field marker string
---@field indent integer  blanks before it, as in a list
---@field met table<integer, integer>  by window: the drawing that has come upon it last

---@class acp.Table
---@field first integer  rows from the block's mark
---@field last integer
---@field drawn? acp.DrawnTable  see tables.lua
---@field is_link? boolean  no table: a line that may have a link with a long target

---@class acp.Fences
---@field tables acp.Table[]
---@field scanned integer  rows looked at so far
---@field list acp.Fence[]
---@field hidden integer  so many of them have had their closing lines hidden

---@param fences acp.Fences
---@param row integer
---@param line string
local function note_fence(fences, row, line)
  local marker, rest = line:match("^%s*(```+)([^`]*)$")
  if not marker then
    marker, rest = line:match("^%s*(~~~+)(.*)$")
  end
  if not marker then
    return
  end
  local open = fences.list[#fences.list]
  if not open or open.last then
    local lang, indent = rest:match("^%s*{?%.?([%w_+#-]*)"):lower(), #line:match("^%s*")
    table.insert(fences.list, { first = row, marker = marker, indent = indent, lang = lang, text = "", met = {} })
  elseif vim.startswith(marker, open.marker) and not rest:find("%S") then
    open.last = row
  end
end

---@param fences acp.Fences
---@param row integer
---@param is_link? boolean
local function note_table(fences, row, is_link)
  local open, newest = fences.list[#fences.list], fences.tables[#fences.tables]
  if open and not open.last then
    return
  elseif newest and newest.last >= row - 1 and not newest.is_link and not is_link then
    newest.last = row
  else
    table.insert(fences.tables, { first = row, last = row, is_link = is_link })
  end
end

---@return acp.Fences
function M.new()
  return { scanned = 0, hidden = 0, list = {}, tables = {} }
end

--- The place of the first of these parts that ends in the block's row or below.
---@param parts { first: integer, last?: integer }[]
---@param row integer
---@return integer
local function place_of(parts, row)
  local low, high = 1, #parts + 1
  while low < high do
    local middle = math.floor((low + high) / 2)
    if parts[middle].last and parts[middle].last < row then
      low = middle + 1
    else
      high = middle
    end
  end
  return low
end

--- Learns the fences and tables up to the block's row `upto`, each line once. The buffer's last line may still grow:
--- not yet.
---@param buf integer
---@param start integer  the block's first row
---@param fences acp.Fences
---@param upto integer
function M.learn(buf, start, fences, upto)
  upto = math.min(upto, api.nvim_buf_line_count(buf) - 2 - start)
  while fences.scanned <= upto do
    local from = start + fences.scanned
    local lines = api.nvim_buf_get_lines(buf, from, math.min(from + limits.INDEXED_LINES, start + upto + 1), false)
    for index, line in ipairs(lines) do
      if line:find("^%s*[`~]") then
        note_fence(fences, fences.scanned + index - 1, line)
      elseif line:find("^[%s>]*|") then
        note_table(fences, fences.scanned + index - 1)
      elseif link_lines.may_be(line) then
        note_table(fences, fences.scanned + index - 1, true)
      end
    end
    fences.scanned = fences.scanned + #lines
  end
end

---@param buf integer
---@param row integer
---@return integer bars  none: the line is no part of a table
local function count_bars(buf, row)
  local line = api.nvim_buf_get_lines(buf, row, row + 1, false)[1]
  return line:find("^[%s>]*|") and select(2, line:gsub("|", "")) or 0
end

--- Counts the buffer's last line to the table above it: an answer may end so, without the end of the line. A line with
--- fewer cells than the heading still grows.
---@param buf integer
---@param start integer
---@param fences acp.Fences
function M.learn_end(buf, start, fences)
  local row, newest = api.nvim_buf_line_count(buf) - 1, fences.tables[#fences.tables]
  local is_below = newest and not newest.is_link and start + newest.last == row - 1
  if is_below and start + fences.scanned == row then
    if count_bars(buf, row) >= count_bars(buf, start + newest.first) then
      newest.last = newest.last + 1
    end
  end
end

--- The fence around the block's row, if any, else the place of the next one.
---@param fences acp.Fences
---@param row integer
---@return acp.Fence?
---@return integer place
function M.at(fences, row)
  local place = place_of(fences.list, row)
  local fence = fences.list[place]
  return fence and fence.first <= row and fence or nil, place
end

--- The table around the block's row, if any.
---@param fences acp.Fences
---@param row integer
---@return acp.Table?
function M.table_at(fences, row)
  local found = fences.tables[place_of(fences.tables, row)]
  return found and found.first <= row and found or nil
end

return M
