-- Lays out a Markdown table in a width: how wide each column is, and which rows of the window each line becomes.
--
--   | Setting | What it does |            │ Setting │ What it │
--   |---------|:------------:|     in 21  │         │  does   │
--   | width   | a share      |            ├─────────┼─────────┤
--                                         │ width   │ a share │
local inline_markdown = require("acp_nvim.chat.inline_markdown")
local table_cells = require("acp_nvim.chat.table_cells")
local table_records = require("acp_nvim.chat.table_records")

local M = {}

local EDGE = "AcpRule"
local LEAST = 3 -- cells of a column
local FRAME = 3 -- cells that a column takes beside its text
local FIELDS = 20 -- of a record at most
local RECORD = 12 -- cells of a record at least
local MARGIN = 2 -- the last edge, and an empty cell
local TALL = 6 -- rows of one line: its cells are ladders of a word or two
local WIDEST_LEAD = 1 / 6 -- of the columns
local QUOTE = inline_markdown.QUOTE

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

--- The largest numbers cut until there is room for all, or each is as small as it may be.
---@param numbers integer[]
---@param least integer[]
---@param room integer
---@return integer[]
local function cut(numbers, least, room)
  local longest = math.min(room, math.max(unpack(numbers)))
  while longest > LEAST and sum(numbers) > room do
    longest = longest - 1
    for index, number in ipairs(numbers) do
      numbers[index] = math.max(least[index], math.min(number, longest))
    end
  end
  return numbers
end

--- The cells that columns need for their words. Where there is no room for whole words the widest columns break them at
--- their slashes, dots and the like, and only where even that is too much anywhere.
---     words 20, 19, 7, parts 9, 6, 7 in 40 cells: 17, 16, 7        in 20: 7, 6, 7
---@param words integer[]
---@param parts integer[]
---@param room integer
---@return integer[]
local function fitting(words, parts, room)
  local nothing = vim.tbl_map(function()
    return LEAST
  end, words)
  return cut(cut(vim.deepcopy(words), parts, room), nothing, room)
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
---     wanted 7, 7, 70, words 7, 7, 8 in 37 cells: 7, 7, 23        in 24: 7, 7, 10
---@param wanted integer[]
---@param words integer[]  the longest of each
---@param parts integer[]  the longest part of a word
---@param room integer
---@return integer[]?
local function widths_in(wanted, words, parts, room)
  local count = #wanted
  if count == 0 or room < LEAST * count then
    return nil
  end
  local least = fitting(words, parts, room)
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

---@param rows [string, string][][][]  of each line
---@return integer
local function height(rows)
  return vim.iter(rows):fold(0, function(total, of_line)
    return total + #of_line
  end)
end

--- Lays out the lines of a table that begins at the window's edge.
---@param lines string[]  the heading, the line below it, the body
---@param columns integer
---@param may_be_records boolean  lines may have no row: it becomes a list where that is lower and words have no
---                         room, or cells are tall
---@return [string, string][][][]? rows  of each line; nil: it has too many columns
---@return [string, string][]? blank  a row between the edges
local function lay_out(lines, columns, may_be_records)
  local aligns = vim.tbl_map(align_of, table_cells.split(lines[2]))
  local cells, wanted, words, parts = {}, {}, {}, {}
  for number, line in ipairs(lines) do
    cells[number] = {}
    for index, text in ipairs(number ~= 2 and table_cells.split(line) or {}) do
      local cell = table_cells.read(text, number == 1 and "AcpBold" or "AcpTool")
      cells[number][index] = cell
      wanted[index] = math.max(wanted[index] or LEAST, cell.width)
      words[index] = math.max(words[index] or LEAST, cell.longest)
      parts[index] = math.max(parts[index] or LEAST, cell.part)
    end
  end
  local room = columns - MARGIN - FRAME * #wanted
  local widths = widths_in(wanted, words, parts, room)
  local has_records = may_be_records and lines[3] and #wanted <= FIELDS and columns >= RECORD
  local records = has_records and table_records.rows(cells, columns - 1)
  if records and sum(parts) > room then
    return records, {}
  elseif not widths then
    return nil
  end
  local rows, tallest = {}, 0
  for number in ipairs(lines) do
    local plain = number == 1 and "AcpBold" or "AcpTool"
    rows[number] = number == 2 and { rule(widths) } or drawn(cells[number], widths, aligns, plain)
    tallest = math.max(tallest, #rows[number])
  end
  if records and height(records) < height(rows) and (sum(words) > room or tallest > TALL) then
    return records, {}
  end
  return rows, drawn({}, widths, aligns, "AcpTool")[1]
end

--- What stands before a table in a list or a quotation goes before each of its rows, unless it is wide.
---     "> > | a | b |": "▎ ▎ "
---@param line string
---@param columns integer
---@return fun(row: [string, string][]): [string, string][]
---@return integer columns  that are left to the row
local function lead(line, columns)
  local text = line:match("^[ >]*")
  text = #text <= columns * WIDEST_LEAD and text or ""
  local chunk = { (text:gsub(">", QUOTE.sign)), QUOTE.hl }
  return function(row)
    return vim.list_extend({ chunk }, row)
  end, columns - #text
end

--- Lays out the lines of a table.
---@param lines string[]  the heading, the line below it, the body
---@param columns integer
---@param may_be_records boolean  lines may have no row: it becomes a list where that is lower and words have no
---                         room, or cells are tall
---@return [string, string][][][]? rows  of each line; nil: it has too many columns
---@return [string, string][]? blank  a row between the edges
function M.of(lines, columns, may_be_records)
  local before, room = lead(lines[1], columns)
  local rows, blank = lay_out(lines, room, may_be_records)
  rows = rows and vim.tbl_map(function(of_line)
    return vim.tbl_map(before, of_line)
  end, rows)
  return rows, blank and before(blank)
end

return M
