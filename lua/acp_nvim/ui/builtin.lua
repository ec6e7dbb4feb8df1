-- Tells whether a function of Neovim's is still its own, or has been replaced by a plugin.
local M = {}

--- Is it Neovim's own function, and not one that a plugin has put in its place?
---@param fn function
---@return boolean
function M.is(fn)
  local source = debug.getinfo(fn, "S").source
  return source == "?" or source:match("^@vim/") ~= nil or source:match("/lua/vim/ui%.lua$") ~= nil
end

return M
