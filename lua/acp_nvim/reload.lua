-- A file has changed on disk under a loaded buffer: the buffer takes the disk's text by edits, so that undo, marks and
-- windows survive, which no reload of Neovim's does; then Neovim is made to see that the two agree.
local anchor = require("acp_nvim.documents.visual_anchor")
local changes = require("acp_nvim.documents.changes")
local edits = require("acp_nvim.edits")
local files = require("acp_nvim.files")

local api = vim.api
local M = {}

---@class acp.ReloadOptions
---@field after? acp.Edit[]  from the disk's text to one with the user's unsaved lines in it
---@field final? boolean     of the disk's text: it ends with a line end
---@field bomb? boolean
---@field ff? "unix"|"dos"|"mac"
---@field fenc? string        what the disk is in, if not in the buffer's encoding
---@field by? acp.By          for whom
---@field seen? integer[]     how the file looked with the disk's text: see `stamp`; only where that text is UTF-8

--- What the user reads anew without having asked for it does nothing by its modelines.
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

--- There was no file when the buffer was opened: Neovim would ask about the one that is there now, whatever it holds.
---@param buf integer
---@return boolean
local function is_new(buf)
  local said = api.nvim_buf_call(buf, function()
    return api.nvim_exec2("file", { output = true }).output
  end)
  return said:find('" ' .. vim.fn.gettext("[New]"), 1, true) ~= nil
end

--- The only way in which Neovim learns of such a file without a question or a write.
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

--- Neovim reads the file: it asks nothing as long as the buffer is unmodified and 'autoread' is on.
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

--- Neovim has seen this disk and was told to keep its own text: it would ask before the next `:w`. Only a time that it
--- has not seen makes it look again.
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

--- `vim.deep_equal` takes a quarter of a second for a hundred thousand lines in Neovim 0.10.
---@param some string[]
---@param others string[]
---@return boolean
local function is_same(some, others)
  if #some ~= #others then
    return false
  end
  for i = 1, #some do
    if some[i] ~= others[i] then
      return false
    end
  end
  return true
end

--- What changes with a file: its number, its size, when it was modified and when it changed, in seconds and beyond.
---@param buf integer
---@return integer[]
local function stamp(buf)
  local stat = vim.uv.fs_stat(api.nvim_buf_get_name(buf))
  if not stat then
    return {}
  end
  return { stat.ino, stat.size, stat.mtime.sec, stat.mtime.nsec, stat.ctime.sec, stat.ctime.nsec }
end

--- What the text of a buffer depends on beside the bytes of its file, and how much text it is.
---@param buf integer
---@return any[]
local function measures(buf)
  local bo, count = vim.bo[buf], api.nvim_buf_line_count(buf)
  return { bo.fileencoding, bo.fileformat, bo.bomb, bo.endofline, count, api.nvim_buf_get_offset(buf, count) }
end

--- True when called later if the buffer holds the same text then. To get and compare a hundred thousand lines takes
--- half of a reload: where the file is as it was when its text was read, Neovim has read the same.
---@param buf integer
---@param seen? integer[]
---@return fun(): boolean
local function text_keeper(buf, seen)
  if seen and vim.deep_equal(stamp(buf), seen) then
    local before = measures(buf)
    return function()
      return vim.deep_equal(stamp(buf), seen) and vim.deep_equal(measures(buf), before)
    end
  end
  local lines = api.nvim_buf_get_lines(buf, 0, -1, true)
  return function()
    return is_same(lines, api.nvim_buf_get_lines(buf, 0, -1, true))
  end
end

--- The buffer holds the disk's text; Neovim learns it, and nothing else changes.
---@param buf integer
---@param differed boolean  it did not before, or counted as modified
---@param seen? integer[]
---@return boolean same  false: the disk has another text by now
local function agree(buf, differed, seen)
  local position, views = edits.undo_position(buf), edits.views(buf)
  local is_still = text_keeper(buf, seen)
  vim.bo[buf].modified = false
  if is_new(buf) then
    open_again(buf)
  elseif not checktime(buf) and differed then
    is_still = text_keeper(buf) -- the file gets another time
    look_again(buf)
  end
  if not is_still() then
    return false
  end
  edits.forget(buf, position)
  vim.bo[buf].modified = false
  edits.restore_views(views)
  return true
end

--- The buffer's file is gone: for Neovim it is one that has not been written yet.
---@param buf integer
local function forget_file(buf)
  local position, views = edits.undo_position(buf), edits.views(buf)
  local lines, is_void = api.nvim_buf_get_lines(buf, 0, -1, true), edits.is_void(buf)
  vim.bo[buf].modified = false
  open_again(buf)
  edits.forget(buf, position)
  if not is_same(lines, api.nvim_buf_get_lines(buf, 0, -1, true)) then -- there is no undo
    api.nvim_buf_set_lines(buf, 0, -1, true, lines)
  end
  vim.bo[buf].modified = not is_void
  edits.restore_views(views)
end

--- Where the row has gone, by the difference of both texts.
---@param row integer  from 1
---@param hunks integer[][]
---@return integer
local function moved(row, hunks)
  local shift = 0
  for _, hunk in ipairs(hunks) do
    local first, gone, start, come = unpack(hunk)
    if gone > 0 and first <= row and row < first + gone then
      return math.max(1, start + math.min(row - first, math.max(come - 1, 0)))
    elseif row > first + math.max(gone - 1, 0) then
      shift = shift + come - gone
    end
  end
  return row + shift
end

--- The user's unsaved lines go and come back on the way: every cursor stays on its line all the same.
---@param buf integer
---@return fun()
function M.hold_cursors(buf)
  local diff = vim.text and vim.text.diff or vim.diff
  local before = table.concat(api.nvim_buf_get_lines(buf, 0, -1, true), "\n") .. "\n"
  local cursors = {}
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    cursors[win] = api.nvim_win_get_cursor(win)
  end
  local selected = anchor.get(buf)
  return function()
    local after = table.concat(api.nvim_buf_get_lines(buf, 0, -1, true), "\n") .. "\n"
    local hunks = diff(before, after, { result_type = "indices" }) --[[@as integer[][] ]]
    local last = api.nvim_buf_line_count(buf)
    for win, cursor in pairs(cursors) do
      api.nvim_win_set_cursor(win, { math.min(moved(cursor[1], hunks), last), cursor[2] })
    end
    if selected then
      anchor.put(buf, { math.min(moved(selected[1], hunks), last), selected[2] })
    end
  end
end

---@param buf integer
---@param list acp.Edit[]
---@param options acp.ReloadOptions
---@param change acp.BufferChange
---@return boolean same
local function change_and_agree(buf, list, options, change)
  local differed = vim.bo[buf].modified or #list > 0
  local put_cursors_back = options.after and #options.after > 0 and M.hold_cursors(buf)
  edits.break_undo(buf)
  edits.apply(buf, list)
  edits.set_format(buf, options)
  if not agree(buf, differed, options.seen) then
    return false
  end
  if options.after and #options.after > 0 then
    change.disk = api.nvim_buf_get_lines(buf, 0, -1, true)
    if #list > 0 then
      api.nvim_buf_call(buf, function()
        vim.cmd("silent! undojoin")
      end)
    end
    edits.apply(buf, options.after)
  end
  if put_cursors_back then
    put_cursors_back()
  end
  edits.break_undo(buf)
  return true
end

--- Neovim reads the file again on the way: no extmark is sure to be where it was.
---@param buf integer
---@param by? acp.By
---@return acp.BufferChange
local function begin(buf, by)
  local path, rows = files.resolve(api.nvim_buf_get_name(buf)), api.nvim_buf_get_lines(buf, 0, -1, true)
  return changes.begin({ buf = buf, path = path, by = by, before = rows, anew = true })
end

--- `list` makes the disk's text of the buffer as it was at `tick`; `options.after` the buffer's new one of that.
---@param buf integer
---@param tick integer
---@param list acp.Edit[]
---@param options acp.ReloadOptions
---@return table answer  { ok, tick } | { stale } (the buffer or the disk has changed: begin anew) | { error, locked? }
function M.reload(buf, tick, list, options)
  if not api.nvim_buf_is_loaded(buf) or api.nvim_buf_get_changedtick(buf) ~= tick then
    return { stale = true }
  end
  local stat = vim.uv.fs_stat(api.nvim_buf_get_name(buf))
  if not stat or stat.type ~= "file" then
    return { error = "the file is gone" }
  elseif not vim.bo[buf].modifiable then
    return { error = "E21: Cannot make changes, 'modifiable' is off" }
  end
  local busy = require("acp_nvim.busy").refusal(buf) or require("acp_nvim.busy").in_cmdwin()
  if busy then
    return busy
  end
  local before = edits.remember(buf)
  local change = begin(buf, options.by)
  local ok, same = pcall(change_and_agree, buf, list, options, change)
  if ok and same then
    files.in_step(buf)
    changes.applied(change, options.steps or { { by = options.by, edits = list } })
    changes.finish(change, true)
    return { ok = true, tick = api.nvim_buf_get_changedtick(buf) }
  elseif not ok and api.nvim_buf_get_changedtick(buf) == tick and edits.is_locked(same) then
    changes.finish(change, false)
    return { error = edits.one_line(same), locked = true }
  end
  edits.take_back(buf, before)
  changes.finish(change, false)
  return ok and { stale = true } or { error = edits.one_line(same) }
end

--- A file that is to be deleted comes into a hidden buffer first, so that `:e`, `u` and `:w` bring it back. Nobody has
--- opened it: no autocommand, modeline or swap file sees it, until it is shown.
---@param path string
---@return boolean loaded
function M.load(path)
  local buf = vim.fn.bufadd(path)
  local modeline = vim.o.modeline
  vim.cmd("noautocmd set nomodeline")
  local ok = pcall(vim.cmd, ("noautocmd silent noswapfile call bufload(%d)"):format(buf))
  vim.cmd("noautocmd set " .. (modeline and "modeline" or "nomodeline"))
  if not ok or not api.nvim_buf_is_loaded(buf) then
    return false
  end
  api.nvim_create_autocmd("BufWinEnter", {
    buffer = buf,
    once = true,
    desc = "acp: the file type of what was loaded by its undo",
    command = "doautocmd <nomodeline> filetypedetect BufNewFile",
  })
  return true
end

--- `list` takes lines out of the buffer as it was at `tick`, and its file is deleted: what is left is not saved. `u` and
--- `:w` bring both back.
---@param buf integer
---@param tick integer
---@param list acp.Edit[]
---@param options { real: string, is_gone: boolean, by?: acp.By }  `is_gone`: there is no file
---@return table answer  { ok, tick } | { stale } | { error, locked? }
function M.remove(buf, tick, list, options)
  local is_there = vim.uv.fs_stat(options.real) ~= nil
  if not api.nvim_buf_is_loaded(buf) or api.nvim_buf_get_changedtick(buf) ~= tick then
    return { stale = true }
  elseif options.is_gone and is_there then
    return { stale = true }
  elseif files.resolve(api.nvim_buf_get_name(buf)) ~= options.real then
    return { error = ("%s leads elsewhere now"):format(api.nvim_buf_get_name(buf)) }
  elseif not vim.bo[buf].modifiable then
    return { error = "E21: Cannot make changes, 'modifiable' is off" }
  end
  local busy = require("acp_nvim.busy").refusal(buf) or require("acp_nvim.busy").in_cmdwin()
  if busy then
    return busy
  end
  local before = edits.remember(buf)
  local change = begin(buf, options.by)
  local ok, err = pcall(function()
    edits.break_undo(buf)
    edits.apply(buf, list)
    if not options.is_gone then
      local gone, why, code = vim.uv.fs_unlink(options.real)
      assert(gone or code == "ENOENT", why)
    end
    forget_file(buf)
    edits.break_undo(buf)
    changes.applied(change, { { by = options.by, edits = list } })
  end)
  if not ok then
    edits.take_back(buf, before)
  end
  changes.finish(change, ok)
  if not ok then
    return { error = edits.one_line(err) }
  end
  return { ok = true, tick = api.nvim_buf_get_changedtick(buf) }
end

return M
