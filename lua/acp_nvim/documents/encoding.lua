-- Decodes the bytes of a file to the text of its buffer, as Neovim would. Only what can be written back byte for byte
-- is read.
local text = require("acp_nvim.documents.text")

local R = vim.lpeg.R
local M = {}

local BOMS = { -- the longer ones first
  { "\239\187\191", "utf-8" },
  { "\255\254\0\0", "ucs-4le" },
  { "\0\0\254\255", "ucs-4" },
  { "\255\254", "utf-16le" },
  { "\254\255", "utf-16" },
}
-- iconv takes these for the machine's own byte order
local SWAPPED = { ["utf-16"] = "utf-16le", ["ucs-2"] = "ucs-2le" }
-- UTF-8 as Neovim takes it: surrogates and overlong sequences pass, as they are written back byte for byte.
local following = R("\128\191")
local two = R("\194\223") * following
local three = R("\224\239") * following * following
local four = R("\240\244") * following * following * following
local utf8 = (R("\0\127") ^ 1 + two + three + four) ^ 0 * -1

---@param data string
---@return string
local function swap(data)
  return (data:gsub("(.)(.)", "%2%1"))
end

---@param data string
---@param encoding string  as 'fileencoding' has it
---@return string? whole   nil: it is not in that encoding
local function decode(data, encoding)
  if encoding == "" or encoding == "utf-8" then
    return utf8:match(data) and data or nil
  end
  local name = SWAPPED[encoding] or encoding
  local bytes = SWAPPED[encoding] and swap(data) or data
  local whole = vim.iconv(bytes, name, "utf-8")
  return whole and vim.iconv(whole, "utf-8", name) == bytes and whole or nil
end

---@param data string
---@return string? encoding
---@return string? mark
local function marked(data)
  for _, bom in ipairs(BOMS) do
    if data:sub(1, #bom[1]) == bom[1] then
      return bom[2], bom[1]
    end
  end
end

--- Finds the encoding of bytes that another program has written. If several fit it is the first in 'fileencodings', as
--- when the file is opened.
---@param buf integer
---@param data string
---@return string
local function fitting(buf, data)
  local own = vim.bo[buf].fileencoding
  if own == "" or own == "utf-8" or not data:find("[\128-\255]") then
    return own
  end
  for _, name in ipairs(vim.split(vim.o.fileencodings, ",")) do
    if name == own then
      break
    end
    local found = name == "ucs-bom" and marked(data) or (name ~= "ucs-bom" and decode(data, name) and name)
    if found then
      return found
    end
  end
  return own
end

--- Whether lines of the buffer end with a visible ^M: the user has read a CRLF file as a Unix one.
---@param buf integer
---@return boolean
local function shows_carriage_returns(buf)
  return vim.iter(vim.api.nvim_buf_get_lines(buf, 0, -1, true)):any(function(line)
    return line:sub(-1) == "\r"
  end)
end

--- Finds the line ends of the text. A 'fileformat' that the user has chosen stays.
---@param buf integer
---@param whole string
---@return "unix"|"dos"|"mac"
local function format(buf, whole)
  local ff = vim.bo[buf].fileformat
  if ff == "mac" or not whole:find("\n", 1, true) then
    return ff
  elseif ff == "unix" and whole:find("\r", 1, true) and shows_carriage_returns(buf) then
    return ff
  end
  return text.format_of(whole)
end

--- Returns the text of a file that no buffer holds.
---@param data string
---@param encoding? string  as 'fileencoding' has it; what is not in it is taken as it is
---@return acp.Text
function M.split(data, encoding)
  local _, mark = marked(data)
  local body = mark and data:sub(#mark + 1) or data
  local whole = data:find("[\128-\255]") and decode(body, encoding or "utf-8") or nil
  if not whole then
    return text.split(data)
  end
  local read = text.split(whole, nil, true)
  read.binary, read.bom = nil, mark ~= nil
  return read
end

--- Returns the text that the buffer would hold if it read these bytes.
---@param buf integer
---@param data string
---@param ff? "unix"|"dos"|"mac"  nil: as the bytes have them, unless the user has chosen others
---@return acp.Text?  nil: it is no text in the buffer's encoding
---@return string? fenc
function M.text(buf, data, ff)
  if vim.bo[buf].binary then
    return text.split(data, "unix", true), vim.bo[buf].fileencoding
  end
  local fenc = fitting(buf, data)
  local found, mark = marked(data)
  local is_marked = found ~= nil and (found == fenc or (found == "utf-8" and fenc == ""))
  local whole = decode(is_marked and data:sub(#mark + 1) or data, fenc)
  if not whole then
    return nil
  end
  local read = text.split(whole, ff or format(buf, whole), true)
  read.binary = nil
  read.bom = is_marked
  return read, fenc
end

return M
