-- Shows the log at its newest line: at once what the editor has, and again when the backend's part has come.
local log = require("acp_nvim.ui.log")
local panes = require("acp_nvim.ui.panes")
local tabpage = require("acp_nvim.ui.tabpage")

local api = vim.api
local M = { NAME = "acp://log" }

local NOTHING = "nothing has been logged yet"
local HEADING = "--- messages and stderr of the backend"

---@param lines string[]
local function show(lines)
  local win = panes.show(M.NAME, "acp_log", #lines > 0 and lines or { NOTHING })
  local rows = math.min(api.nvim_win_text_height(win, {}).all, math.floor(vim.o.lines / 3)) -- long lines wrap
  tabpage.set_height(win, math.max(rows, api.nvim_win_get_height(win)))
  api.nvim_win_call(win, function()
    vim.cmd("normal! Gzb")
  end)
end

--- Opens the log, without the backend's part.
function M.open()
  show(log.lines())
end

--- Shows the log with the backend's part in front, unless the user has closed it before that part came.
---@param lines string[]
function M.show_with_backend(lines)
  if #vim.fn.win_findbuf(vim.fn.bufnr("^" .. M.NAME .. "$")) == 0 then
    return
  end
  local ours = log.lines()
  if #lines > 0 and #ours > 0 then
    lines[#lines + 1] = HEADING
  end
  show(vim.list_extend(lines, ours))
end

return M
