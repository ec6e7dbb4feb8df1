-- Tells whether a plugin has put a function of its own in the place of one of Neovim's.
local M = {}

---@param fn function  such as `vim.notify`, as it is now
---@return boolean
function M.of(fn)
  local source = debug.getinfo(fn, "S").source
  return source ~= "?" and not source:match("^@vim/") and not source:match("/lua/vim/ui%.lua$")
end

return M
