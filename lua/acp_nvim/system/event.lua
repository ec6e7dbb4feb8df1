-- Makes an event, to which other modules add listeners. A lower room offers `on_…`, a higher room adds a listener: so a
-- module can call what it must not require.
local M = {}

---@class acp.Event
---@field add fun(listener: fun(...))  it is called from then on, after those that were added before it
---@field call fun(...)                calls every listener

---@return acp.Event
function M.new()
  local listeners = {} ---@type (fun(...))[]
  return {
    add = function(listener)
      listeners[#listeners + 1] = listener
    end,
    call = function(...)
      for _, listener in ipairs(listeners) do
        listener(...)
      end
    end,
  }
end

return M
