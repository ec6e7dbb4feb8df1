-- Attends to the buffers of files: reports those with unsaved changes while the backend runs, and remembers their
-- origins from its first start on.
local modified = require("acp_nvim.documents.modified")
local origin = require("acp_nvim.documents.origin")

local M = {}

---@param notify fun(verb: string, payload: table)
function M.start(notify)
  origin.watch()
  modified.watch(notify)
end

function M.stop()
  modified.unwatch()
end

return M
