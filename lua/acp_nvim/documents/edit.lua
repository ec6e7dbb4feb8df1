-- Applies line edits to a loaded buffer. They are as small as possible, so that cursors, marks, folds and other
-- plugins' extmarks keep their places.
local anchor = require("acp_nvim.documents.visual_anchor")
local diff = require("acp_nvim.documents.diff")
local texts = require("acp_nvim.documents.text")
local limits = require("acp_nvim.limits")

local api = vim.api
local M = {}

local FORMAT = { final = "endofline", bomb = "bomb", ff = "fileformat", fenc = "fileencoding" }

---@param buf integer
---@param row integer
---@param new string
local function change_line(buf, row, new)
  local line = api.nvim_buf_get_lines(buf, row, row + 1, true)[1]
  local parts = diff.of_line(line, new)
  for i = #parts, 1, -1 do
    local part = parts[i]
    api.nvim_buf_set_text(buf, row, part[1], row, part[2], { part[3] })
  end
end

--- Returns a function that puts a row's marks back. Neovim 0.10 deletes them when anything in the line changes.
---@param buf integer
---@return fun(row: integer)  puts those of the row back
local function mark_keeper(buf)
  local rows = {} ---@type table<integer, table>
  for _, mark in ipairs(vim.fn.getmarklist(buf)) do
    local name = mark.mark:match("^'(%l)$")
    if name then
      rows[mark.pos[2] - 1] = rows[mark.pos[2] - 1] or {}
      table.insert(rows[mark.pos[2] - 1], { name, mark.pos[3] - 1 })
    end
  end
  return function(row)
    for _, mark in ipairs(rows[row] or {}) do
      api.nvim_buf_set_mark(buf, mark[1], row + 1, mark[2], {})
    end
  end
end

--- Carries out one edit. Lines are paired by position and changed in place; surplus lines are added or deleted below.
---
---   rows a b c become x y: a is changed to x and b to y, c is deleted
---@param buf integer
---@param edit acp.Edit
---@param keep_marks fun(row: integer)
local function apply_one(buf, edit, keep_marks)
  local first, last, lines = edit[1], edit[2], edit[3]
  local paired = math.min(last - first, #lines)
  if paired > limits.PAIRED_LINES then
    return api.nvim_buf_set_lines(buf, first, last, true, lines)
  end
  if paired < last - first or paired < #lines then
    api.nvim_buf_set_lines(buf, first + paired, last, true, vim.list_slice(lines, paired + 1))
  end
  for i = 1, paired do
    change_line(buf, first + i - 1, lines[i])
    keep_marks(first + i - 1)
  end
end

---@type fun()?
local job

--- Runs the job of `apply`. It is public because `:keepjumps` can only wrap a command.
function M.run_job()
  assert(job)()
end

--- Replaces very many edits by one over all their rows. Marks between them are lost, but the user does not wait.
---@param buf integer
---@param edits acp.Edit[]
---@return acp.Edit[]
local function as_one(buf, edits)
  local first, last = edits[1][1], edits[#edits][2]
  local moved = vim.tbl_map(function(each)
    return { each[1] - first, each[2] - first, each[3] }
  end, edits)
  return { { first, last, diff.apply(api.nvim_buf_get_lines(buf, first, last, true), moved) } }
end

--- Carries out edits, ascending and disjoint, in rows as they are before all of them. The user's change list is left
--- alone: `'.` and `g;` stay with the user's own changes.
---@param buf integer
---@param edits acp.Edit[]
function M.apply(buf, edits)
  edits = #edits > limits.EDITS and as_one(buf, edits) or edits
  local keep_marks = mark_keeper(buf)
  local count = api.nvim_buf_line_count(buf)
  job = function()
    for i = #edits, 1, -1 do
      local below = edits[i + 1] and edits[i + 1][1] or count
      assert(edits[i][1] <= edits[i][2] and edits[i][2] <= below, "edits out of order")
      apply_one(buf, edits[i], keep_marks)
    end
  end
  local ok, err
  anchor.keep(buf, function()
    ok, err = pcall(api.nvim_exec2, "keepjumps lua require('acp_nvim.documents.edit').run_job()", {})
  end)
  job = nil
  if not ok then
    error(err, 0)
  end
end

--- Returns the options by which the buffer's text becomes bytes.
---@param buf integer
---@return table<string, any>  by the names of options
function M.format(buf)
  local format = {}
  for _, option in pairs(FORMAT) do
    format[option] = vim.bo[buf][option]
  end
  return format
end

---@param buf integer
---@param format table<string, any>  as `format` has told it
function M.restore_format(buf, format)
  for option, value in pairs(format) do
    vim.bo[buf][option] = value
  end
end

--- Sets the options by which the text becomes bytes. Those that are not given stay.
---@param buf integer
---@param format { final?: boolean, bomb?: boolean, ff?: string, fenc?: string }
function M.set_format(buf, format)
  for name, option in pairs(FORMAT) do
    if format[name] ~= nil and vim.bo[buf][option] ~= format[name] then
      vim.bo[buf][option] = format[name]
    end
  end
  if format.final and texts.is_void(buf) then
    api.nvim_buf_set_lines(buf, 0, -1, true, { "", "" })
    api.nvim_buf_set_lines(buf, 1, 2, true, {})
  end
end

--- Shortens an error of Vim's to one line: "E212: Can't open file for writing".
---@param err any
---@return string
function M.one_line(err)
  local text = tostring(err)
  local line = (text:match("^(.-)\n%s*stack traceback") or text):gsub("%s*\n%s*", " ")
  return line:match("E%d+: .*") or line:match("Vim%b():(.*)") or line
end

return M
