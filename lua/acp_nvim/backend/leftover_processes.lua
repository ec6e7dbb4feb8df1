-- Kills the processes that a dead backend has left. Each agent and command leads a session of the system's, which its
-- children inherit; a child that began a session of its own is found by its parents. acp_nvim/processes/descendants.py
-- does the same.
local process_table = require("acp_nvim.system.process_table")

local uv = vim.uv
local M = {}

local handle ---@type integer? of the file in which the backend lists them
local ROUNDS = 20 -- looks after which what goes on starting processes has won

--- Adds session leaders, members of their sessions, and descendants. A process once found is kept when its parents end.
---@param leaders table<integer, true>
---@param found table<integer, string>  by their numbers, when they were started
---@return integer[] new
local function look(leaders, found)
  local list, new, is_growing = process_table.all(), {}, true
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
  for _ = 1, next(leaders) and ROUNDS or 0 do
    local new = look(leaders, found)
    if #new == 0 then
      break
    end
    for _, pid in ipairs(new) do
      uv.kill(pid, "sigkill")
    end
  end
end

local function close()
  if handle then
    uv.fs_close(handle)
    handle = nil
  end
end

--- Opens a file in which the backend lists the processes that it has started. Neovim removes it early when a signal
--- ends it: its text is read from what is open here.
---@return string path
function M.open_list()
  close()
  local path = vim.fn.tempname()
  handle = assert(uv.fs_open(path, "wx+", 384))
  return path
end

--- Kills the agents and commands that a dead backend has left, with all that they have started.
function M.kill_listed()
  if handle then
    local text = uv.fs_read(handle, assert(uv.fs_fstat(handle)).size, 0) or ""
    close()
    kill(vim.tbl_map(tonumber, vim.split(text, "\n", { trimempty = true })))
  end
end

return M
