-- Keeps the views of windows on a chat while text comes: windows at its end go on showing the end, others stay where
-- they are and get the mark "there is more below".
local autoscroll = require("acp_nvim.chat.autoscroll")
local limits = require("acp_nvim.limits")

local api = vim.api
local M = {}

local group = api.nvim_create_augroup("acp_nvim.chat.views", {})

---@param win integer
---@param last integer
---@return boolean
local function at_end(win, last)
  if api.nvim_win_get_cursor(win)[1] >= last then
    return true
  end
  return win ~= api.nvim_get_current_win() and vim.fn.getwininfo(win)[1].botline >= last
end

---@param win integer
local function redraw_winbar(win)
  api.nvim__redraw({ win = win, winbar = true, flush = false })
end

--- Takes the mark "there is more below" off a window that has come to the end.
---@param win integer
function M.update_more(win)
  if vim.w[win].acp_more and vim.fn.getwininfo(win)[1].botline >= vim.fn.line("$", win) then
    vim.w[win].acp_more = nil
    redraw_winbar(win)
  end
end

api.nvim_create_autocmd("WinScrolled", {
  group = group,
  callback = function()
    for win in pairs(vim.v.event) do
      win = tonumber(win)
      if win and api.nvim_win_is_valid(win) then
        M.update_more(win)
      end
    end
  end,
})

--- Does the user select text there? The selection must not move.
---@param win integer
---@return boolean
local function is_selecting(win)
  return win == api.nvim_get_current_win() and vim.fn.mode():find("^[vVsS\22\19]") ~= nil
end

--- The windows on the buffer that show its end, and those whose user is further up.
---@param buf integer
---@return integer[] followers
---@return integer[] readers
function M.split(buf)
  local last, followers, readers = api.nvim_buf_line_count(buf), {}, {}
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    local list = at_end(win, last) and not is_selecting(win) and followers or readers
    list[#list + 1] = win
  end
  return followers, readers
end

--- Does the chat end in a line that is too long to wrap? While a question is open it wraps all the same: the end of a
--- command must not leave the window.
---@param buf integer
---@param asks boolean  a question is open
---@return boolean
local function is_endless(buf, asks)
  local last = api.nvim_buf_line_count(buf)
  local bytes = api.nvim_buf_get_offset(buf, last) - api.nvim_buf_get_offset(buf, last - 1)
  return bytes > limits.CHAT_LINE_BYTES and not asks
end

--- Wraps lines in the window, or no longer.
---@param win integer
---@param endless boolean  the last line is too long to wrap
function M.wrap_unless(win, endless)
  if vim.wo[win].wrap == endless and (endless or vim.w[win].acp_endless) then
    vim.wo[win][0].wrap = not endless
    vim.w[win].acp_endless = endless or nil
  end
end

--- The text has changed: followers show its end, readers stay and learn that there is more below.
---@param buf integer
---@param asks boolean  a question is open
---@param followers integer[]
---@param readers integer[]
function M.keep(buf, asks, followers, readers)
  local last = api.nvim_buf_line_count(buf)
  local endless = is_endless(buf, asks)
  for _, win in ipairs(followers) do
    if vim.w[win].acp_more then
      vim.w[win].acp_more = nil
      redraw_winbar(win)
    end
    M.wrap_unless(win, endless)
    -- The column matters: of a line taller than the window the end is to be seen.
    api.nvim_win_set_cursor(win, { last, endless and 0 or vim.v.maxcol })
    if not endless then
      autoscroll.follow(win)
    end
  end
  for _, win in ipairs(readers) do
    if not vim.w[win].acp_more and vim.fn.getwininfo(win)[1].botline < last then
      vim.w[win].acp_more = true
      redraw_winbar(win)
    end
  end
end

return M
