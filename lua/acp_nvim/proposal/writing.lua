-- A right side is written: that decides, where it is meant to and is all of it; under another name it is a copy.
local decision = require("acp_nvim.proposal.decision")
local scratch = require("acp_nvim.ui.message")
local typed = require("acp_nvim.typed")

local api = vim.api
local M = {}

--- `:saveas` has given the buffer another name: it gets back its own, and Neovim's note of the other one goes.
---@param buf integer
---@param name string
local function name_again(buf, name)
  if not api.nvim_buf_is_valid(buf) or api.nvim_buf_get_name(buf) == name then
    return
  end
  local bufs = api.nvim_list_bufs()
  api.nvim_buf_set_name(buf, name)
  for _, other in ipairs(api.nvim_list_bufs()) do
    if not vim.list_contains(bufs, other) and not api.nvim_buf_is_loaded(other) then
      api.nvim_buf_delete(other, { force = true })
    end
  end
end

--- A copy for the user, `:w {file}` or `:saveas`; the proposal keeps its name.
---@param buf integer
---@param name string  of the proposal's buffer
---@param target string
local function copy(buf, name, target)
  local first, last = vim.fn.line("'["), vim.fn.line("']")
  local ok, err = pcall(vim.fn.writefile, api.nvim_buf_get_lines(buf, first - 1, last, false), target)
  local said = ok and "written: %s; the proposal is still asked" or "not written: %s"
  scratch.message(ok and "info" or "error", said:format(ok and vim.fn.fnamemodify(target, ":~:.") or err))
  vim.schedule(function()
    name_again(buf, name)
  end)
end

---@param proposal acp.Proposal
---@param path string
---@param name string  of the buffer
---@param event table  BufWriteCmd
function M.write(proposal, path, name, event)
  local buf = event.buf
  if event.match ~= name then
    copy(buf, name, event.match)
  elseif not typed.is_meant(buf) then
    scratch.message("warn", "the proposal was not sent: :w in its own window does that")
  elseif vim.fn.line("'[") ~= 1 or vim.fn.line("']") ~= api.nvim_buf_line_count(buf) then
    scratch.message("warn", "all of it decides: nothing was sent, :w without a range does that")
  else
    decision.submit(proposal, path)
  end
end

return M
