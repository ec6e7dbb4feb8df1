-- Maps the keys of a form: <CR> and <Space> choose, or send on the last line.
local fields = require("acp_nvim.form.field")
local form_layout = require("acp_nvim.form.layout")

local api = vim.api
local M = {}

local KEYS = { "<CR>", "<Space>" }

--- Changes the mark of a choice, and nothing else of its line: the rest keeps its colours.
---@param buf integer
---@param row integer  from 1
---@param mark string  the old one
---@param new string
local function set_mark(buf, row, mark, new)
  api.nvim_buf_set_text(buf, row - 1, 1, row - 1, 1 + #mark, { new })
end

--- Unmarks the choices of a field of which only one may be marked.
---@param form acp.Form
---@param field acp.FormField
---@param buf integer
---@param heading integer  the row of the field's heading, from 1
local function unmark_all(form, field, buf, heading)
  for index, line in ipairs(api.nvim_buf_get_lines(buf, heading, -1, false)) do
    local _, mark = fields.choice_in(field, line)
    if form.headings[line] then
      return
    elseif mark and mark:find("%S") then
      set_mark(buf, heading + index, mark, " ")
    end
  end
end

--- Marks or unmarks the choice in a row.
---@param form acp.Form
---@param buf integer
---@param row integer  from 1
---@return boolean toggled  false: the row is no choice
local function toggle(form, buf, row)
  local lines = api.nvim_buf_get_lines(buf, 0, row, false)
  local number, heading = form_layout.field_at(form, lines, row)
  if not number then
    return false
  end
  ---@cast heading integer
  local field = form.fields[number]
  local open, mark = fields.choice_in(field, lines[row])
  if not open then
    return false
  end
  ---@cast mark string
  local is_marked = mark:find("%S") ~= nil
  if open == "(" and not is_marked then
    unmark_all(form, field, buf, heading)
  end
  set_mark(buf, row, mark, is_marked and " " or "x")
  return true
end

---@param form acp.Form
---@param buf integer
---@param key string
local function press_key(form, buf, key)
  local row = api.nvim_win_get_cursor(0)[1]
  if key == "<CR>" and api.nvim_get_current_line() == form.send then
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
function M.unmap(buf) -- what the user has unmapped is gone already
  for _, key in ipairs(KEYS) do
    pcall(vim.keymap.del, "n", key, { buffer = buf })
  end
end

return M
