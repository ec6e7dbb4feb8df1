-- Tells whether a plugin has put a function of its own in the place of one of Neovim's.
local M = {}

--- Whether the function comes from another file than Neovim's own. Those are built in ("@vim/…", or "?", as bytecode
--- without debug information has it) or in the runtime.
---@param fn function  such as `vim.notify`, as it is now
---@return boolean
function M.of(fn)
  local source = debug.getinfo(fn, "S").source
  return source ~= "?" and not source:match("^@vim/") and not source:match("/lua/vim/ui%.lua$")
end

return M
