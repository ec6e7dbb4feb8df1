-- Remembers what the user's windows showed before the windows of a diff came, and restores it.
local autoscroll = require("acp_nvim.chat.autoscroll")
local layouts = require("acp_nvim.ui.tabpage")
local pinned_window = require("acp_nvim.follow.pinned_window")

local api = vim.api
local M = {}

---@class acp.UsersWindows
---@field win integer  the current one
---@field layout acp.Layout
---@field views table<integer, { buf: integer, tick: integer, view: vim.fn.winsaveview.ret }>  by window

---@return acp.UsersWindows
function M.remember()
  local layout, views = layouts.remember(), {}
  for _, win in ipairs(layout.windows) do
    local buf = api.nvim_win_get_buf(win)
    local view = api.nvim_win_call(win, vim.fn.winsaveview)
    views[win] = { buf = buf, tick = api.nvim_buf_get_changedtick(buf), view = view }
  end
  return { win = api.nvim_get_current_win(), layout = layout, views = views }
end

--- Lets windows in which nobody has worked show what they showed. One that is lower now does so as far as its cursor
--- allows.
---@param before acp.UsersWindows
function M.restore_views(before)
  for win, known in pairs(before.views) do
    if api.nvim_win_is_valid(win) and api.nvim_win_get_buf(win) == known.buf then
      api.nvim_win_call(win, function()
        local now, view = vim.fn.winsaveview(), known.view
        local same = now.lnum == view.lnum and now.col == view.col
        if same and api.nvim_buf_get_changedtick(known.buf) == known.tick and now.topline ~= view.topline then
          vim.fn.winrestview(view)
          pinned_window.record_view(win)
        end
      end)
      -- A chat shows its end. Neovim tells of no new size where the diff closes and opens again before it looks.
      if vim.bo[known.buf].filetype == "acp_chat" then
        autoscroll.resized(win)
      end
    end
  end
end

--- Gives the windows their sizes and views again, once the diff is closed.
---@param before acp.UsersWindows
function M.restore(before)
  if layouts.restore(before.layout) then
    M.restore_views(before)
  end
end

--- A file that the user had before: in the window they came from, else in another, else the alternate file, else any.
---@param before acp.UsersWindows
---@return integer? buf
function M.earlier_file(before)
  local bufs = {}
  for _, win in ipairs({ before.win, unpack(before.layout.windows) }) do
    bufs[#bufs + 1] = before.views[win] and before.views[win].buf
  end
  vim.list_extend(bufs, { vim.fn.bufnr("#"), unpack(api.nvim_list_bufs()) })
  return vim.iter(bufs):find(function(buf)
    return api.nvim_buf_is_valid(buf) and vim.bo[buf].buftype == "" and vim.bo[buf].buflisted
  end)
end

return M
