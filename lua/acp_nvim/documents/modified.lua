-- Tells the backend which files have unsaved changes in a buffer: while Neovim does not answer, it reads the others
-- from the disk. It also tells which files are read, for they are watched from then on, which of them the user looks at
-- that have changed on disk, and what the user has saved, through whatever buffer: that is no agent's change.
local changes = require("acp_nvim.documents.changes")
local find = require("acp_nvim.documents.find")
local origin = require("acp_nvim.documents.origin")

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

--- Tells that the user has written a file, which may be another one than that of the buffer.
---@param event { buf: integer, match: string }
---@param notify fun(verb: string, payload: table)
local function tell_save(event, notify)
  local path = find.resolve(event.match)
  local is_own = find.is_file(event.buf) and path == find.resolve(api.nvim_buf_get_name(event.buf))
  -- the event comes after a write that failed, too, and another autocommand may have written the file again
  local is_other = is_own and (vim.bo[event.buf].modified or origin.is_ahead(event.buf))
  local stamp = not is_other and not changes.under_way(event.buf) and origin.stamp_at(path)
  if stamp then
    notify("saved", { path = path, stamp = stamp })
  end
end

--- Notifies of the files that are modified now, and from then on whenever one becomes modified or unmodified, is read
--- or is saved, and of those that the user looks at while they are something else on the disk.
---@param send fun(verb: "modified"|"opened"|"entered"|"saved", payload: table)
function M.watch(send)
  M.unwatch()
  local function notify(payload)
    send("modified", payload)
  end
  group = api.nvim_create_augroup("acp_nvim.documents.modified", {})
  -- BufModifiedSet speaks of the current buffer alone: the others are looked at when they are written or entered
  api.nvim_create_autocmd({ "BufModifiedSet", "BufWritePost", "BufEnter", "BufHidden", "BufFilePost" }, {
    group = group,
    callback = function(event)
      tell(event.buf, notify)
    end,
  })
  api.nvim_create_autocmd({ "BufWritePost", "FileWritePost", "FileAppendPost" }, {
    group = group,
    callback = function(event)
      tell_save(event, send)
    end,
  })
  api.nvim_create_autocmd("BufReadPost", {
    group = group,
    callback = function(event)
      if find.is_file(event.buf) and not changes.under_way(event.buf) then
        send("opened", { path = find.resolve(api.nvim_buf_get_name(event.buf)) })
      end
    end,
  })
  api.nvim_create_autocmd({ "BufEnter", "FocusGained" }, {
    group = group,
    callback = function()
      for _, win in ipairs(api.nvim_tabpage_list_wins(0)) do
        local buf = api.nvim_win_get_buf(win)
        if find.is_file(buf) and origin.is_outdated(buf) then
          send("entered", { path = find.resolve(api.nvim_buf_get_name(buf)) })
        end
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
