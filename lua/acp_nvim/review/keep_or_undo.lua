-- Keeps or undoes hunks for the user, over all the files that have them, and tells in a line what could not be done.
local attached_buffers = require("acp_nvim.review.attached_buffers")
local backend_reports = require("acp_nvim.review.backend_reports")
local each_file = require("acp_nvim.review.each_file")
local messages = require("acp_nvim.ui.messages")
local reviewed_text = require("acp_nvim.review.reviewed_text")
local refresh = require("acp_nvim.review.refresh")
local store = require("acp_nvim.review.store")
local undo = require("acp_nvim.review.undo")
local undo_turn = require("acp_nvim.review.undo_turn")

local M = {}

---@class acp.DecideOptions  of many hunks
---@field unknown_of? integer  keep: a session, also its changes that nobody can undo
---@field turn? integer     all of one turn is meant
---@field whole_turn? acp.WrittenBy  keep: all that this turn has written, also where later ones have written
---@field left? string[]    what is left, and why
---@field aloud? boolean    say what is done
---@field still_waiting? fun(): string?  which other changes wait once these are decided; said if nothing is left of these
---@field after? fun()      called once they are decided

---@param count integer
---@return string
local function counted(count)
  return ("%d change%s"):format(count, count == 1 and "" or "s")
end

--- Tells what was done with many hunks, where, and what could not be done. What was done with one the text itself shows.
---
---   kept: 2 changes in cart.py (turn 2)
---   undone: 9 changes in 3 files · left: earlier text unknown: data.csv
---@param what "kept"|"undone"
---@param count integer
---@param names table<string, true>  of the files
---@param problems string[]
---@param how acp.DecideOptions
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
---@param how acp.DecideOptions
local function keep(hunks, how)
  local ids, count, names = set_of(hunks), 0, {}
  for _, file in ipairs(store.all()) do
    local kept = how.whole_turn and reviewed_text.keep_turn(file.text, how.whole_turn) or {}
    vim.list_extend(kept, reviewed_text.keep(file.text, ids))
    count = count + #kept
    names[file.given] = #kept > 0 or nil
    for _, change in ipairs(kept) do
      if change.had_newline ~= nil then
        file.shape = vim.tbl_extend("force", file.shape, { final = not change.had_newline })
      end
    end
    attached_buffers.remember_state(file)
    if how.unknown_of then
      keep_unknown(file, how.unknown_of, how.turn)
    end
    attached_buffers.refresh_or_leave(file)
  end
  backend_reports.flush_next()
  say("kept", count, names, {}, how)
  if how.after then
    how.after()
  end
end

--- Undoes hunks.
---@param hunks acp.Hunk[]
---@param how acp.DecideOptions
local function undo_hunks(hunks, how)
  local what, count, names, problems = { ids = set_of(hunks) }, 0, {}, {}
  local function carry_out(file)
    local chosen = #reviewed_text.undoable(file.text, what.ids)
    local answer = chosen > 0 and undo.file(file, what) or {}
    if answer.locked or chosen == 0 then
      return answer
    end
    local done, name = answer.count or 0, vim.fs.basename(file.given)
    local gone = chosen - #reviewed_text.undoable(file.text, what.ids) - done
    count, names[file.given] = count + done, done > 0 or nil
    problems[#problems + 1] = answer.why and ("%s: %s"):format(name, answer.why) or nil
    problems[#problems + 1] = gone > 0 and ("%s: %s no longer there"):format(name, counted(gone)) or nil
    refresh.file(file, 0, -1)
    return answer
  end
  each_file.run(store.all(), carry_out, function()
    backend_reports.flush_next()
    say("undone", count, names, problems, how)
    if how.after then
      how.after()
    end
  end)
end

---@param verb "keep"|"undo"
---@param hunks acp.Hunk[]
---@param how? acp.DecideOptions
---@return true
function M.decide(verb, hunks, how)
  attached_buffers.settle()
  undo_turn.forget_undone()
  local decide = verb == "keep" and keep or undo_hunks
  decide(hunks, how or {})
  return true
end

return M
