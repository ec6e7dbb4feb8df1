-- Tells listeners which sessions have changed, and fires AcpStatus for them: once for all changes of a frame.
local log = require("acp_nvim.ui.log")
local textlock = require("acp_nvim.system.textlock")
local user_events = require("acp_nvim.backend.user_events")

local M = {}

local changed = {} ---@type table<integer, true>
local listeners = {} ---@type (fun(n: integer))[]
local scheduled = false

--- Notes that session `n` has changed.
---@param n integer
function M.touch(n)
  changed[n] = true
  if not scheduled then
    scheduled = true
    vim.schedule(function()
      scheduled = false
      M.publish()
    end)
  end
end

---@param n integer
function M.forget(n)
  changed[n] = nil
end

--- `fn(n)` is called whenever something of session `n` has changed, at the end of the frame.
---@param fn fun(n: integer)
function M.on_change(fn)
  listeners[#listeners + 1] = fn
end

--- Calls the listeners and fires AcpStatus for every session that has changed since the last call, oldest first.
function M.publish()
  if textlock.is_on() then
    return vim.defer_fn(M.publish, 50)
  end
  local numbers = vim.tbl_keys(changed)
  table.sort(numbers)
  changed = {}
  for _, n in ipairs(numbers) do
    for _, listener in ipairs(listeners) do
      local ok, err = xpcall(listener, debug.traceback, n)
      if not ok then
        log.add(tostring(err))
      end
    end
    user_events.fire("AcpStatus", { session = n })
  end
end

return M
