-- Decodes JSON as people write it into configuration files: with comments, and commas before a closing bracket.
local M = {}

-- Comments and superfluous commas become blanks, so that every place stays where it was:
--   [1, // one      ->   [1
--    2,]            ->    2 ]
local function blank(text)
  return (text:gsub("[^\n]", " "))
end
local P, S = vim.lpeg.P, vim.lpeg.S
local STRING = P('"') * (P("\\") * 1 + (1 - S('"\\'))) ^ 0 * P('"') ^ -1
local COMMENT = P("//") * (1 - P("\n")) ^ 0 + P("/*") * (1 - P("*/")) ^ 0 * P("*/") ^ -1
local LAST_COMMA = P(",") * #((S(" \t\r\n") + COMMENT) ^ 0 * S("]}"))
local PLAIN = vim.lpeg.Cs((STRING + (COMMENT + LAST_COMMA) / blank + 1) ^ 0)

---@param text string
---@return string
local function plain(text)
  return PLAIN:match(text) --[[@as string]]
end

---@param text string
---@param at integer
---@return integer
local function line_at(text, at)
  return 1 + select(2, text:sub(1, at - 1):gsub("\n", ""))
end

--- Finds the line of a key: the first text of that name after the keys that enclose it.
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

--- Returns nil, the error, and its line.
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
  why = why:gsub("^.-:%d+: ", ""):gsub(" but found .*$", "")
  return nil, (why:gsub("^%u", string.lower)), line_at(clean, math.min(at, #clean))
end

return M
