-- Asks git without running anything that the repository names: filters, hooks, monitors, transports.
local M = {}

local DIFF_MS = 10000

-- No object is fetched, no password asked for, no lock waited for.
local QUIET = {
  GIT_ALLOW_PROTOCOL = "none",
  GIT_NO_LAZY_FETCH = "1",
  GIT_OPTIONAL_LOCKS = "0",
  GIT_TERMINAL_PROMPT = "0",
}

--- The files that git knows or would take, one after the other, each with a NUL behind it. They are listed and not
--- compared, so no filter has a part in it.
---@param cwd string
---@param options vim.SystemOpts
---@param done fun(result: vim.SystemCompleted)
---@return boolean ok
---@return vim.SystemObj|string job  or why it does not run
function M.files(cwd, options, done)
  local command = { "git", "-c", "core.fsmonitor=false", "ls-files", "-z" }
  vim.list_extend(command, { "--cached", "--others", "--exclude-standard" })
  return pcall(vim.system, command, vim.tbl_extend("force", options, { cwd = cwd, env = QUIET }), done)
end

--- What has changed since the last commit, as a patch. Comparing is where git runs filters: the backend's package knows
--- how to compare without.
---@param cwd string
---@param done fun(result: vim.SystemCompleted)  later, on the main loop
---@return true? ok
---@return string? message
function M.diff(cwd, done)
  local python, message = require("acp_nvim.backend.process").python()
  if not python then
    return nil, message
  end
  local root = require("acp_nvim.backend.process").root
  local command = { python, "-I", "-m", "acp_nvim.files.git_diff", cwd }
  local ok = pcall(vim.system, command, { cwd = root, timeout = DIFF_MS }, vim.schedule_wrap(done))
  if not ok then
    return nil, ("cannot run %s"):format(python)
  end
  return true
end

return M
