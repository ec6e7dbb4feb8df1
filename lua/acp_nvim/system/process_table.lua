-- The processes of the system: from /proc, or from ps where there is none (macOS, BSD).
local has_ffi, ffi = pcall(require, "ffi")
local uv = vim.uv
local M = {}

-- POSIX: the text behind the `=` of a field is its header, up to the end of the argument; so each field has its own.
local PS = "LC_ALL=C ps %s 2>/dev/null"

---@class acp.Process
---@field pid integer
---@field parent integer
---@field session integer
---@field started string  a number may be given to another process later

if has_ffi then
  ffi.cdef("int getsid(int pid);")
end

---@param state? string
---@return boolean
local function is_alive(state)
  return state ~= nil and not state:find("^[ZX]")
end

---@param name string
---@return acp.Process?
local function from_proc(name)
  local file = uv.fs_open(("/proc/%s/stat"):format(name), "r", 0)
  if not file then
    return nil -- it has just ended
  end
  local said = uv.fs_read(file, 4096, 0) or ""
  uv.fs_close(file)
  local fields = vim.split(said:match("^.*%) (.*)") or "", " ") -- its name may hold anything
  if #fields < 20 or not is_alive(fields[1]) then
    return nil
  end
  return {
    pid = assert(tonumber(name)),
    parent = assert(tonumber(fields[2])),
    session = assert(tonumber(fields[4])),
    started = fields[20],
  }
end

---@param line string
---@return acp.Process?
local function from_ps(line)
  local pid, parent, group, state, started = line:match("^%s*(%d+)%s+(%d+)%s+(%d+)%s+(%S+)%s+(.-)%s*$")
  if not is_alive(state) then
    return nil
  end
  -- ps of macOS does not tell the session. Without LuaJIT its group must do: that of a leader is its own.
  local session = has_ffi and ffi.C.getsid(assert(tonumber(pid))) or assert(tonumber(group))
  return { pid = assert(tonumber(pid)), parent = assert(tonumber(parent)), session = session, started = started }
end

---@param arguments string
---@return string[]
local function ps(arguments)
  local said = assert(io.popen(PS:format(arguments)))
  local lines = vim.iter(said:lines()):totable()
  said:close()
  return lines
end

---@return boolean
local function has_proc()
  return uv.fs_stat("/proc/self/stat") ~= nil
end

--- Returns all living processes.
---@return acp.Process[]
function M.all()
  local list = {}
  if has_proc() then
    for name in vim.fs.dir("/proc") do
      list[#list + 1] = name:find("^%d+$") and from_proc(name) or nil
    end
    return list
  end
  for _, line in ipairs(ps("-A -o pid= -o ppid= -o pgid= -o state= -o lstart=")) do
    list[#list + 1] = from_ps(line)
  end
  return list
end

--- Returns a living process, nil if it has ended.
---@param pid integer
---@return acp.Process?
function M.find(pid)
  if has_proc() then
    return from_proc(("%d"):format(pid))
  end
  local line = ps(("-p %d -o pid= -o ppid= -o pgid= -o state= -o lstart="):format(pid))[1]
  return line and from_ps(line)
end

--- Returns the program of a process, nil if it has ended.
---@param pid integer
---@return string?
function M.program(pid)
  if not has_proc() then
    return ps("-o comm= -p " .. pid)[1]
  end
  local ok, command = pcall(vim.fn.readfile, ("/proc/%s/cmdline"):format(pid), "", 1)
  return ok and command[1] or nil
end

return M
