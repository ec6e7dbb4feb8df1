-- Reads the presets: agents that are known without configuration, one file of facts each, read when first needed.
local M = {}

---@class acp.Preset
---@field title string
---@field command string
---@field args string[]
---@field env? table<string, string>  what its environment needs beside; no secret
---@field needs string[]       names of environment variables that it reads keys and the like from
---@field install string       the command that installs it, or where that is told
---@field node? integer        the oldest major version of Node that its newest release runs on
---@field login string         how one logs in
---@field url string           its documentation, and the source of these facts
---@field read string          the day on which they were read there
---@field registry? string     its id in the public registry of agents
---@field dialect? string
---@field writes_through? boolean  it writes files by asking the editor
---@field mcp? "session"|"argument"|"none"  how it takes the editor's tools; default: with each session
---@field quirks string[]

-- not from backend/process.lua, which needs the configuration, which needs this
local FOLDER = vim.fs.normalize(vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h:h:h:h"))
  .. "/acp_nvim/agent/presets"

local names ---@type string[]?
local known = {} ---@type table<string, acp.Preset|false>

--- The presets' names, sorted.
---@return string[]
function M.names()
  if not names then
    names = {}
    for file in vim.fs.dir(FOLDER) do
      names[#names + 1] = file:match("^(.+)%.json$")
    end
    table.sort(names)
  end
  return names
end

---@param name string
---@return acp.Preset?
local function read(name)
  local file = name:match("^[%w_-]+$") and io.open(("%s/%s.json"):format(FOLDER, name))
  if file then
    local text = file:read("*a")
    file:close()
    return vim.json.decode(text)
  end
end

---@param name any
---@return acp.Preset?
function M.get(name)
  if type(name) ~= "string" then
    return nil
  elseif known[name] == nil then
    known[name] = read(name) or false
  end
  return known[name] or nil
end

--- The name of the preset that has this id in the public registry.
---@param id string
---@return string?
function M.by_registry(id)
  for _, name in ipairs(M.names()) do
    if M.get(name).registry == id then
      return name
    end
  end
end

--- Returns the part of a preset that goes into an agent's configuration; nil if the configured command is another
--- program.
---@param name any
---@param own any  what the user says of the agent
---@return table? defaults
function M.defaults(name, own)
  local preset = type(own) == "table" and M.get(name)
  if not preset then
    return nil
  elseif type(own.command) == "string" and vim.fs.basename(own.command) ~= preset.command then
    return nil
  end
  return { command = preset.command, args = preset.args, dialect = preset.dialect, mcp = preset.mcp }
end

return M
