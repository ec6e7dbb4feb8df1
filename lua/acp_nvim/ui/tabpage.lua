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

--- Shows a buffer in a tabpage of its own for a while: the cursor goes back to this tabpage when that window is closed.
---@param buf integer
---@return integer win
function M.visit_tab(buf)
  local from = api.nvim_get_current_tabpage()
  M.new_tab(buf)
  local win = api.nvim_get_current_win()
  api.nvim_create_autocmd("WinClosed", {
    pattern = tostring(win),
    once = true,
    callback = function()
      if api.nvim_get_current_win() == win then
        vim.schedule(function()
          if api.nvim_tabpage_is_valid(from) then
            api.nvim_set_current_tabpage(from)
          end
        end)
      end
    end,
  })
  return win
end

--- Opens a window below all others; where Neovim has no room for one more (E36), in a tabpage of its own.
---@param buf integer
---@param height integer
---@return integer win
function M.open_below(buf, height)
  local ok, win = pcall(api.nvim_open_win, buf, true, { split = "below", win = -1, height = height })
  if ok then
    return win
  elseif not M.is_for_want_of_room(win) then
    error(win, 0)
  end
  return M.visit_tab(buf)
end

---@param err any
---@return boolean  the window failed to open because the screen has too few lines or columns
function M.is_for_want_of_room(err)
  return tostring(err):find("E36:", 1, true) ~= nil
end

--- Sets the height of a window. The only one of a tabpage keeps its height: 'cmdheight' would take what it loses.
---@param win integer
---@param height integer
function M.set_height(win, height)
  if #M.windows(api.nvim_win_get_tabpage(win)) > 1 then
    api.nvim_win_set_height(win, height)
  end
end

return M
