-- Removes the empty buffers and windows that a file of |:mksession| makes of ours. While such a file is read our
-- windows are closed, and opened again afterwards.
--
-- To leave our buffers their names, and to close what has come of them at the end, was tried: the file opens the live
-- chat and prompt in plain windows, from which our guards send them away again, and empty windows stay beside the
-- user's.
local pairs_of = require("acp_nvim.windows.window_pair")
local regular_file = require("acp_nvim.system.regular_file")
local session_store = require("acp_nvim.backend.session_store")
local session_windows = require("acp_nvim.windows.session_windows")

local api = vim.api
local M = {}

---@class acp.MadeWay  what stands aside while a session file is read
---@field names table<integer, string>  buffer -> its name
---@field shown? integer  the session that the tabpage showed
---@field shortmess string
---@field quiet integer  autocommand

local is_due = false
local aside ---@type acp.MadeWay?

---@param buf integer
---@return boolean
local function is_leftover(buf)
  return vim.b[buf].acp_session == nil and vim.fn.bufname(buf):find("^acp://%w") ~= nil
end

---@param win integer
local function close(win)
  if #api.nvim_list_tabpages() == 1 and #api.nvim_tabpage_list_wins(0) == 1 then
    -- the last one shows something else once its buffer has gone
    return api.nvim_set_option_value("winfixbuf", false, { win = win, scope = "local" })
  end
  api.nvim_win_close(win, true)
end

local function clear()
  for _, buf in ipairs(vim.tbl_filter(is_leftover, api.nvim_list_bufs())) do
    for _, win in ipairs(vim.fn.win_findbuf(buf)) do
      close(win)
    end
    if api.nvim_buf_is_valid(buf) then -- with 'sessionoptions' "localoptions" it may go with its window
      api.nvim_buf_delete(buf, { force = true })
    end
  end
end

--- Neovim keeps the old name in a new buffer, which would be in the way of whoever takes that name next.
---@param buf integer
---@param name string
local function rename(buf, name)
  local before, ignored = api.nvim_buf_get_name(buf), vim.o.eventignore
  vim.o.eventignore = "all"
  api.nvim_buf_set_name(buf, name)
  local rest = vim.fn.bufnr("^" .. before .. "$")
  if rest > 0 and rest ~= buf then
    api.nvim_buf_delete(rest, { force = true })
  end
  vim.o.eventignore = ignored
end

--- Has Neovim say nothing of the names that a session file gives to buffers: three lines are a hit-enter prompt. The
--- file takes the flag "F" from 'shortmess' for that.
---@return integer autocommand
local function keep_quiet()
  return api.nvim_create_autocmd("OptionSet", {
    pattern = "shortmess",
    callback = function()
      vim.opt.shortmess:append("F")
    end,
  })
end

--- A session file begins with `:only`, which would leave our window alone, and takes the names of our buffers for its
--- own: the windows are closed, the buffers called something else meanwhile.
local function make_way()
  local pair = pairs_of.current()
  aside = { names = {}, shown = pair and pair.session, shortmess = vim.o.shortmess, quiet = keep_quiet() }
  session_windows.close()
  for _, buf in ipairs(api.nvim_list_bufs()) do
    local name = api.nvim_buf_get_name(buf)
    if vim.startswith(name, "acp://") then
      aside.names[buf] = name
      rename(buf, "live-" .. name)
    end
  end
end

local function come_back()
  local was = assert(aside)
  aside = nil
  api.nvim_del_autocmd(was.quiet)
  vim.o.shortmess = was.shortmess
  for buf, name in pairs(was.names) do
    if api.nvim_buf_is_valid(buf) then
      rename(buf, name)
    end
  end
  if was.shown and session_store.exists(was.shown) then
    session_windows.open(was.shown)
  end
end

--- Cleans up once the session file has been read to its end.
function M.clear_soon()
  if not is_due then
    is_due = true
    vim.schedule(function()
      is_due = false
      clear()
      if aside then
        come_back()
      end
    end)
  end
end

---@param file string
---@return boolean
local function is_session_file(file)
  local fd = regular_file.reading(file) -- `:source <(…)` reads a pipe, which can be read once
  if not fd then
    return false
  end
  local begun = vim.uv.fs_read(fd, #"let SessionLoad", 0)
  vim.uv.fs_close(fd)
  return begun == "let SessionLoad"
end

--- Begins to watch for session files: from now on there are buffers of ours.
function M.attend()
  local group = api.nvim_create_augroup("acp_nvim.mksession", {})
  api.nvim_create_autocmd("SourcePre", {
    group = group,
    callback = function(event)
      if not aside and is_session_file(event.file) then
        make_way()
      end
    end,
  })
  api.nvim_create_autocmd("SourcePost", {
    group = group,
    callback = function(event)
      if aside and is_session_file(event.file) then
        M.clear_soon()
      end
    end,
  })
end

return M
