-- A small window in the lower right corner: the step that is under way, and the last line of its output. It takes
-- neither the focus nor a key.
local printable = require("acp_nvim.ui.printable")
require("acp_nvim.ui.highlight")

local api = vim.api
local M = {}

local WIDTH = 60
local NAMESPACE = api.nvim_create_namespace("acp_nvim.progress")

local buf ---@type integer?
local win ---@type integer?
local steps = {} ---@type string[]

---@param height integer
---@return vim.api.keyset.win_config
local function place(height)
  local width = math.max(1, math.min(WIDTH, vim.o.columns - 4))
  return {
    relative = "editor",
    anchor = "SE",
    row = math.max(1, vim.o.lines - vim.o.cmdheight - 1),
    col = vim.o.columns,
    width = width,
    height = height,
    focusable = false,
    style = "minimal",
    border = "rounded",
    zindex = 60, -- above a plugin manager's window
    noautocmd = not (win and api.nvim_win_is_valid(win)) or nil,
  }
end

---@param lines string[]
local function show(lines)
  if vim.fn.getcmdwintype() ~= "" then
    return -- no window opens here; the end is told by a message
  end
  if not buf or not api.nvim_buf_is_valid(buf) then
    buf = api.nvim_create_buf(false, true)
    vim.bo[buf].bufhidden = "hide"
  end
  api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  for row = 1, #lines - 1 do
    api.nvim_buf_set_extmark(buf, NAMESPACE, row - 1, 0, { line_hl_group = row < #lines - 1 and "AcpDone" or nil })
  end
  api.nvim_buf_set_extmark(buf, NAMESPACE, #lines - 1, 0, { line_hl_group = "AcpPending" })
  local config = place(#lines)
  if win and api.nvim_win_is_valid(win) then
    api.nvim_win_set_config(win, config)
  else
    win = api.nvim_open_win(buf, false, config)
    vim.wo[win].wrap = false
  end
end

--- Shows the next step.
---@param step string
function M.step(step)
  steps[#steps + 1] = step
  M.line("")
end

--- Shows the last line of output.
---@param line string
function M.line(line)
  local lines = {}
  for i, step in ipairs(steps) do
    lines[i] = (i < #steps and "✓ " or "… ") .. step
  end
  lines[#lines + 1] = printable.cut("  " .. printable.visible(vim.trim(line)), math.min(WIDTH, vim.o.columns - 4))
  show(lines)
end

--- Closes the window.
function M.close()
  if win and api.nvim_win_is_valid(win) then
    api.nvim_win_close(win, true)
  end
  if buf and api.nvim_buf_is_valid(buf) then
    api.nvim_buf_delete(buf, { force = true })
  end
  buf, win, steps = nil, nil, {}
end

return M
