-- `:Acp install`: the plugin's own .venv, made by the script that `make install` runs, while the editor goes on.
local backend = require("acp_nvim.backend")
local scratch = require("acp_nvim.scratch")

local M = {}

local SCRIPT = backend.root .. "/tests/tools/venv.sh"
local running = false

---@param text string?
---@return string? line  the last one that says something
local function last_line(text)
  local lines = vim.split(vim.trim(text or ""), "\n")
  return lines[#lines] ~= "" and lines[#lines] or nil
end

---@param chunk string
local function progress(chunk)
  for _, line in ipairs(vim.split(vim.trim(chunk), "\n")) do
    scratch.message("info", line)
  end
end

---@param status integer
---@param heard string
local function finish(status, heard)
  running = false
  if status == 0 then
    return scratch.message("info", "installed: :Acp starts a conversation")
  end
  local why = last_line(heard) or ("status %d"):format(status)
  scratch.message("error", ("not installed: %s"):format(why))
end

--- Makes or completes the .venv in the background.
---@return true? ok
---@return string? message
function M.run()
  if running then
    return nil, "the installation is running already"
  elseif vim.fn.executable("bash") == 0 then
    return nil, "the installation needs bash: see the README for doing it by hand"
  end
  local heard = ""
  local function hear(_, chunk)
    if chunk then
      heard = heard .. chunk
      vim.schedule(function()
        progress(chunk)
      end)
    end
  end
  running = true
  vim.system({ "bash", SCRIPT }, { cwd = backend.root, text = true, stdout = hear, stderr = hear }, function(out)
    vim.schedule(function()
      finish(out.code, heard)
    end)
  end)
  scratch.message("info", "installing into " .. backend.root .. "/.venv …")
  return true
end

return M
