-- Tells the backend what it has to know of the review, as texts: the line below each turn that has changed files, once
-- the turn is over; what the agents' next prompts begin with; which files an undo has written. One message carries what
-- has come together. The texts are made anew from the files in review, and sent if they differ from what was sent last.
local backend = require("acp_nvim.backend.process")
local limits = require("acp_nvim.limits")
local reviewed_files = require("acp_nvim.review.reviewed_files")
local told = require("acp_nvim.review.told")
local turn_lines = require("acp_nvim.review.turn_lines")

local M = {}

local SOON_MS = 50

-- session -> turn that is over -> its line as it was told
local sent_lines = {} ---@type table<integer, table<integer, acp.TurnLine|{}>>
local sent_reports = {} ---@type table<integer, table[]>  by session: what was told last
local undone = {} ---@type string[]  resolved paths that an undo has written, and nobody has told of yet
local has_unsaved = false -- when that was last told
local timer ---@type uv.uv_timer_t?
local generation ---@type integer?  of the backend that has been told

--- The lines below turns that are over, where they have changed.
---@return table[]
local function changed_lines()
  local fresh = {}
  for session, lines in pairs(turn_lines.all()) do
    for turn, line in pairs(lines) do
      local before = (sent_lines[session] or {})[turn]
      if before and not vim.deep_equal(before, line) then
        sent_lines[session][turn] = line
        fresh[#fresh + 1] = vim.tbl_extend("error", { session = session, turn = turn }, line)
      end
    end
  end
  return fresh
end

--- What the agent of a session is to be told of its lines, file by file.
---@param session integer
---@return table[]
local function report_of(session)
  local list = {}
  for path, file in vim.spairs(reviewed_files.files) do
    local texts = file.text
    local found = told.report(texts.told, session, texts.lines)
    if found then
      local is_on_disk = vim.uv.fs_stat(path) ~= nil
      local is_there = is_on_disk or #file.text.lines > 0
      found.path = file.given
      found.removed = file.created and not is_there or nil
      found.restored = texts.told[session].has_deleted and not file.deleted or nil
      found.gone = not (is_on_disk or file.buf and vim.bo[file.buf].modified) or nil
      list[#list + 1] = found
    end
  end
  return list
end

--- The reports that have changed.
---@return table[]
local function changed_reports()
  local sessions, fresh = vim.tbl_extend("keep", {}, sent_reports), {}
  for _, file in pairs(reviewed_files.files) do
    for session in pairs(file.text.told) do
      sessions[session] = sent_reports[session] or {}
    end
  end
  for session, before in pairs(sessions) do
    local files = report_of(session)
    if not vim.deep_equal(files, before) then
      sent_reports[session] = files
      fresh[#fresh + 1] = { session = session, files = files }
      for _, file in pairs(reviewed_files.files) do
        told.sent(file.text.told, session, file.text.lines)
      end
    end
  end
  return fresh
end

--- The texts of files in review that differ from the disk.
---@return table<string, string>
local function unsaved_texts()
  local texts = {}
  for path, file in pairs(reviewed_files.files) do
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
    generation, sent_lines, sent_reports = backend.generation(), {}, {}
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
  local message = { notes = changed_lines(), reports = changed_reports(), undone = undone }
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

--- Once the screen is drawn.
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
  sent_lines[session] = sent_lines[session] or {}
  sent_lines[session][turn] = sent_lines[session][turn] or {}
  M.flush()
end

--- A file leaves the review: what was decided in it still counts.
---@param file acp.ReviewedFile
function M.file_over(file)
  turn_lines.count_decided(file)
  M.flush_soon()
end

--- The session's chat has that many columns: the lines below its turns take one row each.
---@param session integer
---@param columns integer
function M.fit(session, columns)
  if turn_lines.set_width(session, columns) and next(sent_lines[session] or {}) then
    M.flush_soon()
  end
end

--- An undo has written, made or deleted that file.
---@param path string  resolved
function M.undone(path)
  undone[#undone + 1] = path
end

-- The backend may have read the new text already. It must not hear anything else about the file before it hears of the
-- undo, else the text would be the agent's.
backend.on_call(function()
  if #undone > 0 then
    M.flush()
  end
end)

--- The agent of that session has got the last report.
---@param session integer
function M.reported(session)
  for _, file in pairs(reviewed_files.files) do
    told.arrived(file.text.told, session)
  end
  sent_reports[session] = nil
end

---@param session integer
function M.forget(session)
  turn_lines.forget(session)
  sent_lines[session], sent_reports[session] = nil, nil
end

return M
