-- A deleted file shows so in the buffer that still has its text.
local book = require("acp_nvim.review.book")
local hunks = require("acp_nvim.hunks")
local listeners = require("acp_nvim.review.listeners")

local M = {}

---@param real string
---@param file acp.Changed
function M.show(real, file)
  local buf = file.deleted and book.has_pending(file) and require("acp_nvim.files").find(real) or nil
  if file.left and file.left ~= buf then
    hunks.clear(file.left)
    listeners.announce(file.left, false)
  end
  file.left = buf
  if buf then
    local by_agent = vim.iter(pairs(file.hunks)):any(function(_, hunk)
      return hunk.by == "agent"
    end)
    hunks.show_deletion(buf, by_agent)
    listeners.announce(buf, true)
  end
end

--- Its buffer goes.
---@param buf integer
function M.forget(buf)
  for _, file in pairs(book.files) do
    if file.left == buf then
      file.left = nil
      listeners.announce_gone(buf)
    end
  end
end

return M
