-- Keeps the end of a chat at the bottom of its window, row by row: no empty rows below the last line while rows above
-- are hidden, and no option of a question below the edge. Neovim does neither: it leaves the views of other windows
-- than the current one as they are, and of a long line it shows the beginning.
local api = vim.api
local M = {}

---@class acp.Top
---@field line integer
---@field fill integer     virtual rows above the line that are shown
---@field skipped integer  rows of the line that are not

--- Measures a line with the virtual lines above it. Those below the last line count as part of it.
---@param win integer
---@param line integer
---@param last integer
---@return integer rows
---@return integer above  virtual, above it
---@return integer own    that are text
local function height(win, line, last)
  local range = { start_row = line - 1, end_row = line - 1 }
  local measured = api.nvim_win_text_height(win, range)
  if line < last then
    return measured.all, measured.fill, measured.all - measured.fill
  end
  local with_below = api.nvim_win_text_height(win, { start_row = line - 1 }).all
  return with_below, measured.fill, measured.all - measured.fill
end

--- Where the window has to begin so that the end is at its bottom.
---     rows 4, lines of 1, 3 and 2 rows: the second line, without its first row
---@param info table of the window
---@param last integer
---@return acp.Top
local function beginning(info, last)
  local line, rows, above, own = last + 1, info.height, 0, 1
  while line > 1 and rows > 0 do
    line = line - 1
    local all
    all, above, own = height(info.winid, line, last)
    rows = rows - all
  end
  local over = math.max(0, -rows)
  return { line = line, fill = math.max(0, above - over), skipped = math.max(0, math.min(over - above, own - 1)) }
end

---@param win integer
---@param top acp.Top
local function show_from(win, top)
  local info, line, fill = vim.fn.getwininfo(win)[1], top.line, top.fill
  local skipcol = vim.wo[win].smoothscroll and top.skipped * math.max(1, info.width - info.textoff) or 0
  if top.skipped > 0 and skipcol == 0 and line < vim.fn.line("$", win) then
    line = line + 1
  end
  api.nvim_win_call(win, function()
    local now = vim.fn.winsaveview()
    if now.topline ~= line or now.skipcol ~= skipcol or now.topfill ~= fill then
      vim.fn.winrestview({ topline = line, skipcol = skipcol, topfill = fill })
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
  local top = beginning(info, last)
  if top.line < info.topline then
    show_from(win, top)
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
