-- Keeps what the user is writing on the disk, so that it survives Neovim: a private file for each prompt, which has its
-- texts as JSON. The next session of the project takes what a Neovim has left that is gone.
--
--   state/acp_nvim/drafts/{project}-{process}-{session}.json    ["what was being written"]
local history = require("acp_nvim.prompt.history")
local limits = require("acp_nvim.limits")
local process_table = require("acp_nvim.system.process_table")
local regular_file = require("acp_nvim.system.regular_file")
local state_folder = require("acp_nvim.backend.state_folder")

local uv = vim.uv
local M = {}

local written = {} ---@type table<integer, { path: string, text: string }>  session -> its file
local has_failed = false

---@return string
local function folder()
  return vim.fs.joinpath(state_folder.path(), "drafts")
end

---@param path string
---@param text string
---@return string? problem
local function write(path, text)
  local aside = path .. ".new" -- a Neovim that is killed while it writes leaves the last text whole
  local problem = state_folder.write(aside, "replace", text)
  if not problem then
    local ok, why = uv.fs_rename(aside, path)
    problem = not ok and why or nil
  end
  return problem
end

--- Writes the texts that a session's prompt holds; without any its file goes.
---@param n integer
---@param cwd string
---@param texts string[]
function M.save(n, cwd, texts)
  local text = #texts > 0 and vim.json.encode(texts) or ""
  if text == (written[n] and written[n].text or "") or not history.is_kept() then
    return
  elseif text == "" then
    return M.remove(n)
  elseif #text > limits.HISTORY_PROMPT_BYTES then
    return
  end
  local path = ("%s/%s-%d-%d.json"):format(folder(), history.key(cwd), uv.os_getpid(), n)
  local problem = write(path, text)
  if not problem then
    written[n] = { path = path, text = text }
  elseif not has_failed then
    has_failed = true
    state_folder.warn("drafts are not kept: " .. problem)
  end
end

--- Removes a session's file: its text has been sent, or is in the history.
---@param n integer
function M.remove(n)
  if written[n] then
    uv.fs_unlink(written[n].path)
    written[n] = nil
  end
end

--- Is the file that of a prompt in a Neovim that runs? Its number may be another program's by now.
---@param name string
---@return boolean
local function is_in_use(name)
  local pid, n = name:match("%-(%d+)%-(%d+)%.json$")
  if tonumber(pid) == uv.os_getpid() then
    return written[tonumber(n)] ~= nil
  end
  local number = tonumber(pid) --[[@as integer?]]
  local program = number and uv.kill(number, 0) == 0 and process_table.program(number) or ""
  return program:find("vim") ~= nil
end

---@param path string
---@return string[]
local function read(path)
  local fd, stat = regular_file.reading(path)
  if not fd then
    return {}
  end
  local text = uv.fs_read(fd, math.min(stat.size, limits.HISTORY_PROMPT_BYTES), 0) or ""
  uv.fs_close(fd)
  local ok, texts = pcall(vim.json.decode, text)
  return vim.tbl_filter(function(item)
    return type(item) == "string" and item:find("%S") ~= nil
  end, ok and type(texts) == "table" and texts or {})
end

--- Gives the texts that Neovims have left in the project of a folder, the newest last, to `keep`, and removes them once
--- it has kept them. A file is renamed before it is read: of two Neovims one takes it.
---@param cwd string
---@param keep fun(texts: string[])
function M.take_left(cwd, keep)
  local names, taken, texts = {}, {}, {}
  local prefix = history.key(cwd) .. "-"
  for name, kind in vim.fs.dir(folder()) do
    if kind == "file" and vim.startswith(name, prefix) and name:find("%.json$") and not is_in_use(name) then
      names[#names + 1] = name
    end
  end
  local age = {} ---@type table<string, number>
  for _, name in ipairs(names) do
    local stat = uv.fs_stat(folder() .. "/" .. name)
    age[name] = stat and stat.mtime.sec + stat.mtime.nsec / 1e9 or 0
  end
  table.sort(names, function(one, other)
    return age[one] < age[other]
  end)
  for _, name in ipairs(names) do
    local path = ("%s/%s"):format(folder(), name)
    local aside = ("%s.%d"):format(path, uv.os_getpid())
    if uv.fs_rename(path, aside) then
      taken[#taken + 1] = aside
      vim.list_extend(texts, read(aside))
    end
  end
  if #texts > 0 then
    keep(texts)
  end
  vim.iter(taken):each(uv.fs_unlink)
end

return M
