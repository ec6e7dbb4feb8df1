-- Places the end of a tool call's line: counts, how it was decided, how long it took. It is never cut off: it stands at
-- the end of the line where there is room, else before the path. Blanks fill the row where the path has no room behind
-- it, but in the next row: Neovim would break it within a word, since it looks for a place in the text alone.
--
--   ✓ edit    +3 −9 2 of 3 hunks  s          ✓ edit    +3 −9 2 of 3 hunks
--             rc/orders/price.py                       src/orders/price.py
local api = vim.api
local M = {}

local PART = "^[^ !@*%-+;:,./?]*[ !@*%-+;:,./?]?" -- up to where 'breakat' ends it

--- The width of the text in the narrowest window on a buffer.
---@param buf integer
---@return integer
function M.columns(buf)
  local columns = vim.o.columns
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    local info = vim.fn.getwininfo(win)[1]
    columns = math.min(columns, info.width - info.textoff)
  end
  return columns
end

---@param chunks [string, string][]
---@param before string  what stands in the row before them
---@param behind string  the text behind them
---@param columns integer
---@return [string, string][]
local function as_prefix(chunks, before, behind, columns)
  local list, free, row = {}, columns - api.nvim_strwidth(before) - 1, columns - api.nvim_strwidth(before)
  for _, chunk in ipairs(chunks) do
    list[#list + 1] = { vim.trim(chunk[1]) .. " ", chunk[2] }
    free = free - api.nvim_strwidth(list[#list][1])
  end
  local path = behind:match("^%S*")
  path = api.nvim_strwidth(path) <= row and path or behind:match(PART)
  local needs_row = free > 0 and api.nvim_strwidth(path) > free
  list[#list + 1] = { (" "):rep(needs_row and free + 1 or 1) }
  return list
end

---@param chunks [string, string][]
---@param text string
---@param columns integer
---@return boolean
local function fits(chunks, text, columns)
  for _, chunk in ipairs(chunks) do
    text = text .. chunk[1]
  end
  return api.nvim_strwidth(text) < columns
end

--- The options of the extmark, and the column where it belongs.
---@param buf integer
---@param mark acp.Mark
---@param row integer
---@param columns integer  of the window
---@return integer col
---@return vim.api.keyset.set_extmark
function M.extmark(buf, mark, row, columns)
  local icon, text = mark.icon and mark.icon.text or "", api.nvim_buf_get_lines(buf, row, row + 1, false)[1] or ""
  if not mark.beside or fits(mark.eol, icon .. text, columns) then
    return 0, { virt_text = mark.eol, hl_mode = "combine", strict = false }
  end
  local prefix = as_prefix(mark.eol, icon .. text:sub(1, mark.beside), text:sub(mark.beside + 1), columns)
  return mark.beside, { virt_text = prefix, virt_text_pos = "inline", strict = false }
end

return M
