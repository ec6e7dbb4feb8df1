-- Opens a file in a window of the user's.
local messages = require("acp_nvim.ui.messages")
local session_windows = require("acp_nvim.windows.session_windows")

local api = vim.api
local M = {}

--- Opens the file in the window, or by default in the one that the user works in, and goes there.
---@param path string
---@param line? integer
---@param win? integer
function M.open(path, line, win)
  local buf = vim.fn.bufadd(vim.fn.fnamemodify(path, ":.")) -- shown by the name that `:edit` would give it
  win = win and not vim.wo[win].winfixbuf and win or session_windows.window_for_file(buf)
  vim.bo[buf].buflisted = true
  api.nvim_set_current_win(win)
  vim.cmd("normal! m'")
  local ok, problem = pcall(api.nvim_win_set_buf, win, buf)
  if not ok and vim.bo[api.nvim_win_get_buf(win)].modified then -- with 'nohidden' it cannot be left
    ok, win = pcall(api.nvim_open_win, buf, true, { split = "above", win = win })
    problem = win
  end
  if not ok then
    return messages.show("error", tostring(problem))
  end
  if line then
    api.nvim_win_set_cursor(win, { math.max(1, math.min(line, api.nvim_buf_line_count(buf))), 0 })
    vim.cmd("normal! zvzz")
  end
end

return M
