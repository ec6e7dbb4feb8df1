-- Answers Neovim's question about a file that has changed outside of it (W12): nothing is done, and no key answers.
-- Neovim still asks before a `:w`, which would overwrite the disk's lines.
local api = vim.api
local M = {}

--- Calls `fn`, in which Neovim may look at the buffer's file.
---@param buf integer
---@param fn fun()
---@return boolean has_asked  the file has changed since Neovim last looked, and it did not read it
function M.answer(buf, fn)
  local has_asked = false
  local id = api.nvim_create_autocmd("FileChangedShell", {
    buffer = buf,
    callback = function()
      has_asked = vim.v.fcs_reason ~= "deleted"
      vim.v.fcs_choice = ""
    end,
  })
  local ok, err = pcall(fn)
  pcall(api.nvim_del_autocmd, id) -- it goes with a buffer that is wiped
  if not ok then
    error(err, 0)
  end
  return has_asked
end

--- Whether the file has changed under unsaved lines since Neovim last looked.
---@param buf integer
---@return boolean
function M.has_changed(buf)
  return M.answer(buf, function()
    pcall(vim.cmd, ("silent checktime %d"):format(buf))
  end)
end

return M
