-- Finds out whose a mapping is: a plugin's name, or the mapping's own description. Mappings of plugins that only list
-- what keys may follow, such as which-key, do not count.
local printable = require("acp_nvim.ui.printable")
local M = {}

--- "…/lazy/gitsigns.nvim/lua/gitsigns/actions.lua" -> "gitsigns.nvim"
---@param source string  as debug.getinfo() has it
---@return string?
local function plugin_of(source)
  local path = source:match("^@(.*)$")
  if
    not path or vim.startswith(vim.fs.normalize(path), vim.fs.normalize(vim.fn.stdpath("config") --[[@as string]]))
  then
    return nil
  end
  return path:match("([^/]+)/lua/[^/]")
end

--- A function of the user's own that calls a plugin holds its module: `function() gitsigns.nav_hunk("next") end`.
---@param fn function
---@return string?
local function module_within(fn)
  local modules = {}
  for name, module in pairs(package.loaded) do
    if type(module) == "table" and name ~= "_G" and not vim.startswith(name, "vim") then
      modules[module] = name
    end
  end
  for index = 1, 20 do
    local name, value = debug.getupvalue(fn, index)
    if not name then
      return nil
    elseif type(value) == "table" and modules[value] then
      return modules[value]:match("^[^.]+")
    end
  end
end

---@param rhs string
---@return string?
local function command_in(rhs)
  local command = rhs:match("^<[Cc][Mm][Dd]>%s*(%u%w+)") or rhs:match("^:<?[%w%-]*>?(%u%w+)")
  return command and command:lower() or rhs:match("^<Plug>%(?(%a%w*)")
end

--- "gitsigns.nvim" -> "gitsigns"
---@param name string
---@return string
local function brief(name)
  return (name:gsub("[%.%-]nvim$", ""):gsub("^n?vim%-", ""):gsub("%.lua$", ""))
end

--- Does the mapping wait for more keys, to list what may follow? Such a trigger of which-key's stands in each buffer.
---@param map table  as maparg() has it
---@return boolean
local function is_trigger(map)
  local words = ((map.desc or "") .. " " .. (map.rhs or "")):lower()
  return words:find("which.?key") ~= nil or (map.nowait == 1 and map.buffer == 1 and map.callback ~= nil)
end

--- The mapping that has these keys, or hides what comes behind their first ones.
---@param lhs string  as it is typed
---@param mode string
---@return table? map
function M.map_of(lhs, mode)
  local map = vim.fn.maparg(vim.fn.keytrans(lhs), mode, false, true)
  if not vim.tbl_isempty(map) then
    return (map.rhs or ""):lower() ~= "<nop>" and map or nil
  end
  for last = 1, #lhs - 1 do
    map = vim.fn.maparg(vim.fn.keytrans(lhs:sub(1, last)), mode, false, true)
    if map.nowait == 1 and not is_trigger(map) then
      return map
    end
  end
end

--- Names the owner of a mapping: `gitsigns'`, `"Next hunk"`; nil: unknown.
---@param map table  as maparg() has it
---@return string?
function M.of(map)
  local fn = map.callback
  local name = fn and (plugin_of(debug.getinfo(fn, "S").source) or module_within(fn)) or command_in(map.rhs or "")
  if name then
    name = brief(name)
    return vim.endswith(name, "s") and name .. "'" or name .. "'s"
  end
  local desc = printable.visible(vim.trim(map.desc or ""))
  return desc ~= "" and ('"%s"'):format(printable.cut(desc, 24)) or nil
end

return M
