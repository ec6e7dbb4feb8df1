-- Carries out what the user decides, over all the files that have it: keeps or undoes hunks, undoes a turn, and takes
-- the newest of such undos back, as long as nothing else was decided and no later turn has written one of the files.
-- What was undone is remembered until then; its files stay in review as long.
local attached_buffers = require("acp_nvim.review.attached_buffers")
local backend_reports = require("acp_nvim.review.backend_reports")
local disk_file = require("acp_nvim.review.disk_file")
local hunk_list = require("acp_nvim.review.hunk_list")
local limits = require("acp_nvim.limits")
local messages = require("acp_nvim.ui.messages")
local outcome = require("acp_nvim.review.outcome")
local refresh = require("acp_nvim.review.refresh")
local remember = require("acp_nvim.review.remember")
local reviewed_files = require("acp_nvim.review.reviewed_files")
local reviewed_text = require("acp_nvim.review.reviewed_text")
local undo = require("acp_nvim.review.undo")

local M = {}

---@class acp.DecideOptions  of many hunks
---@field unknown_of? integer[]  keep: of these sessions also changes that nobody can undo
---@field turn? integer     all of one turn is meant
---@field commit? string    keep: which holds them
---@field whole_turn? acp.WrittenBy  keep: all that this turn has written, also where later ones have written
---@field left? string[]    what is left, and why
---@field aloud? boolean    say what is done
---@field still_waiting? fun(): string?  which others wait once these are decided; said if none of these is left
---@field after? fun()      called once they are decided

---@class acp.UndoneTurn
---@field by acp.WrittenBy
---@field count integer  changes, as the message had them
---@field files acp.UndoneFile[]

local AGAIN_MS = 50 -- after which a buffer that still takes no edits is tried again

local undone = {} ---@type acp.UndoneTurn[]  the newest last
local why_none = "nothing to redo: no turn was undone"

--- Carries it out in one file after the other. A buffer that takes no edits now is tried again: the keys of the review
--- are operators, which run in the middle of a command, and that is over as soon as they return.
---@param files acp.ReviewedFile[]
---@param act fun(file: acp.ReviewedFile): acp.UndoAnswer?  nil: nothing of it is meant
---@param note fun(file: acp.ReviewedFile, answer: acp.UndoAnswer)
---@param done fun()
---@param pause? integer  ms
local function carry_out(files, act, note, done, pause)
  for i, file in ipairs(files) do
    local answer = act(file)
    if answer and answer.locked then
      vim.defer_fn(function()
        carry_out(vim.list_slice(files, i), act, note, done, AGAIN_MS)
      end, pause or 0)
      return
    elseif answer then
      note(file, answer)
      refresh.file(file, 0, -1)
    end
  end
  done()
  backend_reports.flush_next()
end

-- What was undone -----------------------------------------------------------------------------------------------------

--- The files of an undo that cannot be taken back any more may leave the review.
local function release(one)
  for _, each in ipairs(one.files) do
    each.file.undos = each.file.undos - 1
    if reviewed_files.files[each.file.path] == each.file then
      attached_buffers.refresh_or_leave(each.file)
    end
  end
end

local function note_undone(one)
  for _, each in ipairs(one.files) do
    each.file.undos = each.file.undos + 1
  end
  undone[#undone + 1] = one
  if #undone > limits.UNDONE_TURNS then
    release(table.remove(undone, 1))
  end
end

--- Something else was decided: what was undone stays so.
local function forget_undone(why)
  local list = undone
  undone, why_none = {}, #list > 0 and why or why_none
  vim.iter(list):each(release)
end

--- The session has ended, with its turns.
---@param session integer
function M.forget_session(session)
  outcome.forget_session(session)
  if vim.iter(undone):any(function(one)
    return one.by.session == session
  end) then
    forget_undone("nothing to redo: the session of that turn has ended")
  end
end

--- Why nothing can be decided here: another Neovim has one of the files in review.
---@param is_meant fun(file: acp.ReviewedFile): boolean
---@return string?
local function refusal(is_meant)
  for _, file in ipairs(reviewed_files.all()) do
    local why = is_meant(file) and remember.refusal(file)
    if why then
      return why
    end
  end
end

-- Hunks ---------------------------------------------------------------------------------------------------------------

--- Tells what was done with many hunks, where, and what could not be done. What was done with one the text itself
--- shows.
---
---   kept: 2 changes in cart.py (turn 2)
---   undone: 9 changes in 3 files · left: earlier text unknown: data.csv
---@param verb "kept"|"undone"
---@param count integer
---@param names table<string, any>  of the files
---@param problems string[]
---@param how acp.DecideOptions
local function finish(verb, count, names, problems, how)
  local left = vim.list_extend(vim.list_slice(problems), how.left or {})
  local waiting = #left == 0 and how.still_waiting and how.still_waiting() or nil
  if #problems > 0 and count == 0 then
    messages.show("warn", table.concat(left, "; "))
  elseif #left > 0 or how.aloud then
    local rest = waiting or #left > 0 and ("left: %s"):format(table.concat(left, "; ")) or nil
    local done = outcome.done(verb, count, names, how.turn)
    messages.show(#left > 0 and "warn" or "info", rest and ("%s · %s"):format(done, rest) or done)
  elseif waiting then
    messages.show("info", waiting)
  end
  if how.after then
    how.after()
  end
end

---@param ids table<integer, true>
---@param how acp.DecideOptions
local function keep_hunks(ids, how)
  local count, names = 0, {}
  for _, file in ipairs(reviewed_files.all()) do
    local kept = how.whole_turn and reviewed_text.keep_turn(file.text, how.whole_turn) or {}
    vim.list_extend(kept, reviewed_text.keep(file.text, ids))
    if how.commit then
      reviewed_text.note_commit(file.text, ids, how.commit)
    end
    count, names[file.given] = count + #kept, #kept > 0 or nil
    for _, change in ipairs(kept) do
      if change.had_newline ~= nil then
        file.shape = vim.tbl_extend("force", file.shape, { final = not change.had_newline })
      end
    end
    attached_buffers.remember_state(file)
    for _, session in ipairs(how.unknown_of or {}) do
      reviewed_files.forget_unknown(file, session, how.turn, how.turn)
    end
    attached_buffers.refresh_or_leave(file)
  end
  backend_reports.flush_next()
  finish("kept", count, names, {}, how)
end

---@param ids table<integer, true>
---@param how acp.DecideOptions
local function undo_hunks(ids, how)
  local count, names, problems, chosen = 0, {}, {}, 0
  carry_out(reviewed_files.all(), function(file)
    chosen = #reviewed_text.undoable(file.text, ids)
    return chosen > 0 and undo.file(file, { ids = ids }) or nil
  end, function(file, answer)
    local done, name = answer.count or 0, vim.fs.basename(file.given)
    local gone = chosen - #reviewed_text.undoable(file.text, ids) - done
    count, names[file.given] = count + done, done > 0 or nil
    problems[#problems + 1] = answer.why and ("%s: %s"):format(name, answer.why) or nil
    problems[#problems + 1] = gone > 0 and ("%s: %s no longer there"):format(name, outcome.changes(gone)) or nil
  end, function()
    finish("undone", count, names, problems, how)
  end)
end

---@param verb "keep"|"undo"
---@param hunks acp.Hunk[]
---@param how? acp.DecideOptions
---@return true? ok
---@return string? message
function M.decide(verb, hunks, how)
  attached_buffers.settle()
  local why = refusal(function(file)
    return vim.iter(hunks):any(function(hunk)
      return #hunk_list.chosen(reviewed_text.waiting(file.text), { [hunk.id] = true }) > 0
    end)
  end)
  if why then
    return nil, why
  end
  forget_undone("nothing to redo: other changes were decided since")
  local ids, decide = {}, verb == "keep" and keep_hunks or undo_hunks
  for _, hunk in ipairs(hunks) do
    ids[hunk.id] = true
  end
  decide(ids, how or {})
  return true
end

-- Turns ---------------------------------------------------------------------------------------------------------------

--- Removes the folders that the turn has made, once they are empty.
local function remove_folders(files)
  local made = vim.iter(files):fold({}, function(list, one)
    return vim.list_extend(list, one.before and one.before.facts.made or one.file.made or {})
  end)
  table.sort(made, function(one, other)
    return #one > #other
  end)
  disk_file.remove_folders(made)
end

--- Undoes all that a turn has written, in every file.
---@param by acp.WrittenBy
---@param still_waiting? fun(): string?  which other changes wait, said if nothing of the turn is left
---@return true? ok
---@return string? message  nothing of it can be undone
function M.undo_turn(by, still_waiting)
  attached_buffers.settle()
  local result, files, shares, count = outcome.new("undone", by), {}, {}, 0
  for _, file in ipairs(reviewed_files.all()) do
    shares[file] = outcome.look(file, by)
    count = count + shares[file].count
  end
  local why = refusal(function(file)
    return shares[file].count > 0
  end)
  if why then
    return nil, why
  end
  local message, is_whole
  carry_out(reviewed_files.all(), function(file)
    return shares[file].count > 0 and undo.file(file, { written_by = by }) or {}
  end, function(file, answer)
    local before = result.count
    outcome.add(result, file, shares[file], answer)
    if answer.before or answer.standing then
      files[#files + 1] = undo.remember(file, by, answer, result.count - before)
    end
  end, function()
    remove_folders(files)
    message, is_whole = outcome.text(result)
    if #files > 0 then
      note_undone({ by = by, count = result.count, files = files })
    end
    if count > 0 then
      local waiting = is_whole and still_waiting and still_waiting() or nil
      messages.show(is_whole and "info" or "warn", message .. (waiting and " · " .. waiting or ""))
    end
  end)
  if count == 0 then
    return nil, not is_whole and message or nil
  end
  return true
end

--- Takes the newest undo of a turn back.
---@return true? ok
---@return string? message
function M.redo()
  attached_buffers.settle()
  local one = undone[#undone]
  if not one then
    return nil, why_none
  end
  for _, each in ipairs(one.files) do
    local why = undo.redo_refusal(each, one.by)
    if why then
      return nil, "not redone: " .. why
    end
  end
  undone[#undone] = nil
  local result, files, of = outcome.new("redone", one.by), {}, {}
  for i, each in ipairs(one.files) do
    files[i], of[each.file] = each.file, each
  end
  carry_out(files, function(file)
    return undo.redo(of[file])
  end, function(file, answer)
    outcome.add_redone(result, file, answer, of[file].count)
  end, function()
    release(one)
    if vim.tbl_count(result.files) == #one.files then
      result.count = one.count
    end
    local message, is_whole = outcome.text(result)
    messages.show(is_whole and "info" or "warn", message)
  end)
  return true
end

return M
