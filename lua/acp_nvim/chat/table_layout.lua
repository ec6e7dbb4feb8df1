-- Lays out a Markdown table in a width: how wide each column is, and which rows of the window each line becomes.
--
--   | Setting | What it does |            │ Setting │ What it │
--   |---------|:------------:|     in 21  │         │  does   │
--   | width   | a share      |            ├─────────┼─────────┤
--                                         │ width   │ a share │
local table_cells = require("acp_nvim.chat.table_cells")

local M = {}

local EDGE = "AcpRule"
local LEAST = 3 -- cells of a column
local LONG = 16 -- of a word that is not broken while there is room
local FRAME = 3 -- cells that a column takes beside its text
local MARGIN = 2 -- the last edge, and an empty cell

---@alias acp.Align "left"|"right"|"center"

---@param text string  of the line below the heading
---@return acp.Align
local function align_of(text)
  local left, right = vim.startswith(text, ":"), vim.endswith(text, ":")
  return right and (left and "center" or "right") or "left"
end

---@param numbers integer[]
---@return integer
local function sum(numbers)
  return vim.iter(numbers):fold(0, function(total, number)
    return total + number
  end)
end

--- The cells that columns need for a word, the largest of them cut until there is room for all.
---@param least integer[]
---@param room integer
---@return integer[]
local function fitting(least, room)
  local longest = LONG
  while longest > LEAST and sum(least) > room do
    longest = longest - 1
    least = vim.tbl_map(function(cells)
      return math.min(cells, longest)
    end, least)
  end
  return least
end

--- The index of a column without a width for which this holds.
---@param widths integer[]
---@param count integer
---@param holds fun(index: integer): boolean
---@return integer?
local function find(widths, count, holds)
  for index = 1, count do
    if not widths[index] and holds(index) then
      return index
    end
  end
end

--- The widths of columns: those that need more than their share for a word get that, those that want less than their
--- share get what they want, the others share what is left.
---     wanted 7, 7, 70, least 7, 7, 8 in 37 cells: 7, 7, 23        in 24: 7, 7, 10
---@param wanted integer[]
---@param least integer[]
---@param room integer
---@return integer[]?
local function widths_in(wanted, least, room)
  local count = #wanted
  if room < LEAST * count then
    return nil
  end
  least = fitting(least, room)
  local widths, left, open = {}, room, count
  while open > 0 do
    local share = math.floor(left / open)
    local needy = find(widths, count, function(index)
      return least[index] > share
    end)
    local modest = not needy and find(widths, count, function(index)
      return wanted[index] <= share
    end)
    local index = needy or modest or find(widths, count, function()
      return true
    end) --[[@as integer]]
    widths[index] = needy and least[index] or modest and wanted[index] or share
    left, open = left - widths[index], open - 1
  end
  for index, want in ipairs(wanted) do -- what a modest column has left
    local more = math.min(left, want - widths[index])
    widths[index], left = widths[index] + more, left - more
  end
  return widths
end

---@param row acp.CellRow?
---@param width integer
---@param align acp.Align
---@param plain string
---@return [string, string][]
local function padded(row, width, align, plain)
  local free = width - (row and row.width or 0)
  local before = align == "right" and free or align == "center" and math.floor(free / 2) or 0
  local chunks = { { (" "):rep(before + 1), plain } }
  vim.list_extend(chunks, row and row.chunks or {})
  chunks[#chunks + 1] = { (" "):rep(free - before + 1), plain }
  return chunks
end

---@param widths integer[]
---@return [string, string][]
local function rule(widths)
  local parts = vim.tbl_map(function(width)
    return ("─"):rep(width + 2)
  end, widths)
  return { { "├" .. table.concat(parts, "┼") .. "┤", EDGE } }
end

--- The rows that one line becomes.
---@param cells acp.Cell[]
---@param widths integer[]
---@param aligns acp.Align[]
---@param plain string
---@return [string, string][][]
local function drawn(cells, widths, aligns, plain)
  local columns, height = {}, 1
  for index, width in ipairs(widths) do
    columns[index] = cells[index] and table_cells.rows(cells[index], width, plain) or {}
    height = math.max(height, #columns[index])
  end
  local rows = {}
  for at = 1, height do
    local chunks = { { "│", EDGE } }
    for index, width in ipairs(widths) do
      vim.list_extend(chunks, padded(columns[index][at], width, aligns[index] or "left", plain))
      chunks[#chunks + 1] = { "│", EDGE }
    end
    rows[at] = chunks
  end
  return rows
end

--- Lays out the lines of a table.
---@param lines string[]  the heading, the line below it, the body
---@param columns integer
---@return [string, string][][][]? rows  of each line; nil: it has too many columns
---@return [string, string][]? blank  a row between the edges
function M.of(lines, columns)
  local aligns = vim.tbl_map(align_of, table_cells.split(lines[2]))
  local cells, wanted, least = {}, {}, {}
  for number, line in ipairs(lines) do
    cells[number] = {}
    for index, text in ipairs(number ~= 2 and table_cells.split(line) or {}) do
      local cell = table_cells.read(text, number == 1 and "AcpBold" or "AcpTool")
      cells[number][index] = cell
      wanted[index] = math.max(wanted[index] or LEAST, cell.width)
      least[index] = math.max(least[index] or LEAST, math.min(cell.longest, LONG))
    end
  end
  local widths = widths_in(wanted, least, columns - MARGIN - FRAME * #wanted)
  if not widths or #wanted == 0 then
    return nil
  end
  local rows = {}
  for number in ipairs(lines) do
    local plain = number == 1 and "AcpBold" or "AcpTool"
    rows[number] = number == 2 and { rule(widths) } or drawn(cells[number], widths, aligns, plain)
  end
  return rows, drawn({}, widths, aligns, "AcpTool")[1]
end

return M
