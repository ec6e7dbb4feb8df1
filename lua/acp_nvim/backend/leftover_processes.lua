-- Kills the processes that a dead backend has left. Each agent and command leads a session of the system's, which its
-- children inherit; a child that began a session of its own is found by its parents. acp_nvim/processes/descendants.py
-- does the same.
local uv = vim.uv
local M = {}

local ROUNDS = 20 -- looks after which what goes on starting processes has won

---@class acp.Process
---@field pid integer
---@field parent integer
---@field session integer
---@field started string  a number may be given to another process later

---@param name string
---@return acp.Process?
local function process_of(name)
  local file = uv.fs_open(("/proc/%s/stat"):format(name), "r", 0)
  if not file then
    return nil -- it has just ended
  end
  local said = uv.fs_read(file, 4096, 0) or ""
  uv.fs_close(file)
  local fields = vim.split(said:match("^.*%) (.*)") or "", " ") -- its name may hold anything
  if #fields < 20 or fields[1] == "Z" or fields[1] == "X" then
    return nil
  end
  return {
    pid = assert(tonumber(name)),
    parent = assert(tonumber(fields[2])),
    session = assert(tonumber(fields[4])),
    started = fields[20],
  }
end

---@return acp.Process[]
local function all()
  local list = {}
  for name in vim.fs.dir("/proc") do
    list[#list + 1] = name:find("^%d+$") and process_of(name) or nil
  end
  return list
end

--- Adds session leaders, members of their sessions, and descendants. A process once found is kept when its parents end.
---@param leaders table<integer, true>
---@param found table<integer, string>  by their numbers, when they were started
---@return integer[] new
local function look(leaders, found)
  local list, new, is_growing = all(), {}, true
  while is_growing do
    is_growing = false
    for _, each in ipairs(list) do
      local belongs = leaders[each.session] or leaders[each.pid] or found[each.parent]
      if belongs and found[each.pid] ~= each.started and each.pid ~= uv.os_getpid() then
        found[each.pid] = each.started
        new[#new + 1], is_growing = each.pid, true
      end
    end
  end
  return new
end

--- Kills the processes, and all that they have started.
---@param list integer[]
local function kill(list)
  local leaders, found = {}, {}
  for _, leader in ipairs(list) do
    -- kill(-1) would reach every process of the user
    if leader > 1 then
      leaders[leader] = true
    end
  end
  local is_known = uv.fs_stat("/proc/self/stat") ~= nil
  for _ = 1, is_known and next(leaders) and ROUNDS or 0 do
    local new = look(leaders, found)
    if #new == 0 then
      break
    end
    for _, pid in ipairs(new) do
      uv.kill(pid, "sigkill")
    end
  end
  for leader in pairs(is_known and {} or leaders) do
    uv.kill(-leader, "sigkill")
  end
end

--- Kills the agents and commands that a dead backend has left, with all that they have started.
---@param file? string  in which the backend has listed them
function M.kill_listed(file)
  if file and vim.fn.filereadable(file) == 1 then
    local pids = vim.tbl_map(tonumber, vim.fn.readfile(file))
    vim.fn.delete(file)
    kill(pids)
  end
end

return M
