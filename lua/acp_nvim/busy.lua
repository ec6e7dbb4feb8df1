-- What the user has begun and Neovim has noted lines for: edits in that buffer wait until it is over.
local log = require("acp_nvim.ui.log")
local messages = require("acp_nvim.ui.messages")
local textlock = require("acp_nvim.system.textlock")

local api = vim.api
local M = {}

local put_off = 0 -- how many changes have had to wait

--- The current buffer alone is meant: whatever waits for a key is about its lines.
---@param buf integer
---@return string? what  the user has to do first
function M.why(buf)
  local mode = api.nvim_get_mode().mode
  if textlock.is_on() then
    return "finish the command"
  elseif buf ~= api.nvim_get_current_buf() then
    return nil
  elseif mode:find("^r") then
    return "answer the prompt"
  elseif mode:find("^no") or vim.fn.state("o") ~= "" then -- the latter at the pattern of `d/`, too
    return "finish the command"
  elseif mode:find("^[iR]v?[cx]") then
    return "finish the completion"
  end
end

--- What a change of the buffer is answered with for now.
---@param buf integer
---@return { error: string, locked: true }?
function M.refusal(buf)
  local why = M.why(buf)
  put_off = put_off + (why and 1 or 0)
  return why and { error = "it waits until you " .. why, locked = true } or nil
end

--- How many changes have been put off so far.
---@return integer
function M.count()
  return put_off
end

--- A message at a prompt would take its place.
---@param buf integer
---@param why string
---@return boolean told
local function tell(buf, why)
  local name = vim.fs.basename(api.nvim_buf_get_name(buf))
  local line = ("a write to %s waits until you %s"):format(name, why)
  if api.nvim_get_mode().mode:find("^r") then
    log.add(line)
    return false
  end
  messages.show("info", line)
  return true
end

--- The command-line window is no place from which Neovim looks at a file again.
---@return { error: string, locked: true }?
function M.in_cmdwin()
  local inside = vim.fn.getcmdwintype() ~= ""
  put_off = put_off + (inside and 1 or 0)
  return inside and { error = "it waits until you leave the command-line window", locked = true } or nil
end

--- Is it still so? `is_late`: the user may want to know.
---@param buf integer
---@param is_late boolean
---@return { told: boolean }?  nil: no longer
function M.look(buf, is_late)
  if not api.nvim_buf_is_loaded(buf) then
    return nil
  elseif vim.fn.getcmdwintype() ~= "" then -- a long time for some, and nothing is wrong: nobody is told
    return { told = false }
  end
  local why = M.why(buf)
  return why and { told = is_late and tell(buf, why) } or nil
end

return M
