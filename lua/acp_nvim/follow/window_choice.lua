-- Chooses the window to pin: one that shows a file of the user's.
local api = vim.api
local M = {}

--- Whether a file that an agent touches may be shown there. A window that is kept for one buffer, for a diff or for a
--- preview is left alone.
---@param win integer
---@return boolean
function M.is_normal(win)
  local wo = vim.wo[win]
  return api.nvim_win_is_valid(win)
    and vim.bo[api.nvim_win_get_buf(win)].buftype == ""
    and api.nvim_win_get_config(win).relative == ""
    and not (wo.winfixbuf or wo.diff or wo.previewwindow)
end

--- Returns the current window, else the one that is pinned, else the previous one, else any of this tabpage.
---@param pinned? integer
---@return integer?
function M.choose(pinned)
  local candidates = { api.nvim_get_current_win(), vim.fn.win_getid(vim.fn.winnr("#")) }
  if pinned and api.nvim_win_is_valid(pinned) then
    table.insert(candidates, 2, pinned)
  end
  return vim.iter(vim.list_extend(candidates, api.nvim_tabpage_list_wins(0))):find(function(win)
    return win ~= 0 and M.is_normal(win)
  end)
end

return M
