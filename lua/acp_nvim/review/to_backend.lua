-- What the backend has to know of the review, told as texts: the line below each turn that has changed files, once the
-- turn is over, what the agents' next prompts begin with, and which files an undo has written. One message carries what
-- has come together.
--
--   ± 2 files +5 −4 · ,k keep ,u undo · :Acp review      nothing is decided
--   ± price.py +2 −1 · kept 1, undone 1 · …              one change is left
--   ± kept 2, undone 1                                   all are decided
local backend = require("acp_nvim.backend.process")
local key_names = require("acp_nvim.review.key_names")
local lost_lines = require("acp_nvim.review.lost_lines")
local printable = require("acp_nvim.ui.printable")
local store = require("acp_nvim.review.store")

local M = {}

local SOON_MS = 50
local LARGEST = 2 ^ 20 -- bytes of a text that is told

---@class acp.Share  what one turn has done to one file
---@field is_pending? boolean  also where nobody knows the earlier text
---@field plus integer
---@field minus integer
---@field kept integer
---@field undone integer

---@class acp.TurnShares
---@field session integer
---@field turn integer
---@field files table<string, acp.Share>  by resolved path
---@field past acp.Share                  of files that have left the review
---@field sent? string  since the turn is over

local turns = {} ---@type table<string, acp.TurnShares>
local over = {} ---@type table<string, true>  turns, by the keys of `turns`, that this backend has said are over
local changed = {} ---@type table<acp.TurnShares, true>  their lines may say something else now
local undone = {} ---@type string[]
local reports = {} ---@type table<integer, string>  by session: what was last told, to tell it once
local about = {} ---@type table<integer, acp.Lost[]>  by session: what that was about
local reporting = {} ---@type table<integer, true>  sessions whose report may have changed
local has_unsaved = false -- when that was last told
local scheduled = false
local generation ---@type integer?  of the backend that has been told

---@return acp.Share
local function no_share()
  return { plus = 0, minus = 0, kept = 0, undone = 0 }
end

---@param session integer
---@param turn integer
---@return string
local function key_of(session, turn)
  return ("%d %d"):format(session, turn)
end

---@param session integer
---@param turn integer
---@return acp.TurnShares
local function shares_of(session, turn)
  local key = key_of(session, turn)
  turns[key] = turns[key] or { session = session, turn = turn, files = {}, past = no_share() }
  return turns[key]
end

---@param file acp.ReviewedFile
---@return table<acp.TurnShares, acp.Share>
local function shares(file)
  local found = {}
  local function share(of)
    local turn = shares_of(of.session, of.turn)
    found[turn] = found[turn] or no_share()
    return found[turn]
  end
  for _, hunk in ipairs(store.hunks(file)) do
    if hunk.state == "pending" then
      local mine = share(hunk)
      mine.is_pending, mine.plus, mine.minus = true, mine.plus + hunk.n, mine.minus + #hunk.old
    end
  end
  for _, each in ipairs(file.text.known.decided) do
    local mine, what = share(each.change), each.is_kept and "kept" or "undone"
    mine[what] = mine[what] + 1
  end
  local newline = file.newline
  if newline and newline.state ~= "pending" then
    local mine = share(newline.change)
    mine[newline.state] = mine[newline.state] + 1
  end
  for _, author in ipairs(file.unknown) do
    share(author).is_pending = true
  end
  return found
end

---@param ... string
---@return string
local function joined(...)
  return table.concat(
    vim.tbl_filter(function(part)
      return part ~= ""
    end, { ... }),
    " · "
  )
end

---@param turn acp.TurnShares
---@return string
local function line_of(turn)
  local names, sum = {}, no_share()
  local all = vim.tbl_values(turn.files)
  all[#all + 1] = turn.past
  for path, share in pairs(turn.files) do
    if share.is_pending then
      local file = store.files[path]
      names[#names + 1] = vim.fs.basename(file and file.given or path)
    end
  end
  for _, share in ipairs(all) do
    for _, what in ipairs({ "plus", "minus", "kept", "undone" }) do
      sum[what] = sum[what] + share[what]
    end
  end
  local decided = {}
  for _, what in ipairs({ "kept", "undone" }) do
    decided[#decided + 1] = sum[what] > 0 and ("%s %d"):format(what, sum[what]) or nil
  end
  local said = table.concat(decided, ", ")
  if #names == 0 then
    return said ~= "" and said or "nothing left to review"
  end
  local where = #names == 1 and printable.visible(names[1]) or ("%d files"):format(#names)
  if sum.plus == 0 and sum.minus == 0 then
    return joined(where .. ": earlier text unknown, no undo", said, ":Acp review")
  end
  local size = ("%s +%d −%d"):format(where, sum.plus, sum.minus)
  return joined(size, said, key_names.in_general(), ":Acp review")
end

---@param session integer
---@return table[] told
local function report_of(session)
  local told = {}
  about[session] = {}
  for path, file in vim.spairs(store.files) do
    local found, lost = lost_lines.report(file.text.known.lost, file.text.lines, session)
    vim.list_extend(about[session], lost)
    if found then
      local is_there = vim.uv.fs_stat(path) ~= nil or #file.text.lines > 0
      found.path = file.given
      found.removed = file.created and not is_there or nil
      found.restored = vim.iter(lost):any(function(each)
        return each.restored
      end) or nil
      told[#told + 1] = found
    end
  end
  return told
end

--- The texts of files in review that differ from the disk.
---@return table<string, string>
local function unsaved_texts()
  local texts = {}
  for path, file in pairs(store.files) do
    if file.buf and vim.bo[file.buf].modified then
      local text = table.concat(file.text.lines, "\n") .. "\n"
      texts[path] = #text <= LARGEST and text or nil
    end
  end
  return texts
end

--- A new backend knows nothing yet.
local function meet_backend()
  if generation ~= backend.generation() then
    generation, reports, over = backend.generation(), {}, {}
    for _, turn in pairs(turns) do
      turn.sent, reporting[turn.session] = nil, true
    end
  end
end

--- Tells what has changed since the last time, and before a prompt the unsaved texts, too: what the agent is told of
--- refused hunks is what is still so.
---@param is_prompt? boolean
function M.flush(is_prompt)
  scheduled = false
  if not backend.is_running() then
    return
  end
  meet_backend()
  local notes, told = {}, {}
  for turn in pairs(changed) do
    local text = over[key_of(turn.session, turn.turn)] and line_of(turn)
    if text and turn.sent ~= text then
      turn.sent = text
      notes[#notes + 1] = { session = turn.session, turn = turn.turn, text = text }
    end
  end
  for session in pairs(reporting) do
    local files = report_of(session)
    local key = vim.inspect(files)
    if key ~= (reports[session] or vim.inspect({})) then
      reports[session] = key
      told[#told + 1] = { session = session, files = files }
    end
  end
  local paths = undone
  changed, reporting, undone = {}, {}, {}
  local unsaved = is_prompt and unsaved_texts() or nil
  if unsaved and not next(unsaved) and not has_unsaved then
    unsaved = nil
  end
  has_unsaved = unsaved and next(unsaved) ~= nil or (has_unsaved and not unsaved)
  if #notes + #told + #paths > 0 or unsaved then
    backend.notify("reviewed", { notes = notes, reports = told, undone = paths, unsaved = unsaved })
  end
end

local function flush_soon()
  if not scheduled then
    scheduled = true
    vim.defer_fn(function()
      if scheduled then
        M.flush()
      end
    end, SOON_MS)
  end
end

--- The hunks of a file have changed, or what stands in the place of an agent's lines.
---@param file acp.ReviewedFile
function M.file_changed(file)
  local now = shares(file)
  for _, turn in pairs(turns) do
    if now[turn] or turn.files[file.path] then
      turn.files[file.path] = now[turn]
      changed[turn], reporting[turn.session] = true, true
    end
  end
  for _, lost in ipairs(file.text.known.lost) do
    reporting[lost.session] = true
  end
  flush_soon()
end

--- Its review is over: what was decided still counts.
---@param file acp.ReviewedFile
function M.file_over(file)
  for turn, share in pairs(shares(file)) do
    turn.past.kept, turn.past.undone = turn.past.kept + share.kept, turn.past.undone + share.undone
  end
  for _, turn in pairs(turns) do
    if turn.files[file.path] then
      turn.files[file.path], changed[turn] = nil, true
    end
  end
  flush_soon()
end

--- All that the turn has changed is known: from now on the chat shows its line.
---@param session integer
---@param turn integer
function M.turn_over(session, turn)
  meet_backend()
  local key = key_of(session, turn)
  over[key] = true
  if turns[key] then
    changed[turns[key]] = true
    M.flush()
  end
end

--- An undo has written, made or deleted that file: the agent's turn is not to wonder about it.
---@param path string  resolved
function M.undone(path)
  undone[#undone + 1] = path
end

--- The agent of that session knows the last report.
---@param session integer
function M.reported(session)
  for _, lost in ipairs(about[session] or {}) do
    lost.told = true
  end
  reports[session] = nil
  about[session] = nil
end

---@param session integer
function M.forget(session)
  for key, turn in pairs(turns) do
    if turn.session == session then
      turns[key], changed[turn] = nil, nil
    end
  end
  reports[session], about[session], reporting[session] = nil, nil, nil
end

return M
