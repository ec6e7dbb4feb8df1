-- Keeps the review over a restart: each file in review has a record among those of its project. It is written when an
-- agent's change has landed, when something was decided, and when the file is saved; it goes with the file's last hunk.
--
-- Neovim may die at any moment. So the record `running` says which turns run, and before the first write of a turn to a
-- file without a record there is one of the text of before. What differs from its record when a turn was cut short is
-- nobody's, and waits.
--
-- A record says which Neovim has written it. As long as that one lives, another one shows and decides what its own
-- agents have written in the file, and writes nothing down. When it has died the other one goes on, and takes up first
-- what the record has by then.
local event = require("acp_nvim.system.event")
local limits = require("acp_nvim.limits")
local owners = require("acp_nvim.review.owners")
local process_table = require("acp_nvim.system.process_table")
local project = require("acp_nvim.project")
local record = require("acp_nvim.review.record")
local records = require("acp_nvim.project.records")
local reviewed_files = require("acp_nvim.review.reviewed_files")
local session_store = require("acp_nvim.backend.session_store")

local M = {}

M.PREFIX = "review-"
M.on_taken_up = event.new() -- fn(file): hunks of another Neovim, which has died, are there as well
local RUNNING = { name = "running", version = 1, what = "turns" } -- by its name written after the files
local written = {} ---@type table<string, any[]>  path -> what its record was made of
local noted = {} ---@type table<string, acp.ReviewedFile>  path -> whose record is to be written
local begun = {} ---@type table<string, acp.BegunFile>  by path
local running = {} ---@type table<string, table<integer, integer>>  root -> session -> the turn that runs
local started ---@type string

---@class acp.RecordWriter  a Neovim
---@field pid integer
---@field started string

---@class acp.RecordedTurn  a turn that runs
---@field owner acp.SessionOwner
---@field turn integer
---@field writer acp.RecordWriter

---@class acp.BegunFile  one that has a record because a turn was about to write it
---@field file acp.ReviewedFile  as it was before, if it was not in review
---@field session integer

---@return acp.RecordWriter
local function me()
  local pid = vim.uv.os_getpid()
  started = started or (process_table.find(pid) or {}).started or ""
  return { pid = pid, started = started }
end

---@param writer any
---@return boolean
local function is_me(writer)
  return vim.deep_equal(writer, me())
end

--- Whether another Neovim, which still runs, writes the record.
---@param writer any  as a record has it
---@return boolean
function M.is_elsewhere(writer)
  if type(writer) ~= "table" or type(writer.pid) ~= "number" or is_me(writer) then
    return false
  end
  local process = process_table.find(writer.pid)
  return process ~= nil and process.started == writer.started
end

---@param path string
---@return acp.RecordName
function M.name(path)
  return { name = M.PREFIX .. vim.fn.sha256(path):sub(1, 16), version = record.VERSION, what = "changes" }
end

---@param file acp.ReviewedFile
---@return string root
local function root_of(file)
  file.root = file.root or project.of_file(file.path)
  return file.root
end

-- The files -----------------------------------------------------------------------------------------------------------

--- What a record is made of: as long as these are the same, so is the record. That the file has another text by now
--- does not make it ours, unless the record has no text.
---@param file acp.ReviewedFile
---@return any[]
local function made_of(file)
  local here, standing = record.on_disk(file), file.text.standing
  local known, has_stamp = here.known, is_me(file.writer) or record.is_large(here.lines)
  local facts = ("%s %s %s %d"):format(file.created, file.deleted, file.removed, #file.unknown)
  local on_disk = has_stamp and record.stamp(file.path) or false
  local beside = standing and standing.known.turns or false
  return { known.turns, known.decided, known.newline or false, beside, on_disk, facts }
end

---@param one? any[]
---@param other any[]
---@return boolean
local function is_same(one, other)
  for i, part in ipairs(other) do
    if not one or one[i] ~= part then
      return false
    end
  end
  return true
end

--- Takes up what the record of a file has, where somebody else has written it.
---@param file acp.ReviewedFile
local function take_up(file)
  local root, name = root_of(file), M.name(file.path)
  if file.is_recalled and not records.has_changed(root, name) then
    return
  end
  local there = records.read(root, name)
  file.writer = there and there.writer
  if not there or M.is_elsewhere(there.writer) or not record.is_record(there) then
    return
  elseif is_me(there.writer) or not (file.is_recalled or record.is_in_review(there)) then
    local known = file.text.known
    known.decided = vim.list_extend(record.kept(there, record.on_disk(file).lines), known.decided)
  else
    record.join(file, there)
    M.on_taken_up.call(file)
  end
  file.is_recalled = true
end

--- What the record of a file shall hold.
---@param file acp.ReviewedFile
---@param is_begun? boolean  a turn is about to write it
---@return acp.FileRecord|false|nil  false: nothing is left to remember; nil: it stays as it is
local function content(file, is_begun)
  if is_same(written[file.path], made_of(file)) then
    return nil
  end
  take_up(file)
  if M.is_elsewhere(file.writer) then
    return nil
  end
  file.is_recalled = true
  local result = record.of(file)
  local is_in_review = reviewed_files.files[file.path] == file and record.is_in_review(result)
  file.writer = me()
  written[file.path] = (is_in_review or is_begun) and made_of(file) or nil
  if not is_in_review and not is_begun and #result.decided == 0 then
    return false
  end
  result.gone = not is_in_review and not is_begun or nil
  result.writer = file.writer
  return result
end

--- Writes what is still to be written of an earlier review of the file: what was kept in it must not be lost.
---@param path string
---@param file? acp.ReviewedFile  of now
local function settle(path, file)
  local before = noted[path]
  if before and before ~= file then
    noted[path] = nil
    records.write(root_of(before), M.name(path), function()
      return content(before)
    end)
  end
end

--- The review of a file has changed, or it has left the review.
---@param file acp.ReviewedFile
function M.note(file)
  if records.are_kept() then
    settle(file.path, file)
    noted[file.path] = file
    records.write_soon(root_of(file), M.name(file.path), function()
      noted[file.path] = nil
      return content(file)
    end)
  end
end

--- The file is as its record has it.
---@param file acp.ReviewedFile
---@param root string
---@param there acp.FileRecord
function M.has_read(file, root, there)
  file.root, file.is_recalled, file.writer = root, true, there.writer
  written[file.path] = made_of(file)
end

--- A file is not there, or not with that text: its changes leave the review, and stay in its record.
---@param root string
---@param there acp.FileRecord
function M.let_go(root, there)
  if not M.is_elsewhere(there.writer) then
    there.gone, there.writer = true, me()
    records.write(root, M.name(there.path), function()
      return there
    end)
  end
end

--- The file gets another path.
---@param file acp.ReviewedFile
function M.forget(file)
  if records.are_kept() then
    written[file.path] = nil
    records.write_soon(root_of(file), M.name(file.path), function()
      return false
    end)
    file.root = nil
  end
end

--- Where the review of a file is written down, if another Neovim does that: there it is decided on.
---@param file acp.ReviewedFile
---@return string?
function M.refusal(file)
  if not records.are_kept() then
    return nil
  end
  take_up(file)
  if M.is_elsewhere(file.writer) then
    local name = vim.fs.basename(file.given)
    return ("%s is reviewed in another Neovim (process %d)"):format(name, file.writer.pid)
  end
end

-- The turns that run --------------------------------------------------------------------------------------------------

---@param root string
---@return acp.RecordedTurn[]
local function recorded_turns(root)
  local there = records.read(root, RUNNING)
  return there and type(there.turns) == "table" and there.turns or {}
end

--- Writes which turns run, ours and those of other Neovims.
---@param root string
---@return { turns: acp.RecordedTurn[] }|false
local function turns_that_run(root)
  local turns = vim.tbl_filter(function(each)
    return not is_me(each.writer)
  end, recorded_turns(root))
  for session, turn in vim.spairs(running[root]) do
    turns[#turns + 1] = { owner = owners.of(session), turn = turn, writer = me() }
  end
  return #turns > 0 and { turns = turns }
end

---@param root string
---@param session integer
---@param turn integer
local function runs(root, session, turn)
  running[root] = running[root] or {}
  if running[root][session] ~= turn then
    running[root][session] = turn
    records.write(root, RUNNING, function()
      return turns_that_run(root)
    end)
  end
end

--- A turn begins. Given up: what an agent writes to the disk by itself within the milliseconds until we are told of it.
---@param session integer
---@param turn integer
function M.turn_begins(session, turn)
  if records.are_kept() then
    for root in pairs(project.of_session(session)) do
      runs(root, session, turn)
    end
  end
end

--- All that a turn has changed is known, or its session has ended.
---@param session integer
function M.turn_over(session)
  for path, one in pairs(begun) do
    if one.session == session then
      begun[path] = nil
      written[path] = reviewed_files.files[path] and written[path]
      M.note(reviewed_files.files[path] or one.file)
    end
  end
  for root, turns in pairs(running) do
    if turns[session] then
      turns[session] = nil
      records.write_soon(root, RUNNING, function()
        return turns_that_run(root)
      end)
    end
  end
end

--- Neovim leaves: turns that have ended are over, though the backend may still look for what they have changed.
local function leave()
  for root, turns in pairs(running) do
    for session in pairs(turns) do
      local is_running = session_store.exists(session) and session_store.session(session).turn
      turns[session] = is_running and turns[session] or nil
    end
    records.write(root, RUNNING, function()
      return turns_that_run(root)
    end)
  end
end

--- A turn is about to write a file. If Neovim dies now, the next one must know the text of before. Given up: one that
--- is too large to be recorded.
---@param path string
---@param by acp.By
---@param make fun(): acp.ReviewedFile  called if it is not in review
function M.before_write(path, by, make)
  if not records.are_kept() then
    return
  end
  local file = reviewed_files.files[path]
  settle(path, file)
  local size = (vim.uv.fs_stat(path) or {}).size or 0
  if not written[path] and size <= limits.RECORDED_TEXT_BYTES then
    file = file or make()
    begun[path] = { file = file, session = by.session }
    records.write(root_of(file), M.name(path), function()
      return content(file, true)
    end)
  end
  runs(file and root_of(file) or project.of_file(path), by.session, by.turn)
end

--- The turns of a project that were cut short, as their Neovim has died.
---@param root string
---@return acp.RecordedTurn[]
function M.cut_short(root)
  return vim.tbl_filter(function(each)
    return not is_me(each.writer) and not M.is_elsewhere(each.writer)
  end, recorded_turns(root))
end

--- What they have left is in review, and written down.
---@param root string
function M.close_cut_short(root)
  records.flush()
  records.write(root, RUNNING, function()
    local turns = vim.tbl_filter(function(each)
      return M.is_elsewhere(each.writer) or is_me(each.writer)
    end, recorded_turns(root))
    return #turns > 0 and { turns = turns }
  end)
end

vim.api.nvim_create_autocmd("VimLeavePre", {
  group = vim.api.nvim_create_augroup("acp_nvim.remember", {}),
  callback = leave,
})

return M
