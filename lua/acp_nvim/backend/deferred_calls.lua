-- Carries out the entries of a frame in order. An entry that Neovim's state forbids waits here, and so do all entries
-- after it.
local log = require("acp_nvim.ui.log")
local session_store = require("acp_nvim.backend.session_store")
local textlock = require("acp_nvim.system.textlock")

local M = {}

---@class acp.FrameEntry
---@field name string
---@field run fun()
---@field opens_window? boolean  the command-line window forbids it; nothing that comes after depends on it

local RETRY_MS = 50

local waiting = {} ---@type acp.FrameEntry[] what the editor's state forbade, in its order
local blocked = false -- one of them must come before all that follow

---@param err string
---@return boolean  true if the same will work once the user is out of this state
local function is_forbidden_now(err)
  return textlock.is_cause_of(err) or err:find("E11:", 1, true) ~= nil or err:find("E12:", 1, true) ~= nil
end

---@param entry acp.FrameEntry
---@return string? err
local function perform(entry)
  local ok, err = xpcall(entry.run, debug.traceback)
  return not ok and ("%s: %s"):format(entry.name, err) or nil
end

local retry

---@param entry acp.FrameEntry
local function wait(entry)
  waiting[#waiting + 1] = entry
  blocked = blocked or not entry.opens_window
  if #waiting == 1 then
    vim.defer_fn(retry, RETRY_MS)
  end
end

--- Carries out the entries, each on its own so that none breaks the rest.
---@param entries acp.FrameEntry[]
---@return string[] errors  one for each entry that failed; those that have to wait are none
function M.run(entries)
  local errors = {}
  blocked = blocked or (#entries > 0 and textlock.is_on())
  for _, entry in ipairs(entries) do
    local err = not blocked and perform(entry) or nil
    if blocked or (err and is_forbidden_now(err)) then
      wait(entry)
    elseif err then
      log.add(err)
      errors[#errors + 1] = err
    end
  end
  return errors
end

retry = function()
  local entries = waiting
  waiting, blocked = {}, false
  M.run(entries)
  session_store.publish_changes()
end

--- Calls `fn` after the entries that wait, or at once if none does; windows that wait are not opened any more. This is
--- for the end of the backend, whose last entries must come before it.
---@param fn fun()
function M.after_all(fn)
  waiting = vim.tbl_filter(function(entry)
    return not entry.opens_window
  end, waiting)
  if #waiting > 0 then
    return wait({ name = "after_all", run = fn })
  end
  fn()
end

return M
