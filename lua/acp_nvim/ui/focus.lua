-- Tells whether the user is at this Neovim, or has turned to another program. A key that is typed proves that somebody
-- is here, whatever the terminal says of the focus: tmux, for one, reports none for keys sent to another pane.
local event = require("acp_nvim.system.event")

local api = vim.api

local on_gained = event.new()

local M = {
  on_gained = on_gained.add, -- fn(): the user has come back
}

local away = false
local typed_at = 0 -- when the last key was typed
local last_typed = ""

---@return boolean
function M.is_away()
  return away
end

--- Returns when the user typed the last key, by `vim.uv.now()`. The keys of a mapping or of a macro are not typed.
---@return integer
function M.typed_at()
  return typed_at
end

--- Returns what the user typed last, before mappings: a key, or all keys of a mapping.
---@return string
function M.typed()
  return last_typed
end

vim.on_key(function(_, typed)
  if typed and typed ~= "" then
    away, typed_at, last_typed = false, vim.uv.now(), typed
  end
end, api.nvim_create_namespace("acp_nvim.focus"))

local group = api.nvim_create_augroup("acp_nvim.focus", {})

api.nvim_create_autocmd("FocusLost", {
  group = group,
  callback = function()
    away = true
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
