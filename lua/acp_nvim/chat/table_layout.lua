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
local FRAME = 3 -- cells that a column takes beside its text
local MARGIN = 2 -- the last edge, and an empty cell

---@alias acp.Align "left"|"right"|"center"

---@param text string  of the line below the heading
---@return acp.Align
local function align_of(text)
  local left, right = vim.startswith(text, ":"), vim.endswith(text, ":")
  return right and (left and "center" or "right") or "left"
end

--- The widths of columns: those that want less than their share get it, the others share what is left.
---     wanted 7, 7, 70 in 47 cells without the frame: 7, 7, 33
---@param wanted integer[]
---@param room integer
---@return integer[]?
local function widths_in(wanted, room)
  local widths, left, open = {}, room, #wanted
  if room < LEAST * #wanted then
    return nil
  end
  repeat
    local share, is_settled = math.floor(left / math.max(1, open)), true
    for index, want in ipairs(wanted) do
      if not widths[index] and want <= share then
        widths[index], left, open, is_settled = want, left - want, open - 1, false
        share = math.floor(left / math.max(1, open))
      end
    end
  until is_settled
  for index = 1, #wanted do
    if not widths[index] then
      local share = math.floor(left / open)
      widths[index], left, open = share, left - share, open - 1
    end
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
function M.of(lines, columns)
  local aligns = vim.tbl_map(align_of, table_cells.split(lines[2]))
  local cells, wanted = {}, {}
  for number, line in ipairs(lines) do
    cells[number] = {}
    for index, text in ipairs(number ~= 2 and table_cells.split(line) or {}) do
      local cell = table_cells.read(text, number == 1 and "AcpBold" or "AcpTool")
      cells[number][index], wanted[index] = cell, math.max(wanted[index] or LEAST, cell.width)
    end
  end
  local widths = widths_in(wanted, columns - MARGIN - FRAME * #wanted)
  if not widths or #wanted == 0 then
    return nil
  end
  local rows = {}
  for number in ipairs(lines) do
    local plain = number == 1 and "AcpBold" or "AcpTool"
    rows[number] = number == 2 and { rule(widths) } or drawn(cells[number], widths, aligns, plain)
  end
  return rows
end

return M
