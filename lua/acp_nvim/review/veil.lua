-- While a buffer is a side of one of our diffs, review draws nothing in it: its virtual lines would push the two sides out
-- of line, and its colours would be taken for the proposal's. It is drawn again once the diff is closed.
local deleted = require("acp_nvim.review.deleted")
local listeners = require("acp_nvim.review.listeners")
local signs = require("acp_nvim.review.signs")
local store = require("acp_nvim.review.store")

local M = {}

local veiled = {} ---@type table<acp.DiffWindows, integer>  diff -> the buffer in it

---@param buf integer
local function update(buf)
  local is_veiled = vim.list_contains(vim.tbl_values(veiled), buf)
  if signs.is_hidden(buf) == is_veiled then
    return
  end
  local file = vim.api.nvim_buf_is_loaded(buf) and store.of_buffer(buf) or nil
  signs.set_hidden(buf, is_veiled, file and file.buf == buf and store.hunks(file) or {})
  if file and file.left == buf then
    deleted.show(file)
  elseif file and file.buf == buf then
    listeners.announce(buf, store.has_pending(file))
  end
end

--- That buffer is the left side of the diff from now on.
---@param sides acp.DiffWindows
---@param buf? integer  nil: none
function M.set(sides, buf)
  local before = veiled[sides]
  veiled[sides] = buf
  for _, each in pairs({ before or buf, buf }) do
    update(each)
  end
end

return M
