-- What agents have changed and nobody has decided on yet, kept here so that changes() and the keys ask nobody: what the
-- backend tells of it, and what the user decides.
local asked = require("acp_nvim.review.asked")
local book = require("acp_nvim.review.book")
local buffers = require("acp_nvim.review.buffers")
local deleted = require("acp_nvim.review.deleted")
local hunks = require("acp_nvim.hunks")
local listeners = require("acp_nvim.review.listeners")
local pending = require("acp_nvim.review.pending")
local state = require("acp_nvim.backend.session_store")
local stream = require("acp_nvim.stream")
local user_events = require("acp_nvim.backend.user_events")

local M = {
  changes = asked.changes,
  hunk = asked.hunk,
  hunk_at_cursor = asked.hunk_at_cursor,
  listen = listeners.listen,
  newest_turn = asked.newest_turn,
  of_buffer = book.of_buffer,
  pending = asked.pending,
  pending_by_session = pending.by_session,
  rows = asked.rows,
  touching = asked.touching,
}

local generation ---@type integer?

---@param file acp.Changed
---@param buf? integer
---@param told acp.Hunk
---@param now fun(row: integer): integer
local function put(file, buf, told, now)
  local before = file.hunks[told.id]
  local hunk = told
  hunk.first = now(told.first)
  -- it was on its way when the buffer went
  hunk.new = hunk.new or not buf and before and before.n == hunk.n and before.new or nil
  file.hunks[told.id] = hunk
  if not buf then
    return
  end
  local same = before and before.state == hunk.state and before.n == hunk.n and vim.deep_equal(before.old, hunk.old)
  local row, marked = hunks.first(buf, before or hunk)
  if same and before and marked and row == hunk.first then
    hunk.below = before.below
    return
  end
  if before and before.state ~= hunk.state then
    hunks.take(buf, hunk.id)
  end
  hunks.put(buf, hunk)
end

---@param real string
---@param file acp.Changed
local function drop(real, file)
  book.files[real] = nil
  file.deleted = false
  deleted.show(real, file)
  local buf = stream.buffer(real)
  if file.buf then
    buffers.unload(real, file, file.buf)
  elseif buf then
    stream.detach(buf)
  end
end

--- A loaded file that was deleted keeps its text in the buffer, which no stream follows.
---@param real string
---@return integer? buf
local function follow(real, file)
  local buf = stream.buffer(real)
  if not file.deleted then
    deleted.show(real, file)
  elseif buf then
    stream.detach(buf)
    buf = nil
  end
  if file.buf and file.buf ~= buf then
    hunks.clear(file.buf)
    listeners.announce(file.buf, false)
  end
  file.buf = buf
  return buf
end

--- What has changed of one file.
---@param real string  resolved path
---@param news { path: string, created?: boolean, deleted?: boolean, unknown: table[], seq: integer, over?: boolean, gone: integer[], set: acp.Hunk[], sessions: integer[] }
function M.update(real, news)
  local backend = require("acp_nvim.backend.process").generation()
  if generation and generation ~= backend then
    M.forget()
  end
  generation = backend
  local file = book.files[real] or { path = news.path, unknown = news.unknown, hunks = {} }
  file.path, file.created, file.deleted, file.unknown = news.path, news.created, news.deleted, news.unknown
  if news.over then
    drop(real, file)
  else
    book.files[real] = file
    local buf = follow(real, file)
    local now = buf and stream.since(buf, news.seq) or function(row)
      return row
    end
    for _, id in ipairs(news.gone) do
      file.hunks[id] = nil
      if buf then
        hunks.take(buf, id)
      end
    end
    for _, hunk in ipairs(news.set) do
      put(file, buf, hunk, now)
    end
    if file.deleted then
      deleted.show(real, file)
    elseif not buf then
      buffers.meet_loaded(real)
    end
    listeners.announce(buf, book.has_pending(file))
  end
  pending.recount(real, book.files[real])
  for _, n in ipairs(news.sessions or {}) do
    if state.exists(n) then
      user_events.fire("AcpChanges", { session = n, path = news.path })
    end
  end
end

--- The backend that knew of all this has ended.
function M.forget()
  for real, file in pairs(book.files) do
    drop(real, file)
    pending.recount(real)
  end
  for buf in pairs(stream.attached()) do
    stream.detach(buf)
  end
end

--- Sends what the user has decided.
---@param verb "keep"|"undo"
---@param decided acp.Hunk[]
---@param more? table  of the payload
---@return true? ok
---@return string? message
function M.decide(verb, decided, more)
  local ids = vim.tbl_map(function(hunk)
    return hunk.id
  end, decided)
  for buf in pairs(stream.attached()) do
    stream.flush(buf)
  end
  return require("acp_nvim.backend.process").notify(verb, vim.tbl_extend("error", { ids = ids }, more or {}))
end

return M
