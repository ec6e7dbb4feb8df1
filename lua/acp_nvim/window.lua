-- The windows: in each tabpage at most one pair, a chat with its prompt below. Opening and closing them leaves the
-- user's windows, their sizes, alternate files and jumplists as they were.
local chats = require("acp_nvim.chat")
local config = require("acp_nvim.config")
local prompt = require("acp_nvim.prompt")
local scratch = require("acp_nvim.scratch")
local state = require("acp_nvim.state")
local undisturbed = require("acp_nvim.undisturbed")
require("acp_nvim.tail") -- hears of windows that grow

local api = vim.api
local M = {}

---@class acp.Pair
---@field session integer
---@field chat? integer
---@field prompt? integer
---@field origin? integer   the user's window
---@field own_tab boolean
---@field height? integer   the prompt's, as we or the user made it
---@field both? integer     the height of the two windows then
---@field disturbed boolean  windows have come or gone, or the screen has changed: sizes are not the user's wish
---@field fitted? string   the heights that we have given, which are not the user's wish either
---@field lent? boolean     a question has lines of the prompt's
---@field layout { windows: integer[], size: string, command: string }  as it was before

local LEAST_WIDTH = 20
local group = api.nvim_create_augroup("acp_nvim.window", {})
local pairs_by_tab = {} ---@type table<integer, acp.Pair>

local SHARED = {
  wrap = true,
  linebreak = true,
  breakindent = true,
  number = false,
  relativenumber = false,
  signcolumn = "no",
  foldcolumn = "0",
  foldenable = false,
  list = false,
  spell = false,
  conceallevel = 0,
  cursorline = false,
  cursorcolumn = false,
  colorcolumn = "",
  scrollbind = false,
  cursorbind = false,
  diff = false,
  winhighlight = "",
  fillchars = "eob: ",
}

---@param win? integer
---@return boolean
local function is_open(win)
  return win ~= nil and api.nvim_win_is_valid(win)
end

---@param win integer
---@return boolean
local function is_float(win)
  return api.nvim_win_get_config(win).relative ~= ""
end

---@return acp.Pair?
local function current_pair()
  local tab = api.nvim_get_current_tabpage()
  local pair = pairs_by_tab[tab]
  if pair and not is_open(pair.chat) and not is_open(pair.prompt) then
    pairs_by_tab[tab] = nil
    return nil
  end
  return pair
end

---@return integer[]
local function plain_windows()
  return vim.tbl_filter(function(win)
    return not is_float(win)
  end, api.nvim_tabpage_list_wins(0))
end

-- Layout --------------------------------------------------------------------------------------------------------------

---@param pair acp.Pair
---@return integer[]
local function users_windows(pair)
  return vim.tbl_filter(function(win)
    return win ~= pair.chat and win ~= pair.prompt
  end, plain_windows())
end

local function screen_size()
  return ("%dx%d"):format(vim.o.columns, vim.o.lines)
end

---@param pair acp.Pair
local function remember_layout(pair)
  pair.layout = { windows = users_windows(pair), size = screen_size(), command = vim.fn.winrestcmd() }
end

--- Gives the user's windows back the sizes that they had, if they are still the same ones.
---@param pair acp.Pair
local function restore_layout(pair)
  local layout = pair.layout
  if layout.size == screen_size() and vim.deep_equal(layout.windows, plain_windows()) then
    vim.cmd(layout.command)
  end
end

---@param total integer
---@return integer
local function share(total)
  local width = config.get().chat.width
  width = width < 1 and total * width or width
  return math.max(math.min(math.floor(width), total - LEAST_WIDTH), LEAST_WIDTH)
end

---@param height integer  of the two windows together
---@return integer
local function prompt_height(height)
  return math.max(1, math.min(config.get().chat.prompt_height, math.floor(height / 3)))
end

---@param buf integer
---@param row integer
---@param height integer
---@param title string
---@return integer
local function float(buf, row, height, title)
  local width = math.max(1, math.min(vim.o.columns - 4, math.max(80, math.floor(vim.o.columns * 0.7))))
  return api.nvim_open_win(buf, false, {
    relative = "editor",
    row = row,
    col = math.max(0, math.floor((vim.o.columns - width) / 2) - 1),
    width = width,
    height = height,
    border = "rounded",
    title = title,
  })
end

--- Where the chat's window comes to be (a size of its own keeps 'equalalways' from resizing all others), by the position in the configuration.
---@type table<string, fun(buf: integer, pair: acp.Pair): integer>
local places = {}

function places.right(buf)
  return api.nvim_open_win(buf, false, { split = "right", win = -1, width = share(vim.o.columns) })
end

function places.left(buf)
  return api.nvim_open_win(buf, false, { split = "left", win = -1, width = share(vim.o.columns) })
end

function places.bottom(buf)
  return api.nvim_open_win(
    buf,
    false,
    { split = "below", win = -1, height = math.max(3, math.floor(vim.o.lines * 0.45)) }
  )
end

function places.tab(buf, pair)
  local switchbuf = vim.o.switchbuf
  vim.o.switchbuf = ""
  local ok, err = pcall(vim.cmd --[[@as fun(command: string)]], ("tab sbuffer %d"):format(buf))
  vim.o.switchbuf = switchbuf
  if not ok then
    error(err, 0)
  end
  pair.own_tab = true
  return api.nvim_get_current_win()
end

function places.float(buf)
  local height = math.max(4, math.floor(vim.o.lines * 0.8) - 4)
  return float(buf, math.floor(vim.o.lines * 0.06), height - prompt_height(height), "")
end

---@return string
local function position()
  local wanted = config.get().chat.position
  local beside = wanted == "right" or wanted == "left"
  if beside and vim.o.columns < 2 * LEAST_WIDTH or wanted ~= "tab" and vim.o.lines < 10 then
    return "tab"
  end
  return wanted
end

--- On a screen of a few lines the prompt takes the chat's last one.
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
local function open_prompt(pair, buf)
  local height = api.nvim_win_get_height(pair.chat)
  if is_float(pair.chat) then
    local at = api.nvim_win_get_config(pair.chat)
    return float(buf, at.row + height + 2, prompt_height(height * 4 / 3), "")
  end
  local ok, win = pcall(api.nvim_open_win, buf, false, {
    split = "below",
    win = pair.chat,
    height = prompt_height(height),
  })
  return ok and win or over_the_last_line(pair.chat, buf)
end

---@param pair acp.Pair
---@param buf integer
---@return integer
local function open_chat(pair, buf)
  if is_open(pair.prompt) then
    local height = math.max(1, api.nvim_win_get_height(pair.prompt) - prompt_height(vim.o.lines) - 1)
    return api.nvim_open_win(buf, false, { split = "above", win = pair.prompt, height = height })
  end
  local ok, win = pcall(places[position()], buf, pair)
  return ok and win or places.tab(buf, pair)
end

---@param win integer
---@param buf integer
---@param options table<string, any>
local function show(win, buf, options)
  if api.nvim_win_get_buf(win) ~= buf then
    api.nvim_set_option_value("winfixbuf", false, { win = win, scope = "local" })
    api.nvim_win_set_buf(win, buf)
  end
  for name, value in pairs(vim.tbl_extend("error", SHARED, options)) do
    api.nvim_set_option_value(name, value, { win = win, scope = "local" })
  end
end

--- The bars of the two windows. Where every window has a statusline, that of the chat heads the prompt.
---@param pair acp.Pair
---@return table<string, string> chat
---@return table<string, string> prompt
local function bars(pair)
  local winbar = require("acp_nvim.winbar")
  if vim.go.winbar ~= "" and not is_float(pair.chat) and vim.o.laststatus == 2 then
    -- The prompt has a winbar in any case: let it be ours.
    return { winbar = winbar.CHAT, statusline = winbar.PLACE }, { winbar = winbar.PROMPT, statusline = winbar.PLACE }
  elseif is_float(pair.chat) or vim.o.laststatus ~= 2 then
    return { winbar = winbar.CHAT }, { winbar = winbar.PROMPT }
  end
  return { winbar = winbar.CHAT, statusline = winbar.PROMPT }, { winbar = "", statusline = winbar.PLACE }
end

---@param pair acp.Pair
---@param n integer
local function fill(pair, n)
  local beside = not is_float(pair.chat) and api.nvim_win_get_width(pair.chat) < vim.o.columns
  local above, below = bars(pair)
  local fixed = { winfixbuf = true, winfixwidth = beside }
  show(pair.chat, chats.buffer(n), vim.tbl_extend("error", fixed, above))
  show(pair.prompt, prompt.buffer(n), vim.tbl_extend("error", fixed, below, { winfixheight = true }))
  if pair.session ~= n then
    api.nvim_win_set_cursor(pair.chat, { api.nvim_buf_line_count(api.nvim_win_get_buf(pair.chat)), 0 })
  end
  pair.session = n
end

-- The two heights -----------------------------------------------------------------------------------------------------

---@param pair? acp.Pair
---@return boolean  one below the other, and not floating
local function is_stacked(pair)
  return pair ~= nil and is_open(pair.chat) and is_open(pair.prompt) and not is_float(pair.prompt)
end

---@param pair acp.Pair
---@return integer prompt
---@return integer both
local function heights(pair)
  local height = api.nvim_win_get_height(pair.prompt)
  return height, height + api.nvim_win_get_height(pair.chat)
end

---@param pair acp.Pair
local function note_heights(pair)
  if is_stacked(pair) and pair.fitted ~= ("%d of %d"):format(heights(pair)) then
    pair.height, pair.both = heights(pair)
    pair.fitted = nil
  end
end

--- Gives the prompt its height, and with it the chat what is left.
---@param pair acp.Pair
local function restore_heights(pair)
  pair.disturbed = false
  if not is_stacked(pair) or not pair.height or pair.lent then
    return
  end
  local height, both = heights(pair)
  local wanted = both < pair.both and math.max(1, math.min(pair.height, math.floor(both / 3))) or pair.height
  if height ~= wanted then
    api.nvim_win_set_height(pair.prompt, wanted --[[@as integer]])
  end
  pair.fitted = ("%d of %d"):format(heights(pair))
end

--- Sizes have changed: by the user's hand, which counts from now on, or because windows came or went.
---@param pair acp.Pair
---@param windows integer[]
local function resized(pair, windows)
  if pair.disturbed then
    restore_heights(pair)
  elseif not pair.lent and (vim.list_contains(windows, pair.chat) or vim.list_contains(windows, pair.prompt)) then
    note_heights(pair)
  end
end

-- Opening -------------------------------------------------------------------------------------------------------------

--- The pair that has a tabpage to itself; it becomes the current one.
---@return acp.Pair?
local function pair_in_own_tab()
  for tab, pair in pairs(pairs_by_tab) do
    if pair.own_tab and position() == "tab" and is_open(pair.chat) then
      api.nvim_set_current_tabpage(tab)
      return pair
    end
  end
end

--- Opens what of the pair is not open.
---@param n integer
---@return acp.Pair
local function ensure(n)
  local pair = current_pair() or pair_in_own_tab()
  if not pair then
    local origin = api.nvim_get_current_win()
    pair = { session = 0, own_tab = false, disturbed = false, origin = origin, layout = {} }
    remember_layout(pair)
  end
  local complete = not is_open(pair.chat) or not is_open(pair.prompt)
  if not is_open(pair.chat) then
    pair.chat = open_chat(pair, chats.buffer(n))
  end
  if not is_open(pair.prompt) then
    pair.prompt = open_prompt(pair, prompt.buffer(n))
  end
  fill(pair, n)
  if complete then
    note_heights(pair)
  end
  pairs_by_tab[api.nvim_win_get_tabpage(pair.chat)] = pair
  return pair
end

-- The seam ------------------------------------------------------------------------------------------------------------

--- Opens the pair in this tabpage, or shows another session in it.
---@param n integer
---@param opts? { focus?: boolean }
---@return boolean ok
function M.open(n, opts)
  if vim.fn.getcmdwintype() ~= "" then
    scratch.message("warn", "close the command-line window first")
    return false
  end
  undisturbed.run(function()
    local pair = ensure(n)
    if opts and opts.focus then
      api.nvim_set_current_win(pair.prompt)
      state.focus(n)
    end
  end)
  require("acp_nvim.winbar").refresh(n)
  return true
end

--- Is this session's chat (any session's without `n`) in this tabpage?
---@param n? integer
---@return boolean
function M.is_open(n)
  local pair = current_pair()
  return pair ~= nil and is_open(pair.chat) and (n == nil or pair.session == n)
end

--- The last windows of all stay, with an ordinary buffer.
---@param pair acp.Pair
local function leave_something(pair)
  local win = (is_open(pair.chat) and pair.chat or pair.prompt) --[[@as integer]]
  local listed = vim.tbl_filter(function(buf)
    return vim.bo[buf].buflisted
  end, api.nvim_list_bufs())
  api.nvim_set_option_value("winfixbuf", false, { win = win, scope = "local" })
  local bar = { win = win, scope = "local" }
  api.nvim_set_option_value("winbar", "", bar)
  api.nvim_win_set_buf(win, listed[1] or api.nvim_create_buf(true, false))
  pair[win == pair.chat and "chat" or "prompt"] = nil
end

--- The further windows on the pair's buffers that the user has made.
---@param pair acp.Pair
---@return integer[]
local function copies(pair)
  return vim.tbl_filter(function(win)
    local buf = api.nvim_win_get_buf(win)
    local is_ours = vim.b[buf].acp_session == pair.session
      and vim.list_contains({ "acp_chat", "acp_prompt" }, vim.bo[buf].filetype)
    return is_ours and win ~= pair.chat and win ~= pair.prompt
  end, api.nvim_tabpage_list_wins(0))
end

---@param pair acp.Pair
local function close_windows(pair)
  for _, name in ipairs({ "prompt", "chat" }) do
    local win = pair[name]
    pair[name] = nil
    if is_open(win) then
      api.nvim_win_close(win, true)
    end
  end
end

---@param pair acp.Pair  of this tabpage
local function close(pair)
  pairs_by_tab[api.nvim_get_current_tabpage()] = nil
  local further = copies(pair)
  local inside = vim.list_contains(vim.list_extend({ pair.chat, pair.prompt }, further), api.nvim_get_current_win())
  for _, win in ipairs(further) do
    api.nvim_win_close(win, true)
  end
  if #users_windows(pair) == 0 and #api.nvim_list_tabpages() == 1 then
    leave_something(pair)
  end
  close_windows(pair)
  if inside and is_open(pair.origin) then
    api.nvim_set_current_win(pair.origin)
  end
  restore_layout(pair)
end

--- Closes the pair of this tabpage; the session goes on.
function M.close()
  local pair = current_pair()
  if pair and vim.fn.getcmdwintype() == "" then
    undisturbed.run(function()
      close(pair)
    end)
  end
end

--- Closes every pair that shows a session which is about to go.
---@param n integer
function M.close_session(n)
  local here = api.nvim_get_current_tabpage()
  for tab, pair in pairs(pairs_by_tab) do
    if pair.session == n and tab == here then
      M.close()
    elseif pair.session == n then
      pairs_by_tab[tab] = nil
      undisturbed.run(function()
        close_windows(pair)
      end)
    end
  end
end

---@param n integer
function M.toggle(n)
  if M.is_open() then
    M.close()
  else
    M.open(n, { focus = true })
  end
end

--- Lends the chat lines of the prompt's, for a question that is higher than its window.
---@param win integer
---@param rows integer
function M.enlarge(win, rows)
  local pair = current_pair()
  if pair and is_stacked(pair) and pair.chat == win then
    pair.lent = true
    api.nvim_win_set_height(pair.prompt, math.max(1, heights(pair) - rows))
  end
end

--- A question of the session is gone: the prompt gets back what it has lent.
---@param n integer
function M.settle(n)
  for _, pair in pairs(pairs_by_tab) do
    if pair.session == n and pair.lent then
      pair.lent = nil
      restore_heights(pair)
    end
  end
end

--- The prompt's window in this tabpage.
---@return integer?
function M.prompt()
  local pair = current_pair()
  return pair and is_open(pair.prompt) and pair.prompt or nil
end

--- A window of the user's in which a file may be shown: the one they came from, else any, else a new one.
---@return integer
function M.origin()
  local pair = current_pair()
  local candidates = plain_windows()
  if pair and pair.origin then
    table.insert(candidates, 1, pair.origin) -- no nil: it would be a hole, at which the search ends
  end
  for _, win in ipairs(candidates) do
    if is_open(win) and vim.bo[api.nvim_win_get_buf(win)].buftype == "" and not vim.wo[win].winfixbuf then
      return win
    end
  end
  return api.nvim_open_win(api.nvim_create_buf(true, false), false, { split = pair and "left" or "above", win = -1 })
end

-- Autocommands --------------------------------------------------------------------------------------------------------

--- One of the pair has been closed: so is the other, unless it is all that is left.
---@param tab integer
---@param pair acp.Pair
local function close_partner(tab, pair)
  local partner = is_open(pair.chat) and pair.chat or is_open(pair.prompt) and pair.prompt or nil
  if pairs_by_tab[tab] ~= pair or not partner or (is_open(pair.chat) and is_open(pair.prompt)) then
    return
  end
  local left = vim.tbl_filter(function(win)
    return not is_float(win)
  end, api.nvim_tabpage_list_wins(tab))
  if #left == 1 and left[1] == partner and (not pair.own_tab or #api.nvim_list_tabpages() == 1) then
    return
  end
  pairs_by_tab[tab] = nil
  close_windows(pair)
  if tab == api.nvim_get_current_tabpage() then
    restore_layout(pair)
  end
end

api.nvim_create_autocmd({ "WinNew", "WinClosed", "VimResized" }, {
  group = group,
  callback = function(event)
    local win = event.event == "WinClosed" and tonumber(event.match) or api.nvim_get_current_win()
    local pair = pairs_by_tab[api.nvim_win_get_tabpage(win)]
    if pair and (event.event == "VimResized" or not is_float(win)) then
      pair.disturbed = true
    end
  end,
})

api.nvim_create_autocmd("WinResized", {
  group = group,
  callback = function()
    local pair = current_pair()
    if pair then
      resized(pair, vim.v.event.windows)
    end
  end,
})

api.nvim_create_autocmd("WinClosed", {
  group = group,
  callback = function(event)
    local closed = tonumber(event.match)
    for tab, pair in pairs(pairs_by_tab) do
      if closed == pair.chat or closed == pair.prompt then
        vim.schedule(function()
          close_partner(tab, pair)
        end)
      end
    end
  end,
})

api.nvim_create_autocmd("WinLeave", {
  group = group,
  callback = function()
    local pair = pairs_by_tab[api.nvim_get_current_tabpage()]
    local win = api.nvim_get_current_win()
    local is_ours = vim.b[api.nvim_win_get_buf(win)].acp_session ~= nil
    if pair and not is_ours and not is_float(win) then
      pair.origin = win
    end
  end,
})

return M
