-- Shows the queue above the prompt where the winbar has the keys ('laststatus' 3, or lualine): a float over the
-- separator between chat and prompt, which takes no row from either. Elsewhere the prompt's winbar has the queue.
local pairs_of = require("acp_nvim.windows.window_pair")
local queue_bar = require("acp_nvim.prompt.queue_bar")
local tabpage = require("acp_nvim.ui.tabpage")
local window_looks = require("acp_nvim.ui.window_looks")

local api = vim.api
local M = {}

---@param pair acp.Pair
---@return vim.api.keyset.win_config
local function place(pair)
  return {
    relative = "win",
    win = pair.chat,
    anchor = "NW",
    row = api.nvim_win_get_height(pair.chat) - 1, -- below its text: the height holds its winbar
    col = 0,
    width = api.nvim_win_get_width(pair.chat),
    height = 1,
    focusable = false,
    zindex = 10, -- below all others
  }
end

---@param pair acp.Pair
local function close(pair)
  local win = pair.queue
  pair.queue = nil
  if win and api.nvim_win_is_valid(win) then
    api.nvim_win_close(win, true)
  end
end

---@param pair acp.Pair
local function open(pair)
  local buf = api.nvim_create_buf(false, true)
  vim.bo[buf].bufhidden = "wipe"
  pair.queue = api.nvim_open_win(buf, false, vim.tbl_extend("error", place(pair), { noautocmd = true }))
  window_looks.set(pair.queue, { wrap = false, winhighlight = "NormalFloat:AcpWinbar" })
end

--- Opens the line of a pair, brings it up to date or closes it.
---@param pair acp.Pair
function M.update(pair)
  local is_free = vim.o.laststatus == 3 or pair.lost_statuslines
  local has_place = is_free and pairs_of.is_complete(pair) and not tabpage.is_float(pair.prompt)
  local words = has_place and queue_bar.words(pair.session, api.nvim_win_get_width(pair.prompt) - 2)
  if not words then
    return close(pair)
  elseif pairs_of.is_open(pair.queue) then
    api.nvim_win_set_config(pair.queue, place(pair))
  else
    open(pair)
  end
  api.nvim_buf_set_lines(api.nvim_win_get_buf(pair.queue), 0, -1, true, { " " .. words })
end

return M
