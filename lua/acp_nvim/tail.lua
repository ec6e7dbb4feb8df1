-- The end of a chat and the rows of its window: below the last line there is no emptiness while lines above are hidden.
-- It comes of windows that grow, as when a proposal closes, and of questions that were put to the top of a low one.
-- A window that shrinks, as when a proposal opens, goes on showing the end: Neovim leaves those as they are that the
-- user is not in.
local chats = require("acp_nvim.chat")

local api = vim.api
local M = {}

---@param win integer
---@param last integer
---@param rows integer
---@return integer  the highest line from which all to the last one is in view
local function highest(win, last, rows)
  local line = last + 1
  while line > 1 and rows > 0 do
    rows = rows - api.nvim_win_text_height(win, { start_row = line - 2, end_row = line - 2 }).all
    line = rows >= 0 and line - 1 or line
  end
  return math.min(line, last)
end

--- Shows as much of what went before as there is room for. The cursor stays on its line.
---@param win integer
function M.lower(win)
  local info, last = vim.fn.getwininfo(win)[1], vim.fn.line("$", win)
  if info.topline == 1 or info.botline < last then
    return
  end
  local top = highest(win, last, info.height - (info.winbar or 0))
  if top < info.topline then
    api.nvim_win_call(win, function()
      vim.fn.winrestview({ topline = top })
    end)
  end
end

---@param win integer
local function keep_end(win)
  local last, cursor = vim.fn.line("$", win), api.nvim_win_get_cursor(win)
  if cursor[1] == last and vim.fn.getwininfo(win)[1].botline < last then
    api.nvim_win_set_cursor(win, cursor) -- which scrolls to it
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
