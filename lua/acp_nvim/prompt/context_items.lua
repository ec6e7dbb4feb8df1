-- Reads what goes along with a prompt, as the backend gets it: files, buffers, ranges of lines and diagnostics with
-- their current text, unsaved lines included. The backend reads files that are as on the disk when the prompt goes out.
local documents = require("acp_nvim.documents.find")
local limits = require("acp_nvim.limits")

local api = vim.api
local M = {}

---@class acp.ContextItem  one of file, buffer, image, audio, diagnostics, text
---@field file? string
---@field buffer? integer
---@field first? integer
---@field last? integer
---@field image? string
---@field audio? string
---@field diagnostics? integer  a buffer; 0: the current one
---@field text? string
---@field title? string         of a text
---@field missing? string       why what the user has named cannot go along

local SEVERITIES = { "error", "warning", "info", "hint" }

---@param path string
---@return string
local function absolute(path)
  return vim.fn.fnamemodify(vim.fs.normalize(path, { expand_env = false }), ":p")
end

---@param buf integer
---@return boolean
local function is_ordinary(buf)
  return api.nvim_buf_is_loaded(buf) and vim.bo[buf].buftype == ""
end

local entered = -1 -- the ordinary buffer in which the user was last

local function note_entered()
  local buf = api.nvim_get_current_buf()
  entered = is_ordinary(buf) and buf or entered
end

api.nvim_create_autocmd({ "BufEnter", "BufLeave" }, {
  group = api.nvim_create_augroup("acp_nvim.context", {}),
  callback = note_entered,
})

--- The ordinary buffer that the user is in, or was in last.
---@return integer?
function M.users_buffer()
  local bufs = { api.nvim_get_current_buf(), entered }
  for _, win in ipairs(api.nvim_tabpage_list_wins(0)) do
    bufs[#bufs + 1] = api.nvim_win_get_buf(win)
  end
  bufs[#bufs + 1] = vim.fn.bufnr("#")
  for _, buf in ipairs(bufs) do
    if buf > 0 and is_ordinary(buf) then
      return buf
    end
  end
end

--- Names a buffer in a few words: its relative path, or its kind.
---@param buf integer
---@return string
function M.name(buf)
  local name = api.nvim_buf_get_name(buf)
  return name ~= "" and vim.fn.fnamemodify(name, ":~:.") or "a buffer without a name"
end

--- Reads the lines of a buffer. Of one that is too large it stops where that shows.
---@param buf integer
---@param first integer
---@param last integer
---@return string[]
local function lines_of(buf, first, last)
  local size = api.nvim_buf_get_offset(buf, last) - api.nvim_buf_get_offset(buf, first - 1)
  if size <= limits.ATTACHED_BYTES then
    return api.nvim_buf_get_lines(buf, first - 1, last, false)
  end
  local lines, room = {}, limits.ATTACHED_BYTES
  for row = first, last do
    lines[#lines + 1] = api.nvim_buf_get_lines(buf, row - 1, row, false)[1]
    room = room - #lines[#lines] - 1
    if room < 0 then
      break
    end
  end
  return lines
end

---@param buf integer
---@param item acp.ContextItem
---@return table? ready
---@return string? message
local function from_buffer(buf, item)
  if not api.nvim_buf_is_loaded(buf) then
    return nil, ("there is no loaded buffer %d"):format(buf)
  end
  local count, first, last = api.nvim_buf_line_count(buf), item.first, item.last
  if first and first > count then
    return nil, ("%s has no line %d"):format(M.name(buf), first)
  end
  last = math.min(last or count, count)
  local lines = lines_of(buf, first or 1, last)
  local name = api.nvim_buf_get_name(buf)
  if vim.bo[buf].buftype ~= "" and vim.bo[buf].buftype ~= "help" or not name:find("^/") then
    local range = first and (", lines %d-%d"):format(first, last) or ""
    local text = table.concat(lines, "\n"):sub(1, limits.ATTACHED_BYTES)
    return { title = (name ~= "" and name or "a buffer without a name") .. range, text = text }
  end
  return { file = name, first = first, last = first and last, lines = lines, unsaved = vim.bo[buf].modified }
end

--- Whether reading the file gives what the buffer shows.
---@param buf integer
---@return boolean
local function is_on_disk(buf)
  local encoding = vim.bo[buf].fileencoding
  local readable = vim.fn.filereadable(api.nvim_buf_get_name(buf)) == 1
  return readable and not vim.bo[buf].modified and (encoding == "" or encoding == "utf-8")
end

---@param item acp.ContextItem
---@return table? ready
---@return string? message
local function from_file(item)
  local file = absolute(item.file)
  local buf = documents.find(file)
  if buf and (item.first or not is_on_disk(buf)) then
    local ready, message = from_buffer(buf, item)
    return ready and vim.tbl_extend("force", ready, { file = file }), message
  elseif not vim.uv.fs_stat(file) then
    return nil, ("no such file: %s"):format(item.file)
  end
  return { file = file, first = item.first, last = item.last }
end

---@param list table[]
---@param format fun(entry: table): string
---@return string
local function listed(list, format)
  local lines = {}
  for index, entry in ipairs(list) do
    if index > limits.LISTED_DIAGNOSTICS then
      lines[#lines + 1] = ("… and %d more"):format(#list - limits.LISTED_DIAGNOSTICS)
      break
    end
    lines[#lines + 1] = format(entry)
  end
  return table.concat(lines, "\n")
end

---@param buf integer
---@return table? ready
---@return string? message
local function from_diagnostics(buf)
  buf = buf == 0 and api.nvim_get_current_buf() or buf
  if not api.nvim_buf_is_valid(buf) then
    return nil, ("there is no buffer %d"):format(buf)
  end
  local list = vim.diagnostic.get(buf)
  table.sort(list, function(one, other)
    return one.lnum == other.lnum and one.col < other.col or one.lnum < other.lnum
  end)
  local text = listed(list, function(each)
    local source = each.source and (" (%s%s)"):format(each.source, each.code and " " .. tostring(each.code) or "") or ""
    local message = each.message:gsub("%s*\n%s*", " ")
    return ("%d:%d %s: %s%s"):format(each.lnum + 1, each.col + 1, SEVERITIES[each.severity] or "", message, source)
  end)
  return { title = "diagnostics of " .. M.name(buf), text = #list > 0 and text or "none" }
end

--- The entries of a quickfix list; nil if there are none, or the list is gone.
---@param id integer  0: the current one
---@return table? ready
---@return integer id
---@return integer count
function M.quickfix(id)
  local list = vim.fn.getqflist({ id = id, items = 1, title = 1 })
  if list.id == 0 or #(list.items or {}) == 0 then
    return nil, 0, 0
  end
  local text = listed(list.items, function(each)
    local place = each.bufnr > 0 and ("%s:%d:%d: "):format(M.name(each.bufnr), each.lnum, each.col) or ""
    return place .. (each.type ~= "" and each.type .. " " or "") .. vim.trim(each.text)
  end)
  local title = list.title ~= "" and ("quickfix list, %s"):format(list.title) or "quickfix list"
  return { title = title, text = text }, list.id, #list.items
end

---@param value any
---@return boolean
local function is_line(value)
  return value == nil or (type(value) == "number" and value >= 1 and value % 1 == 0)
end

--- Reads one item, ready for the backend.
---@param item any
---@return table? ready
---@return string? message
function M.item(item)
  if type(item) ~= "table" then
    return nil, "a context item must be a table, such as { file = 'name' }"
  elseif not is_line(item.first) or not is_line(item.last) or (item.last or math.huge) < (item.first or 1) then
    return nil, "first and last of a context item are lines, counted from 1"
  elseif type(item.buffer) == "number" then
    local buf = item.buffer == 0 and api.nvim_get_current_buf() or item.buffer
    return from_buffer(buf, item)
  elseif type(item.file) == "string" then
    return from_file(item)
  elseif type(item.diagnostics) == "number" then
    return from_diagnostics(item.diagnostics)
  elseif type(item.text) == "string" or item.missing or item.late then
    return item
  end
  for _, kind in ipairs({ "image", "audio" }) do
    if type(item[kind]) == "string" then
      local path = absolute(item[kind])
      return vim.uv.fs_stat(path) and { [kind] = path }, ("no such file: %s"):format(item[kind])
    end
  end
  return nil, "a context item needs a file, buffer, image or diagnostics"
end

--- The items with their text, ready for the backend.
---@param items any
---@return table[]? context
---@return string? message
function M.read(items)
  if type(items) ~= "table" then
    return nil, "context must be a list"
  end
  local context = {}
  for _, item in ipairs(items) do
    local ready, message = M.item(item)
    if not ready then
      return nil, message
    end
    context[#context + 1] = ready
  end
  return context
end

--- Reads the items that the user has named in a text; the agent is told which cannot be read.
---@param items acp.ContextItem[]
---@return table[] context
function M.read_all(items)
  return vim.tbl_map(function(item)
    local ready, message = M.item(item)
    return ready or { missing = message }
  end, items)
end

return M
