-- Which agents there are, and which one is meant when nobody says.
local config = require("acp_nvim.config")
local nearest = require("acp_nvim.nearest")

local M = {}

--- The configured agents' names, sorted.
---@return string[]
function M.names()
  local names = vim.tbl_keys(config.get().agents)
  table.sort(names)
  return names
end

--- All names that `new` takes.
---@return string[]
function M.all()
  local names = M.names()
  if not config.get().agents.demo then
    names[#names + 1] = "demo"
  end
  return names
end

--- `name` if there is such an agent.
---@param name any
---@return string? name
---@return string? message
function M.find(name)
  if type(name) ~= "string" then
    return nil, "the agent's name must be a string"
  end
  -- what the agent files name is known to the backend alone
  if vim.list_contains(M.all(), name) or #config.get().agent_files > 0 then
    return name
  end
  local near = nearest(M.all(), name)
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
  local names = M.names()
  if #names > 1 then
    return nil, "several agents are configured: name one, or set default_agent", names
  end
  return names[1] or "demo"
end

--- The lines of `:Acp agents`.
---@return string[]
function M.describe()
  local lines = {}
  for _, name in ipairs(M.all()) do
    local agent = config.get().agents[name]
    local path = agent and vim.fn.exepath(vim.fn.expand(agent.command)) or ""
    local where = path ~= "" and path or "not found"
    if not agent then
      where = "built in: shows what an agent can do, without network or key"
    elseif path == "" then
      where = ("NOT FOUND: '%s' is not on PATH"):format(agent.command)
    end
    lines[#lines + 1] = ("%-16s %s"):format(name, where)
  end
  return lines
end

return M
