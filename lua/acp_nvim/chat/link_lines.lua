-- Lays out a line of Markdown whose links have long targets. Neovim breaks a line as if nothing of it were hidden, so
-- the target would leave a hole of its size.
--
--   - see [the guide](https://…) for more        • see the guide
--                                                  for more
local inline_markdown = require("acp_nvim.chat.inline_markdown")
local table_cells = require("acp_nvim.chat.table_cells")

local api = vim.api
local M = {}

local PLAIN = "AcpTool"
local LEAST_TARGET = 16 -- bytes, which leave no hole to speak of
local LEAST_TEXT = 12 -- cells beside a list's marker
local BOXES = { [" "] = "☐ ", x = "☑ " }

--- Whether a line may be one, whatever the width: it is looked at again when it is drawn.
---@param line string
---@return boolean
function M.may_be(line)
  return #line > LEAST_TARGET and line:find("](", 1, true) ~= nil and not line:find("^ ? ? ?[#>|]")
end

---@param line string
---@param columns integer
---@return boolean
local function has_long_target(line, columns)
  for _, part in ipairs(inline_markdown.read(line).hidden) do
    if part.width and part.width > math.max(LEAST_TARGET, columns / 3) then
      return true
    end
  end
  return false
end

--- The marker of a list as it is drawn, else the blanks, and the text behind it.
---@param line string
---@return string sign
---@return string text
local function parted(line)
  local indent, bullet, text = line:match("^(%s*)([-*+]) +(.*)$")
  local tick, task = (text or ""):match("^%[([ xX])%] +(.*)$")
  if tick then
    return indent .. BOXES[tick:lower()], task
  elseif bullet then
    return indent .. "• ", text
  end
  local number, rest = line:match("^(%s*%d+[.)] )(.*)$")
  if not number then
    number, rest = line:match("^(%s*)(.*)$")
  end
  return number, rest
end

--- The rows that the line becomes; nil: it stands as it is.
---@param line string
---@param columns integer
---@return [string, string][][]?
function M.rows(line, columns)
  if api.nvim_strwidth(line) <= columns or not has_long_target(line, columns) then
    return nil
  end
  local sign, text = parted(line)
  local indent = api.nvim_strwidth(sign)
  if columns - indent < LEAST_TEXT then
    return nil
  end
  local rows = {}
  for number, row in ipairs(table_cells.rows(table_cells.read(text, PLAIN), columns - indent, PLAIN)) do
    local before = number == 1 and { sign, "AcpBullet" } or { (" "):rep(indent), PLAIN }
    rows[number] = vim.list_extend({ before }, row.chunks)
  end
  return rows
end

return M
