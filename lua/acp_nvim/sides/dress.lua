-- The looks of a side: in diff mode, unless too much differs for that, with the user's own options, under a bar that says as much as there is room for.
local highlight = require("acp_nvim.highlight")

local api = vim.api
local M = {}

-- What a split takes over from the window it is made of, which may be a chat.
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

--- What goes is red, what comes is green, and what is only on the other side is a quiet pattern.
---@param win integer
---@param goes boolean  the left side
local function colour(win, goes)
  highlight.dress(win, highlight.side(goes and "AcpDiffRemoved" or "AcpDiffAdded"))
  vim.api.nvim_win_call(win, function()
    vim.opt_local.fillchars:append({ diff = "╱" })
  end)
end

---@param win integer
---@param buf integer
---@param how { goes: boolean, plain?: boolean }  goes: the left side; plain: without diff mode
function M.put_on(win, buf, how)
  if api.nvim_win_get_buf(win) ~= buf then
    api.nvim_win_set_buf(win, buf)
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
    for name, value in pairs({ winbar = "", winhighlight = vim.go.winhighlight, fillchars = vim.go.fillchars }) do
      vim.wo[win][0][name] = value
    end
  end
end

---@param bar string  an option's value
---@return integer
local function width_of(bar)
  return vim.fn.strwidth((bar:gsub("%%<", ""):gsub("%%%%", "%%")))
end

---@param bars table<integer, string[]>  by window, the longest first
function M.fit_bars(bars)
  for win, texts in pairs(bars) do
    local width = api.nvim_win_get_width(win)
    local fitting = vim.iter(texts):find(function(text)
      return width_of(text) <= width
    end) or texts[#texts]
    if vim.wo[win].winbar ~= fitting then
      vim.wo[win][0].winbar = fitting
    end
  end
end

return M
