-- Runs a program that the user has asked for, a login or an installation, in a terminal below the other windows.
local messages = require("acp_nvim.ui.messages")
local printable = require("acp_nvim.ui.printable")
local shared_constants = require("acp_nvim.shared_constants")
local tabpage = require("acp_nvim.ui.tabpage")
local window_looks = require("acp_nvim.ui.window_looks")
local window_name = require("acp_nvim.ui.window_name")

local api = vim.api
local M = {}

---@class acp.Program
---@field name string      of the window
---@field label string     what the bar says
---@field argv string[]
---@field cwd? string
---@field env? table<string, string>
---@field done string      what the bar says once it has succeeded
---@field failed fun(status: integer): string  what to tell, and what to do
---@field succeeded fun()

--- Returns the command so that it runs without $NVIM and the like, by which it could drive this editor. Neovim gives
--- them to every job, whatever its `env` says.
---@param argv string[]
---@return string[]
local function without_neovims_variables(argv)
  local command = { "env" }
  for _, name in ipairs(shared_constants.WITHHELD) do
    vim.list_extend(command, { "-u", name })
  end
  return vim.list_extend(command, argv)
end

---@param argv string[]
---@param options table
---@return boolean ok
---@return any problem
local function start(argv, options)
  if vim.fn.has("nvim-0.11") == 1 then
    return pcall(vim.fn.jobstart, argv, vim.tbl_extend("error", options, { term = true }))
  end
  return pcall(vim.fn.termopen, argv, options)
end

---@param win integer
---@param text string
local function set_bar(win, text)
  api.nvim_set_option_value("winbar", " " .. text:gsub("%%", "%%%%"), { win = win, scope = "local" })
end

--- Leaves the text of the terminal open: keys that the user is still typing must not reach the next window.
---@param win integer
---@param buf integer
---@param done string
local function leave_open(win, buf, done)
  local text = api.nvim_create_buf(false, true)
  api.nvim_buf_set_lines(text, 0, -1, false, api.nvim_buf_get_lines(buf, 0, -1, false))
  vim.bo[text].modifiable, vim.bo[text].bufhidden = false, "wipe"
  vim.cmd.stopinsert()
  api.nvim_win_set_buf(win, text)
  set_bar(win, done .. "   :q closes")
  api.nvim_create_autocmd("WinLeave", { buffer = text, once = true, command = "silent! close" })
end

---@param program acp.Program
---@param win integer
---@param buf integer
---@param status integer
local function ended(program, win, buf, status)
  if status ~= 0 then
    local how = program.failed(status)
    if api.nvim_get_current_buf() == buf then
      vim.cmd.stopinsert() -- in terminal mode the next key would close what the program has said
    end
    if api.nvim_win_is_valid(win) then -- the mode's end takes a message with it
      set_bar(win, how)
    end
    return messages.show("warn", how)
  end
  local is_here = api.nvim_get_current_win() == win and api.nvim_win_get_buf(win) == buf
  if is_here and api.nvim_get_mode().mode == "t" then
    leave_open(win, buf, program.done)
  elseif api.nvim_win_is_valid(win) and api.nvim_win_get_buf(win) == buf then
    pcall(api.nvim_win_close, win, true)
  end
  if api.nvim_buf_is_valid(buf) then
    api.nvim_buf_delete(buf, { force = true })
  end
  program.succeeded()
end

--- Runs the program, in insert mode. A program that fails leaves its text open; a terminal of ours that is there goes.
---@param program acp.Program
---@return integer? buf
function M.run(program)
  local buf = api.nvim_create_buf(false, true)
  local win = tabpage.open_below(buf, math.floor(vim.o.lines / 2))
  window_looks.set(win, { winbar = "", statusline = window_name.of(program.name) })
  set_bar(win, printable.visible(program.label))
  local ok, problem = start(without_neovims_variables(program.argv), {
    cwd = program.cwd,
    env = next(program.env or {}) and program.env or nil,
    on_exit = function(_, status)
      ended(program, win, buf, status)
    end,
  })
  if not ok then
    api.nvim_win_close(win, true)
    return messages.show("error", ("cannot start %s: %s"):format(program.argv[1], tostring(problem)))
  end
  vim.cmd.startinsert()
  return buf
end

return M
