-- Answers what the editor's tools ask: what only Neovim knows, as it is. The backend decides what of it an agent gets.
local backend = require("acp_nvim.backend.process")
local language_server = require("acp_nvim.editor_tools.language_server")
local open_files = require("acp_nvim.editor_tools.open_files")
local problems = require("acp_nvim.editor_tools.problems")
local session_store = require("acp_nvim.backend.session_store")

local M = {}

---@alias acp.editor_tools.Done fun(answer: table)

--- By subject: each calls `done` once, at once or later.
---@type table<string, fun(arguments: table, done: acp.editor_tools.Done)>
local subjects = {
  open_files = open_files.list,
  selection = open_files.selection,
  problems = problems.list,
  follows = function(arguments, done)
    local status = session_store.look(arguments.session) or {}
    done({ following = status.following, paused = status.paused })
  end,
  request = language_server.request,
  resolve = language_server.resolve,
  execute = language_server.execute,
}

--- Answers a question of the backend.
---@param subject string
---@param ticket integer
---@param arguments table
---@return table? answer  nil: it is notified later
function M.ask(subject, ticket, arguments)
  local now, is_over ---@type table?, boolean?
  subjects[subject](arguments, function(answer)
    if is_over then
      backend.notify("editor_answered", { ticket = ticket, answer = answer })
    else
      now = answer
    end
  end)
  is_over = true
  return now
end

return M
