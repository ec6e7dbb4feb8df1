-- What stands at a path, where lines do not tell it: nothing, a file with its bytes, its mode and the format of its
-- lines, or a link. It is a text of its own with a stack of its own, so that keep, undo and the undo of a turn are the
-- same as for lines:
--
--   binary 12000 #1       what stands there; #1 are the bytes
--                         a line that is always the same, so that the others never become one hunk
--   644                   its mode
--                         the same
--   CRLF BOM              of a text whose lines have stayed while this changed: its line ends, its byte order mark
--
-- A hunk of it is shown without lines and with a note: "binary, 12 → 9 KB", "mode 644 → 600", "line ends LF → CRLF".
local limits = require("acp_nvim.limits")
local printable = require("acp_nvim.ui.printable")

local M = {}

M.NOTHING = "nothing"
local FORMAT = 5 -- line

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

--- Completes what a change tells of the format. One that has changed together with lines comes back with these, unless
--- it has changed alone before; if it does so later, that is a change of what was there before both.
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

---@param line string
---@return string kind
---@return string rest  of a link its target, of a file its size
local function parts(line)
  local kind, rest = line:match("^(%S+) ?(.*)$")
  return kind, (kind == "text" or kind == "binary") and rest:match("^%d+") or rest
end

--- What the lines stand for, for `disk_file.put`.
---@param standings acp.Standings
---@param lines string[]
---@return acp.PathContent
function M.content(standings, lines)
  local kind, rest = parts(lines[1])
  local content = { kind = kind, target = kind == "link" and rest or nil, data = standings.data[lines[1]] }
  content.mode, content.ends, content.bom = lines[3], parts_of_format(lines[FORMAT])
  return content
end

-- Notes ---------------------------------------------------------------------------------------------------------------

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

return M
