-- Answers questions about the review: the changes, the pending hunks, those in some rows.
local attached_buffers = require("acp_nvim.review.attached_buffers")
local reviewed_files = require("acp_nvim.review.reviewed_files")
local reviewed_text = require("acp_nvim.review.reviewed_text")
local stack = require("acp_nvim.review.stack")
local state = require("acp_nvim.backend.session_store")

local api = vim.api
local M = {}

---@class acp.ChangedFile  what sessions have changed in a file
---@field path string
---@field created boolean
---@field deleted boolean
---@field unknown boolean   nobody knows the earlier text of some of it
---@field hunks acp.Hunk[]  ascending

---@param file acp.ReviewedFile
---@param unknown boolean
---@param hunks acp.Hunk[]
---@return acp.ChangedFile
local function changed_file(file, unknown, hunks)
  local is_deleted = file.deleted or file.removed
  return { path = file.given, created = file.created, deleted = is_deleted, unknown = unknown, hunks = hunks }
end

--- The changes of a file, an entry for each session and kind of author.
---@param file acp.ReviewedFile
---@param n? integer  nil: of all sessions
---@return table[]
local function changes_of(file, n)
  local entries, by_author = {}, {} ---@type table[], table<string, table>
  local function entry_of(author)
    local key = ("%d %s"):format(author.session, author.by)
    if not by_author[key] then
      local session, entry = state.session(author.session), changed_file(file, false, {}) ---@type acp.Session?, table
      entry.session, entry.by = author.session, author.by
      entry.agent, entry.session_id = session and session.status.agent, session and session.status.session_id
      by_author[key], entries[#entries + 1] = entry, entry
    end
    return by_author[key]
  end
  for _, hunk in ipairs(reviewed_files.hunks(file)) do
    if not n or hunk.session == n then
      table.insert(entry_of(hunk).hunks, {
        id = hunk.id,
        first = hunk.first + 1,
        last = hunk.first + hunk.n,
        old = vim.list_slice(hunk.old),
        new = vim.list_slice(hunk.new),
        state = hunk.state,
        turn = hunk.turn,
        session = hunk.session,
        asked = hunk.asked,
        call = hunk.call and vim.deepcopy(hunk.call),
        note = hunk.note,
      })
    end
  end
  for _, author in ipairs(file.unknown) do
    if not n or author.session == n then
      entry_of(author).unknown = true
    end
  end
  return entries
end

--- The resolved paths of the files in review.
---@return string[]
function M.files()
  return vim.tbl_keys(reviewed_files.files)
end

--- The changes of agents, in the order of their paths: a file that two have changed has two entries.
---@param n? integer  of that session alone
---@return table[]
function M.changes(n)
  attached_buffers.settle()
  local files, list = vim.tbl_values(reviewed_files.files), {}
  table.sort(files, function(one, other)
    return one.given < other.given
  end)
  for _, file in ipairs(files) do
    vim.list_extend(list, changes_of(file, n))
  end
  return list
end

---@param id integer
---@return acp.Hunk?
function M.hunk(id)
  attached_buffers.settle()
  for _, file in pairs(reviewed_files.files) do
    for i, change in ipairs(reviewed_text.waiting(file.text).changes) do
      if change.id == id then
        return reviewed_files.pending(file, i, i)[1]
      end
    end
    for _, hunk in ipairs(vim.list_extend(reviewed_files.decided(file), reviewed_files.allowed(file))) do
      if hunk.id == id then
        return hunk
      end
    end
  end
end

--- What is pending of session `n`, and what it has changed that cannot be undone, in the order of the paths.
---@param n? integer|integer[]  nil: of all sessions
---@param turn? integer  those that hold lines of that one
---@return acp.ChangedFile[]
function M.pending_files(n, turn)
  attached_buffers.settle()
  local function is_meant(session)
    return not n or session == n or type(n) == "table" and vim.list_contains(n, session)
  end
  local function fits(change)
    return is_meant(change.session) and (not turn or change.turn == turn)
  end
  local function holds(hunk)
    return fits(hunk) or vim.iter(hunk.earlier):any(fits)
  end
  local list = {}
  for _, file in pairs(reviewed_files.files) do
    local hunks = vim.tbl_filter(turn and holds or fits, reviewed_files.pending(file))
    local unknown = vim.iter(file.unknown):any(fits)
    list[#list + 1] = (unknown or #hunks > 0) and changed_file(file, unknown, hunks) or nil
  end
  table.sort(list, function(one, other)
    return one.path < other.path
  end)
  return list
end

--- The same as one list.
---@param n? integer|integer[]
---@param turn? integer
---@return acp.Hunk[]
---@return string[] unknown  paths of which nobody knows the earlier text
function M.pending(n, turn)
  local list, unknown = {}, {}
  for _, file in ipairs(M.pending_files(n, turn)) do
    vim.list_extend(list, file.hunks)
    unknown[#unknown + 1] = file.unknown and file.path or nil
  end
  return list, unknown
end

--- What a turn has changed, file by file, whether it waits, was allowed or is kept: its text against the one below it.
---@param n integer
---@param turn integer
---@return acp.ChangedFile[]
function M.of_turn(n, turn)
  attached_buffers.settle()
  local list, what = {}, { session = n, turn = turn }
  for _, file in ipairs(reviewed_files.all()) do
    local unknown = vim.iter(file.unknown):any(function(author)
      return stack.is_of(author, what)
    end)
    local hunks = reviewed_files.of_turn(file, what)
    list[#list + 1] = (unknown or #hunks > 0) and changed_file(file, unknown, hunks) or nil
  end
  return list
end

--- The turns of session `n` that have left something, ascending.
---@param n integer
---@return integer[]
function M.turns_of(n)
  local turns = {}
  for _, file in pairs(reviewed_files.files) do
    for _, author in vim.iter({ reviewed_files.turns(file), file.unknown }):flatten():enumerate() do
      for _, of in ipairs({ author, author.other }) do
        turns[of.turn] = of.session == n or turns[of.turn]
      end
    end
  end
  local list = vim.tbl_keys(turns)
  table.sort(list)
  return list
end

--- The newest turn of session `n` with something pending.
---@param n integer
---@param undoable? boolean  with a hunk, where any has one: of other changes nobody knows the earlier text
---@return integer?
function M.newest_turn(n, undoable)
  local newest = 0
  local function count(author)
    for _, of in ipairs({ author, author.other }) do
      newest = of.session == n and math.max(newest, of.turn) or newest
    end
  end
  vim.iter((M.pending(n))):each(count)
  for _, file in pairs(reviewed_files.files) do
    local turns = undoable and reviewed_files.turns(file) or reviewed_text.waiting_turns(file.text)
    vim.iter(turns):each(count) -- the text may be what it was before all of them
  end
  for _, file in pairs((undoable and newest > 0) and {} or reviewed_files.files) do
    vim.iter(file.unknown):each(count)
  end
  return newest > 0 and newest or nil
end

--- The pending hunks that the rows touch; what is deleted is between two of them.
---@param buf integer
---@param from integer  row from 0
---@param to integer    the last
---@return acp.Hunk[]
function M.touching(buf, from, to)
  attached_buffers.settle()
  local file, list = reviewed_files.of_buffer(buf), {}
  if file and file.buf ~= buf then -- a deleted file, in the buffer that has its text
    return reviewed_files.pending(file)
  end
  for _, hunk in ipairs(file and reviewed_files.near(file, from, to) or {}) do
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

--- Where the pending hunks of a buffer begin: rows from 0 that there are, and the changes.
---@param buf integer
---@return integer[] rows
---@return acp.AgentChange[] changes
function M.rows(buf)
  attached_buffers.settle()
  local file, rows = reviewed_files.of_buffer(buf), {}
  local hunks = file and reviewed_text.waiting(file.text) or { rows = {}, changes = {} }
  local last = api.nvim_buf_line_count(buf) - 1
  for i, row in ipairs(hunks.rows) do
    rows[i] = math.max(0, math.min(row, last))
  end
  return rows, hunks.changes
end

return M
