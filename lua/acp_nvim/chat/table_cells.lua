-- Makes the cells of a Markdown table as they are drawn: without their marks, in colours, broken into rows of some
-- width.
--
--   | `width` | a **long** text |      { "width" AcpCodeInline }      { "a", "long" AcpBold, "text" }
local inline_markdown = require("acp_nvim.chat.inline_markdown")

local api = vim.api
local M = {}

local BREAK = "<br>" -- the look of what begins a row
local PART = "[^/_.,:;=&?-]*[/_.,:;=&?-]*" -- of a word: it is broken behind these if it must be

---@class acp.Word
---@field [1] string  text
---@field [2] string  highlight group
---@field width integer  cells
---@field follows? boolean  no blank stands before it
---@field breaks? boolean  it begins a row

---@class acp.Cell
---@field words acp.Word[]
---@field width integer    cells, if it is broken nowhere but at <br>
---@field longest integer  of its words that stand together
---@field part integer     the widest part of a word that may be broken

---@param text string
---@return string
local function cell_text(text)
  return (vim.trim(text):gsub("\\|", "|"))
end

--- The last byte of the code that begins there, or of the backticks if none does.
---@param line string
---@param at integer
---@return integer
local function end_of_code(line, at)
  local _, ticks = line:find("^`+", at)
  local first, last = nil, ticks
  repeat
    first, last = line:find("`+", last + 1)
  until not first or last - first == ticks - at
  return last or ticks --[[@as integer]]
end

--- The texts between the bars of a row. A bar within code or behind a backslash is none.
---@param line string
---@return string[]
function M.split(line)
  local texts, at, begin = {}, 1, nil
  while at <= #line do
    local char = line:sub(at, at)
    if char == "|" then
      texts[#texts + 1] = begin and cell_text(line:sub(begin, at - 1)) or nil
      begin = at + 1
    end
    if char == "`" then
      at = end_of_code(line, at)
    elseif char == "\\" then
      at = at + 1
    end
    at = at + 1
  end
  local rest = begin and cell_text(line:sub(begin)) or ""
  texts[#texts + 1] = rest ~= "" and rest or nil
  return texts
end

--- What each byte of a text looks like: its highlight group, BREAK, or false if it is hidden.
---@param text string
---@param plain string
---@return (string|false)[]
local function looks(text, plain)
  local found, look = inline_markdown.read_part(text), {}
  for at = 1, #text do
    look[at] = plain
  end
  for _, span in ipairs(found.spans) do
    for at = span[1] + 1, span[2] do
      look[at] = span[3]
    end
  end
  for _, part in ipairs(found.hidden) do
    for at = part.first + 1, part.last do
      look[at] = false
    end
  end
  for first, last in text:gmatch("()<[bB][rR]%s*/?>()") do
    for at = first, look[first] ~= "AcpCodeInline" and last - 1 or 0 do
      look[at] = BREAK
    end
  end
  return look
end

---@param words acp.Word[]
---@param text string
---@param hl string
---@param follows boolean
local function add(words, text, hl, follows)
  words[#words + 1] = { text, hl, width = api.nvim_strwidth(text), follows = follows or nil }
end

--- A cell without its marks.
---@param text string
---@param plain string  the group of text without one
---@return acp.Cell
function M.read(text, plain)
  local look, words, from, blank, breaks = looks(text, plain), {}, 1, true, false
  for at = 1, #text + 1 do
    local is_blank = text:find("^%s", at) ~= nil and look[at] ~= "AcpCodeInline"
    if at > #text or is_blank or look[at] ~= look[from] then
      if from < at and look[from] == BREAK then
        blank, breaks = true, true
      elseif from < at and look[from] then
        add(words, text:sub(from, at - 1), look[from] --[[@as string]], not blank)
        words[#words].breaks = breaks or nil
        blank, breaks = false, false
      end
      blank = blank or is_blank
      from = is_blank and at + 1 or at
    end
  end
  local width, row, longest, whole, widest = 0, 0, 0, 0, 0
  for index, word in ipairs(words) do
    row = (word.breaks and 0 or row) + word.width + ((index == 1 or word.follows or word.breaks) and 0 or 1)
    width = math.max(width, row)
    whole = (word.follows and whole or 0) + word.width
    longest = math.max(longest, whole)
    for part in word[1]:gmatch(PART) do
      widest = math.max(widest, api.nvim_strwidth(part))
    end
  end
  return { words = words, width = width, longest = longest, part = widest }
end

--- The beginning of a text that a row has room for, at least a character.
---@param text string
---@param width integer
---@return string
local function beginning(text, width)
  local piece = vim.fn.strcharpart(text, 0, width)
  while api.nvim_strwidth(piece) > width and vim.fn.strchars(piece) > 1 do
    piece = vim.fn.strcharpart(piece, 0, vim.fn.strchars(piece) - 1)
  end
  return piece
end

--- A word that is wider than a row, in pieces: broken between its parts, and within one that is still too wide.
---     src/orders/report.py in 12: src/orders/, report.py        in 5: src/, order, s/, repor, t.py
---@param word acp.Word
---@param width integer
---@return acp.Word[]
local function pieces(word, width)
  local list, piece = {}, ""
  local function finish()
    if piece ~= "" then
      add(list, piece, word[2], #list > 0 or word.follows == true)
    end
  end
  for part in word[1]:gmatch(PART) do
    if api.nvim_strwidth(piece .. part) > width then
      finish()
      piece = ""
    end
    while api.nvim_strwidth(part) > width do
      piece = beginning(part, width)
      part = part:sub(#piece + 1)
      finish()
      piece = ""
    end
    piece = piece .. part
  end
  finish()
  list[1].breaks = word.breaks
  return list
end

--- The width of a word and those that follow it without a blank.
---@param words acp.Word[]
---@param index integer
---@return integer
local function width_together(words, index)
  local width = words[index].width
  while words[index + 1] and words[index + 1].follows do
    index = index + 1
    width = width + words[index].width
  end
  return width
end

---@class acp.CellRow
---@field chunks [string, string][]
---@field width integer

--- Breaks a cell into rows; it has at least one.
---@param cell acp.Cell
---@param width integer
---@param plain string
---@return acp.CellRow[]
function M.rows(cell, width, plain)
  local rows = { { chunks = {}, width = 0 } }
  for index, whole in ipairs(cell.words) do
    for _, word in ipairs(whole.width > width and pieces(whole, width) or { whole }) do
      local row = rows[#rows]
      local gap = (row.width == 0 or word.follows) and 0 or 1
      local together = word == whole and not word.follows and width_together(cell.words, index) or word.width
      local needed = gap + (together <= width and together or word.width)
      if row.width > 0 and (word.breaks or row.width + needed > width) then
        row, gap = { chunks = {}, width = 0 }, 0
        rows[#rows + 1] = row
      end
      if gap > 0 then
        table.insert(row.chunks, { " ", plain })
      end
      table.insert(row.chunks, { word[1], word[2] })
      row.width = row.width + gap + word.width
    end
  end
  return rows
end

return M
