-- Lists the windows of a tabpage, restores the sizes they had before ours came, and opens a tabpage for ours alone.
local api = vim.api
local M = {}

---@class acp.Layout
---@field windows integer[]
---@field screen string
---@field sizes string  commands

---@param win integer
---@return boolean
function M.is_float(win)
  return api.nvim_win_get_config(win).relative ~= ""
end

---@param tab? integer  default: the current one
---@return integer[]  those that do not float
function M.windows(tab)
  return vim.tbl_filter(function(win)
    return not M.is_float(win)
  end, api.nvim_tabpage_list_wins(tab or 0))
end

--- The size of the screen, to be compared.
---@return string
function M.screen()
  return ("%dx%d"):format(vim.o.columns, vim.o.lines)
end

--- Commands that give windows their sizes, but for those that float: these have the highest numbers, and once they are
--- gone such a number means the last window.
---@return string
local function sizes()
  local count = #M.windows()
  local kept = vim.tbl_filter(function(command)
    return tonumber(command:match("(%d+)resize")) <= count
  end, vim.split(vim.fn.winrestcmd(), "|", { trimempty = true }))
  return table.concat(kept, "|")
end

---@param windows? integer[]  default: all of the tabpage
---@return acp.Layout
function M.remember(windows)
  return { windows = windows or M.windows(), screen = M.screen(), sizes = sizes() }
end

--- Gives the windows back the sizes that they had, if they are still the same ones.
---@param layout acp.Layout
---@return boolean same
function M.restore(layout)
  local same = layout.screen == M.screen() and vim.deep_equal(layout.windows, M.windows())
  if same then
    vim.cmd(layout.sizes)
  end
  return same
end

--- Shows a buffer in a tabpage of its own, even if it has a window somewhere else.
---@param buf integer
function M.new_tab(buf)
  local switchbuf = vim.o.switchbuf
  vim.o.switchbuf = ""
  local ok, err = pcall(vim.cmd --[[@as fun(command: string)]], ("tab sbuffer %d"):format(buf))
  vim.o.switchbuf = switchbuf
  if not ok then
    error(err, 0)
  end
end

return M
