-- Answers questions about the review: the changes, the pending hunks, those in some rows.
local attached_buffers = require("acp_nvim.review.attached_buffers")
local find = require("acp_nvim.documents.find")
local owners = require("acp_nvim.review.owners")
local reviewed_files = require("acp_nvim.review.reviewed_files")
local reviewed_text = require("acp_nvim.review.reviewed_text")
local stack = require("acp_nvim.review.stack")
local turn_log = require("acp_nvim.review.turn_log")
local session_store = require("acp_nvim.backend.session_store")
local turns = require("acp_nvim.review.turns")

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
---@param is_meant fun(session: integer): boolean
---@return table[]
local function changes_of(file, is_meant)
  local entries, by_author = {}, {} ---@type table[], table<string, table>
  local function entry_of(author)
    local key = ("%d %s"):format(author.session, author.by)
    if not by_author[key] then
      local entry, owner =
        changed_file(file, false, {}), --[[@as table]]
        owners.of(author.session)
      entry.session, entry.by = owners.living(author.session), author.by
      entry.session_id, entry.agent = owner.session_id, owner.agent
      by_author[key], entries[#entries + 1] = entry, entry
    end
    return by_author[key]
  end
  for _, hunk in ipairs(reviewed_files.hunks(file)) do
    if is_meant(hunk.session) then
      table.insert(entry_of(hunk).hunks, {
        id = hunk.id,
        first = hunk.first + 1,
        last = hunk.first + hunk.n,
        old = vim.list_slice(hunk.old),
        new = vim.list_slice(hunk.new),
        state = hunk.state,
        turn = hunk.turn,
        session = owners.living(hunk.session),
        asked = hunk.asked,
        call = hunk.call and vim.deepcopy(hunk.call),
        note = hunk.note,
      })
    end
  end
  for _, author in ipairs(file.unknown) do
    if is_meant(author.session) then
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
---@param n? integer            of that session alone
---@param with_nobodys? boolean  and of those that are nobody's
---@return table[]
function M.changes(n, with_nobodys)
  attached_buffers.settle()
  local files, list = vim.tbl_values(reviewed_files.files), {}
  table.sort(files, function(one, other)
    return one.given < other.given
  end)
  for _, file in ipairs(files) do
    vim.list_extend(
      list,
      changes_of(file, function(session)
        return n == nil or session == n or (with_nobodys and vim.list_contains(owners.ownerless(), session))
      end)
    )
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

--- The sessions whose changes are meant: a turn is one session's, and with those of a session go those of nobody's.
---@param n? integer|integer[]  nil: all; several: these
---@param turn? integer
---@return integer[]
function M.sessions_meant(n, turn)
  if type(n) == "table" then
    return n
  end
  return turn and { n } or vim.list_extend(n and { n } or session_store.numbers(), owners.ownerless())
end

--- What is pending of the sessions that are meant, and what they have changed that cannot be undone, in the order of
--- the paths.
---@param n? integer|integer[]
---@param turn? integer  of that session: those that hold lines of this one
---@return acp.ChangedFile[]
function M.pending_files(n, turn)
  attached_buffers.settle()
  local meant = {} ---@type table<integer, true>
  for _, session in ipairs(M.sessions_meant(n, turn)) do
    meant[session] = true
  end
  local function fits(change)
    return meant[change.session] ~= nil and (not turn or change.turn == turn)
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

--- The session that a turn of that number is of: session `n`, or one of nobody's if only that has left something.
---@param n integer
---@param turn integer
---@return integer
function M.session_of_turn(n, turn)
  return vim.iter(M.sessions_meant(n)):find(function(each)
    return vim.list_contains(M.turns_of(each), turn)
  end) or n
end

--- The highest number of a turn that a session had in earlier Neovims.
---@param agent string
---@param session_id string
---@return integer
function M.turns_so_far(agent, session_id)
  local owner = { agent = agent, session_id = session_id }
  local n = owners.find(owner)
  local turns = n and M.turns_of(n) or {}
  return math.max(turns[#turns] or 0, turn_log.last_turn(owner))
end

--- Whether a turn has made the file.
---@param changed acp.ChangedFile
---@param n integer
---@param turn integer
---@return true?
local function was_made(changed, n, turn)
  local file = reviewed_files.files[find.resolve(changed.path)]
  local shape = file and file.turn_shapes[n]
  return shape and shape.turn == turn and not shape.was_there or nil
end

--- How many lines a turn has added and removed in each file, and by which command.
---@param n integer
---@param turn integer
---@return acp.TurnOfFile[]
function M.sizes_of(n, turn)
  local list = {}
  for _, file in ipairs(M.of_turn(n, turn)) do
    local by_author = {} ---@type table<string, acp.TurnOfFile>
    for _, hunk in ipairs(file.hunks) do
      local author = ("%s %s"):format(hunk.by, hunk.call and hunk.call.id or "")
      local size = by_author[author]
      if not size then
        size = {
          path = file.path,
          added = 0,
          removed = 0,
          by = hunk.by,
          call = hunk.call,
          created = was_made(file, n, turn),
        }
        by_author[author], list[#list + 1] = size, size
      end
      size.added, size.removed = size.added + #hunk.new, size.removed + #hunk.old
    end
    list[#list + 1] = #file.hunks == 0 and { path = file.path, added = 0, removed = 0, by = "agent" } or nil
  end
  return list
end

--- The turns of a session, or of this one and those that no session of this Neovim has, oldest first.
---@param n? integer
---@param with_nobodys? boolean
---@return table[]
function M.logged_turns(n, with_nobodys)
  local list = n and turn_log.of_session(n) or {}
  if with_nobodys then
    list = vim.list_extend(turn_log.of_nobody(), list)
  end
  return vim.tbl_map(function(one)
    local running = one.session and not one.files and session_store.exists(one.session)
    return {
      session = turn_log.session_of(one),
      session_id = one.owner.session_id,
      agent = one.owner.agent,
      turn = one.turn,
      prompt = one.prompt,
      time = math.floor(one.time),
      tokens = vim.deepcopy(one.tokens),
      files = running and M.sizes_of(one.session, one.turn) or vim.deepcopy(one.files or {}),
      stop_reason = one.stop_reason,
      restored = one.restored,
    }
  end, list)
end

---@param n integer
---@param undoable? boolean
---@return integer?
local function newest_turn(n, undoable)
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

--- The newest turn of session `n`, or of nobody's, with something pending.
---@param n integer
---@param undoable? boolean  with a hunk, where any has one: of other changes nobody knows the earlier text
---@return integer? turn
---@return integer session
function M.newest_turn(n, undoable)
  local found = vim.tbl_filter(function(each)
    return newest_turn(each, undoable) ~= nil
  end, M.sessions_meant(n))
  local session = turns.newest(found) or found[1] or n
  return newest_turn(session, undoable), session
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
