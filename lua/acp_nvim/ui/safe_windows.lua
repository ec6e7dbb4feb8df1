-- Opens and closes windows as one step, even if an autocommand of the user's raises an error: that error would else
-- stop us halfway, with some windows there and others not.
local log = require("acp_nvim.ui.log")
local messages = require("acp_nvim.ui.messages")

local M = {}

local step ---@type (fun(): any)?
local outcome ---@type { ok: boolean, [integer]: any, n: integer }

--- For `run`: called by Vim, which passes over the errors of autocommands there.
function M.now()
  local fn = assert(step)
  step = nil
  local results = { n = 0 }
  local function keep(ok, ...)
    results = { ok = ok, n = select("#", ...), ... }
  end
  keep(xpcall(fn, function(err)
    return type(err) == "string" and err:find("^E%d+:") and err or debug.traceback(err)
  end))
  outcome = results
end

--- The text of an error without file names and line numbers.
---@param text string
---@return string
local function words(text)
  text = text:gsub("\nstack traceback.*", ""):gsub("%s*\n%s*", " ")
  return text:match('.*Autocommands for "[^"]*": (.+)$') or text:match('.*[%w"%]]:%d+: (.+)$') or text
end

---@param problem string
local function tell(problem)
  vim.schedule(function()
    log.add("an autocommand failed while a window came or went: " .. problem)
    messages.show("error", ("an autocommand of yours failed: %s"):format(words(problem)))
  end)
end

-- Those that a second try does without; not FileType, by which our buffers get their keys.
local PASSED_OVER = "WinNew,WinEnter,WinLeave,WinClosed,BufNew,BufAdd,BufEnter,BufLeave,BufWinEnter,BufWinLeave,"
  .. "BufHidden,BufUnload,BufDelete,BufWipeout,TabNew,TabNewEntered,TabEnter,TabLeave,TabClosed"

---@param fn fun()
local function without_autocommands(fn)
  local before = vim.o.eventignore
  vim.o.eventignore = PASSED_OVER
  local ok, err = pcall(fn)
  vim.o.eventignore = before
  if not ok then
    error(err, 0)
  end
end

--- Closes the windows that have been opened since.
---@param windows integer[]
---@param current integer
local function undo(windows, current)
  without_autocommands(function()
    if vim.api.nvim_win_is_valid(current) then
      vim.api.nvim_set_current_win(current)
    end
    for _, win in ipairs(vim.api.nvim_list_wins()) do
      if not vim.list_contains(windows, win) then
        vim.api.nvim_win_close(win, true)
      end
    end
  end)
end

local NOW = "silent! lua require('acp_nvim.ui.safe_windows').now()"
local running = false

---@param fn fun(): any
local function attempt(fn)
  step = fn
  local ran, err = pcall(vim.cmd --[[@as fun(command: string)]], NOW)
  if not ran then
    outcome = { ok = false, err, n = 1 }
  end
end

--- Runs `fn` to its end. An error of an autocommand becomes a message; an error of `fn` itself is raised.
---@param fn fun(): any
---@return any ...
function M.run(fn)
  if running then
    return fn()
  end
  local windows, current = vim.api.nvim_list_wins(), vim.api.nvim_get_current_win()
  local before = vim.v.errmsg
  vim.v.errmsg = ""
  running = true
  attempt(fn)
  local problem = vim.v.errmsg
  if problem == "" then
    vim.v.errmsg = before
  end
  if not outcome.ok then -- only an exception of Vim's gets so far
    problem = tostring(outcome[1])
    undo(windows, current)
    if problem:find("Autocommands for") then
      without_autocommands(function()
        attempt(fn)
      end)
    end
  end
  running = false
  if not outcome.ok then
    error(outcome[1], 0)
  elseif problem ~= "" then
    tell(problem)
  end
  return unpack(outcome, 1, outcome.n)
end

return M
