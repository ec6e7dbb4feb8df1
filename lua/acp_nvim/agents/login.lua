-- Logs in: asks which way, and runs the agent's own program in a terminal.
local backend = require("acp_nvim.backend.process")
local messages = require("acp_nvim.ui.messages")
local panes = require("acp_nvim.ui.panes")
local program_terminal = require("acp_nvim.agents.program_terminal")

local api = vim.api
local M = {}

local last ---@type integer? the buffer in which it was tried

--- Called by the backend: lets the user choose among several ways to log in.
---@param n integer
---@param methods { id: string, name: string, text: string }[]
function M.choose(n, methods)
  local labels, ids = {}, {}
  for i, method in ipairs(methods) do
    labels[i] = ("%d  %s"):format(i, method.text)
    ids[labels[i]] = method.id
  end
  panes.select(labels, "Log in with", function(label)
    local ok, message = backend.notify("login", { session = n, method = ids[label] })
    if not ok then
      messages.show("error", message or "")
    end
  end)
end

--- Called by the backend: runs the agent's login program in a terminal, and restarts the agent when that has succeeded.
---@param n integer
---@param what acp.message.LoginProgram
function M.run(n, what)
  if last and api.nvim_buf_is_valid(last) then
    api.nvim_buf_delete(last, { force = true })
  end
  last = program_terminal.run({
    name = "Login",
    label = "Login: " .. what.label,
    argv = what.argv,
    cwd = what.cwd,
    env = what.env,
    done = "logged in",
    failed = function(status)
      return ("the login failed with exit code %d: try again with :Acp login"):format(status)
    end,
    succeeded = function()
      backend.notify("login_done", { session = n })
    end,
  })
  if last then
    vim.b[last].acp_session = n
  end
end

return M
