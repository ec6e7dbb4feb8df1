-- The chat buffers, one a session. Only frames of the backend write them: the operations of a frame become text and
-- extmarks in one go, and windows that show the end keep showing it.
local autoscroll = require("acp_nvim.chat.autoscroll")
local backend = require("acp_nvim.backend.process")
local event = require("acp_nvim.system.event")
local fenced_code = require("acp_nvim.chat.fenced_code")
local tool_line_end = require("acp_nvim.chat.tool_line_end")

local api = vim.api
local on_create = event.new()

local M = {
  on_create = on_create.add, -- fn(buf): a chat has a buffer, which has no name and no filetype yet
}

---@class acp.Mark: acp.message.Mark
---@field at_eol? integer        its extmark
---@field fences? acp.Fences     what chat/markdown.lua knows of the block that begins here

---@class acp.Chat
---@field session integer
---@field buf? integer           nil: wiped by the user, and made anew when it is opened
---@field tick integer           changedtick after our own last change
---@field columns integer        of its narrowest window
---@field stale boolean          wrong until the backend has sent everything anew
---@field marks table<integer, acp.Mark>  by extmark id
---@field keys table<integer, integer>    entry's key -> extmark id of its first mark
---@field spinning table<integer, true>   extmark ids of running tools
---@field asks? boolean          a question is open: its lines wrap, whatever stands below them

-- Lookups of "the mark above" must not meet the colours, so these live in a namespace of their own.
local ENTRIES = api.nvim_create_namespace("acp_nvim.entries")
local COLOURS = api.nvim_create_namespace("acp_nvim.colours")
-- These belong to an entry that has its mark further up.
local INSIDE = { question = true, option = true, body = true }
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

---@param chat acp.Chat
---@param buf integer
local function adopt(chat, buf)
  chat.buf, chat.marks, chat.keys, chat.spinning = buf, {}, {}, {}
  by_buffer[buf] = chat
  api.nvim_buf_clear_namespace(buf, ENTRIES, 0, -1)
  api.nvim_buf_clear_namespace(buf, COLOURS, 0, -1)
end

---@param chat acp.Chat
---@param event { event: string, buf: integer }
local function on_buffer_event(chat, event)
  if event.event == "CursorMoved" or event.event == "WinEnter" then
    M.seen(api.nvim_get_current_win())
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
  if not chat.buf then
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
  return chat and chat.buf and chat or nil
end

-- Windows -------------------------------------------------------------------------------------------------------------

---@param win integer
---@param last integer
---@return boolean
local function at_end(win, last)
  if api.nvim_win_get_cursor(win)[1] >= last then
    return true
  end
  return win ~= api.nvim_get_current_win() and vim.fn.getwininfo(win)[1].botline >= last
end

---@param win integer
local function redraw_winbar(win)
  api.nvim__redraw({ win = win, winbar = true, flush = false })
end

--- Takes the mark "there is more below" off a window that has come to the end.
---@param win integer
function M.seen(win)
  if vim.w[win].acp_more and vim.fn.getwininfo(win)[1].botline >= vim.fn.line("$", win) then
    vim.w[win].acp_more = nil
    redraw_winbar(win)
  end
end

api.nvim_create_autocmd("WinScrolled", {
  group = group,
  callback = function()
    for win in pairs(vim.v.event) do
      win = tonumber(win)
      if win and api.nvim_win_is_valid(win) then
        M.seen(win)
      end
    end
  end,
})

--- A selection is not torn along.
---@param win integer
---@return boolean
local function is_selecting(win)
  return win == api.nvim_get_current_win() and vim.fn.mode():find("^[vVsS\22\19]") ~= nil
end

---@param buf integer
---@return integer[] followers
---@return integer[] readers  windows whose user is further up
local function windows_on(buf)
  local last, followers, readers = api.nvim_buf_line_count(buf), {}, {}
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    local list = at_end(win, last) and not is_selecting(win) and followers or readers
    list[#list + 1] = win
  end
  return followers, readers
end

-- To wrap a line Neovim measures all of it, again for every piece that comes.
local ENDLESS = 64 * 1024

--- Does the chat end in a line that is too long to wrap? While a question is open it wraps all the same: the end of a
--- command must not leave the window.
---@param buf integer
---@return boolean
local function is_endless(buf)
  local last = api.nvim_buf_line_count(buf)
  local bytes = api.nvim_buf_get_offset(buf, last) - api.nvim_buf_get_offset(buf, last - 1)
  return bytes > ENDLESS and not (by_buffer[buf] or {}).asks
end

---@param win integer
---@param endless boolean
local function wrap_unless(win, endless)
  if vim.wo[win].wrap == endless and (endless or vim.w[win].acp_endless) then
    vim.wo[win][0].wrap = not endless
    vim.w[win].acp_endless = endless or nil
  end
end

--- Questions of the session are open, or the last one has ended.
---@param n integer
---@param asks boolean
function M.set_asking(n, asks)
  local chat = M.get(n)
  if not chat or chat.asks == asks then
    return
  end
  chat.asks = asks
  for _, win in ipairs(asks and vim.fn.win_findbuf(chat.buf) or {}) do
    wrap_unless(win, false)
  end
end

---@param buf integer
---@param followers integer[]
---@param readers integer[]
local function keep_views(buf, followers, readers)
  local last = api.nvim_buf_line_count(buf)
  local endless = is_endless(buf)
  for _, win in ipairs(followers) do
    if vim.w[win].acp_more then
      vim.w[win].acp_more = nil
      redraw_winbar(win)
    end
    wrap_unless(win, endless)
    -- The column matters: of a line taller than the window the end is to be seen.
    api.nvim_win_set_cursor(win, { last, endless and 0 or vim.v.maxcol })
    if not endless then
      autoscroll.follow(win)
    end
  end
  for _, win in ipairs(readers) do
    if not vim.w[win].acp_more and vim.fn.getwininfo(win)[1].botline < last then
      vim.w[win].acp_more = true
      redraw_winbar(win)
    end
  end
end

-- Marks ---------------------------------------------------------------------------------------------------------------

---@param chat acp.Chat
---@param row integer
---@param mark acp.Mark
---@param id? integer
---@param icon? string  in place of its own
---@return integer id
local function put(chat, row, mark, id, icon)
  local opts = { id = id, strict = false, line_hl_group = mark.line_hl }
  if mark.icon then
    opts.virt_text = { { icon or mark.icon.text, mark.icon.hl } }
    opts.virt_text_pos = "inline"
  end
  return api.nvim_buf_set_extmark(chat.buf, ENTRIES, row, 0, opts)
end

---@param chat acp.Chat
---@param mark acp.Mark
---@param row integer
local function place_beside(chat, mark, row)
  local col, opts = tool_line_end.extmark(chat.buf, mark, row, chat.columns)
  opts.id = mark.at_eol
  mark.at_eol = api.nvim_buf_set_extmark(chat.buf, COLOURS, row, col, opts)
end

--- The windows on a chat may be narrower or wider now.
---@param chat acp.Chat
local function fit(chat)
  local columns = tool_line_end.columns(chat.buf)
  if columns == chat.columns then
    return
  end
  chat.columns = columns
  for id, mark in pairs(chat.marks) do
    local row = mark.eol and api.nvim_buf_get_extmark_by_id(chat.buf, ENTRIES, id, {})[1]
    if row then
      place_beside(chat, mark, row)
    end
  end
end

---@param chat acp.Chat
---@param mark acp.Mark
local function place(chat, mark)
  local id = put(chat, mark.row, mark)
  chat.marks[id] = mark
  if mark.key and not INSIDE[mark.kind] and not chat.keys[mark.key] then
    chat.keys[mark.key] = id
  end
  chat.spinning[id] = mark.running or nil
  for _, span in ipairs(mark.spans or {}) do
    local opts = { end_col = span[2], hl_group = span[3], strict = false }
    api.nvim_buf_set_extmark(chat.buf, COLOURS, mark.row, span[1], opts)
  end
  for _, sign in ipairs(mark.inline or {}) do
    local opts = { virt_text = { { sign[2], sign[3] } }, virt_text_pos = "inline", hl_mode = "combine", strict = false }
    api.nvim_buf_set_extmark(chat.buf, COLOURS, mark.row, sign[1], opts)
  end
  if mark.eol then
    place_beside(chat, mark, mark.row)
  end
end

---@param chat acp.Chat
---@param marks acp.Mark[]
local function place_all(chat, marks)
  for _, mark in ipairs(marks) do
    place(chat, mark)
  end
end

---@param chat acp.Chat
---@param first integer
---@param last integer
local function clear(chat, first, last)
  if first >= last then
    return
  end
  for _, found in ipairs(api.nvim_buf_get_extmarks(chat.buf, ENTRIES, { first, 0 }, { last - 1, -1 }, {})) do
    local id = found[1]
    local mark = chat.marks[id]
    if mark.key and chat.keys[mark.key] == id then
      chat.keys[mark.key] = nil
    end
    chat.marks[id], chat.spinning[id] = nil, nil
  end
  api.nvim_buf_clear_namespace(chat.buf, ENTRIES, first, last)
  api.nvim_buf_clear_namespace(chat.buf, COLOURS, first, last)
end

api.nvim_create_autocmd("WinResized", {
  group = group,
  callback = function()
    for _, win in ipairs(vim.v.event.windows) do
      local chat = api.nvim_win_is_valid(win) and by_buffer[api.nvim_win_get_buf(win)]
      if chat then
        fit(chat)
        autoscroll.resized(win)
      end
    end
  end,
})

--- The nearest mark at or above `row`.
---@param chat acp.Chat
---@param row integer
---@return acp.Mark? mark
---@return integer row
function M.mark_above(chat, row)
  local found = api.nvim_buf_get_extmarks(chat.buf, ENTRIES, { row, 0 }, 0, { limit = 1 })[1]
  if not found then
    return nil, 0
  end
  return chat.marks[found[1]], found[2]
end

--- The marks in rows first..last, in order.
---@param chat acp.Chat
---@param first integer
---@param last integer
---@param limit? integer
---@return { row: integer, mark: acp.Mark }[]
function M.marks(chat, first, last, limit)
  local list = {}
  for _, found in ipairs(api.nvim_buf_get_extmarks(chat.buf, ENTRIES, { first, 0 }, { last, 0 }, { limit = limit })) do
    list[#list + 1] = { row = found[2], mark = chat.marks[found[1]] }
  end
  return list
end

--- The row of an entry's first mark.
---@param chat acp.Chat
---@param key integer
---@return integer?
function M.row_of(chat, key)
  local id = chat.keys[key]
  return id and api.nvim_buf_get_extmark_by_id(chat.buf, ENTRIES, id, {})[1]
end

--- The columns of `row` that show a path.
---@param chat acp.Chat
---@param row integer
---@return [integer, integer]? columns
function M.path_span(chat, row)
  for _, found in ipairs(api.nvim_buf_get_extmarks(chat.buf, COLOURS, { row, 0 }, { row, -1 }, { details = true })) do
    if found[4].hl_group == "AcpPath" then
      return { found[3], found[4].end_col }
    end
  end
end

--- Lets the icons of running tools turn, where they are on screen: each costs the redraw of its line.
---@param n integer
---@param win integer
---@param icon string
function M.spin(n, win, icon)
  local chat = M.get(n)
  if not chat or not next(chat.spinning) then
    return
  end
  local info = vim.fn.getwininfo(win)[1]
  local first, last = { info.topline - 1, 0 }, { info.botline - 1, -1 }
  for _, found in ipairs(api.nvim_buf_get_extmarks(chat.buf, ENTRIES, first, last, {})) do
    local id, row = found[1], found[2]
    if chat.spinning[id] then
      put(chat, row, chat.marks[id], id, icon .. " ")
    end
  end
end

-- Operations ----------------------------------------------------------------------------------------------------------

local operations = {}

---@param chat acp.Chat
---@param text string
---@param marks acp.Mark[]
function operations.append(chat, text, marks)
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
    local pushed = is_empty and api.nvim_buf_get_extmarks(buf, ENTRIES, { row, 0 }, { row, 0 }, {})
    if is_empty then
      api.nvim_buf_set_lines(buf, row, row + 1, true, { lines[1] })
    else
      api.nvim_buf_set_text(buf, row, -1, row, -1, { lines[1] })
    end
    if #lines > 1 then
      api.nvim_buf_set_lines(buf, -1, -1, true, vim.list_slice(lines, 2))
    end
    for _, found in ipairs(pushed or {}) do
      put(chat, row, chat.marks[found[1]], found[1])
    end
  end
  place_all(chat, marks)
end

---@param chat acp.Chat
---@param first integer
---@param last integer
---@param lines string[]
---@param marks acp.Mark[]
function operations.splice(chat, first, last, lines, marks)
  clear(chat, first, last)
  api.nvim_buf_set_lines(chat.buf, first, last, true, lines)
  local above = M.mark_above(chat, first)
  if above then
    above.fences = nil
  end
  place_all(chat, marks)
end

---@param chat acp.Chat
---@param first integer
---@param last integer
---@param marks acp.Mark[]
function operations.marks(chat, first, last, marks)
  clear(chat, first, last)
  place_all(chat, marks)
end

---@param chat acp.Chat
---@param ops table[]
local function run(chat, ops)
  fit(chat)
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

--- Applies a frame's operations; a buffer that is not as the backend believes it is asked for anew, once.
---@param n integer
---@param ops table[]
---@param total integer  how many lines there must be then
function M.apply(n, ops, total)
  local chat = chat_of(n)
  if not chat.buf or chat.stale then
    return
  end
  local buf = chat.buf --[[@as integer]]
  if api.nvim_buf_get_changedtick(buf) ~= chat.tick then
    return resync(chat)
  end
  fenced_code.postpone()
  local followers, readers = windows_on(buf)
  run(chat, ops)
  keep_views(buf, followers, readers)
  if api.nvim_buf_line_count(buf) ~= math.max(total, 1) then
    resync(chat)
  end
end

--- Changes the chat as the backend would, which is gone.
---@param n integer
---@param ops table[]
function M.amend(n, ops)
  local chat = M.get(n)
  if not chat or chat.stale then
    return
  end
  local buf = chat.buf --[[@as integer]]
  local followers, readers = windows_on(buf)
  run(chat, ops)
  keep_views(buf, followers, readers)
end

--- Empties the chat: everything comes anew.
---@param n integer
function M.reset(n)
  local chat = chat_of(n)
  if not chat.buf then
    return
  end
  chat.stale = false
  clear(chat, 0, api.nvim_buf_line_count(chat.buf))
  local lines = api.nvim_buf_line_count(chat.buf)
  run(chat, { { "splice", 0, lines, {}, {} } })
  keep_views(chat.buf, vim.fn.win_findbuf(chat.buf), {}) -- one line: its end is in each of them
end

--- Forgets the chat of a session that has ended; its windows are closed already.
---@param n integer
function M.wipe(n)
  local chat = chats[n]
  chats[n] = nil
  if chat and chat.buf then
    api.nvim_buf_delete(chat.buf, { force = true })
  end
end

return M
