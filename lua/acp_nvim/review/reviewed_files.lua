-- Keeps the files in review, by path, and makes hunks of what their texts know: a change with its row and its state.
--
-- All that is known of one file's review is its acp.ReviewedFile: the facts here, its text and turns in `text`
-- (`reviewed_text`), what stands at its path beside lines in `standings`. Of this Neovim alone are `buf`, `last_buf`,
-- `buf_of_deleted` and `undos`, and of the text its states in the undo tree, `memory`, and the ids of hunks. The other
-- modules hold what follows from it (what is drawn, what was told), what happens to its buffer now, or what is about
-- turns and sessions.
local diff = require("acp_nvim.documents.diff")
local find = require("acp_nvim.documents.find")
local hunk_list = require("acp_nvim.review.hunk_list")
local reviewed_text = require("acp_nvim.review.reviewed_text")
local snapshots = require("acp_nvim.review.snapshots")
local stack = require("acp_nvim.review.stack")
local standing = require("acp_nvim.review.standing")

local M = {}

---@alias acp.ChangedBy "agent"|"unknown"|"one of two"  unknown: no call of an agent can have made it

---@class acp.Hunk
---@field id integer
---@field session integer
---@field turn integer
---@field by acp.ChangedBy
---@field call? acp.message.CallName    the command that has made it
---@field other? acp.message.OtherTurn  of "one of two": it may as well have been that one
---@field state "pending"|"kept"|"undone"
---@field asked? true       the user was asked about it: it can be undone
---@field first integer   row from 0
---@field n integer       lines in the text
---@field old string[]
---@field new string[]
---@field earlier acp.Author[]  turns whose pending lines it holds as well
---@field note? string    what has changed where the lines have not

---@class acp.FileShape  how the lines become bytes
---@field final? boolean  the last line has its end
---@field ff? string
---@field bomb? boolean
---@field fenc? string
---@field mode? integer

---@class acp.TurnShape
---@field turn integer
---@field shape acp.FileShape
---@field was_there boolean

---@class acp.ReviewedFile  one file's review, whole
---@field path string        resolved
---@field given string       as it was named
---@field text acp.ReviewedText
---@field standings acp.Standings
---@field removed boolean    by an agent, and it had no lines
---@field has_begun boolean  an agent has changed what is pending: `shape` and `created` tell of before
---@field shape acp.FileShape
---@field turn_shapes table<integer, acp.TurnShape>  by session: before its newest turn
---@field created boolean    by an agent
---@field deleted boolean    by an agent
---@field made? string[]     of a created file: folders above it that were made for it, from the innermost on
---@field folders? [string, integer][]  of a deleted file: those above it, from the outermost on, and their modes
---@field link? string       of a deleted file: where the link leads that stands in its place
---@field unknown acp.Author[]  who has changed it while nobody knew its earlier text: that cannot be undone
---@field buf? integer       the loaded buffer that is followed
---@field last_buf? integer  the one that was followed last
---@field buf_of_deleted? integer  the loaded buffer that still has the text of a deleted file
---@field undos integer       undone turns that `:Acp redo` may bring back
---@field root? string        of its project
---@field is_recalled? boolean  what was kept in it earlier is known
---@field writer? acp.RecordWriter  another Neovim, which had it in review when it was read from its record

M.files = {} ---@type table<string, acp.ReviewedFile> by resolved path
M.left = {} ---@type table<string, acp.ReviewedFile>  that have left the review, and in which something was kept

--- What was kept in a file before it left the review, in the rows of its text now.
---@param left acp.ReviewedFile
---@param lines string[]
---@return acp.DecidedChange[]
function M.kept_earlier(left, lines)
  local text = left.text
  local known = { turns = {}, decided = text.known.decided, before = hunk_list.none() }
  local decided =
    reviewed_text.edited({ lines = text.lines, known = known }, diff.edits(text.lines, lines)).known.decided
  return vim.tbl_map(function(each)
    return vim.tbl_extend("force", each, { is_earlier = true })
  end, decided)
end

---@param path string   resolved
---@param given string
---@param lines string[]
---@return acp.ReviewedFile  one that is not in review
function M.new(path, given, lines)
  return {
    path = path,
    given = given,
    text = reviewed_text.new(lines),
    standings = { data = {} },
    removed = false,
    has_begun = false,
    shape = {},
    turn_shapes = {},
    created = false,
    deleted = false,
    unknown = {},
    undos = 0,
  }
end

---@param path string   resolved
---@param given string
---@param lines string[]
---@return acp.ReviewedFile
function M.enter(path, given, lines)
  local file, left = M.new(path, given, lines), M.left[path]
  if left then
    file.text.known.decided, file.is_recalled, M.left[path] = M.kept_earlier(left, lines), left.is_recalled, nil
  end
  M.files[path] = file
  return file
end

--- All that belongs to one session belongs to another: what was written down goes on in a living one.
---@param from integer
---@param to integer
function M.renumber(from, to)
  local seen = {}
  local function walk(value)
    if type(value) ~= "table" or seen[value] then
      return
    end
    seen[value] = true
    if rawget(value, "session") == from then
      value.session = to
    end
    for _, each in pairs(value) do
      walk(each)
    end
  end
  walk({ M.files, M.left })
end

--- Says what stands at the path of a file, as a record has it.
---@param file acp.ReviewedFile
---@param lines string[]
---@param known acp.Known
function M.stand(file, lines, known)
  local standing_text = reviewed_text.new(lines)
  standing_text.known, file.text.standing = known, standing_text
  standing_text.kept_ids, standing_text.listed = file.text.kept_ids, file.text.listed
end

--- Gives a file that was moved its new path.
---@param file acp.ReviewedFile
---@param path string  resolved; no file in review has it
function M.move(file, path)
  M.files[file.path] = nil
  file.path, file.given = path, path
  M.files[path] = file
end

---@return acp.ReviewedFile[]  in the order of their paths; a copy: files may leave meanwhile
function M.all()
  local list = {}
  for _, file in vim.spairs(M.files) do
    list[#list + 1] = file
  end
  return list
end

--- The file in review that a buffer is named after.
---@param buf integer
---@return acp.ReviewedFile?
function M.by_name(buf)
  local name = vim.api.nvim_buf_get_name(buf)
  return name ~= "" and next(M.files) and M.files[find.resolve(name)] or nil
end

--- Forgets a file of which nothing is left to decide, or to list.
---@param file acp.ReviewedFile
function M.leave(file)
  standing.forget(file.standings)
  M.files[file.path] = nil
  if vim.iter(file.text.known.decided):any(function(each)
    return each.is_kept
  end) then
    reviewed_text.forget_moments(file.text)
    M.left[file.path] = file
  end
end

--- Forgets what turns of a session have changed that nobody can undo.
---@param file acp.ReviewedFile
---@param session integer
---@param first? integer  nil: all of its turns
---@param last? integer
function M.forget_unknown(file, session, first, last)
  file.unknown = vim.tbl_filter(function(author)
    return author.session ~= session or author.turn < (first or 0) or author.turn > (last or math.huge)
  end, file.unknown)
end

--- The file of a buffer, if it is in review.
---@param buf integer
---@return acp.ReviewedFile?
function M.of_buffer(buf)
  for _, file in pairs(M.files) do
    if file.buf == buf or file.buf_of_deleted == buf then
      return file
    end
  end
  return M.by_name(buf)
end

---@param change acp.AgentChange
---@param row integer
---@param state "pending"|"kept"|"undone"
---@param is_allowed? boolean
---@return acp.Hunk
local function hunk_of(change, row, state, is_allowed)
  local had_newline = change.had_newline
  return {
    id = change.id,
    session = change.session,
    turn = change.turn,
    by = change.by,
    call = change.call,
    other = change.other,
    state = state,
    asked = is_allowed or nil,
    first = row,
    n = state == "undone" and 0 or #change.new,
    old = change.old,
    new = change.new,
    earlier = change.earlier,
    note = change.note
      or had_newline ~= nil and ("no newline at end %s"):format(had_newline and "now" or "before")
      or nil,
  }
end

---@param file acp.ReviewedFile
---@param from? integer  of the hunks that wait; nil: all
---@param to? integer
---@return acp.Hunk[]  that wait for a decision, ascending
function M.pending(file, from, to)
  local hunks, list = reviewed_text.waiting(file.text), {}
  for i = from or 1, to or #hunks.rows do
    list[#list + 1] = hunk_of(hunks.changes[i], hunks.rows[i], "pending")
  end
  return list
end

--- The texts of a file in which a turn may have left something: with unsaved lines also that on the disk.
---@param file acp.ReviewedFile
---@return acp.ReviewedText[]
local function texts_of(file)
  local is_modified = file.buf and vim.api.nvim_buf_is_loaded(file.buf) and vim.bo[file.buf].modified
  return { file.text, is_modified and snapshots.saved(file.text) or nil }
end

--- The turns that have left something in the buffer or on the disk.
---@param file acp.ReviewedFile
---@return acp.Turn[]
function M.turns(file)
  return vim.iter(texts_of(file)):fold({}, function(turns, text)
    return vim.list_extend(turns, reviewed_text.turns(text))
  end)
end

--- How many changes a turn has left in the buffer, or on the disk.
---@param file acp.ReviewedFile
---@param what acp.WrittenBy
---@return integer
function M.left_of_turn(file, what)
  return vim.iter(texts_of(file)):fold(0, function(most, text)
    return math.max(most, #reviewed_text.of_turn(text, what))
  end)
end

local function comes_first(one, other)
  return one.first < other.first or (one.first == other.first and one.id < other.id)
end

--- What a turn alone has changed in the file: what waits, what was allowed, what is kept.
---@param file acp.ReviewedFile
---@param what acp.WrittenBy
---@return acp.Hunk[]  ascending
function M.of_turn(file, what)
  local list = {}
  for _, placed in ipairs(reviewed_text.of_turn(file.text, what)) do
    local is_allowed = placed.is_allowed
    list[#list + 1] = hunk_of(placed.item, placed.row, is_allowed and "kept" or "pending", is_allowed)
  end
  for _, each in ipairs(reviewed_text.decided(file.text)) do
    local is_of = each.is_kept and stack.is_of(each.change, what)
    list[#list + 1] = is_of and hunk_of(each.change, each.row, "kept") or nil
  end
  table.sort(list, comes_first)
  return list
end

--- The hunks that do not wait because the user was asked about them.
---@param file acp.ReviewedFile
---@return acp.Hunk[]
function M.allowed(file)
  local hunks, list = reviewed_text.allowed(file.text), {}
  for i, change in ipairs(hunks.changes) do
    list[i] = hunk_of(change, hunks.rows[i], "kept", true)
  end
  return list
end

--- The hunks that are listed although they are decided.
---@param file acp.ReviewedFile
---@return acp.Hunk[]
function M.decided(file)
  local list = {}
  for _, each in ipairs(next(file.text.listed) and reviewed_text.decided(file.text) or {}) do
    if file.text.listed[each.change.id] then
      list[#list + 1] = hunk_of(each.change, each.row, each.is_kept and "kept" or "undone")
    end
  end
  return list
end

---@param file acp.ReviewedFile
---@return acp.Hunk[]  all of them, ascending
function M.hunks(file)
  local list, more = M.pending(file), vim.list_extend(M.decided(file), M.allowed(file))
  if #more > 0 then
    vim.list_extend(list, more)
    table.sort(list, comes_first)
  end
  return list
end

---@param file acp.ReviewedFile
---@return boolean
function M.has_pending(file)
  return #reviewed_text.waiting(file.text).rows > 0
end

---@param file acp.ReviewedFile
---@return boolean
function M.is_over(file)
  return #reviewed_text.turns(file.text) == 0
    and not M.has_pending(file)
    and #M.decided(file) == 0
    and #file.unknown == 0
end

--- The pending hunks that may touch these rows.
---@param file acp.ReviewedFile
---@param from integer
---@param to integer
---@return acp.Hunk[]
function M.near(file, from, to)
  return M.pending(file, hunk_list.near(reviewed_text.waiting(file.text), from, to + 1))
end

return M
