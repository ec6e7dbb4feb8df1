-- Shows one-line messages to the user, which never raise the hit-enter prompt.
local limits = require("acp_nvim.limits")
local log = require("acp_nvim.ui.log")
local message_float = require("acp_nvim.ui.message_float")
local plugin_override = require("acp_nvim.ui.plugin_override")
local printable = require("acp_nvim.ui.printable")

local M = {}

local LEVELS = { info = vim.log.levels.INFO, warn = vim.log.levels.WARN, error = vim.log.levels.ERROR }
local HIGHLIGHTS = { warn = "WarningMsg", error = "ErrorMsg" }

local said, warned = 0, 0 -- messages so far; the number of the last one that is no mere information
local last_line = "" -- that was said

--- Returns the number of messages so far, by which `clear_outdated` knows whether another one has come since.
---@return integer
function M.shown_so_far()
  return said
end

--- Whether the next message would replace a warning on the screen that has come since so many messages.
---@param number integer
---@return boolean
function M.would_hide_warning(number)
  return M.is_echoed() and warned > number
end

--- Whether messages are echoed: a plugin may have replaced vim.notify().
---@return boolean
function M.is_echoed()
  return not plugin_override.of(vim.notify)
end

--- Makes a message of a moment ago give way: two on the screen would raise the hit-enter prompt. The redraw may fail at
--- an expression in the user's bars, which is no reason to say nothing.
---@param at_start? boolean  also while Neovim starts
local function make_room(at_start)
  if vim.v.vim_did_enter == 1 or at_start then
    pcall(vim.cmd.redraw)
  end
end

--- Tells the function that a plugin has put in the place of `vim.notify`. It may call Neovim's in the end.
---@param line string
---@param level integer
local function notify(line, level)
  make_room()
  local ok, err = pcall(vim.notify, line, level, { title = "acp_nvim", id = line }) -- equal ones replace each other
  if not ok then
    log.add("vim.notify failed: " .. tostring(err))
  end
end

---@param level "info"|"warn"|"error"
---@param line string
---@param again? boolean
---@param is_echoed boolean
local function announce(level, line, again, is_echoed)
  said = said + 1
  warned = level ~= "info" and said or warned
  if not is_echoed then
    -- an error of Neovim's own aborts the mapping or the command that runs
    local tell = level == "error" and vim.schedule_wrap(notify) or notify
    return tell(line, LEVELS[level])
  end
  last_line = line
  make_room(again)
  -- not through vim.notify: there an error flushes the user's typeahead and aborts a running mapping
  vim.api.nvim_echo({ { line, HIGHLIGHTS[level] } }, not again, {})
  if message_float.lacks_line() and vim.v.vim_did_enter == 1 then
    pcall(vim.cmd.redraw) -- takes it off the statusline: it is in `:messages`, and the float shows it
  end
  message_float.show(line, HIGHLIGHTS[level])
end

--- Shows the user one line, cut so that it never raises the hit-enter prompt; the whole text goes to the log.
---@param level "info"|"warn"|"error"
---@param text string
---@param again? boolean  neither `:messages` nor the log gets it: it has been said before, or another follows soon
function M.show(level, text, again)
  level = LEVELS[level] and level or "info"
  if vim.in_fast_event() then
    return vim.schedule(function()
      M.show(level, text, again)
    end)
  end
  if not again then
    log.add(("%s: %s%s"):format(level, printable.NAME, text))
  end
  local start = printable.beginning(vim.trim(text), limits.MESSAGE_CHARS)
  -- a plugin that shows messages has the name as their title
  local is_echoed = M.is_echoed()
  local name = is_echoed and printable.NAME or ""
  local line = name .. printable.fit(start, math.max(1, vim.v.echospace - #name))
  announce(level, printable.cut(line, vim.v.echospace), again, is_echoed)
end

--- Clears an outdated message, if no other has been shown since, neither by us nor in `:messages`.
---@param number integer  how many messages there had been when it was said
function M.clear_outdated(number)
  if number ~= said or not M.is_echoed() then
    return
  end
  message_float.hide()
  local history = vim.fn.execute("messages")
  if vim.api.nvim_get_mode().mode == "n" and history:sub(-#last_line) == last_line then
    vim.api.nvim_echo({ { "" } }, false, {})
  end
end

return M
