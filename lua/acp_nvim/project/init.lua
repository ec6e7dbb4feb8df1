-- Finds the project that a file or a folder belongs to: the top of its git work tree, else the folder of the current
-- session.
local session_store = require("acp_nvim.backend.session_store")

local uv = vim.uv
local M = {}

--- Returns the project of a folder: the top of its git work tree, or the folder itself, without symlinks.
---@param folder string
---@return string root
function M.of_folder(folder)
  local top = vim.fs.root(folder, ".git") or folder
  return uv.fs_realpath(top) or top
end

--- Returns the project of a file. Outside any git work tree that is the project of the current session, or without one
--- that of Neovim's folder.
---@param path string  resolved
---@return string root
function M.of_file(path)
  local top = vim.fs.root(path, ".git")
  if top then
    return uv.fs_realpath(top) or top
  end
  local n = session_store.current()
  return M.of_folder(n and session_store.session(n).origin.cwd or vim.fn.getcwd())
end

--- Returns the project of the current session, else that of Neovim's folder.
---@return string root
function M.here()
  local n = session_store.current()
  return M.of_folder(n and session_store.session(n).origin.cwd or vim.fn.getcwd())
end

--- Returns the projects of a session: that of its folder, and those of its further folders. It may have ended.
---@param n integer
---@return table<string, true> roots
function M.of_session(n)
  local session, roots = session_store.session(n), {}
  for _, folder in ipairs(session and { session.origin.cwd, unpack(session.origin.roots) } or {}) do
    roots[M.of_folder(folder)] = true
  end
  return roots
end

return M
