-- The public module. An init file that calls setup() pays for the configuration's check alone; the rest of the API is
-- loaded when it is first used.
---@class acp
local M = {}

--- Configures the plugin. It is optional; `vim.g.acp_nvim` does the same.
---@param options? table  see |acp_nvim-configuration|
---@return true? ok
---@return string? message
function M.setup(options)
  local ok, err = pcall(function()
    require("acp_nvim.config").setup(options)
    local backend = package.loaded["acp_nvim.backend"]
    if backend and backend.is_running() then
      backend.setup()
    end
  end)
  if not ok then
    require("acp_nvim.scratch").log(tostring(err))
    return nil, tostring(err)
  end
  return true
end

return setmetatable(M, {
  __index = function(_, name)
    return require("acp_nvim.api")[name]
  end,
})
