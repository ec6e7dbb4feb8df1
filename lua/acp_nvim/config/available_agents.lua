-- Lists the agents that can be started: configured, named in other editors' files, or known from presets. Decides which
-- one is meant when the user names none.
local agent_files = require("acp_nvim.config.agent_files")
local agent_presets = require("acp_nvim.config.agent_presets")
local config = require("acp_nvim.config.settings")
local did_you_mean = require("acp_nvim.ui.did_you_mean")
local event = require("acp_nvim.system.event")
local program_folders = require("acp_nvim.config.program_folders")

local on_changed = event.new()

local M = {
  on_changed = on_changed.add, -- fn(): the files that name agents have changed since `specs()`
}

---@class acp.Agent
---@field name string
---@field origin "setup"|"file"|"preset"|"demo"
---@field file? string          where it stands, of one from a file
---@field spec? table           as the configuration has it, ready to be started; the demo agent has none
---@field preset? acp.Preset    what is known of it

local exported ---@type string? the files as the backend knows them

--- How to install the agent: a command, or the page that says so.
---@param preset acp.Preset
---@return string
function M.how_to_install(preset)
  return vim.startswith(preset.install, "see ") and "see " .. preset.url or preset.install
end

--- Expands `~` and variables in an agent's configuration, finds its program beside PATH, and adds what its preset
--- knows.
---@param spec table
---@param preset? acp.Preset
---@return table
local function ready(spec, preset)
  local own = vim.deepcopy(spec)
  own.command = agent_files.expand(own.command)
  own.command = own.env.PATH and own.command or program_folders.locate(own.command)
  own.cwd = own.cwd and vim.fs.normalize(vim.fn.fnamemodify(agent_files.expand(own.cwd), ":p")) or nil
  own.install = preset and M.how_to_install(preset)
  own.writes_through = preset and preset.writes_through
  own.preset_env = preset and preset.env
  return own
end

--- The preset of an agent, if the command is the preset's: another program of the same name is another agent.
---@param name string
---@param spec table
---@return acp.Preset?
local function preset_of(name, spec)
  local preset = agent_presets.get(name)
  return preset and vim.fs.basename(spec.command) == preset.command and preset or nil
end

---@return table<string, acp.Agent>
local function configured()
  local found = {}
  for _, agent in ipairs(agent_files.agents()) do
    local preset = preset_of(agent.name, agent.spec)
    local spec = ready(agent.spec, preset)
    found[agent.name] = { name = agent.name, origin = "file", file = agent.file, spec = spec, preset = preset }
  end
  for name, spec in pairs(config.get().agents) do
    local preset = preset_of(name, spec)
    found[name] = { name = name, origin = "setup", spec = ready(spec, preset), preset = preset }
  end
  return found
end

---@param name string
---@return acp.Agent?
local function known(name)
  local preset = agent_presets.get(name)
  local spec = preset and config.agent({}, agent_presets.defaults(name, {}))
  return preset
    and {
      name = name,
      origin = "preset",
      spec = ready(spec --[[@as table]], preset),
      preset = preset,
    }
end

---@param name string
---@return acp.Agent?
function M.get(name)
  return configured()[name] or known(name) or (name == "demo" and { name = name, origin = "demo" }) or nil
end

--- The path of the agent's program; nil: it is not installed.
---@param agent acp.Agent
---@return string? path
function M.path(agent)
  local spec = agent.spec
  if not spec or spec.command == "" then
    return nil
  end
  local path = spec.env.PATH
  if path and not spec.command:find("/", 1, true) then
    for folder in vim.gsplit(path, ":", { plain = true, trimempty = true }) do
      if vim.fn.executable(folder .. "/" .. spec.command) == 1 then
        return folder .. "/" .. spec.command
      end
    end
    return nil
  end
  path = vim.fn.exepath(spec.command)
  return path ~= "" and path or nil
end

local RUNTIMES = { node = true, nodejs = true, bun = true, deno = true }

--- The script of an agent whose program is node, or one like it: its name says what runs, that of node does not.
---@param agent acp.Agent
---@return string?
function M.script(agent)
  if not agent.spec or not RUNTIMES[vim.fs.basename(agent.spec.command)] then
    return nil
  end
  return vim.iter(agent.spec.args):find(function(argument)
    return not argument:find("^-") and (vim.uv.fs_stat(argument) or {}).type == "file"
  end)
end

--- The agents known from presets that are installed and not configured, sorted.
---@param taken table<string, acp.Agent>
---@return string[]
local function found(taken)
  return vim.tbl_filter(function(name)
    return not taken[name] and M.path(known(name) --[[@as acp.Agent]]) ~= nil
  end, agent_presets.names())
end

---@param map table<string, any>
---@return string[]
local function sorted(map)
  local names = vim.tbl_keys(map)
  table.sort(names)
  return names
end

--- The agents that should start: configured, installed, and the demo agent.
---@return string[]
function M.all()
  local own = configured()
  local names = vim.list_extend(sorted(own), found(own))
  if not own.demo then
    names[#names + 1] = "demo"
  end
  return names
end

--- Calls `on_changed` if the files that name agents have changed since `specs()`.
local function report_changes()
  if exported and exported ~= agent_files.stamp() then
    on_changed.call()
  end
end

--- Looks for an agent that may have been installed just now. The backend is told of it.
---@param name string
---@return boolean is_there
function M.look_again(name)
  on_changed.call()
  return M.path(M.get(name) --[[@as acp.Agent]]) ~= nil
end

--- `name` if there is such an agent, installed or not.
---@param name any
---@return string? name
---@return string? message
function M.find(name)
  if type(name) ~= "string" then
    return nil, "the agent's name must be a string"
  elseif M.get(name) then
    report_changes()
    return name
  end
  for _, problem in ipairs(config.problems()) do
    if vim.startswith(problem, ("'agents.%s."):format(name)) then
      return nil, "not started: " .. problem
    end
  end
  local near = did_you_mean(vim.list_extend(M.all(), agent_presets.names()), name)
  local hint = near and (" (did you mean '%s'?)"):format(near) or ""
  return nil, ("no agent '%s'%s: see :Acp agents"):format(name, hint)
end

--- The agent to start when none is named; nil with the names when the user has to say.
---@return string? name
---@return string? message
---@return string[]? choices
function M.default()
  local chosen = config.get().default_agent
  if chosen then
    return M.find(chosen)
  end
  local own = configured()
  local names, others = sorted(own), found(own)
  report_changes()
  if #names == 1 then
    return names[1] -- whoever has configured one means that one
  elseif #names == 0 and #others < 2 then
    return others[1] or "demo"
  end
  local what = #names > 0 and "configured" or "found"
  return nil, ("several agents are %s: name one, or set default_agent"):format(what), vim.list_extend(names, others)
end

--- All agents as the backend gets them, by name.
---@return table<string, table>
function M.specs()
  local specs = {}
  for _, name in ipairs(agent_presets.names()) do
    specs[name] = known(name).spec
  end
  for name, agent in pairs(configured()) do
    specs[name] = agent.spec
  end
  exported = agent_files.stamp()
  return specs
end

--- Every agent, for a list: the configured ones, those found, the demo agent, those that are not installed.
---@return { agent: acp.Agent, path?: string }[]
function M.list()
  local own, rows, missing = configured(), {}, {}
  for _, name in ipairs(sorted(own)) do
    rows[#rows + 1] = { agent = own[name], path = M.path(own[name]) }
  end
  for _, name in ipairs(agent_presets.names()) do
    if not own[name] then
      local agent = known(name) --[[@as acp.Agent]]
      local path = M.path(agent)
      table.insert(path and rows or missing, { agent = agent, path = path })
    end
  end
  if not own.demo then
    rows[#rows + 1] = { agent = M.get("demo") }
  end
  return vim.list_extend(rows, missing)
end

return M
