-- Keeps records of a project on the disk: a private folder for each project, and in it a JSON file for each record.
--
--   state/acp_nvim/projects/{name}-{key}/comments.json     { "version": 1, … }
--
-- A record is written beside its file and renamed, 200 ms after it has changed or when Neovim leaves, and not while the
-- user types. Another Neovim may have written it since it was read: so the one who writes looks at what stands there,
-- and returns both as one. A record that cannot be read, or is of another version, is renamed and never overwritten.
local config = require("acp_nvim.config.settings")
local limits = require("acp_nvim.limits")
local log = require("acp_nvim.ui.log")
local regular_file = require("acp_nvim.system.regular_file")
local state_folder = require("acp_nvim.backend.state_folder")
local unasked_message = require("acp_nvim.ui.unasked_message")

local api, uv = vim.api, vim.uv
local M = {}

local POOL_MS = 200
local PAUSE_MS = 1000 -- without a change in insert mode: the user does not type

---@class acp.RecordName
---@field name string      of the file, without its ending
---@field what? string     what it keeps, as a message has it; nil: its name
---@field version integer  of what is in it

---@class acp.WaitingRecord
---@field root string
---@field record acp.RecordName
---@field make fun(): table|false|nil

local waiting = {} ---@type table<string, acp.WaitingRecord>  path -> what is to be written
local stamps = {} ---@type table<string, string>  path -> how its file looked when it was read or written
local blocked = {} ---@type table<string, true>  paths of records that can neither be read nor renamed
local is_armed, has_warned = false, false

--- Whether records are kept: `review.persist`.
---@return boolean
function M.are_kept()
  return config.get().review.persist
end

--- Returns the folder of a project's records; it may not exist.
---@param root string
---@return string
function M.folder(root)
  local name = vim.fs.basename(root):gsub("[^%w._-]", "_"):sub(1, 40)
  return ("%s/projects/%s-%s"):format(state_folder.path(), name, vim.fn.sha256(root):sub(1, 16))
end

---@param root string
---@param record acp.RecordName
---@return string
local function path_of(root, record)
  return ("%s/%s.json"):format(M.folder(root), record.name)
end

---@param path string
---@return string  "": there is no file
local function stamp_of(path)
  local stat = uv.fs_stat(path)
  return stat and ("%d %d %d.%d"):format(stat.ino, stat.size, stat.mtime.sec, stat.mtime.nsec) or ""
end

--- Whether the record has changed on the disk since it was read or written here.
---@param root string
---@param record acp.RecordName
---@return boolean
function M.has_changed(root, record)
  local path = path_of(root, record)
  return M.are_kept() and stamp_of(path) ~= (stamps[path] or "")
end

--- Renames a record that cannot be read, and tells where it is.
---@param path string
---@param why string
local function set_aside(path, why)
  local aside = ("%s.unreadable-%s"):format(path, os.date("%Y%m%d-%H%M%S"))
  local ok, problem = uv.fs_rename(path, aside)
  log.add(("warn: record %s: %s"):format(path, why))
  if ok then
    unasked_message.show("warn", ("review: cannot read a record, it is kept as %s"):format(vim.fs.basename(aside)))
  else
    blocked[path] = true
    unasked_message.show("warn", ("review: cannot read or rename a record: %s"):format(problem))
  end
end

--- The same for one that turned out to be none.
---@param root string
---@param record acp.RecordName
---@param why string
function M.set_aside(root, record, why)
  set_aside(path_of(root, record), why)
end

---@param path string
---@return string? text
---@return string? why  nil: there is none
local function read_text(path)
  if not uv.fs_lstat(path) then
    return nil
  end
  local fd, stat = regular_file.reading(path)
  if not fd then
    return nil, tostring(stat)
  end
  local text, why = nil, "it is too large"
  if stat.size <= limits.RECORD_BYTES then
    text, why = uv.fs_read(fd, stat.size, 0)
  end
  uv.fs_close(fd)
  return text, why
end

--- Reads a record.
---@param root string
---@param record acp.RecordName
---@return table?  nil: there is none that can be read
function M.read(root, record)
  local path = path_of(root, record)
  if not M.are_kept() or blocked[path] then
    return nil
  end
  stamps[path] = stamp_of(path)
  local text, why = read_text(path)
  if not text then
    if why then
      set_aside(path, why)
    end
    return nil
  end
  local ok, found = pcall(vim.json.decode, text, { luanil = { object = true, array = true } })
  if not ok or type(found) ~= "table" then
    set_aside(path, "it is not JSON")
  elseif found.version ~= record.version then
    set_aside(path, ("it has version %s"):format(tostring(found.version)))
  else
    return found
  end
end

--- The names of the records of a project that begin so.
---@param root string
---@param prefix string
---@return string[]
function M.names(root, prefix)
  local names = {}
  for entry in vim.fs.dir(M.folder(root)) do
    names[#names + 1] = vim.startswith(entry, prefix) and entry:match("^(.*)%.json$") or nil
  end
  table.sort(names)
  return names
end

--- Removes the oldest of these records.
---@param root string
---@param names string[]
---@param seconds integer  those that are older go
---@param bytes integer    and those beyond that
function M.prune(root, names, seconds, bytes)
  local files = {} ---@type { path: string, time: integer, size: integer }[]
  for _, name in ipairs(names) do
    local path = path_of(root, { name = name, version = 1 })
    local stat = uv.fs_stat(path)
    files[#files + 1] = stat and { path = path, time = stat.mtime.sec, size = stat.size }
  end
  table.sort(files, function(one, other)
    return one.time > other.time
  end)
  for _, file in ipairs(files) do
    bytes = bytes - file.size
    if bytes < 0 or file.time < os.time() - seconds then
      uv.fs_unlink(file.path)
    end
  end
end

---@param path string
---@param text string
---@return string? problem
local function replace(path, text)
  local aside = ("%s.%d"):format(path, uv.os_getpid())
  local problem = state_folder.write(aside, "replace", text)
  if not problem then
    local ok, why = uv.fs_rename(aside, path)
    problem = not ok and why or nil
  end
  if problem then
    uv.fs_unlink(aside)
  end
  return problem
end

---@param path string
---@param each acp.WaitingRecord
local function write(path, each)
  local content = each.make()
  if content == nil or blocked[path] then
    return
  elseif not content then
    uv.fs_unlink(path)
    stamps[path] = ""
    return
  end
  content.version = each.record.version
  local problem = replace(path, vim.json.encode(content))
  stamps[path] = stamp_of(path)
  if problem then
    local warning = ("review: %s are not kept: %s"):format(each.record.what or each.record.name, problem)
    if has_warned then
      log.add("warn: " .. warning)
    else
      has_warned = true
      unasked_message.show("warn", warning)
    end
  end
end

--- Writes at once what waits, in the order of names.
function M.flush()
  local ready = waiting
  waiting = {}
  for path, each in vim.spairs(ready) do
    write(path, each)
  end
end

--- Writes what waits once the user does not type.
---@param tick? integer  of the current buffer when this was called last
---@param since? integer  when it had that tick first
local function write_waiting(tick, since)
  local now, is_inserting = api.nvim_buf_get_changedtick(0), api.nvim_get_mode().mode:find("^[iRc]") ~= nil
  since = tick == now and since or uv.now()
  if is_inserting and uv.now() - since < PAUSE_MS then
    return vim.defer_fn(function()
      write_waiting(now, since)
    end, POOL_MS)
  end
  is_armed = false
  M.flush()
end

--- Writes a record at once.
---@param root string
---@param record acp.RecordName
---@param make fun(): table|false|nil  as `write_soon` has it
function M.write(root, record, make)
  local path = path_of(root, record)
  waiting[path] = nil
  if M.are_kept() then
    write(path, { root = root, record = record, make = make })
  end
end

--- Writes a record soon. `make` is called then, and returns what it shall hold.
---@param root string
---@param record acp.RecordName
---@param make fun(): table|false|nil  nil: it stays as it is; false: it goes
function M.write_soon(root, record, make)
  if not M.are_kept() then
    return
  end
  waiting[path_of(root, record)] = { root = root, record = record, make = make }
  if not is_armed then
    is_armed = true
    vim.defer_fn(write_waiting, POOL_MS)
  end
end

api.nvim_create_autocmd("VimLeavePre", {
  group = api.nvim_create_augroup("acp_nvim.records", {}),
  callback = M.flush,
})

return M
