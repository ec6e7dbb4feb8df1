-- Saves a buffer as `:w` would, without a question. An autocommand of the user's may rename, reload or wipe the buffer
-- meanwhile; then the disk decides whether the text was saved.
local cursors = require("acp_nvim.documents.cursors")
local edit = require("acp_nvim.documents.edit")
local encoding = require("acp_nvim.documents.encoding")
local find = require("acp_nvim.documents.find")
local origin = require("acp_nvim.documents.origin")
local regular_file = require("acp_nvim.system.regular_file")
local text = require("acp_nvim.documents.text")

local api = vim.api
local M = {}

---@class acp.SaveOptions
---@field autocmds? boolean  false: BufWritePre and BufWritePost do not run
---@field final? boolean     the text ends with a line end; else as `:w` decides

--- Returns why the buffer or its file cannot be written. We save by `:write!`, which asks nothing and overrides what
--- `:write` would refuse, so these cases are found before.
---@param buf integer
---@param real? string  where the path led when it was judged
---@return string?
function M.refusal(buf, real)
  local name = api.nvim_buf_get_name(buf)
  local stat = vim.uv.fs_stat(name)
  if not vim.bo[buf].modifiable then
    return "E21: Cannot make changes, 'modifiable' is off"
  elseif vim.bo[buf].readonly then
    return "E45: 'readonly' option is set"
  elseif vim.bo[buf].buftype ~= "" and vim.bo[buf].buftype ~= "acwrite" then
    return "E382: Cannot write, 'buftype' option is set"
  elseif real and find.resolve(name) ~= real then
    return ("%s leads elsewhere now"):format(name)
  elseif stat and stat.type == "directory" then
    return ("E502: %s is a directory"):format(name)
  elseif stat and stat.type ~= "file" then
    return ("E503: %s is not a file"):format(name)
  elseif stat and not vim.uv.fs_access(name, "W") then
    return ("E505: %s is read-only"):format(name)
  end
end

--- Returns an error if the file's encoding lacks a character: `:write!` would put "?" in its place.
---@param buf integer
---@return string?
function M.not_encodable(buf)
  local name = vim.bo[buf].fileencoding
  if name == "" or name:find("^utf") or name:find("^ucs") then
    return nil
  end
  local whole = table.concat(api.nvim_buf_get_lines(buf, 0, -1, true), "\n")
  local bytes = vim.iconv(whole, "utf-8", name)
  if not bytes or vim.iconv(bytes, name, "utf-8") ~= whole then
    return ("E513: the text has characters that %s lacks"):format(name)
  end
end

---@class acp.Witness
---@field changed? boolean   lines of the buffer have changed
---@field reread? boolean    the buffer was read anew, renamed or unloaded

--- Watches what happens to the buffer from now on.
---@param buf integer
---@return acp.Witness
---@return fun() stop
local function watch(buf)
  local seen, over = {}, false ---@type acp.Witness, boolean
  api.nvim_buf_attach(buf, false, {
    on_lines = function()
      seen.changed = seen.changed or not over
      return over
    end,
    on_reload = function()
      seen.reread = seen.reread or not over
    end,
    on_detach = function()
      seen.reread = seen.reread or not over
    end,
  })
  return seen, function()
    over = true
  end
end

--- Returns the window of this tabpage in which Neovim would run autocommands for the buffer.
---@param buf integer
---@return integer? win
local function shown_in(buf)
  local here = api.nvim_get_current_win()
  if api.nvim_win_get_buf(here) == buf then
    return here
  end
  return vim.iter(api.nvim_tabpage_list_wins(0)):find(function(win)
    return api.nvim_win_get_buf(win) == buf
  end)
end

--- Calls `fn` and gives the last selection in the current buffer its kind back, which only another selection can.
---@param fn fun()
local function keeping_kind_of_selection(fn)
  local buf, kind = api.nvim_get_current_buf(), vim.fn.visualmode()
  fn()
  if kind ~= "" and api.nvim_get_current_buf() == buf and vim.fn.visualmode() ~= kind then
    vim.cmd("noautocmd keepjumps normal! " .. kind .. "\27")
  end
end

--- Calls `fn` with the buffer as the current one, and not in a window of the user's: a formatter that moves would leave
--- its way in the jump list, and no function of Neovim's takes that back.
---@param buf integer
---@param fn fun()
local function beside_users_windows(buf, fn)
  local like = shown_in(buf)
  if not like or vim.fn.getcmdwintype() ~= "" then
    return api.nvim_buf_call(buf, fn)
  end
  local size = { width = api.nvim_win_get_width(like), height = api.nvim_win_get_height(like) }
  local place = { relative = "editor", row = 0, col = 0, focusable = false, hide = true, noautocmd = true }
  local win = api.nvim_win_call(like, function() -- its options and folder
    return api.nvim_open_win(buf, false, vim.tbl_extend("error", place, size))
  end)
  local ok, err = pcall(api.nvim_win_call, win, function()
    keeping_kind_of_selection(fn)
  end)
  if api.nvim_win_is_valid(win) then
    vim.cmd(("noautocmd call nvim_win_close(%d, v:true)"):format(win))
  end
  if not ok then
    error(err, 0)
  end
end

---@param buf integer
---@param options acp.SaveOptions
---@param rows string[]  of the buffer
---@param seen acp.Witness
---@return boolean ok
---@return any err
local function run_write(buf, options, rows, seen)
  local fixes = vim.bo[buf].fixendofline
  if options.final ~= nil then
    vim.bo[buf].fixendofline = false
  end
  local command = (options.autocmds == false and "noautocmd " or "") .. "silent keepalt write!"
  local put_back = cursors.hold(buf, rows)
  local call = options.autocmds == false and api.nvim_buf_call or beside_users_windows
  local ok, err = pcall(call, buf, function()
    local done, why = pcall(api.nvim_exec2, command, {})
    if not done then
      error(why, 0)
    end
  end)
  if api.nvim_buf_is_loaded(buf) then
    put_back((seen.changed or seen.reread) and api.nvim_buf_get_lines(buf, 0, -1, true) or rows)
    vim.bo[buf].fixendofline = fixes
  end
  return ok, err
end

---@param path string
---@return string  changes whenever the file is written
local function state_of(path)
  local stat = vim.uv.fs_stat(path)
  return stat and vim.inspect({ stat.mtime, stat.ctime, stat.ino, stat.size }) or ""
end

--- Reads the file as it is now.
---@param path string
---@param ff "unix"|"dos"|"mac"  how it ends its lines
---@param binary? boolean
---@return acp.Text?
local function on_disk(path, ff, binary)
  local fd, stat = regular_file.reading(path)
  if not fd then
    return nil
  end
  ---@cast stat uv.fs_stat.result
  local data = vim.uv.fs_read(fd, stat.size, 0) --[[@as string?]]
  vim.uv.fs_close(fd)
  return data and text.split(data, ff, binary)
end

---@class acp.Saved
---@field ok? boolean       the file holds the text, or what an autocommand has made of it
---@field text? acp.Text    which; nil: the text that the buffer held before
---@field warning? string   an autocommand has failed after that
---@field error? string     the file was not saved
---@field touched? boolean  and holds something else than before
---@field changed? boolean  an autocommand has changed the buffer, or read it anew

--- Decides by the disk whether the text was saved, after an autocommand has reloaded, renamed or unloaded the buffer. A
--- formatter may have changed the text. The text of before, or an error and another text, count as not saved.
---@param found? acp.Text  what the disk holds
---@param before string[]
---@param after string[]
---@param err? any
---@return acp.Saved
local function judged_by_disk(found, before, after, err)
  local is_wanted = found and text.same_lines(text.rows(found.lines), text.rows(after))
  local is_old = found and text.same_lines(text.rows(found.lines), before)
  if found and (is_wanted or not (is_old or err)) then
    return { ok = true, text = found, changed = true, warning = err and edit.one_line(err) or nil }
  end
  return { error = err and edit.one_line(err) or "an autocommand changed the text" }
end

--- Saves the buffer.
---@param buf integer
---@param options acp.SaveOptions
---@param before string[]  the rows of the buffer before it was changed
---@param after? string[]  its lines now; nil: they are read
---@return acp.Saved
function M.save(buf, options, before, after)
  local path = find.resolve(api.nvim_buf_get_name(buf))
  local ff, is_binary = vim.bo[buf].fileformat, vim.bo[buf].binary
  after = after or api.nvim_buf_get_lines(buf, 0, -1, true)
  local state = state_of(path)
  local seen, stop = watch(buf)
  local ok, err = run_write(buf, options, text.rows(after), seen)
  stop()
  local is_there = api.nvim_buf_is_loaded(buf) and find.resolve(api.nvim_buf_get_name(buf)) == path
  local touched = state_of(path) ~= state
  if not is_there or seen.reread then
    local found = on_disk(path, is_binary and "unix" or ff, is_binary or nil)
    return judged_by_disk(found, before, after, not ok and err or nil)
  elseif vim.bo[buf].modified and not (ok and touched) then
    return { error = ok and "the buffer was not written" or edit.one_line(err), touched = touched or nil }
  end
  origin.record(buf)
  local saved = seen.changed and text.of_buffer(buf) or nil
  return { ok = true, text = saved, changed = seen.changed, warning = not ok and edit.one_line(err) or nil }
end

--- Whether the file holds the buffer's text after a save that failed half-way: Neovim may have restored its backup.
---@param buf integer
---@return boolean
function M.is_as_on_disk(buf)
  local data = origin.read(buf)
  local found = data and encoding.text(buf, data)
  return found ~= nil and text.same(found, text.of_buffer(buf))
end

return M
