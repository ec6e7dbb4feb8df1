-- Places the end of a tool call's line: counts, how it was decided, how long it took. It is never cut off: it stands at
-- the end of the line where there is room, else before the path.
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

---@param chunks [string, string][]
---@return [string, string][]
local function as_prefix(chunks)
  local list = {}
  for _, chunk in ipairs(chunks) do
    list[#list + 1] = { vim.trim(chunk[1]) .. " ", chunk[2] }
  end
  list[#list + 1] = { " " }
  return list
end

---@param buf integer
---@param mark acp.Mark
---@param row integer
---@param columns integer
---@return boolean
local function fits(buf, mark, row, columns)
  local icon, text = mark.icon and mark.icon.text or "", api.nvim_buf_get_lines(buf, row, row + 1, false)[1] or ""
  for _, chunk in ipairs(mark.eol) do
    text = text .. chunk[1]
  end
  return vim.fn.strdisplaywidth(icon .. text) < columns
end

--- The options of the extmark, and the column where it belongs.
---@param buf integer
---@param mark acp.Mark
---@param row integer
---@param columns integer  of the window
---@return integer col
---@return vim.api.keyset.set_extmark
function M.extmark(buf, mark, row, columns)
  if not mark.beside or fits(buf, mark, row, columns) then
    return 0, { virt_text = mark.eol, hl_mode = "combine", strict = false }
  end
  return mark.beside, { virt_text = as_prefix(mark.eol), virt_text_pos = "inline", strict = false }
end

return M
