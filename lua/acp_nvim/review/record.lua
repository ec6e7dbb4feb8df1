-- Writes down what is known of one file in review, as a table for a JSON file, and reads it again in a later Neovim:
-- the text on the disk, the stack of turns below it, what was kept, and what stands at its path. Nothing is about
-- unsaved lines.
--
--   text    a X c              what the disk holds
--   turns   row 1: b | X       turn 2 of owner 1
--   owners  claude, sess-7     by the agent's own name of its session: our numbers are those of one Neovim
local diff = require("acp_nvim.documents.diff")
local hunk_list = require("acp_nvim.review.hunk_list")
local limits = require("acp_nvim.limits")
local owners = require("acp_nvim.review.owners")
local patches = require("acp_nvim.documents.patch")
local reviewed_files = require("acp_nvim.review.reviewed_files")
local reviewed_text = require("acp_nvim.review.reviewed_text")
local stack = require("acp_nvim.review.stack")

local M = {}

M.VERSION = 1
local FACTS = { "given", "created", "deleted", "removed", "has_begun", "made", "folders", "link", "shape" }

---@class acp.RecordedAuthor
---@field owner integer  in the list of the record
---@field turn integer
---@field by acp.ChangedBy
---@field call? acp.message.CallName
---@field other? { owner: integer, turn: integer }
---@field answer? acp.Answered

---@class acp.RecordedStack
---@field lines? string[]
---@field turns table[]    authors, with `allowed` and `patch`
---@field decided table[]  authors, with `row`, `old` and `new`: what was kept
---@field newline? table   an author with `had_newline`

---@class acp.FileRecord: acp.RecordedStack
---@field version integer
---@field path string
---@field owners acp.SessionOwner[]
---@field facts table
---@field standing? acp.RecordedStack
---@field data? table<string, string>  what the lines of that stand for, in base64
---@field unknown acp.RecordedAuthor[]
---@field lines? string[]     of a text that is not too large
---@field stamp? string       of the file of any other one
---@field gone? boolean  the file has left the review, as a later Neovim did not find it, or not that text
---@field writer acp.RecordWriter

-- Out -----------------------------------------------------------------------------------------------------------------

---@param author acp.Author
---@param index_of fun(session: integer): integer
---@return acp.RecordedAuthor
local function author_out(author, index_of)
  local other = author.other
  return {
    owner = index_of(author.session),
    turn = author.turn,
    by = author.by,
    call = author.call,
    other = other and { owner = index_of(other.session), turn = other.turn } or nil,
    answer = author.answer,
  }
end

---@param lines string[]
---@param known acp.Known
---@param index_of fun(session: integer): integer
---@return acp.RecordedStack
local function stack_out(lines, known, index_of)
  local function out(author, more)
    return vim.tbl_extend("error", author_out(author, index_of), more)
  end
  local result = { lines = lines, decided = {} }
  result.turns = vim.tbl_map(function(turn)
    return out(turn, { allowed = turn.allowed, patch = turn.patch })
  end, known.turns)
  for _, each in ipairs(known.decided) do
    local change = each.change
    if each.is_kept and change.had_newline == nil then
      local kept = { row = each.row, old = change.old, new = change.new, commit = each.commit }
      kept.is_covered = each.is_covered
      result.decided[#result.decided + 1] = vim.tbl_extend("force", out(change, kept), { answer = each.answer })
    end
  end
  local newline = known.newline
  local is_last = newline ~= nil and newline.new[1] == lines[#lines]
  result.newline = is_last and out(newline, { had_newline = newline.had_newline }) or nil
  return result
end

---@param lines string[]
---@return boolean
function M.is_large(lines)
  local size = #lines
  for _, line in ipairs(lines) do
    size = size + #line
  end
  return size > limits.RECORDED_TEXT_BYTES
end

--- How a file looks that is not read to be compared.
---@param path string
---@return string?
function M.stamp(path)
  local stat = vim.uv.fs_stat(path)
  return stat and ("%d %d.%d"):format(stat.size, stat.mtime.sec, stat.mtime.nsec) or nil
end

--- What is known of the text that the disk holds.
---@param file acp.ReviewedFile
---@return acp.Snapshot|acp.ReviewedText
function M.on_disk(file)
  local is_modified = file.buf and vim.bo[file.buf].modified and not file.deleted
  return is_modified and file.text.snapshots.saved or file.text
end

--- What there is to write down.
---@param file acp.ReviewedFile
---@return acp.FileRecord
function M.of(file)
  local list, indices = {}, {}
  local function index_of(session)
    if not indices[session] then
      list[#list + 1] = owners.of(session)
      indices[session] = #list
    end
    return indices[session]
  end
  local text = M.on_disk(file)
  local record = stack_out(text.lines, text.known, index_of) --[[@as acp.FileRecord]]
  record.path, record.owners, record.facts, record.unknown = file.path, list, {}, {}
  if M.is_large(text.lines) then
    record.lines, record.stamp = nil, M.stamp(file.path)
  end
  for _, name in ipairs(FACTS) do
    record.facts[name] = file[name]
  end
  for i, author in ipairs(file.unknown) do
    record.unknown[i] = author_out(author, index_of)
  end
  if file.text.standing then
    record.standing = stack_out(file.text.standing.lines, file.text.standing.known, index_of)
    record.data = vim.tbl_map(vim.base64.encode, file.standings.data)
  end
  return record
end

local PARTS =
  { path = "string", facts = "table", owners = "table", turns = "table", decided = "table", unknown = "table" }

--- Whether it is a record, and not something else in JSON.
---@param found table
---@return boolean
function M.is_record(found)
  return vim.iter(PARTS):all(function(name, kind)
    return type(found[name]) == kind
  end) and (found.lines == nil or vim.islist(found.lines))
end

-- In ------------------------------------------------------------------------------------------------------------------

---@param author acp.RecordedAuthor
---@param sessions integer[]  by owner
---@return acp.Author
local function author_in(author, sessions)
  local other = author.other
  return {
    session = sessions[author.owner],
    turn = author.turn,
    by = author.by,
    call = author.call,
    other = other and { session = sessions[other.owner], turn = other.turn } or nil,
    answer = author.answer,
  }
end

---@param stack acp.RecordedStack
---@param lines string[]
---@param sessions integer[]
---@return acp.Known
local function known_in(stack, lines, sessions)
  local known = { decided = {}, before = hunk_list.none() }
  known.turns = vim.tbl_map(function(turn)
    local more = { allowed = turn.allowed, patch = vim.tbl_extend("keep", turn.patch, patches.new()) }
    return vim.tbl_extend("error", author_in(turn, sessions), more)
  end, stack.turns)
  for i, each in ipairs(stack.decided) do
    local change = hunk_list.change(author_in(each, sessions), each.old, each.new)
    change.id = hunk_list.new_id()
    known.decided[i] = { row = each.row, change = change, is_kept = true, commit = each.commit, answer = each.answer }
    known.decided[i].is_covered = each.is_covered
  end
  local newline, last = stack.newline, lines[#lines]
  if newline and last then
    known.newline = hunk_list.change(author_in(newline, sessions), { last }, { last })
    known.newline.id, known.newline.had_newline = hunk_list.new_id(), newline.had_newline
  end
  return known
end

--- What earlier Neovims have kept in a file that is in review anew, in the rows of its text.
---@param record acp.FileRecord
---@param lines string[]
---@return acp.DecidedChange[]
function M.kept(record, lines)
  local before = record.lines
  if not before then
    return {}
  end
  local stack = { turns = {}, decided = record.decided }
  local known = known_in(stack, before, vim.tbl_map(owners.number, record.owners))
  return reviewed_text.edited({ lines = before, known = known }, diff.edits(before, lines)).known.decided
end

--- Whether something of it waits, or can be undone; else it only says what was kept, or what a file held before a turn
--- wrote it.
---@param record acp.FileRecord
---@return boolean
function M.is_in_review(record)
  local standing = record.standing and #record.standing.turns or 0
  return not record.gone and (#record.turns + #record.unknown + standing > 0 or record.newline ~= nil)
end

--- The file is in review again, with the text of then.
---@param record acp.FileRecord
---@param lines string[]
---@param sessions integer[]  by owner
---@return acp.ReviewedFile
function M.enter(record, lines, sessions)
  local file = reviewed_files.enter(record.path, record.facts.given, lines)
  for _, name in ipairs(FACTS) do
    file[name] = record.facts[name]
  end
  file.text.known = known_in(record, lines, sessions)
  for i, author in ipairs(record.unknown) do
    file.unknown[i] = author_in(author, sessions)
  end
  if record.standing then
    file.standings.data = vim.tbl_map(vim.base64.decode, record.data)
    local standing = record.standing.lines
    reviewed_files.stand(file, standing, known_in(record.standing, standing, sessions))
  end
  return file
end

--- What agents have written here, above what a record has.
---@param turns acp.Turn[]
---@param theirs acp.Turn[]
---@return acp.Turn[]
local function written_here(turns, theirs)
  local function is_there(turn)
    return turn.session < 0 or vim.iter(theirs):any(function(each)
      return stack.is_same(each, turn)
    end)
  end
  local first = 1
  while turns[first] and is_there(turns[first]) do
    first = first + 1
  end
  return vim.list_slice(turns, first)
end

--- The file takes up a record that somebody else has written meanwhile: its turns come below those of our agents. What
--- was allowed here over lines that wait there waits with them.
---
---   the record  b | X, turn 1         here  d | Y, turn 2, in a text in which X was there
---   together    b | X, and d | Y
---@param file acp.ReviewedFile
---@param record acp.FileRecord
function M.join(file, record)
  local text, here = file.text, M.on_disk(file)
  local before = record.lines or (M.stamp(file.path) == record.stamp and here.lines) or nil
  if not before then
    return -- given up: a text too large to be recorded, which has changed since
  end
  reviewed_text.waiting(text)
  local sessions = vim.tbl_map(owners.number, record.owners)
  local theirs = { lines = before, known = known_in(record, before, sessions) }
  local own = written_here(here.known.turns, theirs.known.turns)
  local below = stack.lowest(own, here.lines)
  local joined = reviewed_text.edited(theirs, diff.edits(before, below))
  local turns = vim.list_slice(joined.known.turns)
  for _, turn in ipairs(own) do
    local is_allowed = turn.allowed and (#turns == 0 or turns[#turns].allowed)
    turns[#turns + 1] = vim.tbl_extend("force", turn, { allowed = is_allowed })
  end
  local known = { turns = turns, decided = joined.known.decided, before = text.known.waiting }
  vim.list_extend(
    known.decided,
    vim.tbl_filter(function(each)
      return each.change.session > 0
    end, here.known.decided)
  )
  known.newline = here.known.newline or joined.known.newline
  local snapshot = { lines = vim.list_slice(here.lines), known = known }
  if here ~= text then
    text.snapshots.saved = snapshot
    snapshot = reviewed_text.edited(snapshot, diff.edits(here.lines, text.lines))
    snapshot.known.before = known.before
  end
  text.known = snapshot.known
  reviewed_text.forget_moments(text)
  for _, author in ipairs(record.unknown) do
    table.insert(file.unknown, author_in(author, sessions))
  end
end

return M
