-- Finds the path under the cursor of a chat, and the file and line it names.
local marks = require("acp_nvim.chat.marks")

local api = vim.api
local M = {}

-- How a line of a file is written.
local PLACES = { "^(.-):(%d+):?%d*:?$", "^(.-)#L(%d+)", "^(.-)%((%d+)%)$", "^(.-) and (%d+) more$" }

---@param text string
---@return [string, integer?][]  paths and lines as which it may be read
local function readings(text)
  local list = { { text } }
  for _, pattern in ipairs(PLACES) do
    local path, line = text:match(pattern)
    list[#list + 1] = path and { path, tonumber(line) } or nil
  end
  return list
end

---@param path string
---@param cwd string
---@return string
local function absolute(path, cwd)
  if path:find("^~/") then
    return vim.fs.normalize(path, { expand_env = false })
  end
  return path:find("^/") and path or cwd .. "/" .. path
end

---@param text string
---@param cwd string
---@return string? path
---@return integer? line
local function file_in(text, cwd)
  for _, reading in ipairs(readings(text)) do
    local path = absolute(reading[1], cwd)
    local found = reading[1] ~= "" and vim.uv.fs_stat(path)
    if found and found.type == "file" then
      return path, reading[2]
    end
  end
end

--- The texts that may be a path: the columns marked as one, then the word under the cursor, without punctuation.
---@param chat acp.Chat
---@param row integer
---@return string[]
local function words(chat, row)
  local line = api.nvim_get_current_line()
  local span = marks.path_span(chat, row)
  local list = {}
  if span then
    local path = line:sub(span[1] + 1, span[2])
    list = { path .. (line:match("^:%d+", span[2] + 1) or ""), path }
  end
  local col = api.nvim_win_get_cursor(0)[2] + 1
  for first, word, last in line:gmatch("()([^%s`'\"<>|%[%]]+)()") do
    if first <= col and col < last then
      vim.list_extend(list, { word, (word:gsub("^%(+", ""):gsub("[%.,;:!?%)]+$", "")) })
    end
  end
  return list
end

---@param chat acp.Chat
---@param row integer
---@param cwd string
---@return string? path
---@return integer? line
function M.under_cursor(chat, row, cwd)
  for _, word in ipairs(words(chat, row)) do
    local path, line = file_in(word, cwd)
    if path then
      return path, line
    end
  end
end

return M
