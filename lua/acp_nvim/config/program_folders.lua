-- Finds programs that are not on PATH: in mason's folder, in ~/.local/bin, in npm's global folder, and in environments
-- that `uv tool` has made. A Neovim that was not started from a shell has none of these on PATH.
local limits = require("acp_nvim.limits")
local log = require("acp_nvim.ui.log")

local M = {}

local function cache()
  return vim.fn.stdpath("cache") .. "/acp_nvim/npm-folder"
end

--- npm's global folder for programs, as npm has said it last. Only npm knows it, and takes a third of a second to say.
---@return string?
function M.npm()
  local file = io.open(cache())
  local folder = file and file:read("*l")
  if file then
    file:close()
  end
  return folder
end

---@param folder string
local function keep(folder)
  local ok, problem = pcall(function()
    vim.fn.mkdir(vim.fs.dirname(cache()), "p")
    vim.fn.writefile({ folder .. "/bin" }, cache())
  end)
  if not ok then
    log.add("warn: npm's folder is not kept, so its agents are not found: " .. tostring(problem))
  end
end

--- Asks npm for its global folder in the background: once a day, or again now. It is asked in the user's home: what a
--- project says of npm's folders must not lead to programs.
---@param is_stale boolean  it may have changed
---@param done? fun()
function M.ask_npm(is_stale, done)
  done = done or function() end
  local known = vim.uv.fs_stat(cache())
  local is_fresh = known and os.time() - known.mtime.sec < limits.NPM_FOLDER_SECONDS
  if vim.fn.executable("npm") == 0 or (is_fresh and not is_stale) then
    return done()
  end
  local options = { text = true, timeout = 10000, cwd = vim.uv.os_homedir() }
  local ok, problem = pcall(vim.system, { "npm", "prefix", "-g" }, options, function(out)
    vim.schedule(function()
      local folder = out.code == 0 and vim.trim(out.stdout) or ""
      if folder ~= "" then
        keep(folder)
      end
      done()
    end)
  end)
  if not ok then
    log.add("warn: npm cannot be asked for its folder: " .. tostring(problem))
    done()
  end
end

--- The folder in which `uv tool` makes an environment for each program.
---@return string
function M.uv_tools()
  local data = vim.env.XDG_DATA_HOME or vim.fs.normalize("~/.local/share")
  return vim.env.UV_TOOL_DIR or data .. "/uv/tools"
end

---@return string[]
local function folders()
  local found = { vim.fn.stdpath("data") .. "/mason/bin", vim.fs.normalize("~/.local/bin") }
  if vim.env.MASON then -- set by mason where its root is another one
    table.insert(found, 1, vim.env.MASON .. "/bin")
  end
  found[#found + 1] = M.npm()
  local tools = M.uv_tools()
  for name, kind in vim.fs.dir(tools) do
    if kind == "directory" then
      found[#found + 1] = ("%s/%s/bin"):format(tools, name)
    end
  end
  return found
end

--- The program as it is to be started: its name if it is on PATH or nowhere, else where it lies.
---@param command string
---@return string
function M.locate(command)
  if command == "" or command:find("/", 1, true) or vim.fn.executable(command) == 1 then
    return command
  end
  for _, folder in ipairs(folders()) do
    local path = ("%s/%s"):format(folder, command)
    if vim.fn.executable(path) == 1 then
      return path
    end
  end
  return command
end

return M
