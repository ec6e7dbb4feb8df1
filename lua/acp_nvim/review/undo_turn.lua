-- Undoes a turn over all files, and takes the newest of such undos back, as long as nothing else was decided and no later
-- turn has written one of the files. What was undone is remembered until then; its files stay in review as long.
local attached_buffers = require("acp_nvim.review.attached_buffers")
local backend_reports = require("acp_nvim.review.backend_reports")
local each_file = require("acp_nvim.review.each_file")
local limits = require("acp_nvim.limits")
local messages = require("acp_nvim.ui.messages")
local reviewed_text = require("acp_nvim.review.reviewed_text")
local redo = require("acp_nvim.review.redo")
local refresh = require("acp_nvim.review.refresh")
local store = require("acp_nvim.review.store")
local undo = require("acp_nvim.review.undo")
local undo_outcome = require("acp_nvim.review.undo_outcome")

local M = {}

---@class acp.UndoneTurn
---@field by acp.WrittenBy
---@field count integer  changes, as the message had them
---@field files acp.UndoneFile[]

local NOTHING = "nothing to redo: no turn was undone"
local undone = {} ---@type acp.UndoneTurn[]  the newest last
local why_none = NOTHING

--- The files of an undo that cannot be taken back any more may leave the review.
---@param one acp.UndoneTurn
local function release(one)
  for _, each in ipairs(one.files) do
    each.file.undos = each.file.undos - 1
    if store.files[each.file.path] == each.file then
      attached_buffers.refresh_or_leave(each.file)
    end
  end
end

---@param one acp.UndoneTurn
local function remember(one)
  for _, each in ipairs(one.files) do
    each.file.undos = each.file.undos + 1
  end
  undone[#undone + 1] = one
  if #undone > limits.UNDONE_TURNS then
    release(table.remove(undone, 1))
  end
end

--- Something else was decided: what was undone stays so.
---@param why? string
function M.forget_undone(why)
  local list = undone
  undone, why_none = {}, #list > 0 and (why or "nothing to redo: other changes were decided since") or why_none
  vim.iter(list):each(release)
end

--- The session has ended, with its turns.
---@param session integer
function M.forget_session(session)
  undo_outcome.forget_session(session)
  if vim.iter(undone):any(function(one)
    return one.by.session == session
  end) then
    M.forget_undone("nothing to redo: the session of that turn has ended")
  end
end

--- Removes the folders that the turn has made, once they are empty.
---@param files acp.UndoneFile[]
local function remove_folders(files)
  local made = vim.iter(files):fold({}, function(list, one)
    return vim.list_extend(list, one.before and one.before.facts.made or one.file.made or {})
  end)
  table.sort(made, function(one, other)
    return #one > #other
  end)
  vim.iter(made):each(vim.uv.fs_rmdir)
end

--- Notes what a redo needs of a file in which the turn has been undone.
---@param file acp.ReviewedFile
---@param by acp.WrittenBy
---@param answer acp.UndoAnswer
---@param count integer  changes that were undone in it
---@return acp.UndoneFile
local function undone_file(file, by, answer, count)
  return {
    file = file,
    before = answer.before,
    standing = answer.standing,
    lines = vim.list_slice(file.text.lines),
    turns = reviewed_text.turns(file.text),
    left = store.left_of_turn(file, by),
    count = count,
  }
end

--- Undoes all that a turn has written, in every file.
---@param by acp.WrittenBy
---@param still_waiting? fun(): string?  which other changes wait, said if nothing of the turn is left
---@return true? ok
---@return string? message  nothing of it can be undone
function M.undo(by, still_waiting)
  attached_buffers.settle()
  local outcome, files, shares, count = undo_outcome.new(by), {}, {}, 0
  for _, file in ipairs(store.all()) do
    shares[file] = undo_outcome.look(file, by)
    count = count + shares[file].count
  end
  local function carry_out(file)
    local answer = shares[file].count > 0 and undo.file(file, { written_by = by }) or {}
    if answer.locked then
      return answer
    end
    local before = outcome.count
    undo_outcome.add(outcome, file, shares[file], answer)
    if answer.before or answer.standing then
      files[#files + 1] = undone_file(file, by, answer, outcome.count - before)
    end
    if shares[file].count > 0 then
      refresh.file(file, 0, -1)
    end
    return answer
  end
  local message, is_whole
  each_file.run(store.all(), carry_out, function()
    remove_folders(files)
    message, is_whole = undo_outcome.text(outcome, "undone")
    if #files > 0 then
      remember({ by = by, count = outcome.count, files = files })
    end
    if count > 0 then
      local waiting = is_whole and still_waiting and still_waiting() or nil
      messages.show(is_whole and "info" or "warn", message .. (waiting and " · " .. waiting or ""))
      backend_reports.flush_next()
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
    local why = redo.refusal(each, one.by)
    if why then
      return nil, "not redone: " .. why
    end
  end
  undone[#undone] = nil
  local outcome, files, of = undo_outcome.new(one.by), {}, {}
  for i, each in ipairs(one.files) do
    files[i], of[each.file] = each.file, each
  end
  local function carry_out(file)
    local answer = redo.file(of[file])
    if not answer.locked then
      undo_outcome.add_redone(outcome, file, answer, of[file].count)
      refresh.file(file, 0, -1)
    end
    return answer
  end
  each_file.run(files, carry_out, function()
    release(one)
    if vim.tbl_count(outcome.files) == #one.files then
      outcome.count = one.count
    end
    local message, is_whole = undo_outcome.text(outcome, "redone")
    messages.show(is_whole and "info" or "warn", message)
    backend_reports.flush_next()
  end)
  return true
end

return M
