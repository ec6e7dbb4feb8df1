-- Reads the Markdown of one line: which parts have which colour, and which are marks that need not be seen. It uses
-- patterns and no parser: it runs when a line is drawn for the first time.
--
--   a **bold** word     span 2..10 AcpBold, hidden 2..4 and 8..10
--   - [x] done          hidden 0..2, and 2..5 in whose place a ticked box stands
local limits = require("acp_nvim.limits")

local QUOTE = { sign = "▎", hl = "AcpQuote" }

local M = { QUOTE = QUOTE }

local BULLET = { sign = "•", hl = "AcpBullet" }
local BOXES = { [" "] = { sign = "☐", hl = "AcpBullet" }, x = { sign = "☑", hl = "AcpDone" } }

local SPECIAL = "[`*_%[~!h]"

---@alias acp.Span [integer, integer, string]  first byte (from 0), end byte, highlight group

---@class acp.Hidden
---@field first integer  byte, from 0
---@field last integer   the byte behind it
---@field sign? string   stands in its place
---@field hl? string     of the sign
---@field width? integer  of the target of the link that it belongs to, which may be long

---@class acp.InlineMarkdown
---@field spans acp.Span[]
---@field hidden acp.Hidden[]
---@field is_rule? boolean  nothing but a horizontal line
---@field is_quote? boolean  a bar stands beside all of its rows

---@param found acp.InlineMarkdown
---@param first integer  first byte, from 1
---@param last integer
---@param hl string
local function add(found, first, last, hl)
  found.spans[#found.spans + 1] = { first - 1, last, hl }
end

---@param found acp.InlineMarkdown
---@param first integer  first byte, from 1
---@param last integer
---@param more? table
local function hide(found, first, last, more)
  if last >= first then
    found.hidden[#found.hidden + 1] = vim.tbl_extend("error", { first = first - 1, last = last }, more or {})
  end
end

--- Hides as many bytes at both ends.
---@param found acp.InlineMarkdown
---@param first integer
---@param last integer
---@param count integer
local function hide_ends(found, first, last, count)
  hide(found, first, first + count - 1)
  hide(found, last - count + 1, last)
end

local scan

--- The rules of inline markup: each takes the line, where its character stands and the line's end, and returns the last
--- byte it has dealt with, or nil if the character means nothing here.
---@type table<string, fun(line: string, at: integer, stop: integer, found: acp.InlineMarkdown): integer?>
local rules = {}

rules["`"] = function(line, at, stop, found)
  local ticks = line:match("^`+", at)
  local from = at + #ticks
  while true do
    local first, last = line:find("`+", from)
    if not first or first > stop then
      return from - 1
    elseif last - first + 1 == #ticks then
      add(found, at, last --[[@as integer]], "AcpCodeInline")
      hide_ends(found, at, last --[[@as integer]], #ticks)
      return last
    end
    from = last + 1
  end
end

rules["*"] = function(line, at, stop, found)
  local bold = line:sub(at, at + 1) == "**"
  local _, last = line:find(bold and "^%*%*[^%s*].-%*%*" or "^%*[^%s*][^*]*%*", at)
  if not last or last > stop or line:find("^%s", last - (bold and 2 or 1)) then
    return line:match("^%*+()", at) - 1
  end
  local width = bold and 2 or 1
  add(found, at, last, bold and "AcpBold" or "AcpItalic")
  hide_ends(found, at, last, width)
  scan(line, at + width, last - width, found)
  return last
end

rules["_"] = function(line, at, stop, found)
  local marker = line:match("^_+", at)
  local _, last = line:find("^" .. marker .. "[^%s_].-" .. marker, at)
  local inside_word = at > 1 and line:find("^[%w_]", at - 1)
  if #marker > 2 or inside_word or not last or last > stop or line:find("^[%w_]", last + 1) then
    return at + #marker - 1
  end
  add(found, at, last, #marker == 2 and "AcpBold" or "AcpItalic")
  hide_ends(found, at, last, #marker)
  return last
end

rules["~"] = function(line, at, stop, found)
  local _, last = line:find("^~~[^%s~].-~~", at)
  if not last or last > stop or line:find("^%s", last - 2) then
    return line:match("^~+()", at) - 1
  end
  add(found, at, last, "AcpStrike")
  hide_ends(found, at, last, 2)
  scan(line, at + 2, last - 2, found)
  return last
end

rules["!"] = function(line, at, stop, found)
  local last = line:find("^%[", at + 1) and rules["["](line, at + 1, stop, found)
  if last then
    hide(found, at, at)
  end
  return last or nil
end

rules["["] = function(line, at, stop, found)
  local label, last = line:match("^%[[^%[%]]*()%]%b()()", at)
  if not label or last - 1 > stop then
    return nil
  end
  add(found, at + 1, label - 1, "AcpLink")
  add(found, label + 1, last - 1, "AcpRule")
  if label > at + 1 then -- else nothing would be left of it
    hide(found, at, at, { width = last - label })
    hide(found, label, last - 1, { width = last - label })
  end
  return last - 1
end

rules["h"] = function(line, at, stop, found)
  local url = line:match("^https?://[^%s<>\"'`)%]}]+", at)
  if not url or (at > 1 and line:find("^%w", at - 1)) then
    return nil
  end
  url = url:gsub("[.,;:!?*_]+$", "")
  add(found, at, math.min(at + #url - 1, stop), "AcpLink")
  return at + #url - 1
end

scan = function(line, from, stop, found)
  while true do
    local at = line:find(SPECIAL, from)
    if not at or at > stop then
      return
    end
    from = (rules[line:sub(at, at)](line, at, stop, found) or at) + 1
  end
end

---@param line string
---@param found acp.InlineMarkdown
local function table_row(line, found)
  if line:find("^%s*|[%s:|%-]+$") then
    return add(found, 1, #line, "AcpRule")
  end
  for at in line:gmatch("()|") do
    add(found, at --[[@as integer]], at --[[@as integer]], "AcpRule")
  end
  scan(line, 1, #line, found)
end

---@param line string
---@param found acp.InlineMarkdown
---@return integer from  where the text behind the list's marker begins
local function list_marker(line, found)
  local first, last = line:match("^%s*()[-*+]()%s")
  local is_bullet = first ~= nil
  if not first then
    first, last = line:match("^%s*()%d+[.)]()%s")
  end
  if not first then
    return 1
  end
  local tick, box = line:match("^ %[([ xX])%]()%s", last)
  add(found, first, (box or last) - 1, "AcpBullet")
  if tick then
    hide(found, is_bullet and first or last, last)
    hide(found, last + 1, box - 1, BOXES[tick:lower()])
  elseif is_bullet then
    hide(found, first, first, BULLET)
  end
  return box or last
end

---@param line string
---@return boolean
local function is_rule(line)
  local char = line:match("^ ? ? ?([-*_])")
  local marks = char and line:gsub("%s", "")
  return marks ~= nil and #marks >= 3 and marks == char:rep(#marks)
end

---@param line string
---@return acp.InlineMarkdown
local function read(line)
  local found = { spans = {}, hidden = {} } ---@type acp.InlineMarkdown
  local heading = line:match("^ ? ? ?##?#?#?#?#?%s+()")
  local quote = line:match("^ ? ? ?()>")
  if #line > limits.MARKDOWN_LINE_BYTES then
    return found
  elseif heading then
    add(found, 1, #line, line:find("^ *#%s") and "AcpHeading1" or "AcpHeading")
    hide(found, 1, heading - 1)
    scan(line, heading, #line, found)
  elseif is_rule(line) then
    add(found, 1, #line, "AcpRule")
    found.is_rule = true
  elseif quote then
    add(found, 1, #line, "AcpQuote")
    hide(found, quote, quote, QUOTE)
    found.is_quote = quote == 1
    scan(line, 1, #line, found)
  elseif line:find("^%s*|") then
    table_row(line, found)
  else
    scan(line, list_marker(line, found), #line, found)
  end
  return found
end

--- Reads a part of a line, such as the cell of a table.
---@param text string
---@return acp.InlineMarkdown
function M.read_part(text)
  local found = { spans = {}, hidden = {} } ---@type acp.InlineMarkdown
  if #text <= limits.MARKDOWN_LINE_BYTES then
    scan(text, 1, #text, found)
  end
  return found
end

local kept, count = {}, 0 ---@type table<string, acp.InlineMarkdown>

--- Reads one line of Markdown outside fenced code; lines that are drawn again and again are read once.
---@param line string
---@return acp.InlineMarkdown
function M.read(line)
  local found = kept[line]
  if not found then
    if count >= limits.MARKDOWN_LINES then
      kept, count = {}, 0
    end
    found = read(line)
    kept[line], count = found, count + 1
  end
  return found
end

return M
