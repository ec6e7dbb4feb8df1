-- Shows messages that the user did not ask for. One that the mode's name covers is shown again in normal mode.
local is_covered = require("acp_nvim.ui.message_float").is_covered
local messages = require("acp_nvim.ui.messages")

local M = {}

---@class acp.Missed
---@field level "info"|"warn"|"error"
---@field text string
---@field still? fun(): boolean

local missed ---@type acp.Missed?  the newest

---@param said integer  messages when the mode was left: one that has come since answers a key, and stays
local function say_again(said)
  local again = missed
  if not again or is_covered() then
    return
  end
  missed = nil
  if messages.shown_so_far() == said and (not again.still or again.still()) then
    messages.show(again.level, again.text, true)
  end
end

--- Shows a message. If the mode's name covers it, it is shown again in normal mode, unless `still` returns false by
--- then. Only the newest is shown again, but a question takes precedence over a message that needs no answer.
---@param level "info"|"warn"|"error"
---@param text string
---@param still? fun(): boolean
function M.show(level, text, still)
  messages.show(level, text)
  if not messages.is_echoed() or not is_covered() or (level == "info" and not still) then
    return
  end
  local waits = missed and missed.still and missed.level == "warn" and missed.still()
  if still or not waits then
    missed = { level = level, text = text, still = still }
  end
end

vim.api.nvim_create_autocmd("ModeChanged", {
  group = vim.api.nvim_create_augroup("acp_nvim.unasked_message", {}),
  pattern = "*:n*",
  callback = function()
    if missed then
      local said = messages.shown_so_far()
      vim.schedule(function() -- behind what Neovim clears
        say_again(said)
      end)
    end
  end,
})

return M
