-- Tells which files are open, and what the user has selected.
local find = require("acp_nvim.documents.find")
local hidden_files = require("acp_nvim.editor_tools.hidden_files")

local api = vim.api
local M = {}

---@param buf integer
---@return boolean
local function is_open(buf)
  return find.is_file(buf) and not hidden_files.is_ours(buf)
end

--- Returns the window of the user's file: the current one, else the one before it, else any of the tabpage.
---@return integer? win
local function window()
  local before = vim.fn.win_getid(vim.fn.winnr("#"))
  for _, win in ipairs({ api.nvim_get_current_win(), before, unpack(api.nvim_tabpage_list_wins(0)) }) do
    if api.nvim_win_is_valid(win) and is_open(api.nvim_win_get_buf(win)) then
      return win
    end
  end
end

--- Lists the open files.
---@param _ table
---@param done acp.editor_tools.Done
function M.list(_, done)
  local files, current = {}, window()
  for _, buf in ipairs(api.nvim_list_bufs()) do
    if is_open(buf) then
      local win = vim.fn.bufwinid(buf)
      files[#files + 1] = {
        path = api.nvim_buf_get_name(buf),
        modified = vim.bo[buf].modified,
        shown = win ~= -1,
        current = current ~= nil and api.nvim_win_get_buf(current) == buf,
        line = win ~= -1 and api.nvim_win_get_cursor(win)[1] or nil,
      }
    end
  end
  done({ files = files })
end

--- Tells what is selected just now, else where the cursor is.
---@param _ table
---@param done acp.editor_tools.Done
function M.selection(_, done)
  local win = window()
  if not win then
    return done({})
  end
  local buf, mode = api.nvim_win_get_buf(win), vim.fn.mode()
  local answer = {
    path = api.nvim_buf_get_name(buf),
    modified = vim.bo[buf].modified,
    line = api.nvim_win_get_cursor(win)[1],
  }
  if win == api.nvim_get_current_win() and mode:find("^[vV\22]") then
    local from, to = vim.fn.getpos("v"), vim.fn.getpos(".")
    answer.first, answer.last = math.min(from[2], to[2]), math.max(from[2], to[2])
    answer.lines = vim.fn.getregion(from, to, { type = mode })
  end
  done(answer)
end

return M
