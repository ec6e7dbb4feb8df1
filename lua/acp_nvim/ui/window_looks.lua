-- Gives the plugin's own windows their options: a new window has those of the window that it is split from, and a
-- number column or a spell check of the user's is for files, not for a chat or a list.
local highlight = require("acp_nvim.ui.highlight")

local api = vim.api
local M = {}

M.OPTIONS = { ---@type table<string, any>
  wrap = true,
  linebreak = true,
  breakindent = true,
  breakindentopt = "",
  showbreak = "NONE",
  smoothscroll = true, -- of a line that is cut off at the top the end is shown
  number = false,
  relativenumber = false,
  signcolumn = "no",
  foldcolumn = "0",
  foldenable = false,
  statuscolumn = "",
  list = true, -- of all that it shows only where a line is cut off, instead of "<<<"
  listchars = "tab:  ,precedes:…",
  spell = false,
  conceallevel = 0,
  concealcursor = "", -- the cursor's line shows what is hidden elsewhere
  cursorline = false,
  cursorcolumn = false,
  colorcolumn = "",
  scrollbind = false,
  cursorbind = false,
  diff = false,
  winhighlight = highlight.WINDOW,
  fillchars = "eob: ,lastline: ", -- no "@@@" where the last line goes on below the window
  winbar = "",
  statusline = "",
}

--- Sets the options of one of our windows, for the buffer that is in it.
---@param win integer
---@param own? table<string, any>  which this window has beside the common ones, or instead of them
function M.set(win, own)
  for name, value in pairs(vim.tbl_extend("force", M.OPTIONS, own or {})) do
    api.nvim_set_option_value(name, value, { win = win, scope = "local" })
  end
end

return M
