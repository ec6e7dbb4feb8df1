-- Checks the content of an answer against its form before it is sent. The agent's patterns are left to the backend,
-- which can end a match that takes too long: Neovim compiles thirty characters of nested repeats for half a minute.
--
-- The backend checks it again, with words of its own (session/form_values.py). It cannot be the only one: acp.answer()
-- returns what is wrong, and Neovim never waits for the backend.
local M = {}

local FORMATS = {
  email = { "^[^@%s]+@[^@%s]+$", "an e-mail address" },
  uri = { "^%a[%w+.-]*:%S+$", "a URI, such as https://example.org" },
  date = { "^%d%d%d%d%-%d%d%-%d%d$", "a date, such as 2026-01-31" },
  ["date-time"] = {
    "^%d%d%d%d%-%d%d%-%d%d[Tt ]%d%d:%d%d%S*$",
    "a date and time, such as 2026-01-31T12:00:00Z",
  },
}

---@param field table
---@param size number
---@param least string
---@param most string
---@return string? problem
local function outside(field, size, least, most)
  if field.least and size < field.least then
    return least:format(("%.14g"):format(field.least))
  elseif field.most and size > field.most then
    return most:format(("%.14g"):format(field.most))
  end
end

---@param field table
---@param value any
---@return string? problem
local function not_offered(field, value)
  for _, choice in ipairs(field.choices or {}) do
    if choice.value == value then
      return nil
    end
  end
  return "must be one of the choices"
end

---@param field table
---@param value any
---@return string? problem
local function text(field, value)
  local format = FORMATS[field.format or ""]
  if type(value) ~= "string" then
    return "must be text"
  elseif #(field.choices or {}) > 0 and not field.custom then
    return not_offered(field, value)
  elseif format and not value:find(format[1]) then
    return "must be " .. format[2]
  end
  local size = vim.fn.strchars(value)
  return outside(field, size, "must have at least %s characters", "must have at most %s characters")
end

---@param field table
---@param value any
---@return string? problem
local function list(field, value)
  local chosen = type(value) == "string" and { value } or value
  if type(chosen) ~= "table" or not vim.islist(chosen) then
    return "must be a list of strings"
  end
  local count, seen = 0, {}
  for _, item in ipairs(chosen) do
    if type(item) ~= "string" then
      return "must be a list of strings"
    elseif not field.custom and not_offered(field, item) then
      return not_offered(field, item)
    end
    count, seen[item] = count + (seen[item] and 0 or 1), true
  end
  if count > 0 or not field.required or field.least then
    return outside(field, count, "needs at least %s choices", "takes at most %s choices")
  end
end

---@param field table
---@param value any
---@return string? problem
local function number(field, value)
  if type(value) ~= "number" or value ~= value or math.abs(value) == math.huge then
    return "must be a number"
  elseif field.type == "integer" and value % 1 ~= 0 then
    return "must be a whole number"
  end
  return outside(field, value, "must be at least %s", "must be at most %s")
end

---@param _ table
---@param value any
---@return string? problem
local function boolean(_, value)
  return type(value) ~= "boolean" and "must be true or false" or nil
end

local CHECKS = { string = text, array = list, number = number, integer = number, boolean = boolean }

---@param fields table[]
---@param content string|table
---@return table? values  by the names of the fields
local function by_name(fields, content)
  local known = vim.tbl_filter(function(field)
    return field.type ~= "unknown"
  end, fields)
  if type(content) == "table" then
    return (vim.tbl_isempty(content) or not vim.islist(content)) and content or nil
  end
  return #known == 1 and { [known[1].name] = content } or nil
end

--- Returns in one line what is wrong with the content of an answer; nil if nothing is that can be checked here.
---@param fields table[]
---@param content string|table
---@return string? problem
function M.problem(fields, content)
  local values = by_name(fields, content)
  local names = vim.tbl_map(function(field)
    return field.name
  end, fields)
  if not values then
    return ("the answer must be a table with %s"):format(table.concat(names, ", "))
  end
  for name in pairs(values) do
    if not vim.list_contains(names, name) then
      return ("there is no field '%s'"):format(tostring(name))
    end
  end
  for _, field in ipairs(fields) do
    local value = values[field.name]
    if value == nil then
      value = field.default
    end
    local check = CHECKS[field.type]
    local is_empty = value == nil or value == vim.NIL
    local problem = is_empty and field.required and "is required" or not is_empty and check and check(field, value)
    if problem then
      return ("'%s' %s"):format(field.title or field.name, problem)
    end
  end
end

return M
