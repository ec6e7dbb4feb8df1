-- Writes a copy of a side of a proposal, for `:w {file}` or `:saveas`. The side's buffer keeps its name.
local messages = require("acp_nvim.ui.messages")

local api = vim.api
local M = {}

--- Gives the buffer its name again after `:saveas`, and deletes the buffer that Neovim has made for the other name.
---@param buf integer
---@param name string
local function name_again(buf, name)
  if not api.nvim_buf_is_valid(buf) or api.nvim_buf_get_name(buf) == name then
    return
  end
  local bufs = api.nvim_list_bufs()
  api.nvim_buf_set_name(buf, name)
  for _, other in ipairs(api.nvim_list_bufs()) do
    if not vim.list_contains(bufs, other) and not api.nvim_buf_is_loaded(other) then
      api.nvim_buf_delete(other, { force = true })
    end
  end
end

--- Writes the lines of a BufWriteCmd to the file that the command names, and tells the user.
---@param event table  BufWriteCmd
---@param name string  of the side's buffer
---@param besides string  what the user should know of the side once the copy is written
---@return boolean ok
function M.write(event, name, besides)
  local first, last = vim.fn.line("'["), vim.fn.line("']")
  local lines = api.nvim_buf_get_lines(event.buf, first - 1, last, false)
  local ok, err = pcall(vim.fn.writefile, lines, event.match)
  local said = ok and "written: %s" .. besides or "not written: %s"
  messages.show(ok and "info" or "error", said:format(ok and vim.fn.fnamemodify(event.match, ":~:.") or err))
  vim.schedule(function()
    name_again(event.buf, name)
  end)
  return ok
end

return M
