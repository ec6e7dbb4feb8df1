-- Creates the Python environment in the background, for `:Acp install` and build.lua. Leaving the editor cancels it.
local backend = require("acp_nvim.backend.process")
local config = require("acp_nvim.config.settings")
local environment = require("acp_nvim.backend.python_environment")
local log = require("acp_nvim.ui.log")
local messages = require("acp_nvim.ui.messages")
local requests = require("acp_nvim.backend.session_requests")
local session_store = require("acp_nvim.backend.session_store")

local M = {}

---@class acp.Installation
---@field pid? integer      of the command that runs, which leads a process group
---@field cancelled boolean
---@field done boolean
---@field error? string
---@field said? string
---@field step string       what it is about
---@field line string       the last one that was told
---@field is_yielded boolean a plugin manager shows the lines

local PIP = { PIP_DISABLE_PIP_VERSION_CHECK = "1", PIP_NO_INPUT = "1", PYTHONUNBUFFERED = "1", NO_COLOR = "1" }

local current ---@type acp.Installation?

--- Shows the step with the last line of its output. It leaves no trace in `:messages`, and a command line that is being
--- typed alone. A plugin in the place of vim.notify() would keep each line on the screen: it gets the steps.
---@param installation acp.Installation
local function show_progress(installation)
  local is_step = installation.line == installation.step
  local is_typing = vim.api.nvim_get_mode().mode:find("^[cr]") ~= nil
  if #vim.api.nvim_list_uis() == 0 or is_typing or installation.is_yielded or not (is_step or messages.is_echoed()) then
    return
  end
  local output = is_step and "" or " · " .. vim.trim(installation.line)
  messages.show("info", installation.step .. output, true)
end

---@param installation acp.Installation
---@param line string
local function take_line(installation, line)
  if vim.trim(line) ~= "" and not installation.done then
    log.add("install: " .. line)
    installation.line = line
    show_progress(installation)
  end
end

---@param installation acp.Installation
---@param step string
local function report_step(installation, step)
  log.add("install: " .. step)
  installation.step, installation.line = step, step
  show_progress(installation)
end

--- Runs a command for the coroutine that calls it.
---@param installation acp.Installation
---@param command string[]
---@param aloud? boolean  what it says is progress
---@return acp.Ran
local function run(installation, command, aloud)
  local thread, output, partial = coroutine.running(), {}, ""
  local function take(_, chunk)
    output[#output + 1] = chunk
    local lines = vim.split(partial .. (chunk or aloud and "\n" or ""), "\n")
    partial = table.remove(lines)
    vim.schedule(function()
      for _, line in ipairs(aloud and lines or {}) do
        take_line(installation, line)
      end
    end)
  end
  local options = { cwd = environment.root, env = PIP, stdout = take, stderr = take, detach = true }
  local ok, process = pcall(vim.system, command, options, function(out)
    vim.schedule(function()
      installation.pid = nil
      assert(coroutine.resume(thread, { code = out.code + out.signal, output = table.concat(output) }))
    end)
  end)
  if not ok then
    return { code = 127, output = tostring(process) }
  end
  installation.pid = process.pid
  local ran = coroutine.yield()
  if installation.cancelled then
    error("installation cancelled: continue with :Acp install", 0)
  end
  return ran
end

---@param is_yielded boolean
---@param ended? fun(installation: acp.Installation)
---@return acp.Installation
local function start(is_yielded, ended)
  ---@type acp.Installation
  local installation = { cancelled = false, done = false, step = "", line = "", is_yielded = is_yielded }
  current, environment.is_being_made = installation, true
  local thread = coroutine.create(function()
    local ok, said = pcall(environment.make, function(command, aloud)
      return run(installation, command, aloud)
    end, function(step)
      report_step(installation, step)
    end)
    installation.done = true
    installation[ok and "said" or "error"] = tostring(said)
    current, environment.is_being_made = nil, false
    if ended then
      ended(installation)
    end
  end)
  assert(coroutine.resume(thread))
  return installation
end

local function kill()
  if current and current.pid then
    vim.uv.kill(-current.pid, "sigterm")
  end
end

vim.api.nvim_create_autocmd("VimLeavePre", {
  group = vim.api.nvim_create_augroup("acp_nvim.install", {}),
  callback = kill,
})

---@return boolean
function M.is_running()
  return current ~= nil
end

--- Ends the installation that runs.
---@return true? ok
---@return string? message
function M.cancel()
  if not current then
    return nil, "no installation is running"
  end
  current.cancelled = true
  kill()
  return true
end

--- Starts the session that failed because the environment was missing.
local function start_failed_session()
  local n = session_store.current()
  if n and session_store.session(n).orphaned and not backend.is_running() then
    local ok, message = requests.send(n, "restart")
    if not ok then
      messages.show("error", message or "")
    end
  end
end

---@param installation acp.Installation
local function announce(installation)
  if installation.error then
    return messages.show("error", installation.error --[[@as string]])
  end
  messages.show("info", installation.said --[[@as string]])
  start_failed_session()
end

---@return string? message  why nothing can be begun
local function obstacle()
  local configured = config.get().python
  if current then
    return "already installing: cancel with :Acp install!"
  elseif configured then
    return ("`python` in setup() is %s: remove it, or install the packages there yourself"):format(configured)
  end
end

--- Creates or completes the environment in the background; without a screen it returns when that is done.
---@return true? ok
---@return string? message
function M.run()
  local message = obstacle()
  if message then
    return nil, message
  elseif #vim.api.nvim_list_uis() == 0 then
    return M.wait()
  end
  start(false, announce)
  return true
end

--- Creates the environment, and returns when that is done: for plugin managers.
---@return true? ok
---@return string? message
function M.wait()
  if current then
    return nil, "already installing"
  end
  local lazy = package.loaded["lazy.async"]
  local is_lazy = lazy ~= nil and lazy.running() ~= nil
  local installation = start(is_lazy)
  if is_lazy then
    -- lazy.nvim goes on with its other tasks whenever one of them yields, and shows what it yields. Several messages
    -- while Neovim starts would raise the hit-enter prompt.
    while not installation.done do
      if coroutine.yield(installation.line) == "abort" then
        M.cancel()
      end
      vim.uv.sleep(10)
    end
  else
    vim.wait(2 ^ 31 - 1, function()
      return installation.done
    end, 20)
  end
  if installation.error then
    return nil, installation.error
  end
  return true
end

return M
