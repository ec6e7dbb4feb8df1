-- Fires the `User` autocommands that the help lists, such as AcpStatus.
local log = require("acp_nvim.ui.log")
local messages = require("acp_nvim.ui.messages")

local M = {}

local failing = {} ---@type table<string, true> events whose handlers have failed
local event = {} -- the autocommand that is about to be fired

--- Runs the autocommand for `fire`. Vim calls it, so that Vim's error handling applies.
function M.fire_now()
  vim.api.nvim_exec_autocmds("User", { pattern = event.name, data = event.data, modeline = false })
end

--- Fires `User {name}`. A handler that fails gets one line: uncaught, its error would fill the screen and raise the
--- hit-enter prompt, at which Neovim answers nobody.
---@param name string
---@param data table
function M.fire(name, data)
  event = { name = name, data = data }
  local ok, err =
    pcall(vim.cmd --[[@as fun(command: string)]], "call v:lua.require'acp_nvim.backend.user_events'.fire_now()")
  if ok then
    return
  end
  log.add(("an autocommand for %s failed: %s"):format(name, tostring(err)))
  if not failing[name] then -- once: it may fire many times a second
    failing[name] = true
    local reason = tostring(err):gsub("\nstack traceback.*", ""):gsub("\n", " "):match(".*: (.+)$") or tostring(err)
    messages.show("error", ("an autocommand for %s failed: %s; see :Acp log"):format(name, reason))
  end
end

return M
