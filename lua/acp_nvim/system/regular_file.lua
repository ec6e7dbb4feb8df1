-- Opens regular files only. Anything else could block Neovim: a name that was a file may be a pipe by now, and some
-- devices look like files (`/proc/kmsg`).
local uv = vim.uv
local M = {}

local flag = uv.constants
-- a pipe would be waited for until somebody holds its other end
local AT_ONCE = flag.O_NONBLOCK

---@param fd integer
---@return uv.fs_stat.result? stat
---@return string? why  it is none
local function look(fd)
  local stat, why = uv.fs_fstat(fd)
  if not stat then
    return nil, why
  elseif stat.type ~= "file" then
    return nil, "it is no longer a file"
  end
  return stat
end

---@param path string
---@param flags integer
---@param mode integer
---@return integer? fd  to be closed
---@return uv.fs_stat.result|string? stat  or why there is none
local function open(path, flags, mode)
  local fd, why = uv.fs_open(path, flags, mode)
  if not fd then
    return nil, why
  end
  local stat, problem = look(fd)
  if stat then
    return fd, stat
  end
  uv.fs_close(fd)
  return nil, problem
end

--- Opens a file for reading. A file that the system generates while it is read has no size, and may have no end.
---@param path string
---@return integer? fd  to be closed
---@return uv.fs_stat.result|string? stat  or why there is none
function M.reading(path)
  local fd, stat = open(path, flag.O_RDONLY + AT_ONCE, 0)
  if fd and stat.size == 0 and uv.fs_read(fd, 1, 0) ~= "" then
    uv.fs_close(fd)
    return nil, "it is a system file without a size"
  end
  return fd, stat
end

--- Made if there is none, for its user alone.
---@param path string
---@param how "append"|"replace"
---@return integer? fd  to be closed
---@return uv.fs_stat.result|string? stat  or why there is none
function M.writing(path, how)
  local from = how == "append" and flag.O_APPEND or flag.O_TRUNC
  return open(path, flag.O_WRONLY + flag.O_CREAT + AT_ONCE + from, tonumber("600", 8))
end

return M
