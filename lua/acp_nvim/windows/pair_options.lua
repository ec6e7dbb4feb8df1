-- Puts buffers, options and bars into the two windows of a pair.
local chats = require("acp_nvim.chat.buffer")
local config = require("acp_nvim.config.settings")
local hanging_indent = require("acp_nvim.chat.hanging_indent")
local margin = require("acp_nvim.chat.margin")
local prompt = require("acp_nvim.prompt.buffer")
local queue_bar = require("acp_nvim.prompt.queue_bar")
local session_store = require("acp_nvim.backend.session_store")
local tabpage = require("acp_nvim.ui.tabpage")
local winbar = require("acp_nvim.chat.winbar")
local window_looks = require("acp_nvim.ui.window_looks")

local api = vim.api
local M = {}

---@param win integer
---@param buf integer
---@param options table<string, any>
local function show(win, buf, options)
  if api.nvim_win_get_buf(win) ~= buf then
    api.nvim_set_option_value("winfixbuf", false, { win = win, scope = "local" })
    api.nvim_win_set_buf(win, buf)
  end
  window_looks.set(win, options)
end

--- The bars of the two windows. Where windows have statuslines of their own, that of the chat heads the prompt, and the
--- prompt's winbar is free for the queue. 'laststatus' 0 takes that of the prompt alone, which is the last window.
---@param pair acp.Pair
---@param n integer
---@return table<string, string> chat
---@return table<string, string> prompt
local function bars(pair, n)
  if tabpage.is_float(pair.chat) or vim.o.laststatus == 3 or pair.lost_statuslines then
    return { winbar = winbar.CHAT }, { winbar = winbar.PROMPT }
  elseif vim.go.winbar ~= "" then -- the prompt has a winbar in any case: let it be ours
    return { winbar = winbar.CHAT, statusline = winbar.PLACE }, { winbar = winbar.PROMPT, statusline = winbar.PLACE }
  end
  local queue = ((session_store.look(n) or {}).queue or 0) > 0 and queue_bar.EXPRESSION or ""
  return { winbar = winbar.CHAT, statusline = winbar.PROMPT }, { winbar = queue, statusline = winbar.PLACE }
end

--- The panel of the plan has come or gone: while it is there its statusline heads the prompt, and that of the chat
--- names the plan.
---@param pair acp.Pair  that is open
function M.show_plan(pair)
  local above = bars(pair, pair.session)
  local has_statusline = above.statusline ~= nil
  local function set(win, name, value)
    api.nvim_set_option_value(name, value, { win = win, scope = "local" })
  end
  if not pair.plan then
    return set(pair.chat, "statusline", above.statusline or "")
  end
  show(pair.plan, api.nvim_win_get_buf(pair.plan), {
    winfixbuf = true,
    winfixheight = true,
    wrap = false,
    linebreak = false,
    winbar = has_statusline and "" or " Plan   q unpins",
    statusline = above.statusline or "",
  })
  if has_statusline then
    set(pair.chat, "statusline", " Plan   :Acp plan unpins")
  end
end

--- The session's queue has changed: its bar comes or goes.
---@param pair acp.Pair  that is open
---@return boolean came_or_went
function M.update_queue(pair)
  local _, below = bars(pair, pair.session)
  local own = { win = pair.prompt, scope = "local" }
  if api.nvim_get_option_value("winbar", own) == below.winbar then
    return false
  end
  api.nvim_set_option_value("winbar", below.winbar, own)
  return true
end

--- Shows a session in a pair that is open.
---@param pair acp.Pair
---@param n integer
function M.show(pair, n)
  local beside = not tabpage.is_float(pair.chat) and api.nvim_win_get_width(pair.chat) < vim.o.columns
  local above, below = bars(pair, n)
  local fixed = { winfixbuf = true, winfixwidth = beside }
  local conceal = { conceallevel = config.get().chat.conceal and 2 or 0 }
  show(pair.chat, chats.buffer(n), vim.tbl_extend("error", fixed, above, margin.OPTIONS, conceal))
  vim.bo[chats.buffer(n)].formatlistpat = hanging_indent.PATTERN
  show(
    pair.prompt,
    prompt.buffer(n),
    vim.tbl_extend("error", fixed, below, margin.PROMPT_OPTIONS, { winfixheight = true })
  )
  if pair.session ~= n then
    api.nvim_win_set_cursor(pair.chat, { api.nvim_buf_line_count(api.nvim_win_get_buf(pair.chat)), 0 })
  end
  pair.session = n
end

--- A plugin such as lualine gives every window a statusline of its own, and ours is gone: the bars go to the winbars.
---@param pair acp.Pair  that is open
---@return boolean lost  just now
function M.leave_statuslines(pair)
  local _, below = bars(pair, pair.session)
  local present = api.nvim_get_option_value("statusline", { win = pair.prompt, scope = "local" })
  if not below.statusline or present == below.statusline then
    return false
  end
  pair.lost_statuslines = true
  M.show(pair, pair.session)
  return true
end

return M
