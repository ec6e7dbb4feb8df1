-- What is asked of the review: the changes, the hunks that wait, those in some rows.
local attach = require("acp_nvim.review.attach")
local store = require("acp_nvim.review.store")

local api = vim.api
local M = {}

---@param hunk acp.Hunk
---@return table
local function shape(hunk)
  return {
    id = hunk.id,
    first = hunk.first + 1,
    last = hunk.first + hunk.n,
    old = vim.list_slice(hunk.old),
    new = vim.list_slice(hunk.new),
    state = hunk.state,
    turn = hunk.turn,
    session = hunk.session,
    note = hunk.note,
  }
end

---@param file acp.ReviewedFile
---@param n? integer
---@return table?
local function changes_of(file, n)
  local list, by_agent, unknown = {}, false, false
  for _, hunk in ipairs(store.hunks(file)) do
    if not n or hunk.session == n then
      list[#list + 1] = shape(hunk)
      by_agent = by_agent or hunk.by == "agent"
    end
  end
  for _, change in ipairs(file.unknown) do
    if not n or change.session == n then
      unknown, by_agent = true, by_agent or change.by == "agent"
    end
  end
  return (#list > 0 or unknown)
      and {
        path = file.given,
        created = file.created,
        deleted = file.deleted,
        by = by_agent and "agent" or "unknown",
        unknown = unknown or nil,
        hunks = list,
      }
    or nil
end

--- The changes of session `n`, or of all.
---@param n? integer
---@return table[]
function M.changes(n)
  attach.settle()
  local list = {}
  for _, file in pairs(store.files) do
    list[#list + 1] = changes_of(file, n)
  end
  table.sort(list, function(one, other)
    return one.path < other.path
  end)
  return list
end

---@param id integer
---@return acp.Hunk?
---@return acp.ReviewedFile?
function M.hunk(id)
  attach.settle()
  for _, file in pairs(store.files) do
    for _, hunk in ipairs(store.hunks(file)) do
      if hunk.id == id then
        return hunk, file
      end
    end
  end
end

--- The pending hunks of session `n`, and what of its changes has none.
---@param n? integer     nil: of all sessions
---@param turn? integer  that one alone
---@return acp.Hunk[]
---@return string[] unknown  paths of which nobody knows the earlier text
function M.pending(n, turn)
  attach.settle()
  local list, unknown = {}, {}
  local function fits(change)
    return (not n or change.session == n) and (not turn or change.turn == turn)
  end
  for _, file in pairs(store.files) do
    for _, hunk in ipairs(store.hunks(file)) do
      if hunk.state == "pending" and fits(hunk) then
        list[#list + 1] = hunk
      end
    end
    for _, change in ipairs(file.unknown) do
      if fits(change) and not vim.list_contains(unknown, file.given) then
        unknown[#unknown + 1] = file.given
      end
    end
  end
  return list, unknown
end

--- The newest turn of session `n` with something pending.
---@param n integer
---@param undoable? boolean  with a hunk, where any has one: of other changes nobody knows the earlier text
---@return integer?
function M.newest_turn(n, undoable)
  attach.settle()
  local by_hunk, by_file = 0, 0
  for _, file in pairs(store.files) do
    for _, hunk in ipairs(store.hunks(file)) do
      if hunk.session == n and hunk.state == "pending" then
        by_hunk = math.max(by_hunk, hunk.turn)
      end
    end
    for _, change in ipairs(file.unknown) do
      if change.session == n then
        by_file = math.max(by_file, change.turn)
      end
    end
  end
  local turn = undoable and by_hunk > 0 and by_hunk or math.max(by_hunk, by_file)
  return turn > 0 and turn or nil
end

--- The pending hunks that the rows touch; what is deleted is between two of them.
---@param buf integer
---@param from integer  row from 0
---@param to integer    the last
---@return acp.Hunk[]
function M.touching(buf, from, to)
  attach.settle()
  local file, list = store.of_buffer(buf), {}
  if file and file.buf ~= buf then -- a deleted file, in the buffer that has its text
    return vim.tbl_filter(function(hunk)
      return hunk.state == "pending"
    end, store.hunks(file))
  end
  for _, hunk in ipairs(file and store.near(file, from, to) or {}) do
    local start = hunk.n == 0 and hunk.first - 1 or hunk.first
    local stop = hunk.n == 0 and hunk.first or hunk.first + hunk.n - 1
    if start <= to and stop >= from then
      list[#list + 1] = hunk
    end
  end
  return list
end

--- The pending hunk under the cursor; on a line beside deleted ones that of the deletion.
---@return acp.Hunk?
function M.hunk_at_cursor()
  local row = api.nvim_win_get_cursor(0)[1] - 1
  local found = M.touching(api.nvim_get_current_buf(), row, row)
  for _, hunk in ipairs(found) do
    if hunk.n > 0 then
      return hunk
    end
  end
  return found[#found]
end

--- Where the pending hunks of a buffer begin: rows from 0 that there are, and the ids of the hunks.
---@param buf integer
---@return integer[] rows
---@return integer[] ids
function M.rows(buf)
  attach.settle()
  local file, rows, ids = store.of_buffer(buf), {}, {}
  local last = api.nvim_buf_line_count(buf) - 1
  for _, hunk in ipairs(file and store.hunks(file) or {}) do
    if hunk.state == "pending" then
      rows[#rows + 1] = math.max(0, math.min(hunk.first, last))
      ids[#ids + 1] = hunk.id
    end
  end
  return rows, ids
end

return M
