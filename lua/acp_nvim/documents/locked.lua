-- Tells whether the user is in the middle of a command for which Neovim has noted lines: edits in that buffer wait
-- until it is over.
local event = require("acp_nvim.system.event")
local log = require("acp_nvim.ui.log")
local textlock = require("acp_nvim.system.textlock")
local messages = require("acp_nvim.ui.messages")

local api = vim.api

local LATE_MS = 2000 -- then the user is told what waits, once

local on_free = event.new()
local M = {
  on_free = on_free.add, -- fn(path): a file whose buffer was locked can be changed again, or the buffer is gone
}

local waiting = {} ---@type table<integer, { path: string }> buffers -> the change that waits
local group = api.nvim_create_augroup("acp_nvim.documents.locked", {})

--- Returns what the user has to do before the buffer may be changed. Only the current buffer can be locked: a command
--- that waits for a key is about its lines.
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

--- Returns what the user has to do before Neovim may read the file again, which the command-line window forbids, too.
---@param buf integer
---@return string?
function M.why_not_read(buf)
  return M.why(buf) or (vim.fn.getcmdwintype() ~= "" and "leave the command-line window") or nil
end

--- Tells the user what waits. At a prompt it is only logged: a message would take the prompt's place.
---@param buf integer
---@param why string
local function tell(buf, why)
  local name = vim.fs.basename(api.nvim_buf_get_name(buf))
  local line = ("a write to %s waits until you %s"):format(name, why)
  if api.nvim_get_mode().mode:find("^r") then
    log.add(line)
  else
    messages.show("info", line)
  end
end

local function look()
  for buf, change in pairs(waiting) do
    if not api.nvim_buf_is_loaded(buf) or not M.why_not_read(buf) then
      waiting[buf] = nil
      on_free.call(change.path)
    end
  end
  if next(waiting) == nil then
    api.nvim_clear_autocmds({ group = group })
  end
end

--- Calls the listeners of `on_free` once when the buffer may be changed again, or is gone.
---@param buf integer
---@param path string
function M.wait_for(buf, path)
  if waiting[buf] then
    waiting[buf].path = path
    return
  end
  local change = { path = path }
  waiting[buf] = change
  if #api.nvim_get_autocmds({ group = group }) == 0 then
    -- SafeState: nothing is pending, and Neovim waits for a key
    api.nvim_create_autocmd({ "SafeState", "CmdwinLeave" }, { group = group, callback = vim.schedule_wrap(look) })
  end
  vim.defer_fn(function()
    local why = waiting[buf] == change and api.nvim_buf_is_loaded(buf) and M.why(buf)
    if why then
      tell(buf, why)
    end
  end, LATE_MS)
  vim.schedule(look) -- it may be over by now
end

return M
