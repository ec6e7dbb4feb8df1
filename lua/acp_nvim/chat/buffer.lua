-- Makes and writes the chat buffers, one a session. Only frames of the backend write them: the operations of a frame
-- become text and extmarks in one go, and windows that show the end keep showing it.
local autoscroll = require("acp_nvim.chat.autoscroll")
local backend = require("acp_nvim.backend.process")
local event = require("acp_nvim.system.event")
local code_colours = require("acp_nvim.ui.code_colours")
local marks = require("acp_nvim.chat.marks")
local views = require("acp_nvim.chat.views")

local api = vim.api
local on_create = event.new()

local M = {
  on_create = on_create.add, -- fn(buf): a chat has a buffer, which has no name and no filetype yet
}

---@class acp.Chat
---@field session integer
---@field buf? integer           nil: wiped by the user, and made again when it is opened
---@field tick integer           changedtick after our own last change
---@field columns integer        of its narrowest window
---@field stale boolean          wrong until the backend has sent everything again
---@field marks table<integer, acp.Mark>  by extmark id
---@field keys table<integer, integer>    entry's key -> extmark id of its first mark
---@field spinning table<integer, true>   extmark ids of running tools
---@field answer? integer        extmark id of the heading of the newest answer
---@field asks? boolean          a question is open: its lines wrap, whatever stands below them

local group = api.nvim_create_augroup("acp_nvim.chat", {})

local chats = {} ---@type table<integer, acp.Chat>
local by_buffer = {} ---@type table<integer, acp.Chat>

---@param chat acp.Chat
local function resync(chat)
  if not chat.stale then
    chat.stale = true
    backend.notify("render", { session = chat.session })
  end
end

--- Returns the chat's buffer, if it is still there: an autocommand that is not nested, or 'eventignore', unloads it
--- without BufUnload.
---@param chat acp.Chat
---@return integer? buf
local function loaded_buffer(chat)
  if chat.buf and not api.nvim_buf_is_loaded(chat.buf) then
    by_buffer[chat.buf], chat.buf = nil, nil
  end
  return chat.buf
end

---@param chat acp.Chat
---@param buf integer
local function adopt(chat, buf)
  chat.buf = buf
  by_buffer[buf] = chat
  marks.forget(chat)
end

---@param chat acp.Chat
---@param event { event: string, buf: integer }
local function on_buffer_event(chat, event)
  if event.event == "CursorMoved" or event.event == "WinEnter" then
    views.update_more(api.nvim_get_current_win())
  elseif event.event == "BufUnload" then
    by_buffer[event.buf], chat.buf = nil, nil
  else -- `:edit` has emptied it
    adopt(chat, event.buf)
    chat.stale = false
    resync(chat)
  end
end

---@param chat acp.Chat
local function create(chat)
  local name = ("acp://%d/chat"):format(chat.session)
  local leftover = vim.fn.bufnr("^" .. name .. "$")
  if leftover > 0 then -- unloaded by `:bdelete`
    api.nvim_buf_delete(leftover, { force = true })
  end
  local buf = api.nvim_create_buf(false, true)
  on_create.call(buf)
  adopt(chat, buf)
  api.nvim_buf_set_name(buf, name)
  vim.bo[buf].undolevels = -1
  vim.bo[buf].modifiable = false
  vim.b[buf].acp_session = chat.session
  api.nvim_create_autocmd({ "BufUnload", "BufReadCmd", "CursorMoved", "WinEnter" }, {
    group = group,
    buffer = buf,
    callback = function(event)
      on_buffer_event(chat, event)
    end,
  })
  vim.bo[buf].filetype = "acp_chat"
  chat.tick = api.nvim_buf_get_changedtick(buf)
end

---@param n integer
---@return acp.Chat
local function chat_of(n)
  local chat = chats[n]
  if not chat then
    chat = { session = n, tick = 0, columns = vim.o.columns, stale = false, marks = {}, keys = {}, spinning = {} }
    chats[n] = chat
    create(chat)
  end
  return chat
end

--- The chat's buffer, made if need be.
---@param n integer
---@return integer buf
function M.buffer(n)
  local chat = chat_of(n)
  if not loaded_buffer(chat) then
    create(chat)
    chat.stale = false
    resync(chat)
  end
  return chat.buf --[[@as integer]]
end

---@param buf integer
---@return acp.Chat?
function M.of_buffer(buf)
  return by_buffer[buf]
end

---@param n integer
---@return acp.Chat? chat  only if it has a buffer
function M.get(n)
  local chat = chats[n]
  return chat and loaded_buffer(chat) and chat or nil
end

--- Records whether a question is open: then long lines wrap.
---@param n integer
---@param asks boolean
function M.set_asking(n, asks)
  local chat = M.get(n)
  if not chat or chat.asks == asks then
    return
  end
  chat.asks = asks
  for _, win in ipairs(asks and vim.fn.win_findbuf(chat.buf) or {}) do
    views.wrap_unless(win, false)
  end
end

--- Shows the next frame of the spinner on the running tools that the window shows.
---@param n integer
---@param win integer
---@param icon string
function M.spin(n, win, icon)
  local chat = M.get(n)
  if chat then
    local info = vim.fn.getwininfo(win)[1]
    marks.spin(chat, info.topline - 1, info.botline - 1, icon)
  end
end

api.nvim_create_autocmd("WinResized", {
  group = group,
  callback = function()
    for _, win in ipairs(vim.v.event.windows) do
      local chat = api.nvim_win_is_valid(win) and by_buffer[api.nvim_win_get_buf(win)]
      if chat then
        marks.fit(chat)
        autoscroll.resized(win)
      end
    end
  end,
})

-- Operations ----------------------------------------------------------------------------------------------------------

local operations = {}

---@param chat acp.Chat
---@param text string
---@param list acp.Mark[]
function operations.append(chat, text, list)
  local buf = chat.buf --[[@as integer]]
  local lines = vim.split(text, "\n", { plain = true })
  if lines[1] == "" and #lines > 1 then
    table.remove(lines, 1)
    api.nvim_buf_set_lines(buf, -1, -1, true, lines)
  else
    local row = api.nvim_buf_line_count(buf) - 1
    local is_empty = api.nvim_buf_get_offset(buf, row + 1) - api.nvim_buf_get_offset(buf, row) == 1
    -- An empty line's end is where its mark is, and perhaps the anchor of a selection: text put there pushes the mark
    -- along, and would the anchor, which stays where a line is replaced and others follow it.
    local pushed = is_empty and marks.at(chat, row) or {}
    if is_empty then
      api.nvim_buf_set_lines(buf, row, row + 1, true, { lines[1] })
    else
      api.nvim_buf_set_text(buf, row, -1, row, -1, { lines[1] })
    end
    if #lines > 1 then
      api.nvim_buf_set_lines(buf, -1, -1, true, vim.list_slice(lines, 2))
    end
    marks.put_back(chat, row, pushed)
  end
  marks.place(chat, list)
end

---@param chat acp.Chat
---@param first integer
---@param last integer
---@param lines string[]
---@param list acp.Mark[]
function operations.splice(chat, first, last, lines, list)
  marks.clear(chat, first, last)
  api.nvim_buf_set_lines(chat.buf, first, last, true, lines)
  local above = marks.above(chat, first)
  if above then
    above.fences = nil
  end
  marks.place(chat, list)
end

---@param chat acp.Chat
---@param first integer
---@param last integer
---@param list acp.Mark[]
function operations.marks(chat, first, last, list)
  marks.clear(chat, first, last)
  marks.place(chat, list)
end

---@param chat acp.Chat
---@param ops table[]
local function run(chat, ops)
  marks.fit(chat)
  vim.bo[chat.buf].modifiable = true
  local ok, err = xpcall(function()
    for _, op in ipairs(ops) do
      operations[op[1]](chat, unpack(op, 2))
    end
  end, debug.traceback)
  vim.bo[chat.buf].modifiable = false
  chat.tick = api.nvim_buf_get_changedtick(chat.buf)
  if not ok then
    resync(chat)
    error(err, 0)
  end
end

--- Applies a frame's operations; a buffer that is not as the backend believes it is asked for again, once.
---@param n integer
---@param ops table[]
---@param total integer  how many lines there must be then
function M.apply(n, ops, total)
  local chat = chat_of(n)
  if not loaded_buffer(chat) or chat.stale then
    return
  end
  local buf = chat.buf --[[@as integer]]
  if api.nvim_buf_get_changedtick(buf) ~= chat.tick then
    return resync(chat)
  end
  code_colours.postpone()
  local followers, readers = views.split(buf)
  run(chat, ops)
  views.keep(buf, chat.asks == true, followers, readers)
  if api.nvim_buf_line_count(buf) ~= math.max(total, 1) then
    resync(chat)
  end
end

--- Applies operations in the place of the backend, which has ended.
---@param n integer
---@param ops table[]
function M.amend(n, ops)
  local chat = M.get(n)
  if not chat or chat.stale then
    return
  end
  local buf = chat.buf --[[@as integer]]
  local followers, readers = views.split(buf)
  run(chat, ops)
  views.keep(buf, chat.asks == true, followers, readers)
end

--- Empties the chat: the backend sends all of it again.
---@param n integer
function M.reset(n)
  local chat = chat_of(n)
  if not loaded_buffer(chat) then
    return
  end
  chat.stale = false
  marks.clear(chat, 0, api.nvim_buf_line_count(chat.buf))
  local lines = api.nvim_buf_line_count(chat.buf)
  run(chat, { { "splice", 0, lines, {}, {} } })
  views.keep(chat.buf, chat.asks == true, vim.fn.win_findbuf(chat.buf), {}) -- one line: its end is in each of them
end

--- Forgets the chat of a session that has ended; its windows are closed already.
---@param n integer
function M.wipe(n)
  local chat = chats[n]
  chats[n] = nil
  if chat and loaded_buffer(chat) then
    api.nvim_buf_delete(chat.buf, { force = true })
  end
end

return M
