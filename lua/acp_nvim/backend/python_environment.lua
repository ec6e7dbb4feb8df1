-- Creates the plugin's own Python environment with uv or pip, and knows where it may be.
local install_error = require("acp_nvim.backend.install_error")

local M = {}

M.is_being_made = false -- set by `:Acp install` while it runs

--- The folder of the plugin.
M.root = vim.fs.normalize(vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h:h:h:h"))

---@class acp.Ran
---@field code integer
---@field output string

---@alias acp.Run fun(command: string[], aloud?: boolean): acp.Ran  returns when the command has ended
---@alias acp.Tell fun(step: string)

local SCRIPTS = {
  -- a shim of a version manager is resolved to the interpreter behind it
  base = "import sys; sys.version_info >= (3, 11) or sys.exit(1); "
    .. "print(getattr(sys, '_base_executable', sys.executable))",
  packages = "import acp_nvim, anyio, msgpack, pydantic, pynvim",
  -- not through pip: a build would have to fetch its tools first
  package = "import pathlib, sys, sysconfig; "
    .. "pathlib.Path(sysconfig.get_path('purelib'), 'acp_nvim.pth').write_text(sys.argv[1] + '\\n', 'utf-8')",
}
local NAMES = { "python3.14", "python3.13", "python3.12", "python3.11", "python3" }
local NO_VENV = "no venv module: install python3-venv or uv, then :Acp install"
local NO_PIP = "no pip: install python3-venv or uv, then :Acp install"
local NO_PYTHON = "no Python 3.11 or newer: install it, or uv, then :Acp install"
local NO_FOLDER = "cannot write to the plugin's folder or stdpath('data')"

-- Where it is ---------------------------------------------------------------------------------------------------------

--- Returns the environment's folder: in the plugin, or in the user's data if the plugin's folder belongs to somebody
--- else.
---@return string[]
function M.folders()
  return {
    M.root .. "/.venv",
    vim.fs.joinpath(vim.fn.stdpath("data") --[[@as string]], "acp_nvim", "venv"),
  }
end

---@param folder string
---@return string
local function python_in(folder)
  return folder .. "/bin/python"
end

--- Returns the interpreter of the existing environment.
---@return string?
function M.python()
  for _, folder in ipairs(M.folders()) do
    if vim.fn.executable(python_in(folder)) == 1 then
      return python_in(folder)
    end
  end
end

---@return string?
local function writable_folder()
  local own, other = unpack(M.folders())
  if vim.uv.fs_access(vim.uv.fs_stat(own) and own or M.root, "W") then
    return own
  end
  local made = pcall(vim.fn.mkdir, vim.fs.dirname(other), "p")
  return made and vim.uv.fs_access(vim.fs.dirname(other), "W") and other or nil
end

-- What it is made for -------------------------------------------------------------------------------------------------

---@param path string
---@return string?
local function text_of(path)
  local file = io.open(path)
  local text = file and file:read("*a")
  if file then
    file:close()
  end
  return text
end

---@return string
local function project()
  return (assert(text_of(M.root .. "/pyproject.toml"), "pyproject.toml is missing: reinstall the plugin"))
end

---@return string[]
local function dependencies()
  local list = {}
  for word in assert(project():match("\ndependencies = %[(.-)%]")):gmatch('"([^"]+)"') do
    list[#list + 1] = word
  end
  return list
end

---@param folder string
---@return string path
---@return string text
local function mark(folder)
  return folder .. "/made-for", M.root .. " " .. vim.fn.sha256(project()) .. "\n"
end

---@param folder string
---@param run acp.Run
---@return boolean
local function is_complete(folder, run)
  local path, text = mark(folder)
  return text_of(path) == text and run({ python_in(folder), "-I", "-c", SCRIPTS.packages }).code == 0
end

-- The steps -----------------------------------------------------------------------------------------------------------

---@param run acp.Run
---@return string? python
local function find_base(run)
  local names = vim.deepcopy(NAMES)
  names[#names + 1] = vim.fn.expand(vim.g.python3_host_prog or "")
  for _, name in ipairs(names) do
    if name ~= "" and vim.fn.executable(name) == 1 then
      local ran = run({ name, "-I", "-c", SCRIPTS.base })
      if ran.code == 0 then
        return vim.trim(ran.output)
      end
    end
  end
end

--- Returns in one line why the environment cannot be created, as far as that can be checked first.
---@param run acp.Run
---@return string?
function M.obstacle(run)
  local base, has_uv = find_base(run), vim.fn.executable("uv") == 1
  if not writable_folder() then
    return NO_FOLDER
  elseif not base and not has_uv then
    return NO_PYTHON
  elseif not has_uv and run({ base, "-I", "-c", "import venv" }).code ~= 0 then
    return NO_VENV
  end
end

---@param folder string
---@param base? string
---@param run acp.Run
---@return acp.Ran
local function with_uv(folder, base, run)
  local python = python_in(folder)
  if vim.fn.executable(python) == 0 then
    vim.fn.delete(folder, "rf")
    local ran = run({ "uv", "venv", "--no-project", "--python", base or ">=3.11", folder }, true)
    if ran.code ~= 0 then
      return ran
    end
  end
  local command = { "uv", "pip", "install", "--python", python, "--compile-bytecode" }
  return run(vim.list_extend(command, dependencies()), true)
end

--- Returns the pip command for the environment: its own, that of its base interpreter, or an unpacked one. Debian has
--- pip without `ensurepip`, which is in python3-venv: with the pip of the base nothing more has to be installed as
--- root.
---@param folder string
---@param base string
---@param run acp.Run
---@return string[]
local function pip_for(folder, base, run)
  local python = python_in(folder)
  local own = { python, "-I", "-m", "pip" }
  if run({ python, "-I", "-c", "import pip" }).code == 0 then
    return own
  end
  local version = run({ base, "-I", "-m", "pip", "--version" }).output:match("^pip (%d+%.%d+)")
  if version and vim.version.ge(version, "22.3") then
    return { base, "-I", "-m", "pip", "--python", python }
  end
  if run({ python, "-I", "-m", "ensurepip" }, true).code ~= 0 then
    error(NO_PIP, 0)
  end
  return own
end

---@param folder string
---@param base string
---@param run acp.Run
---@return acp.Ran
local function with_pip(folder, base, run)
  if vim.fn.executable(python_in(folder)) == 0 then
    vim.fn.delete(folder, "rf")
    local ran = run({ base, "-I", "-m", "venv", "--without-pip", folder }, true)
    if ran.code ~= 0 and ran.output:find("No module named", 1, true) then
      error(NO_VENV, 0)
    elseif ran.code ~= 0 then
      return ran
    end
  end
  local command = vim.list_extend(pip_for(folder, base, run), { "install", "--progress-bar", "off", "--retries", "2" })
  return run(vim.list_extend(command, dependencies()), true)
end

--- Fetches the packages with uv, and where that fails with pip: behind a proxy with a certificate of its own often only
--- one of them is set up.
---@param folder string
---@param run acp.Run
---@param tell acp.Tell
local function install_packages(folder, run, tell)
  tell("looking for Python 3.11 or newer")
  local base, has_uv = find_base(run), vim.fn.executable("uv") == 1
  if not base and not has_uv then
    error(NO_PYTHON, 0)
  end
  tell("fetching the packages with " .. (has_uv and "uv" or "pip"))
  local ran = has_uv and with_uv(folder, base, run) or with_pip(folder, base --[[@as string]], run)
  if ran.code ~= 0 and has_uv and base and install_error.of(ran.output) ~= install_error.NO_NETWORK then
    tell("fetching the packages with pip")
    ran = with_pip(folder, base, run)
  end
  if ran.code ~= 0 then
    error(install_error.of(ran.output), 0)
  end
end

---@param folder string
---@param run acp.Run
---@param tell acp.Tell
---@return acp.Ran whole  whether the backend finds all it needs
local function complete(folder, run, tell)
  install_packages(folder, run, tell)
  local placed = run({ python_in(folder), "-I", "-c", SCRIPTS.package, M.root })
  return placed.code == 0 and run({ python_in(folder), "-I", "-c", SCRIPTS.packages }) or placed
end

--- Creates the environment, or completes it; an error is one line for the user.
---@param run acp.Run
---@param tell acp.Tell
---@return string said
function M.make(run, tell)
  local folder = writable_folder()
  if not folder then
    error(NO_FOLDER, 0)
  elseif is_complete(folder, run) then
    return "already installed: :Acp starts a conversation"
  end
  vim.fn.delete((mark(folder)))
  if vim.uv.fs_stat(folder) and run({ python_in(folder), "-I", "-c", SCRIPTS.base }).code ~= 0 then
    vim.fn.delete(folder, "rf") -- left by a Python that is gone
  end
  local is_old = vim.uv.fs_stat(folder) ~= nil
  local whole = complete(folder, run, tell)
  if whole.code ~= 0 and is_old then
    tell("making the environment again") -- a package counts as installed whose code is gone
    vim.fn.delete(folder, "rf")
    whole = complete(folder, run, tell)
  end
  if whole.code ~= 0 then
    error(install_error.of(whole.output), 0)
  end
  tell("compiling")
  -- without the byte code the first start is three times as slow; where it cannot be written, it works all the same
  run({ python_in(folder), "-I", "-m", "compileall", "-q", M.root .. "/acp_nvim" })
  local path, text = mark(folder)
  vim.fn.writefile({ vim.trim(text) }, path)
  return "installed: :Acp starts a conversation"
end

return M
