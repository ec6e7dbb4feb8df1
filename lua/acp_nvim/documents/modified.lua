-- Tells the backend which files have unsaved changes in a buffer: while Neovim does not answer, it reads the others
-- from the disk. What the user has saved is no agent's change.
local changes = require("acp_nvim.documents.changes")
local find = require("acp_nvim.documents.find")

local api = vim.api
local M = {}

local told = {} ---@type table<integer, string> buffers told to be modified -> their resolved path
local group ---@type integer?

---@class acp.Modified
---@field path string       resolved
---@field modified boolean

---@param buf integer
---@param notify fun(payload: acp.Modified)
local function tell(buf, notify)
  local path = find.is_file(buf) and vim.bo[buf].modified and find.resolve(api.nvim_buf_get_name(buf)) or nil
  local before = told[buf]
  if path == before then
    return
  end
  told[buf] = path
  if before and not vim.list_contains(vim.tbl_values(told), before) then
    notify({ path = before, modified = false })
  end
  if path then
    notify({ path = path, modified = true })
  end
end

--- Tells of a save of a buffer that had no unsaved changes: an agent may have deleted or changed its file.
---@param event { buf: integer, match: string }
---@param notify fun(payload: acp.Modified)
local function tell_save(event, notify)
  local path = find.resolve(event.match)
  local is_modified = vim.list_contains(vim.tbl_values(told), path)
  if find.is_file(event.buf) and not is_modified and not changes.under_way(event.buf) then
    notify({ path = path, modified = false })
  end
end

--- Notifies of the files that are modified now, and from then on whenever one becomes modified or unmodified, or is
--- saved.
---@param notify fun(payload: acp.Modified)
function M.watch(notify)
  M.unwatch()
  group = api.nvim_create_augroup("acp_nvim.documents.modified", {})
  -- BufModifiedSet speaks of the current buffer alone: the others are looked at when they are written or entered
  api.nvim_create_autocmd({ "BufModifiedSet", "BufWritePost", "BufEnter", "BufHidden", "BufFilePost" }, {
    group = group,
    callback = function(event)
      local was_told = told[event.buf]
      tell(event.buf, notify)
      if event.event == "BufWritePost" and not was_told then
        tell_save(event, notify)
      end
    end,
  })
  api.nvim_create_autocmd("BufUnload", {
    group = group,
    callback = function(event)
      local path = told[event.buf]
      told[event.buf] = nil
      if path then
        notify({ path = path, modified = false })
      end
    end,
  })
  for _, buf in ipairs(api.nvim_list_bufs()) do
    tell(buf, notify)
  end
end

function M.unwatch()
  if group then
    api.nvim_del_augroup_by_id(group)
  end
  group, told = nil, {}
end

return M
