-- Draws the margin of a chat: the column before its lines, which is empty or has the bar beside a heading and the
-- user's words, and where wrapped rows begin.
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

--- The options of a window on a chat. With 'number' the column has its width at once; without, Neovim learns it while it
--- draws, again whenever the text has grown.
M.OPTIONS = {
  number = true,
  numberwidth = 1,
  statuscolumn = "%{%v:lua.require'acp_nvim.chat.margin'.text()%}",
  breakindentopt = "list:-1", -- as far to the right as LIST matches
}

-- The options for the same column before the lines of a prompt.
M.PROMPT_OPTIONS = { number = true, numberwidth = 1, statuscolumn = EMPTY }

-- The words with which the line of a call begins are as wide as eight cells, its icon takes two more.
local KINDS = "ask|agent|delete|edit|execute|fetch|mode|move|read|search|think|tool"
local CALL = ([[\%%(%s\) \+\%%9c..]]):format((KINDS:gsub("|", [[\|]])))
local PLAN = [[plan \d\+\/\d\+  ..]] -- likewise
local CHANGES = [[..\%(.\{-} [+−]\d\+\%( −\d\+\)\? · \)\@=]] -- as wide as the ± before the line
local DEED = [[\%(read\|searched\|fetched\|ran\) [0-9,]\+\%(×\| \a\+\)]]
local RUN = ([[\%%(%s\%%( ·\|$\)\)\@=....]]):format(DEED) -- as wide as the ▸ ✓ before the line

local OPTION = [[\%5c\d\+ ]] -- of a question

-- Behind the edge of what a call has put out: the number and the sign of a diff's line, or the sign alone.
local EDGE = [[│ \%( *\d\+ [-+ ] \|[-+ ] \)\=]]

-- Wrapped rows stand below the text of a list, of a call or a run of calls, of a plan, of a turn's changes, of an option,
-- of what a call has put out, or of a line of its diff.
local BEGINNING = table.concat({ [[[-*+>] ]], [[\d\+[.)] ]], OPTION, CALL, PLAN, CHANGES, RUN }, [[\|]])

-- Neovim 0.10 takes the bytes of the match for cells: an edge has two more, so two blanks before it are left out.
M.LIST = vim.fn.has("nvim-0.11") == 1 and ([[^\s*\%%(%s\|%s\)]]):format(EDGE, BEGINNING)
  or ([[^\%%(\s\s\zs\s*%s\|\s*\%%(%s\)\)]]):format(EDGE, BEGINNING)

return M
