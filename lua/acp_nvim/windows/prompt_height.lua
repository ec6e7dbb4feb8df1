-- Keeps the height of a prompt, as we or the user have set it, while other windows come and go. A prompt grows with its
-- text, up to `chat.prompt_height`, and shrinks with it again:
--
--     base 3 (as it was opened), most 8      text of 1 row: 3      of 5 rows: 5      of 20 rows: 8
local config = require("acp_nvim.config.settings")
local pairs_of = require("acp_nvim.windows.window_pair")
local placement = require("acp_nvim.windows.placement")
local tabpage = require("acp_nvim.ui.tabpage")
local text_change = require("acp_nvim.prompt.text_change")

local api = vim.api
local M = {}

---@param pair acp.Pair
---@return boolean  one below the other, and not floating
local function is_stacked(pair)
  return pairs_of.is_complete(pair) and not tabpage.is_float(pair.prompt)
end

--- A winbar takes the first row of its window.
---@param win integer
---@return integer
local function bar_rows(win)
  return api.nvim_get_option_value("winbar", { win = win, scope = "local" }) ~= "" and 1 or 0
end

---@param pair acp.Pair
---@return integer prompt  rows for text
---@return integer both    the heights of the two windows together
local function heights(pair)
  local height = api.nvim_win_get_height(pair.prompt)
  return height - bar_rows(pair.prompt), height + api.nvim_win_get_height(pair.chat)
end

--- Counts the screen rows of a prompt's text, at most `most`: a large text is not measured.
---@param win integer
---@param most integer
---@return integer
local function rows_of(win, most)
  local buf = api.nvim_win_get_buf(win)
  local lines = api.nvim_buf_line_count(buf)
  local bytes = api.nvim_buf_get_offset(buf, lines)
  if lines >= most or bytes > 4 * most * api.nvim_win_get_width(win) then
    return most
  end
  return math.min(most, api.nvim_win_text_height(win, {}).all)
end

--- Remembers the heights of the pair as they are wanted.
---@param pair acp.Pair
function M.record(pair)
  if is_stacked(pair) and not vim.deep_equal(pair.fitted, { heights(pair) }) then
    pair.prompt_rows, pair.both_rows = heights(pair)
    pair.fitted = nil
  end
end

--- The pair has been opened: the height that the prompt was given counts without its bar.
---@param pair acp.Pair
function M.opened(pair)
  if is_stacked(pair) then
    M.record(pair)
    pair.prompt_rows = pair.prompt_rows + bar_rows(pair.prompt)
  end
end

--- The pair has been moved to another edge of the screen: the prompt keeps its rows, as far as there is room for them.
---@param pair acp.Pair
function M.moved(pair)
  pair.both_rows = select(2, heights(pair))
  M.follow_text(pair)
end

--- The rows of text that the prompt is to have: what was wanted, more with a longer text, less where there is too
--- little room.
---@param pair acp.Pair
---@param both integer
---@return integer
local function wanted_height(pair, both)
  local third = math.floor(both / 3)
  local base = both < pair.both_rows and math.min(pair.prompt_rows, third) or pair.prompt_rows
  local most = math.max(base, math.min(config.get().chat.prompt_height, third))
  return math.max(1, base, rows_of(pair.prompt, most)) --[[@as integer]]
end

--- Gives the prompt its height, and with it the chat what is left.
---@param pair acp.Pair
local function fit(pair)
  if not is_stacked(pair) or not pair.prompt_rows then
    return
  end
  local height, both = heights(pair)
  local wanted = wanted_height(pair, both)
  if height ~= wanted then
    api.nvim_win_set_height(pair.prompt, wanted + bar_rows(pair.prompt))
  end
  pair.fitted = { heights(pair) }
end

--- Shows the rows above the cursor that now have room: Neovim keeps the first visible line where it is.
---@param win integer
local function fill(win)
  if api.nvim_buf_line_count(api.nvim_win_get_buf(win)) <= api.nvim_win_get_height(win) then
    api.nvim_win_call(win, function()
      vim.fn.winrestview({ topline = 1, skipcol = 0 })
    end)
  end
end

--- The text of a prompt has changed, or the pair shows another session: its height follows.
---@param pair acp.Pair
function M.follow_text(pair)
  if pair.disturbed or vim.fn.getcmdwintype() ~= "" then
    return
  elseif pairs_of.is_complete(pair) and tabpage.is_float(pair.prompt) then
    local rows = rows_of(pair.prompt, config.get().chat.prompt_height)
    placement.float_anew(pair, rows)
  else
    fit(pair)
  end
  if pairs_of.is_open(pair.prompt) then
    fill(pair.prompt)
  end
end

--- Sizes have changed. If the user has changed them they count from now on; if windows came or went they are restored.
---@param pair acp.Pair
---@param windows integer[]
function M.resized(pair, windows)
  if pair.disturbed then
    pair.disturbed = false
    fit(pair)
  elseif vim.list_contains(windows, pair.chat) or vim.list_contains(windows, pair.prompt) then
    M.record(pair)
  end
end

text_change.on_text(function(n)
  for _, pair in pairs(pairs_of.by_tab) do
    if pair.session == n then
      M.follow_text(pair)
    end
  end
end)

return M
