-- Makes the folder for what outlives Neovim: prompts, transcripts, the log of decisions. If it cannot be written, the
-- user is warned once and everything else works.
local log = require("acp_nvim.ui.log")
local unasked_message = require("acp_nvim.ui.unasked_message")

local M = {}

local OWNER_ONLY = tonumber("700", 8)
local is_warned = false

---@return string
function M.path()
  return vim.fs.joinpath(vim.fn.stdpath("state") --[[@as string]], "acp_nvim")
end

--- Makes a folder that its user alone can look into.
---@param folder string
---@return string? problem
function M.make(folder)
  -- raises where the backend, or another Neovim, makes one of its parents at the same moment
  local _, problem = pcall(vim.fn.mkdir, folder, "p", "0700")
  if vim.fn.isdirectory(folder) == 0 and not pcall(vim.fn.mkdir, folder, "p", "0700") then
    return (tostring(problem):gsub("^Vim:", ""):gsub("^E739: Cannot create directory (.*): (.*)$", "%2: %1"))
  end
  local _, unprotected = vim.uv.fs_chmod(folder, OWNER_ONLY) -- somebody may have made it before us
  return unprotected
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
