-- Keeps the end of a chat at the bottom of its window, row by row: no empty rows below the last line while rows above
-- are hidden, and no option of a question below the edge. Neovim does neither: it leaves the views of other windows
-- than the current one as they are, and of a long line it shows the beginning.
local api = vim.api
local M = {}

--- Measures a line. Virtual lines below the last line count as part of it.
---@param win integer
---@param line integer
---@param last integer
---@return integer rows
---@return integer own  without those that are virtual: only these can be skipped
local function height(win, line, last)
  local range = { start_row = line - 1, end_row = line < last and line - 1 or nil }
  local measured = api.nvim_win_text_height(win, range)
  return measured.all, measured.all - measured.fill
end

--- Where the window has to begin so that the end is at its bottom.
---     rows 4, lines of 1, 3 and 2 rows: the second line, without its first row
---@param info table of the window
---@param last integer
---@return integer line
---@return integer skipped  rows of that line
local function beginning(info, last)
  local line, rows, own = last + 1, info.height, 1
  while line > 1 and rows > 0 do
    line = line - 1
    local all
    all, own = height(info.winid, line, last)
    rows = rows - all
  end
  return line, math.max(0, math.min(-rows, own - 1))
end

---@param win integer
---@param line integer
---@param skipped integer
local function show_from(win, line, skipped)
  local info = vim.fn.getwininfo(win)[1]
  local skipcol = vim.wo[win].smoothscroll and skipped * math.max(1, info.width - info.textoff) or 0
  if skipped > 0 and skipcol == 0 and line < vim.fn.line("$", win) then
    line = line + 1
  end
  api.nvim_win_call(win, function()
    local now = vim.fn.winsaveview()
    if now.topline ~= line or now.skipcol ~= skipcol then
      vim.fn.winrestview({ topline = line, skipcol = skipcol })
    end
  end)
end

--- Scrolls the end of the text to the bottom of the window. The cursor stays on its line.
---@param win integer
function M.follow(win)
  local info, last = vim.fn.getwininfo(win)[1], vim.fn.line("$", win)
  show_from(win, beginning(info, last))
end

--- Fills empty rows below the end with the rows above it.
---@param win integer
function M.lower(win)
  local info, last = vim.fn.getwininfo(win)[1], vim.fn.line("$", win)
  if info.topline == 1 or info.botline < last then
    return
  end
  local top, skipped = beginning(info, last)
  if top < info.topline then
    show_from(win, top, skipped)
  end
end

--- The window has been resized: keeps the end of the text at its bottom.
---@param win integer
function M.resized(win)
  local last = vim.fn.line("$", win)
  if api.nvim_win_get_cursor(win)[1] == last then
    M.follow(win)
  elseif win ~= api.nvim_get_current_win() then
    M.lower(win)
  end
end

return M
