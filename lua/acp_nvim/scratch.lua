-- What we tell the user outside the chat: one-line messages, the log behind them, scratch windows, floats, a picker.
local layout = require("acp_nvim.layout")

local M = {}

local LOG_LINES = 2000
local LEVELS = { info = vim.log.levels.INFO, warn = vim.log.levels.WARN, error = vim.log.levels.ERROR }
local HIGHLIGHTS = { warn = "WarningMsg", error = "ErrorMsg" }
local log = {} ---@type string[]

-- As UTF-8, what session/visible.py has: controls, what reorders its neighbours, and what takes no cell of its own.
local HIDDEN = {
  "\194[\128-\159\173]", -- U+0080-009F, U+00AD
  "\205\143", -- U+034F
  "\216\156", -- U+061C
  "\225\133[\159\160]", -- U+115F, U+1160
  "\225\158[\180\181]", -- U+17B4, U+17B5
  "\225\160[\139-\143]", -- U+180B-180F
  "\226\128[\139-\143\168-\174]", -- U+200B-200F, U+2028-202E
  "\226\129[\160-\175]", -- U+2060-206F
  "\227\133\164", -- U+3164
  "\239\187\191", -- U+FEFF
  "\239\190\160", -- U+FFA0
  "\239\191[\176-\187]", -- U+FFF0-FFFB
  "\243\160[\128-\191][\128-\191]", -- U+E0000-E0FFF
}

--- Control and bidirectional characters made visible, as "^[" or "<202E>".
---@param text string
---@return string
function M.visible(text)
  text = text:gsub("%c", function(char)
    return "^" .. string.char(bit.bxor(char:byte(), 64))
  end)
  for _, pattern in ipairs(HIDDEN) do
    text = text:gsub(pattern, function(char)
      return ("<%04X>"):format(vim.fn.char2nr(char))
    end)
  end
  return text
end

--- `text` cut so that it takes at most `width` screen cells. Cells are counted by `strwidth()`:
--- `strdisplaywidth()` adds what 'linebreak', 'showbreak' and 'breakindent' of the current window would.
---@param text string
---@param width integer
---@return string
function M.cut(text, width)
  if vim.fn.strwidth(text) <= width then
    return text
  end
  local keep = math.min(vim.fn.strchars(text), width)
  local short
  repeat
    keep = keep - 1
    short = vim.fn.strcharpart(text, 0, keep) .. "…"
  until keep <= 0 or vim.fn.strwidth(short) <= width
  return short
end

local NAME = "acp_nvim: "
local LEAST_ROOM = 20 -- for a path
local CODE = " %(%-%d+%)" -- of an error, as JSON-RPC has it

--- A path for the end of a message: from the working directory or the home folder on, and where that does not fit the
--- folders by their first letters.
---@param path string
---@param lead string  what stands before it
---@return string
function M.short(path, lead)
  local room = math.max(LEAST_ROOM, vim.v.echospace - vim.fn.strwidth(NAME .. lead))
  local function fits(text)
    return vim.fn.strwidth(text) <= room
  end
  path = vim.fn.fnamemodify(path, ":~:.")
  local brief = fits(path) and path or vim.fn.pathshorten(path)
  return fits(brief) and brief or "…/" .. vim.fs.basename(path)
end

--- `text` cut so that it fits. The code of an agent's error, which is in the log, gives way first. A command that it
--- names stays whole: what stands before that gives way.
---@param text string
---@param width integer
---@return string
local function fit(text, width)
  text = vim.fn.strwidth(text) <= width and text or (text:gsub(CODE, ""))
  local first = text:find(":Acp", 1, true)
  local named = first and text:sub(first) or ""
  local command = named:match("^:Acp [%w_]+!? [{%d]%w*}?%)?") or named:match("^:Acp [%w_]+!?%)?") or ":Acp"
  local before = first and text:sub(1, first - 1) or text
  local room = width - vim.fn.strwidth(command)
  if not first or vim.fn.strwidth(before) <= room or room < LEAST_ROOM then
    return M.cut(text, width)
  end
  local gap = before:match("[ (]*$")
  return M.cut(before:sub(1, -#gap - 1), room - #gap) .. gap .. command
end

--- Adds a line to the log that `:Acp log` shows; the oldest lines give way.
---@param text string
function M.log(text)
  for _, line in ipairs(vim.split(text, "\n", { plain = true })) do
    log[#log + 1] = M.visible(line)
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

---@param fn function
---@return boolean builtin  true if nobody has put a function of their own in its place
local function is_builtin(fn)
  local source = debug.getinfo(fn, "S").source
  return source == "?" or source:match("^@vim/") ~= nil or source:match("/lua/vim/ui%.lua$") ~= nil
end

--- Do messages go where Vim's own go, and not to a function of the user's?
---@return boolean
function M.is_echoed()
  return is_builtin(vim.notify)
end

local said = 0

--- How many messages there have been.
---@return integer
function M.said()
  return said
end

---@param level "info"|"warn"|"error"
---@param line string
---@param again? boolean
local function announce(level, line, again)
  said = said + 1
  if not is_builtin(vim.notify) then
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
  require("acp_nvim.covered").show(line, HIGHLIGHTS[level])
end

--- Tells the user one line that never raises the hit-enter prompt; the whole text goes to the log.
---@param level "info"|"warn"|"error"
---@param text string
---@param again? boolean  it has been said before, and was covered
function M.message(level, text, again)
  level = LEVELS[level] and level or "info"
  if not vim.startswith(text, NAME) then
    text = NAME .. text
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
  announce(level, fit(M.visible(start), vim.v.echospace), again)
end

---@param lines string[]
---@param filetype string
---@return integer buf
local function new_buffer(lines, filetype)
  local buf = vim.api.nvim_create_buf(false, true)
  vim.bo[buf].bufhidden = "wipe"
  vim.bo[buf].modeline = false
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].modifiable = false
  vim.bo[buf].filetype = filetype
  return buf
end

---@param buf integer
local function close_with_q(buf)
  for _, key in ipairs({ "q", "<Esc>" }) do
    vim.keymap.set("n", key, "<Cmd>close<CR>", { buffer = buf, nowait = true, desc = "Close" })
  end
end

---@param lines any[]
---@return string[]
local function flat(lines)
  return vim.tbl_map(function(line)
    return (tostring(line):gsub("\n", "^J"))
  end, lines)
end

---@param name string
---@return integer? win
local function window_of(name)
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if vim.w[win].acp_scratch == name then
      return win
    end
  end
end

--- Once `win` is closed the windows are as they were before it came, the cursor in the one it came from.
---@param win integer
---@param from integer
---@param before acp.Layout
local function leave_as_before(win, from, before)
  local function restore()
    local is_elsewhere = not vim.list_contains(before.windows, vim.api.nvim_get_current_win())
    if vim.list_contains(layout.windows(), from) and not is_elsewhere then -- else the next window is there already
      vim.api.nvim_set_current_win(from)
    end
    layout.restore(before)
  end
  vim.api.nvim_create_autocmd("WinClosed", {
    pattern = tostring(win),
    once = true,
    callback = function()
      if vim.api.nvim_get_current_win() == win then
        vim.schedule(restore)
      end
    end,
  })
end

---@param height integer
---@return integer win
local function split(height)
  local from, before = vim.api.nvim_get_current_win(), layout.remember()
  vim.cmd(("botright %dsplit"):format(height))
  local win = vim.api.nvim_get_current_win()
  if vim.list_contains(before.windows, win) then
    error(vim.v.errmsg, 0)
  end
  leave_as_before(win, from, before)
  return win
end

---@param name string
---@param filetype string
---@param lines string[]
---@return integer win
local function show(name, filetype, lines)
  local buf = new_buffer(flat(lines), filetype)
  local win = window_of(name)
  local height = math.max(1, math.min(#lines, math.floor(vim.o.lines / 3)))
  if win then
    vim.api.nvim_win_set_buf(win, buf)
    vim.api.nvim_win_set_height(win, math.max(height, vim.api.nvim_win_get_height(win)))
  else
    win = split(height)
    vim.api.nvim_win_set_buf(win, buf)
    vim.w[win].acp_scratch = name
  end
  close_with_q(buf)
  pcall(vim.api.nvim_buf_set_name, buf, name)
  return win
end

--- Shows `lines` in a window at the bottom; the same name takes the same window again.
---@param name string  of the buffer, such as "acp://log"
---@param filetype string
---@param lines string[]
---@return integer win
function M.show(name, filetype, lines)
  return require("acp_nvim.undisturbed").run(function()
    return show(name, filetype, lines)
  end)
end

--- Shows `lines` in a float by the cursor; `q` and `<Esc>` close it, leaving it does too.
---@param lines string[]
---@param filetype? string
---@param title? string
---@return integer win
function M.float(lines, filetype, title)
  lines = flat(lines)
  local width = vim.fn.strwidth(title or "") + 2
  for _, line in ipairs(lines) do
    width = math.max(width, vim.fn.strdisplaywidth(line))
  end
  width = math.max(1, math.min(width, vim.o.columns - 4))
  local rows = 0
  for _, line in ipairs(lines) do
    rows = rows + math.max(1, math.ceil(vim.fn.strdisplaywidth(line) / width))
  end
  local height = math.max(1, math.min(rows, math.floor(vim.o.lines * 0.6)))
  local config = vim.lsp.util.make_floating_popup_options(width, height, { border = "rounded", title = title })
  if config.height < height then -- there is not room enough beside the cursor
    config.relative, config.anchor, config.height = "editor", "NW", height
    config.row = math.max(0, math.floor((vim.o.lines - height - 3) / 2))
    config.col = math.max(0, math.floor((vim.o.columns - width - 2) / 2))
  end
  config.footer = rows > config.height and " j: more " or nil
  local buf, win ---@type integer, integer
  require("acp_nvim.undisturbed").run(function()
    buf = new_buffer(lines, filetype or "")
    win = vim.api.nvim_open_win(buf, true, config)
  end)
  vim.wo[win].wrap = true
  close_with_q(buf)
  vim.api.nvim_create_autocmd("WinLeave", { buffer = buf, once = true, command = "silent! close" })
  return win
end

--- A list of our own to choose from: the built-in `vim.ui.select` waits for its answer, and on 0.10 the backend with it.
---@param items string[]
---@param title string
---@param choose fun(item: string)
local function pick(items, title, choose)
  local win = M.float(items, "acp_pick", title)
  vim.wo[win].cursorline = true
  vim.keymap.set("n", "<CR>", function()
    local item = items[vim.api.nvim_win_get_cursor(win)[1]]
    vim.api.nvim_win_close(win, true)
    choose(item)
  end, { buffer = vim.api.nvim_win_get_buf(win), nowait = true, desc = "Choose" })
end

--- Lets the user choose one of `items`; nothing happens when they choose none.
---@param items string[]
---@param title string
---@param choose fun(item: string)
function M.select(items, title, choose)
  if is_builtin(vim.ui.select) then
    return pick(items, title, choose)
  end
  vim.ui.select(items, { prompt = title }, function(item)
    if item then
      choose(item)
    end
  end)
end

return M
