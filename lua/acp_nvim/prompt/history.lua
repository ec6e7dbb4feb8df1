-- Keeps the prompts of a project, also those of earlier Neovims, in one private file for each project.
local event = require("acp_nvim.system.event")
local limits = require("acp_nvim.limits")
local project = require("acp_nvim.project")
local regular_file = require("acp_nvim.system.regular_file")
local state_folder = require("acp_nvim.backend.state_folder")

local uv = vim.uv
local on_dropped = event.new()

local M = {
  on_dropped = on_dropped.add, -- fn(list, count): so many prompts at the beginning of the list have given way
}

local histories = {} ---@type table<string, string[]> project -> oldest first

---@param root string
---@return string
local function key_of(root)
  return vim.fn.sha256(root):sub(1, 32)
end

---@param root string
---@return string
local function path_of(root)
  return ("%s/history/%s.jsonl"):format(state_folder.path(), key_of(root))
end

--- The name of the project that a folder belongs to, as a part of file names.
---@param cwd string
---@return string
function M.key(cwd)
  return key_of(project.of_folder(cwd))
end

--- Is what the user writes kept on the disk? An empty 'shada' keeps Neovim's own history in memory alone, and so that
--- of the prompts.
---@return boolean
function M.is_kept()
  return vim.o.shada ~= ""
end

---@param items string[]
---@return string
local function lines_of(items)
  local lines = {}
  for _, item in ipairs(items) do
    local ok, line = pcall(vim.json.encode, item)
    if ok and #line <= limits.HISTORY_PROMPT_BYTES then
      lines[#lines + 1] = line .. "\n"
    end
  end
  return table.concat(lines)
end

---@param path string
---@param text string
---@return string[]
local function parsed(path, text)
  local items, count = {}, 0
  for line in text:gmatch("[^\n]+") do
    local ok, item = pcall(vim.json.decode, line)
    count = count + 1
    if ok and type(item) == "string" then
      items[#items + 1] = item
    end
  end
  if count > 2 * limits.HISTORY_PROMPTS or #text > limits.HISTORY_BYTES then
    items = vim.list_slice(items, math.max(1, #items - limits.HISTORY_PROMPTS + 1))
    local aside = ("%s.%d"):format(path, uv.os_getpid())
    if not state_folder.write(aside, "replace", lines_of(items)) then
      uv.fs_rename(aside, path)
    end
  end
  return vim.list_slice(items, math.max(1, #items - limits.HISTORY_PROMPTS + 1))
end

---@param path string
---@return string[]
local function read(path)
  if not M.is_kept() then
    return {}
  end
  local fd, stat = regular_file.reading(path)
  if not fd then
    return {}
  end
  local from = math.max(0, stat.size - 4 * limits.HISTORY_BYTES)
  local text = uv.fs_read(fd, stat.size - from, from) or ""
  uv.fs_close(fd)
  return parsed(path, from > 0 and (text:gsub("^[^\n]*\n", "")) or text)
end

--- The prompts of the project that `cwd` belongs to, oldest first; the table itself.
---@param cwd string
---@return string[]
function M.of(cwd)
  local root = project.of_folder(cwd)
  histories[root] = histories[root] or read(path_of(root))
  return histories[root]
end

--- Adds prompts, save blank ones and repetitions of the last.
---@param cwd string
---@param items string[]
function M.add(cwd, items)
  local root, new = project.of_folder(cwd), {}
  local list = M.of(cwd)
  for _, item in ipairs(items) do
    if item:find("%S") and item ~= list[#list] then
      list[#list + 1], new[#new + 1] = item, item
    end
  end
  if #new > 0 and M.is_kept() then
    local problem = state_folder.write(path_of(root), "append", lines_of(new))
    if problem then
      state_folder.warn("the prompt history is not kept: " .. problem)
    end
  end
  local gone = math.max(0, #list - limits.HISTORY_PROMPTS)
  for _ = 1, gone do
    table.remove(list, 1)
  end
  if gone > 0 then
    on_dropped.call(list, gone)
  end
end

return M
