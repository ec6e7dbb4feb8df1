-- Makes a change one step of the user's undo tree, and takes it back if what follows fails.
local edit = require("acp_nvim.documents.edit")
local texts = require("acp_nvim.documents.text")

local api = vim.api
local M = {}

--- Ends the current undo step: the next change begins a new one, also while the user types in the buffer.
---@param buf integer
function M.break_undo(buf)
  vim.bo[buf].undolevels = vim.bo[buf].undolevels
end

--- Returns the views of all windows on the buffer.
---@param buf integer
---@return table<integer, table> views
function M.views(buf)
  local views = {}
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    views[win] = api.nvim_win_call(win, vim.fn.winsaveview)
  end
  return views
end

---@param views table<integer, table>
function M.restore_views(views)
  for win, view in pairs(views) do
    if api.nvim_win_is_valid(win) then
      api.nvim_win_call(win, function()
        vim.fn.winrestview(view)
      end)
    end
  end
end

---@param buf integer
---@return integer
function M.undo_position(buf)
  return api.nvim_buf_call(buf, vim.fn.changenr)
end

--- Whether undo steps can be taken back. With 'undolevels' 0 there is at most one, below 0 there is none.
---@param buf integer
---@return boolean
local function has_undo(buf)
  local levels = vim.bo[buf].undolevels
  levels = levels == -123456 and vim.go.undolevels or levels
  return levels > 0
end

--- Undoes everything since that position of the undo tree, and deletes it from the tree. Undo leaves an empty line in a
--- buffer without lines, which is deleted again.
---@param buf integer
---@param position integer
function M.erase_since(buf, position)
  if not has_undo(buf) or M.undo_position(buf) == position then
    return
  end
  local void = texts.is_void(buf)
  api.nvim_buf_call(buf, function()
    api.nvim_exec2(("silent noautocmd keepjumps undo! %d"):format(position), {})
    if void and not texts.is_void(buf) and vim.deep_equal(api.nvim_buf_get_lines(buf, 0, -1, true), { "" }) then
      vim.cmd("silent! undojoin")
      api.nvim_buf_set_lines(buf, 0, -1, true, {})
    end
  end)
end

---@class acp.Before
---@field position integer
---@field modified boolean
---@field format table
---@field views table<integer, table>
---@field lines? string[]  where there is no undo

--- Returns what `take_back` needs.
---@param buf integer
---@return acp.Before
function M.remember(buf)
  return {
    position = M.undo_position(buf),
    modified = vim.bo[buf].modified,
    format = edit.format(buf),
    views = M.views(buf),
    lines = not has_undo(buf) and api.nvim_buf_get_lines(buf, 0, -1, true) or nil,
  }
end

--- Puts the buffer back as it was: text, undo tree, 'modified', windows.
---@param buf integer
---@param before acp.Before
function M.take_back(buf, before)
  M.break_undo(buf)
  if before.lines then
    api.nvim_buf_set_lines(buf, 0, -1, true, before.lines)
  else
    M.erase_since(buf, before.position)
  end
  edit.restore_format(buf, before.format)
  vim.bo[buf].modified = before.modified
  M.restore_views(before.views)
end

return M
