-- Opens the chat and the prompt of a session, one pair in each tabpage. Opening and closing leaves the user's windows,
-- their sizes, alternate files and jumplists as they were.
local tell_chat_size = require("acp_nvim.windows.tell_chat_size")
local chats = require("acp_nvim.chat.buffer")
local closing = require("acp_nvim.windows.closing")
local messages = require("acp_nvim.ui.messages")
local pairs_of = require("acp_nvim.windows.window_pair")
local placement = require("acp_nvim.windows.placement")
local plan_panel = require("acp_nvim.windows.plan_panel")
local prompt = require("acp_nvim.prompt.buffer")
local prompt_height = require("acp_nvim.windows.prompt_height")
local queue_line = require("acp_nvim.windows.queue_line")
local safe_windows = require("acp_nvim.ui.safe_windows")
local screen_share = require("acp_nvim.windows.screen_share")
local session_store = require("acp_nvim.backend.session_store")
local tabpage = require("acp_nvim.ui.tabpage")
local welcome = require("acp_nvim.chat.welcome")
local winbar = require("acp_nvim.chat.winbar")
local pair_options = require("acp_nvim.windows.pair_options")

local api = vim.api
local M = {
  close = closing.close,
  close_session = closing.close_session,
}

-- Opening -------------------------------------------------------------------------------------------------------------

--- Goes to the tabpage that a pair has to itself, if there is one.
---@return acp.Pair?
local function pair_in_own_tab()
  for tab, pair in pairs(pairs_of.by_tab) do
    if pair.own_tab and placement.position() == "tab" and pairs_of.is_open(pair.chat) then
      api.nvim_set_current_tabpage(tab)
      return pair
    end
  end
end

--- Opens the windows of the pair that are not open, and shows the session in them.
---@param n integer
---@return acp.Pair
local function ensure(n)
  local pair = pairs_of.current() or pair_in_own_tab() or pairs_of.new()
  local was_complete = pairs_of.is_complete(pair)
  if not pairs_of.is_open(pair.chat) then
    pair.chat = placement.open_chat(pair, chats.buffer(n))
  end
  if not pairs_of.is_open(pair.prompt) then
    pair.prompt = placement.open_prompt(pair, prompt.buffer(n))
  end
  pair_options.show(pair, n)
  if not was_complete then
    prompt_height.opened(pair)
    screen_share.record(pair)
  end
  prompt_height.follow_text(pair)
  pairs_of.by_tab[api.nvim_win_get_tabpage(pair.chat)] = pair
  return pair
end

--- Opens the pair in this tabpage, or shows another session in it.
---@param n integer
---@param opts? { focus?: boolean }
---@return boolean ok
function M.open(n, opts)
  if vim.fn.getcmdwintype() ~= "" then
    messages.show("warn", "close the command-line window first")
    return false
  end
  safe_windows.run(function()
    local pair = ensure(n)
    if opts and opts.focus then
      api.nvim_set_current_win(pair.prompt)
      session_store.focus(n)
    end
  end)
  plan_panel.update(assert(pairs_of.current()))
  queue_line.update(assert(pairs_of.current()))
  winbar.refresh(n)
  tell_chat_size.report(n)
  welcome.refresh(n)
  return true
end

--- Puts a text into the prompt of session `n`, to be sent again; the cursor goes there.
---@param n integer
---@param text string
---@return boolean ok
function M.recall(n, text)
  local ok = session_store.exists(n) and M.open(n, { focus = true })
  if ok then
    prompt.put(n, text)
  end
  return ok
end

-- What is there -------------------------------------------------------------------------------------------------------

--- Whether this session's chat (any session's without `n`) is in this tabpage.
---@param n? integer
---@return boolean
function M.is_open(n)
  local pair = pairs_of.current()
  return pair ~= nil and pairs_of.is_open(pair.chat) and (n == nil or pair.session == n)
end

--- Whether the cursor is in a chat, its prompt or its plan.
---@return boolean
function M.has_focus()
  local pair = pairs_of.current()
  return pair ~= nil and pairs_of.holds(pair, api.nvim_get_current_win())
end

--- The prompt's window in this tabpage.
---@return integer?
function M.prompt()
  local pair = pairs_of.current()
  return pair and pairs_of.is_open(pair.prompt) and pair.prompt or nil
end

--- Returns a window of the user's in which a file may be shown: one that shows the buffer, else the last one with a
--- listed file, else any with one, else a new one, for which it goes to a new tabpage if there is no room here.
---@param buf? integer
---@return integer
function M.window_for_file(buf)
  local pair = pairs_of.current()
  local candidates = tabpage.windows()
  if pair and pair.file then
    table.insert(candidates, 1, pair.file) -- no nil: it would be a hole, at which the search ends
  end
  local showing = vim.iter(candidates):find(function(win)
    return placement.takes_files(win) and api.nvim_win_get_buf(win) == buf
  end)
  local found = showing or vim.iter(candidates):find(placement.takes_files)
  if found then
    return found
  end
  local empty = api.nvim_create_buf(true, false)
  local ok, win = pcall(api.nvim_open_win, empty, false, { split = pair and "left" or "above", win = -1 })
  if ok then
    return win
  elseif not tabpage.is_for_want_of_room(win) then
    error(win, 0)
  end
  tabpage.new_tab(empty)
  return api.nvim_get_current_win()
end

-- The plan belongs to the tabpage in front; another one is brought up to date when its pair is opened again.
session_store.on_change(function(n)
  local pair = pairs_of.current()
  if pair and pair.session == n and vim.fn.getcmdwintype() == "" then
    plan_panel.update(pair)
  end
end)

-- The queue above the prompt takes a row of its window, or the one that parts it from the chat.
session_store.on_change(function(n)
  for _, pair in pairs(pairs_of.by_tab) do
    if pair.session == n and pairs_of.is_complete(pair) and vim.fn.getcmdwintype() == "" then
      queue_line.update(pair)
    end
    if pair.session == n and pairs_of.is_complete(pair) and pair_options.update_queue(pair) then
      prompt_height.follow_text(pair)
    end
  end
end)

-- Autocommands --------------------------------------------------------------------------------------------------------

local group = api.nvim_create_augroup("acp_nvim.session_windows", {})

api.nvim_create_autocmd({ "WinNew", "WinClosed", "VimResized" }, {
  group = group,
  callback = function(event)
    local win = event.event == "WinClosed" and tonumber(event.match) or api.nvim_get_current_win()
    local pair = pairs_of.by_tab[api.nvim_win_get_tabpage(win)]
    if pair and (event.event == "VimResized" or not tabpage.is_float(win)) then
      pair.disturbed = true
    end
  end,
})

api.nvim_create_autocmd("BufEnter", {
  group = group,
  callback = function()
    pairs_of.give_back(api.nvim_get_current_win())
  end,
})

api.nvim_create_autocmd("WinResized", {
  group = group,
  callback = function()
    local pair = pairs_of.current()
    if pair then
      screen_share.resized(pair)
      prompt_height.resized(pair, vim.v.event.windows)
      if vim.fn.getcmdwintype() == "" then
        queue_line.update(pair)
      end
    end
  end,
})

--- Moves the pair to the edge where 'auto' puts it, outside insert mode and the command line.
local function move_by_screen()
  local pair = pairs_of.current()
  if not pair or api.nvim_get_mode().mode ~= "n" or vim.fn.getcmdwintype() ~= "" or not placement.is_to_move(pair) then
    return
  end
  safe_windows.run(function()
    placement.move(pair, screen_share.users_sizes(pair))
    pair_options.show(pair, pair.session)
    screen_share.record(pair)
    prompt_height.moved(pair)
  end)
end

-- Neovim resizes windows of the current tabpage only.
api.nvim_create_autocmd({ "VimResized", "TabEnter" }, {
  group = group,
  callback = function()
    local pair = pairs_of.current()
    if pair then
      move_by_screen()
      screen_share.follow_screen(pair)
    end
  end,
})

api.nvim_create_autocmd("ModeChanged", {
  group = group,
  pattern = "*:n",
  callback = function()
    local pair = pairs_of.current()
    if pair and placement.is_to_move(pair) then
      vim.schedule(move_by_screen)
    end
  end,
})

api.nvim_create_autocmd("WinClosed", {
  group = group,
  callback = function(event)
    local closed = tonumber(event.match) --[[@as integer]]
    plan_panel.closed(closed)
    for tab, pair in pairs(pairs_of.by_tab) do
      if pairs_of.holds(pair, closed) then
        vim.schedule(function()
          closing.close_partner(tab, pair)
        end)
      end
    end
  end,
})

api.nvim_create_autocmd("WinLeave", {
  group = group,
  callback = function()
    local pair = pairs_of.by_tab[api.nvim_get_current_tabpage()]
    local win = api.nvim_get_current_win()
    local is_ours = vim.b[api.nvim_win_get_buf(win)].acp_session ~= nil
    if pair and not is_ours and not tabpage.is_float(win) then
      pair.origin = win
      pair.file = placement.takes_files(win) and win or pair.file
    end
  end,
})

api.nvim_create_autocmd("SafeState", {
  group = group,
  callback = function()
    local pair = pairs_of.current()
    if pair and pairs_of.is_complete(pair) and pair_options.leave_statuslines(pair) then
      queue_line.update(pair)
    end
  end,
})

return M
