-- The files in review, and their hunks as the rest of Neovim sees them.
local attribution = require("acp_nvim.review.attribution")
local pending_changes = require("acp_nvim.review.pending_changes")
local find = require("acp_nvim.documents.find")

local M = {}

---@class acp.Hunk
---@field id integer
---@field session integer
---@field turn integer
---@field by "agent"|"unknown"
---@field state "pending"|"kept"|"undone"
---@field first integer   row from 0
---@field n integer       lines in the text
---@field old string[]
---@field new string[]
---@field note? string    what has changed where the lines have not
---@field change acp.AgentChange  the same as long as nothing but its row is another

---@class acp.FileShape  how the lines become bytes
---@field final? boolean  the last line has its end
---@field ff? string
---@field bomb? boolean
---@field fenc? string

---@class acp.Snapshot
---@field lines string[]
---@field known acp.Known

---@class acp.LastNewline  a change of the newline at the end of a file, which leaves all lines as they are
---@field was boolean     the last line had one
---@field line string     that line
---@field change acp.AgentChange
---@field state "pending"|"kept"|"undone"

---@class acp.ReviewedFile
---@field path string        resolved
---@field given string       as it was named
---@field text acp.Pending
---@field buf? integer       the loaded buffer that is followed
---@field last_buf? integer  the one that was followed last
---@field left? integer      of a deleted file: the loaded buffer that still has its text
---@field has_begun boolean  the shape before any agent is known
---@field shape acp.FileShape
---@field created boolean
---@field deleted boolean
---@field mode? integer      of a deleted file, if it is known
---@field unknown acp.Author[]  who has changed what nobody has seen before
---@field newline? acp.LastNewline
---@field decided table<integer, true>  hunks that are listed after their decision, until their session's next turn
---@field saved? acp.Snapshot     as on disk: what `:edit!` goes back to
---@field undeleted? acp.Snapshot  before the file was deleted
---@field pending? acp.Hunk[]   those of the changes in `of`
---@field of? acp.Known
---@field by_change? table<acp.AgentChange, acp.Hunk>
---@field listed? acp.Hunk[]    with those that are decided
---@field listed_of? any[]      what that was made of

M.files = {} ---@type table<string, acp.ReviewedFile> by resolved path

---@param path string   resolved
---@param given string
---@param lines string[]
---@return acp.ReviewedFile
function M.enter(path, given, lines)
  local file = {
    path = path,
    given = given,
    text = pending_changes.new(lines),
    has_begun = false,
    shape = {},
    created = false,
    deleted = false,
    unknown = {},
    decided = {},
  }
  M.files[path] = file
  return file
end

---@param name string  of a buffer
---@return string? real
---@return acp.ReviewedFile?
function M.find(name)
  local real = name ~= "" and next(M.files) and find.resolve(name)
  return real or nil, real and M.files[real] or nil
end

--- The file of a buffer, if it is in review.
---@param buf integer
---@return acp.ReviewedFile?
function M.of_buffer(buf)
  for _, file in pairs(M.files) do
    if file.buf == buf or file.left == buf then
      return file
    end
  end
  return select(2, M.find(vim.api.nvim_buf_get_name(buf)))
end

---@param change acp.AgentChange
---@param row integer
---@param state "pending"|"kept"|"undone"
---@param note? string
---@return acp.Hunk
local function hunk_of(change, row, state, note)
  return {
    id = change.id,
    session = change.session,
    turn = change.turn,
    by = change.by,
    state = state,
    first = row,
    n = state == "undone" and 0 or #change.new,
    old = change.old,
    new = change.new,
    note = note,
    change = change,
  }
end

--- Nobody has to decide on the newline where the last line is another one by now, or is part of a change.
---@param file acp.ReviewedFile
---@return boolean
local function is_newline_pending(file)
  local newline, lines, blocks = file.newline, file.text.lines, file.text.known.blocks
  if not newline or newline.state ~= "pending" or lines[#lines] ~= newline.line then
    return false
  end
  local last = #blocks.rows
  return last == 0 or blocks.rows[last] + #blocks.changes[last].new < #lines
end

---@param one acp.Hunk
---@param other acp.Hunk
---@return boolean
local function comes_first(one, other)
  return one.first < other.first or (one.first == other.first and one.id < other.id)
end

---@param file acp.ReviewedFile
---@return acp.Hunk
local function newline_hunk(file)
  local newline = file.newline --[[@as acp.LastNewline]]
  local note = ("no newline at end %s"):format(newline.was and "now" or "before")
  return hunk_of(newline.change, #file.text.lines - 1, newline.state, note)
end

--- Those that are listed although nobody has to decide on their lines.
---@param file acp.ReviewedFile
---@return acp.Hunk[]
local function others(file)
  local list, newline = {}, file.newline
  for _, each in ipairs(next(file.decided) and file.text.known.decided or {}) do
    if file.decided[each.change.id] then
      list[#list + 1] = hunk_of(each.change, each.row, each.is_kept and "kept" or "undone")
    end
  end
  if newline and (is_newline_pending(file) or (newline.state ~= "pending" and file.decided[newline.change.id])) then
    list[#list + 1] = newline_hunk(file)
  end
  table.sort(list, comes_first)
  return list
end

--- The hunks that wait, and those that are listed after their decision.
---@param file acp.ReviewedFile
---@return acp.Hunk[]  ascending
function M.hunks(file)
  local known = file.text.known
  if file.of ~= known then
    local before = file.by_change or {}
    file.of, file.pending, file.by_change = known, {}, {}
    for i, change in ipairs(known.blocks.changes) do
      -- of ten thousand most are as they were: new tables for all would cost more than the undo of one
      local hunk = before[change] or hunk_of(change, 0, "pending")
      hunk.first = known.blocks.rows[i]
      file.pending[i], file.by_change[change] = hunk, hunk
    end
  end
  local newline = file.newline
  local of = { known, vim.tbl_count(file.decided), newline and newline.state, is_newline_pending(file) }
  if
    file.listed
    and file.listed_of[1] == known
    and vim.deep_equal({ unpack(of, 2, 4) }, { unpack(file.listed_of, 2, 4) })
  then
    return file.listed
  end
  file.listed_of = of
  local more = others(file)
  if #more == 0 then
    file.listed = file.pending
    return file.listed
  end
  local list, at = {}, 1
  for _, hunk in ipairs(file.pending) do
    while more[at] and comes_first(more[at], hunk) do
      list[#list + 1], at = more[at], at + 1
    end
    list[#list + 1] = hunk
  end
  file.listed = vim.list_extend(list, more, at)
  return file.listed
end

---@param file acp.ReviewedFile
---@return boolean
function M.has_pending(file)
  return #file.text.known.blocks.rows > 0 or is_newline_pending(file)
end

---@param file acp.ReviewedFile
---@return boolean
function M.is_over(file)
  return #M.hunks(file) == 0 and #file.unknown == 0
end

--- The pending hunks that may touch these rows.
---@param file acp.ReviewedFile
---@param from integer
---@param to integer
---@return acp.Hunk[]
function M.near(file, from, to)
  local blocks, list = file.text.known.blocks, {}
  local first, last = attribution.near(blocks, from, to + 1)
  for i = first, last do
    list[#list + 1] = hunk_of(blocks.changes[i], blocks.rows[i], "pending")
  end
  if is_newline_pending(file) and to >= #file.text.lines - 1 then
    list[#list + 1] = newline_hunk(file)
  end
  return list
end

return M
