-- Edits of the files in review, told to the backend as they happen: pooled until the next turn of the event loop, in
-- their order, those that an agent asked for marked as such. A key costs a comparison and a few numbers.
local backend = require("acp_nvim.backend.process")
local changes = require("acp_nvim.documents.changes")

local api = vim.api
local M = {}

---@class acp.Stream
---@field path string         resolved
---@field seq integer         how many messages have been told
---@field change integer      of the undo tree, as it was told: a new edit has a number that none has had before
---@field newest integer      of those
---@field tick? integer       of the buffer, as it was told; `:w` counts, too, and changes no line
---@field edits acp.Edit[]    complete ones, each in the rows that those before it have left
---@field first? integer      of the one under way: rows before it and now
---@field last? integer
---@field new_last? integer
---@field scheduled? boolean
---@field facts table<string, true?>  what else is to be told: asked, attached, resync
---@field by_agent? boolean   an agent's write is under way
---@field deaf? boolean       what happens now is known on the other side
---@field lost? boolean       the buffer was read again during a change of ours, which has ended our listening
---@field log { seq: integer, first: integer, last: integer, new_last: integer }[]  what may still be on its way

local streams = {} ---@type table<integer, acp.Stream> by buffer
local on_gone = function(_, _) end ---@type fun(buf: integer, path: string)

---@param buf integer
---@param stream acp.Stream
---@param shift integer  of its rows, by what comes after it
local function close(buf, stream, shift)
  if stream.first then
    local lines = api.nvim_buf_get_lines(buf, stream.first + shift, stream.new_last + shift, false)
    table.insert(stream.edits, { stream.first, stream.last, lines })
    stream.first, stream.last, stream.new_last = nil, nil, nil
  end
end

--- An edit that touches the one under way joins it.
---@param buf integer
---@param stream acp.Stream
---@param first integer
---@param last integer
---@param new_last integer
local function pool(buf, stream, first, last, new_last)
  if stream.first and (last < stream.first or first > stream.new_last) then
    close(buf, stream, last < stream.first and new_last - last or 0)
  end
  if not stream.first then
    stream.first, stream.last, stream.new_last = first, last, new_last
    return
  end
  stream.last = stream.last + math.max(0, last - stream.new_last)
  stream.new_last = math.max(stream.new_last, last) + new_last - last
  stream.first = math.min(stream.first, first)
end

--- The buffer has no line at all, which Neovim shows as an empty one.
---@param buf integer
---@return boolean
local function is_void(buf)
  return api.nvim_buf_line_count(buf) == 1 and require("acp_nvim.edits").is_void(buf)
end

--- The change of the undo tree after which the text stands: `u` and `<C-r>` go to one that was there before.
---@param buf integer
---@return integer
local function change_of(buf)
  if buf == api.nvim_get_current_buf() then
    return vim.fn.changenr()
  end
  return api.nvim_buf_call(buf, vim.fn.changenr)
end

--- A backend that has ended knows of no review.
---@param payload table
local function tell(payload)
  if backend.is_running() then
    backend.notify("edited", payload)
  else
    streams = {}
  end
end

---@param buf integer
---@param stream acp.Stream
local function flush(buf, stream)
  if not api.nvim_buf_is_loaded(buf) then
    return
  end
  close(buf, stream, 0)
  local tick = api.nvim_buf_get_changedtick(buf)
  if #stream.edits == 0 and next(stream.facts) == nil and tick == stream.tick then
    return
  end
  stream.seq, stream.tick = stream.seq + 1, tick
  local was, change = stream.change, change_of(buf)
  local returned = change ~= was and change <= stream.newest
  stream.change, stream.newest = change, math.max(change, stream.newest)
  local payload = vim.tbl_extend("error", stream.facts, {
    path = stream.path,
    buf = buf,
    seq = stream.seq,
    tick = tick,
    edits = stream.edits,
    ours = stream.by_agent or nil,
    void = is_void(buf) or nil,
    change = change,
    was = was,
    returned = returned or nil,
    fenc = vim.bo[buf].fileencoding,
    ff = vim.bo[buf].fileformat,
  })
  stream.edits, stream.facts = {}, {}
  tell(payload)
end

---@param buf integer
---@param stream acp.Stream
local function schedule(buf, stream)
  if not stream.scheduled then
    stream.scheduled = true
    vim.schedule(function()
      stream.scheduled = false
      if streams[buf] == stream and not stream.by_agent then
        flush(buf, stream)
      end
    end)
  end
end

--- Tells what is not told yet; whoever answers the backend about a buffer does this first.
---@param buf integer
function M.flush(buf)
  local stream = streams[buf]
  if stream and not stream.by_agent then
    flush(buf, stream)
  end
end

--- The text has been read anew: whoever wants to know it has to look.
---@param buf integer
---@param stream acp.Stream
local function resync(buf, stream)
  stream.edits, stream.first, stream.last, stream.new_last = {}, nil, nil, nil
  stream.facts.resync = true
  schedule(buf, stream)
end

---@param buf integer
---@param stream acp.Stream
local function gone(buf, stream)
  if streams[buf] == stream then
    streams[buf] = nil
    on_gone(buf, stream.path)
    tell({ path = stream.path, seq = stream.seq + 1, gone = true })
  end
end

--- `fn(buf, path)` is called when a buffer is unloaded, or is that of another file.
---@param fn fun(buf: integer, path: string)
function M.listen(fn)
  on_gone = fn
end

---@param buf integer
---@param stream acp.Stream
local function listen_to(buf, stream)
  api.nvim_buf_attach(buf, false, {
    on_lines = function(_, _, _, first, last, new_last)
      if streams[buf] ~= stream then
        return true
      end
      table.insert(stream.log, { seq = stream.seq + 1, first = first, last = last, new_last = new_last })
      if not stream.deaf then
        pool(buf, stream, first, last, new_last)
        schedule(buf, stream)
      end
    end,
    on_reload = function()
      if streams[buf] == stream and not stream.deaf then
        resync(buf, stream)
      end
    end,
    on_detach = function()
      if stream.by_agent then
        stream.lost = true
      else
        gone(buf, stream)
      end
    end,
  })
end

---@param buf integer
---@param path string  resolved
---@return acp.Stream
local function attach(buf, path)
  local change = change_of(buf)
  local stream = { path = path, seq = 0, edits = {}, facts = { attached = true }, log = {} } ---@type acp.Stream
  stream.change, stream.newest = change, change
  streams[buf] = stream
  listen_to(buf, stream)
  return stream
end

--- The buffer of a file in review: told from now on, beginning with its text as it is.
---@param buf integer
---@param path string  resolved
function M.attach(buf, path)
  local stream = streams[buf]
  if not stream or stream.path ~= path then
    M.leave(buf)
    stream = attach(buf, path)
    stream.facts.resync = true
    schedule(buf, stream)
  end
end

-- Review looks after the names of buffers as soon as it knows of a file; the first write may be on its way there still.
api.nvim_create_autocmd("BufFilePost", {
  group = api.nvim_create_augroup("acp_nvim.stream", {}),
  callback = vim.schedule_wrap(function(event)
    local stream = streams[event.buf]
    local name = stream and api.nvim_buf_is_loaded(event.buf) and api.nvim_buf_get_name(event.buf)
    if name and require("acp_nvim.files").resolve(name) ~= stream.path then
      gone(event.buf, stream)
    end
  end),
})

--- Nobody wants to know of it any more.
---@param buf integer
function M.detach(buf)
  streams[buf] = nil
end

--- The buffer is that of the file no longer.
---@param buf integer
function M.leave(buf)
  if streams[buf] then
    gone(buf, streams[buf])
  end
end

---@param path string  resolved
---@return integer? buf
function M.buffer(path)
  for buf, stream in pairs(streams) do
    if stream.path == path then
      return buf
    end
  end
end

--- Buffers that are told, with their files.
---@return table<integer, string>
function M.attached()
  return vim.tbl_map(function(stream)
    return stream.path
  end, streams)
end

--- Where a row of the text as it was after message `seq` is by now, in spite of what has been done since.
---@param buf integer
---@param seq integer
---@return fun(row: integer): integer
function M.since(buf, seq)
  local stream = streams[buf]
  local log = stream and stream.log or {}
  local known = 0
  while log[known + 1] and log[known + 1].seq <= seq do
    known = known + 1
  end
  if stream and known > 0 then
    log = vim.list_slice(log, known + 1)
    stream.log = log
  end
  return function(row)
    for _, edit in ipairs(log) do
      if row >= edit.last and (row > edit.first or edit.last == edit.first) then
        row = row + edit.new_last - edit.last
      elseif row > edit.first then
        row = math.min(row, edit.new_last)
      end
    end
    return row
  end
end

--- A change of this half's own begins: what it is asked to do is known on the other side.
---@param change acp.BufferChange
local function begin(change)
  local stream = streams[change.buf]
  if stream and stream.path == change.path then
    flush(change.buf, stream)
  else
    stream = attach(change.buf, change.path)
  end
  stream.by_agent, stream.deaf = true, true
end

--- All that was asked for is in the buffer; what comes now, as by format on save, is told.
---@param change acp.BufferChange
local function asked(change)
  local buf, stream = change.buf, streams[change.buf]
  if stream and stream.by_agent then
    stream.deaf, stream.facts.asked, stream.facts.anew = nil, true, change.anew
    if stream.lost then
      stream.lost = nil
      listen_to(buf, stream)
    end
  end
end

--- The change is over. One that has failed has left all as before, by ways that nobody has followed.
---@param change acp.BufferChange
local function finish(change)
  local buf, stream = change.buf, streams[change.buf]
  if not stream or not stream.by_agent then
    return
  end
  local lost = stream.lost
  if not change.ok then
    stream.facts.asked = nil
    resync(buf, stream)
  elseif lost then
    flush(buf, stream) -- what was asked for comes before what has become of it
    resync(buf, stream)
  end
  flush(buf, stream)
  stream.by_agent, stream.deaf, stream.lost = nil, nil, nil
  if lost and api.nvim_buf_is_loaded(buf) then
    listen_to(buf, stream)
  elseif lost then
    gone(buf, stream)
  end
end

changes.subscribe({ begins = begin, applied = asked, ended = finish })

return M
