-- Keeps all terminals by number, including those that have ended.
local backend = require("acp_nvim.backend.process")

local M = {}

---@class acp.Terminal
---@field number integer      as `:Acp terminals` counts them
---@field session integer
---@field id string           the backend's name for it
---@field command string      on one line
---@field status? string      how it ended: "exit 0", "SIGTERM"
---@field generation integer  which start of the backend has its output
---@field buf? integer
---@field channel? integer

local terminals = {} ---@type acp.Terminal[] those of ended sessions leave holes
local last = 0

---@param n integer
---@param id string
---@param command string
function M.add(n, id, command)
  last = last + 1
  terminals[last] = { number = last, session = n, id = id, command = command, generation = backend.generation() }
end

---@param number integer
---@return acp.Terminal?
function M.get(number)
  return terminals[number]
end

---@param terminal acp.Terminal
function M.drop(terminal)
  terminals[terminal.number] = nil
end

---@param n integer
---@param id string
---@return acp.Terminal?
function M.find(n, id)
  for number = last, 1, -1 do
    local terminal = terminals[number]
    if terminal and terminal.session == n and terminal.id == id and terminal.generation == backend.generation() then
      return terminal
    end
  end
end

--- How the terminal ended; nil: it runs.
---@param terminal acp.Terminal
---@return string?
function M.ending(terminal)
  return terminal.status or terminal.generation ~= backend.generation() and "gone" or nil
end

--- The terminals of a session, or all, oldest first.
---@param n? integer  only those of this session
---@return acp.Terminal[]
function M.list(n)
  local found = {}
  for number = 1, last do
    local terminal = terminals[number]
    if terminal and (n == nil or terminal.session == n) then
      found[#found + 1] = terminal
    end
  end
  return found
end

return M
