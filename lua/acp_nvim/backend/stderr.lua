-- Takes what the backend writes to stderr: it goes to the log, and tells why the backend has ended.
local launch = require("acp_nvim.backend.launch")
local limits = require("acp_nvim.limits")
local log = require("acp_nvim.ui.log")

local M = {}

local partial = "" -- an unfinished line
local missing ---@type string? the Python module whose absence ended the backend

---@param line string
local function log_line(line)
  if line ~= "" then
    log.add("backend: " .. line)
    missing = line:match("No module named '?([%w_.]+)") or missing
  end
end

--- Called when a backend is about to be started.
function M.begin()
  partial, missing = "", nil
end

--- The callback of a job.
---@param data string[]  pieces between newlines; the first goes on where the last one ended
function M.take(_, data)
  partial = partial .. data[1]
  for i = 2, #data do
    log_line(partial)
    partial = data[i]
  end
  if #partial > limits.STDERR_LINE_BYTES then
    log_line(partial)
    partial = ""
  end
end

--- Returns in one line why the backend has ended, and what to do.
---@param code integer
---@param has_answered boolean  it had started
---@return string
function M.why_it_ended(code, has_answered)
  log_line(partial)
  partial = ""
  if missing and missing:find("^acp_nvim%.") then
    return ("update or reinstall the plugin, it lacks %s"):format(missing)
  elseif missing then
    return ("the Python package %s is missing: %s"):format(missing, launch.WHAT_TO_DO)
  elseif has_answered then
    return ("the backend ended (%d): :Acp restart starts it again; see :Acp log"):format(code)
  end
  return ("the backend does not start (exit code %d): see :Acp log"):format(code)
end

return M
