-- Shows a list with keys in a window at the bottom: one item a line, a bar that names the keys, `g?` for all of them,
-- remarks below. It can be redrawn while it is open: each cursor stays on its item.
local bar_segments = require("acp_nvim.ui.bar_segments")
local messages = require("acp_nvim.ui.messages")
local panes = require("acp_nvim.ui.panes")
local printable = require("acp_nvim.ui.printable")
local safe_windows = require("acp_nvim.ui.safe_windows")
local tabpage = require("acp_nvim.ui.tabpage")
local window_name = require("acp_nvim.ui.window_name")
local window_looks = require("acp_nvim.ui.window_looks")

local api = vim.api
local M = {}

---@class acp.ListRow
---@field of any        the thing
---@field key string    the same thing has the same one each time
---@field text string   its line
---@field from integer  the bytes of it that say how the thing is doing
---@field to integer
---@field hl string

---@class acp.ListKey
---@field [1] string  the key
---@field [2] string  what it does
---@field run? fun(of: any, again: boolean): string?  with the cursor's thing; the words ask for the key once more
---@field always? fun()  needs none

---@class acp.ListAsk
---@field key string    of the row
---@field by string     the key to be pressed again
---@field words string

---@class acp.ListSpec
---@field name string      of the buffer, such as "acp://sessions"
---@field filetype string
---@field title string
---@field bar string       what the bar tells of the keys
---@field keys acp.ListKey[]
---@field rows fun(width: integer): acp.ListRow[]
---@field remarks fun(rows: acp.ListRow[]): string[], string, integer?  texts, their highlight, below which row
---@field at_end? fun()    the cursor has come to the last row
---@field closed? fun()

---@class acp.List
---@field spec acp.ListSpec
---@field buffer? integer
---@field rows acp.ListRow[]  as they are shown
---@field asked? acp.ListAsk  a row waits for a key once more
---@field share number        of the screen's rows that its window takes at most
---@field height? integer     of its window, unless the user has changed it
---@field scheduled boolean
local List = {}
List.__index = List

local NAMESPACE = api.nvim_create_namespace("acp_nvim.listed")
local BAR = 1 -- row above the list
local LEAST = 4 -- rows of the window

---@param spec acp.ListSpec
---@return acp.List
function M.new(spec)
  return setmetatable({ spec = spec, rows = {}, scheduled = false }, List)
end

--- `text` in exactly `width` screen cells.
---@param text string
---@param width integer
---@return string
function M.column(text, width)
  text = printable.cut(text, width)
  return text .. (" "):rep(width - vim.fn.strwidth(text))
end

--- Shows the message of a failed action.
---@param ok any
---@param message? string
---@return boolean ok
function M.show_result(ok, message)
  if not ok then
    messages.show("warn", message or "that failed: see :Acp log")
  end
  return ok ~= nil and ok ~= false
end

--- Closes the list of the current window, then calls `open`.
---@param open fun()
function M.replace_with(open)
  local win = api.nvim_get_current_win()
  safe_windows.run(function()
    pcall(api.nvim_win_close, win, false)
  end)
  if api.nvim_win_is_valid(win) then
    vim.cmd.enew() -- it was the last window
  end
  vim.schedule(open) -- closing gives the cursor back to the window that it came from
end

-- How it looks --------------------------------------------------------------------------------------------------------

--- Shows what is asked about a row: at its end or, if that would cover more than half of it, whole below it.
---@private
---@param buf integer
---@param row integer
---@param width integer
---@return integer below  rows that it takes
function List:show_asked(buf, row, width)
  local words = self.asked.words
  if vim.fn.strwidth(words) <= width / 2 then
    local ask = { { "  " .. words, "AcpWarning" } }
    api.nvim_buf_set_extmark(buf, NAMESPACE, row, 0, { virt_text = ask, virt_text_pos = "right_align" })
    return 0
  end
  local lines = vim.tbl_map(function(line)
    return { { "    " .. line, "AcpWarning" } }
  end, printable.wrap(words, width - 4))
  api.nvim_buf_set_extmark(buf, NAMESPACE, row, 0, { virt_lines = lines })
  return #lines
end

---@private
---@param buf integer
---@param width integer
---@return integer remarks  rows below the list's own
function List:decorate(buf, width)
  api.nvim_buf_clear_namespace(buf, NAMESPACE, 0, -1)
  local asked = 0
  for row, line in ipairs(self.rows) do
    api.nvim_buf_set_extmark(buf, NAMESPACE, row - 1, line.from, { end_col = line.to, hl_group = line.hl })
    if self.asked and line.key == self.asked.key then
      asked = self:show_asked(buf, row - 1, width)
    end
  end
  local said, hl, row = self.spec.remarks(self.rows)
  local below = vim.tbl_map(function(text)
    return { { "    " .. text, hl } }
  end, said)
  if #below > 0 then
    api.nvim_buf_set_extmark(buf, NAMESPACE, math.max(0, (row or #self.rows) - 1), 0, { virt_lines = below })
  end
  return #below + asked
end

--- Makes the window as high as what it shows, unless the user has made it higher or lower.
---@private
---@param rows integer
function List:fit(rows)
  local win = self:window()
  if win and (not self.height or self.height == api.nvim_win_get_height(win)) then
    local most = math.floor(vim.o.lines * self.share)
    tabpage.set_height(win, math.max(LEAST, math.min(rows + BAR, most)))
    self.height = api.nvim_win_get_height(win)
  end
end

---@private
---@param buf integer
---@return table<integer, { key?: string, view: table }> by window
function List:places(buf)
  local found = {}
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    local view = api.nvim_win_call(win, vim.fn.winsaveview)
    found[win] = { key = self.rows[view.lnum] and self.rows[view.lnum].key, view = view }
  end
  return found
end

--- Puts the cursor of each window back on its item, as far up or down in the window as it was. A list that was shown
--- from its first row stays so as long as the cursor's item is in the window.
---@private
---@param before table<integer, { key?: string, view: table }>
function List:restore(before)
  for win, place in pairs(before) do
    local row = math.min(place.view.lnum, math.max(1, #self.rows))
    for i, line in ipairs(self.rows) do
      row = line.key == place.key and i or row
    end
    local moved = row - place.view.lnum
    local is_at_top = place.view.topline == 1 and row <= api.nvim_win_get_height(win) - BAR
    place.view.lnum, place.view.topline = row, is_at_top and 1 or math.max(1, place.view.topline + moved)
    api.nvim_win_call(win, function()
      vim.fn.winrestview(place.view)
    end)
  end
end

--- Draws the list at once.
function List:draw()
  self.scheduled = false
  local buf = self.buffer
  if not buf or not api.nvim_buf_is_valid(buf) then
    return
  end
  local before = self:places(buf)
  local win = next(before)
  local width = win and api.nvim_win_get_width(win) or vim.o.columns
  self.rows = self.spec.rows(width)
  local lines = vim.tbl_map(function(row)
    return row.text
  end, self.rows)
  if #lines == 0 then
    lines[1] = ""
  end
  if not vim.deep_equal(lines, api.nvim_buf_get_lines(buf, 0, -1, true)) then
    vim.bo[buf].modifiable = true
    api.nvim_buf_set_lines(buf, 0, -1, true, lines)
    vim.bo[buf].modifiable = false
    self:restore(before)
  end
  self:fit(#lines + self:decorate(buf, width))
end

--- Draws the list again, if it is open.
function List:redraw()
  if self.buffer and not self.scheduled then
    self.scheduled = true
    vim.schedule(function()
      self:draw()
    end)
  end
end

-- What the user does --------------------------------------------------------------------------------------------------

---@private
---@param asked? acp.ListAsk
function List:ask(asked)
  if asked or self.asked then
    self.asked = asked
    self:redraw()
  end
end

---@private
---@param key acp.ListKey
function List:press(key)
  if key.always then
    return key.always()
  end
  local line, asked = self.rows[api.nvim_win_get_cursor(0)[1]], self.asked
  self:ask(nil)
  if not line then
    return
  end
  local words = key.run(line.of, asked ~= nil and asked.key == line.key and asked.by == key[1])
  if words then
    self:ask({ key = line.key, by = key[1], words = words })
  end
end

---@private
function List:help()
  local lines = vim.tbl_map(function(key)
    return (" %-5s %s "):format(key[1], key[2])
  end, self.spec.keys)
  panes.float(vim.list_extend(lines, { " q <Esc>  close the window" }), "", self.spec.title)
end

--- The cursor has moved: forgets a confirmation that was asked for another row.
---@private
function List:moved()
  local row = api.nvim_win_get_cursor(0)[1]
  local line = self.rows[row]
  if not line or not self.asked or line.key ~= self.asked.key then
    self:ask(nil)
  end
  if self.spec.at_end and #self.rows > 1 and row == #self.rows then
    self.spec.at_end()
  end
end

---@private
---@param buf integer
function List:attend(buf)
  local function set(key, desc, fn)
    vim.keymap.set("n", key, fn, { buffer = buf, nowait = true, desc = desc })
  end
  for _, key in ipairs(self.spec.keys) do
    set(key[1], key[2], function()
      self:press(key)
    end)
  end
  set("g?", "keys", function()
    self:help()
  end)
  local function on(event, fn)
    api.nvim_create_autocmd(event, { buffer = buf, callback = fn })
  end
  on("CursorMoved", function()
    self:moved()
  end)
  on("WinResized", function()
    self:redraw()
  end)
  on("BufWipeout", function()
    if self.buffer == buf then
      self.buffer, self.rows, self.asked = nil, {}, nil
      if self.spec.closed then
        self.spec.closed()
      end
    end
  end)
end

-- The seam ------------------------------------------------------------------------------------------------------------

---@return integer? win  of this tab page, if it is there
function List:window()
  local win = self.buffer and vim.fn.bufwinid(self.buffer) or -1
  return win > 0 and win or nil
end

--- Opens the list, or goes to its window.
---@param share number  of the screen's rows that its window may take
---@return true? ok
---@return string? message
function List:open(share)
  if vim.fn.getcmdwintype() ~= "" then
    return nil, "close the command-line window first"
  end
  local win = panes.show(self.spec.name, self.spec.filetype, { "" })
  self.buffer, self.share, self.height = api.nvim_win_get_buf(win), share, nil
  local words = { self.spec.title, unpack(vim.split(self.spec.bar, "  ")) }
  local bar = bar_segments.of_words(self.buffer, vim.list_extend(words, { "g? keys" }))
  local statusline = window_name.of(self.spec.title)
  window_looks.set(win, { cursorline = true, wrap = false, winbar = bar, statusline = statusline })
  self:attend(self.buffer)
  self:draw()
  return true
end

return M
