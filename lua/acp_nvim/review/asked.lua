-- What is asked of the review: the changes, the hunks that wait, those in some rows. It is answered without the backend.
local book = require("acp_nvim.review.book")
local hunks = require("acp_nvim.hunks")

local api = vim.api
local M = {}

---@param file acp.Changed
---@param hunk acp.Hunk
---@param row integer
---@return string[]
local function new_lines(file, hunk, row)
  if hunk.new or not (file.buf and api.nvim_buf_is_loaded(file.buf)) then
    return hunk.new and vim.list_slice(hunk.new) or {}
  end
  return api.nvim_buf_get_lines(file.buf, row, row + hunk.n, false)
end

---@param file acp.Changed
---@param hunk acp.Hunk
---@param row integer
---@return table
local function shape(file, hunk, row)
  return {
    id = hunk.id,
    first = row + 1,
    last = row + (hunk.state == "undone" and 0 or hunk.n),
    old = vim.list_slice(hunk.old),
    new = new_lines(file, hunk, row),
    state = hunk.state,
    turn = hunk.turn,
    session = hunk.session,
    note = hunk.note,
  }
end

---@param file acp.Changed
---@param n? integer
---@return table?
local function changes_of(file, n)
  local list, by_agent, unknown = {}, false, false
  for _, found in ipairs(book.ordered(file)) do
    if not n or found.hunk.session == n then
      list[#list + 1] = shape(file, found.hunk, found.row)
      by_agent = by_agent or found.hunk.by == "agent"
    end
  end
  for _, change in ipairs(file.unknown) do
    if not n or change.session == n then
      unknown, by_agent = true, by_agent or change.by == "agent"
    end
  end
  return (#list > 0 or unknown)
      and {
        path = file.path,
        created = file.created or false,
        deleted = file.deleted or false,
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
  local list = {}
  for _, file in pairs(book.files) do
    list[#list + 1] = changes_of(file, n)
  end
  table.sort(list, function(one, other)
    return one.path < other.path
  end)
  return list
end

---@param id integer
---@return acp.Hunk?
---@return acp.Changed?
function M.hunk(id)
  for _, file in pairs(book.files) do
    if file.hunks[id] then
      return file.hunks[id], file
    end
  end
end

--- The pending hunks of session `n`, and what of its changes has none.
---@param n? integer     nil: of all sessions
---@param turn? integer  that one alone
---@return acp.Hunk[]
---@return string[] unknown  paths of which nobody knows the earlier text
function M.pending(n, turn)
  local list, unknown = {}, {}
  local function fits(change)
    return (not n or change.session == n) and (not turn or change.turn == turn)
  end
  for _, file in pairs(book.files) do
    for _, hunk in pairs(file.hunks) do
      if hunk.state == "pending" and fits(hunk) then
        list[#list + 1] = hunk
      end
    end
    for _, change in ipairs(file.unknown) do
      if fits(change) and not vim.list_contains(unknown, file.path) then
        unknown[#unknown + 1] = file.path
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
  local by_hunk, by_file = 0, 0
  for _, file in pairs(book.files) do
    for _, hunk in pairs(file.hunks) do
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

--- The hunks of a file that may touch the rows, in their order: of a loaded one only those nearby, by their marks.
---@param file acp.Changed
---@param from integer
---@param to integer
---@return { row: integer, hunk: acp.Hunk }[]
local function around(file, from, to)
  local buf = file.buf
  if not (buf and api.nvim_buf_is_loaded(buf)) then
    return book.ordered(file)
  end
  local near = {}
  for _, id in ipairs(hunks.near(buf, from, to)) do
    near[id] = file.hunks[id]
  end
  return book.ordered(file, near)
end

--- The pending hunks that the rows touch; what is deleted is between two of them.
---@param buf integer
---@param from integer  row from 0
---@param to integer    the last
---@return acp.Hunk[]
function M.touching(buf, from, to)
  local file, list = book.of_buffer(buf), {}
  if not file then
    return list
  end
  for _, found in ipairs(around(file, from, to)) do
    local hunk, row = found.hunk, found.row
    local start = hunk.n == 0 and row - 1 or row
    local stop = hunk.n == 0 and row or row + hunk.n - 1
    if hunk.state == "pending" and ((start <= to and stop >= from) or not file.buf) then
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
  local file, rows, ids = book.of_buffer(buf), {}, {}
  local last = api.nvim_buf_line_count(buf) - 1
  for _, found in ipairs(file and book.ordered(file) or {}) do
    if found.hunk.state == "pending" then
      rows[#rows + 1] = math.max(0, math.min(found.row, last))
      ids[#ids + 1] = found.hunk.id
    end
  end
  return rows, ids
end

return M
