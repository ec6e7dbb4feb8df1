-- How many changes of each session wait for a decision, counted again file by file: status().pending and a statusline ask
-- for it all the time.
local state = require("acp_nvim.backend.session_store")

local M = {}

local by_file = {} ---@type table<string, table<integer, integer>>  resolved path -> session -> hunks
local totals = {} ---@type table<integer, integer>  session -> hunks

--- The hunks of a file have changed.
---@param real string         resolved path
---@param hunks acp.Hunk[]    none: it is no longer in review
function M.recount(real, hunks)
  local before, now = by_file[real] or {}, {}
  for _, hunk in ipairs(hunks) do
    if hunk.state == "pending" then
      now[hunk.session] = (now[hunk.session] or 0) + 1
    end
  end
  by_file[real] = next(now) and now or nil
  for n in pairs(vim.tbl_extend("keep", now, before)) do
    if now[n] ~= before[n] then
      totals[n] = (totals[n] or 0) + (now[n] or 0) - (before[n] or 0)
      state.patch(n, { pending = totals[n] })
    end
  end
end

--- The sessions with pending hunks, and how many each has.
---@return table<integer, integer>
function M.by_session()
  local found = {}
  for n, total in pairs(totals) do
    found[n] = total > 0 and total or nil
  end
  return found
end

return M
