-- Places what stands beside a tool call: counts, how it was decided, how long it took. It is never cut off: it stands
-- behind the path or the command where the line has room for it, else in rows of its own, below the path.
--
--   ✓ edit    src/orders/price.py  +3 −9 2 of 3 hunks          ✓ edit    src/orders/price.py
--   ✓ edit    src/orders/price.py  +3 −9  Sum up                         +3 −9 2 of 3 hunks
local api = vim.api
local M = {}

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

--- Breaks chunks between each other where a row is full.
---@param chunks [string, string][]
---@param indent integer  cells
---@param columns integer
---@return [string, string][][]
local function rows_of(chunks, indent, columns)
  local rows, free = {}, 0
  for _, chunk in ipairs(chunks) do
    local text = vim.trim(chunk[1])
    local width = api.nvim_strwidth(text)
    if width + 1 > free then
      rows[#rows + 1], free = { { (" "):rep(indent) } }, columns - indent + 1
    elseif #rows[#rows] > 1 then
      text = " " .. text
    end
    table.insert(rows[#rows], { text, chunk[2] })
    free = free - width - 1
  end
  return rows
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

--- The options of the extmark, and its column.
---@param buf integer
---@param mark acp.Mark
---@param row integer
---@param columns integer  of the window
---@return vim.api.keyset.set_extmark opts
---@return integer column
function M.extmark(buf, mark, row, columns)
  local icon, text = mark.icon and mark.icon.text or "", api.nvim_buf_get_lines(buf, row, row + 1, false)[1] or ""
  if not mark.beside or fits(mark.eol, icon .. text, columns) then
    local chunks, pos = mark.eol, "eol" ---@type [string, string?][], string
    if mark.after then
      chunks, pos = vim.list_extend({ { " " } }, mark.eol), "inline" -- behind a line Neovim adds the blank
    end
    return { virt_text = chunks, virt_text_pos = pos, hl_mode = "combine", strict = false }, mark.after or 0
  end
  local indent = api.nvim_strwidth(icon .. text:sub(1, mark.beside))
  return { virt_lines = rows_of(mark.eol, indent, columns), strict = false }, 0
end

return M
