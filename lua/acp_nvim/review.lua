-- What agents have changed and nobody has decided on yet, kept here so that changes() and the keys ask nobody. Where the
-- hunks of a loaded file are, their marks know; of the others the backend says so.
local hunks = require("acp_nvim.hunks")
local state = require("acp_nvim.state")
local stream = require("acp_nvim.stream")

local api = vim.api
local M = {}

---@class acp.Hunk
---@field id integer
---@field session integer
---@field turn integer
---@field by "agent"|"unknown"
---@field state "pending"|"kept"|"undone"
---@field first integer   row from 0, as it was last told; `hunks.first` knows better
---@field n integer       lines in the text
---@field old string[]
---@field new? string[]   nil: they are in the buffer
---@field note? string    what has changed where the lines have not
---@field below? boolean  deleted behind the last line

---@class acp.Changed  a file
---@field path string     as it was named
---@field created? boolean
---@field deleted? boolean
---@field unknown table[] { session, turn, by }: changes of a text that nobody knows
---@field hunks table<integer, acp.Hunk>
---@field buf? integer    the loaded buffer that follows
---@field left? integer   of a deleted file: the loaded buffer that still has its text

local files = {} ---@type table<string, acp.Changed> by resolved path
local generation ---@type integer?
local listeners = {} ---@type fun(buf: integer, has_pending: boolean)[]
local gone_listeners = {} ---@type fun(buf: integer)[]
local group = api.nvim_create_augroup("acp_nvim.review", {})

---@param file acp.Changed
---@return boolean
local function has_pending(file)
  for _, hunk in pairs(file.hunks) do
    if hunk.state == "pending" then
      return true
    end
  end
  return false
end

--- `fn(buf, has_pending)` is called whenever the hunks of a loaded file have changed.
---@param fn fun(buf: integer, has_pending: boolean)
---@param gone fun(buf: integer)  it is unloaded
function M.listen(fn, gone)
  listeners[#listeners + 1] = fn
  gone_listeners[#gone_listeners + 1] = gone
end

---@param buf? integer
---@param pending boolean
local function announce(buf, pending)
  for _, listener in ipairs(buf and listeners or {}) do
    listener(buf --[[@as integer]], pending)
  end
end

---@param name string
---@return string? real
---@return acp.Changed?
local function find(name)
  local real = name ~= "" and next(files) and require("acp_nvim.files").resolve(name)
  return real or nil, real and files[real] or nil
end

--- The file of a buffer, if it is in review.
---@param buf integer
---@return acp.Changed?
function M.of_buffer(buf)
  local path = stream.attached()[buf]
  if path then
    return files[path]
  end
  return select(2, find(api.nvim_buf_get_name(buf)))
end

-- Buffers ---------------------------------------------------------------------------------------------------------------

---@param real string
---@param file acp.Changed
---@param buf integer
local function unload(real, file, buf)
  if file.buf == buf then
    for _, hunk in pairs(file.hunks) do
      hunk.first = api.nvim_buf_is_loaded(buf) and hunks.first(buf, hunk) or hunk.first
    end
    hunks.clear(buf)
    file.buf = nil
    announce(buf, false)
  end
  if stream.buffer(real) == buf then
    stream.detach(buf)
  end
end

--- What the buffer knows is to be known without it.
---@param buf integer
local function remember(buf)
  for _, file in pairs(files) do
    for _, hunk in pairs(file.buf == buf and api.nvim_buf_is_loaded(buf) and file.hunks or {}) do
      hunk.first = hunks.first(buf, hunk)
      hunk.new = hunk.new or api.nvim_buf_get_lines(buf, hunk.first, hunk.first + hunk.n, false)
    end
  end
end

--- A deleted file shows so where its text still is.
---@param real string
---@param file acp.Changed
local function show_deletion(real, file)
  local buf = file.deleted and has_pending(file) and require("acp_nvim.files").find(real) or nil
  if file.left and file.left ~= buf then
    hunks.clear(file.left)
    announce(file.left, false)
  end
  file.left = buf
  if buf then
    local by_agent = vim.iter(pairs(file.hunks)):any(function(_, hunk)
      return hunk.by == "agent"
    end)
    hunks.show_deletion(buf, by_agent)
    announce(buf, true)
  end
end

--- Its buffer goes.
---@param buf integer
local function forget_deletion(buf)
  for _, file in pairs(files) do
    if file.left == buf then
      file.left = nil
      for _, listener in ipairs(gone_listeners) do
        listener(buf)
      end
    end
  end
end

-- Before or after the buffer is told to be gone: that differs between Neovims.
api.nvim_create_autocmd("BufUnload", {
  group = group,
  callback = function(event)
    remember(event.buf)
    forget_deletion(event.buf)
  end,
})

stream.listen(function(buf, real)
  remember(buf)
  hunks.forget(buf)
  if files[real] and files[real].buf == buf then
    files[real].buf = nil
  end
  for _, listener in ipairs(gone_listeners) do
    listener(buf)
  end
end)

--- A buffer is there, or has another name.
---@param buf integer
local function meet(buf)
  local kind = api.nvim_buf_is_loaded(buf) and vim.bo[buf].buftype
  local real, file = find(api.nvim_buf_get_name(buf))
  local before = stream.attached()[buf]
  if before and before ~= real then
    announce(buf, false)
    stream.leave(buf)
    hunks.clear(buf)
  end
  if real and file and file.deleted and not vim.uv.fs_stat(real) then
    show_deletion(real, file)
  elseif real and file and not stream.buffer(real) and (kind == "" or kind == "acwrite") then
    stream.attach(buf, real)
  end
end

--- The loaded buffers of a file that has come into review.
---@param real string
local function meet_loaded(real)
  local look = require("acp_nvim.files").look(real)
  if look then
    meet(look.buf)
  end
end

-- To write a deleted file is to bring it back.
api.nvim_create_autocmd({ "BufReadPost", "BufNewFile", "BufFilePost", "BufWritePost" }, {
  group = group,
  callback = function(event)
    if next(files) then
      meet(event.buf)
    end
  end,
})

-- What the backend tells -------------------------------------------------------------------------------------------------

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
  files[real] = nil
  file.deleted = false
  show_deletion(real, file)
  local buf = stream.buffer(real)
  if file.buf then
    unload(real, file, file.buf)
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
    show_deletion(real, file)
  elseif buf then
    stream.detach(buf)
    buf = nil
  end
  if file.buf and file.buf ~= buf then
    hunks.clear(file.buf)
    announce(file.buf, false)
  end
  file.buf = buf
  return buf
end

--- What has changed of one file.
---@param real string  resolved path
---@param news { path: string, created?: boolean, deleted?: boolean, unknown: table[], seq: integer, over?: boolean, gone: integer[], set: acp.Hunk[], sessions: integer[] }
function M.update(real, news)
  local backend = require("acp_nvim.backend").generation()
  if generation and generation ~= backend then
    M.forget()
  end
  generation = backend
  local file = files[real] or { path = news.path, unknown = news.unknown, hunks = {} }
  file.path, file.created, file.deleted, file.unknown = news.path, news.created, news.deleted, news.unknown
  if news.over then
    drop(real, file)
  else
    files[real] = file
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
      show_deletion(real, file)
    elseif not buf then
      meet_loaded(real)
    end
    announce(buf, has_pending(file))
  end
  for _, n in ipairs(news.sessions) do
    if state.exists(n) then
      require("acp_nvim.editor").fire("AcpChanges", { session = n, path = news.path })
    end
  end
end

--- The backend that knew of all this has ended.
function M.forget()
  for real, file in pairs(files) do
    drop(real, file)
  end
  for buf in pairs(stream.attached()) do
    stream.detach(buf)
  end
end

-- What is asked ---------------------------------------------------------------------------------------------------------

---@param file acp.Changed
---@param hunk acp.Hunk
---@return integer row  from 0
local function first(file, hunk)
  return file.buf and api.nvim_buf_is_loaded(file.buf) and hunks.first(file.buf, hunk) or hunk.first
end

---@param file acp.Changed
---@return { row: integer, hunk: acp.Hunk }[]  in their order
local function ordered(file)
  local list = {}
  for _, hunk in pairs(file.hunks) do
    list[#list + 1] = { row = first(file, hunk), hunk = hunk }
  end
  table.sort(list, function(one, other)
    return one.row < other.row or (one.row == other.row and one.hunk.id < other.hunk.id)
  end)
  return list
end

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
  for _, found in ipairs(ordered(file)) do
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
  for _, file in pairs(files) do
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
  for _, file in pairs(files) do
    if file.hunks[id] then
      return file.hunks[id], file
    end
  end
end

--- The pending hunks of session `n`, and what of its changes has none.
---@param n integer
---@param turn? integer  that one alone
---@return acp.Hunk[]
---@return string[] unknown  paths of which nobody knows the earlier text
function M.pending(n, turn)
  local list, unknown = {}, {}
  local function fits(change)
    return change.session == n and (not turn or change.turn == turn)
  end
  for _, file in pairs(files) do
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

--- The pending hunks that the rows touch; what is deleted is between two of them.
---@param buf integer
---@param from integer  row from 0
---@param to integer    the last
---@return acp.Hunk[]
function M.touching(buf, from, to)
  local file, list = M.of_buffer(buf), {}
  if not file then
    return list
  end
  for _, found in ipairs(ordered(file)) do
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

--- Where the pending hunks of a buffer begin: rows from 0 that there are.
---@param buf integer
---@return integer[]
function M.rows(buf)
  local file, rows = M.of_buffer(buf), {}
  local last = api.nvim_buf_line_count(buf) - 1
  for _, found in ipairs(file and ordered(file) or {}) do
    if found.hunk.state == "pending" then
      rows[#rows + 1] = math.max(0, math.min(found.row, last))
    end
  end
  return rows
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
  return require("acp_nvim.backend").notify(verb, vim.tbl_extend("error", { ids = ids }, more or {}))
end

return M
