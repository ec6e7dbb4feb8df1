-- Reads a file that no buffer holds, and creates it again after an agent has deleted it.
local limits = require("acp_nvim.limits")
local regular_file = require("acp_nvim.system.regular_file")
local text = require("acp_nvim.documents.text")

local M = {}

---@param path string
---@return acp.Text?  nil: there is no such file
function M.read(path)
  local fd, stat = regular_file.reading(path)
  if not fd then
    return nil
  end ---@cast stat uv.fs_stat.result
  local data = stat.size <= limits.REVIEWED_FILE_BYTES and vim.uv.fs_read(fd, stat.size, 0) or ""
  vim.uv.fs_close(fd)
  return text.split(data)
end

--- Makes the folders of a file again, with the modes that they had.
---@param path string
---@param folders? [string, integer][]  from the outermost on
function M.make_folders(path, folders)
  for _, folder in ipairs(folders or {}) do
    if vim.uv.fs_mkdir(folder[1], folder[2]) then
      vim.uv.fs_chmod(folder[1], folder[2]) -- less the umask, so far
    end
  end
  vim.fn.mkdir(vim.fs.dirname(path), "p")
end

--- Creates the file, unless there is one.
---@param path string
---@param lines string[]
---@param shape acp.FileShape
---@param mode? integer
---@return string? why  it was not created
function M.create(path, lines, shape, mode)
  local data = text.whole({ lines = lines, ff = shape.ff or "unix", final = shape.final ~= false, bom = false })
  if shape.fenc and shape.fenc ~= "" and shape.fenc ~= "utf-8" then
    data = vim.iconv(data, "utf-8", shape.fenc) or data
  end
  local fd, why = vim.uv.fs_open(path, "wx", mode or 420) -- rw-r--r--, less the umask
  if not fd then
    return why
  end
  local _, problem = vim.uv.fs_write(fd, (shape.bomb and "\239\187\191" or "") .. data, 0)
  if mode then
    vim.uv.fs_chmod(path, mode)
  end
  vim.uv.fs_close(fd)
  return problem
end

return M
