-- Attends to the buffers of files while the backend runs: reports those with unsaved changes, and remembers their
-- origins.
local modified = require("acp_nvim.documents.modified")
local origin = require("acp_nvim.documents.origin")

local M = {}

---@param notify fun(payload: acp.Modified)
function M.start(notify)
  origin.watch()
  modified.watch(notify)
end

function M.stop()
  origin.unwatch()
  modified.unwatch()
end

return M
