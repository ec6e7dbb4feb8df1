-- Finds the session that a subcommand acts on, and sends a verb about it to the backend.
local acp = require("acp_nvim")
local requests = require("acp_nvim.backend.session_requests")

local M = {}

--- The function of a subcommand that acts on the current session.
---@param run fun(call: acp.Call, n: integer): any, string?
---@return fun(call: acp.Call): any, string?
function M.with_current(run)
  return function(call)
    local n, message = requests.session_of()
    if not n then
      return nil, message
    end
    return run(call, n)
  end
end

--- Shows a session that has just been begun.
---@param n? integer
---@param message? string  why there is none
---@return any, string?
function M.opened(n, message)
  if not n then
    return nil, message
  end
  return acp.open({ session = n })
end

--- A subcommand that only passes a verb on to the backend.
---@param verb string
---@return fun(): any, string?
function M.send_verb(verb)
  return M.with_current(function(_, n)
    return acp._send(n, verb)
  end)
end

return M
