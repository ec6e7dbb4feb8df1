-- Tells the backend what it has to know of the review, as texts: the line below each turn that has changed files, once
-- the turn is over; what the agents' next prompts begin with; which files an undo has written. One message carries what
-- has come together. The texts are made anew from the files in review, and sent if they differ from what was sent last.
--
--   ± 2 files +5 −4 · ,k keep ,u undo · :Acp review      nothing is decided
--   ± price.py +2 −1 · kept 1, undone 1 · …              one change is left
--   ± kept 2, undone 1                                   all are decided
local backend = require("acp_nvim.backend.process")
local limits = require("acp_nvim.limits")
local key_names = require("acp_nvim.review.key_names")
local lost_report = require("acp_nvim.review.lost_report")
local printable = require("acp_nvim.ui.printable")
local store = require("acp_nvim.review.store")

local M = {}

local SOON_MS = 50

---@class acp.TurnShare  what one turn has done to files in review
---@field names table<string, string>  of the files that wait for a decision, by resolved path
---@field plus integer
---@field minus integer
---@field kept integer
---@field undone integer

---@alias acp.TurnShares table<integer, table<integer, acp.TurnShare>>  session -> turn

local past = {} ---@type acp.TurnShares  of files that have left the review: what was decided there still counts
local notes = {} ---@type table<integer, table<integer, string>>  session -> turn that is over -> its line as it was told
local reports = {} ---@type table<integer, table[]>  by session: what was told last
local about = {} ---@type table<integer, acp.Lost[]>  by session: what that was about
local undone = {} ---@type string[]
local has_unsaved = false -- when that was last told
local timer ---@type uv.uv_timer_t?
local generation ---@type integer?  of the backend that has been told

---@param shares acp.TurnShares
---@param of { session: integer, turn: integer }
---@return acp.TurnShare
local function share_of(shares, of)
  shares[of.session] = shares[of.session] or {}
  local turns = shares[of.session]
  turns[of.turn] = turns[of.turn] or { names = {}, plus = 0, minus = 0, kept = 0, undone = 0 }
  return turns[of.turn]
end

---@param shares acp.TurnShares
---@param file acp.ReviewedFile
local function add_decided(shares, file)
  for _, each in ipairs(file.text.known.decided) do
    local share, what = share_of(shares, each.change), each.is_kept and "kept" or "undone"
    share[what] = share[what] + 1
  end
end

---@return acp.TurnShares
local function all_shares()
  local shares = vim.deepcopy(past)
  for path, file in pairs(store.files) do
    local name = vim.fs.basename(file.given)
    for _, change in ipairs(file.text.known.blocks.changes) do
      local share = share_of(shares, change)
      share.names[path] = name
      share.plus, share.minus = share.plus + #change.new, share.minus + #change.old
    end
    for _, author in ipairs(file.unknown) do
      share_of(shares, author).names[path] = name
    end
    add_decided(shares, file)
  end
  return shares
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

---@param share acp.TurnShare
---@return string
local function line_of(share)
  local decided = {}
  for _, what in ipairs({ "kept", "undone" }) do
    decided[#decided + 1] = share[what] > 0 and ("%s %d"):format(what, share[what]) or nil
  end
  local said, names = table.concat(decided, ", "), vim.tbl_values(share.names)
  if #names == 0 then
    return said ~= "" and said or "nothing left to review"
  end
  local where = #names == 1 and printable.visible(names[1]) or ("%d files"):format(#names)
  if share.plus == 0 and share.minus == 0 then
    return joined(where .. ": earlier text unknown, no undo", said, ":Acp review")
  end
  local size = ("%s +%d −%d"):format(where, share.plus, share.minus)
  return joined(size, said, key_names.in_general(), ":Acp review")
end

---@return table[]
local function new_notes()
  local shares, fresh = all_shares(), {}
  for session, turns in pairs(shares) do
    for turn, share in pairs(turns) do
      share_of(past, { session = session, turn = turn })
      local told, text = (notes[session] or {})[turn], line_of(share)
      if told and told ~= text then
        notes[session][turn] = text
        fresh[#fresh + 1] = { session = session, turn = turn, text = text }
      end
    end
  end
  return fresh
end

---@param session integer
---@return table[] told
local function report_of(session)
  local told = {}
  about[session] = {}
  for path, file in vim.spairs(store.files) do
    local found, lost = lost_report.report(file.text.known.lost, file.text.lines, session)
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

---@return table[]
local function new_reports()
  local sessions, fresh = vim.tbl_extend("keep", {}, reports), {}
  for _, file in pairs(store.files) do
    for _, lost in ipairs(file.text.known.lost) do
      sessions[lost.session] = reports[lost.session] or {}
    end
  end
  for session, before in pairs(sessions) do
    local files = report_of(session)
    if not vim.deep_equal(files, before) then
      reports[session] = files
      fresh[#fresh + 1] = { session = session, files = files }
    end
  end
  return fresh
end

--- The texts of files in review that differ from the disk.
---@return table<string, string>
local function unsaved_texts()
  local texts = {}
  for path, file in pairs(store.files) do
    if file.buf and vim.bo[file.buf].modified then
      local text = table.concat(file.text.lines, "\n") .. "\n"
      texts[path] = #text <= limits.REVIEWED_TEXT_BYTES and text or nil
    end
  end
  return texts
end

--- Forgets what was told to an earlier backend: a new one knows nothing yet.
local function meet_backend()
  if generation ~= backend.generation() then
    generation, notes, reports = backend.generation(), {}, {}
  end
end

--- Sends what has changed since the last time. Before a prompt the unsaved texts go along, so that the agent is told
--- only of refused hunks that are still refused.
---@param is_prompt? boolean
function M.flush(is_prompt)
  if timer then
    timer:stop()
  end
  if not backend.is_running() then
    return
  end
  meet_backend()
  local message = { notes = new_notes(), reports = new_reports(), undone = undone }
  undone = {}
  local unsaved = is_prompt and unsaved_texts() or nil
  if unsaved and (next(unsaved) or has_unsaved) then
    has_unsaved, message.unsaved = next(unsaved) ~= nil, unsaved
  end
  if #message.notes + #message.reports + #message.undone > 0 or message.unsaved then
    backend.notify("reviewed", message)
  end
end

--- The hunks of a file have changed, or what stands in the place of an agent's lines.
function M.flush_soon()
  timer = timer or assert(vim.uv.new_timer())
  timer:start(
    SOON_MS,
    0,
    vim.schedule_wrap(function()
      M.flush()
    end)
  )
end

--- Once the screen is drawn. No request of the backend that looks at the disk after an undo is answered before.
function M.flush_next()
  vim.schedule(function()
    M.flush()
  end)
end

--- All that the turn has changed is known: from now on the chat shows its line.
---@param session integer
---@param turn integer
function M.turn_over(session, turn)
  meet_backend()
  notes[session] = notes[session] or {}
  notes[session][turn] = notes[session][turn] or ""
  M.flush()
end

--- Counts what was decided in a file that leaves the review.
---@param file acp.ReviewedFile
function M.file_over(file)
  add_decided(past, file)
  M.flush_soon()
end

--- An undo has written, made or deleted that file: the agent's turn is not to wonder about it.
---@param path string  resolved
function M.undone(path)
  undone[#undone + 1] = path
end

--- The agent of that session has got the last report.
---@param session integer
function M.reported(session)
  for _, lost in ipairs(about[session] or {}) do
    lost.told = true
  end
  reports[session], about[session] = nil, nil
end

---@param session integer
function M.forget(session)
  past[session], notes[session], reports[session], about[session] = nil, nil, nil, nil
end

return M
