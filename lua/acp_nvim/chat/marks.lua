-- Keeps the marks of a chat: extmarks that tell what its lines are (an entry, an option, a code block), with their
-- icons, colours and line ends.
local tool_line_end = require("acp_nvim.chat.tool_line_end")

local api = vim.api
local M = {}

-- The lines of a diff stand on a ground of their own. The decoration provider draws it: that of an extmark's line would
-- cover the words that have changed.
M.GROUNDS = { AcpDiffAdded = true, AcpDiffRemoved = true }

---@class acp.Mark: acp.message.Mark
---@field at_eol? integer        its extmark
---@field code_line? acp.CodeLine  what chat/diff_code.lua knows of its code
---@field fences? acp.Fences     what chat/markdown.lua knows of the block that begins here

-- Lookups of "the mark above" must not meet the colours, so these live in a namespace of their own.
local ENTRIES = api.nvim_create_namespace("acp_nvim.entries")
local COLOURS = api.nvim_create_namespace("acp_nvim.colours")
-- Rows of a table for which its lines have no room, and lines that are hidden: of tables, of code blocks.
M.TABLES = api.nvim_create_namespace("acp_nvim.tables")
-- These belong to an entry that has its mark further up.
local SPEAKERS = { user = true, agent = true }
local OVER_BLANKS = { step = true, error = true } -- their text begins with blanks, below which wrapped rows begin
local INSIDE = { question = true, option = true, body = true, step = true, run = true }

---@param chat acp.Chat
---@param row integer
---@param mark acp.Mark
---@param id? integer
---@param icon? string  in place of its own
---@return integer id
local function put(chat, row, mark, id, icon)
  local opts = { id = id, strict = false }
  opts.line_hl_group = not M.GROUNDS[mark.line_hl] and mark.line_hl or nil
  if mark.icon then
    local hl = mark.by and { "AcpPrompt", mark.icon.hl } or mark.icon.hl -- on the ground of the user's words
    opts.virt_text = { { icon or mark.icon.text, hl } }
    opts.virt_text_pos = OVER_BLANKS[mark.kind] and "overlay" or "inline"
  end
  return api.nvim_buf_set_extmark(chat.buf, ENTRIES, row, 0, opts)
end

---@param chat acp.Chat
---@param mark acp.Mark
---@param row integer
local function place_beside(chat, mark, row)
  if SPEAKERS[mark.kind] then
    return -- headings.lua draws all of its line
  end
  local opts, column = tool_line_end.extmark(chat.buf, mark, row, chat.columns)
  opts.id = mark.at_eol
  mark.at_eol = api.nvim_buf_set_extmark(chat.buf, COLOURS, row, column, opts)
end

--- Places the line ends again if the windows on the chat have become narrower or wider.
---@param chat acp.Chat
function M.fit(chat)
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

--- The row of the heading of the newest answer, if one has begun since the last prompt.
---@param chat acp.Chat
---@return integer?
function M.answer(chat)
  return chat.answer and M.row(chat, chat.answer)
end

--- Draws the heading of the newest answer again: its spinner has turned, or is to go.
---@param chat acp.Chat
local function redraw_answer(chat)
  local row = M.answer(chat)
  if row then
    api.nvim__redraw({ buf = chat.buf, range = { row, row + 1 }, flush = false })
  end
end

---@param chat acp.Chat
---@param mark acp.Mark
local function place_one(chat, mark)
  local id = put(chat, mark.row, mark)
  chat.marks[id] = mark
  if mark.key and not INSIDE[mark.kind] and not chat.keys[mark.key] then
    chat.keys[mark.key] = id
  end
  chat.spinning[id] = mark.running or nil
  if SPEAKERS[mark.kind] and not mark.took then
    redraw_answer(chat) -- the next one has the spinner: the user's words may be in the midst of a turn
    chat.answer = mark.kind == "agent" and id or nil
  end
  for _, span in ipairs(mark.spans or {}) do
    local opts = { end_col = span[2], hl_group = span[3], strict = false }
    api.nvim_buf_set_extmark(chat.buf, COLOURS, mark.row, span[1], opts)
  end
  for _, sign in ipairs(mark.inline or {}) do
    local opts = { virt_text = { { sign[2], sign[3] } }, virt_text_pos = "inline", hl_mode = "combine", strict = false }
    api.nvim_buf_set_extmark(chat.buf, COLOURS, mark.row, sign[1], opts)
  end
  mark.spans, mark.inline = nil, nil -- the extmarks have them; a long chat has thousands of marks
  if mark.eol then
    place_beside(chat, mark, mark.row)
  end
end

--- Shows that what a mark stands for has ended. The colours of its row stay: only the extmarks know them.
---@param chat acp.Chat
---@param id integer
---@param icon { text: string, hl: string }
function M.close(chat, id, icon)
  local mark = chat.marks[id]
  mark.icon, mark.running, mark.open = icon, nil, nil
  chat.spinning[id] = nil
  put(chat, M.row(chat, id) --[[@as integer]], mark, id)
end

--- Adds marks.
---@param chat acp.Chat
---@param marks acp.Mark[]
function M.place(chat, marks)
  for _, mark in ipairs(marks) do
    place_one(chat, mark)
  end
end

--- Removes the marks of rows first..last - 1.
---@param chat acp.Chat
---@param first integer
---@param last integer
function M.clear(chat, first, last)
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
    chat.answer = chat.answer ~= id and chat.answer or nil
  end
  api.nvim_buf_clear_namespace(chat.buf, ENTRIES, first, last)
  api.nvim_buf_clear_namespace(chat.buf, COLOURS, first, last)
  api.nvim_buf_clear_namespace(chat.buf, M.TABLES, first, last)
end

--- The nearest mark at or above `row`.
---@param chat acp.Chat
---@param row integer
---@return acp.Mark? mark
---@return integer row
---@return integer? id
function M.above(chat, row)
  local found = api.nvim_buf_get_extmarks(chat.buf, ENTRIES, { row, 0 }, 0, { limit = 1 })[1]
  if not found then
    return nil, 0
  end
  return chat.marks[found[1]], found[2], found[1]
end

-- A question and its options stand within a tool call.
local ASKED = { question = true, option = true }

--- The key of the entry that a row belongs to.
---@param chat acp.Chat
---@param row integer
---@return integer?
function M.entry_at(chat, row)
  local mark ---@type acp.Mark?
  repeat
    mark, row = M.above(chat, row)
    row = row - 1
  until not mark or not ASKED[mark.kind] or row < 0
  return mark and mark.key --[[@as integer]]
end

--- The marks in rows first..last, in order.
---@param chat acp.Chat
---@param first integer
---@param last integer
---@param limit? integer
---@return { row: integer, mark: acp.Mark, id: integer }[]
function M.between(chat, first, last, limit)
  local list = {}
  for _, found in ipairs(api.nvim_buf_get_extmarks(chat.buf, ENTRIES, { first, 0 }, { last, 0 }, { limit = limit })) do
    list[#list + 1] = { row = found[2], mark = chat.marks[found[1]], id = found[1] }
  end
  return list
end

--- The row of a mark.
---@param chat acp.Chat
---@param id integer
---@return integer?
function M.row(chat, id)
  return api.nvim_buf_get_extmark_by_id(chat.buf, ENTRIES, id, {})[1]
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

--- Puts marks back onto their row, from which an edit has pushed them.
---@param chat acp.Chat
---@param row integer
---@param found vim.api.keyset.get_extmark_item[]  as `at` has returned them
function M.put_back(chat, row, found)
  for _, each in ipairs(found) do
    put(chat, row, chat.marks[each[1]], each[1])
  end
end

--- The marks at the beginning of a row, for `put_back`.
---@param chat acp.Chat
---@param row integer
---@return vim.api.keyset.get_extmark_item[]
function M.at(chat, row)
  return api.nvim_buf_get_extmarks(chat.buf, ENTRIES, { row, 0 }, { row, 0 }, {})
end

--- Shows the next frame of the spinner in rows first..last, on running tools and on the heading of the newest answer:
--- each costs the redraw of its line.
---@param chat acp.Chat
---@param first integer
---@param last integer
---@param icon string
function M.spin(chat, first, last, icon)
  local answer = M.answer(chat)
  if answer and answer >= first and answer <= last then
    redraw_answer(chat)
  end
  if not next(chat.spinning) then
    return
  end
  for _, found in ipairs(api.nvim_buf_get_extmarks(chat.buf, ENTRIES, { first, 0 }, { last, -1 }, {})) do
    local id, row = found[1], found[2]
    if chat.spinning[id] then
      local mark = chat.marks[id]
      put(chat, row, mark, id, mark.icon.text:match("^ *") .. icon .. " ")
    end
  end
end

--- The buffer is a new one, without marks.
---@param chat acp.Chat
function M.forget(chat)
  chat.marks, chat.keys, chat.spinning, chat.answer = {}, {}, {}, nil
  api.nvim_buf_clear_namespace(chat.buf, ENTRIES, 0, -1)
  api.nvim_buf_clear_namespace(chat.buf, COLOURS, 0, -1)
  api.nvim_buf_clear_namespace(chat.buf, M.TABLES, 0, -1)
end

return M
