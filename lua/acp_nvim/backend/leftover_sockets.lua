-- Removes the sockets of a dead backend: those in our folder where nobody listens any more.
-- acp_nvim/editor_tools/sockets.py does the same for those of a dead Neovim.
local uv = vim.uv
local M = {}

--- The folder for sockets: the backend makes its own below it.
---@return string
function M.folder()
  return vim.fn.stdpath("run") --[[@as string]]
end

---@param path string
local function remove_if_dead(path)
  local pipe = assert(uv.new_pipe())
  pipe:connect(path, function(err)
    pipe:close()
    if err and err:find("^ECONNREFUSED") then
      uv.fs_unlink(path)
    end
  end)
end

--- Looks at each socket, without waiting.
function M.remove()
  local temporary = ("%s/acp_nvim-%d"):format(uv.os_tmpdir(), uv.getuid())
  for _, folder in ipairs({ M.folder() .. "/acp_nvim", temporary }) do
    for name, kind in vim.fs.dir(folder) do
      if kind == "socket" then
        remove_if_dead(folder .. "/" .. name)
      end
    end
  end
end

return M
