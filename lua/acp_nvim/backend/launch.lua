-- Chooses the Python interpreter, and starts the backend as a job or in Neovim's python3 host.
local config = require("acp_nvim.config.settings")
local environment = require("acp_nvim.backend.python_environment")

local M = { WHAT_TO_DO = "run :Acp install" }

--- The interpreter that has the package: configured, else the plugin's own, else the user's for Neovim.
---@return string? python
---@return string? message
function M.python()
  local configured = config.get().python
  if configured then
    configured = vim.fs.normalize(configured)
    if vim.fn.executable(configured) == 1 then
      return configured
    end
    return nil, ("fix `python` in setup(): cannot run %s"):format(configured)
  end
  if environment.is_being_made then
    return nil, "still installing: try again when the installation is done"
  end
  local python = environment.python() or vim.fn.expand(vim.g.python3_host_prog or "")
  if python ~= "" and vim.fn.executable(python) == 1 then
    return python
  end
  return nil, "the Python part is not installed yet: " .. M.WHAT_TO_DO
end

--- Starts the backend as a job of Neovim's.
---@param python string
---@param on_stderr function
---@param on_exit function
---@return integer? channel
---@return string? message
function M.start_job(python, on_stderr, on_exit)
  local command = { python, "-I", "-m", "acp_nvim" }
  -- the plugin's folder as cwd: the user's may be gone, or keep a file system busy
  local options = { rpc = true, cwd = environment.root, on_stderr = on_stderr, on_exit = on_exit }
  local ok, id = pcall(vim.fn.jobstart, command, options)
  if not ok or id <= 0 then
    return nil, ("cannot start %s: %s"):format(python, tostring(id))
  end
  return id
end

--- Starts the backend in Neovim's python3 host.
---@param python string
---@return integer? channel
---@return string? message
function M.start_in_host(python)
  vim.g.python3_host_prog = vim.g.python3_host_prog or python
  local path = environment.root .. "/rplugin/python3/acp_nvim_rplugin.py"
  local ok, result = pcall(function()
    if vim.fn.exists("*AcpNvimChannel") == 0 and vim.fn["remote#host#IsRunning"]("python3") == 1 then
      error("it is running without acp_nvim; :UpdateRemotePlugins registers the plugin", 0)
    end
    -- by hand what :UpdateRemotePlugins would write into a manifest; with the manifest it is registered already
    local spec = { type = "function", name = "AcpNvimChannel", sync = true, opts = vim.empty_dict() }
    pcall(vim.fn["remote#host#RegisterPlugin"], "python3", path, { spec })
    return vim.fn.AcpNvimChannel()
  end)
  if not ok or type(result) ~= "number" then
    return nil, ("the python3 host cannot be used (restart Neovim): %s"):format(tostring(result))
  end
  return result
end

return M
