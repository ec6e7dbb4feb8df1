-- Finds the default agent for a function that starts a session; if there are several, the user chooses.
local available_agents = require("acp_nvim.config.available_agents")
local messages = require("acp_nvim.ui.messages")
local panes = require("acp_nvim.ui.panes")

---@param start fun(agent: string): any, string?  nil and a message: it failed
---@return any result  true: the user is being asked
---@return string? message
return function(start)
  local agent, message, choices = available_agents.default()
  if agent then
    return start(agent)
  elseif not choices then
    return nil, message
  end
  panes.select(choices, "Which agent?", function(choice)
    local ok, why = start(choice)
    if not ok then
      messages.show("error", why or "")
    end
  end)
  return true
end
