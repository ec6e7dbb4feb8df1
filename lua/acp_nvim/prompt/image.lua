-- Recognises pictures by their first bytes, and fetches the one in the clipboard.
local limits = require("acp_nvim.limits")
local regular_file = require("acp_nvim.system.regular_file")

local M = {}

local PATIENCE_MS = 5000
local WAYS = {
  { "wl-paste", "--no-newline", "--type", "image/png" },
  { "wl-paste", "--no-newline", "--type", "image/jpeg" },
  { "xclip", "-selection", "clipboard", "-target", "image/png", "-out" },
  { "xclip", "-selection", "clipboard", "-target", "image/jpeg", "-out" },
  { "pngpaste", "-" },
}

local pasted = 0

---@param head string  the first bytes
---@return string? extension  nil: no picture that agents take
function M.kind(head)
  local is_webp = head:sub(1, 4) == "RIFF" and head:sub(9, 12) == "WEBP"
  return head:sub(1, 8) == "\137PNG\r\n\26\n" and "png"
    or head:sub(1, 3) == "\255\216\255" and "jpg"
    or (head:sub(1, 6) == "GIF87a" or head:sub(1, 6) == "GIF89a") and "gif"
    or is_webp and "webp"
    or nil
end

---@param bytes integer
---@return string
local function too_much(bytes)
  return ("%.1f MB, more than %d MB"):format(bytes / 2 ^ 20, limits.PICTURE_BYTES / 2 ^ 20)
end

--- Whether the file is a picture that can be sent.
---@param path string
---@return true? ok
---@return string? message
function M.check(path)
  local stat, name = vim.uv.fs_stat(path), vim.fs.basename(path)
  if not stat or stat.type ~= "file" then
    return nil, stat and ("%s is not a file"):format(name) or ("no such file: %s"):format(path)
  elseif stat.size > limits.PICTURE_BYTES then
    return nil, ("%s is %s"):format(name, too_much(stat.size))
  end
  local fd, problem = regular_file.reading(path)
  if not fd then
    return nil, ("%s: %s"):format(name, problem)
  end
  local head = vim.uv.fs_read(fd, 16, 0) or ""
  vim.uv.fs_close(fd)
  if not M.kind(head) then
    return nil, ("%s is not a PNG, JPEG, GIF or WebP image"):format(name)
  end
  return true
end

---@param data string
---@return string? path
---@return string? message
local function keep(data)
  pasted = pasted + 1
  local folder = vim.fn.tempname() -- of its own, so that the picture has the name by which the chat calls it
  vim.fn.mkdir(folder, "", "0700")
  local path = ("%s/clipboard-%d.%s"):format(folder, pasted, M.kind(data))
  local fd, problem = vim.uv.fs_open(path, "wx", tonumber("600", 8))
  if not fd then
    return nil, problem
  end
  vim.uv.fs_write(fd, data)
  vim.uv.fs_close(fd)
  return path
end

--- The tools that can tell the clipboard's picture and are there.
---@return string[][]
local function ways_here()
  return vim.tbl_filter(function(way)
    return vim.fn.executable(way[1]) == 1
  end, WAYS)
end

--- The first installed tool that can read a picture from the clipboard.
---@return string? tool
function M.clipboard_tool()
  local way = ways_here()[1]
  return way and way[1]
end

--- Fetches the clipboard's picture in the background.
---@param done fun(path?: string, message?: string)  a file that goes when Neovim ends
function M.from_clipboard(done)
  local ways = ways_here()
  if #ways == 0 then
    return done(nil, "install wl-clipboard, xclip or pngpaste to add an image from the clipboard")
  end
  local function try(index)
    if not ways[index] then
      return done(nil, "no picture in the clipboard")
    end
    local options = { text = false, timeout = PATIENCE_MS }
    local ok = pcall(vim.system, ways[index], options, function(result)
      vim.schedule(function()
        local data = result.stdout or ""
        if not M.kind(data:sub(1, 16)) then
          return try(index + 1)
        elseif #data > limits.PICTURE_BYTES then
          return done(nil, "the clipboard's picture is " .. too_much(#data))
        end
        done(keep(data))
      end)
    end)
    if not ok then
      try(index + 1)
    end
  end
  try(1)
end

return M
