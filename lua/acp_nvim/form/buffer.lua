-- Draws a form into a buffer, and sends the form when the buffer is written.
local backend = require("acp_nvim.backend.process")
local form_keys = require("acp_nvim.form.keys")
local form_layout = require("acp_nvim.form.layout")
local messages = require("acp_nvim.ui.messages")
local printable = require("acp_nvim.ui.printable")
local reload = require("acp_nvim.ui.reload")

local api = vim.api
local M = {}

local NAMESPACE = api.nvim_create_namespace("acp_nvim.form")

M.forms = {} ---@type table<integer, acp.Form>  by buffer

---@param buf integer
---@return string[]
function M.lines(buf)
  return api.nvim_buf_get_lines(buf, 0, -1, false)
end

---@param id integer
---@return integer? buf
function M.of(id)
  for buf, form in pairs(M.forms) do
    if form.question == id and api.nvim_buf_is_valid(buf) then
      return buf
    end
  end
end

-- Its looks -----------------------------------------------------------------------------------------------------------

--- The parts of a line that have a colour: { first, end, group }, from 0, bytes.
---@param form acp.Form
---@param line string
---@return [integer, integer, string][]
local function colours_of(form, line)
  local number = form.headings[line]
  if number then
    local title = #form_layout.HEADING + #form.fields[number].title
    return { { 0, #line, "AcpNote" }, { #form_layout.HEADING, title, "AcpHeading" } }
  elseif form.asides[line] then
    return { { 0, #form_layout.ASIDE, "AcpNote" } }
  elseif line == form.send then
    return { { 0, #line, "AcpOption" } }
  end
  local label = line:match("^[%(%[].?[%)%]] (.*)$")
  local described = label and form.described[label]
  return described and { { #line - #label + described, #line, "AcpNote" } } or {}
end

---@param buf integer
local function paint(buf)
  for index, line in ipairs(M.lines(buf)) do
    for order, colour in ipairs(colours_of(M.forms[buf], line)) do
      local opts = { end_col = colour[2], hl_group = colour[3], priority = 100 + order }
      api.nvim_buf_set_extmark(buf, NAMESPACE, index - 1, colour[1], opts)
    end
  end
end

--- Shows the errors at the headings of their fields.
---@param buf integer
---@param errors table<string, string>  by the names of fields
---@return integer? first  number of a field
function M.complain(buf, errors)
  local form, first = M.forms[buf], nil ---@type acp.Form, integer?
  api.nvim_buf_clear_namespace(buf, NAMESPACE, 0, -1)
  paint(buf)
  for row, line in ipairs(M.lines(buf)) do
    local number = form.headings[line]
    local what = number and errors[form.fields[number].name]
    if what then
      first = first or number
      local chunk = { { "  ✗ " .. printable.visible(what), "AcpError" } }
      api.nvim_buf_set_extmark(buf, NAMESPACE, row - 1, 0, { virt_text = chunk })
    end
  end
  return first
end

-- Sending -------------------------------------------------------------------------------------------------------------

---@param buf integer
---@param values table<string, acp.FormValue>
---@return boolean? ok
---@return string? message
local function notify(buf, values)
  local form = M.forms[buf]
  api.nvim_buf_clear_namespace(buf, NAMESPACE, 0, -1)
  local ok, message = backend.notify("form_send", { question = form.question, fields = values })
  form.sent = ok
  return ok, message
end

--- Sends what the buffer holds; what is wrong with it comes back as `errors`.
---@param buf integer
local function send(buf)
  local values, message = form_layout.read(M.forms[buf], M.lines(buf))
  local ok ---@type boolean?
  if values then
    ok, message = notify(buf, values)
  end
  if not ok then
    messages.show("error", message or "the form was not sent")
  end
  vim.bo[buf].modified = true -- not written until it is taken: `:wqa` stays, and `:wq` leaves the window to us
end

-- Coming and going ----------------------------------------------------------------------------------------------------

---@param buf integer
---@param event string|string[]
---@param fn fun()
function M.on(buf, event, fn)
  api.nvim_create_autocmd(event, {
    buffer = buf,
    callback = function()
      fn() -- what a callback returns has a meaning
    end,
  })
end

---@param buf integer
local function listen(buf)
  M.on(buf, "BufWriteCmd", function()
    send(buf)
  end)
  M.on(buf, "BufHidden", function() -- `:q` decides nothing, and `:qa` need not ask
    vim.bo[buf].modified = false
  end)
  M.on(buf, "BufWipeout", function()
    M.forms[buf] = nil
  end)
end

---@param buf integer
---@param lines string[]
local function fill(buf, lines)
  local undolevels = vim.bo[buf].undolevels
  vim.bo[buf].undolevels = -1
  api.nvim_buf_set_lines(buf, 0, -1, true, lines)
  vim.bo[buf].undolevels = undolevels
  vim.bo[buf].modified = false
end

---@param id integer
---@param session integer
---@param message string[]
---@param fields acp.FormField[]
---@return integer buf
function M.new(id, session, message, fields)
  local buf = api.nvim_create_buf(false, false)
  vim.bo[buf].buftype = "acwrite"
  vim.bo[buf].bufhidden = "hide" -- what was typed stays until the question is answered
  vim.bo[buf].swapfile = false
  vim.bo[buf].modeline = false
  api.nvim_buf_set_name(buf, ("acp://%d/form/%d"):format(session, id))
  vim.b[buf].acp_session, vim.b[buf].acp_question = session, id
  M.forms[buf] = form_layout.lay_out(id, message, fields)
  fill(buf, M.forms[buf].laid_out)
  vim.bo[buf].filetype = "acp_form"
  paint(buf)
  listen(buf)
  reload.fill_by(buf, function()
    api.nvim_buf_set_lines(buf, 0, -1, true, M.forms[buf].laid_out)
    paint(buf)
  end)
  form_keys.map(M.forms[buf], buf)
  return buf
end

--- Turns the form into an ordinary buffer.
---@param buf integer
---@param is_changed boolean  there is something in it that no agent got
function M.set_free(buf, is_changed)
  M.forms[buf] = nil
  local events = { "BufReadCmd", "BufUnload", "BufWriteCmd", "BufHidden", "TextChanged", "InsertLeave" }
  api.nvim_clear_autocmds({ buffer = buf, event = events })
  vim.bo[buf].buftype = "nofile"
  vim.bo[buf].bufhidden = is_changed and "hide" or "wipe"
  form_keys.unmap(buf)
  if is_changed then
    reload.keep_text(buf)
  end
end

return M
