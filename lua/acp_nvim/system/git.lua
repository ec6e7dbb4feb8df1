-- Asks git for a folder's files without running anything that the repository names: hooks, monitors, transports.
local M = {}

local BRANCHES_MS = 500

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

--- The names of the branches, for completion; none where git does not answer at once.
---@param cwd string
---@return string[]
function M.branches(cwd)
  local command = { "git", "for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/remotes" }
  local ok, job = pcall(vim.system, command, { cwd = cwd, env = QUIET, text = true, timeout = BRANCHES_MS })
  local said = ok and job:wait() or nil
  return said and said.code == 0 and vim.split(said.stdout, "\n", { trimempty = true }) or {}
end

---@param root string
---@param arguments string[]
---@param fn fun(said?: string)  nil: there is no git, no repository, no such thing in it
local function ask(root, arguments, fn)
  local command = vim.list_extend({ "git", "-C", root }, arguments)
  local function over(done)
    vim.schedule(function()
      fn(done.code == 0 and done.stdout or nil)
    end)
  end
  if not pcall(vim.system, command, { env = QUIET }, over) then
    fn(nil)
  end
end

--- The commit that is checked out.
---@param root string
---@param fn fun(commit: string)  not called where there is none
function M.head(root, fn)
  ask(root, { "rev-parse", "--verify", "-q", "HEAD" }, function(said)
    if said then
      fn(vim.trim(said))
    end
  end)
end

--- The text of a file in a commit, as it is stored there: no filter runs.
---@param root string
---@param commit string
---@param name string  from the root
---@param fn fun(text?: string)
function M.text(root, commit, name, fn)
  ask(root, { "cat-file", "blob", ("%s:%s"):format(commit, name) }, fn)
end

return M
