-- Checks the folders that the Lua API is given.
local M = {}

--- The absolute path of a folder that is there.
---@param folder any
---@return string? path  absolute
---@return string? message
function M.path(folder)
  if type(folder) ~= "string" then
    return nil, "a folder must be a string"
  end
  local path = vim.fn.fnamemodify(vim.fs.normalize(folder), ":p")
  if vim.fn.isdirectory(path) == 0 then
    return nil, ("no such folder: %s"):format(folder)
  end
  return #path > 1 and (path:gsub("/+$", "")) or path
end

return M
