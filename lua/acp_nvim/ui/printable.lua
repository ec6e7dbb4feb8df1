-- Makes text of an agent safe to show in one line, and cuts it to a width.
local shared_constants = require("acp_nvim.shared_constants")

local M = {}

--- Makes characters that nobody sees visible, as Vim shows controls: "^[", "<9b>", "<202E>".
---@param text string
---@return string
function M.visible(text)
  text = text:gsub("%c", function(char)
    return "^" .. string.char(bit.bxor(char:byte(), 64))
  end)
  if not text:find("[\128-\255]") then
    return text
  end
  for _, pattern in ipairs(shared_constants.HIDDEN) do
    text = text:gsub(pattern, function(char)
      local code = vim.fn.char2nr(char)
      return (code < 0xA0 and "<%02x>" or "<%04X>"):format(code)
    end)
  end
  return text
end

--- Makes the first characters of a text visible. A NUL is replaced before, since Vim's functions take no text that
--- holds one.
---@param text string
---@param chars integer
---@return string
function M.beginning(text, chars)
  return M.visible(vim.fn.strcharpart((text:gsub("%z", "^@")), 0, chars))
end

--- Cuts a text so that it takes at most `width` screen cells. Cells are counted by `strwidth()`:
--- `strdisplaywidth()` adds what 'linebreak', 'showbreak' and 'breakindent' of the current window would.
---@param text string
---@param width integer
---@return string
function M.cut(text, width)
  if vim.fn.strwidth(text) <= width then
    return text
  end
  local keep = math.min(vim.fn.strchars(text), width)
  local short
  repeat
    keep = keep - 1
    short = vim.fn.strcharpart(text, 0, keep) .. "…"
  until keep <= 0 or vim.fn.strwidth(short) <= width
  return short
end

--- Breaks a text into lines of at most `width` screen cells.
---@param text string
---@param width integer
---@return string[]
function M.wrap(text, width)
  local lines, line = {}, ""
  for _, char in ipairs(vim.fn.split(text, "\\zs")) do
    if vim.fn.strwidth(line .. char) > width then
      lines[#lines + 1], line = line, ""
    end
    line = line .. char
  end
  lines[#lines + 1] = line
  return lines
end

--- Cuts a text at its beginning, such as a path, whose end says most.
---@param text string
---@param width integer
---@return string
function M.cut_start(text, width)
  if vim.fn.strwidth(text) <= width then
    return text
  end
  local count = vim.fn.strchars(text)
  local keep, short = math.min(count, width), nil
  repeat
    keep = keep - 1
    short = "…" .. vim.fn.strcharpart(text, count - keep)
  until keep <= 0 or vim.fn.strwidth(short) <= width
  return short
end

--- Replaces tabs by as many blanks as they would take at the start of a line.
---@param text string
---@param tabstop integer
---@return string
function M.expand(text, tabstop)
  local parts = vim.split(text, "\t", { plain = true })
  for i = 1, #parts - 1 do
    parts[i] = parts[i] .. (" "):rep(tabstop - vim.fn.strwidth(parts[i]) % tabstop)
  end
  return table.concat(parts)
end

M.NAME = "acp_nvim: " -- before every message
local LEAST_ROOM = 20 -- for a path
local CODE = " %(%-%d%d%d%d%d%)" -- of an error, as JSON-RPC has it

--- Shortens a path for the end of a message: relative to the working directory or the home folder, and if that does not
--- fit, with folders as their first letters.
---@param path string
---@param lead string  what stands before it
---@return string
function M.short(path, lead)
  local room = math.max(LEAST_ROOM, vim.v.echospace - vim.fn.strwidth(M.NAME .. lead))
  local function fits(text)
    return vim.fn.strwidth(text) <= room
  end
  path = vim.fn.fnamemodify(path, ":~:.")
  local brief = fits(path) and path or vim.fn.pathshorten(path)
  return fits(brief) and brief or "…/" .. vim.fs.basename(path)
end

--- Shortens the absolute paths in a text: to the home folder as "~", and to the first letters of folders.
---@param text string
---@return string
local function with_short_paths(text)
  return (
    text:gsub("%f[^%z%s'\"(]/[^%s:'\")]+/[^%s:'\")]+", function(path)
      return vim.fn.pathshorten(vim.fn.fnamemodify(path, ":~"))
    end)
  )
end

--- Splits off the end of a message, which must not be cut: a command of ours, else what follows the last colon.
---@param text string
---@return string before
---@return string gap
---@return string last  empty: there is none
local function split_end(text)
  local first = text:find(":Acp", 1, true)
  if not first then
    local before, gap, last = text:match("^(.+)(: )([^'].-)$") -- a quotation is nothing to do
    return before or text, gap or "", last or ""
  end
  local named, before = text:sub(first), text:sub(1, first - 1)
  local command = named:match("^:Acp [%w_]+!? [{%d]%w*}?%)?") or named:match("^:Acp [%w_]+!?%)?") or ":Acp"
  local gap = before:match("[ (]*$")
  return before:sub(1, -#gap - 1), gap, command
end

--- Cuts a message to the width, without the code of an agent's error, which is in the log. What to do is kept, at the
--- end of the message, if it is short: the text before it is cut.
---
---   the agent ended: out of memory while it read a long file (:Acp restart starts it again)
---   the agent ended: out of memory whil… (:Acp restart
---   not sent: the question was not fully visible. It is now: repeat to answer
---   not sent: the question was not fully visi…: repeat to answer
---@param text string
---@param width integer
---@return string
function M.fit(text, width)
  text = text:gsub(CODE, "")
  local short = vim.fn.strwidth(text) > width and with_short_paths(text) or text
  if vim.fn.strwidth(short) <= width then
    return short
  end
  local before, gap, last = split_end(text)
  last = with_short_paths(last)
  local room = width - vim.fn.strwidth(last)
  local is_long = vim.fn.strwidth(last) > width / 3 and not vim.startswith(last, ":Acp")
  if last == "" or is_long or vim.fn.strwidth(before .. gap) < room or room < LEAST_ROOM then
    return M.cut(text, width)
  end
  return M.cut(before, room - #gap) .. gap .. last
end

--- The lines that a change adds and removes, as "+5 −4". A new file has no "−0", an emptied one no "+0".
---@param plus integer
---@param minus integer
---@return string
function M.counts(plus, minus)
  if minus == 0 then
    return ("+%d"):format(plus)
  end
  return plus == 0 and ("−%d"):format(minus) or ("+%d −%d"):format(plus, minus)
end

return M
