-- A deleted file shows so in the buffer that still has its text.
local find = require("acp_nvim.documents.find")
local listeners = require("acp_nvim.review.listeners")
local signs = require("acp_nvim.review.signs")
local store = require("acp_nvim.review.store")

local M = {}

---@param file acp.ReviewedFile
function M.show(file)
  local buf = file.deleted and store.has_pending(file) and find.find(file.path) or nil
  if file.left and file.left ~= buf then
    signs.clear(file.left)
    listeners.announce(file.left, false)
  end
  file.left = buf
  if buf then
    local by_agent = vim.iter(store.hunks(file)):any(function(hunk)
      return hunk.by == "agent"
    end)
    signs.show_deletion(buf, by_agent)
    listeners.announce(buf, true)
  end
end

return M
