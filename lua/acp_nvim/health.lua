-- `:checkhealth acp_nvim`: Neovim, interpreter and packages, backend, agents, in that order, with what to do.
local agents = require("acp_nvim.agents")
local backend = require("acp_nvim.backend")
local config = require("acp_nvim.config")

local M = {}

local health = vim.health
local INSTALL = { "Run :Acp install, or make install in " .. backend.root }

-- one line a package: its name and its version, or nothing after the name
local VERSIONS = [[
import importlib.metadata as metadata, sys
print("python", "%d.%d.%d" % sys.version_info[:3])
for name in ("pynvim", "pydantic", "anyio", "acp-nvim"):
    try:
        print(name, metadata.version(name))
    except metadata.PackageNotFoundError:
        print(name)
]]

local function check_neovim()
  local version = tostring(vim.version())
  if vim.fn.has("nvim-0.10") == 1 then
    return health.ok("Neovim " .. version)
  end
  health.error("Neovim " .. version .. " is too old", { "Install Neovim 0.10 or newer" })
end

local function check_config()
  for _, problem in ipairs(config.problems()) do
    health.warn(problem, { "See :help acp_nvim-configuration" })
  end
end

---@param line string  of the output of VERSIONS
local function check_package(line)
  local name, version = line:match("^(%S+) ?(%S*)")
  if name == "python" and vim.version.lt(version, "3.11") then
    health.error("Python " .. version .. " is too old: 3.11 or newer is needed", INSTALL)
  elseif version == "" then
    health.error(name .. " is missing", INSTALL)
  else
    health.ok(name .. " " .. version)
  end
end

---@return boolean found
local function check_python()
  local python, message = backend.python()
  if not python then
    health.error(message, INSTALL)
    return false
  end
  local ran, out = pcall(function()
    return vim.system({ python, "-I", "-c", VERSIONS }, { text = true }):wait(10000)
  end)
  if not ran or out.code ~= 0 then
    health.error(python .. " cannot be run: " .. (ran and out.stderr or tostring(out)), INSTALL)
    return false
  end
  health.info("interpreter: " .. python)
  for line in vim.gsplit(vim.trim(out.stdout), "\n") do
    check_package(line)
  end
  return true
end

local function check_backend()
  local began = vim.uv.hrtime()
  local ok, message = backend.start()
  local ready = ok
    and vim.wait(5000, function()
      return backend.is_ready() or not backend.is_running()
    end, 5)
    and backend.is_ready()
  if ready then
    local how = config.get().backend
    return health.ok(("the backend answers (%s, %d ms)"):format(how, (vim.uv.hrtime() - began) / 1e6))
  end
  health.error(message or "the backend does not answer", { "See :Acp log", INSTALL[1] })
end

local function check_agent(name)
  local agent = config.get().agents[name]
  if not agent then
    return health.ok(name .. ": built in, needs nothing")
  end
  local path = vim.fn.exepath(vim.fn.expand(agent.command))
  if path ~= "" then
    return health.ok(("%s: %s"):format(name, path))
  end
  local advice = ("Install it, or correct agents.%s.command in the configuration"):format(name)
  health.error(("%s: '%s' is not on PATH"):format(name, agent.command), { advice })
end

--- Called by `:checkhealth`.
function M.check()
  health.start("acp_nvim: Neovim")
  check_neovim()
  check_config()
  health.start("acp_nvim: interpreter and packages")
  local found = check_python()
  health.start("acp_nvim: backend")
  if found then
    check_backend()
  else
    health.info("not tried: there is no interpreter for it")
  end
  health.start("acp_nvim: agents")
  for _, name in ipairs(agents.all()) do
    check_agent(name)
  end
end

return M
