-- Animates all spinners together: they show the same frame.
local M = {}

local FRAMES = { "⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏" }
local at = 0

---@return string
function M.frame()
  return FRAMES[at % #FRAMES + 1]
end

function M.turn()
  at = at + 1
end

return M
