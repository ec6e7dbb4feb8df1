-- Draws the margin of a chat: the column before its lines, which is empty or has the bar beside a heading and the
-- user's words.
local M = {}

local EMPTY = "%#AcpTool# " -- the group has no ground of its own: that of the window shows, of a float, too

local barred = { row = -1, text = EMPTY } -- the line that is being drawn, if it has a bar

--- Says which bar the line has that is about to be drawn.
---@param row integer
---@param hl? string  none: it has no bar
function M.set(row, hl)
  barred.row, barred.text = row, hl and ("%%#%s#▎"):format(hl) or EMPTY
end

--- The margin of the row that Neovim draws.
---@return string
function M.text()
  return barred.row == vim.v.lnum - 1 and barred.text or EMPTY
end

--- The options of a window on a chat. With 'number' the column has its width at once; without, Neovim learns it while
--- it draws, again whenever the text has grown.
M.OPTIONS = {
  number = true,
  numberwidth = 1,
  statuscolumn = "%{%v:lua.require'acp_nvim.chat.margin'.text()%}",
  breakindentopt = "list:-1", -- see hanging_indent.lua
}

-- The options for the same column before the lines of a prompt.
M.PROMPT_OPTIONS = { number = true, numberwidth = 1, statuscolumn = EMPTY }

return M
