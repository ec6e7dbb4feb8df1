-- Loads files for the language server that the user has not opened: hidden, unlisted, gone soon after their last use.
local find = require("acp_nvim.documents.find")

local api = vim.api
local M = {}

local MOST = 20
local LEAVE_MS = 9000 -- after the last use
local LOOK_MS = 500

local used = {} ---@type table<integer, integer> buffer -> when it was used last, by `vim.uv.now()`
local timer ---@type uv.uv_timer_t?

--- Whether the buffer is one of these, and the user has not opened it since.
---@param buf integer
---@return boolean
function M.is_ours(buf)
  return used[buf] ~= nil and not vim.bo[buf].buflisted and vim.fn.bufwinid(buf) == -1
end

---@param buf integer
local function leave(buf)
  used[buf] = nil
  if api.nvim_buf_is_valid(buf) and not vim.bo[buf].buflisted and #vim.fn.win_findbuf(buf) == 0 then
    if not vim.bo[buf].modified then
      api.nvim_buf_delete(buf, {})
    end
  end
end

local function look()
  for buf, at in pairs(used) do
    if vim.uv.now() - at >= LEAVE_MS then
      leave(buf)
    end
  end
  if not next(used) and timer then
    timer:close()
    timer = nil
  end
end

--- Makes room for one more: the one that has not been used for the longest time goes.
local function make_room()
  local count, oldest = 0, nil ---@type integer, integer?
  for buf, at in pairs(used) do
    count = count + 1
    oldest = (not oldest or at < used[oldest]) and buf or oldest
  end
  if count >= MOST and oldest then
    leave(oldest)
  end
end

---@param path string
---@return integer buf
local function load(path)
  make_room()
  local is_known = vim.fn.bufexists(path) == 1
  local buf = vim.fn.bufadd(path)
  if not is_known then
    vim.bo[buf].buflisted = false
    used[buf] = vim.uv.now()
  end
  vim.bo[buf].swapfile = false
  -- as a file that is opened: what attaches a language server waits for FileType
  vim.cmd(("silent! call bufload(%d)"):format(buf))
  if vim.bo[buf].filetype == "" then
    local filetype = vim.filetype.match({ buf = buf })
    if filetype then
      vim.bo[buf].filetype = filetype
    end
  end
  if used[buf] and not timer then
    timer = assert(vim.uv.new_timer())
    timer:start(LOOK_MS, LOOK_MS, vim.schedule_wrap(look))
  end
  return buf
end

--- Returns the buffer of a file, which is loaded for a while if no buffer has it.
---@param path string
---@return integer? buf  nil: there is no such file
---@return boolean is_fresh  it has just been loaded
function M.open(path)
  local buf = find.find(path)
  local is_fresh = buf == nil
  if not buf then
    if (vim.uv.fs_stat(path) or {}).type ~= "file" then
      return nil, false
    end
    buf = load(path)
  end
  if used[buf] then
    used[buf] = vim.uv.now()
  end
  return buf, is_fresh
end

return M
