-- Updates what shows the hunks of a file once they have changed: signs, keys, the counts of the sessions, the line
-- below the turn, the event `AcpChanges`.
local backend_reports = require("acp_nvim.review.backend_reports")
local find = require("acp_nvim.documents.find")
local hunk_list = require("acp_nvim.review.hunk_list")
local remember = require("acp_nvim.review.remember")
local reviewed_files = require("acp_nvim.review.reviewed_files")
local reviewed_text = require("acp_nvim.review.reviewed_text")
local session_store = require("acp_nvim.backend.session_store")
local signs = require("acp_nvim.review.signs")
local user_events = require("acp_nvim.backend.user_events")

local M = {}

---@class acp.Announced  what was last told of a file
---@field changes acp.AgentChange[]  that are pending
---@field facts string
---@field sessions table<integer, true>
---@field pending table<integer, integer>  session -> hunks

local announced = {} ---@type table<acp.ReviewedFile, acp.Announced>
local totals = {} ---@type table<integer, integer>  session -> pending hunks
local listeners = {} ---@type { changed: fun(buf: integer, has_pending: boolean), gone: fun(buf: integer) }[]
local hiding = {} ---@type table<acp.DiffWindows, integer>  diff -> the buffer in it

--- `changed(buf, has_pending)` is called whenever the hunks of a loaded file have changed: their keys come and go with
--- them.
---@param changed fun(buf: integer, has_pending: boolean)
---@param gone fun(buf: integer)  it is unloaded
function M.listen(changed, gone)
  listeners[#listeners + 1] = { changed = changed, gone = gone }
end

local function tell(buf, has_pending)
  for _, listener in ipairs(buf and listeners or {}) do
    listener.changed(buf --[[@as integer]], has_pending)
  end
end

--- The sessions with pending hunks, and how many each has.
---@return table<integer, integer>
function M.pending_by_session()
  return vim.deepcopy(totals)
end

---@param before table<integer, integer>
---@param now table<integer, integer>
local function count(before, now)
  for n in pairs(vim.tbl_extend("keep", now, before)) do
    if now[n] ~= before[n] then
      local total = (totals[n] or 0) + (now[n] or 0) - (before[n] or 0)
      totals[n] = total > 0 and total or nil
      session_store.patch(n, { pending = total })
    end
  end
end

---@param file acp.ReviewedFile
---@return acp.Announced
local function known_of(file)
  local changes, sessions, pending = reviewed_text.waiting(file.text).changes, {}, {}
  local facts = { file.given, tostring(file.created), tostring(file.deleted), tostring(file.removed), file.buf or "" }
  for _, change in ipairs(changes) do
    pending[change.session] = (pending[change.session] or 0) + 1
    sessions[change.session] = true
  end
  for _, hunk in ipairs(vim.list_extend(reviewed_files.decided(file), reviewed_files.allowed(file))) do
    facts[#facts + 1] = hunk.id .. hunk.state
    sessions[hunk.session] = true
  end
  for _, author in ipairs(file.unknown) do
    facts[#facts + 1] = ("%d.%d %s"):format(author.session, author.turn, author.by)
    sessions[author.session] = true
  end
  for n in vim.spairs(sessions) do
    facts[#facts + 1] = n
  end
  return { changes = changes, facts = table.concat(facts, "\n"), sessions = sessions, pending = pending }
end

---@param file acp.ReviewedFile
---@param ... acp.Announced?
local function fire(file, ...)
  local sessions = {}
  for i = 1, select("#", ...) do
    local each = select(i, ...)
    sessions = vim.tbl_extend("keep", sessions, each and each.sessions or {})
  end
  for n in vim.spairs(sessions) do
    if session_store.exists(n) then
      user_events.fire("AcpChanges", { session = n, path = file.given })
    end
  end
end

--- A deleted file shows so in the buffer that still has its text.
---@param file acp.ReviewedFile
local function show_deleted(file)
  local buf = file.deleted and reviewed_files.has_pending(file) and find.find(file.path) or nil
  if file.buf_of_deleted and file.buf_of_deleted ~= buf then
    signs.clear(file.buf_of_deleted)
    tell(file.buf_of_deleted, false)
  end
  file.buf_of_deleted = buf
  if buf then
    local by_agent = vim.iter(reviewed_text.waiting(file.text).changes):any(function(change)
      return change.by ~= "unknown"
    end)
    signs.show_deletion(buf, by_agent)
    tell(buf, true)
  end
end

--- The file's text or what is known of it has changed, in these rows.
---@param file acp.ReviewedFile
---@param from integer
---@param to integer
function M.file(file, from, to)
  if reviewed_files.files[file.path] ~= file then
    return
  elseif file.buf then
    signs.show(file.buf, reviewed_text.waiting(file.text), from, to)
  end
  if file.deleted or file.buf_of_deleted then
    show_deleted(file)
  end
  local before, now = announced[file], known_of(file)
  local is_known = before and before.facts == now.facts and hunk_list.is_same(before.changes, now.changes)
  if not is_known then
    announced[file] = now
    tell(file.buf, reviewed_files.has_pending(file))
    count(before and before.pending or {}, now.pending)
    fire(file, before, now)
  end
  if not is_known or next(file.text.told) then
    backend_reports.flush_soon()
  end
  remember.note(file)
end

--- Changes have another number of their session.
function M.all()
  for _, file in ipairs(reviewed_files.all()) do
    M.file(file, 0, -1)
  end
end

--- Nothing of the file is left to decide, or to list.
---@param file acp.ReviewedFile
function M.over(file)
  local before = announced[file]
  reviewed_files.leave(file)
  remember.note(file)
  announced[file] = nil
  count(before and before.pending or {}, {})
  backend_reports.file_over(file)
  fire(file, before)
  if file.buf then
    signs.clear(file.buf)
    tell(file.buf, false)
  end
  if file.buf_of_deleted then
    file.deleted = false
    show_deleted(file)
  end
end

--- A buffer of a file in review is unloaded, or has another name.
---@param file acp.ReviewedFile
---@param buf integer
function M.gone(file, buf)
  if announced[file] then
    announced[file].facts = ""
  end
  for _, listener in ipairs(listeners) do
    if vim.api.nvim_buf_is_loaded(buf) then
      listener.changed(buf, false)
    else
      listener.gone(buf)
    end
  end
end

--- Draws nothing in a buffer while it is a side of one of our diffs: virtual lines would push the two sides out of
--- line, and the colours would be taken for the proposal's.
---@param sides acp.DiffWindows
---@param buf? integer  nil: none of its buffers is hidden any more
function M.hide_in_diff(sides, buf)
  local before = hiding[sides]
  hiding[sides] = buf
  for _, each in pairs({ before or buf, buf }) do
    local is_hidden = vim.list_contains(vim.tbl_values(hiding), each)
    if signs.is_hidden(each) ~= is_hidden then
      local file = vim.api.nvim_buf_is_loaded(each) and reviewed_files.of_buffer(each) or nil
      signs.set_hidden(each, is_hidden, file and file.buf == each and reviewed_text.waiting(file.text) or nil)
      if file and file.buf_of_deleted == each then
        show_deleted(file)
      elseif file and file.buf == each then
        tell(each, reviewed_files.has_pending(file))
      end
    end
  end
end

return M
