-- Follows turns and sessions: when a turn begins, earlier decisions leave the list; when a session ends, its pending
-- changes stay in the files and leave the review.
local attached_buffers = require("acp_nvim.review.attached_buffers")
local backend = require("acp_nvim.backend.process")
local backend_reports = require("acp_nvim.review.backend_reports")
local commits = require("acp_nvim.review.commits")
local decisions = require("acp_nvim.review.decisions")
local remember = require("acp_nvim.review.remember")
local reviewed_files = require("acp_nvim.review.reviewed_files")
local reviewed_text = require("acp_nvim.review.reviewed_text")
local session_store = require("acp_nvim.backend.session_store")

local M = {}

local LOOK_MS = 1000 -- at most, where the disk or git is slow

local began_last = {} ---@type integer[]  sessions, that of the newest turn at the end
local begun = {} ---@type table<integer|string, integer>  session -> turn, for a generation of the backend
local known = {} ---@type table<integer, integer>  session -> the newest turn of which all changes on disk are known
-- session -> what its last turn is waited for with
local waiting = {} ---@type table<integer, { turn: integer, fn: fun(), timer: uv.uv_timer_t }>

---@param file acp.ReviewedFile
---@param session integer
---@param last? integer  the last turn of which also what nobody can undo is forgotten; nil: of all
local function forget_decided(file, session, last)
  for _, hunk in ipairs(reviewed_files.decided(file)) do
    if hunk.session == session then
      file.text.listed[hunk.id] = nil
    end
  end
  reviewed_files.forget_unknown(file, session, 0, last)
  attached_buffers.refresh_or_leave(file)
end

--- A turn begins, which the backend tells; the first change of the turn may come before that. Of the changes that
--- nobody can undo those of the last turn stay: the user may not have seen them.
---@param session integer
---@param turn integer
function M.begin(session, turn)
  if begun.generation ~= backend.generation() then
    begun, known = { generation = backend.generation() }, {}
  end
  if (begun[session] or 0) >= turn then
    return
  end
  begun[session] = turn
  began_last = vim.tbl_filter(function(other)
    return other ~= session and session_store.exists(other)
  end, began_last)
  table.insert(began_last, session)
  commits.turn_begins(session)
  remember.turn_begins(session, turn)
  for _, file in ipairs(reviewed_files.all()) do
    forget_decided(file, session, turn - 2)
  end
end

--- Of these sessions the one whose newest turn has begun last.
---@param sessions integer[]
---@return integer?  nil: none has had a turn
function M.newest(sessions)
  for i = #began_last, 1, -1 do
    if vim.list_contains(sessions, began_last[i]) then
      return began_last[i]
    end
  end
end

--- All changes on disk of that turn have been told.
---@param session integer
---@param turn integer
function M.all_known(session, turn)
  known[session] = math.max(known[session] or 0, turn)
  remember.turn_over(session)
  commits.turn_over(session)
  local waits = waiting[session]
  if waits and waits.turn <= turn then
    waiting[session] = nil
    waits.timer:close()
    waits.fn()
  end
end

--- Calls a function once all changes on disk of a turn that has ended are known, and after LOOK_MS in any case. If the
--- next turn is waited for by then, it is not called.
---@param session integer
---@param turn integer
---@param fn fun()
function M.when_known(session, turn, fn)
  if (known[session] or 0) >= turn then
    return fn()
  end
  local earlier = waiting[session]
  if earlier then
    earlier.timer:close()
  end
  local timer = vim.defer_fn(function()
    waiting[session] = nil
    fn()
  end, LOOK_MS)
  waiting[session] = { turn = turn, fn = fn, timer = timer }
end

--- The sessions whose last turn has ended, while the backend still looks for what it has changed on disk.
---@return integer[]
local function looked_at()
  local has_backend = backend.is_running() and begun.generation == backend.generation()
  return vim.tbl_filter(function(n)
    return has_backend and not session_store.session(n).turn and (begun[n] or 0) > (known[n] or 0)
  end, session_store.numbers())
end

--- Waits until the changes of turns that have just ended are known: they come some milliseconds after the turn's end,
--- and the user may be as quick. The backend tells nothing while it waits for an answer of ours, as in an autocommand.
function M.wait_for_disk()
  if #looked_at() == 0 or backend.is_answering() then
    return
  end
  vim.wait(LOOK_MS, function()
    return #looked_at() == 0
  end, 5)
  for _, n in ipairs(looked_at()) do
    known[n] = begun[n] -- once is enough
  end
end

--- The session leaves the list: what nobody has decided stays as it is.
---@param session integer
function M.end_session(session)
  attached_buffers.settle()
  remember.turn_over(session)
  decisions.forget_session(session)
  for _, file in ipairs(reviewed_files.all()) do
    reviewed_text.forget_session(file.text, session)
    forget_decided(file, session)
  end
  backend_reports.forget(session)
end

return M
