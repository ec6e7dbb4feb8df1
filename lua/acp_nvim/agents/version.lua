-- Runs agents' programs with `--version`, several at once, each with a timeout, without blocking.
local available_agents = require("acp_nvim.config.available_agents")
local limits = require("acp_nvim.limits")
local printable = require("acp_nvim.ui.printable")
local shared_constants = require("acp_nvim.shared_constants")

local M = {}

local PATIENCE_MS = 5000

local known = {} ---@type table<string, string|false> by path; false: it does not say

---@param text string?
---@return string|false
local function version_in(text)
  for line in vim.gsplit(text or "", "\n") do
    if line:find("%d") then
      return printable.cut(printable.visible(vim.trim(line)), limits.VERSION_CHARS)
    end
  end
  return false
end

---@param spec table
---@return table<string, string>
local function environment(spec)
  local env = vim.tbl_extend("force", vim.fn.environ(), spec.env)
  for _, name in ipairs(shared_constants.WITHHELD) do
    env[name] = spec.env[name]
  end
  return env
end

--- The version of the program at `path`; nil: it has not been asked, false: it does not say.
---@param path string?
---@return string|false|nil
function M.known(path)
  return path and known[path]
end

--- Asks an agent's program for its version.
---@param agent acp.Agent
---@param done fun()  once it is known
function M.ask(agent, done)
  local path = available_agents.path(agent)
  if not path or known[path] ~= nil then
    return done()
  end
  local options = { text = true, timeout = PATIENCE_MS, cwd = vim.uv.os_tmpdir(), clear_env = true }
  options.env = environment(agent.spec)
  local ok = pcall(vim.system, { path, "--version" }, options, function(out)
    vim.schedule(function()
      known[path] = out.code == 0 and (version_in(out.stdout) or version_in(out.stderr)) or false
      done()
    end)
  end)
  if not ok then
    known[path] = false
    done()
  end
end

--- Asks several programs, and waits a bounded time for their answers.
---@param list acp.Agent[]
---@param milliseconds integer
function M.wait(list, milliseconds)
  local open = #list
  for _, agent in ipairs(list) do
    M.ask(agent, function()
      open = open - 1
    end)
  end
  vim.wait(milliseconds, function()
    return open == 0
  end, 10)
end

return M
