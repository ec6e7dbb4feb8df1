-- Splits a text into lines, and joins them to the same string again: line ends, the last newline, the byte order mark.
--
--   "a\r\nb\r\n"   { lines = { "a", "b" }, ff = "dos", final = true }      every line ends in CRLF
--   "a\r\nb\n"     { lines = { "a\r", "b" }, ff = "unix", final = true }   mixed: a CR is part of its line
--   "a"            { lines = { "a" }, ff = "unix", final = false }
--   ""             { lines = {}, ff = "unix", final = true }
--
-- Invariant: `whole(split(text))` is `text`, but for the mark.
local regular_file = require("acp_nvim.system.regular_file")

local api = vim.api
local M = {}

local ENDS = { unix = "\n", dos = "\r\n", mac = "\r" }
local BOM = "\239\187\191"

---@class acp.Text
---@field lines string[]              without their ends; none: there is no text at all
---@field ff "unix"|"dos"|"mac"
---@field final boolean               the last line has its end
---@field bom boolean
---@field binary? boolean             a byte order mark is a part of the first line

---@param text string
---@return string[] lines
---@return boolean final
local function lines_of(text)
  local lines, count, at = {}, 0, 1
  while true do
    local stop = text:find("\n", at, true)
    if not stop then
      break
    end
    count = count + 1
    lines[count] = text:sub(at, stop - 1)
    at = stop + 1
  end
  if at <= #text then
    lines[count + 1] = text:sub(at)
    return lines, false
  end
  return lines, true
end

--- Finds the line ends of a text.
---@param text string
---@return "unix"|"dos"
function M.format_of(text)
  if not text:find("\r", 1, true) then
    return "unix"
  end
  local _, newlines = text:gsub("\n", "")
  local _, pairs_ = text:gsub("\r\n", "")
  return newlines > 0 and pairs_ == newlines and "dos" or "unix"
end

--- Splits a text for a file of that format. In a CRLF or CR file, LF ends a line as well.
---@param text string
---@param ff? "unix"|"dos"|"mac"  of the file; nil: as the text has them
---@param binary? boolean
---@return acp.Text
function M.split(text, ff, binary)
  local bom = not binary and text:sub(1, #BOM) == BOM
  local body = bom and text:sub(#BOM + 1) or text
  ff = ff or M.format_of(body)
  if ff ~= "unix" and body:find("\r", 1, true) then
    body = body:gsub("\r\n", "\n")
    body = ff == "mac" and body:gsub("\r", "\n") or body
  end
  local lines, final = lines_of(body)
  return { lines = lines, ff = ff, final = final, bom = bom, binary = binary }
end

--- Joins a text as an agent sees it: with its own line ends, without the mark.
---@param text acp.Text
---@return string
function M.whole(text)
  local stop = ENDS[text.ff]
  return table.concat(text.lines, stop) .. (text.final and #text.lines > 0 and stop or "")
end

---@param text acp.Text
---@param changes table
---@return acp.Text  the same but for these
function M.with(text, changes)
  return vim.tbl_extend("force", text, changes)
end

--- Whether two texts have the same lines, line ends and mark. `vim.deep_equal` would take 0.25 s for 100,000 lines.
---@param one acp.Text
---@param other acp.Text
---@return boolean
function M.same(one, other)
  return one.final == other.final
    and one.ff == other.ff
    and one.bom == other.bom
    and M.same_lines(one.lines, other.lines)
end

---@param some string[]
---@param others string[]
---@return boolean
function M.same_lines(some, others)
  if #some ~= #others then
    return false
  end
  for i = 1, #some do
    if some[i] ~= others[i] then
      return false
    end
  end
  return true
end

--- Returns the rows of a buffer that holds these lines. A buffer without lines shows one empty row.
---@param lines string[]
---@return string[]
function M.rows(lines)
  return #lines > 0 and lines or { "" }
end

--- Whether the buffer has no text at all. Such a buffer is saved as an empty file, one with an empty line is not.
---@param buf integer
---@return boolean
function M.is_void(buf)
  return api.nvim_buf_line_count(buf) == 1
    and api.nvim_buf_get_lines(buf, 0, 1, true)[1] == ""
    and api.nvim_buf_call(buf, vim.fn.wordcount).bytes == 0 -- line2byte() knows it only of buffers that never had lines
end

--- Whether the file ends with a line end, or is empty: then no line of it lacks one.
---@param path string
---@param ff "unix"|"dos"|"mac"
---@return boolean
local function ends_line(path, ff)
  local file, stat = regular_file.reading(path)
  if not file then
    return false
  end
  local last = stat.size == 0 and "\n" or vim.uv.fs_read(file, 1, stat.size - 1)
  vim.uv.fs_close(file)
  return last == "\n" or ff == "mac" and last == "\r"
end

--- Whether the text ends with a line end. 'endofline' stays off when 'fixendofline' has put one into the file.
---@param buf integer
---@return boolean
function M.is_final(buf)
  local bo = vim.bo[buf]
  local fixed = not bo.endofline
    and bo.fixendofline
    and not bo.binary
    and ends_line(api.nvim_buf_get_name(buf), bo.fileformat)
  return bo.endofline or fixed
end

--- Reads the text of a buffer.
---@param buf integer
---@return acp.Text
function M.of_buffer(buf)
  local bo, void = vim.bo[buf], M.is_void(buf)
  return {
    lines = void and {} or api.nvim_buf_get_lines(buf, 0, -1, true),
    ff = bo.binary and "unix" or bo.fileformat,
    final = void or M.is_final(buf),
    bom = bo.bomb and not bo.binary,
    binary = bo.binary or nil,
  }
end

return M
