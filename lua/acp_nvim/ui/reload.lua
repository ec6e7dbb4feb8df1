-- Fills a buffer again after `:edit`. Neovim empties it first, and our buffers have no file to be read from: the empty
-- text would be what `:w` sends.
local api = vim.api
local M = {}

--- Sets the text without an undo step.
---@param buf integer
---@param lines string[]
local function restore(buf, lines)
  local bo = vim.bo[buf]
  local undolevels, modifiable = bo.undolevels, bo.modifiable
  bo.undolevels, bo.modifiable = -1, true
  api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  bo.undolevels, bo.modifiable = undolevels, modifiable
end

--- Calls `fill` when the buffer is reloaded. It then holds the text from before again, to which `u` leads back: Neovim
--- itself forgets it at the first `:edit` of a buffer that no file was read into.
---@param buf integer
---@param fill fun(was_modified: boolean)
local function listen(buf, fill)
  local before, was_modified = {}, false
  api.nvim_create_autocmd("BufUnload", {
    buffer = buf,
    callback = function()
      before, was_modified = api.nvim_buf_get_lines(buf, 0, -1, false), vim.bo[buf].modified
    end,
  })
  api.nvim_create_autocmd("BufReadCmd", {
    buffer = buf,
    callback = function()
      restore(buf, before)
      fill(was_modified)
      vim.bo[buf].filetype = vim.bo[buf].filetype -- `:edit` has ended the syntax
    end,
  })
end

--- Fills the buffer by `fill` whenever the user reloads it; `u` brings back the text from before.
---@param buf integer
---@param fill fun()  also attaches to the buffer again: `:edit` ends each nvim_buf_attach()
function M.fill_by(buf, fill)
  listen(buf, function()
    fill()
    vim.bo[buf].modified = false
  end)
end

--- Keeps the text of a buffer that is the only copy of it, through `:edit!`, too.
---@param buf integer
function M.keep_text(buf)
  listen(buf, function(was_modified)
    vim.schedule(function() -- `:edit` is about to call it unmodified
      if api.nvim_buf_is_valid(buf) then
        vim.bo[buf].modified = was_modified
      end
    end)
  end)
end

return M
