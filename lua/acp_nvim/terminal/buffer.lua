-- Shows agents' terminals: each gets a terminal buffer, with its colours, when the user opens it.
local backend = require("acp_nvim.backend.process")
local limits = require("acp_nvim.limits")
local lists = require("acp_nvim.ui.list")
local messages = require("acp_nvim.ui.messages")
local printable = require("acp_nvim.ui.printable")
local registry = require("acp_nvim.terminal.registry")
local tabpage = require("acp_nvim.ui.tabpage")
local terminal_list = require("acp_nvim.terminal.list")
local window_name = require("acp_nvim.ui.window_name")
local window_looks = require("acp_nvim.ui.window_looks")

local api = vim.api
local M = { list = registry.list }

local list ---@type acp.List

---@param terminal acp.Terminal
local function draw_winbars(terminal)
  for _, win in ipairs(terminal.buf and vim.fn.win_findbuf(terminal.buf) or {}) do
    local command = printable.cut(printable.visible(terminal.command), math.max(10, api.nvim_win_get_width(win) - 50))
    local status = registry.ending(terminal)
    local keys = (status and "" or "   <C-c> stop") .. "   q close"
    local bar = ("Terminal %d  %s  %s%s"):format(terminal.number, status or "running", command, keys)
    bar = "%#AcpWinbar# " .. bar:gsub("%%", "%%%%") .. "%<"
    api.nvim_set_option_value("winbar", bar, { win = win, scope = "local" })
  end
end

--- Returns the terminal's buffer, if it is still there: an autocommand that is not nested, or 'eventignore', wipes it
--- without BufWipeout.
---@param terminal acp.Terminal
---@return integer? buf
local function valid_buffer(terminal)
  if terminal.buf and not api.nvim_buf_is_valid(terminal.buf) then
    terminal.buf, terminal.channel = nil, nil
  end
  return terminal.buf
end

-- What the backend tells ----------------------------------------------------------------------------------------------

--- Port: a command runs, or an agent has told of a terminal of its own.
---@param n integer
---@param id string
---@param command string
function M.opened(n, id, command)
  registry.add(n, id, command)
  list:redraw()
end

--- Port: output for the buffer that asked for it.
---@param n integer
---@param id string
---@param text string
---@param buf integer
---@return boolean taken  false: nobody looks any more
function M.feed(n, id, text, buf)
  local terminal = registry.find(n, id)
  if not terminal or valid_buffer(terminal) ~= buf or not terminal.channel then
    return false
  end
  api.nvim_chan_send(terminal.channel, text)
  return true
end

--- Port: the command has ended.
---@param n integer
---@param id string
---@param status string
function M.exited(n, id, status)
  local terminal = registry.find(n, id)
  if terminal then
    terminal.status = status
    draw_winbars(terminal)
    list:redraw() -- whoever types in it stays in terminal mode: in another the rest would be commands
  end
end

--- Removes the terminals of a session that has ended; a buffer that is on the screen stays readable.
---@param n integer
function M.ended(n)
  for _, terminal in ipairs(registry.list(n)) do
    registry.drop(terminal)
    if valid_buffer(terminal) and vim.fn.bufwinid(terminal.buf) < 0 then
      api.nvim_buf_delete(terminal.buf, { force = true })
    elseif terminal.buf then
      vim.bo[terminal.buf].bufhidden = "wipe"
    end
  end
  list:redraw()
end

-- What the user does --------------------------------------------------------------------------------------------------

--- Ends the command; its output stays.
---@param number integer
---@return true? ok
---@return string? message
function M.stop(number)
  local terminal = registry.get(number)
  if not terminal then
    return nil, ("there is no terminal %s"):format(tostring(number))
  elseif registry.ending(terminal) then
    return nil, ("terminal %d has ended: %s"):format(number, registry.ending(terminal))
  end
  return backend.notify("terminal_kill", { session = terminal.session, id = terminal.id })
end

---@param number integer
local function stop_or_say(number)
  local ok, message = M.stop(number)
  if not ok then
    messages.show("info", message or "the command could not be stopped")
  end
end

local function close_window()
  if not pcall(api.nvim_win_close, 0, false) then
    messages.show("info", "this is the last window")
  end
end

---@param terminal acp.Terminal
---@return integer buf
local function create(terminal)
  local buf = api.nvim_create_buf(false, true)
  terminal.buf = buf
  vim.bo[buf].bufhidden = "hide"
  vim.bo[buf].modeline = false
  vim.b[buf].acp_session = terminal.session
  vim.b[buf].acp_terminal = terminal.id
  vim.keymap.set({ "n", "t" }, "<C-c>", function()
    stop_or_say(terminal.number)
  end, { buffer = buf, nowait = true, desc = "Stop the command" })
  vim.keymap.set("n", "q", close_window, { buffer = buf, nowait = true, desc = "Close the window" })
  api.nvim_create_autocmd({ "BufWipeout", "BufDelete" }, {
    buffer = buf,
    callback = function()
      if terminal.buf == buf then
        terminal.buf, terminal.channel = nil, nil
      end
    end,
  })
  api.nvim_create_autocmd("BufWinEnter", {
    buffer = buf,
    callback = function()
      draw_winbars(terminal)
    end,
  })
  api.nvim_create_autocmd("TermEnter", { -- there is nobody any more who would read what is typed
    buffer = buf,
    callback = function()
      if registry.ending(terminal) then
        vim.schedule(vim.cmd.stopinsert)
      end
    end,
  })
  return buf
end

--- The buffer becomes a terminal once it is in a window: from that it takes its size.
---@param terminal acp.Terminal
local function begin(terminal)
  local buf = terminal.buf --[[@as integer]]
  terminal.channel = api.nvim_open_term(buf, {})
  vim.bo[buf].scrollback = limits.SCROLLBACK_LINES
  -- after :bdelete the terminal gets another buffer, and the first one still has the name
  pcall(api.nvim_buf_set_name, buf, ("acp://%d/terminal/%d"):format(terminal.session, terminal.number))
  vim.bo[buf].filetype = "acp_terminal"
  local payload = { session = terminal.session, id = terminal.id, buffer = buf }
  if terminal.generation == backend.generation() and backend.is_running() then
    return backend.notify("terminal_watch", payload)
  end
  api.nvim_chan_send(terminal.channel, "\27[2m[the output was lost when the backend ended]\27[0m\r\n")
end

---@param terminal acp.Terminal
local function show(terminal)
  local buf = valid_buffer(terminal) or create(terminal)
  local win = vim.fn.bufwinid(buf)
  if win > 0 then
    return api.nvim_set_current_win(win)
  end
  win = tabpage.open_below(buf, math.max(3, math.floor(vim.o.lines / 3)))
  if not terminal.channel then
    begin(terminal)
  end
  -- Neovim sets options of a terminal, too
  window_looks.set(win, { statusline = window_name.of(("Terminal %d"):format(terminal.number)) })
  draw_winbars(terminal)
  -- on its last line a terminal buffer follows its output
  api.nvim_win_set_cursor(win, { api.nvim_buf_line_count(buf), 0 })
end

--- Opens terminal `number`, live or as it ended.
---@param number integer
---@return true? ok
---@return string? message
function M.open(number)
  local terminal = registry.get(number)
  if not terminal then
    return nil, ("there is no terminal %s: :Acp terminals shows them"):format(tostring(number))
  elseif vim.fn.getcmdwintype() ~= "" then
    return nil, "close the command-line window first"
  end
  show(terminal)
  return true
end

list = terminal_list(function(number)
  lists.show_result(M.open(number))
end, stop_or_say)

--- Lists all terminals.
---@return true? ok
---@return string? message
function M.open_list()
  if #registry.list() == 0 then
    return nil, "there are no terminals"
  end
  return list:open(1 / 3)
end

return M
