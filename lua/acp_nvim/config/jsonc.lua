-- JSON as people write it into configuration files: with comments, and commas before a closing bracket.
local M = {}

local TOKENS = {
  T_OBJ_BEGIN = "{",
  T_OBJ_END = "}",
  T_ARR_BEGIN = "[",
  T_ARR_END = "]",
  T_STRING = "a string",
  T_NUMBER = "a number",
  T_INTEGER = "a number",
  T_BOOLEAN = "true or false",
  T_NULL = "null",
  T_COLON = "a colon",
  T_COMMA = "a comma",
  T_END = "the end",
}

--- Comments and superfluous commas become blanks, so that every place stays where it was.
---@param text string
---@return string
local function plain(text)
  local pieces, at = {}, 1
  local comma ---@type integer? the piece that ends with a comma after which nothing has come yet
  while at <= #text do
    local from = text:find('["/,%]}%w{%[-]', at)
    pieces[#pieces + 1] = text:sub(at, (from or #text + 1) - 1)
    if not from then
      break
    end
    local char, upto = text:sub(from, from), from
    local two = text:sub(from, from + 1)
    if two == "//" or two == "/*" then
      local _, close = text:find(two == "//" and "[^\n]*" or "%*/", from + 2)
      upto = close or #text
      pieces[#pieces + 1] = text:sub(from, upto):gsub("[^\n]", " ")
    elseif char == "," then
      pieces[#pieces + 1] = char
      comma = #pieces
    else
      if char == '"' then
        local close = from ---@type integer?
        repeat -- an even number of backslashes before it: it does end the text
          close = text:find('"', close + 1, true)
        until not close or #text:sub(from, close - 1):match("\\*$") % 2 == 0
        upto = close or #text
      elseif (char == "]" or char == "}") and comma then
        pieces[comma] = " "
      end
      pieces[#pieces + 1], comma = text:sub(from, upto), nil
    end
    at = upto + 1
  end
  return table.concat(pieces)
end

---@param text string
---@param at integer
---@return integer
local function line_at(text, at)
  return 1 + select(2, text:sub(1, at - 1):gsub("\n", ""))
end

--- The line of a key, or of a text of that name: the first one behind the keys named before it.
---@param text string
---@param ... string  keys, from the outermost
---@return integer line
function M.line_of(text, ...)
  local clean, at = plain(text), 1
  for _, key in ipairs({ ... }) do
    local quoted = '"' .. key .. '"'
    at = clean:find(vim.pesc(quoted) .. "%s*:", at) or clean:find(quoted, at, true) or at
  end
  return line_at(clean, at)
end

--- nil, what is wrong, and in which line.
---@param text string
---@return any value
---@return string? problem
---@return integer? line
function M.decode(text)
  text = text:gsub("^\239\187\191", "") -- a byte order mark
  local clean = plain(text)
  local ok, value = pcall(vim.json.decode, clean, { luanil = { object = true, array = true } })
  if ok then
    return value
  end
  local why = tostring(value)
  local at = tonumber(why:match("at character (%d+)")) or 1
  why = why:gsub("^.-:%d+: ", ""):gsub(" at character %d+$", ""):gsub("T_[A-Z_]+", TOKENS)
  return nil, (why:gsub("^%u", string.lower)), line_at(clean, math.min(at, #clean))
end

return M
