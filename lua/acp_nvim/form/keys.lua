-- Maps the keys of a form: <CR> and <Space> choose, or send on the last line.
local fields = require("acp_nvim.form.field")
local form_layout = require("acp_nvim.form.layout")

local api = vim.api
local M = {}

local KEYS = { "<CR>", "<Space>" }

--- Unmarks the choices of a field of which only one may be marked.
---@param form acp.Form
---@param field acp.FormField
---@param buf integer
---@param first integer  the row of the field's heading, from 1
local function clear(form, field, buf, first)
  for index, line in ipairs(api.nvim_buf_get_lines(buf, first, -1, false)) do
    local _, mark, rest = fields.choice_in(field, line)
    if form.headings[line] then
      return
    elseif mark and mark:find("%S") then
      api.nvim_buf_set_lines(buf, first + index - 1, first + index, false, { "( " .. rest })
    end
  end
end

---@param form acp.Form
---@param buf integer
---@param row integer  from 1
---@return boolean toggled
local function toggle(form, buf, row)
  local lines = api.nvim_buf_get_lines(buf, 0, row, false)
  local number, first = form_layout.field_at(form, lines, row)
  local field = number and form.fields[number]
  local open, mark, rest = fields.choice_in(field or { choices = {} }, lines[row])
  if not field or not open then
    return false
  end
  local on = not (mark or ""):find("%S")
  if open == "(" and on then
    clear(form, field, buf, first --[[@as integer]])
  end
  api.nvim_buf_set_lines(buf, row - 1, row, false, { open .. (on and "x" or " ") .. rest })
  return true
end

---@param form acp.Form
---@param buf integer
---@param key string
local function press_key(form, buf, key)
  local row = api.nvim_win_get_cursor(0)[1]
  if key == "<CR>" and api.nvim_get_current_line() == form_layout.SEND then
    vim.cmd.write()
  elseif not toggle(form, buf, row) then
    api.nvim_feedkeys(api.nvim_replace_termcodes(key, true, true, true), "n", false)
  end
end

---@param form acp.Form
---@param buf integer
function M.map(form, buf)
  for _, key in ipairs(KEYS) do
    local function press()
      press_key(form, buf, key)
    end
    vim.keymap.set("n", key, press, { buffer = buf, desc = "choose; on the last line send" })
  end
end

---@param buf integer
function M.unmap(buf)
  for _, key in ipairs(KEYS) do
    pcall(vim.keymap.del, "n", key, { buffer = buf })
  end
end

return M
