-- Defines the public module. setup() costs next to nothing in an init file: its table is checked once Neovim has
-- started, or when the API, which is loaded at its first use, needs it.
local setup_options = require("acp_nvim.config.setup_options")

---@class acp
local M = {}

local FAST = "not in a fast event: call it in vim.schedule()"

---@param options? table
local function check_later(options)
  if not setup_options.options then
    vim.api.nvim_create_autocmd("VimEnter", {
      once = true,
      callback = vim.schedule_wrap(function()
        require("acp_nvim.config.settings").get()
      end),
    })
  end
  setup_options.options = options or {}
end

--- Configures the plugin. It is optional; `vim.g.acp_nvim` does the same.
---@param options? table  see |acp_nvim-configuration|
---@return true? ok
---@return string? message
function M.setup(options)
  if vim.in_fast_event() then
    return nil, FAST
  end
  local keys = type(options) == "table" and options.keys
  if keys or package.loaded["acp_nvim.config.global_keys"] then
    require("acp_nvim.config.global_keys").map_soon(keys or "")
  end
  if vim.v.vim_did_enter == 0 and not package.loaded["acp_nvim.config.settings"] then
    check_later(options)
    return true
  end
  local ok, err = pcall(function()
    require("acp_nvim.config.settings").setup(options)
    local backend = package.loaded["acp_nvim.backend.process"]
    if backend and backend.is_running() then
      backend.setup()
    end
  end)
  if not ok then
    require("acp_nvim.ui.log").add(tostring(err))
    return nil, tostring(err)
  end
  return true
end

-- Modules that fail to load in a fast event, where most of Neovim's API is forbidden, could never be loaded again.
local function refuse()
  return nil, FAST
end

return setmetatable(M, {
  __index = function(_, name)
    if vim.in_fast_event() and not package.loaded["acp_nvim.api"] then
      return refuse
    end
    require("acp_nvim.wiring")
    return require("acp_nvim.api")[name]
  end,
})
