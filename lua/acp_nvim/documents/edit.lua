-- Applies line edits to a loaded buffer. They are as small as possible, so that cursors, marks, folds and other
-- plugins' extmarks keep their places.
local anchor = require("acp_nvim.documents.visual_anchor")
local diff = require("acp_nvim.documents.diff")
local texts = require("acp_nvim.documents.text")
local limits = require("acp_nvim.limits")

local api = vim.api
local M = {}

local xdiff = vim.text and vim.text.diff or vim.diff
local FORMAT = { final = "endofline", bomb = "bomb", ff = "fileformat", fenc = "fileencoding" }

---@param old string
---@param new string
---@return integer bytes  equal at the start, no character cut in two
local function common_start(old, new)
  local n, least = 0, math.min(#old, #new)
  while n < least and old:byte(n + 1) == new:byte(n + 1) do
    n = n + 1
  end
  return n + math.min(vim.str_utf_start(old .. "\n", n + 1), vim.str_utf_start(new .. "\n", n + 1))
end

---@param old string
---@param new string
---@param start integer
---@return integer bytes  equal at the end, behind `start`, no character cut in two
local function common_end(old, new, start)
  local n, least = 0, math.min(#old, #new) - start
  while n < least and old:byte(#old - n) == new:byte(#new - n) do
    n = n + 1
  end
  while n > 0 and vim.str_utf_start(old, #old - n + 1) ~= 0 do
    n = n - 1
  end
  return n
end

---@param text string
---@return string[] found  words, and what stands between them character by character
local function tokens(text)
  local found = {}
  for word, other in text:gmatch("([%w_\128-\255]*)([^%w_\128-\255]?)") do
    found[#found + 1] = word ~= "" and word or nil
    found[#found + 1] = other ~= "" and other or nil
  end
  return found
end

---@param list string[]
---@return integer[]  how many bytes are before each token, and before one more
local function offsets(list)
  local sums = { 0 }
  for i, token in ipairs(list) do
    sums[i + 1] = sums[i] + #token
  end
  return sums
end

---@param old string
---@param new string
---@return integer[][] parts  { start, end of the old, start, end of the new }: bytes, ends exclusive
local function differing(old, new)
  if math.max(#old, #new) > limits.WORDS_LINE_BYTES then
    return { { 0, #old, 0, #new } }
  end
  local olds, news = tokens(old), tokens(new)
  local function text(list)
    return #list > 0 and table.concat(list, "\n") .. "\n" or ""
  end
  local hunks = xdiff(text(olds), text(news), { result_type = "indices" }) --[[@as integer[][] ]]
  local before, after = offsets(olds), offsets(news)
  return vim.tbl_map(function(hunk)
    -- where nothing is replaced, xdiff names the token before
    local from = hunk[2] == 0 and hunk[1] + 1 or hunk[1]
    local to = hunk[4] == 0 and hunk[3] + 1 or hunk[3]
    return { before[from], before[from + hunk[2]], after[to], after[to + hunk[4]] }
  end, hunks)
end

---@param buf integer
---@param row integer
---@param new string
---@param by_words boolean
local function change_line(buf, row, new, by_words)
  local line = api.nvim_buf_get_lines(buf, row, row + 1, true)[1]
  local parts = {}
  if line ~= new then
    parts = by_words and differing(line, new) or { { 0, #line, 0, #new } }
  end
  for i = #parts, 1, -1 do
    local at, stop = parts[i][1], parts[i][2]
    local old, text = line:sub(at + 1, stop), new:sub(parts[i][3] + 1, parts[i][4])
    local start = common_start(old, text)
    local rest = common_end(old, text, start)
    api.nvim_buf_set_text(buf, row, at + start, row, stop - rest, { text:sub(start + 1, #text - rest) })
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
---@param by_words boolean
local function apply_one(buf, edit, keep_marks, by_words)
  local first, last, lines = edit[1], edit[2], edit[3]
  local paired = math.min(last - first, #lines)
  if paired > limits.PAIRED_LINES then
    return api.nvim_buf_set_lines(buf, first, last, true, lines)
  end
  if paired < last - first or paired < #lines then
    api.nvim_buf_set_lines(buf, first + paired, last, true, vim.list_slice(lines, paired + 1))
  end
  for i = 1, paired do
    change_line(buf, first + i - 1, lines[i], by_words)
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
  local by_words = #edits <= limits.WORDS_EDITS
  job = function()
    for i = #edits, 1, -1 do
      local below = edits[i + 1] and edits[i + 1][1] or count
      assert(edits[i][1] <= edits[i][2] and edits[i][2] <= below, "edits out of order")
      apply_one(buf, edits[i], keep_marks, by_words)
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
