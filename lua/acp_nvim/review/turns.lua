-- Follows turns and sessions: when a turn begins, earlier decisions leave the list; when a session ends, its pending
-- changes stay in the files and leave the review.
local attached_buffers = require("acp_nvim.review.attached_buffers")
local backend = require("acp_nvim.backend.process")
local pending_changes = require("acp_nvim.review.pending_changes")
local store = require("acp_nvim.review.store")
local backend_reports = require("acp_nvim.review.backend_reports")

local M = {}

local begun = {} ---@type table<integer|string, integer>  session -> turn, for a generation of the backend

---@param file acp.ReviewedFile
---@param session integer
---@param unknown_from? integer  changes of these turns that nobody can undo stay
local function forget_decided(file, session, unknown_from)
  for _, hunk in ipairs(store.decided(file)) do
    if hunk.session == session then
      file.text.listed[hunk.id] = nil
    end
  end
  file.unknown = vim.tbl_filter(function(author)
    return author.session ~= session or (unknown_from ~= nil and author.turn >= unknown_from)
  end, file.unknown)
  attached_buffers.refresh(file)
end

--- A turn begins, which the backend tells; the first change of the turn may come before that. Of the changes that
--- nobody can undo those of the last turn stay: the user may not have seen them.
---@param session integer
---@param turn integer
function M.begin(session, turn)
  if begun.generation ~= backend.generation() then
    begun = { generation = backend.generation() }
  end
  if (begun[session] or 0) >= turn then
    return
  end
  begun[session] = turn
  for _, file in ipairs(store.all()) do
    forget_decided(file, session, turn - 1)
  end
end

--- The session leaves the list: what nobody has decided stays as it is.
---@param session integer
function M.end_session(session)
  attached_buffers.settle()
  for _, file in ipairs(store.all()) do
    local ids = {}
    for _, change in ipairs(file.text.known.blocks.changes) do
      ids[change.id] = change.session == session or nil
    end
    pending_changes.keep(file.text, ids)
    forget_decided(file, session)
  end
  backend_reports.forget(session)
end

return M
