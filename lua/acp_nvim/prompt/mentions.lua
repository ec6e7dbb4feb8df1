-- Finds what a text names with `@`: existing files and buffers, lines of them, and what `mention_keywords.lua` knows.
-- All else is only text.
local limits = require("acp_nvim.limits")
local mention_keywords = require("acp_nvim.prompt.mention_keywords")

local M = {}

local RANGES = { "^(.+)#L(%d+)%-L?(%d+)$", "^(.+)#L(%d+)$", "^(.+):(%d+)%-(%d+)$", "^(.+):(%d+)$", "^(.+):(%d+):%d+$" }
local CLOSERS = {} -- what may stand behind a name and is not of it
for char in (".,;:!?)]}>\"'`*_。，、；：！？）】」』”’…"):gmatch("[%z\1-\127\194-\244][\128-\191]*") do
  CLOSERS[char] = true
end

---@class acp.Places  where names may lead
---@field folders string[]             the first that has the file counts
---@field buffers table<string, true>  names of buffers, which need not be on the disk

---@param path string
---@param places acp.Places
---@return string? file  absolute
local function existing(path, places)
  if path:find("^[%./~]+$") and not path:find("^%.%.?/") then
    return nil -- an ellipsis is no folder
  end
  local home = path:find("^~/") and vim.fs.normalize(path, { expand_env = false })
  local candidates = (home or path:find("^/")) and { home or path }
    or vim.tbl_map(function(folder)
      return folder .. "/" .. path
    end, places.folders)
  for _, candidate in ipairs(candidates) do
    local file = vim.fs.normalize(candidate, { expand_env = false })
    if vim.uv.fs_stat(file) or places.buffers[file] then
      return file
    end
  end
end

---@param name string
---@param places acp.Places
---@return acp.ContextItem?
local function special(name, places)
  local number = tonumber(name:match("^buffer:(%d+)$"))
  if number then
    return vim.api.nvim_buf_is_loaded(number) and { buffer = number } or nil
  end
  return mention_keywords.item(name, places.folders[1])
end

---@param token string
---@param places acp.Places
---@return acp.ContextItem?
local function resolve(token, places)
  if token == "diagnostics" then
    return special(token, places)
  end
  local file = existing(token, places)
  if file then
    return { file = file }
  end
  for _, pattern in ipairs(RANGES) do
    local path, first, last = token:match(pattern)
    file = path and existing(path, places)
    if file then
      local from = tonumber(first) --[[@as integer]] -- RANGES give digits
      local to = tonumber(last) or from
      return from >= 1 and { file = file, first = math.min(from, to), last = math.max(from, to) } or nil
    end
  end
  return special(token, places)
end

---@param token string
---@return string? shorter  without the closing sign at its end
local function unclosed(token)
  local bare = token:match("^(.+)'s$")
  if bare then
    return bare
  end
  local char = token:match("[%z\1-\127\194-\244][\128-\191]*$")
  return char and CLOSERS[char] and #token > #char and token:sub(1, -#char - 1) or nil
end

---@param token string?
---@param places acp.Places
---@return acp.ContextItem?
local function closest(token, places)
  while token and token ~= "" do
    local item = resolve(token, places)
    if item then
      return item
    end
    token = unclosed(token)
  end
end

--- The longest name that is one.
---@param rest string  of the line, behind the `@`
---@param places acp.Places
---@return acp.ContextItem?
local function named(rest, places)
  local quoted, range = rest:match('^"([^"]+)"([#:]?%S*)')
  if quoted then
    return closest(quoted .. range, places)
  end
  local masked, ends = rest:gsub("\\ ", "\1\1"), {}
  for stop in masked:gmatch("()%f[%s%z]") do
    ends[#ends + 1] = stop - 1
    if #ends == limits.MENTION_WORDS then
      break
    end
  end
  for i = #ends, 1, -1 do
    local item = closest((rest:sub(1, ends[i]):gsub("\\ ", " ")), places)
    if item then
      return item
    end
  end
end

--- The items that a text names, each once, in order.
---@param text string
---@param folders string[]  where relative paths may begin
---@return acp.ContextItem[]
function M.find(text, folders)
  if not text:find("@", 1, true) then
    return {}
  end
  local places = { folders = folders, buffers = {} }
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buf) and vim.bo[buf].buftype == "" then
      places.buffers[vim.api.nvim_buf_get_name(buf)] = true
    end
  end
  local items, seen, tried = {}, {}, 0
  for at in text:gmatch("()@") do
    local before, rest =
      text:sub(math.max(1, at - 1), at - 1), text:match("^[^\n]*", at + 1):sub(1, limits.MENTION_CHARS)
    if not before:find("[%w%._%%%+%-@/\\]") and rest:find("^[^%s@]") then
      tried = tried + 1
      local item = tried <= limits.MENTIONS_TRIED and named(rest, places) or nil
      local key = vim.inspect(item)
      if item and not seen[key] then
        seen[key] = true
        items[#items + 1] = item
      end
    end
  end
  return items
end

return M
