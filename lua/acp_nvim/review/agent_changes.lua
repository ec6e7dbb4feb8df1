-- What agents change, as this half hears of it: the documents room tells of loaded buffers, the backend of the disk.
local attach = require("acp_nvim.review.attach")
local backend = require("acp_nvim.backend.process")
local changes = require("acp_nvim.documents.changes")
local text = require("acp_nvim.documents.text")
local diff = require("acp_nvim.documents.diff")
local messages = require("acp_nvim.ui.messages")
local pending_changes = require("acp_nvim.review.pending_changes")
local undo_memory = require("acp_nvim.review.undo_memory")
local refresh = require("acp_nvim.review.refresh")
local store = require("acp_nvim.review.store")
local to_backend = require("acp_nvim.review.to_backend")

local api = vim.api
local M = {}

---@param by acp.By|table
---@return acp.Author
local function author_of(by)
  return { session = by.session, turn = by.turn, by = by.kind or by.by }
end

-- Lines -----------------------------------------------------------------------------------------------------------------

--- Which edits are not the agent's own: the user has merged, or taken a part of a proposal.
---@param own? { [1]: string[], [2]: string[] }[]  nil: all are
---@return nil|fun(old: string[], new: string[]): boolean
local function mixed_by(own)
  if own == nil then
    return nil
  end
  local known = {}
  local function key(old, new)
    return ("%d\n%s\n%s"):format(#old, table.concat(old, "\n"), table.concat(new, "\n"))
  end
  for _, pair in ipairs(own) do
    known[key(pair[1], pair[2])] = true
  end
  return function(old, new)
    return not known[key(old, new)]
  end
end

---@param file acp.ReviewedFile
---@param edits acp.Edit[]
---@param is_capped? boolean
---@param by table
local function agent_edits(file, edits, is_capped, by)
  if is_capped then
    local name = vim.fs.basename(file.given)
    messages.show("info", ("%s: more changes than can be shown one by one: they are one"):format(name))
  end
  pending_changes.agent(file.text, edits, author_of(by), mixed_by(by.own))
  attach.touched(file, edits)
end

---@param file acp.ReviewedFile
---@param lines string[]
---@param by table
local function agent_makes(file, lines, by)
  local edits, is_capped = diff.edits(file.text.lines, lines)
  agent_edits(file, edits, is_capped, by)
end

--- What the disk held before the first change of an agent.
---@param file acp.ReviewedFile
---@param was_there boolean
---@param final boolean
---@param ff string
local function begin(file, was_there, final, ff)
  if not file.has_begun then
    file.has_begun, file.created = true, file.created or not was_there
    if was_there then
      file.shape = vim.tbl_extend("force", file.shape, { final = final, ff = ff })
    end
  end
end

-- Turns ---------------------------------------------------------------------------------------------------------------

local begun = {} ---@type table<integer|string, integer>  session -> turn, for a generation of the backend

---@param file acp.ReviewedFile
---@param session integer
---@param unknown_from? integer  changes of these turns that nobody can undo stay
local function forget_decided(file, session, unknown_from)
  for _, hunk in ipairs(store.decided(file)) do
    if hunk.session == session then
      file.text.listed[hunk.id] = nil
    end
  end
  file.unknown = vim.tbl_filter(function(author)
    return author.session ~= session or (unknown_from ~= nil and author.turn >= unknown_from)
  end, file.unknown)
  if store.is_over(file) then
    attach.drop(file)
  else
    refresh.file(file, 0, -1)
  end
end

--- What was decided is listed no longer. The first change of the turn may overtake the word that it begins.
--- Of what nobody can undo, the last turn's stays: its user may not have seen it.
---@param session integer
---@param turn integer
function M.turn_begins(session, turn)
  if begun.generation ~= backend.generation() then
    begun = { generation = backend.generation() }
  end
  if (begun[session] or 0) >= turn then
    return
  end
  begun[session] = turn
  for _, file in ipairs(store.all()) do
    forget_decided(file, session, turn - 1)
  end
end

-- In buffers ----------------------------------------------------------------------------------------------------------

---@class acp.Beginning  a buffer before a change of the documents room
---@field lines string[]
---@field shape acp.FileShape
---@field seq integer  the state of its undo tree
---@field reread? boolean  Neovim has read the file again, after the edits were made

local beginnings = {} ---@type table<acp.BufferChange, acp.Beginning>

---@param buf integer
---@return acp.FileShape
local function shape_of(buf)
  local bo = vim.bo[buf]
  local is_final = text.is_void(buf) or text.is_final(buf)
  return { final = is_final, ff = bo.fileformat, bomb = bo.bomb, fenc = bo.fileencoding }
end

---@param file acp.ReviewedFile
---@param change acp.BufferChange
---@param is_reread? boolean
local function carry_out(file, change, is_reread)
  for _, step in ipairs(change.steps or {}) do
    if #file.text.lines == 0 or #change.before == 1 then -- rows of an empty buffer are no lines
      local lines = diff.apply(#file.text.lines == 0 and { "" } or file.text.lines, step.edits)
      lines = #lines == 1 and lines[1] == "" and text.of_buffer(change.buf).lines or lines
      local edits = diff.edits(file.text.lines, lines)
      if step.by then
        agent_makes(file, lines, step.by)
      else
        pending_changes.user(file.text, edits, false)
      end
    elseif step.by then
      agent_edits(file, step.edits, step.capped, step.by)
    else
      pending_changes.user(file.text, step.edits, false)
      attach.touched(file, step.edits)
    end
  end
  if change.exact then
    return
  elseif change.by and not is_reread then
    agent_makes(file, text.of_buffer(change.buf).lines, change.by) -- what an autocommand has made of it as it was saved
  else
    attach.became(file, text.of_buffer(change.buf).lines, true)
  end
end

---@param file acp.ReviewedFile
---@param by acp.By  with what the backend knows of the file, before and after
local function look_at_ends(file, by)
  file.given = by.given or file.given
  if by.was_there ~= nil then
    begin(file, by.was_there, by.was_final, by.was_dos and "dos" or "unix")
  end
  if by.is_final ~= nil then
    pending_changes.last_newline(file.text, by.was_final, by.is_final, author_of(by))
  end
end

---@param file acp.ReviewedFile
---@param change acp.BufferChange
local function remember_saved(file, change)
  if change.disk then
    local known = pending_changes.known_with(file.text, diff.edits(file.text.lines, change.disk))
    file.saved = { lines = change.disk, known = known }
  elseif not vim.bo[change.buf].modified then
    attach.remember_saved(file)
  end
end

--- An autocommand may have the file written by another program and open it again.
---@param change acp.BufferChange
---@param beginning acp.Beginning
local function notice_rereading(change, beginning)
  local function reread()
    beginning.reread = beginning.reread or change.phase == "applied"
  end
  api.nvim_buf_attach(change.buf, false, {
    on_lines = function()
      return change.phase == "ended"
    end,
    on_reload = reread,
    on_detach = reread,
  })
end

---@param change acp.BufferChange
local function on_begins(change)
  if change.by and change.by.kind ~= "undo" then
    attach.settle()
    M.turn_begins(change.by.session, change.by.turn)
    local lines = #change.before == 1 and text.of_buffer(change.buf).lines or change.before
    local seq = attach.undo_state(change.buf)
    beginnings[change] = { lines = lines, shape = shape_of(change.buf), seq = seq }
    notice_rereading(change, beginnings[change])
  elseif store.files[change.path] then
    attach.settle()
  end
end

---@param change acp.BufferChange
local function on_ended(change)
  local before = beginnings[change]
  beginnings[change] = nil
  local file = store.files[change.path]
  if not change.ok or not api.nvim_buf_is_loaded(change.buf) or (not file and not before) then
    return
  elseif change.by and change.by.kind == "undo" then
    return -- who undoes says so
  end
  if file and not before and file.buf ~= change.buf then
    return attach.meet_loaded(file)
  elseif not file then
    file = store.enter(change.path, change.path, vim.list_slice(before.lines))
    file.created, file.shape = change.created or false, before.shape
  elseif file.deleted then
    attach.come_back(file)
  end
  if before and file.buf ~= change.buf then
    attach.became(file, before.lines, true)
    undo_memory.forget(file.text)
    undo_memory.remember(file.text, before.seq)
    file.last_buf = change.buf
  end
  carry_out(file, change, before and before.reread)
  if before then
    look_at_ends(file, change.by)
  end
  if file.buf == change.buf then
    attach.settled(file, change.anew)
  else
    attach.follow(file, change.buf, true)
  end
  refresh.file(file, 0, -1) -- the end of the file may be all that is another
  remember_saved(file, change)
end

changes.subscribe({ begins = on_begins, ended = on_ended })

-- On disk -------------------------------------------------------------------------------------------------------------

---@class acp.DiskChange  what the backend tells of one file
---@field given string      as it was named
---@field session integer
---@field turn integer
---@field by "agent"|"unknown"
---@field known boolean     somebody has seen what the file held before
---@field before? string    its text; nil: there was no file, or a buffer has taken the change up
---@field after? string     nil: there is none now, or a buffer has it
---@field deleted? boolean
---@field mode? integer     of a deleted file

---@param real string
---@param news acp.DiskChange
local function deleted(real, news)
  local file = store.files[real]
  if not file then
    local before = text.split(news.before or "")
    file = store.enter(real, news.given, before.lines)
    begin(file, true, before.final, before.ff)
    if not news.known then
      table.insert(file.unknown, author_of(news))
    end
  elseif news.before then
    attach.became(file, text.split(news.before).lines, true) -- without what was not saved
  end
  if file.buf then
    attach.leave(file.buf)
  end
  file.undeleted = { lines = vim.list_slice(file.text.lines), known = file.text.known }
  agent_makes(file, {}, news)
  file.deleted, file.mode, file.given = store.has_pending(file), news.mode, news.given
  refresh.file(file, 0, 0)
end

---@param real string
---@param news acp.DiskChange
local function on_disk(real, news)
  local file, after = store.files[real], text.split(news.after or "")
  if not news.known then
    file = file or store.enter(real, news.given, after.lines)
    table.insert(file.unknown, author_of(news))
    attach.became(file, after.lines, true)
  else
    local before = text.split(news.before or "")
    if not file then
      file = store.enter(real, news.given, before.lines)
    end
    begin(file, news.before ~= nil, before.final, before.ff)
    file.deleted = false
    attach.became(file, before.lines, true)
    agent_makes(file, after.lines, news)
    if before.lines[#before.lines] == after.lines[#after.lines] then
      pending_changes.last_newline(file.text, before.final, after.final, author_of(news))
    end
  end
  file.given, file.deleted = news.given, false
  attach.remember_saved(file)
  attach.meet_loaded(file)
  attach.compare(file)
  refresh.file(file, 0, #file.text.lines)
end

---@param real string  resolved
---@param news acp.DiskChange
function M.changed(real, news)
  attach.settle()
  M.turn_begins(news.session, news.turn)
  if news.deleted then
    deleted(real, news)
  else
    on_disk(real, news)
  end
end

-- Sessions --------------------------------------------------------------------------------------------------------------

--- The session leaves the list: what nobody has decided stays as it is.
---@param session integer
function M.session_ended(session)
  attach.settle()
  for _, file in ipairs(store.all()) do
    local ids = {}
    for _, change in ipairs(file.text.known.blocks.changes) do
      ids[change.id] = change.session == session or nil
    end
    pending_changes.keep(file.text, ids)
    forget_decided(file, session)
  end
  to_backend.forget(session)
end

return M
