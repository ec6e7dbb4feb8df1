-- Has code of the chat parsed while it is on the screen, and the chat drawn again.
local code_colours = require("acp_nvim.ui.code_colours")

local M = {}

--- Whether a window has come upon the code when it was drawn last.
---@param code acp.Code
---@param drawings table<integer, integer>
---@return boolean
local function is_met(code, drawings)
  for win, drawing in pairs(code.met) do
    if drawings[win] == drawing then
      return true
    end
  end
  return false
end

--- Has code of a chat parsed, and the chat drawn again.
---@param view acp.Drawn
---@param code acp.Code
function M.request_for(view, code)
  code.met[view.win] = view.drawings[view.win]
  code_colours.request(code, function()
    return is_met(code, view.drawings)
  end, function()
    if vim.api.nvim_buf_is_loaded(view.buf) then
      vim.api.nvim__redraw({ buf = view.buf, valid = false, flush = false })
    end
  end)
end

return M
