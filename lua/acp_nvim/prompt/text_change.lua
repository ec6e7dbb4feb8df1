-- Tells when the text of a prompt has changed, whoever changed it. Autocommands would miss the edits that are made
-- while another window is current.
local event = require("acp_nvim.system.event")

local api = vim.api
local on_text = event.new()

local M = {
  on_text = on_text.add, -- fn(n): the text of the session's prompt has changed; called once for many edits
}

local followed = {} ---@type table<integer, true>  buffers
local is_due = {} ---@type table<integer, true>  sessions

---@param n integer
local function tell(n)
  if not is_due[n] then
    is_due[n] = true
    vim.schedule(function()
      is_due[n] = nil
      on_text.call(n)
    end)
  end
end

--- Tells of every edit of a prompt's buffer from now on.
---@param n integer
---@param buf integer
function M.follow(n, buf)
  if followed[buf] then
    return
  end
  followed[buf] = api.nvim_buf_attach(buf, false, {
    on_lines = function()
      tell(n)
    end,
    on_reload = function()
      tell(n)
    end,
    on_detach = function()
      followed[buf] = nil
    end,
  }) or nil
end

return M
