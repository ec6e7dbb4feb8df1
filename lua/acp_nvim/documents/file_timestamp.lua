-- Tells Neovim that a buffer agrees with its file, after edits gave the buffer the file's text. Unlike a reload of
-- Neovim's, this keeps undo, marks and windows.
local text = require("acp_nvim.documents.text")
local undo_step = require("acp_nvim.documents.undo_step")

local api = vim.api
local M = {}

--- Calls `fn` with modelines off: a reload that the user did not ask for must not set options.
---@param buf integer
---@param fn fun()
---@return boolean ok
---@return any err
local function without_modelines(buf, fn)
  local modeline = vim.bo[buf].modeline
  vim.cmd(("noautocmd call setbufvar(%d, '&modeline', 0)"):format(buf))
  local ok, err = pcall(fn)
  if modeline and api.nvim_buf_is_loaded(buf) then
    vim.cmd(("noautocmd call setbufvar(%d, '&modeline', 1)"):format(buf))
  end
  return ok, err
end

--- Whether there was no file when the buffer was opened. Neovim would ask about one that exists now, whatever it holds.
---@param buf integer
---@return boolean
local function is_new(buf)
  local said = api.nvim_buf_call(buf, function()
    return api.nvim_exec2("file", { output = true }).output
  end)
  return said:find('" ' .. vim.fn.gettext("[New]"), 1, true) ~= nil
end

--- Reads the file again by `:edit!`. Nothing else tells Neovim of such a file without a question or a write.
---@param buf integer
local function open_again(buf)
  local undoreload = vim.o.undoreload
  vim.cmd("noautocmd set undoreload=-1")
  local ok, err = without_modelines(buf, function()
    api.nvim_buf_call(buf, function()
      local is_listed = vim.bo.buflisted
      api.nvim_exec2("noautocmd silent keepalt keepjumps edit!", {})
      if not is_listed then
        vim.cmd("noautocmd setlocal nobuflisted")
      end
      vim.bo.syntax = vim.bo.syntax -- it went with the text
    end)
  end)
  vim.cmd("noautocmd set undoreload=" .. undoreload)
  if not ok then
    error(err, 0)
  end
end

--- Lets Neovim read the file again. It asks nothing while the buffer is unmodified and 'autoread' is on.
---@param buf integer
---@return boolean reloaded  false: Neovim has seen the disk's present state before
local function checktime(buf)
  local reloaded, over = false, false
  api.nvim_buf_attach(buf, false, {
    on_lines = function()
      return over
    end,
    on_reload = function()
      reloaded = true
    end,
  })
  local undoreload = vim.o.undoreload
  vim.cmd("noautocmd set undoreload=-1")
  vim.cmd(("noautocmd call setbufvar(%d, '&autoread', 1)"):format(buf))
  local ok, err = without_modelines(buf, function()
    vim.cmd(("noautocmd silent checktime %d"):format(buf))
  end)
  api.nvim_buf_call(buf, function()
    vim.cmd("noautocmd setlocal autoread<")
  end)
  vim.cmd("noautocmd set undoreload=" .. undoreload)
  over = true
  if not ok then
    error(err, 0)
  end
  return reloaded
end

--- Makes Neovim read a file that it has already seen, and was told to ignore: it would ask before the next `:w`. Only
--- another modification time makes it look again.
---@param buf integer
local function look_again(buf)
  local name = api.nvim_buf_get_name(buf)
  local stat = assert(vim.uv.fs_stat(name))
  local function seconds(time)
    return time.sec + time.nsec / 1e9
  end
  vim.uv.fs_utime(name, seconds(stat.atime), seconds(stat.mtime) + 1e-6)
  checktime(buf)
end

--- Tells Neovim that the buffer holds the disk's text. Undo, marks and windows stay.
---@param buf integer
---@param differed boolean  before the edits it did not, or was modified
---@param rows string[]     the disk's text
---@param takes? boolean    the buffer does not hold it yet: it is taken as Neovim reads it
---@return boolean same  false: the disk has another text by now
function M.agree(buf, differed, rows, takes)
  local position, views = undo_step.undo_position(buf), undo_step.views(buf)
  vim.bo[buf].modified = false
  if is_new(buf) then
    open_again(buf)
  elseif not checktime(buf) and differed then
    look_again(buf)
  end
  if not text.same_lines(rows, api.nvim_buf_get_lines(buf, 0, -1, true)) then
    return false
  end
  if not takes then
    undo_step.erase_since(buf, position)
  end
  vim.bo[buf].modified = false
  undo_step.restore_views(views)
  return true
end

--- Tells Neovim that the file is gone. The buffer then counts as one that has never been written.
---@param buf integer
function M.forget_file(buf)
  local position, views = undo_step.undo_position(buf), undo_step.views(buf)
  local lines, is_void = api.nvim_buf_get_lines(buf, 0, -1, true), text.is_void(buf)
  vim.bo[buf].modified = false
  open_again(buf)
  undo_step.erase_since(buf, position)
  if not text.same_lines(lines, api.nvim_buf_get_lines(buf, 0, -1, true)) then -- there is no undo
    api.nvim_buf_set_lines(buf, 0, -1, true, lines)
  end
  vim.bo[buf].modified = not is_void
  undo_step.restore_views(views)
end

return M
