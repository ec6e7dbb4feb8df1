-- Waits for an event of a buffer, for a bounded time.
local api = vim.api
local M = {}

--- Calls `done` once: when the event has fired in the buffer, or when the time is over.
---@param event string
---@param buf integer
---@param ms integer
---@param done fun(has_fired: boolean)
function M.wait(event, buf, ms, done)
  local timer, id = assert(vim.uv.new_timer()), nil ---@type uv.uv_timer_t, integer?
  local function finish(has_fired)
    if not timer:is_closing() then
      timer:close()
      pcall(api.nvim_del_autocmd, id)
      vim.schedule(function()
        done(has_fired)
      end)
    end
  end
  id = api.nvim_create_autocmd(event, {
    buffer = buf,
    callback = function()
      finish(true)
      return true
    end,
  })
  timer:start(
    ms,
    0,
    vim.schedule_wrap(function()
      finish(false)
    end)
  )
end

return M
