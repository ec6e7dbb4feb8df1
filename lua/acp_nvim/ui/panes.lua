-- Opens short-lived windows: lines in a split at the bottom, a float by the cursor, a list to choose from.
local plugin_override = require("acp_nvim.ui.plugin_override")
local printable = require("acp_nvim.ui.printable")
local return_to_insert = require("acp_nvim.ui.return_to_insert")
local safe_windows = require("acp_nvim.ui.safe_windows")
local window_name = require("acp_nvim.ui.window_name")
local tabpage = require("acp_nvim.ui.tabpage")
local window_looks = require("acp_nvim.ui.window_looks")

local M = {}

local WORD = 12 -- cells that a row may lose where a word goes to the next one

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

--- Restores the window sizes and the cursor's window when `win` is closed.
---@param win integer
---@param from integer
---@param before acp.Layout
local function leave_as_before(win, from, before)
  local function restore()
    local is_elsewhere = not vim.list_contains(before.windows, vim.api.nvim_get_current_win())
    if vim.list_contains(tabpage.windows(), from) and not is_elsewhere then -- else the next window is there already
      vim.api.nvim_set_current_win(from)
    end
    tabpage.restore(before)
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

--- Opens a window at the bottom, or where there is no room for one more a tabpage. Closing it restores the sizes of the
--- others, and the cursor goes back where it was.
---@param buf integer
---@param height integer
---@return integer win
function M.split(buf, height)
  local here, before = vim.api.nvim_get_current_win(), tabpage.remember()
  local from = here
  if tabpage.is_float(from) then -- one for a moment, and gone then
    from = vim.fn.win_getid(vim.fn.winnr("#"))
  end
  vim.cmd(("botright %dsplit"):format(height)) -- `:silent!` of safe_windows keeps it from raising
  local win = vim.api.nvim_get_current_win()
  if win == here then
    local problem = vim.v.errmsg
    if not tabpage.is_for_want_of_room(problem) then
      error(problem, 0)
    end
    vim.v.errmsg = ""
    return tabpage.visit_tab(buf)
  end
  vim.api.nvim_win_set_buf(win, buf)
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
    tabpage.set_height(win, math.max(height, vim.api.nvim_win_get_height(win)))
  else
    win = M.split(buf, height)
    vim.w[win].acp_scratch = name
  end
  local title = (name:match("%a+$") or name):gsub("^%l", string.upper)
  window_looks.set(win, { statusline = window_name.of(title) })
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
  return safe_windows.run(function()
    return show(name, filetype, lines)
  end)
end

---@param line string
---@return integer
local function cells(line)
  return vim.fn.strwidth(printable.expand(line, vim.go.tabstop))
end

--- Returns how many rows the lines may take: wrapped lines break at a word and are indented.
---@param line string
---@param width integer
---@return integer
local function rows_of(line, width)
  local wanted = cells(line)
  local room = wanted > width and math.max(1, width - WORD - #line:match("^ *")) or width
  return math.max(1, math.ceil(wanted / room))
end

--- Makes the float no higher than its text. If the text is higher than the float, the border says that there is more.
---@param win integer
local function fit(win)
  local rows, height = vim.api.nvim_win_text_height(win, {}).all, vim.api.nvim_win_get_height(win)
  if rows < height then
    vim.api.nvim_win_set_height(win, rows)
  elseif rows > height then
    vim.api.nvim_win_set_config(win, { footer = " j: more " })
  end
end

--- Shows `lines` in a float by the cursor; `q` and `<Esc>` close it, leaving it does too.
---@param lines string[]
---@param filetype? string
---@param title? string
---@return integer win
function M.float(lines, filetype, title)
  lines = flat(lines)
  title = title and (" %s "):format(title)
  local width = vim.fn.strwidth(title or "") + 2
  for _, line in ipairs(lines) do
    width = math.max(width, cells(line))
  end
  width = math.max(1, math.min(width, vim.o.columns - 4))
  local rows = 0
  for _, line in ipairs(lines) do
    rows = rows + rows_of(line, width)
  end
  local height = math.max(1, math.min(rows, math.floor(vim.o.lines * 0.6)))
  local config = vim.lsp.util.make_floating_popup_options(width, height, { border = "rounded", title = title })
  if config.height < height then -- there is not room enough beside the cursor
    config.relative, config.anchor, config.height = "editor", "NW", height
    config.row = math.max(0, math.floor((vim.o.lines - height - 3) / 2))
    config.col = math.max(0, math.floor((vim.o.columns - width - 2) / 2))
  end
  local buf, win ---@type integer, integer
  safe_windows.run(function()
    buf = new_buffer(lines, filetype or "")
    win = vim.api.nvim_open_win(buf, true, config)
  end)
  window_looks.set(win)
  fit(win)
  close_with_q(buf)
  vim.api.nvim_create_autocmd("WinLeave", { buffer = buf, once = true, command = "silent! close" })
  return win
end

--- Shows our own list to choose from: the built-in `vim.ui.select` blocks, and on 0.10 the backend with it.
---@param items string[]
---@param title string
---@param choose fun(item: string)
---@param numbers? integer[]
local function pick(items, title, choose, numbers)
  local padded, widest = {}, #tostring(math.max(1, unpack(numbers or {})))
  for row, item in ipairs(items) do
    local number = tostring(numbers and numbers[row] or row < 10 and row or "")
    padded[row] = (" %s%s %s "):format((" "):rep(widest - #number), number, item)
  end
  local win = M.float(padded, "acp_pick", title)
  vim.wo[win].cursorline = true
  local function map(key, row)
    vim.keymap.set("n", key, function()
      local item = items[row or vim.api.nvim_win_get_cursor(win)[1]]
      vim.api.nvim_win_close(win, true)
      choose(item)
    end, { buffer = vim.api.nvim_win_get_buf(win), nowait = true, desc = "Choose" })
  end
  map("<CR>")
  for row = 1, #items do
    local number = numbers and numbers[row] or row
    if number < 10 then
      map(tostring(number), row)
    end
  end
end

--- Lets the user choose one of `items`; nothing happens when they choose none.
---@param items string[]
---@param title string
---@param choose fun(item: string)
---@param numbers? integer[]  by which the user knows the items; a digit chooses. Default: their rows
function M.select(items, title, choose, numbers)
  return_to_insert.leave()
  if not plugin_override.of(vim.ui.select) then
    return pick(items, title, choose, numbers)
  end
  local labels, by_label = {}, {} ---@type string[], table<string, string>
  for row, item in ipairs(items) do
    labels[row] = numbers and ("%d  %s"):format(numbers[row], item) or item
    by_label[labels[row]] = item
  end
  vim.ui.select(labels, { prompt = title }, function(label)
    if by_label[label] then
      choose(by_label[label])
    end
  end)
end

return M
