-- Who wants to know of the hunks of loaded files: their keys come and go with them.
local M = {}

local listeners = {} ---@type fun(buf: integer, has_pending: boolean)[]
local gone_listeners = {} ---@type fun(buf: integer)[]

--- `fn(buf, has_pending)` is called whenever the hunks of a loaded file have changed.
---@param fn fun(buf: integer, has_pending: boolean)
---@param gone fun(buf: integer)  it is unloaded
function M.listen(fn, gone)
  listeners[#listeners + 1] = fn
  gone_listeners[#gone_listeners + 1] = gone
end

---@param buf? integer
---@param pending boolean
function M.announce(buf, pending)
  for _, listener in ipairs(buf and listeners or {}) do
    listener(buf --[[@as integer]], pending)
  end
end

--- The buffer is gone.
---@param buf integer
function M.announce_gone(buf)
  for _, listener in ipairs(gone_listeners) do
    listener(buf)
  end
end

return M
