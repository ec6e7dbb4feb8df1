-- Asks once before Neovim is quit while a turn runs. A command that is typed is taken back before it runs. Of others,
-- as of `<Cmd>qa<CR>` in a mapping, only a modified buffer keeps Neovim open: the float that says what runs has one,
-- and Neovim goes there. The same command once more quits, unless the user has left the float and so stays.
--
-- A modified hidden buffer without a float was tried: Neovim puts it into the window of the prompt, which then is none
-- any more, and its two errors end in a hit-enter prompt.
local printable = require("acp_nvim.ui.printable")
local session_store = require("acp_nvim.backend.session_store")
local tabpage = require("acp_nvim.ui.tabpage")
local window_looks = require("acp_nvim.ui.window_looks")

local api = vim.api
local M = {}

local NAME = "acp://a turn is running"
local RUNNING = { running = true, asking = true }
local QUITS_ALL = { qall = true, quitall = true, wqall = true, xall = true }
local QUITS_WINDOW = { quit = true, wq = true, xit = true, exit = true }

local warned = {} ---@type table<string, true>  turns of which the user knows
local is_quitting = false -- a command that quits is being carried out

--- Returns the turns that run, as keys of `warned` and in words.
---@return table<string, true> turns
---@return string[] words
local function running_turns()
  local turns, words = {}, {}
  for _, n in ipairs(session_store.numbers()) do
    local status = session_store.look(n) or {}
    if RUNNING[status.state] then
      turns[("%d %d"):format(n, status.turn)] = true
      local who = printable.cut(printable.visible(status.agent_title or status.agent), 20)
      local what = printable.cut(printable.visible(status.title or status.about or ""), 40)
      words[#words + 1] = what ~= "" and ("%s: %s"):format(who, what) or who
    end
  end
  return turns, words
end

--- Whether edits of a proposal or a form wait. They keep Neovim open by themselves, and `:wqa` sends them.
---@return boolean
local function holds_edits()
  return vim.iter(api.nvim_list_bufs()):any(function(buf)
    return vim.b[buf].acp_question ~= nil and vim.bo[buf].modified
  end)
end

--- Returns what is to be said before quitting; nil: nothing runs, or the user knows.
---@return string[]? lines
local function warning()
  local turns, words = running_turns()
  local is_new = vim.iter(turns):any(function(turn)
    return not warned[turn]
  end)
  if not is_new or holds_edits() then
    return nil
  end
  warned = turns
  local lines =
    { #words == 1 and " A turn is running. Quitting ends it. " or " Turns are running. Quitting ends them. " }
  for _, text in ipairs(words) do
    lines[#lines + 1] = "   " .. text .. " "
  end
  lines[#lines + 1] = " :qa again quits   q stays "
  return lines
end

---@param lines string[]
---@return integer buf
local function new_buffer(lines)
  local buf = api.nvim_create_buf(false, true)
  api.nvim_buf_set_name(buf, NAME)
  api.nvim_buf_set_lines(buf, 0, -1, true, lines)
  vim.bo[buf].bufhidden = "wipe"
  vim.bo[buf].modifiable = false
  for _, key in ipairs({ "q", "<Esc>", "<CR>" }) do
    vim.keymap.set("n", key, "<Cmd>close!<CR>", { buffer = buf, nowait = true, desc = "Stay" })
  end
  return buf
end

---@param lines string[]
---@param focus boolean
---@return integer win
local function open_float(lines, focus)
  local width = 1
  for _, line in ipairs(lines) do
    width = math.max(width, api.nvim_strwidth(line))
  end
  width = math.max(1, math.min(width, vim.o.columns - 4))
  local win = api.nvim_open_win(new_buffer(lines), focus, {
    relative = "editor",
    row = math.max(0, math.floor((vim.o.lines - #lines) / 2) - 2),
    col = math.max(0, math.floor((vim.o.columns - width) / 2) - 1),
    width = width,
    height = math.max(1, math.min(#lines, vim.o.lines - 4)),
    border = "rounded",
  })
  window_looks.set(win)
  return win
end

--- Closes the float when the user leaves it, and so stays: the next command that quits is asked about again. Where that
--- command was given and Neovim goes to a modified buffer instead, the user knows.
---@param win integer
local function close_when_left(win)
  api.nvim_create_autocmd("WinLeave", {
    buffer = api.nvim_win_get_buf(win),
    once = true,
    callback = function()
      warned = is_quitting and warned or {}
      vim.cmd("silent! close!")
    end,
  })
end

-- A command that is typed ---------------------------------------------------------------------------------------------

---@param line string
---@return boolean  it would end Neovim, and nothing forces it
local function quits(line)
  local ok, parsed = pcall(api.nvim_parse_cmd, line, {})
  if not ok or parsed.bang then
    return false
  end
  local is_last = #tabpage.windows() == 1
    and #api.nvim_list_tabpages() == 1
    and not tabpage.is_float(api.nvim_get_current_win()) -- `:q` closes the float alone
  return QUITS_ALL[parsed.cmd] or (QUITS_WINDOW[parsed.cmd] and is_last) or false
end

local function command_entered()
  if vim.v.event.abort or vim.fn.getcmdtype() ~= ":" or not quits(vim.fn.getcmdline()) then
    return
  end
  local lines = warning()
  if lines then
    vim.cmd("let v:event.abort = v:true")
    vim.schedule(function()
      close_when_left(open_float(lines, true))
    end)
  end
end

-- Any other way out ---------------------------------------------------------------------------------------------------

--- Sets 'messagesopt' so that Neovim does not wait for a key behind the error that names the modified buffer.
---@return fun() restore
local function without_waiting()
  if vim.fn.exists("+messagesopt") == 0 then
    return function() end
  end
  local before = vim.o.messagesopt
  vim.o.messagesopt = "wait:0,history:" .. (before:match("history:(%d+)") or "500")
  return function()
    vim.o.messagesopt = before
  end
end

local function about_to_quit()
  local lines = warning()
  is_quitting = true
  vim.schedule(function() -- Neovim has not been quit
    is_quitting = false
  end)
  if not lines then
    return
  end
  local win = open_float(lines, false)
  local buf = api.nvim_win_get_buf(win)
  vim.bo[buf].buftype = "acwrite"
  api.nvim_create_autocmd("BufWriteCmd", { buffer = buf, callback = function() end }) -- `:wqa` writes nothing here
  vim.bo[buf].modified = true
  local restore = without_waiting()
  vim.schedule(function() -- Neovim has not been quit
    restore()
    if not api.nvim_win_is_valid(win) then
      return
    end
    vim.bo[buf].modified = false
    if api.nvim_get_current_win() == win then
      close_when_left(win)
    else -- it was forced, or another buffer kept Neovim open
      warned = {}
      api.nvim_win_close(win, true)
    end
  end)
end

--- Asks from now on.
function M.attend()
  local group = api.nvim_create_augroup("acp_nvim.quit_warning", {})
  api.nvim_create_autocmd("CmdlineLeave", { group = group, callback = command_entered })
  api.nvim_create_autocmd("ExitPre", { group = group, callback = about_to_quit })
end

return M
