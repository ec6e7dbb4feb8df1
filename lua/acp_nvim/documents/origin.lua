-- Remembers the text on disk that a buffer builds on: the file's stamp when the buffer was read or written, and, once
-- the buffer has unsaved lines, the file's bytes. Only with these can a change on disk be told from one of the user's.
--
-- The bytes are read at the first change of an unmodified buffer, if the file still looks as it did: so no file that
-- nobody edits is kept in memory. `on_lines` tells of that change at once, also in buffers that are not current.
local changes = require("acp_nvim.documents.changes")
local encoding = require("acp_nvim.documents.encoding")
local file_changed_shell = require("acp_nvim.documents.file_changed_shell")
local find = require("acp_nvim.documents.find")
local limits = require("acp_nvim.limits")
local regular = require("acp_nvim.system.regular_file")
local text = require("acp_nvim.documents.text")

local api = vim.api
local M = {}

--- Seconds and nanoseconds of the last change, size, inode, seconds and nanoseconds of the last change of any kind:
--- rsync and tar put the first time back.
---@alias acp.Stamp integer[]

---@class acp.TextOrigin
---@field stamp? acp.Stamp    nil: there was no file, or nobody knows how it looked
---@field known boolean       it is known how it looked
---@field data? string        what it held; nil: it is to be read, or cannot be had any more
---@field written? acp.Stamp  when the user or an agent last saved it from here
---@field attributed? acp.Stamp  of the text that the buffer has taken up as an agent's

local origins = {} ---@type table<integer, acp.TextOrigin>
local followed = {} ---@type table<integer, true> buffers whose changes we hear of
local group ---@type integer?

---@param stat? uv.fs_stat.result
---@return acp.Stamp?
local function stamp_of(stat)
  if not stat or stat.type ~= "file" then
    return nil
  end
  local written, changed = stat.mtime, stat.ctime
  return { written.sec, written.nsec, stat.size, stat.ino, changed.sec, changed.nsec }
end

--- Returns the present stamp of a file.
---@param path string
---@return acp.Stamp?  nil: there is none
function M.stamp_at(path)
  return stamp_of(vim.uv.fs_stat(path))
end

--- Returns the present stamp of the buffer's file.
---@param buf integer
---@return acp.Stamp?  nil: there is none
function M.stamp(buf)
  return M.stamp_at(api.nvim_buf_get_name(buf))
end

--- Reads the buffer's file.
---@param buf integer
---@return string? data   nil: there is none, or it cannot be read
---@return acp.Stamp? stamp
function M.read(buf)
  local fd, stat = regular.reading(api.nvim_buf_get_name(buf))
  if not fd then
    return nil
  end
  ---@cast stat uv.fs_stat.result
  local data = stat.size <= limits.FILE_BYTES and vim.uv.fs_read(fd, limits.FILE_BYTES, 0) or nil
  vim.uv.fs_close(fd)
  return data, --[[@as string?]]
    stamp_of(stat)
end

---@param buf integer
---@param origin acp.TextOrigin
local function keep_bytes(buf, origin)
  if origin.known and not origin.data and vim.deep_equal(M.stamp(buf), origin.stamp) then
    local data, stamp = M.read(buf)
    origin.data = vim.deep_equal(stamp, origin.stamp) and (data or "") or nil
  end
end

---@param buf integer
---@return acp.TextOrigin
local function renew(buf)
  local before = origins[buf]
  local origin = { known = true, stamp = M.stamp(buf), written = before and before.written } ---@type acp.TextOrigin
  origins[buf] = origin
  return origin
end

---@param buf integer
local function follow(buf)
  if followed[buf] then
    return
  end
  followed[buf] = true
  api.nvim_buf_attach(buf, false, {
    on_lines = function()
      if not group or not origins[buf] then
        followed[buf] = nil
        return true
      elseif not changes.under_way(buf) then -- which ends with a save, or with the buffer as it was
        keep_bytes(buf, origins[buf])
      end
    end,
    on_reload = function()
      if origins[buf] then
        renew(buf)
      end
    end,
    on_detach = function()
      followed[buf] = nil
    end,
  })
end

--- Records that the buffer holds what its file does now, or builds on it.
---@param buf integer
function M.record(buf)
  if not group or not find.is_file(buf) then
    origins[buf] = nil
    return
  end
  local origin = renew(buf)
  if vim.bo[buf].modified then
    keep_bytes(buf, origin)
  end
  follow(buf)
end

--- Records that the buffer has just taken up what its file holds, as an agent's.
---@param buf integer
function M.record_attributed(buf)
  M.record(buf)
  if origins[buf] then
    origins[buf].attributed = origins[buf].stamp
  end
end

--- Whether the buffer has taken the file up as an agent's, as it is now or after it had this stamp.
---@param buf integer
---@param stamp? acp.Stamp
---@return boolean
function M.is_attributed(buf, stamp)
  local taken = origins[buf] and origins[buf].attributed
  if not taken or vim.deep_equal(taken, M.stamp(buf)) then
    return taken ~= nil
  end
  return stamp ~= nil and (taken[1] > stamp[1] or (taken[1] == stamp[1] and taken[2] >= stamp[2]))
end

--- Whether the buffer builds on the file with this stamp.
---@param buf integer
---@param stamp? acp.Stamp
---@return boolean
function M.is_built_on(buf, stamp)
  local origin = origins[buf]
  return origin ~= nil and origin.known and vim.deep_equal(origin.stamp, stamp)
end

--- Whether the disk may hold something that the buffer has not taken up.
---@param buf integer
---@return boolean
function M.is_ahead(buf)
  local origin = origins[buf]
  return not (origin and origin.known and vim.deep_equal(origin.stamp, M.stamp(buf)))
end

--- Whether the file is known to have been written since the buffer was last read or written, as far as events tell.
---@param buf integer
---@return boolean
function M.is_outdated(buf)
  local origin = origins[buf]
  return origin ~= nil and origin.known and M.is_ahead(buf)
end

--- Returns the bytes that the unsaved lines build on.
---@param buf integer
---@return string?  nil: nobody can tell
function M.data(buf)
  local origin = origins[buf]
  if origin then
    keep_bytes(buf, origin)
  end
  return origin and origin.data
end

--- Takes the bytes that the file held with this stamp, if it had the same stamp when the buffer was read.
---@param buf integer
---@param stamp acp.Stamp
---@param data string
function M.recognise(buf, stamp, data)
  local origin = origins[buf]
  if origin and not origin.data and vim.deep_equal(origin.stamp, stamp) then
    origin.data = data
  end
end

--- Whether the buffer was saved after its file had this stamp.
---@param buf integer
---@param stamp? acp.Stamp
---@return boolean
function M.is_saved_since(buf, stamp)
  local written = origins[buf] and origins[buf].written
  if not written or not stamp then
    return false
  end
  return written[1] > stamp[1] or (written[1] == stamp[1] and written[2] > stamp[2])
end

--- Whether the disk has its text from the buffer by a save without autocommands, as formatters and `:noautocmd w` do
--- it. A text that has come from the disk, by 'autoread' say, is noticed when it is read.
---@param buf integer
---@param is_same boolean  the buffer holds the disk's lines
---@return boolean
function M.is_saved_unnoticed(buf, is_same)
  return is_same and not vim.bo[buf].modified and M.is_outdated(buf)
end

--- Records a save without autocommands, such as that of an `autocmd InsertLeave * write`, which is not nested. The next
--- unsaved lines build on it.
---@param buf integer
local function notice_save(buf)
  if not M.is_saved_unnoticed(buf, true) then
    return
  end
  local data = M.read(buf)
  local disk = data and encoding.text(buf, data)
  if disk and text.same_lines(text.rows(disk.lines), api.nvim_buf_get_lines(buf, 0, -1, true)) then
    M.record(buf)
    origins[buf].written = M.stamp(buf)
  end
end

--- Whether buffer and file have the same size. If not, the file was written after the buffer was read and before its
--- stamp was taken: at start, or just after a save.
---@param buf integer
---@return boolean
local function has_size_of_file(buf)
  local bo, stamp = vim.bo[buf], M.stamp(buf)
  local is_utf8 = bo.fileencoding == "" or bo.fileencoding == "utf-8"
  if not stamp or not is_utf8 or bo.bomb then
    return true
  end
  local rows = api.nvim_buf_line_count(buf)
  local size = api.nvim_buf_get_offset(buf, rows) + (bo.fileformat == "dos" and rows or 0)
  return size <= 1 or size == stamp[3] or size - 1 == stamp[3] or size - 2 == stamp[3]
end

--- Whether the buffer builds on what its file holds now, as far as Neovim can tell.
---@param buf integer
---@return boolean
local function is_built_on_file(buf)
  if vim.bo[buf].modified then
    return not file_changed_shell.has_changed(buf)
  end
  return has_size_of_file(buf)
end

--- Records that the buffer holds what its file does, unless their sizes differ: then nobody knows what it builds on.
---@param buf integer
local function record_if_same_size(buf)
  if not find.is_file(buf) then
    return
  end
  if is_built_on_file(buf) then
    M.record(buf)
  else
    origins[buf] = { known = false }
  end
end

--- Begins to note the stamp of each file that is read or written. It goes on when the backend has ended: nobody could
--- tell afterwards on which text the unsaved lines of a buffer build.
function M.watch()
  if group then
    return
  end
  group = api.nvim_create_augroup("acp_nvim.documents.origin", {})
  local function on(events, callback)
    api.nvim_create_autocmd(events, { group = group, callback = callback })
  end
  on("BufReadPost", function(event)
    M.record(event.buf)
  end)
  local about_to_write = {} ---@type table<integer, acp.Stamp>  by buffer
  on("BufWritePre", function(event)
    about_to_write[event.buf] = M.stamp(event.buf)
  end)
  on("BufWritePost", function(event)
    local before = about_to_write[event.buf]
    about_to_write[event.buf] = nil
    if find.resolve(event.match) ~= find.resolve(api.nvim_buf_get_name(event.buf)) then
      return -- a copy: the unsaved lines build on what they did
    elseif vim.bo[event.buf].modified and before and vim.deep_equal(before, M.stamp(event.buf)) then
      return -- nothing was written: it failed, or the user said no
    end
    record_if_same_size(event.buf)
    if origins[event.buf] then
      origins[event.buf].written = M.stamp(event.buf)
    end
  end)
  on({ "BufModifiedSet", "BufEnter", "InsertEnter" }, function(event)
    notice_save(event.buf)
  end)
  on({ "BufFilePost", "BufUnload" }, function(event)
    origins[event.buf] = nil
  end)
  for _, buf in ipairs(api.nvim_list_bufs()) do
    record_if_same_size(buf)
  end
end

return M
