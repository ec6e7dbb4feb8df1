-- Says what a decision over many files has done, and what an undo or a redo of a turn has left of it, by what the files
-- hold afterwards.
--
--   undone: 2 changes in cart.py (turn 2)
--   undone: 9 changes in 3 files (turn 2) · left: 1 line of yours in cart.py · turn 2 still runs
--   nothing undone (turn 2) · left: 2 kept in cart.py; earlier text unknown: data.csv
--
-- A file that the turn has made or removed is one change in one file, and so is one that it has moved.
local diff = require("acp_nvim.documents.diff")
local origin = require("acp_nvim.documents.origin")
local printable = require("acp_nvim.ui.printable")
local reviewed_files = require("acp_nvim.review.reviewed_files")
local session_store = require("acp_nvim.backend.session_store")
local standing = require("acp_nvim.review.standing")
local turn_bases = require("acp_nvim.review.turn_bases")
local turn_lines = require("acp_nvim.review.turn_lines")

local M = {}

local MOST_FILES = 3 -- that are named as left
local moved_in = {} ---@type table<integer, table<integer, string[]>>  session -> turn -> what of git has moved

---@class acp.Leftover  something of a file that is not as before the turn
---@field name string
---@field why string
---@field is_count? boolean  "1 line of yours" of the file, not a reason

---@class acp.UndoOutcome
---@field verb "undone"|"redone"
---@field by acp.WrittenBy
---@field count integer
---@field files table<string, true>
---@field made acp.WholeFile[]     by the turn, and gone now
---@field removed acp.WholeFile[]  by the turn, and back now
---@field left acp.Leftover[]
---@field unnamed integer          changes that may not be the agent's

---@class acp.WholeFile
---@field given string
---@field lines string[]

---@class acp.TurnInFile  before the undo
---@field count integer      changes
---@field whole? "made"|"removed"
---@field lines string[]

---@param verb "undone"|"redone"
---@param by acp.WrittenBy
---@return acp.UndoOutcome
function M.new(verb, by)
  return { verb = verb, by = by, count = 0, files = {}, made = {}, removed = {}, left = {}, unnamed = 0 }
end

---@param file acp.ReviewedFile
---@param by acp.WrittenBy
---@return acp.TurnInFile
function M.look(file, by)
  local share = { count = reviewed_files.left_of_turn(file, by), lines = vim.list_slice(file.text.lines) }
  local turn = file.turn_shapes[by.session]
  if file.deleted then
    share.whole = "removed"
  elseif turn and turn.turn == by.turn and turn.was_there == false then
    share.whole = "made"
  end
  return share
end

--- Why changes of the turn are still there.
---@param file acp.ReviewedFile
---@param why? string  as the undo says
---@return string
local function reason(file, why)
  local stat = vim.uv.fs_stat(file.path)
  if stat and stat.type == "directory" then
    return "a folder now"
  elseif file.buf and vim.bo[file.buf].readonly then
    return "not writable"
  elseif not vim.uv.fs_access(stat and file.path or vim.fs.dirname(file.path), "W") then
    return "not writable"
  end
  return why and (why:gsub("^not undone: ", "")) or "changed since"
end

--- Whether another program has written the file by now.
local function is_written_since(file)
  local buf = file.buf
  return buf and not vim.bo[buf].modified and vim.uv.fs_stat(file.path) and origin.is_outdated(buf) or false
end

local function counted(count, one, many)
  return ("%d %s"):format(count, count == 1 and one or many)
end

---@param count integer
---@return string
function M.changes(count)
  return counted(count, "change", "changes")
end

--- "undone: 9 changes in 3 files (turn 2)"
---@param verb "kept"|"undone"|"redone"
---@param count integer
---@param files table<string, any>  by their names
---@param turn? integer
---@return string
function M.done(verb, count, files, turn)
  local names = vim.tbl_keys(files)
  local where = #names == 1 and printable.visible(vim.fs.basename(names[1])) or ("%d files"):format(#names)
  local of = turn and (" (turn %d)"):format(turn) or ""
  return ("%s: %s%s%s"):format(verb, M.changes(count), count > 0 and " in " .. where or "", of)
end

--- Whether the turn has made or removed a file, and what the file held.
---@param file acp.ReviewedFile
---@param share acp.TurnInFile
---@param answer acp.UndoAnswer
---@return "made"|"removed"|nil
---@return string[]? lines
local function whole_of(file, share, answer)
  if share.whole then
    return share.whole, vim.list_slice(share.whole == "made" and share.lines or file.text.lines)
  elseif answer.standing then
    local before, now = answer.standing.lines[1], file.text.standing.lines[1]
    local whole = now == standing.NOTHING and "made" or before == standing.NOTHING and "removed" or nil
    return whole, { file.standings.data[whole == "made" and before or now] }
  end
end

--- Adds what has become of the turn in one file.
---@param outcome acp.UndoOutcome
---@param file acp.ReviewedFile
---@param share acp.TurnInFile
---@param answer acp.UndoAnswer
function M.add(outcome, file, share, answer)
  local by, name = outcome.by, printable.visible(vim.fs.basename(file.given))
  local function leave(why, is_count)
    table.insert(outcome.left, { name = name, why = why, is_count = is_count })
  end
  local left = reviewed_files.left_of_turn(file, by)
  local done = math.min(answer.count or 0, share.count - left)
  if done > 0 then
    outcome.files[file.given] = true
    local whole, lines = whole_of(file, share, answer)
    outcome.count = outcome.count + (whole and 1 or done)
    if whole then
      table.insert(outcome[whole], { given = file.given, lines = lines })
    end
  end
  if left > 0 or answer.why then
    leave(reason(file, answer.why))
  elseif share.count > done then
    leave(("%s no longer there"):format(M.changes(share.count - done)), true)
  elseif done > 0 and is_written_since(file) then
    leave("changed since")
  end
  local users = turn_bases.users_lines(file.text, by)
  if users > 0 then
    leave(("%s of yours"):format(counted(users, "line", "lines")), true)
  end
  if
    vim.iter(file.unknown):any(function(author)
      return author.session == by.session and author.turn == by.turn
    end)
  then
    leave("earlier text unknown")
  end
  if by.is_known then
    local all = reviewed_files.left_of_turn(file, { session = by.session, turn = by.turn })
    outcome.unnamed = outcome.unnamed + all - left
  end
end

--- Adds what has become of one file in which the undo is taken back.
---@param outcome acp.UndoOutcome
---@param file acp.ReviewedFile
---@param answer acp.UndoAnswer
---@param count integer  changes that were undone in it
function M.add_redone(outcome, file, answer, count)
  outcome.files[file.given] = answer.count ~= nil or nil
  outcome.count = outcome.count + (answer.count and count or 0)
  if answer.why then
    local name = printable.visible(vim.fs.basename(file.given))
    table.insert(outcome.left, { name = name, why = reason(file, answer.why) })
  end
end

--- A file that was moved is back where it was: one change, not two.
---@param outcome acp.UndoOutcome
local function count_moves(outcome)
  for _, removed in ipairs(outcome.removed) do
    for i, made in ipairs(outcome.made) do
      local same = #removed.lines
      for _, edit in ipairs(diff.edits(removed.lines, made.lines)) do
        same = same - (edit[2] - edit[1])
      end
      if same * 2 >= math.max(1, #removed.lines, #made.lines) then
        table.remove(outcome.made, i)
        outcome.count, outcome.files[made.given] = outcome.count - 1, nil
        break
      end
    end
  end
end

--- "1 line of yours in cart.py; earlier text unknown: a.csv, b.csv; 2 more files"
---@param outcome acp.UndoOutcome
---@return string?
local function left_over(outcome)
  local named, count = {}, 0 ---@type table<string, true>, integer
  local order, names = {}, {} ---@type string[], table<string, string[]>
  for _, each in ipairs(outcome.left) do
    local is_new = not named[each.name]
    count, named[each.name] = count + (is_new and 1 or 0), true
    if count <= MOST_FILES then
      local key = each.is_count and ("%s in %s"):format(each.why, each.name) or each.why
      order[#order + 1] = not names[key] and key or nil
      names[key] = names[key] or {}
      table.insert(names[key], not each.is_count and each.name or nil)
    end
  end
  local parts = vim.tbl_map(function(key)
    return #names[key] > 0 and ("%s: %s"):format(key, table.concat(names[key], ", ")) or key
  end, order)
  if count > MOST_FILES then
    parts[#parts + 1] = counted(count - MOST_FILES, "more file", "more files")
  end
  if outcome.unnamed > 0 then
    parts[#parts + 1] = ("%d that may not be the agent's: :Acp undo! turn"):format(outcome.unnamed)
  end
  return #parts > 0 and table.concat(parts, "; ") or nil
end

--- Notes what of git has moved in a turn: an undo puts files back, and nothing else.
---@param session integer
---@param turn integer
---@param moved string[]
function M.note_moved(session, turn, moved)
  moved_in[session] = moved_in[session] or {}
  moved_in[session][turn] = #moved > 0 and moved or nil
end

---@param session integer
function M.forget_session(session)
  moved_in[session] = nil
end

--- "git: HEAD, index moved in the turn, not undone"
local function moved_text(by)
  local moved = (moved_in[by.session] or {})[by.turn]
  return moved and ("git: %s moved in the turn, not undone"):format(table.concat(moved, ", ")) or nil
end

--- Adds what was kept by hand: it is final.
local function add_kept(outcome)
  for _, share in vim.spairs(turn_lines.share(outcome.by.session, outcome.by.turn)) do
    if share.kept > 0 then
      local name = printable.visible(vim.fs.basename(share.given))
      table.insert(outcome.left, { name = name, why = ("%d kept"):format(share.kept), is_count = true })
    end
  end
end

---@param outcome acp.UndoOutcome
---@return string text
---@return boolean is_whole  nothing is left
function M.text(outcome)
  local by, verb = outcome.by, outcome.verb
  if verb == "undone" then
    add_kept(outcome)
    count_moves(outcome)
  end
  local left, parts = left_over(outcome), { ("nothing %s (turn %d)"):format(verb, by.turn) }
  if outcome.count > 0 then
    parts[1] = M.done(verb, outcome.count, outcome.files, by.turn)
  end
  parts[#parts + 1] = left and "left: " .. left or nil
  parts[#parts + 1] = verb == "undone" and moved_text(by) or nil
  local session = session_store.session(by.session)
  parts[#parts + 1] = session and session.turn and ("turn %d still runs"):format(session.turn) or nil
  return table.concat(parts, " · "), left == nil
end

return M
