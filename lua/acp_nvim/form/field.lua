-- Converts a field of a form to the lines that hold its value, and back.
local M = {}

---@class acp.FormField
---@field name string
---@field title string
---@field type string
---@field required boolean
---@field description? string
---@field default? any
---@field choices { value: string, title: string, description: string }[]
---@field custom? boolean
---@field format? string

---@class acp.FormValue: acp.message.FormField

local KINDS = { string = "text", integer = "whole number", number = "number", boolean = "yes or no", array = "any of" }
local FORMATS = { email = "e-mail address", uri = "URI", date = "date", ["date-time"] = "date and time" }

---@param choice { title: string, description: string }
---@return string
local function label_of(choice)
  return choice.title .. (choice.description ~= "" and ("  — " .. choice.description) or "")
end

---@param field acp.FormField
---@return string[]
local function labels(field)
  if field.type == "boolean" then
    return { "Yes", "No" }
  end
  return vim.tbl_map(label_of, field.choices or {})
end

---@param field acp.FormField
---@param number integer
---@return boolean
local function is_default(field, number)
  if field.type == "boolean" then
    return field.default ~= nil and (number == 1) == field.default
  elseif field.type == "array" then
    return vim.list_contains(field.default or {}, field.choices[number].value)
  end
  return field.choices[number].value == field.default
end

---@param field acp.FormField
---@return boolean
local function has_choices(field)
  return #(field.choices or {}) > 0
end

---@param field acp.FormField
---@return string[]
function M.value_lines(field)
  local lines = {}
  local line = field.type == "array" and "[%s] %s" or "(%s) %s"
  for number, label in ipairs(labels(field)) do
    lines[number] = line:format(is_default(field, number) and "x" or " ", label)
  end
  if #lines == 0 then
    local default = field.default
    lines = vim.split(default == nil and "" or tostring(default), "\n", { plain = true })
  elseif field.custom then
    lines[#lines + 1] = ""
  end
  return lines
end

--- Says in words what the field takes, and whether it may stay empty where that differs between the form's fields.
---@param field acp.FormField
---@param differs boolean
---@return string
function M.kind_of(field, differs)
  local kind = field.type == "string" and has_choices(field) and "one of" or KINDS[field.type] or field.type
  return ("%s%s%s"):format(
    differs and (field.required and "required, " or "optional, ") or "",
    FORMATS[field.format] or kind,
    field.custom and has_choices(field) and ", or a line of your own" or ""
  )
end

--- Takes a line apart that is a choice of its field, marked or not.
---
---   (x) Monthly   "(", "x", ") Monthly"       [] E-mail   "[", "", "] E-mail", as the user may have left it
---@param field acp.FormField
---@param line string
---@return string? open  nil: it is none
---@return string? mark
---@return string? rest
function M.choice_in(field, line)
  local open, mark, rest = line:match("^([%(%[])(.?)([%)%]] .*)$")
  if rest and vim.list_contains(labels(field), rest:sub(3)) then
    return open, mark, rest
  end
end

--- Adds the choices that are described: by label, where the description begins in it.
---@param field acp.FormField
---@param described table<string, integer>  bytes
function M.add_described(field, described)
  for _, choice in ipairs(field.choices or {}) do
    if choice.description ~= "" then
      described[label_of(choice)] = #choice.title
    end
  end
end

--- Returns the numbers of the choices by label; several choices may have the same label.
---@param field acp.FormField
---@return table<string, integer[]>
local function numbers_of(field)
  local numbers = {}
  for number, label in ipairs(labels(field)) do
    numbers[label] = numbers[label] or {}
    table.insert(numbers[label], number)
  end
  return numbers
end

--- Reads the value of a field. Each marked choice counts, what is none is text.
---
---   (x) Monthly      chosen = { 1 }
---   ( ) Yearly       text = "every second week", for a field that takes a line of the user's own
---   every second week
---@param field acp.FormField
---@param lines string[]  below its heading, without explanations
---@return acp.FormValue
function M.read(field, lines)
  local numbers, chosen, words = numbers_of(field), {}, {}
  for _, line in ipairs(lines) do
    local mark, label = line:match("^[%(%[](.-)[%)%]] (.*)$")
    local known = label and #mark <= 1 and numbers[label]
    local number = known and table.remove(known, 1)
    if number then
      chosen[#chosen + 1] = mark:find("%S") and number or nil
    else
      words[#words + 1] = line
    end
  end
  local text = table.concat(words, "\n"):gsub("^[\n ]*\n", ""):gsub("%s+$", "")
  return { text = text, chosen = chosen }
end

return M
