-- The text of a file that no buffer holds.
local limits = require("acp_nvim.limits")
local regular_file = require("acp_nvim.system.regular_file")

local M = {}

---@class acp.DiskText
---@field lines string[]
---@field final boolean   the last line has its end
---@field ff "unix"|"dos"

--- A text as lines. Only where every line ends in CRLF are those the line ends.
---@param text string  without a byte order mark
---@return acp.DiskText
function M.split(text)
  if text == "" then
    return { lines = {}, final = true, ff = "unix" }
  end
  local _, newlines = text:gsub("\n", "")
  local is_dos = newlines > 0 and select(2, text:gsub("\r\n", "")) == newlines
  local lines = vim.split(is_dos and text:gsub("\r\n", "\n") or text, "\n", { plain = true })
  local final = lines[#lines] == ""
  if final then
    lines[#lines] = nil
  end
  for i, line in ipairs(lines) do
    lines[i] = line:find("\0", 1, true) and line:gsub("\0", "\n") or line -- as Neovim has it in its lines
  end
  return { lines = lines, final = final, ff = is_dos and "dos" or "unix" }
end

--- The rows that a buffer of that 'fileformat' would show.
---@param bytes string  UTF-8
---@param ff string
---@return string[]
function M.rows(bytes, ff)
  local text = bytes:gsub("^\239\187\191", "")
  local lines = text == "" and {} or vim.split(text, ff == "mac" and "\r" or "\n", { plain = true })
  if lines[#lines] == "" then
    lines[#lines] = nil
  end
  for i, line in ipairs(lines) do
    line = ff == "dos" and line:gsub("\r$", "") or line
    lines[i] = line:find("\0", 1, true) and line:gsub("\0", "\n") or line
  end
  return lines
end

---@param path string
---@return string? bytes  nil: there is no such file
function M.bytes(path)
  local file, stat = regular_file.reading(path)
  if not file then
    return nil
  end ---@cast stat uv.fs_stat.result
  local bytes = stat.size <= limits.REVIEWED_FILE_BYTES and vim.uv.fs_read(file, stat.size, 0) or ""
  vim.uv.fs_close(file)
  return bytes
end

---@param path string
---@return acp.DiskText?  nil: there is no such file
function M.read(path)
  local bytes = M.bytes(path)
  return bytes and M.split((bytes:gsub("^\239\187\191", ""))) or nil
end

--- A new file, where there is none.
---@param path string
---@param lines string[]
---@param shape acp.FileShape
---@param mode? integer
---@return string? why  there is none now
function M.create(path, lines, shape, mode)
  local stop = shape.ff == "dos" and "\r\n" or shape.ff == "mac" and "\r" or "\n"
  local text = table.concat(
    vim.tbl_map(function(line)
      return (line:gsub("\n", "\0"))
    end, lines),
    stop
  )
  if shape.fenc and shape.fenc ~= "" and shape.fenc ~= "utf-8" then
    text = vim.iconv(text, "utf-8", shape.fenc) or text
  end
  text = (shape.bomb and "\239\187\191" or "") .. text .. ((shape.final == false or #lines == 0) and "" or stop)
  local file, why = vim.uv.fs_open(path, "wx", mode or 420) -- rw-r--r--, less the umask
  if not file then
    return why
  end
  local _, problem = vim.uv.fs_write(file, text, 0)
  if mode then
    vim.uv.fs_chmod(path, mode)
  end
  vim.uv.fs_close(file)
  return problem
end

return M
