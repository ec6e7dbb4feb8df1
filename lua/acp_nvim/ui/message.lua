-- What we tell the user outside the chat: one-line messages and the log behind them, windows for a moment, harmless words.
local builtin = require("acp_nvim.ui.builtin")
local pane = require("acp_nvim.ui.float")
local words = require("acp_nvim.ui.printable")

local M = {
  cut = words.cut,
  short = words.short,
  visible = words.visible,
  float = pane.float,
  select = pane.select,
  show = pane.show,
  split = pane.split,
}

local LOG_LINES = 2000
local LEVELS = { info = vim.log.levels.INFO, warn = vim.log.levels.WARN, error = vim.log.levels.ERROR }
local HIGHLIGHTS = { warn = "WarningMsg", error = "ErrorMsg" }
local log = {} ---@type string[]

--- Adds a line to the log that `:Acp log` shows; the oldest lines give way.
---@param text string
function M.log(text)
  for _, line in ipairs(vim.split(text, "\n", { plain = true })) do
    log[#log + 1] = words.visible(line)
  end
  if #log > 2 * LOG_LINES then
    log = vim.list_slice(log, #log - LOG_LINES + 1)
  end
end

--- The log's lines, oldest first.
---@return string[]
function M.log_lines()
  return vim.list_slice(log, math.max(1, #log - LOG_LINES + 1))
end

local NOTHING = "(nothing)"

--- What `:Acp log` shows: the backend's lines, and ours below them.
---@param lines? string[]  nil: there are none yet
---@return string[]
function M.log_with(lines)
  local ours = M.log_lines()
  ours = #ours > 0 and ours or { NOTHING }
  return lines and vim.list_extend(vim.list_extend(lines, { "--- messages and stderr of the backend" }), ours) or ours
end

--- Do messages go where Vim's own go, and not to a function of the user's?
---@return boolean
function M.is_echoed()
  return builtin.is(vim.notify)
end

local said = 0
local last_line = "" -- that was said

--- How many messages there have been.
---@return integer
function M.said()
  return said
end

---@param level "info"|"warn"|"error"
---@param line string
---@param again? boolean
local function announce(level, line, again)
  said, last_line = said + 1, line
  if not builtin.is(vim.notify) then
    local ok, err = pcall(vim.notify, line, LEVELS[level], { title = "acp_nvim" })
    if not ok then
      M.log("vim.notify failed: " .. tostring(err))
    end
    return
  end
  -- The redraw makes a message of a moment ago give way: two on the screen would raise the hit-enter prompt.
  if vim.v.vim_did_enter == 1 then
    pcall(vim.cmd.redraw)
  end
  -- not through vim.notify: there an error flushes the user's typeahead and aborts a running mapping
  vim.api.nvim_echo({ { line, HIGHLIGHTS[level] } }, not again, {})
  require("acp_nvim.ui.insert_mode_message").show(line, HIGHLIGHTS[level])
end

--- Tells the user one line that never raises the hit-enter prompt; the whole text goes to the log.
---@param level "info"|"warn"|"error"
---@param text string
---@param again? boolean  it has been said before, and was covered
function M.message(level, text, again)
  level = LEVELS[level] and level or "info"
  if not vim.startswith(text, words.NAME) then
    text = words.NAME .. text
  end
  if vim.in_fast_event() then
    return vim.schedule(function()
      M.message(level, text, again)
    end)
  end
  if not again then
    M.log(level .. ": " .. text)
  end
  local start = vim.fn.strcharpart(vim.trim(text), 0, 1000)
  announce(level, words.fit(words.visible(start), vim.v.echospace), again)
end

--- Clears a message that no longer holds, if it is still the last one, of ours and of all in `:messages`.
---@param number integer  how many messages there had been when it was said
function M.take_back(number)
  if number ~= said or not M.is_echoed() then
    return
  end
  require("acp_nvim.ui.insert_mode_message").hide()
  local history = vim.fn.execute("messages")
  if vim.api.nvim_get_mode().mode == "n" and history:sub(-#last_line) == last_line then
    vim.api.nvim_echo({ { "" } }, false, {})
  end
end

return M
