-- Asks the backend's package what has changed since the last commit, as a patch. git itself would run the filters that
-- a repository names.
local backend = require("acp_nvim.backend.process")
local launch = require("acp_nvim.backend.launch")

local M = {}

local DIFF_MS = 10000

---@param cwd string
---@param done fun(result: vim.SystemCompleted)  later, on the main loop
---@return true? ok
---@return string? message
function M.ask(cwd, done)
  local python, message = launch.python()
  if not python then
    return nil, message
  end
  local command = { python, "-I", "-m", "acp_nvim.files.git_diff", cwd }
  local ok = pcall(vim.system, command, { cwd = backend.root, timeout = DIFF_MS }, vim.schedule_wrap(done))
  if not ok then
    return nil, ("cannot run %s"):format(python)
  end
  return true
end

return M
