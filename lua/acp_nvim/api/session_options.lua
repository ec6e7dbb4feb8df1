-- Offers mode, model and options of a session in the Lua API. Unknown values are refused at once; what the agent
-- refuses comes as a message.
local requests = require("acp_nvim.backend.session_requests")
local session_store = require("acp_nvim.backend.session_store")
local unknown_choice = require("acp_nvim.ui.unknown_choice")

local M = {}

local ENDED = { stopped = true, failed = true }
local UNKNOWN = { starting = true, auth = true } -- what there is to choose from comes with the session

---@param choices { id: any }[]
---@param id any
---@return table?
local function find(choices, id)
  for _, choice in ipairs(choices) do
    if choice.id == id then
      return choice
    end
  end
end

---@param options? acp.Options
---@return integer? n
---@return table|string status_or_message
local function session_of(options)
  local n, message = requests.session_of(options)
  if not n then
    return nil, message --[[@as string]]
  end
  local status = assert(session_store.get(n))
  if ENDED[status.state] then
    return nil, ("session %d has ended: a prompt or :Acp restart reconnects"):format(n)
  end
  return n, status
end

---@param what "mode"|"model"
---@param id any
---@param options? acp.Options
---@return true? ok
---@return string? message
local function set(what, id, options)
  local n, status = session_of(options)
  if not n then
    return nil, status --[[@as string]]
  elseif type(id) ~= "string" or id == "" then
    return nil, ("the id of a %s must be a string"):format(what)
  end
  local choices = status[what .. "s"]
  if not choices and not UNKNOWN[status.state] then
    return nil, ("%s has no %ss to choose from"):format(status.agent_title or status.agent, what)
  elseif choices and #choices > 0 and not find(choices, id) then -- none listed: any will do
    return nil, unknown_choice.message(what, id, choices)
  end
  return requests.send(n, "set_" .. what, { id = id })
end

--- Switches the mode, once the agent has agreed; before the session is ready, then.
---@param id string
---@param options? acp.Options
---@return true? ok
---@return string? message
function M.set_mode(id, options)
  return set("mode", id, options)
end

--- Switches the model.
---@param id string
---@param options? acp.Options
---@return true? ok
---@return string? message
function M.set_model(id, options)
  return set("model", id, options)
end

---@param option table
---@param value any
---@return string? message  why it cannot have that value
local function unfit(option, value)
  if option.type == "boolean" then
    return type(value) ~= "boolean" and ("%s is true or false"):format(option.id) or nil
  elseif type(value) ~= "string" then
    return ("a value of %s must be a string"):format(option.id)
  elseif #option.choices > 0 and not find(option.choices, value) then
    return unknown_choice.message("value of " .. option.id, value, option.choices)
  end
end

--- Gives an option another value.
---@param id string
---@param value string|boolean
---@param options? acp.Options
---@return true? ok
---@return string? message
function M.set_option(id, value, options)
  local n, status = session_of(options)
  if not n then
    return nil, status --[[@as string]]
  elseif type(id) ~= "string" or id == "" then
    return nil, "the id of an option must be a string"
  elseif type(value) ~= "string" and type(value) ~= "boolean" then
    return nil, "the value of an option must be a string or a boolean"
  end
  local message
  if status.options and #status.options > 0 then
    local option = find(status.options, id)
    message = not option and unknown_choice.message("option", id, status.options) or option and unfit(option, value)
  elseif not UNKNOWN[status.state] then
    message = ("%s has no options to choose from"):format(status.agent_title or status.agent)
  end
  if message then
    return nil, message
  end
  return requests.send(n, "set_option", { id = id, value = value })
end

return M
