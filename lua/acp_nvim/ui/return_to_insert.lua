-- Brings the user back to insert mode where a key of insert mode has opened a window: a diff, a form, a list to choose
-- from. The mode comes back once that window is closed and the cursor is where it was; who has gone elsewhere meanwhile
-- stays in normal mode.
local api = vim.api
local M = {}

local group = api.nvim_create_augroup("acp_nvim.return_to_insert", {})

---@param win integer
---@param buf integer
---@param cursor integer[]
local function come_back(win, buf, cursor)
  if api.nvim_get_current_win() ~= win or api.nvim_get_current_buf() ~= buf or api.nvim_get_mode().mode ~= "n" then
    return
  end
  local row = math.min(cursor[1], api.nvim_buf_line_count(buf))
  api.nvim_win_set_cursor(win, { row, cursor[2] })
  vim.cmd.startinsert({ bang = cursor[2] >= #api.nvim_get_current_line() })
end

--- Leaves insert mode, for a window that opens next. In another mode it does nothing.
---@return boolean left
function M.leave()
  if not api.nvim_get_mode().mode:find("^[iR]") then
    return false
  end
  local win, buf, cursor = api.nvim_get_current_win(), api.nvim_get_current_buf(), api.nvim_win_get_cursor(0)
  vim.cmd.stopinsert()
  api.nvim_create_autocmd("WinEnter", {
    group = api.nvim_create_augroup("acp_nvim.return_to_insert", {}), -- without those of an earlier key
    once = true,
    callback = function()
      api.nvim_create_autocmd("WinClosed", {
        group = group,
        pattern = tostring(api.nvim_get_current_win()),
        once = true,
        -- behind those who give the focus back, who wait for the end of the closing, too
        callback = vim.schedule_wrap(vim.schedule_wrap(function()
          come_back(win, buf, cursor)
        end)),
      })
    end,
  })
  return true
end

return M
