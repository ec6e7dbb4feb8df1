-- Says where the wrapped rows of a line of the chat begin: below the text of a list, of a call or a run of calls, of a
-- plan, of a turn's changes, of an option, of what a call has put out, or of a line of its diff. The value of
-- 'formatlistpat'.
--
--   2 Yes, and allow all edits       13 -     return total(orders, tax,
--     during this session                         discount)
local M = {}

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

local BEGINNING = table.concat({ [[[-*+>] ]], [[\d\+[.)] ]], OPTION, CALL, PLAN, CHANGES, RUN }, [[\|]])

-- Neovim 0.10 takes the bytes of the match for cells: an edge has two more, so two blanks before it are left out.
M.PATTERN = vim.fn.has("nvim-0.11") == 1 and ([[^\s*\%%(%s\|%s\)]]):format(EDGE, BEGINNING)
  or ([[^\%%(\s\s\zs\s*%s\|\s*\%%(%s\)\)]]):format(EDGE, BEGINNING)

return M
