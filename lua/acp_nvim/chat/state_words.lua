-- Names each state of a session by the same word in bars, lists and statuslines.
local M = {}

---@class acp.StateWord
---@field word string
---@field hl string

---@type table<string, acp.StateWord>
local WORDS = {
  starting = { word = "starting", hl = "AcpSpinner" },
  running = { word = "running", hl = "AcpSpinner" },
  asking = { word = "needs you", hl = "AcpQuestion" },
  auth = { word = "needs login", hl = "AcpWarning" },
  stopped = { word = "stopped", hl = "AcpCancelled" },
  failed = { word = "failed", hl = "AcpError" },
}
local IDLE = { word = "idle", hl = "AcpPending" } ---@type acp.StateWord
local ERROR = { word = "error", hl = "AcpError" } ---@type acp.StateWord

--- The word for the state of a session; an idle one whose last turn failed has an error.
---@param status table
---@return acp.StateWord
function M.of(status)
  return WORDS[status.state] or (status.error and ERROR or IDLE)
end

return M
