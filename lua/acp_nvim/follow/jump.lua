-- Shows a file and a line in a window without a message, a prompt or a change of focus.
local file_changed_prompt = require("acp_nvim.documents.file_changed_prompt")
local files = require("acp_nvim.documents.find")
local limits = require("acp_nvim.limits")
local log = require("acp_nvim.ui.log")
local messages = require("acp_nvim.ui.messages")
local regular_file = require("acp_nvim.system.regular_file")

local api = vim.api
local uv = vim.uv
local M = {}

---@class acp.Place
---@field path string
---@field line? integer

-- Autocommands about the user's focus, which stays where it is
local FOCUS_EVENTS = "BufEnter,BufLeave,WinEnter,WinLeave"

local complaints = {} ---@type table<string, true>  told already
local under_way = false

--- Whether a place is being shown: what autocommands tell of a window then is no move of the user's.
---@return boolean
function M.is_under_way()
  return under_way
end

--- Says once why a place is not shown.
---@param path string
---@param what string
local function complain(path, what)
  local line = ("follow: %s: %s"):format(vim.fs.basename(path), vim.split(what, "\n", { plain = true })[1])
  if not complaints[line] then
    complaints[line] = true
    messages.show("warn", line)
  end
end

--- Calls `fn` and shows its error: mostly an autocommand has failed, and the window shows the place all the same.
---@param path string
---@param fn fun()
local function report_errors(path, fn)
  local ok, err = pcall(fn)
  if not ok then
    complain(path, (tostring(err):gsub("^.-(E%d+:)", "%1")))
  end
end

-- Loading -------------------------------------------------------------------------------------------------------------

--- Loads without modelines, because the user has not asked for the file.
---@param buf integer
local function load_text(buf)
  local modeline = vim.go.modeline
  vim.cmd("noautocmd setglobal nomodeline")
  local ok, err =
    pcall(vim.cmd --[[@as fun(command: string)]], ("silent keepalt keepjumps call bufload(%d)"):format(buf))
  if modeline then
    vim.cmd("noautocmd setglobal modeline")
    vim.cmd(("noautocmd call setbufvar(%d, '&modeline', 1)"):format(buf))
  end
  if not ok then
    error(err, 0)
  end
end

--- Reads the beginning of a file.
---@param path string
---@return string? head
---@return string? why  there is none
local function head_of(path)
  local fd, why = regular_file.reading(path)
  if not fd then
    return nil, why --[[@as string]]
  end
  local head, problem = uv.fs_read(fd, limits.FILE_HEAD_BYTES, 0)
  uv.fs_close(fd)
  return head, problem
end

---@param path string
---@return integer buf  loaded, but not listed; nothing is asked (a stale swap file would) and no name is expanded
local function add(path)
  local buf = vim.fn.bufadd(vim.fn.fnamemodify(path, ":.")) -- shown by the name that `:edit` would give it
  if not api.nvim_buf_is_loaded(buf) then
    report_errors(path, function()
      load_text(buf)
    end)
  end
  return buf
end

--- Returns a buffer with the text of the file; nil, which is said once, if it cannot be shown.
---@param path string
---@return integer? buf
local function load(path)
  local stat = uv.fs_stat(path)
  if not stat or stat.type ~= "file" then
    return nil
  end
  local loaded = files.find(path)
  if loaded then
    return loaded
  elseif stat.size > limits.FOLLOWED_FILE_BYTES then
    return complain(path, ("not shown: %d MB is too large"):format(stat.size / 1024 / 1024))
  end
  local head, why = head_of(path)
  if not head then
    return complain(path, why or "it cannot be read")
  elseif head:find("\0", 1, true) then
    return complain(path, "not shown: it is not a text file")
  end
  return add(path)
end

-- Moving --------------------------------------------------------------------------------------------------------------

--- Scrolls a line to the middle, unless it is visible already.
---@param line integer
local function go_to(line)
  line = math.max(1, math.min(line, vim.fn.line("$")))
  local view = { lnum = line, col = 0, curswant = 0 }
  if line < vim.fn.line("w0") or line > vim.fn.line("w$") then
    view.topline = math.max(1, line - math.floor(api.nvim_win_get_height(0) / 2))
  end
  vim.fn.winrestview(view)
  if vim.fn.foldclosed(line) ~= -1 then
    vim.cmd(("silent! %dfoldopen!"):format(line))
  end
end

---@param win integer
---@param buf integer
---@param place acp.Place
local function move(win, buf, place)
  api.nvim_win_call(win, function()
    if api.nvim_win_get_buf(win) ~= buf then
      -- :hide: a modified buffer is no hindrance, whatever 'hidden' says
      report_errors(place.path, function()
        file_changed_prompt.without(buf, function()
          vim.cmd(("silent hide keepalt keepjumps buffer %d"):format(buf))
        end)
      end)
    end
    if place.line and api.nvim_win_get_buf(win) == buf then
      go_to(place.line)
    end
  end)
end

--- Runs `fn` without the autocommands about the focus, which does not move. Loading a file runs all others.
---@param fn fun()
local function without_focus_events(fn)
  local ignored, short = vim.o.eventignore, vim.o.shortmess
  local events = ignored == "" and FOCUS_EVENTS or ignored .. "," .. FOCUS_EVENTS
  vim.cmd("noautocmd set shortmess+=A | noautocmd let &eventignore = " .. vim.fn.string(events))
  under_way = true
  local ok, err = pcall(fn)
  under_way = false
  local back = "noautocmd let &eventignore = %s | noautocmd let &shortmess = %s"
  vim.cmd(back:format(vim.fn.string(ignored), vim.fn.string(short)))
  if not ok then
    log.add("follow: " .. tostring(err))
  end
end

--- Shows the place in the window, if possible.
---@param win integer
---@param place acp.Place
function M.show(win, place)
  without_focus_events(function()
    local buf = load(place.path)
    if buf and api.nvim_win_is_valid(win) then
      move(win, buf, place)
    end
  end)
end

return M
