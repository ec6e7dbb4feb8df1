-- Reads what is at a path where no buffer holds it, and puts back what was there: a text, bytes, a mode, a link,
-- nothing.
local encoding = require("acp_nvim.documents.encoding")
local find = require("acp_nvim.documents.find")
local limits = require("acp_nvim.limits")
local regular_file = require("acp_nvim.system.regular_file")
local text = require("acp_nvim.documents.text")

local M = {}

local CHANGED = "changed since"
local BOM = "\239\187\191"

---@class acp.PathContent
---@field kind string     "nothing", "link", "text", "binary", or "file": nobody has changed what it holds
---@field target? string  of a link
---@field data? string    of a text or of bytes
---@field mode string     "644"; empty: not known
---@field ends string     of its lines, "LF" or "CRLF"; empty: as the lines are
---@field bom boolean     it begins with a byte order mark, where `ends` is known

--- The bytes of a file; none of one that is too large.
---@param path string
---@param most integer
---@return string?  nil: there is no such file
local function bytes_of(path, most)
  local fd, stat = regular_file.reading(path)
  if not fd then
    return nil
  end ---@cast stat uv.fs_stat.result
  local data = stat.size <= most and vim.uv.fs_read(fd, stat.size, 0) or ""
  vim.uv.fs_close(fd)
  return data
end

---@param path string
---@param shape? acp.FileShape  which tells its encoding
---@return acp.Text?  nil: there is no such file
function M.read(path, shape)
  local data = bytes_of(path, limits.REVIEWED_FILE_BYTES)
  return data and encoding.split(data, shape and shape.fenc)
end

--- The folders above a path that are not there, from the innermost on.
---@param path string
---@return string[]
function M.missing_folders(path)
  local list = {}
  for folder in vim.fs.parents(path) do
    if vim.uv.fs_stat(folder) then
      break
    end
    list[#list + 1] = folder
  end
  return list
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

--- Removes the folders in which there is nothing.
---@param folders? string[]  from the innermost on
function M.remove_folders(folders)
  vim.iter(folders or {}):each(vim.uv.fs_rmdir)
end

---@param path string  of a file that is not there
---@param data string
---@param mode? integer
---@return string? why  it was not written
local function write(path, data, mode)
  local fd, why = vim.uv.fs_open(path, "wx", mode or 420) -- rw-r--r--, less the umask
  if not fd then
    return why
  end
  local count, problem = vim.uv.fs_write(fd, data, 0)
  if mode then
    vim.uv.fs_fchmod(fd, mode)
  end
  vim.uv.fs_close(fd)
  if count == #data then
    return nil
  end
  vim.uv.fs_unlink(path)
  return problem or "the disk is full"
end

--- Creates a text file, unless there is one.
---@param path string
---@param lines string[]
---@param shape acp.FileShape
---@return string? why  it was not created
function M.create(path, lines, shape)
  local data = text.whole({ lines = lines, ff = shape.ff or "unix", final = shape.final ~= false, bom = false })
  if shape.fenc and shape.fenc ~= "" and shape.fenc ~= "utf-8" then
    data = vim.iconv(data, "utf-8", shape.fenc) or data
  end
  return write(path, (shape.bomb and BOM or "") .. data, shape.mode)
end

--- Whether the path has that, whatever its mode is.
---@param path string
---@param what acp.PathContent
---@return boolean
local function has(path, what)
  local stat = vim.uv.fs_lstat(path)
  if what.kind == "nothing" then
    return stat == nil
  elseif what.kind == "link" then
    return stat ~= nil and stat.type == "link" and vim.uv.fs_readlink(path) == what.target
  elseif not stat or stat.type ~= "file" then
    return false
  end
  local is_known = what.kind == "file"
  return is_known or (stat.size == #what.data and bytes_of(path, limits.WHOLE_FILE_BYTES) == what.data)
end

--- Writes a file beside the path and renames it: nobody sees half of it, and a link that has come there is replaced.
---@param path string
---@param data string
---@param mode? integer
---@return string? why  it was not done
local function write_beside(path, data, mode)
  local beside = ("%s/.%s.%d"):format(vim.fs.dirname(path), vim.fs.basename(path):sub(1, 100), vim.uv.hrtime())
  local why = write(beside, data, mode or 384) -- rw-------
  if why then
    return why
  end
  local done, problem = vim.uv.fs_rename(beside, path)
  if not done then
    vim.uv.fs_unlink(beside)
  end
  return problem
end

---@param path string
---@param what acp.PathContent
---@return string? why  it was not done
local function replace(path, what)
  if what.kind == "text" or what.kind == "binary" then
    return write_beside(path, what.data, tonumber(what.mode, 8))
  end
  local _, why, code = vim.uv.fs_unlink(path)
  if why and code ~= "ENOENT" then
    return why
  elseif what.kind == "link" then
    return select(2, vim.uv.fs_symlink(what.target, path))
  end
end

--- Gives the lines of a text other ends, and takes or sets its byte order mark: as the file holds them by now.
---@param path string
---@param now acp.PathContent
---@param wanted acp.PathContent
---@return string? why  it was not done
local function put_format(path, now, wanted)
  local stat = vim.uv.fs_lstat(path)
  if (now.ends == wanted.ends and now.bom == wanted.bom) or not stat or stat.type ~= "file" then
    return nil
  elseif stat.size > limits.REVIEWED_FILE_BYTES then
    return "too large"
  end
  local data = bytes_of(path, limits.REVIEWED_FILE_BYTES) or ""
  local found, has_ends = text.split(data), data:find("\n", 1, true) ~= nil
  local ends = has_ends and (found.ff == "dos" and "CRLF" or "LF") or nil
  if (ends or wanted.ends) == wanted.ends and found.bom == wanted.bom then
    return nil
  elseif (ends or now.ends) ~= now.ends or found.bom ~= now.bom then
    return CHANGED
  end
  local whole = text.whole(text.with(found, { ff = wanted.ends == "CRLF" and "dos" or "unix" }))
  return write_beside(path, (wanted.bom and BOM or "") .. whole, stat.mode % 4096)
end

---@param path string
---@param now string
---@param wanted string
---@return string? why  it was not done
local function put_mode(path, now, wanted)
  local stat = vim.uv.fs_lstat(path)
  local mode = stat and stat.type == "file" and ("%o"):format(stat.mode % 4096)
  if now == wanted or not mode or mode == wanted then
    return nil
  elseif mode ~= now then
    return CHANGED
  end
  return select(2, vim.uv.fs_chmod(path, tonumber(wanted, 8)))
end

--- Puts back what was at the path, if it has what it is known to have; a link on the way is not followed.
---@param path string
---@param now acp.PathContent
---@param wanted acp.PathContent
---@return string? why  it was not done
function M.put(path, now, wanted)
  local folder = vim.fs.dirname(path)
  if find.resolve(folder) ~= folder then
    return "its folder leads elsewhere now"
  end
  local is_same = now.kind == wanted.kind and now.target == wanted.target and now.data == wanted.data
  if not is_same and not has(path, wanted) then
    local why = has(path, now) and replace(path, wanted) or nil
    if why or not has(path, wanted) then
      local stat = not why and vim.uv.fs_lstat(path)
      return why or (stat and stat.type == "directory" and "a folder now" or CHANGED)
    end
  end
  return put_format(path, now, wanted) or put_mode(path, now.mode, wanted.mode)
end

return M
