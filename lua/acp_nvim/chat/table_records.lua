-- Lays out a Markdown table as a list of records, for a width in which its columns would be too narrow for their words.
--
--   | File         | What it does |        File: src/price.py
--   |--------------|--------------|        What it does: adds up what
--   | src/price.py | adds up …    |          all orders cost
local table_cells = require("acp_nvim.chat.table_cells")

local M = {}

local INDENT = 2 -- cells of the further rows of a field

--- The words of a heading and of its cell, as one cell.
---@param heading? acp.Cell
---@param cell acp.Cell
---@return acp.Cell
local function field(heading, cell)
  local words = vim.list_slice(heading and heading.words or {})
  if words[1] then
    words[#words + 1] = { ":", "AcpBold", width = 1, follows = true }
  end
  return { words = vim.list_extend(words, cell.words), width = 0, longest = 0, part = 0 }
end

--- The rows of one line of the body.
---@param headings acp.Cell[]
---@param cells acp.Cell[]
---@param columns integer
---@return [string, string][][]
local function record(headings, cells, columns)
  local rows = {}
  for index, cell in ipairs(cells) do
    local of_field = cell.words[1] and table_cells.rows(field(headings[index], cell), columns - INDENT, "AcpTool") or {}
    for number, row in ipairs(of_field) do
      if number > 1 then
        table.insert(row.chunks, 1, { (" "):rep(INDENT), "AcpTool" })
      end
      rows[#rows + 1] = row.chunks
    end
  end
  return rows
end

--- The rows of each line: the heading has none, since each record repeats it.
---@param cells acp.Cell[][]  by line: the heading, nothing for the line below it, the body
---@param columns integer
---@return [string, string][][][]
function M.rows(cells, columns)
  local rule = { { ("─"):rep(columns), "AcpRule" } }
  local rows = { {}, { rule } }
  for number = 3, #cells do
    rows[number] = vim.list_extend(record(cells[1], cells[number], columns), { rule })
  end
  return rows
end

return M
