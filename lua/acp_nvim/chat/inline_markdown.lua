-- Highlights the Markdown of one line. It uses patterns and no parser: it runs in every redraw, for visible lines only.
local limits = require("acp_nvim.limits")

local M = {}

local SPECIAL = "[`*_%[h]"

---@alias acp.Span [integer, integer, string]  first byte (from 0), end byte, highlight group

---@param spans acp.Span[]
---@param first integer  first byte, from 1
---@param last integer
---@param hl string
local function add(spans, first, last, hl)
  spans[#spans + 1] = { first - 1, last, hl }
end

local scan

--- The rules of inline markup: each takes the line, where its character stands and the line's end, and returns the last
--- byte it has dealt with, or nil if the character means nothing here.
---@type table<string, fun(line: string, at: integer, stop: integer, spans: acp.Span[]): integer?>
local rules = {}

rules["`"] = function(line, at, stop, spans)
  local ticks = line:match("^`+", at)
  local from = at + #ticks
  while true do
    local first, last = line:find("`+", from)
    if not first or first > stop then
      return from - 1
    elseif last - first + 1 == #ticks then
      add(spans, at, last --[[@as integer]], "AcpCodeInline")
      return last
    end
    from = last + 1
  end
end

rules["*"] = function(line, at, stop, spans)
  local bold = line:sub(at, at + 1) == "**"
  local _, last = line:find(bold and "^%*%*[^%s*].-%*%*" or "^%*[^%s*][^*]*%*", at)
  if not last or last > stop or line:find("^%s", last - (bold and 2 or 1)) then
    return line:match("^%*+()", at) - 1
  end
  add(spans, at, last, bold and "AcpBold" or "AcpItalic")
  scan(line, at + (bold and 2 or 1), last - (bold and 2 or 1), spans)
  return last
end

rules["_"] = function(line, at, stop, spans)
  local marker = line:match("^_+", at)
  local _, last = line:find("^" .. marker .. "[^%s_].-" .. marker, at)
  local inside_word = at > 1 and line:find("^[%w_]", at - 1)
  if #marker > 2 or inside_word or not last or last > stop or line:find("^[%w_]", last + 1) then
    return at + #marker - 1
  end
  add(spans, at, last, #marker == 2 and "AcpBold" or "AcpItalic")
  return last
end

rules["["] = function(line, at, stop, spans)
  local label, last = line:match("^%[[^%]]*()%]%b()()", at)
  if not label or last - 1 > stop then
    return nil
  end
  add(spans, at + 1, label - 1, "AcpLink")
  add(spans, label + 1, last - 1, "AcpRule")
  return last - 1
end

rules["h"] = function(line, at, stop, spans)
  local url = line:match("^https?://[^%s<>\"'`)%]}]+", at)
  if not url or (at > 1 and line:find("^%w", at - 1)) then
    return nil
  end
  url = url:gsub("[.,;:!?*_]+$", "")
  add(spans, at, math.min(at + #url - 1, stop), "AcpLink")
  return at + #url - 1
end

scan = function(line, from, stop, spans)
  while true do
    local at = line:find(SPECIAL, from)
    if not at or at > stop then
      return
    end
    from = (rules[line:sub(at, at)](line, at, stop, spans) or at) + 1
  end
end

---@param line string
---@param spans acp.Span[]
local function table_row(line, spans)
  if line:find("^%s*|[%s:|%-]+$") then
    return add(spans, 1, #line, "AcpRule")
  end
  for at in line:gmatch("()|") do
    add(spans, at --[[@as integer]], at --[[@as integer]], "AcpRule")
  end
  scan(line, 1, #line, spans)
end

---@param line string
---@param spans acp.Span[]
---@return integer from  where the text behind the list's marker begins
local function list_marker(line, spans)
  local first, last = line:match("^%s*()[-*+]()%s")
  if not first then
    first, last = line:match("^%s*()%d+[.)]()%s")
  end
  if not first then
    return 1
  end
  local box = line:match("^ %[[ xX]%]()%s", last)
  last = box or last
  add(spans, first, last - 1, "AcpBullet")
  return last
end

---@param line string
---@return boolean
local function is_rule(line)
  local char = line:match("^ ? ? ?([-*_])")
  local marks = char and line:gsub("%s", "")
  return marks ~= nil and #marks >= 3 and marks == char:rep(#marks)
end

--- The colours of one line of Markdown outside fenced code.
---@param line string
---@return acp.Span[]
function M.spans(line)
  local spans = {}
  if #line > limits.MARKDOWN_LINE_BYTES then
    return spans
  elseif line:find("^ ? ? ?##?#?#?#?#?%s") then
    add(spans, 1, #line, "AcpHeading")
  elseif is_rule(line) then
    add(spans, 1, #line, "AcpRule")
  elseif line:find("^ ? ? ?>") then
    add(spans, 1, #line, "AcpQuote")
    scan(line, 1, #line, spans)
  elseif line:find("^%s*|") then
    table_row(line, spans)
  else
    scan(line, list_marker(line, spans), #line, spans)
  end
  return spans
end

return M
