-- The files that are loaded here: what an agent reads is what the user sees. Looking opens nothing and loads nothing.
local edits = require("acp_nvim.edits")

local api = vim.api
local M = {}

local FEW_LINES = 5000 -- they come along with the look
local FRESH_MS = 1000

local written = {} ---@type table<integer, integer[]> buffers -> when their files changed as they were last written here

local resolved = {} ---@type table<string, string> name of a buffer -> where it leads, for a moment
local resolved_at = 0

--- Where a path leads: symlinks resolved as far as there is anything.
---@param path string
---@return string
function M.resolve(path)
  local rest = ""
  while true do
    local real = vim.uv.fs_realpath(path)
    if real then
      return (real == "/" and rest ~= "") and rest or real .. rest
    end
    local parent = vim.fs.dirname(path)
    if not parent or parent == path or parent == "." then
      return path .. rest
    end
    rest = "/" .. vim.fs.basename(path) .. rest
    path = parent
  end
end

--- The same for a buffer; an agent reads many files in a row, and every buffer is asked each time.
---@param name string
---@return string
local function resolve_name(name)
  if vim.uv.now() - resolved_at > FRESH_MS then
    resolved, resolved_at = {}, vim.uv.now()
  end
  resolved[name] = resolved[name] or M.resolve(name)
  return resolved[name]
end

--- The buffer's text is that of the file which it is named after. The right side of a proposal is none, though it is
--- written like one.
---@param buf integer
---@return boolean
local function is_file(buf)
  local kind, name = vim.bo[buf].buftype, api.nvim_buf_get_name(buf)
  local is_named = name ~= "" and not vim.startswith(name, "acp://")
  return api.nvim_buf_is_loaded(buf) and (kind == "" or kind == "acwrite") and is_named
end

--- The loaded buffer of a file.
---@param path string
---@return integer? buf  of several the one with unsaved changes
function M.find(path)
  local real, found = M.resolve(path), nil
  for _, buf in ipairs(api.nvim_list_bufs()) do
    if is_file(buf) and resolve_name(api.nvim_buf_get_name(buf)) == real and (not found or vim.bo[buf].modified) then
      found = buf
    end
  end
  return found
end

--- Does the file end with a line end?
---@param path string
---@return boolean
local function ends_line(path)
  local file, stat = require("acp_nvim.system.regular_file").reading(path)
  if not file then
    return false
  end
  local last = stat.size > 0 and vim.uv.fs_read(file, 1, stat.size - 1)
  vim.uv.fs_close(file)
  return last == "\n" or last == "\r"
end

--- The text ends with a line end. Where 'fixendofline' has once put one into the file, 'endofline' does not know of it.
---@param buf integer
---@return boolean
function M.is_final(buf)
  local bo = vim.bo[buf]
  local fixed = not bo.endofline and bo.fixendofline and not bo.binary and ends_line(api.nvim_buf_get_name(buf))
  return (bo.endofline or fixed) and not edits.is_void(buf)
end

---@param buf integer
---@return boolean  the disk can be read in the buffer's place
local function is_plain(buf)
  local bo = vim.bo[buf]
  local utf8 = bo.fileencoding == "" or bo.fileencoding == "utf-8"
  return utf8 and not bo.modified and bo.buftype == "" and not bo.binary
end

---@class acp.Look
---@field buf integer
---@field tick integer
---@field modified boolean
---@field plain boolean     the disk can be read in its place
---@field count integer     of its lines
---@field bomb boolean
---@field ff "unix"|"dos"|"mac"
---@field fenc string
---@field fencs? string     in which it would be tried to read it anew
---@field final boolean     the text ends with a line end
---@field written? integer[] when the file changed, in seconds and nanoseconds, as it was last written from here
---@field lines? string[]   few of them, where they are wanted

--- What is to be known of the loaded buffer of a file.
---@param path string  absolute
---@param known? integer[]  { buf, tick } whose lines are known, or nothing; nil: those of a plain one are not wanted
---@return acp.Look?  nil: none is loaded
function M.look(path, known)
  local buf = M.find(path)
  if not buf then
    return nil
  end
  local bo, count, plain = vim.bo[buf], api.nvim_buf_line_count(buf), is_plain(buf)
  local tick = api.nvim_buf_get_changedtick(buf)
  local wanted = not plain
  if known then
    wanted = known[1] ~= buf or known[2] ~= tick
  end
  return {
    buf = buf,
    tick = tick,
    modified = bo.modified,
    plain = plain,
    count = count,
    bomb = bo.bomb,
    ff = bo.fileformat,
    fenc = bo.fileencoding,
    fencs = bo.fileencoding ~= "" and bo.fileencoding ~= "utf-8" and vim.o.fileencodings or nil,
    final = M.is_final(buf),
    written = written[buf],
    lines = wanted and count <= FEW_LINES and api.nvim_buf_get_lines(buf, 0, -1, true) or nil,
  }
end

--- A slice of the buffer as it was at `tick`.
---@param buf integer
---@param tick integer
---@param first integer  0-based
---@param last integer   exclusive
---@return string[]? lines  nil: it has changed since
function M.lines(buf, tick, first, last)
  if api.nvim_buf_is_loaded(buf) and api.nvim_buf_get_changedtick(buf) == tick then
    return api.nvim_buf_get_lines(buf, first, last, false)
  end
end

local told = {} ---@type table<integer, string> buffers told to be modified -> their resolved path
local watcher ---@type integer? the group of the autocommands

--- The files in loaded buffers, by their resolved paths.
---@return string[]
function M.loaded()
  local paths = {}
  for _, buf in ipairs(api.nvim_list_bufs()) do
    if is_file(buf) then
      paths[#paths + 1] = M.resolve(api.nvim_buf_get_name(buf))
    end
  end
  return paths
end

---@alias acp.Stamp integer[]  seconds and nanoseconds of the last change, size, inode

local stamps = {} ---@type table<integer, acp.Stamp> buffers -> how their files looked when they were read or written

---@param buf integer
---@return acp.Stamp?
local function stamp(buf)
  local stat = vim.uv.fs_stat(api.nvim_buf_get_name(buf))
  return stat and { stat.mtime.sec, stat.mtime.nsec, stat.size, stat.ino }
end

--- The buffer holds what its file does.
---@param buf integer
function M.in_step(buf)
  stamps[buf] = watcher and is_file(buf) and stamp(buf) or nil
end

--- The file has changed since the buffer was read or written: what is changed in it now builds on something older.
---@param buf integer
---@return acp.Stamp? of the file that the buffer holds; nil: it is the one on disk
local function behind(buf)
  return not vim.deep_equal(stamps[buf], stamp(buf)) and stamps[buf] or nil
end

--- What is on disk has never been in the buffer.
---@param buf integer
---@return boolean
function M.is_behind(buf)
  return behind(buf) ~= nil
end

---@class acp.Modified
---@field path string       resolved
---@field modified boolean
---@field behind? acp.Stamp  on disk the file has been another one already; how the one looked that was read

---@param buf integer
---@param notify fun(payload: acp.Modified)
local function tell(buf, notify)
  local path = is_file(buf) and vim.bo[buf].modified and M.resolve(api.nvim_buf_get_name(buf)) or nil
  local before = told[buf]
  if path == before then
    return
  end
  told[buf] = path
  if before and not vim.list_contains(vim.tbl_values(told), before) then
    notify({ path = before, modified = false })
  end
  if path then
    notify({ path = path, modified = true, behind = behind(buf) })
  end
end

--- From now on tells of every file whose buffer becomes modified or is it no more; first of those that are modified.
---@param notify fun(payload: acp.Modified)
function M.watch(notify)
  M.unwatch()
  watcher = api.nvim_create_augroup("acp_nvim.files", {})
  api.nvim_create_autocmd({ "BufReadPost", "BufWritePost", "FileChangedShellPost" }, {
    group = watcher,
    callback = function(event)
      M.in_step(event.buf)
    end,
  })
  api.nvim_create_autocmd("BufWritePost", {
    group = watcher,
    callback = function(event)
      local stat = is_file(event.buf) and vim.uv.fs_stat(api.nvim_buf_get_name(event.buf))
      written[event.buf] = stat and { stat.mtime.sec, stat.mtime.nsec } or nil
    end,
  })
  api.nvim_create_autocmd("BufFilePost", {
    group = watcher,
    callback = function(event)
      stamps[event.buf], written[event.buf] = nil, nil
    end,
  })
  local function look(event)
    tell(event.buf, notify)
  end
  -- BufModifiedSet speaks of the current buffer alone: the others are looked at when they are written or entered
  local events = { "BufModifiedSet", "BufWritePost", "BufEnter", "BufHidden", "BufFilePost" }
  api.nvim_create_autocmd(events, { group = watcher, callback = look })
  api.nvim_create_autocmd("BufUnload", {
    group = watcher,
    callback = function(event)
      local path = told[event.buf]
      told[event.buf], stamps[event.buf], written[event.buf] = nil, nil, nil
      if path then
        notify({ path = path, modified = false })
      end
    end,
  })
  for _, buf in ipairs(api.nvim_list_bufs()) do
    if not vim.bo[buf].modified then
      M.in_step(buf)
    end
    tell(buf, notify)
  end
end

function M.unwatch()
  if watcher then
    api.nvim_del_augroup_by_id(watcher)
    watcher = nil
  end
  told, stamps, written = {}, {}, {}
end

return M
