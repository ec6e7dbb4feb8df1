-- Opens the windows of a pair: the chat where the configuration says, the prompt below it.
local config = require("acp_nvim.config.settings")
local pairs_of = require("acp_nvim.windows.window_pair")
local tabpage = require("acp_nvim.ui.tabpage")

local api = vim.api
local M = {}

local LEAST_WIDTH = 20
local LEAST_LINES = 10 -- below it the chat has a tabpage of its own
local PROMPT_ROWS = 3 -- of an empty prompt

---@return string
function M.position()
  local wanted = config.get().chat.position
  local beside = wanted == "right" or wanted == "left"
  if beside and vim.o.columns < 2 * LEAST_WIDTH or wanted ~= "tab" and vim.o.lines < LEAST_LINES then
    return "tab"
  end
  return wanted
end

--- Whether a file of the user's may be shown in it. File trees are buffers of another type, or as netrw's folders, and
--- not listed.
---@param win integer
---@return boolean
function M.takes_files(win)
  if not pairs_of.is_open(win) or vim.wo[win].winfixbuf or vim.wo[win].previewwindow then
    return false
  end
  local buf = api.nvim_win_get_buf(win)
  local is_folder = vim.fn.isdirectory(api.nvim_buf_get_name(buf)) == 1
  return vim.bo[buf].buftype == "" and vim.bo[buf].buflisted and not is_folder
end

--- Returns the width of a chat beside the user's windows.
---@return integer
function M.width()
  local total, width = vim.o.columns, config.get().chat.width
  width = width < 1 and total * width or width
  return math.max(math.min(math.floor(width), total - LEAST_WIDTH), LEAST_WIDTH)
end

--- Returns the height of a chat with its prompt below the user's windows.
---@return integer
function M.height()
  return math.max(3, math.floor(vim.o.lines * 0.45))
end

---@param height integer  of the two windows together
---@param rows? integer   of the prompt's text
---@return integer
local function prompt_height(height, rows)
  local wanted = math.max(PROMPT_ROWS, rows or 0)
  return math.max(1, math.min(wanted, config.get().chat.prompt_height, math.floor(height / 3)))
end

---@param row integer
---@param height integer
---@return vim.api.keyset.win_config
local function floating(row, height)
  local width = math.max(1, math.min(vim.o.columns - 4, math.max(80, math.floor(vim.o.columns * 0.7))))
  return {
    relative = "editor",
    row = row,
    col = math.max(0, math.floor((vim.o.columns - width) / 2) - 1),
    width = width,
    height = height,
    border = "rounded",
    title = "",
  }
end

--- Returns where a chat and its prompt float.
---@param rows? integer  of the prompt's text
---@return vim.api.keyset.win_config chat
---@return vim.api.keyset.win_config prompt
local function floats(rows)
  local both = math.max(4, math.floor(vim.o.lines * 0.8) - 4)
  local row, below = math.floor(vim.o.lines * 0.06), prompt_height(both, rows) + 1 -- with a bar
  return floating(row, both - below), floating(row + both - below + 2, below)
end

--- Gives the two that float their share of the screen as it is now.
---@param pair acp.Pair
---@param rows? integer  of the prompt's text
function M.float_anew(pair, rows)
  local chat, prompt_below = floats(rows)
  api.nvim_win_set_config(pair.chat, chat)
  api.nvim_win_set_config(pair.prompt, prompt_below)
end

-- Where the chat is opened, by `chat.position`. A size of its own keeps 'equalalways' from resizing all others.
---@type table<string, fun(buf: integer, pair: acp.Pair): integer>
local places = {}

function places.right(buf)
  return api.nvim_open_win(buf, false, { split = "right", win = -1, width = M.width() })
end

function places.left(buf)
  return api.nvim_open_win(buf, false, { split = "left", win = -1, width = M.width() })
end

function places.bottom(buf)
  return api.nvim_open_win(buf, false, { split = "below", win = -1, height = M.height() })
end

function places.tab(buf, pair)
  tabpage.new_tab(buf)
  pair.own_tab = true
  return api.nvim_get_current_win()
end

function places.float(buf)
  return api.nvim_open_win(buf, false, (floats()))
end

--- Opens the chat above its prompt if that is open, else where the configuration says; where Neovim has no room for
--- another window (E36), in a tabpage of its own.
---@param pair acp.Pair
---@param buf integer
---@return integer
function M.open_chat(pair, buf)
  if pairs_of.is_open(pair.prompt) then
    local height = math.max(1, api.nvim_win_get_height(pair.prompt) - prompt_height(vim.o.lines) - 1)
    return api.nvim_open_win(buf, false, { split = "above", win = pair.prompt, height = height })
  end
  local ok, win = pcall(places[M.position()], buf, pair)
  return ok and win or places.tab(buf, pair)
end

--- Opens the prompt as a float over the chat's last line: on a screen of a few lines no window can be split.
---@param chat integer
---@param buf integer
---@return integer
local function over_the_last_line(chat, buf)
  local row, width = api.nvim_win_get_height(chat) - 1, api.nvim_win_get_width(chat)
  return api.nvim_open_win(buf, false, { relative = "win", win = chat, row = row, col = 0, width = width, height = 1 })
end

---@param pair acp.Pair
---@param buf integer
---@return integer
function M.open_prompt(pair, buf)
  local height = api.nvim_win_get_height(pair.chat)
  if tabpage.is_float(pair.chat) then
    return api.nvim_open_win(buf, false, (select(2, floats())))
  end
  local below = { split = "below", win = pair.chat, height = prompt_height(height) }
  local ok, win = pcall(api.nvim_open_win, buf, false, below)
  return ok and win or over_the_last_line(pair.chat, buf)
end

return M
