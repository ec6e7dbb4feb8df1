-- Removes the sockets of a dead backend: those in our folder where nobody listens any more.
-- acp_nvim/editor_tools/sockets.py does the same for those of a dead Neovim.
local uv = vim.uv
local M = {}

--- The folder for sockets: the backend makes its own below it.
---@return string
function M.folder()
  return vim.fn.stdpath("run") --[[@as string]]
end

--- Looks at each socket, without waiting.
function M.remove()
  local folder = M.folder() .. "/acp_nvim"
  for name, kind in vim.fs.dir(folder) do
    local pipe = kind == "socket" and uv.new_pipe()
    if pipe then
      local path = folder .. "/" .. name
      pipe:connect(path, function(err)
        pipe:close()
        if err and err:find("^ECONNREFUSED") then
          uv.fs_unlink(path)
        end
      end)
    end
  end
end

return M
