-- Logs in: asks which way, and runs the agent's own program in a terminal.
local backend = require("acp_nvim.backend.process")
local messages = require("acp_nvim.ui.messages")
local panes = require("acp_nvim.ui.panes")
local printable = require("acp_nvim.ui.printable")
local shared_constants = require("acp_nvim.shared_constants")
local window_name = require("acp_nvim.ui.window_name")
local tabpage = require("acp_nvim.ui.tabpage")
local window_looks = require("acp_nvim.ui.window_looks")

local api = vim.api
local M = {}

local last ---@type integer? the buffer in which it was tried

--- Called by the backend: lets the user choose among several ways to log in.
---@param n integer
---@param methods { id: string, name: string, text: string }[]
function M.choose(n, methods)
  local labels, ids = {}, {}
  for i, method in ipairs(methods) do
    labels[i] = ("%d  %s"):format(i, method.text)
    ids[labels[i]] = method.id
  end
  panes.select(labels, "Log in with", function(label)
    local ok, message = backend.notify("login", { session = n, method = ids[label] })
    if not ok then
      messages.show("error", message or "")
    end
  end)
end

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

--- Leaves the text of the terminal open: keys that the user is still typing must not reach the next window.
---@param win integer
---@param buf integer
local function leave_open(win, buf)
  local text = api.nvim_create_buf(false, true)
  api.nvim_buf_set_lines(text, 0, -1, false, api.nvim_buf_get_lines(buf, 0, -1, false))
  vim.bo[text].modifiable, vim.bo[text].bufhidden = false, "wipe"
  vim.cmd.stopinsert()
  api.nvim_win_set_buf(win, text)
  api.nvim_set_option_value("winbar", " logged in   :q closes", { win = win, scope = "local" })
  api.nvim_create_autocmd("WinLeave", { buffer = text, once = true, command = "silent! close" })
end

---@param n integer
---@param win integer
---@param buf integer
---@param status integer
local function ended(n, win, buf, status)
  if status ~= 0 then
    local how = ("the login failed with exit code %d: try again with :Acp login"):format(status)
    if api.nvim_get_current_buf() == buf then
      vim.cmd.stopinsert() -- in terminal mode the next key would close what the program has said
    end
    if api.nvim_win_is_valid(win) then -- the mode's end takes a message with it
      api.nvim_set_option_value("winbar", " " .. how .. "%<", { win = win, scope = "local" })
    end
    return messages.show("warn", how)
  end
  local is_here = api.nvim_get_current_win() == win and api.nvim_win_get_buf(win) == buf
  if is_here and api.nvim_get_mode().mode == "t" then
    leave_open(win, buf)
  elseif api.nvim_win_is_valid(win) and api.nvim_win_get_buf(win) == buf then
    pcall(api.nvim_win_close, win, true)
  end
  if api.nvim_buf_is_valid(buf) then
    api.nvim_buf_delete(buf, { force = true })
  end
  backend.notify("login_done", { session = n })
end

--- Called by the backend: runs the agent's login program in a terminal, and restarts the agent when that has succeeded.
---@param n integer
---@param what acp.message.LoginProgram
function M.run(n, what)
  if last and api.nvim_buf_is_valid(last) then
    api.nvim_buf_delete(last, { force = true })
  end
  local buf = api.nvim_create_buf(false, true)
  local win = tabpage.open_below(buf, math.floor(vim.o.lines / 2))
  local label = printable.visible(what.label):gsub("%%", "%%%%")
  window_looks.set(win, { winbar = " Login: " .. label .. "%<", statusline = window_name.of("Login") })
  vim.b[buf].acp_session, last = n, buf
  local ok, problem = start(without_neovims_variables(what.argv), {
    cwd = what.cwd,
    env = next(what.env) and what.env or nil,
    on_exit = function(_, status)
      ended(n, win, buf, status)
    end,
  })
  if not ok then
    api.nvim_win_close(win, true)
    return messages.show("error", ("cannot start the login: %s"):format(tostring(problem)))
  end
  vim.cmd.startinsert()
end

return M
