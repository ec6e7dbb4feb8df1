-- What goes along with a prompt: files, buffers, ranges of lines, with their text as it is now, unsaved lines included.
local M = {}

---@param file string
---@return integer? buf  a loaded buffer of that file
local function loaded(file)
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buf) and vim.bo[buf].buftype == "" and vim.api.nvim_buf_get_name(buf) == file then
      return buf
    end
  end
end

---@param buf integer
---@return string? file
local function named(buf)
  local name = vim.api.nvim_buf_is_valid(buf) and vim.api.nvim_buf_get_name(buf) or ""
  return name ~= "" and name or nil
end

---@param buf integer
---@param first? integer
---@param last? integer
---@return string[]? lines
---@return string? message
local function buffer_lines(buf, first, last)
  if not vim.api.nvim_buf_is_loaded(buf) then
    return nil, ("there is no loaded buffer %d"):format(buf)
  end
  return vim.api.nvim_buf_get_lines(buf, (first or 1) - 1, last or -1, false)
end

---@param item any  { file }, { file, first, last } or { buffer, first, last }
---@return table? item
---@return string? message
local function read_item(item)
  if type(item) ~= "table" or not (type(item.file) == "string" or type(item.buffer) == "number") then
    return nil, "a context item needs a file or a buffer"
  end
  local file = item.file and vim.fn.fnamemodify(vim.fs.normalize(item.file), ":p")
  local lines, message
  if item.buffer or loaded(file) then
    local buf = item.buffer or loaded(file)
    file = file or named(buf)
    lines, message = buffer_lines(buf, item.first, item.last)
  elseif vim.fn.filereadable(file) == 0 then
    message = ("no such file: %s"):format(item.file)
  elseif item.first then
    lines = vim.list_slice(vim.fn.readfile(file, "", item.last or 0x7fffffff), item.first)
  end
  if message then
    return nil, message
  end
  local first = (item.first or not file) and (item.first or 1) or nil
  return { file = file, first = first, last = first and (item.last or first + #lines - 1), lines = lines }
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
    local ready, message = read_item(item)
    if not ready then
      return nil, message
    end
    context[#context + 1] = ready
  end
  return context
end

return M
