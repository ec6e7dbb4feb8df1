-- Finds what can be continued in a folder: the newest session that lives here, or the newest conversation that is over.
local backend = require("acp_nvim.backend.process")
local json_null = require("acp_nvim.backend.json_null")
local session_store = require("acp_nvim.backend.session_store")

local M = {}

---@class acp.Earlier: acp.message.KeptConversation

local waiting = {} ---@type table<string, fun(kept?: acp.Earlier)[]>  folder -> who has asked

--- Asks the backend, if it runs, for the newest conversation of a folder that is over.
---@param cwd string
---@param answer fun(kept?: acp.Earlier)
---@return boolean asked
function M.find_saved(cwd, answer)
  if not backend.notify("earlier", { cwd = cwd }) then
    return false
  end
  waiting[cwd] = waiting[cwd] or {}
  table.insert(waiting[cwd], answer)
  return true
end

--- Called by the backend with what the backend has found.
---@param cwd string
---@param kept? acp.Earlier
function M.deliver(cwd, kept)
  local callbacks = waiting[cwd] or {}
  waiting[cwd] = nil
  for _, answer in ipairs(callbacks) do
    answer(json_null.clean(kept))
  end
end

--- Is the session new, with no prompt sent or queued?
---@param n integer
---@return boolean
function M.is_empty(n)
  local status = session_store.look(n) or {}
  local origin = session_store.session(n).origin
  return status.turn == 0 and status.queue == 0 and not origin.id and session_store.has_agent(n)
end

--- Has the session failed before anything was said in it?
---@param n integer
---@return boolean
local function never_began(n)
  local status = session_store.look(n) or {}
  return status.state == "failed" and status.turn == 0
end

--- The newest session of the folder that runs here and is not empty.
---@param cwd string
---@return integer?
function M.newest_live(cwd)
  local numbers = session_store.numbers()
  for i = #numbers, 1, -1 do
    local n = numbers[i]
    local origin = session_store.session(n).origin
    if origin.cwd == cwd and session_store.has_agent(n) and not M.is_empty(n) and not never_began(n) then
      return n
    end
  end
end

return M
