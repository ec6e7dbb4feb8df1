-- Lays out the lines of a form, and reads the values from them.
--
--   │ Which price?                            the agent's words: an aside
--
--   ━━ Currency  (one of)                     a heading; the block of its field ends at the next one
--   │ of the new price list                   an aside again
--   (x) EUR
--   ( ) USD
--
--   ▶ send   :w or <CR> here sends, …
--
-- Headings, asides and the last line are recognised as whole lines, by signs that agents' texts hardly begin with. One
-- that is there already, as a heading or as a line of a default, gets a dot behind it:
--
--   ━━ Notes  (optional, text)
--   ━━ Age  (optional, whole number)            a default that an agent has sent for the notes
--
--   ━━ Age  (optional, whole number) ·          the heading
--   30
local fields = require("acp_nvim.form.field")

local M = {}

---@class acp.Form
---@field question integer
---@field from? integer  the window that the user was in
---@field laid_out string[]  the lines before the user has changed any
---@field sent? boolean       the user has written it, and has heard of no mistake since
---@field fields acp.FormField[]
---@field headings table<string, integer>  line -> number of its field
---@field asides table<string, true>  lines
---@field send string  the last line
---@field described table<string, integer>  label of a choice -> where its description begins in it, in bytes
---@field has_required? boolean  a field of it
---@field defaults table<string, true>  the lines of all values as the agent has sent them

M.HEADING, M.ASIDE = "━━ ", "│ "
local SEND = "▶ send   :w or <CR> here sends, :Acp reject declines, :q decides nothing"

--- The line, or with dots behind it one that no default contains.
---@param form acp.Form
---@param line string
---@return string
local function distinct(form, line)
  while form.headings[line] or form.defaults[line] do
    line = line .. " ·"
  end
  return line
end

---@param form acp.Form
---@param text string
---@return string[]
local function aside(form, text)
  return vim.tbl_map(function(line)
    line = distinct(form, M.ASIDE .. line)
    form.asides[line] = true
    return line
  end, vim.split(text, "\n", { plain = true }))
end

---@param form acp.Form
---@param number integer
---@return string
local function heading(form, number)
  local field = form.fields[number]
  local line = distinct(form, ("%s%s  (%s)"):format(M.HEADING, field.title, fields.kind_of(field, form.has_required)))
  form.headings[line] = number
  return line
end

---@param question integer
---@param message string[]
---@param list acp.FormField[]
---@return acp.Form
function M.lay_out(question, message, list)
  local form =
    { question = question, fields = list, headings = {}, asides = {}, laid_out = {}, defaults = {}, described = {} }
  for _, field in ipairs(list) do
    form.has_required = form.has_required or field.required
    fields.add_described(field, form.described)
    for _, line in ipairs(fields.value_lines(field)) do
      form.defaults[line] = true
    end
  end
  form.send = distinct(form, SEND)
  local lines = aside(form, table.concat(message, "\n"))
  for number, field in ipairs(list) do
    vim.list_extend(lines, { "", heading(form, number) })
    if field.description and field.description ~= "" then
      vim.list_extend(lines, aside(form, field.description))
    end
    vim.list_extend(lines, fields.value_lines(field))
  end
  form.laid_out = vim.list_extend(lines, { "", form.send })
  return form
end

--- The lines below the first occurrence of each heading.
---@param form acp.Form
---@param lines string[]
---@return table<integer, string[]>
local function blocks_of(form, lines)
  local blocks, current = {}, nil ---@type table<integer, string[]>, string[]?
  for _, line in ipairs(lines) do
    local number = form.headings[line]
    if number and not blocks[number] then
      current = {}
      blocks[number] = current
    elseif line == form.send then
      current = nil
    elseif current and not form.asides[line] then
      current[#current + 1] = line
    end
  end
  return blocks
end

--- Reads the values that the user has filled in.
---@param form acp.Form
---@param lines string[]
---@return table<string, acp.FormValue>? values
---@return string? message
function M.read(form, lines)
  local blocks, values = blocks_of(form, lines), vim.empty_dict()
  for number, field in ipairs(form.fields) do
    if not blocks[number] then
      return nil, ("not sent: the heading of '%s' was changed or deleted, u brings it back"):format(field.title)
    end
    values[field.name] = fields.read(field, blocks[number])
  end
  return values
end

--- How many required fields hold nothing yet.
---@param form acp.Form
---@param lines string[]
---@return integer
function M.missing(form, lines)
  local values, count = M.read(form, lines) or {}, 0
  for _, field in ipairs(form.fields) do
    local value = values[field.name]
    local is_empty = value and value.text == "" and #value.chosen == 0
    count = count + (is_empty and field.required and field.type ~= "array" and 1 or 0)
  end
  return count
end

--- The number of the field whose block holds the row.
---@param form acp.Form
---@param lines string[]
---@param row integer  from 1
---@return integer? number
---@return integer? first  the row of its heading, from 1
function M.field_at(form, lines, row)
  for above = row, 1, -1 do
    local number = form.headings[lines[above]]
    if number then
      return number, above
    end
  end
end

--- The row of a field's first value, from 1.
---@param form acp.Form
---@param lines string[]
---@param number integer
---@return integer
function M.first_value(form, lines, number)
  for row, line in ipairs(lines) do
    if form.headings[line] == number then
      row = row + 1
      while form.asides[lines[row]] do
        row = row + 1
      end
      return math.min(row, #lines)
    end
  end
  return 1
end

return M
