-- Checks the user's configuration against schema.lua, names wrong keys in one line, and fills in the defaults.
local setup_options = require("acp_nvim.config.setup_options")

local M = { spec = require("acp_nvim.config.schema") }

local LUA_TYPES = { integer = "number", list = "table", map = "table", record = "table" }
local ARTICLES = { integer = "an integer" }
local DEPTH = 20 -- of tables in a value whose shape the schema leaves open

local check

---@param map table
---@return any[] keys  in an order that is the same every time
local function sorted_keys(map)
  local keys = vim.tbl_keys(map)
  table.sort(keys, function(a, b)
    return tostring(a) < tostring(b)
  end)
  return keys
end

---@param field acp.Field
---@param value table
---@param path string
---@param problems string[]
---@param base? table
---@return table
local function check_record(field, value, path, problems, base)
  local result, known = {}, {}
  for _, child in ipairs(field.fields) do
    known[#known + 1] = child.name
    result[child.name] = check(child, value[child.name], path .. child.name, problems, (base or {})[child.name])
  end
  for _, key in ipairs(sorted_keys(value)) do
    if not vim.list_contains(known, key) then
      local near = require("acp_nvim.ui.did_you_mean")(known, tostring(key))
      local hint = near and (" (did you mean '%s'?)"):format(near) or ""
      problems[#problems + 1] = ("unknown key '%s%s'%s"):format(path, tostring(key), hint)
    end
  end
  return result
end

---@param field acp.Field
---@param value table
---@param path string
---@param problems string[]
---@return table
local function check_items(field, value, path, problems)
  local result = {}
  for _, key in ipairs(field.type == "list" and vim.tbl_keys(value) or sorted_keys(value)) do
    local base = field.base and type(key) == "string" and field.base(key, value[key]) or nil
    local name = (field.type == "list" and "%s[%s]" or "%s.%s"):format(path, tostring(key))
    local checked
    if field.type == "map" and type(key) ~= "string" then
      problems[#problems + 1] = ("'%s[%s]' needs a name as its key"):format(path, tostring(key))
    else
      checked = check(field.items, value[key], name, problems, base)
    end
    if checked ~= nil then
      -- a wrong item of a list leaves no hole
      result[field.type == "list" and #result + 1 or key] = checked
    end
  end
  return result
end

---@param value any
---@return boolean
local function is_infinite_or_nan(value)
  return type(value) == "number" and (value ~= value or math.abs(value) == math.huge)
end

--- Finds what cannot be sent to the backend in a value whose shape the schema leaves open.
---@param value any
---@param depth integer
---@return string? problem
local function unsendable(value, depth)
  if is_infinite_or_nan(value) then
    return "cannot hold a number that is not finite"
  elseif type(value) ~= "table" then
    local is_plain = value == vim.NIL or vim.list_contains({ "string", "number", "boolean" }, type(value))
    return not is_plain and ("cannot hold a %s"):format(type(value)) or nil
  elseif depth == 0 then
    return "is nested too deeply"
  end
  local is_list = vim.islist(value)
  for key, item in pairs(value) do
    if not is_list and type(key) ~= "string" then
      return ("must be a list or have names only, not [%s]"):format(tostring(key))
    end
    local problem = unsendable(item, depth - 1)
    if problem then
      return problem
    end
  end
end

---@param field acp.Field
---@param value any
---@return string? problem
local function mismatch(field, value)
  if field.type ~= "any" and type(value) ~= (LUA_TYPES[field.type] or field.type) then
    return ("must be %s, not %s"):format(ARTICLES[field.type] or ("a " .. field.type), vim.inspect(value):sub(1, 20))
  elseif is_infinite_or_nan(value) then
    return "must be a finite number"
  elseif field.type == "integer" and value % 1 ~= 0 then
    return "must be an integer"
  elseif field.min and value < field.min then
    return ("must be at least %s"):format(field.min)
  elseif field.values and not vim.list_contains(field.values, value) then
    return ("must be one of %s"):format(table.concat(field.values, ", "))
  elseif field.type == "list" and not vim.islist(value) then
    return "must be a list"
  elseif field.type == "any" or field.type == "table" then
    return unsendable(value, DEPTH)
  end
end

--- Checks a record. One that lacks a required key is dropped; one that would mean something else without its wrong keys
--- is marked as mistaken.
---@param field acp.Field
---@param record table
---@param prefix string
---@param problems string[]
---@param known integer  how many problems there were before this record was looked at
---@return table?
local function complete(field, record, prefix, problems, known)
  for _, child in ipairs(field.fields) do
    if child.required and record[child.name] == nil then
      if #problems == known then
        problems[#problems + 1] = ("'%s%s' is missing"):format(prefix, child.name)
      end
      return field.mistaken and vim.tbl_extend("error", record, { [field.mistaken] = true }) or nil
    end
  end
  if field.mistaken and #problems > known then
    record[field.mistaken] = true
  end
  return record
end

--- Returns the valid part of `value`, or the default; complaints are added to `problems`.
---@param field acp.Field
---@param value any
---@param path string  the key's full name
---@param problems string[]
---@param base? any  what stands in the default's place
---@return any
check = function(field, value, path, problems, base)
  local absent = value == nil or value == vim.NIL
  local problem = not absent and mismatch(field, value) or nil
  if problem then
    problems[#problems + 1] = ("'%s' %s"):format(path, problem)
  elseif not absent and field.items then
    return check_items(field, value, path, problems)
  end
  if field.type == "record" then
    local prefix = path == "" and "" or path .. "."
    local count = #problems
    local result = check_record(field, (not absent and not problem) and value or {}, prefix, problems, base)
    return complete(field, result, prefix, problems, count)
  end
  if not problem and not absent then
    return vim.deepcopy(value)
  end
  if base == nil then -- a default may be false
    base = field.default
  end
  return vim.deepcopy(base)
end

--- Checks an agent from another editor's file like one of the configuration.
---@param own table
---@param base? table  what stands in the defaults' place
---@return table? agent
---@return string[] problems
function M.agent(own, base)
  local problems = {} ---@type string[]
  for _, field in ipairs(M.spec.fields) do
    if field.name == "agents" then
      return check(field.items, own, "", problems, base), problems
    end
  end
  error("the configuration has no agents")
end

---@param problems string[]
local function report(problems)
  local line = table.concat(problems, "; ")
  if #problems > 1 and #line > vim.v.echospace - #"acp_nvim: " then
    require("acp_nvim.ui.log").add(line)
    line = ("%s (and %d more: see :Acp log)"):format(problems[1], #problems - 1)
  end
  require("acp_nvim.ui.messages").show("warn", line)
end

local current ---@type table?
local complaints = {} ---@type string[]

--- Checks `options`, fills in the defaults and makes them the configuration.
---@param options? table
---@return table config
---@return string[] problems  one for each key that is unknown or wrong
function M.setup(options)
  local problems = {} ---@type string[]
  if options ~= nil and type(options) ~= "table" then
    problems[1] = ("setup() takes a table, not a %s"):format(type(options))
    options = nil
  end
  current, complaints = check(M.spec, options, "", problems), problems
  if #problems > 0 then
    report(problems)
  end
  return current, problems
end

--- The configuration in force; without a call of `setup()` it comes from `vim.g.acp_nvim`.
---@return table
function M.get()
  if not current then
    M.setup(setup_options.options or vim.g.acp_nvim)
  end
  return current --[[@as table]]
end

--- The messages about unknown or wrong keys of the configuration in force.
---@return string[]
function M.problems()
  M.get()
  return complaints
end

--- Returns a copy for the backend, with `agents` in place of the configured ones. Empty tables are marked as list or
--- map, which msgpack distinguishes.
---@param agents table<string, table>
---@return table
function M.export(agents)
  local function mark(field, value)
    if type(value) ~= "table" then
      return value
    elseif field.type == "map" and next(value) == nil then
      return vim.empty_dict()
    end
    for _, child in ipairs(field.fields or {}) do
      value[child.name] = mark(child, value[child.name])
    end
    if field.items then
      for key, item in pairs(value) do
        value[key] = mark(field.items, item)
      end
    end
    return next(value) == nil and field.type == "record" and vim.empty_dict() or value
  end
  local copy = vim.deepcopy(M.get())
  copy.agents = agents
  return mark(M.spec, copy)
end

return M
