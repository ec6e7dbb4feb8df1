-- Shows an agent's form in a window of its own. Writing its buffer answers the question.
local bar_segments = require("acp_nvim.ui.bar_segments")
local form_buffer = require("acp_nvim.form.buffer")
local form_layout = require("acp_nvim.form.layout")
local messages = require("acp_nvim.ui.messages")
local safe_windows = require("acp_nvim.ui.safe_windows")
local session_store = require("acp_nvim.backend.session_store")
local window_name = require("acp_nvim.ui.window_name")
local tabpage = require("acp_nvim.ui.tabpage")
local unasked_message = require("acp_nvim.ui.unasked_message")
local window_looks = require("acp_nvim.ui.window_looks")

local api = vim.api
local M = {}

local KEYS = { ":w or ▶ sends", "<CR> chooses", ":Acp reject declines", ":q decides nothing" }
local MOST = 0.6 -- of the screen

-- Before the user -----------------------------------------------------------------------------------------------------

--- Says in the bars of a form how many required fields are still empty.
---@param buf integer
local function set_bars(buf)
  local form = form_buffer.forms[buf]
  local missing = form and form_layout.missing(form, form_buffer.lines(buf)) or 0
  local told = missing > 0 and { ("%d required %s empty"):format(missing, missing == 1 and "field is" or "fields are") }
  local words = vim.iter({ "Form", told or {}, KEYS }):flatten():totable()
  for _, win in ipairs(form and vim.fn.win_findbuf(buf) or {}) do
    api.nvim_set_option_value("winbar", bar_segments.of_words(buf, words), { win = win, scope = "local" })
  end
end

---@param buf integer
---@return integer win
local function open_window(buf)
  local most, bar = math.max(3, math.floor(vim.o.lines * MOST)), 1
  local win = safe_windows.run(function()
    return tabpage.open_below(buf, math.min(api.nvim_buf_line_count(buf) + bar, most))
  end)
  -- wrapped rows begin below the text of a choice
  window_looks.set(win, { breakindentopt = "shift:4", statusline = window_name.of("Form") })
  set_bars(buf)
  tabpage.set_height(win, math.min(api.nvim_win_text_height(win, {}).all + bar, most)) -- lines may wrap
  return win
end

--- Shows the form of a question in a window of its own; what was typed into it before is still there.
---@param id integer
---@param session integer
---@param message string[]
---@param fields acp.FormField[]
function M.open(id, session, message, fields)
  local from = api.nvim_get_current_win()
  local buf = form_buffer.of(id)
  if not buf then
    buf = form_buffer.new(id, session, message, fields)
    form_buffer.on(buf, { "TextChanged", "InsertLeave" }, function()
      set_bars(buf)
    end)
  end
  local win = vim.fn.bufwinid(buf)
  if win ~= from then
    form_buffer.forms[buf].from = from
  end
  if win > 0 then
    return api.nvim_set_current_win(win)
  end
  win = open_window(buf)
  api.nvim_win_set_cursor(win, { form_layout.first_value(form_buffer.forms[buf], form_buffer.lines(buf), 1), 0 })
end

--- Sends the form that the user is in; false where there is none here.
---@return boolean
function M.accept()
  local here = form_buffer.forms[api.nvim_get_current_buf()] ~= nil
  if here then
    vim.cmd.write()
  end
  return here
end

---@param win integer
---@param row integer
local function go_to(win, row)
  api.nvim_win_set_cursor(win, { row, 0 })
  api.nvim_win_call(win, function()
    if row <= vim.fn.line("w0") or row > vim.fn.line("w$") then
      vim.cmd("normal! zz") -- 0.10 draws the cursor's line only once a key is typed
    end
  end)
end

--- Shows errors at the headings of their fields; the cursor goes to the first.
---@param id integer
---@param errors table<string, string>
function M.show_errors(id, errors)
  local buf = form_buffer.of(id)
  if not buf then
    return
  end
  vim.bo[buf].modified = true -- not sent
  form_buffer.forms[buf].sent = nil
  local first, win = form_buffer.complain(buf, errors), vim.fn.bufwinid(buf)
  if first and win > 0 then
    go_to(win, form_layout.first_value(form_buffer.forms[buf], form_buffer.lines(buf), first))
  end
end

-- Its end -------------------------------------------------------------------------------------------------------------

---@param buf integer
local function close_windows(buf)
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    if #api.nvim_tabpage_list_wins(api.nvim_win_get_tabpage(win)) > 1 then
      pcall(api.nvim_win_close, win, true)
    end
  end
end

---@param buf integer
local function close(buf)
  local from = form_buffer.forms[buf].from
  form_buffer.forms[buf] = nil
  safe_windows.run(function()
    if buf == api.nvim_get_current_buf() and from and api.nvim_win_is_valid(from) then
      api.nvim_set_current_win(from)
    end
    close_windows(buf)
    api.nvim_buf_delete(buf, { force = true })
  end)
end

--- Leaves the form's text in a buffer of its own before the user: a key meant for the form must not hit another buffer.
---@param buf integer
---@param is_changed boolean  there is something in it that no agent got
---@param why string
local function leave_open(buf, is_changed, why)
  form_buffer.set_free(buf, is_changed)
  local windows = vim.fn.win_findbuf(buf)
  for _, win in ipairs(windows) do
    api.nvim_set_option_value("winbar", " " .. why .. "%<", { win = win, scope = "local" })
  end
  if #windows == 0 then
    why = ("the question is gone; your edits are kept in :sbuffer %d"):format(buf)
  end
  unasked_message.show("warn", why)
end

--- Closes the form of a question that has been closed. One that was not sent stays open where the user is in it or has
--- filled something in.
---@param id integer
function M.ended(id)
  local buf = form_buffer.of(id)
  if not buf then
    return
  end
  local form, is_here = form_buffer.forms[buf], buf == api.nvim_get_current_buf()
  local is_changed = not vim.deep_equal(form_buffer.lines(buf), form.laid_out)
  local is_answered = form.sent or session_store.is_answered(id)
  if is_answered and is_here and api.nvim_get_mode().mode ~= "n" then -- the user types in it again
    leave_open(buf, false, "already answered: nothing here will be sent")
  elseif not is_answered and (is_here or is_changed) then
    leave_open(buf, is_changed, "the question is gone: nothing here will be sent")
  else
    close(buf)
  end
end

--- Opens a page in the browser, as the user has asked for.
---@param url string
function M.visit(url)
  local ok, _, problem = pcall(vim.ui.open, url)
  if not ok or problem then
    messages.show("error", "cannot open the page, its address is in the chat: " .. url)
  end
end

return M
