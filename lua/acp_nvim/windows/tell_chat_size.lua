-- Tells the backend how large the windows on a chat are: an open question shows as much of its diff as fits beside its
-- options.
local backend = require("acp_nvim.backend.process")
local chats = require("acp_nvim.chat.buffer")
local review = require("acp_nvim.review")

local api = vim.api
local M = {}

local told = {} ---@type table<integer, integer[]>  session -> rows, columns, and the backend that knows them

---@param win integer
---@return integer rows
---@return integer columns
local function size_of(win)
  local info = vim.fn.getwininfo(win)[1]
  return info.height, info.width - info.textoff
end

--- Tells the backend of the smallest window that shows the session's chat, if that has changed.
---@param n integer
function M.report(n)
  local chat = chats.get(n)
  local rows, columns
  for _, win in ipairs(chat and vim.fn.win_findbuf(chat.buf) or {}) do
    local height, width = size_of(win)
    rows, columns = math.min(rows or height, height), math.min(columns or width, width)
  end
  if columns then
    review.fit_lines(n, columns)
  end
  local size = { rows, columns, backend.generation() }
  if rows and not vim.deep_equal(told[n], size) and backend.is_running() then
    told[n] = size
    backend.notify("fit", { session = n, rows = rows, columns = columns })
  end
end

api.nvim_create_autocmd("WinResized", {
  group = api.nvim_create_augroup("acp_nvim.tell_chat_size", {}),
  callback = function()
    for _, win in ipairs(vim.v.event.windows) do
      local chat = api.nvim_win_is_valid(win) and chats.of_buffer(api.nvim_win_get_buf(win))
      if chat then
        M.report(chat.session)
      end
    end
  end,
})

return M
