-- Finds the loaded buffers of files, and resolves paths. It opens and loads nothing.
local api = vim.api
local M = {}

local FRESH_MS = 1000
local LINKS = 40 -- so many are followed, as by the system

local resolved = {} ---@type table<string, string> name of a buffer -> where it leads, for a moment
local resolved_at = 0

--- Returns the target of a symlink that leads nowhere yet, else the path itself.
---@param path string
---@return string
local function target(path)
  local link = vim.uv.fs_readlink(path)
  if not link then
    return path
  end
  return link:sub(1, 1) == "/" and link or vim.fs.joinpath(vim.fs.dirname(path), link)
end

--- Returns a name as its folder has it: where a disk ignores case, a lookup finds `SRC` and the listing has `src`.
---@param folder string
---@param name string
---@return string
local function spelling(folder, name)
  local other = name:upper() ~= name and name:upper() or name:lower()
  local twin = other ~= name and vim.uv.fs_lstat(folder .. "/" .. other)
  local stat = twin and vim.uv.fs_lstat(folder .. "/" .. name)
  if not stat or stat.ino ~= twin.ino or stat.dev ~= twin.dev then
    return name
  end
  local found = name
  for each in vim.fs.dir(folder == "" and "/" or folder) do
    if each == name then
      return name
    elseif each:lower() == name:lower() then
      found = each
    end
  end
  return found
end

---@param path string  without symlinks
---@return string
local function as_spelled(path)
  local spelled = ""
  for name in path:gmatch("[^/]+") do
    spelled = spelled .. "/" .. spelling(spelled, name)
  end
  return spelled == "" and path or spelled
end

--- Resolves the symlinks of a path, also where it does not exist yet and through links whose target does not.
---@param path string
---@return string
function M.resolve(path)
  local rest, followed = "", 0
  while true do
    local real = vim.uv.fs_realpath(path)
    if real then
      return as_spelled((real == "/" and rest ~= "") and rest or real .. rest)
    end
    local there = followed < LINKS and target(path) or path
    if there ~= path then
      followed, path = followed + 1, there
    else
      local parent = vim.fs.dirname(path)
      if not parent or parent == path or parent == "." then
        return path .. rest
      end
      rest = "/" .. vim.fs.basename(path) .. rest
      path = parent
    end
  end
end

--- Resolves a buffer's name. Answers are cached for a moment: an agent reads many files in a row, and each read asks
--- for all buffers.
---@param name string
---@return string
local function resolve_name(name)
  if vim.uv.now() - resolved_at > FRESH_MS then
    resolved, resolved_at = {}, vim.uv.now()
  end
  resolved[name] = resolved[name] or M.resolve(name)
  return resolved[name]
end

--- Whether the buffer holds the text of the file that it is named after. The right side of a proposal does not,
--- although it can be written.
---@param buf integer
---@return boolean
function M.is_file(buf)
  local kind, name = vim.bo[buf].buftype, api.nvim_buf_get_name(buf)
  local is_named = name ~= "" and not vim.startswith(name, "acp://")
  return api.nvim_buf_is_loaded(buf) and (kind == "" or kind == "acwrite") and is_named
end

--- Finds the loaded buffer of a file.
---@param path string
---@return integer? buf  of several the one with unsaved changes
function M.find(path)
  local real, found = M.resolve(path), nil
  for _, buf in ipairs(api.nvim_list_bufs()) do
    if M.is_file(buf) and resolve_name(api.nvim_buf_get_name(buf)) == real and (not found or vim.bo[buf].modified) then
      found = buf
    end
  end
  return found
end

--- Returns the resolved paths of all files in loaded buffers.
---@return string[]
function M.loaded()
  local paths = {}
  for _, buf in ipairs(api.nvim_list_bufs()) do
    if M.is_file(buf) then
      paths[#paths + 1] = M.resolve(api.nvim_buf_get_name(buf))
    end
  end
  return paths
end

return M
