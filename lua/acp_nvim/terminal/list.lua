-- The list of all terminals, with keys that open and stop them.
local panes = require("acp_nvim.ui.panes")
local printable = require("acp_nvim.ui.printable")
local registry = require("acp_nvim.terminal.registry")
local terminal_bar = require("acp_nvim.terminal.winbar")

local api = vim.api
local M = {}

local NAME = "acp://terminals"
local shown ---@type integer?  its buffer

---@return string[]
local function lines()
  return vim.tbl_map(function(terminal)
    return ("%3d  %-8s  %s"):format(
      terminal.number,
      registry.ending(terminal) or "running",
      printable.visible(terminal.command)
    )
  end, registry.list())
end

--- Draws the list again, where it is shown.
function M.draw()
  if shown and api.nvim_buf_is_valid(shown) then
    vim.bo[shown].modifiable = true
    api.nvim_buf_set_lines(shown, 0, -1, true, lines())
    vim.bo[shown].modifiable = false
  end
end

---@param fn fun(number: integer)
---@return fun()  which calls it with the number of the line at the cursor
local function with_chosen(fn)
  return function()
    local number = tonumber(api.nvim_get_current_line():match("^%s*(%d+)"))
    if number then
      fn(number)
    end
  end
end

---@param open fun(number: integer)
---@param stop fun(number: integer)
---@return true? ok
---@return string? message
function M.open(open, stop)
  if #registry.list() == 0 then
    return nil, "there are no terminals"
  end
  local win = panes.show(NAME, "acp_terminals", lines())
  shown = api.nvim_win_get_buf(win)
  vim.wo[win].cursorline, vim.wo[win].wrap = true, false
  vim.wo[win][0].number, vim.wo[win][0].relativenumber = false, false -- the terminals have numbers of their own
  terminal_bar.set(win, "Terminals   <CR> open" .. terminal_bar.STOP .. terminal_bar.CLOSE)
  api.nvim_win_set_height(win, api.nvim_win_get_height(win) + 1) -- the bar has taken one of its lines
  terminal_bar.map(shown, "n", "<CR>", "Open the terminal", with_chosen(open))
  terminal_bar.map(shown, "n", "<C-c>", "Stop the command", with_chosen(stop))
  return true
end

return M
