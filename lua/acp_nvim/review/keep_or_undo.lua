-- Keeps or undoes hunks for the user, over all the files that have them, and tells in a line what could not be done.
local attached_buffers = require("acp_nvim.review.attached_buffers")
local messages = require("acp_nvim.ui.messages")
local pending_changes = require("acp_nvim.review.pending_changes")
local refresh = require("acp_nvim.review.refresh")
local store = require("acp_nvim.review.store")
local backend_reports = require("acp_nvim.review.backend_reports")
local undo = require("acp_nvim.review.undo")

local M = {}

local AGAIN_MS = 50 -- after which a buffer that still takes no edits is tried again

---@class acp.Decision  of many hunks
---@field all? integer      keep: the session of which those are settled, too, that nobody could undo
---@field turn? integer     one turn of it
---@field session? integer
---@field written_by? acp.WrittenBy  undo: all that this turn has written, also where later ones have written
---@field left? string[]    what is left, and why
---@field aloud? boolean    say what is done
---@field still_waiting? fun(): string?  which other changes wait once these are decided; said if nothing is left of these

---@param count integer
---@return string
local function counted(count)
  return ("%d change%s"):format(count, count == 1 and "" or "s")
end

--- Tells what was done with many hunks, where, and what could not be done. What was done with one the text itself shows.
---
---   undone: 2 changes in cart.py (turn 2)
---   undone: 9 changes in 3 files (turn 2) · left: 1 that may not be the agent's: :Acp undo! turn
---@param what "kept"|"undone"
---@param count integer
---@param names table<string, true>  of the files
---@param problems string[]
---@param how acp.Decision
local function say(what, count, names, problems, how)
  local left = vim.list_extend(vim.list_slice(problems), how.left or {})
  local files = vim.tbl_keys(names)
  local where = #files == 1 and vim.fs.basename(files[1]) or ("%d files"):format(#files)
  local turn = how.turn and (" (turn %d)"):format(how.turn) or ""
  local parts = { ("%s: %s%s%s"):format(what, counted(count), count > 0 and " in " .. where or "", turn) }
  local waiting = #left == 0 and how.still_waiting and how.still_waiting() or nil
  if #problems > 0 and count == 0 then
    messages.show("warn", table.concat(left, "; "))
  elseif #left > 0 or how.aloud then
    parts[2] = waiting or #left > 0 and ("left: %s"):format(table.concat(left, "; ")) or nil
    messages.show(#left > 0 and "warn" or "info", table.concat(parts, " · "))
  elseif waiting then
    messages.show("info", waiting)
  end
end

---@param hunks acp.Hunk[]
---@return table<integer, true>
local function set_of(hunks)
  local ids = {}
  for _, hunk in ipairs(hunks) do
    ids[hunk.id] = true
  end
  return ids
end

--- Keeps the changes of a session, or of a turn of it, that nobody can undo.
---@param file acp.ReviewedFile
---@param session integer
---@param turn? integer
local function keep_unknown(file, session, turn)
  file.unknown = vim.tbl_filter(function(author)
    return author.session ~= session or (turn ~= nil and author.turn ~= turn)
  end, file.unknown)
end

---@param hunks acp.Hunk[]
---@param how acp.Decision
local function keep(hunks, how)
  local ids, count, names = set_of(hunks), 0, {}
  for _, file in ipairs(store.all()) do
    local kept = pending_changes.keep(file.text, ids)
    count = count + #kept
    names[file.given] = #kept > 0 or nil
    for _, change in ipairs(kept) do
      if change.had_newline ~= nil then
        file.shape = vim.tbl_extend("force", file.shape, { final = not change.had_newline })
      end
    end
    attached_buffers.remember_state(file)
    if how.all then
      keep_unknown(file, how.all, how.turn)
    end
    attached_buffers.refresh(file)
  end
  backend_reports.flush_next()
  say("kept", count, names, {}, how)
end

---@class acp.UndoSum  of all files
---@field count integer
---@field names table<string, true>  of the files
---@field pause integer  ms until a buffer that takes no edits now is tried again
---@field problems string[]
---@field how acp.Decision

--- Adds what has become of the hunks of one file.
---@param sum acp.UndoSum
---@param file acp.ReviewedFile
---@param answer acp.UndoAnswer
---@param gone integer  hunks that are pending no longer, and were not undone
local function add_answer(sum, file, answer, gone)
  local name = vim.fs.basename(file.given)
  sum.count = sum.count + (answer.count or 0)
  sum.names[file.given] = (answer.count or 0) > 0 or sum.names[file.given]
  if answer.why then
    table.insert(sum.problems, ("%s: %s"):format(name, answer.why))
  end
  if gone > 0 then
    table.insert(sum.problems, ("%s: %s no longer there"):format(name, counted(gone)))
  end
end

---@param file acp.ReviewedFile
---@param what acp.UndoChoice
---@return integer
local function count_in(file, what)
  return #(
    what.ids and pending_changes.undoable(file.text, what.ids) or pending_changes.of_turn(file.text, what.written_by)
  )
end

--- Undoes the hunks in one file after the other. A buffer that takes no edits now is tried again. The keys of the review
--- are operators, which run in the middle of a command: it is over as soon as they return.
---@param files acp.ReviewedFile[]
---@param what acp.UndoChoice
---@param sum acp.UndoSum  of the files before these
local function undo_in(files, what, sum)
  for i, file in ipairs(files) do
    local count = count_in(file, what)
    local answer = count > 0 and undo.file(file, what) or {}
    if answer.locked then
      vim.defer_fn(function()
        undo_in(vim.list_slice(files, i), what, sum)
      end, sum.pause)
      sum.pause = AGAIN_MS
      return
    elseif count > 0 then
      local left = count_in(file, what)
      add_answer(sum, file, answer, count - left - (answer.count or 0))
      refresh.file(file, 0, -1)
    end
  end
  backend_reports.flush_next()
  say("undone", sum.count, sum.names, sum.problems, sum.how)
end

---@param verb "keep"|"undo"
---@param hunks acp.Hunk[]
---@param how? acp.Decision
---@return true
function M.decide(verb, hunks, how)
  attached_buffers.settle()
  if verb == "keep" then
    keep(hunks, how or {})
  else
    local what = how and how.written_by and { written_by = how.written_by } or { ids = set_of(hunks) }
    undo_in(store.all(), what, { count = 0, names = {}, pause = 0, problems = {}, how = how or {} })
  end
  return true
end

return M
