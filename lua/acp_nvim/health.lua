-- Implements `:checkhealth acp_nvim`: checks Neovim, interpreter, packages, backend and agents, in that order, and says
-- what to do.
local agent_files = require("acp_nvim.config.agent_files")
local available_agents = require("acp_nvim.config.available_agents")
local backend = require("acp_nvim.backend.process")
local config = require("acp_nvim.config.settings")
local doctor = require("acp_nvim.agents.doctor")
local environment = require("acp_nvim.backend.python_environment")
local global_keys = require("acp_nvim.config.global_keys")
local image = require("acp_nvim.prompt.image")
local launch = require("acp_nvim.backend.launch")
local printable = require("acp_nvim.ui.printable")
local version = require("acp_nvim.agents.version")

local M = {}

local health = vim.health
local VERSIONS_MS = 5000
local thorough = false -- agents are started; :checkhealth takes no argument that could say so
local INSTALL = "Run :Acp install, or make install in " .. backend.root

---@param command string[]
---@param input? string
---@return acp.Ran
local function run(command, input)
  local ran, out = pcall(function()
    return vim.system(command, { text = true, stdin = input }):wait(10000)
  end)
  if not ran then
    return { code = 127, output = tostring(out) }
  end
  return { code = out.code + out.signal, output = out.code == 0 and out.stdout or out.stderr }
end

---@return string[]  what to do about the interpreter, or about what it lacks
local function advice()
  local python = config.get().python
  if python then
    return { ("Fix `python` in setup(), which names %s, or remove it and run :Acp install"):format(python) }
  end
  return { environment.obstacle(run) or INSTALL }
end

-- one line a package: its name and its version, or nothing after the name
local VERSIONS = [[
import importlib.metadata as metadata, sys
print("python", "%d.%d.%d" % sys.version_info[:3])
for name in ("pynvim", "msgpack", "pydantic", "anyio"):
    try:
        print(name, metadata.version(name))
    except metadata.PackageNotFoundError:
        print(name)
try:
    import acp_nvim
    print("acp-nvim", acp_nvim.__version__)
except ImportError:
    print("acp-nvim")
]]

-- Rules are read by the backend's own code: only Python knows its regular expressions.
local RULES = [[
import json, sys
from acp_nvim.session import permission_rules
print("\n".join(permission_rules.read(json.load(sys.stdin))[1]))
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

local function check_keys()
  local prefix, taken, count = global_keys.state()
  if not prefix then
    return health.info("the suggested keys are not mapped: keys = '<leader>a' in setup() maps them")
  end
  health.ok(("%d keys are mapped under %s"):format(count, prefix))
  for _, each in ipairs(taken) do
    local what = ("%s (mode %s) is yours already: %s"):format(each.lhs, each.mode, printable.visible(each.by))
    health.warn(what, { ("Map another key for: %s (see :help acp_nvim-keys)"):format(each.desc) })
  end
end

---@param output string  of VERSIONS
---@return boolean complete
local function check_packages(output)
  local missing = {}
  for name, version in output:gmatch("(%S+) ?(%S*)\n") do
    if name == "python" and vim.version.lt(version, "3.11") then
      health.error("Python " .. version .. " is too old: 3.11 or newer is needed", advice())
    elseif version == "" then
      missing[#missing + 1] = name
    else
      health.ok(name .. " " .. version)
    end
  end
  if #missing > 0 then
    health.error("missing: " .. table.concat(missing, ", "), advice())
  end
  return #missing == 0
end

---@return boolean complete
local function check_python()
  local python, message = launch.python()
  if not python then
    health.error(message or "no Python", advice())
    return false
  end
  local ran = run({ python, "-I", "-c", VERSIONS })
  if ran.code ~= 0 then
    health.error(python .. " cannot be run: " .. ran.output, advice())
    return false
  end
  health.info("interpreter: " .. python)
  return check_packages(ran.output)
end

--- Names the mistakes in rules that the configuration's own check cannot see.
local function check_rules()
  local rules = config.get().permissions
  local python = #rules > 0 and launch.python()
  local ran = python and run({ python, "-I", "-c", RULES }, vim.json.encode(rules))
  for _, complaint in ipairs(ran and ran.code == 0 and vim.split(ran.output, "\n", { trimempty = true }) or {}) do
    health.warn(printable.visible(complaint), { "See :help acp_nvim-rules" })
  end
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
  health.error(message or "the backend does not answer", { "See :Acp log", advice()[1] })
end

---@param agent acp.Agent
---@param path string?
---@return boolean found
local function check_agent(agent, path)
  local name = printable.visible(agent.name)
  if not agent.spec then
    health.ok(name .. ": built in, needs nothing")
  elseif path then
    local said = version.known(path)
    health.ok(("%s: %s%s"):format(name, path, said and (", " .. said) or ", version unknown"))
  else
    local command = printable.visible(agent.spec.command)
    local advice = agent.preset and "Install it: " .. available_agents.how_to_install(agent.preset)
      or ("Install it, or fix agents.%s.command in the configuration"):format(name)
    health.error(("%s: '%s' is not on PATH"):format(name, command), { advice })
  end
  return path ~= nil or not agent.spec
end

---@param name string
---@param report? acp.Examination
local function check_report(name, report)
  if not report then
    return health.error(name .. ": no report has come", { "See :Acp log" })
  elseif report.error then
    return health.error(("%s: %s"):format(name, report.error), { "See its documentation, and :Acp log" })
  end
  health.ok(("%s: %s"):format(name, doctor.summary(report)))
  for _, finding in ipairs(doctor.findings(report)) do
    if finding[1] ~= "result" then
      health.info(("%s: %s: %s"):format(name, finding[1], table.concat(finding[2], "; ")))
    end
  end
end

---@param names string[]
local function check_reports(names)
  local reports = doctor.wait(names)
  for _, name in ipairs(names) do
    check_report(name, reports[name])
  end
end

local function check_agents()
  for _, problem in ipairs(agent_files.problems()) do
    health.warn(problem, { "See :help acp_nvim-agent-files" })
  end
  local there, names, missing = {}, {}, {}
  for _, line in ipairs(available_agents.list()) do
    if line.path or line.agent.origin ~= "preset" then
      there[#there + 1] = line
    else
      missing[#missing + 1] = line.agent.name
    end
  end
  version.wait(
    vim.tbl_map(function(line)
      return line.agent
    end, there),
    VERSIONS_MS
  )
  for _, line in ipairs(there) do
    if check_agent(line.agent, line.path) then
      names[#names + 1] = line.agent.name
    end
  end
  if #missing > 0 then
    health.info("not installed: " .. table.concat(missing, ", ") .. " (:Acp agents shows how)")
  end
  if not thorough then
    return health.info("no agent was started: :Acp doctor starts each one that is configured or found")
  end
  health.start("acp_nvim: what the agents answer")
  check_reports(names)
end

local function check_surroundings()
  if vim.o.termguicolors then
    health.ok("colours: 24 bits ('termguicolors')")
  else
    health.info("colours: the terminal's palette; :set termguicolors shows the exact shades where the terminal can")
  end
  local tool = image.clipboard_tool()
  if tool then
    health.ok(("pictures in the clipboard: %s"):format(tool))
  else
    local tools = "install wl-clipboard (Wayland), xclip (X11) or pngpaste (macOS)"
    health.info(("pictures in the clipboard: no tool for them; for :Acp add clipboard %s"):format(tools))
  end
end

--- Called by `:checkhealth`.
function M.check()
  health.start("acp_nvim: Neovim")
  check_neovim()
  check_config()
  check_keys()
  health.start("acp_nvim: interpreter and packages")
  local complete = check_python()
  health.start("acp_nvim: backend")
  if complete then
    check_rules()
    check_backend()
  else
    health.info("not tested: fix the problems above first")
  end
  health.start("acp_nvim: agents")
  check_agents()
  health.start("acp_nvim: terminal")
  check_surroundings()
end

--- `:checkhealth acp_nvim`, with every agent started that is configured or found.
function M.check_with_agents()
  thorough = true
  local ok, message = pcall(vim.cmd.checkhealth, "acp_nvim")
  thorough = false
  if not ok then
    error(message, 0)
  end
end

return M
