-- Tells whether this Neovim has the focus, or the user has turned to another program.
local event = require("acp_nvim.system.event")

local api = vim.api

local on_gained = event.new()
local on_lost = event.new()

local M = {
  on_gained = on_gained.add, -- fn(): the user has come back
  on_lost = on_lost.add, -- fn(): the user has turned to another program
}

local away = false

---@return boolean
function M.is_away()
  return away
end

--- Notes that the user acts here, even if the terminal has reported no focus.
function M.is_here()
  away = false
end

local group = api.nvim_create_augroup("acp_nvim.focus", {})

api.nvim_create_autocmd("FocusLost", {
  group = group,
  callback = function()
    away = true
    on_lost.call()
  end,
})

api.nvim_create_autocmd("FocusGained", {
  group = group,
  callback = function()
    away = false
    on_gained.call()
  end,
})

return M
