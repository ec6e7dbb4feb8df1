-- Makes the folder for what outlives Neovim: prompts, transcripts, the log of decisions. If it cannot be written, the
-- user is warned once and everything else works.
local log = require("acp_nvim.ui.log")
local regular_file = require("acp_nvim.system.regular_file")
local unasked_message = require("acp_nvim.ui.unasked_message")

local uv = vim.uv
local M = {}

local OWNER_ONLY, PRIVATE = tonumber("700", 8), tonumber("600", 8)
local is_warned = false

---@return string
function M.path()
  return vim.fs.joinpath(vim.fn.stdpath("state") --[[@as string]], "acp_nvim")
end

--- Makes a folder that its user alone can look into.
---@param folder string
---@return string? problem
function M.make(folder)
  local problem
  -- raises where the backend, or another Neovim, makes one of its parents at the same moment: once for each at most
  for _ in vim.gsplit(folder, "/", { plain = true }) do
    _, problem = pcall(vim.fn.mkdir, folder, "p", "0700")
    if vim.fn.isdirectory(folder) == 1 then
      break
    end
  end
  if vim.fn.isdirectory(folder) == 0 then
    return (tostring(problem):gsub("^Vim:", ""):gsub("^E739: Cannot create directory (.*): (.*)$", "%2: %1"))
  end
  local _, unprotected = uv.fs_chmod(folder, OWNER_ONLY) -- somebody may have made it before us
  return unprotected
end

--- Writes a file that its user alone can read, and makes its folder.
---@param path string
---@param how "append"|"replace"
---@param text string
---@return string? problem
function M.write(path, how, text)
  local problem = M.make(vim.fs.dirname(path))
  if problem then
    return problem
  elseif (uv.fs_lstat(path) or {}).type == "link" then
    return path .. " is a symlink"
  end
  local fd, why = regular_file.writing(path, how)
  if not fd then
    return ("%s: %s"):format(path, why)
  end
  local count
  uv.fs_fchmod(fd, PRIVATE)
  count, problem = uv.fs_write(fd, text)
  uv.fs_close(fd)
  return count and (count < #text and path .. ": no room" or nil) or problem
end

--- Warns that something was not written. Later failures mostly have the same cause, so only the first is shown; the
--- others go to the log.
---@param text string
function M.warn(text)
  if is_warned then
    return log.add("warn: " .. text)
  end
  is_warned = true
  unasked_message.show("warn", text)
end

return M
