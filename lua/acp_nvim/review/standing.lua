-- What stands at a path, where lines do not tell it: nothing, a file with its bytes, its mode and the format of its lines,
-- or a link. It is a text of its own with a stack of its own, so that keep, undo and the undo of a turn are the same as
-- for lines:
--
--   binary 12000 #1       what stands there; #1 are the bytes
--                         a line that is always the same, so that the others never become one hunk
--   644                   its mode
--                         the same
--   CRLF BOM              of a text whose lines have stayed while this changed: its line ends, its byte order mark
--
-- A hunk of it is shown without lines and with a note: "binary, 12 → 9 KB", "mode 644 → 600", "line ends LF → CRLF".
local find = require("acp_nvim.documents.find")
local limits = require("acp_nvim.limits")
local printable = require("acp_nvim.ui.printable")
local regular_file = require("acp_nvim.system.regular_file")
local text = require("acp_nvim.documents.text")

local M = {}

M.NOTHING = "nothing"
local FILE = "file" -- nobody has changed what it holds
local MODE, FORMAT = 3, 5
local BOM = "\239\187\191"

local held = 0 -- bytes of all files that can be put back
local last_number = 0

---@class acp.Standings  what the lines of one file stand for
---@field data table<string, string>  by line: what the file holds

---@param standings acp.Standings
---@param kind string
---@param data string
---@return string? line  nil: there is no room
local function line_of_data(standings, kind, data)
  for line, known in pairs(standings.data) do
    if known == data then
      return line
    end
  end
  if held + #data > limits.WHOLE_BYTES then
    return nil
  end
  held, last_number = held + #data, last_number + 1
  local line = ("%s %d #%d"):format(kind, #data, last_number)
  standings.data[line] = data
  return line
end

--- The file has left the review.
---@param standings acp.Standings
function M.forget(standings)
  for line, data in pairs(standings.data) do
    held, standings.data[line] = held - #data, nil
  end
end

---@param standings acp.Standings
---@param what acp.message.Standing
---@return string[]? lines  nil: there is no room
function M.lines(standings, what)
  local line = what.kind ---@type string?
  if what.kind == "link" then
    line = "link " .. what.target
  elseif what.data then
    line = line_of_data(standings, what.kind, what.data)
  end
  return line and { line, "", what.mode and ("%o"):format(what.mode) or "", "", what.format or "" }
end

--- Whether line ends and byte order mark are known here: then they do not come back with lines.
---@param lines string[]
---@return boolean
function M.has_format(lines)
  return lines[FORMAT] ~= ""
end

--- Completes what a change tells of the format. One that has changed together with lines comes back with these, unless it
--- has changed alone before; if it does so later, that is a change of what was there before both.
---
---   an agent writes   b\r\n over a\n    hunk a | b, with which the format comes back
---   and then          b\n               the hunk alone: the format is again as it was
---@param here? string[]       what was known so far
---@param before string[]      is altered, and so is
---@param after string[]
---@param has_lines boolean    lines have changed, too
---@param shape? acp.FileShape as it was before the lines that wait
function M.complete_format(here, before, after, has_lines, shape)
  local known = here and here[FORMAT] or ""
  if before[FORMAT] == "" or (has_lines and known == "") then
    before[FORMAT], after[FORMAT] = known, known
  elseif known == "" and shape and shape.ff then
    before[FORMAT] = (shape.ff == "dos" and "CRLF" or "LF") .. (shape.bomb and " BOM" or "")
  end
end

---@param format string
---@return string ends
---@return boolean bom
local function parts_of_format(format)
  local ends, bom = format:match("^(%u*)(.*)$")
  return ends, bom ~= ""
end

-- Notes -----------------------------------------------------------------------------------------------------------------

---@param line string
---@return string kind
---@return string rest  of a link its target, of a file its size
local function parts(line)
  local kind, rest = line:match("^(%S+) ?(.*)$")
  return kind, (kind == "text" or kind == "binary") and rest:match("^%d+") or rest
end

---@param bytes integer
---@param unit? string
---@return string size
---@return string unit
local function sized(bytes, unit)
  unit = unit or (bytes < 1024 and "bytes" or "KB")
  return tostring(unit == "KB" and math.floor(bytes / 1024 + 0.5) or bytes), unit
end

---@param line string
---@return string  "binary, 12 KB", "link to a.txt", "empty"
local function named(line)
  local kind, rest = parts(line)
  if kind == "link" then
    return "link to " .. rest
  elseif kind == "binary" then
    return ("binary, %s %s"):format(sized(tonumber(rest)))
  end
  return rest == "0" and "empty" or kind
end

---@param before string
---@param after string
---@return string  "line ends LF → CRLF, BOM added"
local function note_of_format(before, after)
  local had_ends, had_bom = parts_of_format(before)
  local ends, bom = parts_of_format(after)
  local notes = {}
  notes[1] = had_ends ~= ends and ("line ends %s → %s"):format(had_ends, ends) or nil
  notes[#notes + 1] = had_bom ~= bom and (bom and "BOM added" or "BOM removed") or nil
  return table.concat(notes, ", ")
end

---@param before string
---@param after string
---@return string
local function note(before, after)
  if before:match("^%d+$") then
    return ("mode %s → %s"):format(before, after)
  elseif before:match("^C?R?LF") then
    return note_of_format(before, after)
  end
  local kind, was = parts(before)
  local now_kind, now = parts(after)
  if kind == "binary" and now_kind == "binary" then
    local _, unit = sized(math.max(tonumber(was), tonumber(now)))
    return ("binary, %s → %s %s"):format(sized(tonumber(was), unit), (sized(tonumber(now), unit)), unit)
  elseif kind == "link" and now_kind == "link" then
    return ("link %s → %s"):format(was, now)
  elseif before == M.NOTHING then
    return "new, " .. named(after)
  elseif after == M.NOTHING then
    return "deleted, " .. named(before)
  end
  return ("%s → %s"):format(named(before), named(after))
end

--- What a hunk has changed. A link may lead to any name.
---@param old string[]
---@param new string[]
---@return string
function M.note(old, new)
  return printable.cut(printable.visible(note(old[1], new[1])), limits.QUICKFIX_LINE_CELLS)
end

-- The disk --------------------------------------------------------------------------------------------------------------

---@param path string
---@param most integer
---@return string? data
local function read(path, most)
  local fd, stat = regular_file.reading(path)
  if not fd then
    return nil
  end ---@cast stat uv.fs_stat.result
  local data = stat.size <= most and vim.uv.fs_read(fd, stat.size, 0) or nil
  vim.uv.fs_close(fd)
  return data
end

--- Whether the path has what the line says.
---@param standings acp.Standings
---@param path string
---@param line string
---@return boolean
local function stands(standings, path, line)
  local stat, kind = vim.uv.fs_lstat(path), parts(line)
  if kind == M.NOTHING then
    return stat == nil
  elseif kind == "link" then
    return stat ~= nil and stat.type == "link" and "link " .. vim.uv.fs_readlink(path) == line
  elseif not stat or stat.type ~= "file" then
    return false
  end
  return kind == FILE
    or (stat.size == #standings.data[line] and read(path, limits.WHOLE_FILE_BYTES) == standings.data[line])
end

---@param path string
---@return string?  its mode
local function mode_of(path)
  local stat = vim.uv.fs_lstat(path)
  return stat and stat.type == "file" and ("%o"):format(stat.mode % 4096) or nil
end

--- Writes a file beside the path and renames it: nobody sees half of it, and a link that has come there is replaced.
---@param path string
---@param data string
---@param mode string
---@return string? why  it was not done
local function write(path, data, mode)
  local beside = ("%s/.%s.%d"):format(vim.fs.dirname(path), vim.fs.basename(path):sub(1, 100), vim.uv.hrtime())
  local fd, why = vim.uv.fs_open(beside, "wx", 384) -- rw-------
  if not fd then
    return why
  end
  local count, problem = vim.uv.fs_write(fd, data, 0)
  if count == #data and mode ~= "" then
    vim.uv.fs_fchmod(fd, tonumber(mode, 8))
  end
  vim.uv.fs_close(fd)
  if count == #data then
    local done
    done, problem = vim.uv.fs_rename(beside, path)
    if done then
      return nil
    end
  end
  vim.uv.fs_unlink(beside)
  return problem or "the disk is full"
end

---@param standings acp.Standings
---@param path string
---@param wanted string[]
---@return string? why  it was not done
local function put(standings, path, wanted)
  local kind, target = parts(wanted[1])
  if kind == "text" or kind == "binary" then
    return write(path, standings.data[wanted[1]], wanted[MODE])
  end
  local _, why, code = vim.uv.fs_unlink(path)
  if why and code ~= "ENOENT" then
    return why
  elseif kind == "link" then
    _, why = vim.uv.fs_symlink(target, path)
    return why
  end
end

--- Gives the lines of a text other ends, and takes or sets its byte order mark: as the file holds them by now.
---@param path string
---@param now string
---@param wanted string
---@return string? why  it was not done
local function put_format(path, now, wanted)
  local data, stat = read(path, limits.REVIEWED_FILE_BYTES), vim.uv.fs_stat(path)
  if not data or not stat then
    return stat and "too large" or nil
  end
  local found = text.split(data)
  local has_ends = data:find("\n", 1, true) ~= nil
  local is, is_marked = has_ends and (found.ff == "dos" and "CRLF" or "LF") or nil, found.bom
  local from, was_marked = parts_of_format(now)
  local to, marked = parts_of_format(wanted)
  if (is or to) == to and is_marked == marked then
    return nil
  elseif (is or from) ~= from or is_marked ~= was_marked then
    return "changed since"
  end
  local whole = text.whole(text.with(found, { ff = to == "CRLF" and "dos" or "unix" }))
  return write(path, (marked and BOM or "") .. whole, ("%o"):format(stat.mode % 4096))
end

--- Puts at the path what stood there, if it has what it is known to have; a link on the way is not followed.
---@param standings acp.Standings
---@param path string
---@param now string[]
---@param wanted string[]
---@return string? why  it was not done
function M.put(standings, path, now, wanted)
  local folder = vim.fs.dirname(path)
  if find.resolve(folder) ~= folder then
    return "its folder leads elsewhere now"
  end
  if now[1] ~= wanted[1] and not stands(standings, path, wanted[1]) then
    local why = stands(standings, path, now[1]) and put(standings, path, wanted) or nil
    if why or not stands(standings, path, wanted[1]) then
      local stat = not why and vim.uv.fs_lstat(path)
      return why or (stat and stat.type == "directory" and "a folder now" or "changed since")
    end
  end
  local mode = mode_of(path)
  if mode and now[FORMAT] ~= wanted[FORMAT] then
    local why = put_format(path, now[FORMAT], wanted[FORMAT])
    if why then
      return why
    end
  end
  if now[MODE] == wanted[MODE] or not mode or mode == wanted[MODE] then
    return nil
  elseif mode ~= now[MODE] then
    return "changed since"
  end
  local _, why = vim.uv.fs_chmod(path, tonumber(wanted[MODE], 8))
  return why
end

return M
