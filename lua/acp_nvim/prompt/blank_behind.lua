-- Puts one blank behind a command or a mention that was chosen, so that the user can write on. A blank that the user
-- types there by habit counts as the same one.
--
--     /ed<Tab>rename it        ->  /edit rename it
--     see @no<Tab><Space>and   ->  see @notes.txt and
local api = vim.api
local M = {}

M.ITEM_DATA = "acp_nvim: a blank follows" -- of a completion item

-- Keys that put the blank behind the item that is completed, before the next key that is typed.
M.KEYS = "<Cmd>lua require('acp_nvim.prompt.blank_behind').put_after_item()<CR>"

local put ---@type { buf: integer, row: integer, col: integer }?  behind the blank that was put last

--- Puts the blank at the cursor, or goes behind the one that is there.
function M.put()
  local row, col = unpack(api.nvim_win_get_cursor(0))
  local behind = api.nvim_get_current_line():sub(col + 1, col + 1)
  if behind ~= " " then
    api.nvim_buf_set_text(0, row - 1, col, row - 1, col, { " " })
  end
  api.nvim_win_set_cursor(0, { row, col + 1 })
  put = { buf = api.nvim_get_current_buf(), row = row, col = col + 1 }
end

--- Puts the blank behind the item that the menu has completed, if one belongs there and the cursor is still behind it.
function M.put_after_item()
  local item = vim.v.completed_item
  local row_col = api.nvim_win_get_cursor(0)
  local before = api.nvim_get_current_line():sub(1, row_col[2])
  if item.user_data == M.ITEM_DATA and vim.endswith(before, item.word) then
    M.put()
  end
end

--- The menu was closed: puts the blank once it is clear that the user has chosen the item by a key of its own. Whoever
--- types on has written the next character by then.
---@param buf integer
local function menu_closed(buf)
  local at, line = api.nvim_win_get_cursor(0), api.nvim_get_current_line()
  vim.schedule(function()
    local is_here = api.nvim_get_current_buf() == buf and api.nvim_get_mode().mode == "i"
    if is_here and vim.deep_equal(api.nvim_win_get_cursor(0), at) and api.nvim_get_current_line() == line then
      M.put_after_item()
    end
  end)
end

--- A blank that is typed behind ours is the same one.
---@param buf integer
local function typed(buf)
  local row, col = unpack(api.nvim_win_get_cursor(0))
  if put and put.buf == buf and put.row == row and put.col == col and vim.v.char == " " then
    vim.v.char = ""
  end
  put = nil
end

--- Has the blank follow what is chosen in a prompt.
---@param buf integer
---@param group integer
function M.attend(buf, group)
  for event, callback in pairs({ CompleteDone = menu_closed, InsertCharPre = typed }) do
    api.nvim_create_autocmd(event, {
      group = group,
      buffer = buf,
      callback = function()
        callback(buf)
      end,
    })
  end
end

return M
