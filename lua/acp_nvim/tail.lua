-- The end of a chat and the rows of its window: below the last line there is no emptiness while lines above are hidden.
-- It comes of windows that grow, as when a proposal closes, and of questions that were put to the top of a low one.
-- A window that shrinks, as when a proposal opens, goes on showing the end: Neovim leaves those as they are that the
-- user is not in.
local chats = require("acp_nvim.chat")

local api = vim.api
local M = {}

--- What stands below the last line belongs to it: the answers of a question.
---@param win integer
---@param line integer
---@param last integer
---@return integer
local function height(win, line, last)
  local range = { start_row = line - 1, end_row = line < last and line - 1 or nil }
  return api.nvim_win_text_height(win, range).all
end

---@param info table of the window
---@param last integer
---@return integer  the highest line from which all to the last one is in view
local function highest(info, last)
  local line, rows = last + 1, info.height - (info.winbar or 0)
  while line > 1 and rows > 0 do
    rows = rows - height(info.winid, line - 1, last)
    line = rows >= 0 and line - 1 or line
  end
  return math.min(line, last)
end

---@param win integer
---@param top integer
local function show_from(win, top)
  api.nvim_win_call(win, function()
    vim.fn.winrestview({ topline = top })
  end)
end

--- Shows as much of what went before as there is room for. The cursor stays on its line.
---@param win integer
function M.lower(win)
  local info, last = vim.fn.getwininfo(win)[1], vim.fn.line("$", win)
  if info.topline == 1 or info.botline < last then
    return
  end
  local top = highest(info, last)
  if top < info.topline then
    show_from(win, top)
  end
end

---@param win integer
local function keep_end(win)
  local info, last = vim.fn.getwininfo(win)[1], vim.fn.line("$", win)
  local top = api.nvim_win_get_cursor(win)[1] == last and highest(info, last) or 1
  if top > info.topline then
    show_from(win, top)
  end
end

--- The view of the window that the user is in is the user's, but at the end it follows.
---@param win integer
---@return boolean
local function is_free(win)
  return win ~= api.nvim_get_current_win() or api.nvim_win_get_cursor(win)[1] == vim.fn.line("$", win)
end

api.nvim_create_autocmd("WinResized", {
  group = api.nvim_create_augroup("acp_nvim.tail", {}),
  callback = function()
    for _, win in ipairs(vim.v.event.windows) do
      if api.nvim_win_is_valid(win) and chats.of_buffer(api.nvim_win_get_buf(win)) and is_free(win) then
        M.lower(win)
        keep_end(win)
      end
    end
  end,
})

return M
