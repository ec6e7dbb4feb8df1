-- Reads the agents that other editors have configured: `agent_servers` of Zed and JetBrains, `servers` of simse. The
-- files are read when first needed, and again when they have changed. Completion, :checkhealth and the choice of an
-- agent need them before there is a backend.
local agent_presets = require("acp_nvim.config.agent_presets")
local config = require("acp_nvim.config.settings")
local jsonc = require("acp_nvim.config.jsonc")
local limits = require("acp_nvim.limits")
local log = require("acp_nvim.ui.log")
local messages = require("acp_nvim.ui.messages")
local regular_file = require("acp_nvim.system.regular_file")

local M = {}

---@class acp.FileAgent
---@field name string
---@field file string   where it stands
---@field spec table    as the configuration has agents

---@class acp.AgentFile
---@field stamp string
---@field agents acp.FileAgent[]
---@field problems string[]

local SHORT = 30

local files = {} ---@type table<string, acp.AgentFile>
local told = {} ---@type table<string, true>

--- Expands `~` at the beginning, and `$NAME` and `${NAME}` anywhere; a variable that is not set stays as it is.
---@param text string
---@return string
function M.expand(text)
  if text == "~" or vim.startswith(text, "~/") then
    text = (vim.uv.os_homedir() or "~") .. text:sub(2)
  end
  text = text:gsub("%${([%a_][%w_]*)}", vim.env)
  return (text:gsub("%$([%a_][%w_]*)", vim.env))
end

---@param value any
---@return any
local function expand_all(value)
  if type(value) == "table" then
    return vim.tbl_map(expand_all, value)
  end
  return type(value) == "string" and M.expand(value) or value
end

---@param path string
---@param line integer?
---@param problem string
---@return string
local function at(path, line, problem)
  local name = vim.fn.fnamemodify(path, ":~:.")
  name = #name > SHORT and vim.fn.pathshorten(name) or name
  return ("%s%s: %s"):format(name, line and ":" .. line or "", problem)
end

--- Turns numbers and booleans of the environment into text: some files have them.
---@param env any
---@return any
local function texts(env)
  if type(env) ~= "table" then
    return env
  end
  return vim.tbl_map(function(value)
    return type(value) == "table" and value or tostring(value)
  end, env)
end

--- Converts one entry to the configuration of an agent.
---@param name string  as the file has it
---@param entry table
---@param shared any  the MCP servers that the file names for all of its agents
---@return string? name
---@return table own
local function translate(name, entry, shared)
  local own = { command = entry.command, args = entry.args, cwd = entry.cwd, env = texts(entry.env) }
  own.mcp_servers = entry.mcpServers or shared
  own = expand_all(own)
  if type(entry.timeoutMs) == "number" then -- for any request, a prompt among them
    own.timeout_ms = math.max(1, math.floor(entry.timeoutMs))
    own.prompt_timeout_ms = own.timeout_ms
  end
  own.defaults = { mode = entry.default_mode, model = entry.default_model, options = entry.default_config_options }
  if entry.command == nil then -- an agent that the other editor knows by itself
    return agent_presets.by_registry(name) or (agent_presets.get(name) and name), own
  end
  return (vim.trim(name):gsub("%s+", "-")), own
end

---@param path string
---@param text string
---@param key "agent_servers"|"servers"
---@param name any
---@param entry any
---@param shared any
---@param into acp.AgentFile
local function take(path, text, key, name, entry, shared, into)
  local function complain(problem)
    into.problems[#into.problems + 1] = at(path, jsonc.line_of(text, key, tostring(name)), problem)
  end
  if type(name) ~= "string" or vim.trim(name) == "" then
    return complain("a server without a name")
  elseif type(entry) ~= "table" then
    return complain(("'%s' must be an object"):format(name))
  end
  if entry.timeoutMs ~= nil and type(entry.timeoutMs) ~= "number" then
    complain(("in '%s': 'timeoutMs' must be a number"):format(name))
  end
  local called, own = translate(name, entry, shared)
  if not called then
    if entry.type == nil or entry.type == "custom" then
      return complain(("'%s' has no command"):format(name))
    end
    return log.add(at(path, nil, ("'%s' is built into the other editor: give it a command"):format(name)))
  end
  local spec, problems = config.agent(own, agent_presets.defaults(called, own))
  for _, problem in ipairs(problems) do
    complain(("in '%s': %s"):format(name, problem))
  end
  if spec then
    into.agents[#into.agents + 1] = { name = called, file = path, spec = spec }
  end
end

---@param path string
---@param text string
---@param into acp.AgentFile
local function parse(path, text, into)
  local value, problem, line = jsonc.decode(text)
  local function complain(what)
    into.problems[#into.problems + 1] = at(path, line, what)
  end
  if problem then
    return complain("not valid JSON: " .. problem)
  elseif type(value) ~= "table" then
    line = 1
    return complain("must be an object")
  elseif value.agent_servers == nil and value.servers == nil then
    line = 1
    return complain("has no agents: neither agent_servers nor servers")
  end
  for _, key in ipairs({ "agent_servers", "servers" }) do
    local servers = value[key]
    if servers ~= nil and type(servers) ~= "table" then
      line = jsonc.line_of(text, key)
      complain(("'%s' must be an object"):format(key))
      servers = nil
    end
    servers = servers or {}
    local names = vim.tbl_keys(servers)
    table.sort(names, function(a, b)
      return tostring(a) < tostring(b)
    end)
    for _, name in ipairs(names) do
      local entry = servers[name]
      if type(name) == "number" then -- a list, whose entries have their names in them
        name = type(entry) == "table" and entry.name or name
      end
      take(path, text, key, name, entry, value.mcpServers, into)
    end
  end
end

---@param path string
---@param stat uv.fs_stat.result?
---@param into acp.AgentFile
local function read(path, stat, into)
  local why ---@type string?
  if not stat then
    why = "there is no such file"
  elseif stat.type ~= "file" then
    why = ("a %s, not a file"):format(stat.type)
  elseif stat.size > limits.AGENT_FILE_BYTES then
    why = "larger than 1 MiB"
  else
    local fd, problem = regular_file.reading(path)
    local text = fd and vim.uv.fs_read(fd, limits.AGENT_FILE_BYTES, 0)
    if fd then
      vim.uv.fs_close(fd)
    end
    if text then
      return parse(path, text, into)
    end
    why = (problem or "it cannot be read"):gsub("^.*: ", "")
  end
  into.problems[1] = at(path, nil, why)
end

---@param path string
---@return acp.AgentFile
local function look(path)
  local stat = vim.uv.fs_stat(path)
  local stamp = stat and ("%d.%d.%d"):format(stat.mtime.sec, stat.mtime.nsec, stat.size) or ""
  local file = files[path]
  if not file or file.stamp ~= stamp then
    file = { stamp = stamp, agents = {}, problems = {} }
    read(path, stat, file)
    files[path] = file
  end
  for _, problem in ipairs(file.problems) do
    if not told[problem] then
      told[problem] = true
      messages.show("warn", problem)
    end
  end
  return file
end

---@return acp.AgentFile[]
local function all()
  return vim.tbl_map(function(path)
    return look((vim.fn.fnamemodify(M.expand(path), ":p"):gsub("(.)/$", "%1")))
  end, config.get().agent_files)
end

--- The agents of all files; of two with the same name the first counts.
---@return acp.FileAgent[]
function M.agents()
  local found, seen = {}, {}
  for _, file in ipairs(all()) do
    for _, agent in ipairs(file.agents) do
      if not seen[agent.name] then
        seen[agent.name] = true
        found[#found + 1] = agent
      end
    end
  end
  return found
end

--- The problems of all files, a line each.
---@return string[]
function M.problems()
  local problems = {}
  for _, file in ipairs(all()) do
    vim.list_extend(problems, file.problems)
  end
  return problems
end

--- Returns a value that changes when one of the files changes.
---@return string
function M.stamp()
  return table.concat(
    vim.tbl_map(function(file)
      return file.stamp
    end, all()),
    " "
  )
end

return M
