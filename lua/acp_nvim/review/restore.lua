-- Says what the files of a project were when a turn began: without what that turn and all later ones have written, and
-- with all that the user has written since. Turns in a file's stack are undone there; what was kept of them is taken
-- back where it was kept.
--
--   turn 2 began   a b c
--   now            a X c mine     X is turn 2's, kept; mine is the user's
--   restored       a b c mine
--
-- Where the user has changed lines of a kept change, these stay and the others go. Given up: a kept change in which two
-- turns had a hand goes as a whole with the later one.
local attached_buffers = require("acp_nvim.review.attached_buffers")
local diff = require("acp_nvim.documents.diff")
local disk_file = require("acp_nvim.review.disk_file")
local find = require("acp_nvim.documents.find")
local hunk_list = require("acp_nvim.review.hunk_list")
local patches = require("acp_nvim.documents.patch")
local project = require("acp_nvim.project")
local record = require("acp_nvim.review.record")
local records = require("acp_nvim.project.records")
local remember = require("acp_nvim.review.remember")
local reviewed_files = require("acp_nvim.review.reviewed_files")
local reviewed_text = require("acp_nvim.review.reviewed_text")
local stack = require("acp_nvim.review.stack")
local text = require("acp_nvim.documents.text")
local turn_bases = require("acp_nvim.review.turn_bases")
local turn_log = require("acp_nvim.review.turn_log")

local M = {}

local FAR = 100 -- rows that the user may have put into a kept change
local NEAR = 3 -- rows around it, beside as many as it has

---@class acp.Restoring
---@field files { path: string, before?: string, after?: string }[]  nil: there is no file
---@field yours integer   lines of the user's that stay
---@field left string[]   what cannot be put back: "mode or link: a.sh"
---@field sessions table<integer, true>  whose turns go

---@alias acp.IsMeant fun(author: acp.Author): boolean

--- How a file stands: its text now, and what is known of it.
---@param path string  resolved
---@return acp.Text? now  nil: there is no file
local function text_now(path)
  local buf = find.find(path)
  if buf and vim.api.nvim_buf_is_loaded(buf) and (vim.uv.fs_stat(path) or vim.bo[buf].modified) then
    return text.of_buffer(buf)
  end
  return disk_file.read(path)
end

---@param path string
---@param lines string[]
---@return acp.Snapshot? snapshot  of these lines; nil: nothing is known of the file
local function known_of(path, lines)
  local file, left = reviewed_files.files[path], reviewed_files.left[path]
  if file then
    local here = { lines = file.text.lines, known = file.text.known }
    return reviewed_text.edited(here, diff.edits(here.lines, lines))
  end
  local decided = left and reviewed_files.kept_earlier(left, lines)
  if not left then
    local found = records.read(project.of_file(path), remember.name(path))
    decided = found and record.is_record(found) and record.kept(found, lines)
  end
  return decided and { lines = lines, known = { turns = {}, decided = decided, before = hunk_list.none() } } or nil
end

---@param lines string[]
---@param row integer
---@param some string[]
---@return boolean
local function stands_at(lines, row, some)
  return #some > 0 and text.same_lines(vim.list_slice(lines, row + 1, row + #some), some)
end

--- Where a kept change stands: at its row, or near it, where other turns have written over it and are undone.
---@param lines string[]
---@param each acp.DecidedChange
---@return integer row
local function row_of(lines, each)
  local row, new = each.row, each.change.new
  for far = 0, #new > 0 and #new + NEAR or 0 do
    for _, at in ipairs({ row - far, row + far }) do
      if at >= 0 and stands_at(lines, at, new) then
        return at
      end
    end
  end
  return row
end

--- The lines that stand for a kept change now: from its row to the last one that is still as it was kept.
---@param lines string[]
---@param row integer
---@param new string[]
---@return string[]
local function span_of(lines, row, new)
  local far = vim.list_slice(lines, row + 1, row + #new + FAR)
  if stands_at(far, 0, new) then
    return new
  end
  local edits = diff.edits(new, far)
  local last = edits[#edits]
  if last and last[1] == #new and last[2] == #new then -- what stands behind the change
    return vim.list_slice(far, 1, #far - #last[3])
  end
  return vim.list_slice(far, 1, #new)
end

--- The edits that take a change back where it was kept. Lines in it that the user has changed since stay.
---
---   kept  b | X Y      now  X mine      X | b, and mine stays
---@param change acp.AgentChange
---@param span string[]  the lines that stand for it now
---@return acp.Edit[]  of these lines
local function taking_back(change, span)
  local edits = patches.up(patches.between(span, change.new), { { 0, #change.new, change.old } }, span)
  return vim.tbl_filter(function(edit) -- where it was kept may be another place by now, which nothing tells
    return vim.iter(vim.list_slice(span, edit[1] + 1, edit[2])):all(function(line)
      return vim.list_contains(change.new, line)
    end)
  end, edits)
end

--- Takes back what was kept of the turns that are meant, the last decision first.
---@param snapshot acp.Snapshot
---@param is_meant acp.IsMeant
---@return string[] lines
local function without_kept(snapshot, is_meant)
  for i = #snapshot.known.decided, 1, -1 do
    local each = snapshot.known.decided[i]
    if each.is_kept and not each.is_covered and each.change.had_newline == nil and is_meant(each.change) then
      local row = row_of(snapshot.lines, each)
      local edits = vim.tbl_map(function(edit)
        return { edit[1] + row, edit[2] + row, edit[3] }
      end, taking_back(each.change, span_of(snapshot.lines, row, each.change.new)))
      local is_back = #each.change.new == 0 and stands_at(snapshot.lines, row, each.change.old)
      snapshot = is_back and snapshot or reviewed_text.edited(snapshot, edits, {})
    end
  end
  return snapshot.lines
end

--- The lines of a text without what the turns that are meant have written.
---@param snapshot acp.Snapshot
---@param is_meant acp.IsMeant
---@return string[] lines
function M.lines(snapshot, is_meant)
  local _, steps = stack.undo_written(snapshot.known.turns, snapshot.lines, is_meant)
  for _, edits in ipairs(steps) do
    snapshot = reviewed_text.edited(snapshot, edits, {})
  end
  return without_kept(snapshot, is_meant)
end

---@param now acp.Text?
---@param lines string[]
---@return string
local function whole(now, lines)
  local base = now or { ff = "unix", final = true, bom = false }
  local final = #lines > 0 and (base.final or now and #now.lines == 0)
  return text.whole({ lines = lines, ff = base.ff, final = final or false, bom = false })
end

--- Whether the earliest of the turns that has changed the file has made it.
---@param path string
---@param since acp.LoggedTurn[]
---@return boolean
local function was_made(path, since)
  for _, one in ipairs(since) do
    for _, file in ipairs(one.files or {}) do
      if find.resolve(file.path) == path then
        return file.created or false
      end
    end
  end
  local file = reviewed_files.files[path] -- of a turn that was cut short
  return file ~= nil and file.created
end

--- The files that these turns have changed, by resolved path: their paths as they were named.
---@param since acp.LoggedTurn[]
---@param is_meant acp.IsMeant
---@return table<string, string>
local function paths_of(since, is_meant)
  local paths = {}
  for _, one in ipairs(since) do
    for _, file in ipairs(one.files or {}) do
      paths[find.resolve(file.path)] = file.path
    end
  end
  for _, file in ipairs(reviewed_files.all()) do
    if vim.iter({ reviewed_files.turns(file), file.unknown }):flatten():any(is_meant) then
      paths[file.path] = file.given
    end
  end
  return paths
end

--- What of a file no lines can put back.
---@param file acp.ReviewedFile
---@param is_meant acp.IsMeant
---@return string?
local function why_left(file, is_meant)
  if vim.iter(file.unknown):any(is_meant) then
    return "earlier text unknown"
  elseif file.text.standing and vim.iter(file.text.standing.known.turns):any(is_meant) then
    return "mode, link or bytes"
  elseif
    vim.iter(file.text.known.decided):any(function(each)
      return each.is_covered and is_meant(each.change)
    end)
  then
    return "kept below later changes"
  end
end

---@param file acp.ReviewedFile
---@param since acp.LoggedTurn[]
---@return integer
local function users_lines(file, since)
  return vim.iter(since):fold(0, function(most, one)
    local session = turn_log.session_of(one)
    local count = session and turn_bases.users_lines(file.text, { session = session, turn = one.turn }) or 0
    return math.max(most, count)
  end)
end

---@param of acp.LoggedTurn
---@return acp.Restoring? plan
---@return string? message  another Neovim decides
function M.plan(of)
  attached_buffers.settle()
  local since, is_in = turn_log.since(of), {} ---@type acp.LoggedTurn[], table<acp.LoggedTurn, true>
  local plan = { files = {}, yours = 0, left = {}, sessions = {} }
  for _, one in ipairs(since) do
    is_in[one] = true
    local session = turn_log.session_of(one)
    plan.sessions[session or 0] = session and true
  end
  local function is_meant(author)
    return vim.iter({ author, author.other }):any(function(each)
      return is_in[turn_log.find(each.session, each.turn)] ~= nil
    end)
  end
  for path, given in vim.spairs(paths_of(since, is_meant)) do
    local file, now = reviewed_files.files[path], text_now(path)
    local why = file and remember.refusal(file)
    if why then
      return nil, why
    end
    local before = now and now.lines or {}
    local snapshot = known_of(path, before)
    local lines = snapshot and M.lines(snapshot, is_meant) or before
    if not text.same_lines(before, lines) then
      local is_gone = #lines == 0 and was_made(path, since)
      plan.files[#plan.files + 1] =
        { path = given, before = now and whole(now, before), after = not is_gone and whole(now, lines) or nil }
    end
    why = file and why_left(file, is_meant)
    plan.yours = plan.yours + (file and users_lines(file, since) or 0)
    plan.left[#plan.left + 1] = why and ("%s: %s"):format(why, vim.fs.basename(given)) or nil
  end
  return plan
end

return M
