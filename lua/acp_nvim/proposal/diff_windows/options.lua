-- Sets the options of the windows of a diff: diff mode, unless too much differs for it, the user's own options, and a
-- bar that says as much as there is room for.
local bars_of = require("acp_nvim.proposal.diff_windows.bar")
local file_changed_prompt = require("acp_nvim.documents.file_changed_prompt")
local highlight = require("acp_nvim.ui.highlight")
local printable = require("acp_nvim.ui.printable")
local window_name = require("acp_nvim.ui.window_name")

local api = vim.api
local M = {}

-- Options that a split takes over from the window it is made of, which may be a chat.
local OWN = {
  "number",
  "relativenumber",
  "signcolumn",
  "statuscolumn",
  "linebreak",
  "breakindent",
  "list",
  "spell",
  "conceallevel",
  "cursorline",
  "cursorcolumn",
  "colorcolumn",
  "winhighlight",
  "fillchars",
  "winfixbuf",
  "winfixwidth",
  "winfixheight",
  "scrolloff",
  "statusline",
}

--- Colours the window: what goes is red, what comes is green, what is only on the other side is a quiet pattern.
---@param win integer
---@param goes boolean  the left side
local function colour(win, goes)
  highlight.apply_to(win, highlight.side(goes and "AcpDiffRemoved" or "AcpDiffAdded"))
  vim.api.nvim_win_call(win, function()
    vim.opt_local.fillchars:append({ diff = "╱" })
  end)
end

---@param win integer
---@param buf integer
---@param how { goes: boolean, plain?: boolean }  goes: the left side; plain: without diff mode
function M.put_on(win, buf, how)
  if api.nvim_win_get_buf(win) ~= buf then
    file_changed_prompt.without(buf, function()
      api.nvim_win_set_buf(win, buf)
    end)
  end
  for _, name in ipairs(OWN) do
    local value = api.nvim_get_option_value(name, { scope = "global" })
    api.nvim_set_option_value(name, value, { win = win, scope = "local" })
  end
  colour(win, how.goes)
  if not how.plain then
    api.nvim_win_call(win, function()
      vim.cmd("diffthis")
    end)
  end
end

--- Leaves diff mode before the window goes: its options are those with which the buffer is shown next.
---@param win integer
function M.take_off(win)
  if api.nvim_win_is_valid(win) then
    api.nvim_win_call(win, function()
      vim.cmd("diffoff")
    end)
    for name, value in pairs({
      winbar = "",
      statusline = "",
      winhighlight = vim.go.winhighlight,
      fillchars = vim.go.fillchars,
    }) do
      vim.wo[win][0][name] = value
    end
  end
end

--- Names the side and its file below each window, where the name of its buffer would stand.
---@param bars table<integer, acp.SideBar>  by window
function M.name_sides(bars)
  for win, bar in pairs(bars) do
    local file = vim.fs.basename(api.nvim_buf_get_name(api.nvim_win_get_buf(win)))
    vim.wo[win][0].statusline = window_name.of(("%s · %s"):format(bar.name, printable.visible(file)))
  end
end

---@param bars table<integer, acp.SideBar>  by window
function M.fit_bars(bars)
  local here, is_typing = api.nvim_get_current_win(), api.nvim_get_mode().mode:find("^[iR]") ~= nil
  for win, bar in pairs(bars) do
    local text = bars_of.text(bar, api.nvim_win_get_width(win), is_typing and win == here)
    if vim.wo[win].winbar ~= text then
      vim.wo[win][0].winbar = text
    end
  end
end

return M
