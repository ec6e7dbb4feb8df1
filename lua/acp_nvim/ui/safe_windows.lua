-- Opens and closes windows, and sets up buffers, as one step, even if an autocommand of the user's raises an error:
-- that error would else stop us halfway, with some windows there and others not.
local log = require("acp_nvim.ui.log")
local messages = require("acp_nvim.ui.messages")

local M = {}

-- `:silent!` passes over errors of autocommands, and goes on.
local RUN = "silent! lua require('acp_nvim.ui.safe_windows').run_step()"

local step ---@type (fun(): any)?  what `RUN` calls
local results ---@type { [1]: boolean, [integer]: any, n: integer }

--- Called by `RUN` alone.
function M.run_step()
  local fn = assert(step)
  step = nil
  results = vim.F.pack_len(xpcall(fn, function(err)
    return type(err) == "string" and err:find("^E%d+:") and err or debug.traceback(err)
  end))
end

--- The text of an error without file names and line numbers.
---@param text string
---@return string
local function words(text)
  text = text:gsub("\nstack traceback.*", ""):gsub("%s*\n%s*", " ")
  return text:match('.*Autocommands for "[^"]*": (.+)$') or text:match('.*[%w"%]]:%d+: (.+)$') or text
end

local last_told = "" -- of the user's autocommands

--- Tells what has failed, the same once in a row: it may fail with each window, and `:silent!` in the autocommand does
--- not show from outside.
---@param problem string
---@param filetype? string  that was set
local function report(problem, filetype)
  local place = problem:match('([^/%s"]+/[^/%s"]+:%d+): ')
  local text = "an autocommand of yours failed: " .. words(problem)
  if filetype then
    text = ("your ftplugin for %s failed: %s%s"):format(filetype, place and place .. ": " or "", words(problem))
  end
  local is_new = text ~= last_told
  last_told = text
  vim.schedule(function()
    log.add("an autocommand failed while a window opened or closed: " .. problem)
    if is_new then
      messages.show("error", text)
    end
  end)
end

local running = false

--- Runs `fn` to its end. An error of an autocommand becomes a message; an error of `fn` itself is raised.
---@param fn fun(): any
---@param filetype? string  that `fn` sets
---@return any ...
function M.run(fn, filetype)
  if running then
    return fn()
  end
  local before = vim.v.errmsg
  vim.v.errmsg = ""
  running, step = true, fn
  local ran, thrown = pcall(vim.cmd --[[@as fun(command: string)]], RUN)
  running, step = false, nil
  local problem = vim.v.errmsg
  if problem == "" then
    vim.v.errmsg = before
  end
  if not ran then -- an exception that an autocommand throws
    error(thrown, 0)
  elseif not results[1] then
    error(results[2], 0)
  elseif problem ~= "" then
    report(problem, filetype)
  end
  return unpack(results, 2, results.n)
end

return M
