-- A form of an agent as a buffer of our own: a block a field; writing it answers the question.
--
-- Headings and explanations are lines that nobody else's text can be taken for; what stands below them is the value.
local backend = require("acp_nvim.backend")
local scratch = require("acp_nvim.scratch")
local state = require("acp_nvim.state")
local undisturbed = require("acp_nvim.undisturbed")

local api = vim.api
local M = {}

local NAMESPACE = api.nvim_create_namespace("acp_nvim.form")
local HEADING, ASIDE = "━━ ", "│ "
local SEND = "▶ send   :w or <CR> here sends, :Acp reject declines, :q decides nothing"
local KEYS = "%#AcpWinbar# Form   :w sends  <CR> chooses  :Acp reject declines  :q decides nothing%<"

---@class acp.FormField
---@field name string
---@field title string
---@field type string
---@field required boolean
---@field description? string
---@field default? any
---@field choices { value: string, title: string, description: string }[]
---@field custom? boolean
---@field format? string

---@class acp.FormBuffer
---@field question integer
---@field from? integer  the window that the user was in
---@field came string[]  the lines as they were laid out
---@field sent? boolean   the user has written it, and has heard of no mistake since
---@field fields acp.FormField[]
---@field headings table<string, integer>  line -> number of its field
---@field asides table<string, true>

local is_leaving = false -- `:wqa`, `:xa`: the buffers are being written
local forms = {} ---@type table<integer, acp.FormBuffer>  by buffer

---@param field acp.FormField
---@return string[]
local function labels(field)
  if field.type == "boolean" then
    return { "Yes", "No" }
  end
  return vim.tbl_map(function(choice)
    return choice.title .. (choice.description ~= "" and ("  — " .. choice.description) or "")
  end, field.choices or {})
end

---@param field acp.FormField
---@param number integer
---@return boolean
local function is_default(field, number)
  if field.type == "boolean" then
    return field.default ~= nil and (number == 1) == field.default
  elseif field.type == "array" then
    return vim.list_contains(field.default or {}, field.choices[number].value)
  end
  return field.choices[number].value == field.default
end

---@param field acp.FormField
---@return string[]
local function value_lines(field)
  local lines = {}
  local open, shut = "(", ")"
  if field.type == "array" then
    open, shut = "[", "]"
  end
  for number, label in ipairs(labels(field)) do
    lines[number] = ("%s%s%s %s"):format(open, is_default(field, number) and "x" or " ", shut, label)
  end
  if #lines == 0 then
    local default = field.default
    lines = vim.split(default == nil and "" or tostring(default), "\n", { plain = true })
  elseif field.custom then
    lines[#lines + 1] = ""
  end
  return lines
end

local FORMATS = { email = "e-mail address", uri = "URI", date = "date", ["date-time"] = "date and time" }

---@param field acp.FormField
---@return string
local function kind_of(field)
  local kinds =
    { string = "text", integer = "whole number", number = "number", boolean = "yes or no", array = "any of" }
  local kind = kinds[field.type] or field.type
  if field.type == "string" and #(field.choices or {}) > 0 then
    kind = "one of"
  end
  return ("%s, %s%s"):format(
    field.required and "required" or "optional",
    FORMATS[field.format] or kind,
    field.custom and #(field.choices or {}) > 0 and ", or a line of your own" or ""
  )
end

---@param form acp.FormBuffer
---@param message string[]
---@return string[]
local function layout(form, message)
  local lines = {}
  local function aside(text)
    for _, line in ipairs(vim.split(text, "\n", { plain = true })) do
      lines[#lines + 1] = ASIDE .. line
      form.asides[ASIDE .. line] = true
    end
  end
  aside(table.concat(message, "\n"))
  for number, field in ipairs(form.fields) do
    local heading = ("%s%s  (%s)"):format(HEADING, field.title, kind_of(field))
    while form.headings[heading] do
      heading = heading .. " ·"
    end
    form.headings[heading] = number
    vim.list_extend(lines, { "", heading })
    if field.description and field.description ~= "" then
      aside(field.description)
    end
    vim.list_extend(lines, value_lines(field))
  end
  return vim.list_extend(lines, { "", SEND })
end

-- Reading -------------------------------------------------------------------------------------------------------------

---@param form acp.FormBuffer
---@param field acp.FormField
---@param lines string[]  of its block
---@return { text: string, chosen: integer[] }
local function typed(form, field, lines)
  local number_of, chosen, words = {}, {}, {}
  for number, label in ipairs(labels(field)) do
    number_of[label] = number_of[label] or {}
    table.insert(number_of[label], number)
  end
  for _, line in ipairs(lines) do
    local mark, label = line:match("^[%(%[](.-)[%)%]] (.*)$")
    local numbers = label and #mark <= 1 and number_of[label]
    local number = numbers and table.remove(numbers, 1)
    if number then
      chosen[#chosen + 1] = mark:find("%S") and number or nil
    elseif not form.asides[line] then
      words[#words + 1] = line
    end
  end
  local text = table.concat(words, "\n"):gsub("^[\n ]*\n", ""):gsub("%s+$", "")
  return { text = text, chosen = chosen }
end

---@param buf integer
---@return table<string, { text: string, chosen: integer[] }>? values
---@return string? message
local function read(buf)
  local form = forms[buf]
  local blocks, current = {}, nil ---@type table<integer, string[]>, string[]?
  for _, line in ipairs(api.nvim_buf_get_lines(buf, 0, -1, false)) do
    local number = form.headings[line]
    if number and not blocks[number] then
      current = {}
      blocks[number] = current
    elseif line == SEND then
      current = nil
    elseif current then
      current[#current + 1] = line
    end
  end
  local values = vim.empty_dict()
  for number, field in ipairs(form.fields) do
    if not blocks[number] then
      return nil, ("the heading of '%s' is gone or changed: u brings it back; nothing was sent"):format(field.title)
    end
    values[field.name] = typed(form, field, blocks[number])
  end
  return values
end

--- Sends what the buffer holds; what is wrong with it comes back as `errors`.
---@param buf integer
---@param leaving boolean  once it is written Neovim ends
local function send(buf, leaving)
  local values, message = read(buf)
  local ok ---@type boolean?
  if values then
    api.nvim_buf_clear_namespace(buf, NAMESPACE, 0, -1)
    ok, message = backend.notify("form_send", { question = forms[buf].question, fields = values })
    forms[buf].sent = ok
  end
  if not ok then
    scratch.message("error", message or "the form was not taken")
  elseif leaving then
    scratch.message("warn", "the form goes out first: once it is taken, say it again to leave")
  end
  vim.bo[buf].modified = true -- not written until it is taken: `:wqa` stays, and `:wq` leaves the window to us
end

-- Keys ----------------------------------------------------------------------------------------------------------------

--- The number of the field whose block holds the row.
---@param buf integer
---@param row integer  from 1
---@return integer? number
---@return integer? first  the row of its heading, from 1
local function field_at(buf, row)
  local lines = api.nvim_buf_get_lines(buf, 0, row, false)
  for above = row, 1, -1 do
    local number = forms[buf].headings[lines[above]]
    if number then
      return number, above
    end
  end
end

--- Is the line a choice of its field?
---@param field acp.FormField
---@param line string
---@return string? open
---@return string? mark
---@return string? rest
local function choice_in(field, line)
  local open, mark, rest = line:match("^([%(%[])(.?)([%)%]] .*)$")
  if rest and vim.list_contains(labels(field), rest:sub(3)) then
    return open, mark, rest
  end
end

---@param buf integer
---@param row integer  from 1
---@return boolean toggled
local function toggle(buf, row)
  local number, first = field_at(buf, row)
  local field = number and forms[buf].fields[number]
  local line = api.nvim_buf_get_lines(buf, row - 1, row, false)[1]
  local open, mark, rest = choice_in(field or { choices = {} }, line)
  if not field or not open then
    return false
  end
  local on = not (mark or ""):find("%S")
  if open == "(" and on then
    for at = first + 1, api.nvim_buf_line_count(buf) do
      local other = api.nvim_buf_get_lines(buf, at - 1, at, false)[1]
      local _, marked, tail = choice_in(field, other)
      if forms[buf].headings[other] then
        break
      elseif marked and marked:find("%S") then
        api.nvim_buf_set_lines(buf, at - 1, at, false, { "( " .. tail })
      end
    end
  end
  api.nvim_buf_set_lines(buf, row - 1, row, false, { open .. (on and "x" or " ") .. rest })
  return true
end

---@param buf integer
---@param key string
---@return fun()
local function act(buf, key)
  return function()
    local row = api.nvim_win_get_cursor(0)[1]
    if key == "<CR>" and api.nvim_get_current_line() == SEND then
      vim.cmd.write()
    elseif not toggle(buf, row) then
      api.nvim_feedkeys(api.nvim_replace_termcodes(key, true, true, true), "n", false)
    end
  end
end

-- The buffer ----------------------------------------------------------------------------------------------------------

---@param buf integer
---@param row integer  from 0
---@param group string
local function tint(buf, row, group)
  api.nvim_buf_set_extmark(buf, NAMESPACE, row, 0, { line_hl_group = group })
end

---@param buf integer
local function paint(buf)
  for index, line in ipairs(api.nvim_buf_get_lines(buf, 0, -1, false)) do
    if forms[buf].headings[line] then
      tint(buf, index - 1, "AcpWinbarTitle")
    elseif forms[buf].asides[line] then
      tint(buf, index - 1, "AcpNote")
    elseif line == SEND then
      tint(buf, index - 1, "AcpOption")
    end
  end
end

---@param id integer
---@return integer? buf
local function buffer_of(id)
  for buf, form in pairs(forms) do
    if form.question == id and api.nvim_buf_is_valid(buf) then
      return buf
    end
  end
end

---@param id integer
---@param session integer
---@param message string[]
---@param fields acp.FormField[]
---@return integer buf
local function create(id, session, message, fields)
  local buf = api.nvim_create_buf(false, false)
  vim.bo[buf].buftype = "acwrite"
  vim.bo[buf].bufhidden = "hide" -- what was typed stays until the question is answered
  vim.bo[buf].swapfile = false
  vim.bo[buf].modeline = false
  api.nvim_buf_set_name(buf, ("acp://%d/form/%d"):format(session, id))
  vim.b[buf].acp_session, vim.b[buf].acp_question = session, id
  forms[buf] = { question = id, fields = fields, headings = {}, asides = {}, came = {} }
  forms[buf].came = layout(forms[buf], message)
  local undolevels = vim.bo[buf].undolevels
  vim.bo[buf].undolevels = -1
  api.nvim_buf_set_lines(buf, 0, -1, true, forms[buf].came)
  vim.bo[buf].undolevels = undolevels
  vim.bo[buf].modified = false
  vim.bo[buf].filetype = "acp_form"
  paint(buf)
  api.nvim_create_autocmd("BufWriteCmd", {
    buffer = buf,
    callback = function()
      send(buf, is_leaving)
    end,
  })
  api.nvim_create_autocmd("BufHidden", { -- `:q` decides nothing, and `:qa` need not ask
    buffer = buf,
    callback = function()
      vim.bo[buf].modified = false
    end,
  })
  api.nvim_create_autocmd("BufWipeout", {
    buffer = buf,
    callback = function()
      forms[buf] = nil
    end,
  })
  for _, key in ipairs({ "<CR>", "<Space>" }) do
    vim.keymap.set("n", key, act(buf, key), { buffer = buf, desc = "choose, or send on the last line" })
  end
  return buf
end

--- The row of a field's first value, from 1.
---@param buf integer
---@param number integer
---@return integer
local function first_value(buf, number)
  local lines = api.nvim_buf_get_lines(buf, 0, -1, false)
  for row, line in ipairs(lines) do
    if forms[buf].headings[line] == number then
      row = row + 1
      while forms[buf].asides[lines[row]] do
        row = row + 1
      end
      return math.min(row, #lines)
    end
  end
  return 1
end

--- Shows the form of a question in a window of its own; what was typed into it before is still there.
---@param id integer
---@param session integer
---@param message string[]
---@param fields acp.FormField[]
function M.open(id, session, message, fields)
  local from = api.nvim_get_current_win()
  local buf = buffer_of(id) or create(id, session, message, fields)
  local win = vim.fn.bufwinid(buf)
  if win ~= from then
    forms[buf].from = from
  end
  if win > 0 then
    return api.nvim_set_current_win(win)
  end
  local height = math.min(api.nvim_buf_line_count(buf) + 1, math.max(3, math.floor(vim.o.lines / 2)))
  win = undisturbed.run(function()
    return api.nvim_open_win(buf, true, { split = "below", win = -1, height = height })
  end)
  local looks = { wrap = true, number = false, relativenumber = false, signcolumn = "no", winbar = KEYS }
  for name, value in pairs(looks) do
    vim.wo[win][0][name] = value
  end
  api.nvim_win_set_cursor(win, { first_value(buf, 1), 0 })
end

--- Sends the form that the user is in; false where there is none here.
---@return boolean
function M.accept()
  local here = forms[api.nvim_get_current_buf()] ~= nil
  if here then
    vim.cmd.write()
  end
  return here
end

--- What is wrong, by the names of fields: said at their headings, the cursor at the first.
---@param id integer
---@param errors table<string, string>
function M.errors(id, errors)
  local buf = buffer_of(id)
  if not buf then
    return
  end
  vim.bo[buf].modified = true -- not sent
  forms[buf].sent = nil
  api.nvim_buf_clear_namespace(buf, NAMESPACE, 0, -1)
  paint(buf)
  local first ---@type integer?
  for row, line in ipairs(api.nvim_buf_get_lines(buf, 0, -1, false)) do
    local number = forms[buf].headings[line]
    local what = number and errors[forms[buf].fields[number].name]
    if what then
      first = first or number
      local chunk = { { "  ✗ " .. scratch.visible(what), "AcpError" } }
      api.nvim_buf_set_extmark(buf, NAMESPACE, row - 1, 0, { virt_text = chunk })
    end
  end
  local win = vim.fn.bufwinid(buf)
  if first and win > 0 then
    local row = first_value(buf, first)
    api.nvim_win_set_cursor(win, { row, 0 })
    api.nvim_win_call(win, function()
      if row <= vim.fn.line("w0") or row > vim.fn.line("w$") then
        vim.cmd("normal! zz") -- 0.10 draws the cursor's line only once a key is typed
      end
    end)
  end
end

---@param buf integer
local function close(buf)
  local from = forms[buf].from
  forms[buf] = nil
  undisturbed.run(function()
    if buf == api.nvim_get_current_buf() and from and api.nvim_win_is_valid(from) then
      api.nvim_set_current_win(from)
    end
    for _, win in ipairs(vim.fn.win_findbuf(buf)) do
      if #api.nvim_tabpage_list_wins(api.nvim_win_get_tabpage(win)) > 1 then
        pcall(api.nvim_win_close, win, true)
      end
    end
    api.nvim_buf_delete(buf, { force = true })
  end)
end

--- The form stays before the user as a buffer that is nobody's: no key meant for it hits another one.
---@param buf integer
---@param is_changed boolean  there is something in it that no agent got
---@param why string
local function leave_open(buf, is_changed, why)
  forms[buf] = nil
  api.nvim_clear_autocmds({ buffer = buf, event = { "BufWriteCmd", "BufHidden" } })
  vim.bo[buf].buftype = "nofile"
  vim.bo[buf].bufhidden = is_changed and "hide" or "wipe"
  for _, key in ipairs({ "<CR>", "<Space>" }) do
    pcall(vim.keymap.del, "n", key, { buffer = buf })
  end
  local windows = vim.fn.win_findbuf(buf)
  for _, win in ipairs(windows) do
    api.nvim_set_option_value("winbar", " " .. why .. "%<", { win = win, scope = "local" })
  end
  if #windows == 0 then
    why = ("this is no longer asked; what you made of it: :sbuffer %d"):format(buf)
  end
  require("acp_nvim.announce").say("warn", why)
end

--- The question is no longer open. Who is in its form, or has filled something in, keeps it; else it goes.
---@param id integer
function M.ended(id)
  local buf = buffer_of(id)
  if not buf then
    return
  end
  local is_here = buf == api.nvim_get_current_buf()
  if forms[buf].sent or state.is_answered(id) then
    if is_here and api.nvim_get_mode().mode ~= "n" then -- begun again before it was taken
      return leave_open(buf, false, "answered: nothing more of this will be sent")
    end
    return close(buf)
  end
  local is_changed = not vim.deep_equal(api.nvim_buf_get_lines(buf, 0, -1, false), forms[buf].came)
  if is_here or is_changed then
    return leave_open(buf, is_changed, "no longer asked: nothing of this will be sent")
  end
  close(buf)
end

api.nvim_create_autocmd("ExitPre", {
  group = api.nvim_create_augroup("acp_nvim.form", {}),
  callback = function()
    is_leaving = true
    vim.schedule(function() -- still here
      is_leaving = false
    end)
  end,
})

--- The user wants to see a page.
---@param url string
function M.visit(url)
  local ok, _, problem = pcall(vim.ui.open, url)
  if not ok or problem then
    scratch.message("error", "the page cannot be opened here, its address is in the chat: " .. url)
  end
end

return M
