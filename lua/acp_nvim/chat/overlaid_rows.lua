-- Lays rows of text over the rows of the window that a line of the chat takes.
local api = vim.api
local M = {}

---@class acp.OverlaidRow
---@field col integer  a byte in the row of the window
---@field chunks [string, string][]

--- The bytes with which the rows of a line begin in a window. A virtual column counts the cells that Neovim leaves
--- empty where it breaks a line.
---     20 columns, "| a cell | a long cell which wraps |": 0, 16
---@param win integer
---@param row integer
---@param columns integer
---@return integer[]
function M.beginnings(win, row, columns)
  local begins = { 0 }
  local height = api.nvim_win_text_height(win, { start_row = row, end_row = row, start_vcol = 0 }).all
  for wrapped = 1, height - 1 do
    begins[wrapped + 1] = vim.fn.virtcol2col(win, row + 1, wrapped * columns + 1) - 1
  end
  return begins
end

--- A row that covers what stands below it.
---@param chunks [string, string][]
---@param columns integer
---@return [string, string][]
local function filled(chunks, columns)
  local width = 0
  for _, chunk in ipairs(chunks) do
    width = width + api.nvim_strwidth(chunk[1])
  end
  return vim.list_extend({ unpack(chunks) }, { { (" "):rep(columns - width), "AcpTool" } })
end

--- The rows where they belong; those for which the line has no row are left out.
---@param begins integer[]
---@param rows [string, string][][]
---@param blank [string, string][]  in a row of the line for which there is nothing
---@param columns integer
---@return acp.OverlaidRow[]
function M.of(begins, rows, blank, columns)
  local list = {}
  for index, col in ipairs(begins) do
    list[index] = { col = col, chunks = filled(rows[index] or blank, columns) }
  end
  return list
end

return M
