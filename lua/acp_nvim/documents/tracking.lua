-- Attends to the buffers of files while the backend runs: reports those with unsaved changes, and remembers their
-- origins.
local find = require("acp_nvim.documents.find")
local locked = require("acp_nvim.documents.locked")
local modified = require("acp_nvim.documents.modified")
local origin = require("acp_nvim.documents.origin")

local M = { loaded = find.loaded }

---@param notify fun(event: "modified"|"unlocked", payload: table)
function M.start(notify)
  origin.watch()
  modified.watch(function(payload)
    notify("modified", payload)
  end)
  locked.listen(function(path)
    notify("unlocked", { path = path })
  end)
end

function M.stop()
  origin.unwatch()
  modified.unwatch()
end

return M
